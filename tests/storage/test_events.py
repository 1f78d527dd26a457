from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.config import Config, load
from libtool.storage import events as module
from libtool.storage.events import Events, Mark, Outcome

if TYPE_CHECKING:
    from pathlib import Path

STOP = Mark("claude-code", "turn", "5f0c2a10", "/t.jsonl", "", "17 4", 100.0)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


@pytest.fixture
def events(config: Config) -> Events:
    return Events(config)


def folder(config: Config) -> Path:
    from pathlib import Path as Folder  # noqa: PLC0415 - the name is taken by the type

    return Folder(config.data_dir, "events")


def test_nothing_is_there_at_first(events: Events) -> None:
    assert not events.waiting()
    assert events.take(100.0) == []
    assert events.still_open() == []
    assert events.outcomes() == {}
    assert not events.closed("claude-code", "5f0c2a10")
    events.sweep()


def test_many_events_of_a_kind_and_session_are_one_mark(events: Events) -> None:
    for number in range(5):
        events.put(STOP._replace(time=100.0 + number))
    events.put(STOP._replace(kind="end", time=90.0))
    events.put(STOP._replace(session="other", time=200.0))
    assert events.waiting()
    assert [(mark.kind, mark.session, mark.time) for _, mark in events.take(200.0)] == [
        ("end", "5f0c2a10", 90.0),
        ("turn", "5f0c2a10", 104.0),
        ("turn", "other", 200.0),
    ]


def test_two_summaries_of_a_session_are_two_marks(events: Events) -> None:
    events.put(STOP._replace(kind="compacted", summary="first"))
    events.put(STOP._replace(kind="compacted", summary="second"))
    assert {mark.summary for _, mark in events.take(100.0)} == {"first", "second"}


def test_a_mark_that_was_put_aside_is_found_until_it_is_done(events: Events) -> None:
    events.put(STOP)
    ((name, mark),) = events.take(100.0)
    assert mark == STOP
    assert not events.waiting()
    # A killed worker leaves it so; what came since is a mark of its own.
    events.put(STOP._replace(time=105.0))
    events.put(STOP._replace(kind="end"))
    assert events.waiting()
    taken = events.take(110.0)
    assert {(mark.kind, mark.time) for _, mark in taken} == {("turn", 105.0), ("end", 100.0)}
    for name, _ in taken:
        events.done(name)
    assert events.take(110.0) == []


def test_a_mark_that_cannot_be_worked_on_goes_after_a_week(events: Events) -> None:
    events.put(STOP)
    assert events.take(100.0 + module.KEPT_SECONDS) != []
    assert events.take(101.0 + module.KEPT_SECONDS) == []
    assert events.take(100.0) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"agent": "codex"}',
        json.dumps({**STOP._asdict(), "more": 1}).encode(),
        json.dumps({**STOP._asdict(), "session": 7}).encode(),
        json.dumps({**STOP._asdict(), "time": "late"}).encode(),
    ],
)
def test_what_is_no_mark_of_ours_goes(events: Events, config: Config, content: bytes) -> None:
    events.put(STOP)
    (folder(config) / "strange.mark").write_bytes(content)
    assert [mark for _, mark in events.take(100.0)] == [STOP]
    assert "strange" not in " ".join(os.listdir(folder(config)))


def test_marks_hold_any_text_and_only_their_owner_may_read_them(events: Events, config: Config) -> None:
    events.put(STOP._replace(session="süß \ud800"))
    ((_, mark),) = events.take(100.0)
    assert mark.session == "süß ?"
    assert {path.stat().st_mode & 0o777 for path in folder(config).iterdir()} == {0o600}


def test_one_process_works_and_one_syncs(events: Events, config: Config) -> None:
    ask = (
        "import sys; from libtool.config import load; from libtool.storage.events import Events\n"
        "events = Events(load({'LIB_DATA_DIR': sys.argv[1]}, '/'))\n"
        "with events.worker() as works, events.syncer() as syncs: print(works, syncs)"
    )

    def other() -> str:
        return subprocess.run([sys.executable, "-c", ask, config.data_dir], capture_output=True, text=True, check=True).stdout.strip()

    with events.worker() as works, Events(config).worker() as twice:
        assert (works, twice) == (True, False)
        assert other() == "False True"
        with events.syncer() as syncs:
            assert syncs
            assert other() == "False False"
    assert other() == "True True"


def test_open_sessions(events: Events) -> None:
    events.opened(STOP)
    events.opened(STOP._replace(session="younger", time=200.0))
    assert [mark.session for mark in events.still_open()] == ["5f0c2a10", "younger"]
    # What is not known any more is kept, what is new replaces it.
    events.opened(STOP._replace(process="", path="", time=150.0, kind="compacted", summary="x"))
    assert events.still_open()[0] == STOP._replace(time=150.0, kind="compacted")
    events.opened(STOP._replace(process="18 9"))
    assert events.still_open()[0].process == "18 9"
    assert events.closed("claude-code", "5f0c2a10")
    assert not events.closed("claude-code", "5f0c2a10")
    assert [mark.session for mark in events.still_open()] == ["younger"]


def test_a_session_that_is_forgotten_leaves_nothing(events: Events, config: Config) -> None:
    for one in (STOP, STOP._replace(kind="compacted", summary="a secret glaze"), STOP._replace(session="other")):
        events.put(one)
        events.opened(one)
    events.take(100.0)
    events.put(STOP)
    events.forget("claude-code", "5f0c2a10")
    assert [mark.session for _, mark in events.take(100.0)] == ["other"]
    assert [mark.session for mark in events.still_open()] == ["other"]
    assert b"secret" not in b"".join(path.read_bytes() for path in folder(config).iterdir())


def test_what_is_settled_is_not_told_any_more(events: Events, config: Config) -> None:
    events.settled("sync")
    assert not os.path.exists(config.data_dir)
    events.ended("sync", Outcome(100.0, ok=False, text="the remote is silent"))
    events.ended("capture", Outcome(101.0, ok=True, text=""))
    events.settled("sync")
    events.settled("sync")
    assert list(events.outcomes()) == ["capture"]


def test_how_work_ended(events: Events, config: Config) -> None:
    events.ended("sync", Outcome(100.0, ok=False, text="the remote is silent"))
    events.ended("capture", Outcome(101.0, ok=True, text=""))
    events.ended("sync", Outcome(102.0, ok=True, text=""))
    assert events.outcomes() == {"capture": Outcome(101.0, ok=True, text=""), "sync": Outcome(102.0, ok=True, text="")}
    for damage in (b"[", b"[]", b'{"sync": 1}', b'{"sync": [1]}', b'{"sync": ["x", 1, ""]}'):
        (folder(config) / "results.json").write_bytes(damage)
        assert events.outcomes() == {}


def test_the_log_is_kept_short_by_whole_lines(events: Events, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_BYTES", 1000)
    for number in range(60):
        events.log(f"line {number:03} ö")
    path = os.path.join(config.logs, "hooks.log")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.path.getsize(path) <= 1000
    assert [line.split(" ", 1)[1] for line in lines] == [f"line {number:03} ö" for number in range(60 - len(lines), 60)]
    assert len(lines) > 10


def test_what_a_killed_write_left_is_swept(events: Events, config: Config) -> None:
    events.put(STOP)
    left = folder(config) / ".x.mark.999999999.abcd.lib-tmp"
    left.write_bytes(b"half")
    events.sweep()
    assert not left.exists()
    assert events.waiting()
