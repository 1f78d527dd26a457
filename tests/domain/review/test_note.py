from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.review.note import kind_of, read

ADR = """# 12. Cache the timetable

Date: 2026-03-02

## Status

Accepted

## Context

The harbour API is slow.

## Decision

We cache for fifteen minutes.

- in SQLite

## Consequences

- the board may be late

## Considered options

- Redis
"""
HANDOFF = """# Handoff: night import

**Branch:** feat/night

## Done

- retries with jitter

## In progress / blocked

- the proxy limit

### Details

- sixty seconds

## Next steps

1. purge

## Links

- https://example.org/pr/1
"""
MEMORY = """---
name: kiln cache
description: "Responses are cached for fifteen minutes."
metadata:
  type: project
tags:
  - cache
  - 'sqlite'
date: 2026-04-05
status: proposed
empty: []
---

- one fact
- another
"""
WORKLOG = """# Worklog

## 2026-05-01 cache

- added it

```sh
make a
```

## 2026-05-02

- measured it

```
1
2
3
4
5
6
7
8
```
"""


def test_a_decision_record() -> None:
    note = read(ADR, "0012-cache")
    assert (note.block.title, note.date, note.code_left_out) == ("Cache the timetable", "2026-03-02", 0)
    assert note.block.sections == {
        "Answer": ("We cache for fifteen minutes.", "- in SQLite", "The harbour API is slow."),
        "Decided": ("Status: Accepted", "consequence: the board may be late", "Considered options: Redis"),
    }


@pytest.mark.parametrize(
    ("status", "section"), [("Accepted", "Decided"), ("Superseded by 13", "Superseded"), ("Proposed", "Open"), ("Ready for work", "Open")]
)
def test_the_state_of_a_decision(status: str, section: str) -> None:
    assert read(ADR.replace("Accepted", status), "x").block.sections[section][0] == f"Status: {status}"


def test_a_handoff_file() -> None:
    note = read(HANDOFF, "HANDOFF")
    assert note.block.title == "Handoff: night import"
    assert note.block.sections == {
        "Decided": ("retries with jitter", "Branch: feat/night"),
        "Blocker": ("the proxy limit", "Details: sixty seconds"),
        "Open": ("purge",),
        "Pointers": ("https://example.org/pr/1",),
    }


def test_a_memory_file() -> None:
    note = read(MEMORY, "kiln")
    assert (note.block.title, note.date) == ("kiln cache", "2026-04-05")
    assert note.block.sections == {
        "Answer": ("Responses are cached for fifteen minutes.", "- one fact", "- another"),
        "Open": ("Status: proposed",),
        "Decided": ("tags: cache; sqlite",),
    } or note.block.sections["Open"] == ("status: proposed",)


def test_a_worklog_dates_its_items_and_leaves_long_code_out() -> None:
    note = read(WORKLOG, "WORKLOG")
    assert note.block.title == "Worklog"
    assert note.code_left_out == 8
    assert note.date == "2026-05-01"
    assert note.block.sections["Decided"] == (
        "2026-05-01: 2026-05-01 cache: added it `make a`",
        "2026-05-02: 2026-05-02: measured it",
        "2026-05-02: 2026-05-02: [8 lines of code]",
    )


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Next steps (after the release)", "Open"),
        ("Decision: use X", "Answer"),
        ("▶ Next Up", "Open"),
        ("Kontext", "context"),
        ("Weather", ""),
        ("**Solução Implementada**", "Answer"),
    ],
)
def test_headings(heading: str, kind: str) -> None:
    assert kind_of(heading) == kind


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("no heading at all", "2026-01-02-notes", "2026-01-02-notes"),
        ("# Notes\n\nx", "kiln", "kiln"),
        ("---\ntitle: A title\n---\n# Other\n", "x", "A title"),
        ("---\nnever closed\n# Kiln rules\n\nx", "x", "Kiln rules"),
        ("# ADR-0003: Use Rust\n", "x", "Use Rust"),
    ],
)
def test_titles(text: str, name: str, title: str) -> None:
    assert read(text, name).block.title == title


def test_front_matter_that_is_odd() -> None:
    note = read("---\n- no key\nname: kiln\n# a comment\n\n---\n\nText.\n", "x")
    assert (note.block.title, note.block.sections) == ("kiln", {"Answer": ("Text.",)})


def test_the_name_of_a_file_can_tell_the_day() -> None:
    assert read("text", "2026-01-02-kiln").date == "2026-01-02"
    assert read("text", "kiln").date == ""


def test_a_heading_in_a_fence_is_none() -> None:
    note = read("# T\n\n## Decision\n\nYes:\n\n```\n# no heading\n```\n~~~\n```\n~~~\n", "x")
    assert note.block.sections == {"Answer": ("Yes:", "`# no heading`")}


@given(st.text(alphabet=st.sampled_from("#-*`: |\nabStatusNext2026-01.~"), max_size=300))
def test_any_text_can_be_a_note(text: str) -> None:
    note = read(text, "x")
    assert all(isinstance(item, str) for items in note.block.sections.values() for item in items)
