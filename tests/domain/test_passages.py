from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.chunk import CHUNK_LIMIT
from libtool.domain.cited import Cited
from libtool.domain.passages import read, sections

ENTRY = """# Rotate the staging API tokens

## Answer

Use the vault sidecar. (2026-10-03)

## Decided

- 2026-10-01: keep the sidecar. (claude-code:3f2a9c1e#41)

## Blocker

None.

## Pointers

- acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44
- absent Acme/Web@9f3c2d1 "token cron"
- https://example.org/a@b

## Session

- claude-code:3f2a9c1e-7b1d laptop 2026-10-03
- claude-code:3f2a9c1e-7b1d desk 2026-10-04
- codex:rollout/0199a8f2 desk 2026-10-02
an aside
"""


def test_an_entry_comes_apart() -> None:
    found = read("auth", ENTRY)
    assert (found.title, found.date, found.projects) == ("Rotate the staging API tokens", "2026-10-04", ("acme/api", "acme/web"))
    assert found.cited == (
        Cited("claude-code", "3f2a9c1e-7b1d", "laptop", "2026-10-03"),
        Cited("codex", "rollout/0199a8f2", "desk", "2026-10-02"),
    )
    assert [(one.section, one.line) for one in found.passages] == [("Answer", 3), ("Decided", 7), ("Pointers", 15), ("Session", 21)]
    assert [one.text.split("\n")[0] for one in found.passages] == [
        "Rotate the staging API tokens",
        "- 2026-10-01: keep the sidecar. (claude-code:3f2a9c1e#41)",
        "- acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44",
        "an aside",
    ]


@pytest.mark.parametrize(
    ("text", "title", "parts"),
    [
        ("", "x", [("", "x")]),
        ("just words", "x", [("", "x"), ("", "just words")]),
        ("# One\n# Two\n## Answer\nyes", "One", [("", "Two"), ("Answer", "One\nyes")]),
        ("## Answer\na\n## Answer\nb", "x", [("Answer", "x\na"), ("Answer", "x\nb")]),
        ("# T #\n```\n## Answer\n```\n## Open ##\n- o", "T", [("", "T"), ("", "```\n## Answer\n```"), ("Open", "- o")]),
        ("# T\n~~~~\n~~~\n## A\n~~~~ x\n~~~~\n## B\nb", "T", [("", "T"), ("", "~~~~\n~~~\n## A\n~~~~ x\n~~~~"), ("B", "b")]),
        (
            "# T\n<<<<<<< ours\n## Answer\na\n=======\nb\n>>>>>>> theirs",
            "T",
            [("", "<<<<<<< ours"), ("Answer", "T\na\n=======\nb\n>>>>>>> theirs")],
        ),
        ("# T\r\n\r\n## Answer\r\n\r\na\x00\x1eb\r\n", "T", [("Answer", "T\nab")]),
        ("# T\n## Blocker\nNONE.\n## Open\n\n", "T", [("", "T")]),
    ],
)
def test_what_is_no_right_entry_is_read_as_it_lies_there(text: str, title: str, parts: list[tuple[str, str]]) -> None:
    found = read("x", text)
    assert (found.title, [(one.section, one.text) for one in found.passages]) == (title, parts)


def test_a_long_section_is_several_passages_of_a_chunk_at_most() -> None:
    found = read("x", "# T\n\n## Decided\n\n" + "\n".join(f"- item {number} {'word ' * 40}" for number in range(40)))
    decided = [one for one in found.passages if one.section == "Decided"]
    assert len(decided) > 4
    assert all(len(one.text) <= CHUNK_LIMIT and one.text.startswith("- item") for one in decided)


@pytest.mark.parametrize("date", ["2026-13-01", "2026-10-32", "12026-10-03", "2026-10-031", "1999-01-01", "x-2026-10-03"])
def test_what_is_no_date_is_none(date: str) -> None:
    assert read("x", f"# T\n\n## Answer\n\nIt was {date}.\n").date == ""


def test_hostile_numbers_of_sessions_are_bounded() -> None:
    lines = "\n".join(f"- codex:{number:08d} desk 2026-10-03" for number in range(2000))
    assert len(read("x", f"# T\n## Session\n{lines}").cited) == 500


@given(st.text(st.sampled_from("# \n`~-a.<\r\x00A2")))
def test_no_word_is_lost_and_no_text_is_an_error(text: str) -> None:
    found = read("x", text)
    there = found.title + "".join(one.text + one.section for one in found.passages)
    assert there.count("a") >= text.count("a")
    assert there.count("2") >= text.count("2")
    assert all(len(one.text) <= CHUNK_LIMIT + len(found.title) + 1 for one in found.passages)


@given(st.lists(st.sampled_from(["# T", "## Answer", "## Open", "```", "~~~", "- x", "", "text", "    ## code"]), max_size=12))
def test_every_line_is_in_a_section_or_is_a_heading(lines: list[str]) -> None:
    title, parts = sections("\n".join(lines))
    told = [title, *(line for part in parts for line in part.text.split("\n"))]
    for line in filter(None, lines):
        assert line.lstrip("# ") in [one.strip() for one in told] or line.strip() in [one.strip() for one in told] or line.startswith("##")
