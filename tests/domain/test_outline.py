from __future__ import annotations

from libtool.domain.outline import outline


def test_headings_of_the_outermost_level_with_their_lines() -> None:
    text = "# A\n\n## B\n\n```\n## x\n```\n> ## y\n\n- a\n\n  ## z\n\nC\n--\n\nD\nE\n===\n\n### deep\n   ## F ##"
    assert outline(text) == [(1, 1), (3, 2), (15, 2), (19, 1), (22, 2)]
    assert outline("") == []
