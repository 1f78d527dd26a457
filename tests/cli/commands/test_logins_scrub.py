"""`lib logins scrub` as a person and a program see it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands import logins_scrub
from libtool.features.scrub import live
from tests.cli.terminal import typed
from tests.features.machine import SID, rows
from tests.features.scrub.staged import OLD, age, token

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

LOGIN = token("command")


@pytest.fixture
def transcript(home: Path) -> Path:
    path = home / ".claude/projects/-home-ada/" / f"{SID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(rows(SID, [(f"the token is {LOGIN}", "ok")]))
    age(home)
    return path


def test_looks_scrubs_restores_and_purges(transcript: Path, lib: Program) -> None:
    code, out, _ = lib("logins", "scrub", "--dry-run")
    assert (code, "to be scrubbed: 1 file | 1 login | 1 occurrence" in out) == (0, True)
    assert LOGIN not in out
    assert LOGIN in transcript.read_text()
    code, _, err = lib("logins", "scrub")
    assert (code, "--yes" in err, LOGIN in transcript.read_text()) == (2, True, True)
    code, out, _ = lib("logins", "scrub", "--yes")
    assert (code, LOGIN in transcript.read_text()) == (0, False)
    assert "scrubbed: 1 file" in out
    assert "data/backups: 1; they hold the logins" in out
    assert "rotate" in out
    assert "not covered" in out
    code, out, _ = lib("logins", "scrub", "--restore", "--yes")
    assert (code, out, LOGIN in transcript.read_text()) == (0, "restored: 1 file\n", True)
    lib("logins", "scrub", "--yes")
    assert lib("logins", "scrub", "--purge-backups")[0] == 2
    assert lib("logins", "scrub", "--purge-backups", "--yes")[:2] == (0, "purged: 1 backup\n")
    assert lib("logins", "scrub", "--restore")[:2] == (0, "restored: 0 files\n")
    assert lib("logins", "scrub", "--purge-backups")[:2] == (0, "purged: 0 backups\n")


def test_as_a_program_sees_it(transcript: Path, lib: Program) -> None:
    size = transcript.stat().st_size
    code, out, _ = lib("logins", "scrub", "--yes", "--json")
    report = json.loads(out)
    (file,) = report["files"]
    assert (code, file["path"], file["agent"], file["scrubbed"], file["why"]) == (0, str(transcript), "claude-code", True, "")
    assert (file["occurrences"], file["bytes_before"], file["bytes_after"], len(file["logins"])) == (1, size, transcript.stat().st_size, 1)
    assert report["backups"]["files"] == 1
    assert json.loads(lib("logins", "scrub", "--restore", "--yes", "--json")[1]) == {"files": [{"path": str(transcript), "why": ""}]}
    assert json.loads(lib("logins", "scrub", "--purge-backups", "--json")[1]) == {"purged": 0, "bytes": 0}


def test_a_file_that_stays_is_named(transcript: Path, home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PROC", "/nowhere")
    snapshot = home / ".claude/file-history" / SID / "a@v1"
    snapshot.parent.mkdir(parents=True)
    snapshot.write_text(f"TOKEN={LOGIN}\n")
    code, out, err = lib("logins", "scrub", "--yes", "--quiet-minutes", "999999999")
    assert code == 4
    assert "left as they are: 1 file" in out
    assert "never rewritten, and they hold logins: 1 file" in out
    assert "could not be scrubbed" in err
    assert LOGIN in transcript.read_text()
    lib("logins", "scrub", "--yes")
    transcript.write_text("changed\n")
    code, out, err = lib("logins", "scrub", "--restore", "--yes", "--quiet-minutes", "0")
    assert (code, "no longer" in out, "could not be restored" in err) == (4, True, True)


def test_switches_that_exclude_one_another(lib: Program) -> None:
    assert lib("logins", "scrub", "--restore", "--dry-run")[0] == 2


def test_a_restore_needs_no_key(transcript: Path, home: Path, lib: Program) -> None:
    lib("logins", "scrub", "--yes")
    (home / ".local/share/lib-sessions/data/key").unlink()
    assert lib("logins", "scrub", "--restore", "--yes")[0] == 0
    assert LOGIN in transcript.read_text()


@pytest.mark.parametrize("verb", ["--restore", "--purge-backups"])
@pytest.mark.parametrize("limit", [("--agent", "codex"), ("--session", "codex:123456")])
def test_a_limit_that_would_not_be_kept_to_is_refused(transcript: Path, lib: Program, verb: str, limit: tuple[str, str]) -> None:
    lib("logins", "scrub", "--yes")
    assert lib("logins", "scrub", verb, *limit, "--yes")[0] == 2
    assert LOGIN not in transcript.read_text()
    assert lib("logins", "scrub", "--purge-backups", "--yes")[1] == "purged: 1 backup\n"


def test_a_login_in_a_name_is_not_told(home: Path, transcript: Path, lib: Program) -> None:
    named = token("name")
    transcript.rename(transcript.with_name(f"{named}.jsonl"))
    outputs = [lib("logins", "scrub", "--yes"), lib("index"), lib("logins", "list", "--files"), lib("logins", "scrub", "--dry-run")]
    (moved,) = transcript.parent.iterdir()
    moved.write_text("something else")
    os.utime(moved, (OLD, OLD))
    outputs += [lib("logins", "scrub", "--restore", "--yes"), lib("logins", "scrub", "--restore", "--yes", "--json")]
    assert outputs[-1][0] == 4
    assert named not in "".join(out + err for _, out, err in outputs)
    lib("logins", "scrub", "--purge-backups", "--yes")
    data = home / ".local/share/lib-sessions/data"
    assert [path for path in data.rglob("*") if path.is_file() and named.encode() in path.read_bytes()] == []


def test_a_long_list_is_cut() -> None:
    assert logins_scrub._some(["x"] * 25)[-1] == "  and 5 more (--json names them)"


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_asks_at_a_terminal(transcript: Path, lib: Program, monkeypatch: pytest.MonkeyPatch, answer: str, code: int) -> None:
    monkeypatch.setattr(logins_scrub, "Watch", lambda quiet: live.Watch(quiet, proc="/nowhere"))
    with typed(monkeypatch, f"{answer}\n"):
        done, _, err = lib("logins", "scrub")
    assert done == code
    assert (LOGIN in transcript.read_text()) == (answer == "n")
    assert "The backups hold the logins until" in err
    assert "close your agents first" in err


def test_ids_that_stay_are_counted(home: Path, lib: Program) -> None:
    path = home / ".claude/projects/-home-ada/" / f"{SID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(rows(SID, [("hello", "ok")], call_id="password=" + "Kd8" + "#mPq2vLx"))
    age(home)
    code, out, _ = lib("logins", "scrub", "--yes")
    assert (code, "kept, since sessions need them: 2 ids or opaque texts" in out) == (0, True)
