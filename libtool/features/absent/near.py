"""What comes nearest to a name that is absent: lines that hold all of its words, apart or in another order. No proof, but worth a look."""

from __future__ import annotations

from os.path import commonprefix
from typing import TYPE_CHECKING

from libtool.domain import variants
from libtool.features.absent import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.features.absent.places import Place
    from libtool.storage.git_read import Reader

SECONDS = 2.0
"""What is not found by then is not told: this is a hint."""
_MOST_OUTPUT = 1 << 20
_MOST_WORDS = 4
_SHORTEST = 3


def search(reader: Reader, names: Sequence[str]) -> list[Place]:
    """The lines of tracked files, the most telling first; none for names of one word or of many, and in a bare repository."""
    wanted = [words for name in names if len(words := _words(name)) in range(2, _MOST_WORDS + 1)]
    if not wanted or reader.place.bare:
        return []
    expression: list[str] = []
    for words in wanted:
        together = [arg for word in words for arg in ("--and", "-e", commonprefix(variants.number(word)))][1:]  # noqa: RUF071 - letters are meant
        expression += ["--or"] * bool(expression) + ["(", *together, ")"]
    said = reader.run(*places.GREP, "-F", *expression, seconds=SECONDS, most=_MOST_OUTPUT)
    found = [place for words in wanted for place in places.read(said.out, *(variants.pattern([word]) for word in words)).places]
    return places.ordered(found)


def _words(name: str) -> list[str]:
    """The different words of a name, those left out that are too short to tell anything."""
    return list(dict.fromkeys(word for word in variants.words(name) if len(word) >= _SHORTEST))
