"""How two Answers become one: the newer stays. The rules are those of docs/merging.md."""

from __future__ import annotations

from libtool.domain.entry import answer_date, answer_text
from libtool.domain.merge_items import spelling


def merge_answer(base: str, ours: str, theirs: str) -> tuple[str, str]:
    """The Answer that stays, and the one that lost to it ('' when none did): three-way, compared by date and text on one line.

    Changed on both sides: the newer date stays, none being the oldest; ties go to the greater text, then to the greater bytes.
    """
    was, one, two = _said(base), _said(ours), _said(theirs)
    if one == two:
        return spelling(base if was == one else None, ours, theirs), ""
    if two == was:
        return ours, ""
    if one == was:
        return theirs, ""
    return (ours, theirs) if one > two else (theirs, ours)


def _said(answer: str) -> tuple[str, str]:
    return answer_date(answer), answer_text(answer)
