from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.commands.audit import lines, saving_lines
from libtool.domain.raw_reads import LOOKUP, RAW
from libtool.features import index
from libtool.features.audit import Audit, Read, Saving
from tests.features.machine import sid
from tests.features.test_audit import raw, session

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


def test_a_plot_is_drawn_beside_the_answer(home: Path, indexed: Config, lib: Program) -> None:
    session(home, 1, [raw("t1", "x" * 400)])
    index.run(indexed, {})
    code, said, remark = lib("audit", "--plot", str(home / "reads.SVG"))
    assert (code, "1 time in 1 session, 100 tokens" in said, "drawn" in remark) == (0, True, True)
    assert (home / "reads.SVG").read_text(encoding="utf-8").startswith("<?xml")


def test_the_answer_is_printed_also_when_the_plot_cannot_be_written(home: Path, indexed: Config, lib: Program) -> None:
    assert indexed.home == str(home)
    code, said, remark = lib("audit", "--plot", str(home / "none" / "reads.svg"))
    assert (code, "looked through" in said, "cannot be written" in remark) == (1, True, True)


def test_what_cannot_be_read_is_named_and_ends_with_4(home: Path, indexed: Config, lib: Program) -> None:
    path = session(home, 1, [raw("t1", "x" * 400)])
    index.run(indexed, {})
    path.unlink()
    path.mkdir()
    code, _, remark = lib("audit")
    assert (code, f"{sid(1)}.jsonl: Is a directory" in remark) == (4, True)


def test_lookups_that_cost_more_are_said_to() -> None:
    assert "cost more: about 50 tokens" in "\n".join(saving_lines(Saving(1, 100, 150, -50)))
    assert "saved about 0 tokens" in "\n".join(saving_lines(Saving(1, 100, 100, 0)))
    assert list(saving_lines(None)) == []


def test_the_rest_of_many_groups_is_counted() -> None:
    reads = [Read(f"a:{number}", "a", f"p{number:02}", f"20{number:02}-01-01", RAW, number, measured=True) for number in range(10, 25)]
    said = "\n".join(lines(Audit(15, (*reads, reads[0]._replace(kind=LOOKUP, tokens=0)), ()), ""))
    assert said.count("and 3 more (--json)") == 2
    assert "2024-01" in said
    assert "2010-01" not in said
    assert "p24" in said
