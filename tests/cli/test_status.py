from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands.status import lines
from libtool.features.status import Status, status

if TYPE_CHECKING:
    from libtool.config import Config
    from tests.carried import Program


@pytest.mark.usefixtures("staged")
def test_where_nothing_is_indexed_the_document_says_so(lib: Program) -> None:
    code, out, err = lib("status")
    assert (code, out, err) == (14, "", "lib: nothing is indexed on this machine yet\n  run `lib index`\n")
    assert not lib.json("status")["indexed"]
    assert lib("status", "--json")[0] == 14


@pytest.mark.usefixtures("indexed")
def test_the_coverage_is_that_of_a_search(lib: Program) -> None:
    searched, told = lib.json("search", "quota")["coverage"], lib.json("status")["coverage"]
    assert {**searched, "tried": []} == told


def test_every_problem_is_told_and_long_lists_are_cut(indexed: Config) -> None:
    found = status(indexed, {})._replace(
        told=("a walk was cut short",),
        unreadable=tuple((f"/{number}", "no") for number in range(7)),
        unknown={"codex": {f"type-{number}": 2 for number in range(6)}},
        damaged={"codex": 3, "pi": 1},
        oversize=2,
        remarks=(("/x", "odd"),),
        missing=4,
        digests_due=3,
        forgotten=5,
        synced={},
        changed=1,
    )
    text = list(lines(found, "/data"))
    assert text[text.index("a walk was cut short") :] == [
        "a walk was cut short",
        "could not be read: 7",
        *(f"  /{number}: no" for number in range(5)),
        "  and 2 more (--all)",
        "records of codex of an unknown type, left out: 12",
        *(f"  type-{number}: 2" for number in range(5)),
        "  and 1 more (--all)",
        "damaged lines, left out: 3 codex, 1 pi",
        "lines too long to read, left out: 2",
        "remarks:",
        "  /x: odd",
    ]
    assert {"transcripts gone from disk, their sessions kept: 4", "sessions forgotten: 5"} < set(text)
    assert "digests still to come: 3; each `lib index` makes some, the newest first" in text
    assert "  /6: no" in lines(found, "/data", named=0)
    assert any("; 1 file new or changed since: run `lib index`" in line for line in text)


def test_times_that_are_not_known_are_said() -> None:
    machine = {"name": "desk", "last_capture": "", "sessions": 1, "searchable": True}
    covered = {"entries": 0, "sessions": 1, "indexed_at": "", "tried": [], "withheld": {}, "machines": [machine]}
    found = Status(covered, {}, 0, "", 0, (), "", {}, (), {}, {}, 0, (), 0, 0, 0, {})
    assert list(lines(found, "/data")) == [
        "notes  0",
        "machine desk: 1 session, the newest of unknown time",
        "indexed: never to its end; nothing has changed since",
        "data: /data ()",
        "logins replaced: 0",
    ]
