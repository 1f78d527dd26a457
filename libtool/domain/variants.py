"""The spellings of one identifier: what must be looked for before its absence can be claimed.

`token cron`, `token_cron`, `TokenCron`, `TOKEN-CRONS` name one thing. Letters of any case are left to a search that ignores case, so a
form is lower case and stands for many spellings. Matches are weighed by `whole`: `cat` inside `concatenate` is not the thing.
"""

from __future__ import annotations

import re
from itertools import product

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEPARATORS = ("_", "", "-", " ", ".")
"""snake and SCREAMING, camel and Pascal, kebab, spaced, dotted."""
MOST_NAMES = 6
"""Names that one text may hold, divided by commas."""
MOST_WORDS = 8
"""Words of a name; a longer one is a sentence, and no identifier is spelled like it."""
_MOST_VARIED = 2
"""Words up to which each is looked for in singular and plural; of longer names only the last one."""
_ATOM = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_LIKE_SES = ("sses", "xes", "zes", "ches", "shes")
_SINGULAR_S = ("ss", "us", "is")
_SHORTEST_PLURAL = 3
_VOWELS = ("a", "e", "i", "o", "u", "")


def names(text: str) -> list[str]:
    """The names that a text holds: divided by commas, each on one line, doubles and those without a letter or digit dropped."""
    found = (" ".join(part.split()) for part in text.split(","))
    return list(dict.fromkeys(part for part in found if any(map(str.isalnum, part))))


def words(name: str) -> list[str]:
    """The words of an identifier or phrase in lower case; a run of digits is one of its own: `getUserName2` gives get, user, name, 2."""
    return [atom.lower() for atom in _ATOM.findall(name)]


def forms(name: str) -> list[str]:
    """The lower-case spellings of `name`, in singular and plural; the name as it is typed first.

    For a search `searched` of them is enough: whoever finds the shorter finds the longer too. `pattern` and `whole` need them all.
    """
    found: dict[str, None] = {name.strip().lower(): None}
    for grouped in _groupings(words(name)):
        for varied in _numbers(grouped):
            found.update((separator.join(varied), None) for separator in SEPARATORS)
    return [form for form in found if form]


def _groupings(atoms: list[str]) -> Iterator[list[str]]:
    """The words with digits apart, glued to the word before, and glued to the one behind: `sha 256 sum`, `sha256 sum`, `sha 256sum`."""
    if not atoms or len(atoms) > MOST_WORDS:
        return
    yield atoms
    if any(map(str.isdecimal, atoms)):
        before: list[str] = []
        behind: list[str] = []
        for atom in atoms:
            if before and atom.isdecimal():
                before[-1] += atom
            else:
                before.append(atom)
            if behind and behind[-1].isdecimal():
                behind[-1] += atom
            else:
                behind.append(atom)
        yield before
        yield behind


def _numbers(grouped: list[str]) -> Iterator[tuple[str, ...]]:
    """The words with singular and plural for each other."""
    last = len(grouped) - 1
    choices = [number(word) if len(grouped) <= _MOST_VARIED or at == last else (word,) for at, word in enumerate(grouped)]
    yield from product(*choices)


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


def without_longer(found: Iterable[str]) -> list[str]:
    """The texts that hold no other one of them, each once, in their order."""
    each = list(dict.fromkeys(found))
    return [form for form in each if not any(other in form and other != form for other in each)]


def searched(found: Iterable[str]) -> list[str]:
    """The texts to search for so that all the forms are found, by a search that ignores the case of ASCII letters only."""
    spelled: dict[str, None] = {}
    for form in found:
        spelled[form] = None
        if not form.isascii():
            spelled.update(dict.fromkeys((form.upper(), form.title(), form.capitalize())))
    return without_longer(spelled)


def pattern(found: Iterable[str]) -> re.Pattern[str]:
    """What finds any of the forms in a text, in any case, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))), re.IGNORECASE)


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
    """Whether the second of two neighbouring characters continues the word of the first: `tC` does not, nor `t2`, nor `t_`."""
    if not (one.isalpha() and other.isalpha()):
        return one.isdecimal() and other.isdecimal()
    return not (one.islower() and other.isupper())


def _begins_word(text: str, at: int) -> bool:
    """Whether a capital behind capitals begins a word, as P in `HTTPProxy` does."""
    return text[at].isupper() and text[at - 1].isupper() and text[at + 1 : at + 2].islower()
