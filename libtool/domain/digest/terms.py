"""What a sentence is about: its words, names weighing more than prose.

Facts are asked for by their names: a function, a file, a flag, a version, a count. The weights were set on sessions of which half were
held back.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from libtool.domain.fts import CJK

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_WEIGHT, NUMBER_WEIGHT, WORD_WEIGHT = 5.0, 1.5, 0.4
_WORD = re.compile(r"[\w$@./\-]{2,}\w")
_CODE, _OTHER_NAME = re.compile(r"[a-z][A-Z]|_|/|\w\.[a-z]{1,4}$"), re.compile(r"[.\-]\w|[A-Z]{2}")
_MADE_UP = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16}|\d{9}")
"""Within an id, a hash or a time stamp, and what holds one: nobody will ask for it."""
_CJK_RUN = re.compile(f"[{CJK}]{{2,}}")
LONGEST = 120
_STOP = frozenset(
    "the a an and or of to in on for with is are was were be been it its this that these those as by at from not no but if then so "
    "all any "
    "can will would should has have had do does did now also which when where what how than into only just each per via use used "
    "using new "
    "add made make let me i you we they file files code der die das und oder ist nicht ein eine mit von zu auf für im den dem "
    "des el la "
    "los las un una y o es de que en con por para no se le les une et ou est pas dans pour sur avec du au il o os as um uma e do da "
    "em não".split()
)


@lru_cache(maxsize=1 << 12)
def terms(text: str) -> Mapping[str, float]:
    """Lower-case terms of a sentence with their weights; a CJK run counts by its pairs, and a path also stands for its last part.

    Not to be changed: the sentences of a pool are asked for again and again.
    """
    found: dict[str, float] = {}
    for word in _WORD.findall(text):
        found.update(_of_word(word))
    return found


@lru_cache(maxsize=1 << 15)
def _of_word(word: str) -> tuple[tuple[str, float], ...]:
    """The terms of one word. The same few thousand words make up nearly all text."""
    bare = word.strip("./-")
    if not 2 < len(bare) <= LONGEST or _MADE_UP.search(bare):
        return ()
    if not bare.isascii() and _CJK_RUN.search(bare):
        return tuple((run[at : at + 2], WORD_WEIGHT / 2) for run in _CJK_RUN.findall(bare) for at in range(len(run) - 1))
    lower = bare.lower()
    if lower in _STOP:
        return ()
    term = (lower, _weight(bare))
    return (term, (lower.rsplit("/", 1)[1], 0.0)) if "/" in bare else (term,)


def _weight(word: str) -> float:
    if word.isalpha() and (word.islower() or word.istitle()):
        return WORD_WEIGHT
    if _CODE.search(word):
        return NAME_WEIGHT
    if any(map(str.isdigit, word)):
        return NUMBER_WEIGHT
    return NAME_WEIGHT if _OTHER_NAME.search(word) else WORD_WEIGHT
