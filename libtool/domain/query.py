"""What a person or an agent typed, to FTS5. Nothing that can be typed is an error: what has no meaning here is taken as words.

Grammar: plain words (any of them), "a phrase", +must, -not, prefix*. Identifiers in any case style, paths and error messages find
each other's spellings; CJK runs are matched as overlapping pairs, as the index holds them.
"""

from __future__ import annotations

import re

from libtool.domain.fts import CJK, bigrams, camel_parts
from libtool.domain.lazy import lazy
from libtool.domain.porter import stem
from libtool.domain.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STOPWORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being but by can could did do does done each for from "
    "had has have having he her here him his how i if in into is it its just me more most my no nor not now of off on once only or other "
    "our out over own same she should so some such than that the their them then there these they this those through to too under up "
    "us very was we were what when where which while who whom whose why will with would you your "
    "der die das und oder ist nicht ein eine den dem mit von zu auf was wie warum "
    "le la les des un une et ou est pas du de que qui pour dans comment "
    "el los las una y o es no por para que como".split()
)
MAX_TERMS = 24
MAX_LENGTH = 4000
_PART = re.compile(r'([+-]?)"([^"]*)"?|(\S+)')
_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z][a-z]")
_HEX = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
MARKS = "\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331"
"""The combining marks that FTS5 drops, for a character class; every other one ends a word there."""
_MARK = lazy(f"[{MARKS}]")
_HAS_CJK = lazy(f"[{CJK}]")
_LABEL = lazy(r"[^\W_]+:[^\W_]+")
_PLACE = lazy(r"(?::[0-9]{1,7}){1,2}$")
_INNER = re.compile(r"[^\W_][_./\\:#@-]+[^\W_]")
_ENDINGS = (
    "ing ion ions ional ation ational ment ness ity ability ibility able al ally ance ant ate ator ed ence ent er es ful ible ic ical "
    "ies ism ive ization ize izer ly ous y"
).split()
WORD, PHRASE, NAME = "word", "phrase", "name"


class Term:
    """One thing to look for: its spellings, each a tuple of folded tokens that must stand in a row.

    Of a prefix only the first spelling is what was typed; the others are words that begin so but are stemmed to less.
    """

    __slots__ = ("kind", "must", "prefix", "shown", "spellings")

    def __init__(self, kind: str, shown: str, spellings: list[tuple[str, ...]], *, must: bool = False, prefix: bool = False) -> None:
        self.kind = kind
        """`word`; `phrase` (quoted by the user); `name` (an identifier, a path, a commit)."""
        self.shown = shown
        self.spellings = spellings
        self.must = must
        self.prefix = prefix

    def match(self) -> str:
        """The FTS5 expression of this term."""
        spelled = ['"' + " ".join(tokens) + '"' for tokens in self.spellings]
        if self.prefix:
            *before, last = self.spellings[0]
            # `deploy` becomes `deploi` in FTS5, which `deployment` does not begin with; what matches both counts twice.
            leads = dict.fromkeys((last, _lead(last)))
            spelled[:1] = ['"' + " ".join([*before, lead]) + '" *' for lead in leads]
        return spelled[0] if len(spelled) == 1 else "(" + " OR ".join(spelled) + ")"

    def __repr__(self) -> str:
        return f"Term({self.kind}, {self.match()})"


class Query:
    """A parsed query: what is looked for and what must not be there."""

    __slots__ = ("excluded", "terms", "text")

    def __init__(self, text: str, terms: list[Term], excluded: list[Term]) -> None:
        self.text = text
        self.terms = terms
        self.excluded = excluded


