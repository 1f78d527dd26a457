"""The spellings of one identifier: what must be looked for before its absence can be claimed.

`token cron`, `token_cron`, `TokenCron`, `TOKEN-CRONS`, `Token_cron` name one thing. One regular expression finds them all; it is written
in what git's extended and Perl expressions and Python's have in common, and means the same to each of them also byte by byte: of letters
beyond ASCII both cases are in it, of ASCII letters one, for a search that ignores case. Matches are weighed by `whole`: `cat` inside
`concatenate` is not the thing.
"""

from __future__ import annotations

import re
from unicodedata import normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SEPARATORS = ("_", "", "-", " ", ".", "__", "/", "\\", "::", "->")
"""snake and SCREAMING, camel and Pascal, kebab, spaced, dotted; a member of what the words before name, in a path or in code."""
MOST_NAMES = 6
"""Names that one text may hold, divided by commas."""
_RUN = re.compile(r"[^\W\d_]+|[0-9]+|[^\W0-9_]")
_PLURAL_ACRONYM = re.compile(r"(?<![A-Z])[A-Z]{2,}s(?![a-z])")
_SPECIAL = re.compile(r"[][\\.^$*+?(){}|]")
_LIKE_SES = ("sses", "xes", "zes", "ches", "shes")
_SINGULAR_S = ("ss", "us", "is")
_SHORTEST_PLURAL = 3
_ENDING = 3
"""By how many letters singular and plural differ at most."""
_VOWELS = ("a", "e", "i", "o", "u", "")


def names(text: str) -> list[str]:
    """The names that a text holds: divided by commas, each on one line, doubles and those without a letter or digit dropped."""
    found = (" ".join(part.split()) for part in text.split(","))
    return list(dict.fromkeys(part for part in found if any(map(str.isalnum, part))))


def words(name: str) -> list[str]:
    """The words of an identifier or phrase in lower case; a run of digits is one of its own: `getUserName2` gives get, user, name, 2."""
    found = []
    for run in _RUN.findall(normalize("NFC", name)):
        start = 0
        for at in range(1, len(run)):
            if _has_case(run[at - 1]) != _has_case(run[at]) or (run[at - 1].islower() and run[at].isupper()) or _begins_word(run, at):
                found.append(run[start:at].lower())
                start = at
        found.append(run[start:].lower())
    return found


def forms(name: str) -> list[str]:
    """Spellings of `name` to be told to a reader, in lower case: as it is typed, then with each separator."""
    apart = words(name)
    return [form for form in dict.fromkeys((name.strip().lower(), *(one.join(apart) for one in SEPARATORS))) if form]


def expression(wanted: Iterable[str]) -> str:
    """What finds any of these names, as it is typed or in words of any number with any separators, for a search that ignores case."""
    between = "|".join(map(_literal, filter(None, SEPARATORS)))
    found: dict[str, None] = {}
    for name in wanted:
        found[_literal(name.strip())] = None
        found[_literal(normalize("NFC", name.strip()))] = None
        # `userIDs` is of user and ids, though it may be of user, i and ds.
        for spelled in (name, _PLURAL_ACRONYM.sub(lambda acronym: f"_{acronym[0].lower()}_", name)):
            found[f"({between})?".join(_any_number(word) for word in words(spelled))] = None
    return "|".join(filter(None, found))


def pattern(wanted: Iterable[str]) -> re.Pattern[str]:
    """`expression` for a text."""
    return re.compile(expression(wanted), re.IGNORECASE)


def _any_number(word: str) -> str:
    """The expression of a word in singular and plural, the longest first, since not every engine takes the longest by itself."""
    found = sorted(map(_literal, number(word)), key=len, reverse=True)
    return found[0] if len(found) == 1 else f"({'|'.join(found)})"


def _literal(text: str) -> str:
    """The expression of a text, composed and decomposed, its letters beyond ASCII in either case."""
    return "".join(_SPECIAL.sub(r"\\\g<0>", char) if char.isascii() else _any_case(char) for char in text)


def _any_case(char: str) -> str:
    cases = (char, char.lower(), char.upper())
    found = dict.fromkeys((*cases, *(normalize(form, one) for one in cases for form in ("NFC", "NFD"))))
    return next(iter(found)) if len(found) == 1 else f"({'|'.join(sorted(found, key=len, reverse=True))})"


def number(word: str) -> tuple[str, ...]:
    """A lower-case word with its English singular and plural; alone where a word has none."""
    if not word.isalpha() or not word.isascii() or len(word) < 2:
        return (word,)
    single = singulars(word)
    return tuple(dict.fromkeys((word, *single, *map(plural, single))))


def singulars(word: str) -> tuple[str, ...]:
    """What a word may be the plural of, itself where of nothing: `policies` of policy, `caches` of cache or cach, `status` of status."""
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(_SINGULAR_S) or (len(word) == 3 and word[1] in _VOWELS):
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y", word[:-1]
    return (word[:-1], word[:-2]) if word.endswith(_LIKE_SES) else (word[:-1],)


def plural(word: str) -> str:
    """The regular plural of a singular."""
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def find(text: str, wanted: re.Pattern[str]) -> tuple[int, int] | None:
    """The first place in `text` where a `pattern` is an identifier or whole words of one; None for none."""
    match = wanted.search(text)
    while match is not None:
        start, longest = match.start(), min(match.end() + _ENDING, len(text))
        # What is found first need not be what is there: `tokenS` in `tokenStore`.
        for end in range(longest, max(start, match.end() - _ENDING - 1), -1):
            if whole(text, start, end) and wanted.fullmatch(text, start, end):
                return start, end
        match = wanted.search(text, start + 1)
    return None


def whole(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is an identifier or whole words of one: no letter goes on in the same word on either side of it.

    A plural's ending behind it belongs to it.
    """
    if start and _goes_on(text[start - 1], text[start]) and not _begins_word(text, start):
        return False
    for ending in ("es", "s", ""):
        behind = end + len(ending)
        if text[end:behind].lower() == ending and not (behind < len(text) and _goes_on(text[behind - 1], text[behind])):
            return True
    return False


def _goes_on(one: str, other: str) -> bool:
    """Whether the second of two neighbouring characters continues the word of the first: `tC` does not, nor `t2`, nor `t_`.

    Letters without case do not either: where there is none, as in Chinese, words are not told apart by what lies between them.
    """
    if not (one.isalpha() and other.isalpha()):
        return one.isdecimal() and other.isdecimal()
    return _has_case(one) and _has_case(other) and not (one.islower() and other.isupper())


def _has_case(char: str) -> bool:
    return char.lower() != char.upper()


def _begins_word(text: str, at: int) -> bool:
    """Whether a capital behind capitals begins a word, as P in `HTTPProxy` does."""
    return text[at].isupper() and text[at - 1].isupper() and text[at + 1 : at + 2].islower()
