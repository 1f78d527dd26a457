"""Alternatives that are compiled by the letter they begin with: most runs need few of the rules, and compiling all costs 30 ms."""

from __future__ import annotations

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

_BEFORE_A_LETTER = lazy(r"\(\?-i:|\(\?<[!=]\[[^\]]*\]\)|\(\?:|\\")


def by_first_letter(forms: Callable[[], Iterable[str]], rest: str = "") -> Callable[[str, int], re.Match[str] | None]:
    """A matcher of alternatives, case ignored, that tries only those which can begin with the letter at the place.

    `forms` makes them when the first is asked for. Each begins with a letter, behind groups that open and looks behind. `rest` follows
    them all.
    """
    patterns: dict[str, re.Pattern[str]] = {}

    def match(text: str, at: int) -> re.Match[str] | None:
        if not patterns:
            by_letter: dict[str, list[str]] = {}
            for form in forms():
                by_letter.setdefault(_BEFORE_A_LETTER.sub("", form)[:1].lower(), []).append(form)
            patterns.update((first, lazy(f"(?i:{'|'.join(several)}){rest}")) for first, several in by_letter.items())
        pattern = patterns.get(text[at : at + 1].lower())
        return pattern.match(text, at) if pattern is not None else None

    return match