def parse(text: str) -> Query:
    """Understand any text as a query. Stopwords are dropped unless nothing else is left; at most MAX_TERMS terms are kept."""
    text = clean(text[:MAX_LENGTH]).strip()
    wanted: list[Term] = []
    excluded: list[Term] = []
    spare: list[Term] = []
    for match in _PART.finditer(text):
        sign, phrase, word = match.group(1), match.group(2), match.group(3)
        if phrase is not None:
            found = _phrase(phrase, must=sign == "+")
        else:
            sign, word = _signed(word)
            found = _terms(word, must=sign == "+")
        if sign == "-":
            excluded += found
            continue
        for term in found:
            (spare if _is_stopword(term) else wanted).append(term)
    terms = _unique(wanted or spare)
    return Query(text, terms[:MAX_TERMS], _unique(excluded)[:MAX_TERMS])


def _is_stopword(term: Term) -> bool:
    """A bare, single stopword: `on-call`, `in*` and `+no` say more."""
    first = term.spellings[0]
    return term.kind == WORD and len(first) == 1 and first[0] in STOPWORDS and not term.must and not term.prefix


def _signed(word: str) -> tuple[str, str]:
    """The sign before a word; `--flag`, `-1` and a lone `-` have none, nor have the flags of a pasted `rm -rf`."""
    if len(word) > (2 if word[0] == "+" else 3) and word[0] in "+-" and word[1].isalpha():
        return word[0], word[1:]
    return "", word


def _phrase(text: str, *, must: bool) -> list[Term]:
    tokens = tokenize(text)
    return [Term(PHRASE, f'"{" ".join(text.split())}"', [tokens], must=must)] if tokens else []


def _terms(word: str, *, must: bool) -> list[Term]:
    """The terms of one blank-separated word."""
    prefix = word.endswith("*") and len(word) > 2
    bare = word.rstrip("*").strip(".,;:!?()[]{}<>'`\"…")
    if "/" in bare or "." in bare:
        # A place in a file: its line and column are somewhere else by now.
        bare = _PLACE.sub("", bare)
    tokens = tokenize(bare)
    if not tokens:
        return []
    if prefix:
        return [Term(WORD, bare + "*", [tokens, *((*tokens[:-1], word) for word in _words_beyond(tokens[-1]))], must=must, prefix=True)]
    if _HEX.fullmatch(bare):
        return [Term(NAME, bare, [tokens], must=must)]
    if is_name(bare):
        return [Term(NAME, bare, _spellings(bare, tokens), must=must)]
    return _plain(bare, tokens, must=must)


def _plain(bare: str, tokens: tuple[str, ...], *, must: bool) -> list[Term]:
    """The terms of what is no name: hyphenated words as one, CJK runs and all others apart."""
    cjk = not bare.isascii() and _HAS_CJK.search(bare)
    if len(tokens) > 1 and not cjk and not _LABEL.fullmatch(bare) and _INNER.search(bare):
        # hyphenated words and the like: in a row, but no more telling than words are
        return [Term(WORD, bare, [tokens, *([("".join(tokens),)] if len(tokens) == 2 else [])], must=must)]
    if cjk:
        # The index holds pairs: a single character is the beginning of some.
        return [Term(WORD, run, [tokenize(run)], must=must, prefix=len(run) == 1 and not run.isascii()) for run in _cjk_runs(bare)]
    if len(tokens) > 1 and _LABEL.fullmatch(bare):
        # `title:combobox`, `auth:` and the like are words; so is a word with a line number behind it.
        return [Term(WORD, token, [(token,)], must=must) for token in tokens]
    return [Term(WORD, token, [(token,)], must=must) for token in tokens]


def _lead(prefix: str) -> str:
    """The longest beginning of a prefix that FTS5, which stems a prefix too, does not change into the beginning of other words."""
    while not prefix.startswith(stem(prefix)):
        prefix = prefix[:-1]
    return prefix


def _words_beyond(prefix: str) -> list[str]:
    """A word for each stem of words that begin with a prefix, where the stem itself does not: `configuration` for `configura*`."""
    lead = stem(_lead(prefix))
    words = [prefix, *(prefix + ending[at:] for ending in _ENDINGS for at in range(len(ending)) if prefix.endswith(ending[:at]))]
    by_stem = {end: word for word in words if not (end := stem(word)).startswith(lead)}
    return list(by_stem.values())


