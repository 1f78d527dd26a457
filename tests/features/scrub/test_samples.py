"""Every sample session of every client, with logins in every string: nothing but the logins goes, and the sessions stay what they were."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from libtool.adapters.registry import ADAPTERS
from libtool.config import load
from libtool.features.scrub import plan, work
from libtool.features.scrub.live import Watch
from tests.adapters.reading import head, order, read, transcripts
from tests.features.scrub import staged

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not staged.CLIENTS.is_dir(), reason="no sample data beside the repository")]


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def parsed(cell: Any) -> Any:
    return json.loads(cell) if isinstance(cell, str) and cell[:1] in "{[" and cell else cell


def database(path: Path) -> list[Any]:
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    cells: list[Any] = []
    for table in tables:
        cursor = connection.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608
        columns = [column[0] for column in cursor.description]
        cells += [{name: parsed(cell) for name, cell in zip(columns, row, strict=True)} for row in cursor]
    connection.close()
    return cells


@pytest.mark.parametrize("chooses", [staged.anywhere, staged.in_prose])
def test_sessions_stay_what_they_were(home: Path, chooses: Callable[[str, str], bool]) -> None:
    staged.stage_samples(home)
    planter = staged.Planter(chooses)
    for path in sorted(home.rglob("*.jsonl")):
        planter.rows(path)
    planter.database(home / ".local/share/opencode/opencode.db")
    for path in [*home.rglob("*.txt"), *home.glob(".copilot/session-state/*/checkpoints/*.md")]:
        path.write_text(planter.text(path.read_text(encoding="utf-8")), encoding="utf-8")
    staged.age(home)
    sessions = set(home.rglob("*.jsonl"))
    before = {path: rows(path) for path in sessions}
    lines = {path: path.read_bytes().split(b"\n") for path in sessions}
    cells = database(home / ".local/share/opencode/opencode.db")
    staged.age(home)
    read_before = readings(home)
    facts = {path: path.stat() for path in sessions}

    config = load({}, str(home))
    watch = Watch(3600)
    found = plan.plan(config, {}, watch)
    assert [one for one in found.items if one.why] == []
    done = work.execute(config, found, watch)
    assert [(one.target.path, one.why) for one in done if one.why] == []
    assert len(planter.planted) > 1000
    backups = Path(work.backups_of(config).folder)
    held = [path for path in staged.files_with(home, planter.planted) if not path.is_relative_to(backups)]
    assert held == []
    for path in sessions:
        assert staged.tree(rows(path)) == staged.tree(before[path])
        new = path.read_bytes().split(b"\n")
        assert all(a == b for a, b in zip(lines[path], new, strict=True) if not staged.TOKEN.search(a.decode()))
        assert [line for line in new if line] == [line for line in new if line and json.loads(line) is not None]
        assert staged.masked(path.read_text(encoding="utf-8")) == staged.masked(b"\n".join(lines[path]).decode())
        status = path.stat()
        assert (status.st_mtime_ns, status.st_mode) == (facts[path].st_mtime_ns, facts[path].st_mode)
    assert staged.tree(database(home / ".local/share/opencode/opencode.db")) == staged.tree(cells)
    assert readings(home) == read_before
    # A second run has nothing to do.
    assert plan.plan(config, {}, watch).ready == []
    assert [one.why for one in work.restore(config, watch) if one.why] == []
    assert {path: rows(path) for path in sessions} == before
    assert database(home / ".local/share/opencode/opencode.db") == cells


def readings(home: Path) -> dict[tuple[str, str], str]:
    """What our adapters read from all transcripts, logins and placeholders alike."""
    found = {}
    for agent, adapter in ADAPTERS.items():
        if agent != "note":
            for name, root in transcripts(adapter, home).items():
                path = home / name
                if adapter.sniff(head(path), str(path)):
                    found[agent, name] = staged.masked(json.dumps(order(read(adapter, path, root).records)))
    return found
