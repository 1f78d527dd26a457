"""Reading transcripts in tests: fixtures staged as a user's home, one pass or several, results as plain JSON."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import SNIFF_BYTES, Source
from libtool.domain.session import KINDS, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.adapters.base import Adapter

FIXTURES = Path(__file__).parent / "fixtures"
SHARED = Path(__file__).parents[3] / "shared"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@dataclass(slots=True)
class Pass:
    """What one reading of one transcript gave."""

    records: list[Record]
    source: Source
    state: dict[str, Any] | None
    tally: dict[str, Any] = field(default_factory=dict)


def cases() -> list[Path]:
    """Every fixture folder `<agent>/<case>`."""
    return sorted(path.parent for path in FIXTURES.glob("*/*/home"))


def stage(case: Path, target: Path) -> Path:
    """Copy a case's home to `target`; a text file `x.db.sql` becomes the database `x.db`."""
    home = target / "home"
    shutil.copytree(case / "home", home)
    for script in home.rglob("*.sql"):
        with sqlite3.connect(script.with_suffix("")) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        connection.close()
        script.unlink()
    return home


def transcripts(adapter: Adapter, home: Path) -> dict[str, str]:
    """Transcripts that the adapter finds below home and knows by content: path below home to the root of its place."""
    found: dict[str, str] = {}
    wanted = [(place.root, pattern) for place in adapter.places(str(home), {}) for pattern in place.patterns]
    wanted += [(str(home), "**/" + pattern) for pattern in adapter.project_patterns]
    files = sorted(path for path in home.rglob("*") if path.is_file())
    for root, pattern in wanted:
        for path in files:
            inside = path.is_relative_to(root) and matches(path.relative_to(root).parts, tuple(pattern.split("/")))
            if inside and adapter.sniff(head(path), str(path)):
                found.setdefault(path.relative_to(home).as_posix(), root)
    return found


def matches(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether path parts match a `Place` pattern."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(matches(parts[at:], pattern[1:]) for at in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and matches(parts[1:], pattern[1:])


def head(path: Path) -> bytes:
    """What `sniff` is given of a file."""
    with path.open("rb") as file:
        return file.read(SNIFF_BYTES)


def read(adapter: Adapter, path: Path, root: str = "", *, start: int = 0, state: dict[str, Any] | None = None) -> Pass:
    """Read a transcript from `start`; every record is checked for its shape."""
    with tempfile.TemporaryDirectory(prefix="scratch-") as scratch:
        source = Source.open(str(path), start=start, scratch=scratch, home=root)
        reader = adapter.reader(str(path), state)
        with source.file:
            records = list(reader.read(source))
        assert os.listdir(scratch) == [], "the reader left files in its scratch folder"
    for record in records:
        check(record, adapter.agent)
    after = reader.state()
    again = None if after is None else json.loads(json.dumps(after))
    assert again == after, "the state is not a JSON object"
    return Pass(records, source, again, plain_tally(source))


def check(record: Record, agent: str) -> None:
    """The shape that the rest of lib relies on, whatever the transcript held."""
    assert record.kind in KINDS
    assert isinstance(record.line, int)
    assert isinstance(record.failed, bool)
    assert not record.time or TIME.fullmatch(record.time), record.time
    record.text.encode("utf-8")
    record.tool.encode("utf-8")
    json.dumps(record.input, ensure_ascii=False).encode("utf-8")
    facts = record.session.to_json()
    assert isinstance(facts.pop("subagent"), bool)
    assert facts["agent"] == agent
    assert facts["id"]
    for value in facts.values():
        value.encode("utf-8")
    for key in ("started", "ended"):
        assert not facts[key] or TIME.fullmatch(facts[key]), facts[key]


def plain_tally(source: Source) -> dict[str, Any]:
    """The parts of a tally that are not empty, as JSON."""
    tally = source.tally
    whole = {"unknown": dict(sorted(tally.unknown.items())), "damaged": tally.damaged, "oversize": tally.oversize, "notes": tally.notes}
    return {key: value for key, value in whole.items() if value}


def plain(records: list[Record]) -> list[dict[str, Any]]:
    """Sessions in the order of their first record: facts that are not empty, and records as lists."""
    sessions: dict[str, dict[str, Any]] = {}
    for record in records:
        facts = {key: value for key, value in record.session.to_json().items() if value}
        sessions.setdefault(record.session.id, facts | {"records": []})["records"].append(row(record))
    return list(sessions.values())


def row(record: Record) -> list[Any]:
    """A record as `[kind, text, tool, input, failed, time]`, and the line where it has one."""
    cells = [record.kind, record.text, record.tool, record.input, record.failed, record.time]
    return [*cells, record.line] if record.line else cells


def order(records: list[Record]) -> list[tuple[str, list[Any]]]:
    """Records in reading order, with the id of their session: what two readings must agree on."""
    return [(record.session.id, row(record)) for record in records]


def shared_files(agent: str, *folders: str) -> Iterator[tuple[str, Path]]:
    """Sample files below the shared folder whose head the agent's adapter might know: (stable name, path)."""
    for folder in folders:
        for path in sorted((SHARED / folder).rglob("*")):
            if path.is_file():
                yield f"{agent}:{path.relative_to(SHARED).as_posix()}", path