def _cjk_runs(text: str) -> list[str]:
    """Runs of CJK and of other word characters, apart."""
    return re.findall(f"[{CJK}]+|[^\\W_{CJK}]+", text)


def is_name(word: str) -> bool:
    """Whether a word is an identifier: snake_case, camelCase, a path, a dotted name. Hyphenated words are none."""
    if _CAMEL.search(word):
        return True
    inner = word.strip("_-/.")
    if "_" in inner or "/" in inner or "\\" in inner or "::" in inner:
        return len(inner) > 2 and _INNER.search(inner) is not None
    head, dot, tail = inner.rpartition(".")
    return bool(dot and head and tail[:1].isalpha() and len(inner) > 3)


def _spellings(word: str, tokens: tuple[str, ...]) -> list[tuple[str, ...]]:
    """snake_case, camelCase and glued forms of an identifier; a path also with fewer leading folders."""
    parts = tuple(folded for token in _TOKEN.findall(word) for part in _parts(token) for folded in tokenize(part))
    spellings = [tokens]
    if parts and parts != tokens:
        spellings.append(parts)
    if 1 < len(parts) <= 5 and "/" not in word and "." not in word:
        spellings.append(("".join(parts),))
    if "/" in word and len(tokens) > 4:
        spellings.append(tokens[-3:])
    return list(dict.fromkeys(spellings))


def _parts(token: str) -> list[str]:
    return camel_parts(token) if token.isascii() else [token]


def _unique(terms: list[Term]) -> list[Term]:
    """The terms without repetition; of two that look for the same, the more telling kind stays, in the place of the first."""
    seen: dict[str, Term] = {}
    for term in terms:
        stems = [stem(token) for token in term.spellings[0]]
        # maxRetries and max_retries are one name; the phrase "log in" and the word login are two things.
        key = ("" if term.kind == NAME else " ").join(stems) + ("*" if term.prefix else "")
        first = seen.setdefault(key, term)
        if first is not term:
            kept = term if first.kind == WORD != term.kind else first
            kept.must = first.must or term.must
            seen[key] = kept
    return list(seen.values())


def rarest(terms: Sequence[Term], counts: Sequence[int], rows: int) -> list[Term]:
    """The terms to rank by: rarest first, as many as together stand in `rows` chunks, in the order of the query.

    FTS5 weighs every chunk that holds any of the words, so common words cost most and tell least. What holds all words is found anyway.
    """
    chosen: list[int] = []
    for number in sorted(range(len(terms)), key=counts.__getitem__):
        rows -= counts[number]
        if chosen and rows < 0:
            break
        chosen.append(number)
    return [terms[number] for number in sorted(chosen)]


def tokenize(text: str) -> tuple[str, ...]:
    """The folded tokens of a text as FTS5's unicode61 makes them (not stemmed), CJK runs as pairs."""
    return tuple(_TOKEN.findall(fold(bigrams(text))))


def fold(text: str) -> str:
    """Lower case, without diacritics: as FTS5's unicode61 folds, by its own narrow idea of a diacritic.

    It knows the Latin letters with one mark; `\u0439`, `\u304c` and a Hangul syllable stay whole, and so does a letter with two marks.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


class _Folds(dict[int, str]):
    """Each character folded when it is first met, for str.translate."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


_FOLDED = _Folds()


def _fold(letter: str) -> str:
    if not letter.isalnum():
        return "" if _MARK.match(letter) else letter
    if letter == "\u0130":
        return "i"
    lower = letter.casefold()
    if len(lower) > 1:
        # FTS5 has one character for one: capital sharp s becomes small, what has no small letter stays.
        lower = letter.lower() if len(letter.lower()) == 1 else letter
    import unicodedata  # noqa: PLC0415 - most queries and texts are folded without it

    parts = unicodedata.normalize("NFD", lower)
    return parts[0] if len(parts) == 2 and parts[0].isascii() and _MARK.match(parts[1]) else lower
