"""A machine whose transcripts hold logins: what is rewritten, what is left, what can be put back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from libtool.errors import DataDirUnusable, UsageError
from libtool.features.scrub import plan, rewrite, work
from libtool.features.scrub.live import Watch
from libtool.features.scrub.plan import UNKNOWN, Plan
from libtool.storage.backups import Backups
from tests.features.machine import OTHER, SID, Machine, rows
from tests.features.scrub.staged import TOKEN, Planter, in_prose, token

LOGIN = token("scrub")
WATCH = Watch(60)


def spoken(machine: Machine, session: str = SID) -> Path:
    return machine.write(session, [("deploy it", "done"), (f"use the token {LOGIN} for it", "used"), ("thanks", "welcome")])


def planned(machine: Machine, **limits: object) -> Plan:
    return plan.plan(machine.config, machine.environ, WATCH, **limits)  # type: ignore[arg-type]


def scrub(machine: Machine, **limits: object) -> dict[str, str]:
    """Name of each file that holds logins, and why it was left."""
    found = planned(machine, **limits)
    done = {one.target.path: one.why for one in work.execute(machine.config, found, WATCH)}
    return {Path(one.target.path).name: done.get(one.target.path, one.why) for one in found.items}


def test_a_transcript_is_scrubbed_and_put_back(machine: Machine) -> None:
    path = spoken(machine)
    path.chmod(0o640)
    before, status = path.read_bytes(), path.stat()
    (item,) = planned(machine).items
    assert (item.logins.total(), item.before, item.why) == (1, len(before), "")
    assert path.read_bytes() == before
    assert scrub(machine) == {path.name: ""}
    after = path.read_bytes()
    assert LOGIN.encode() not in after
    assert [a == b for a, b in zip(before.split(b"\n"), after.split(b"\n"), strict=True)] == [True, True, False, True, True, True, True]
    assert (path.stat().st_mtime_ns, path.stat().st_mode) == (status.st_mtime_ns, status.st_mode)
    (backup,) = work.backups_of(machine.config).all()
    kept = machine.data / "backups" / backup.name
    assert kept.read_bytes() == before
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert scrub(machine) == {}
    with path.open("ab") as file:
        file.write(b'{"more": 1}\n')
    machine.age(path)
    assert [one.why for one in work.restore(machine.config, WATCH)] == [""]
    assert path.read_bytes() == before + b'{"more": 1}\n'
    assert work.restore(machine.config, WATCH) == []


def test_the_index_reads_a_scrubbed_session_once_more(machine: Machine) -> None:
    path = spoken(machine)
    machine.index()
    turns, segments = machine.facts(SID)["turns"], machine.segments(SID)
    scrub(machine)
    report = machine.index()
    assert machine.facts(SID)["turns"] == turns == 3
    assert [[(code, turn, text.split(":")[0]) for code, turn, text in part] for part in machine.segments(SID)] == [
        [(code, turn, text.split(":")[0]) for code, turn, text in part] for part in segments
    ]
    assert len(machine.rows("SELECT 1 FROM session")) == 1
    assert report is not None
    assert LOGIN not in path.read_text()


def test_a_login_that_was_asked_for_goes_too(machine: Machine) -> None:
    word = "Vq7" + "!rtoMzk2"
    path = machine.write(
        SID, [("set up the database", "What is the password of the database?"), (word, "thanks"), (f"again: {word}", "ok")]
    )
    scrub(machine)
    assert word not in path.read_text()


def test_a_login_known_later_goes_from_what_was_looked_at_before(machine: Machine) -> None:
    word = "kT9" + "vX2mQ7zLp4"
    early = machine.write(SID, [(f"what is {word} for?", "no idea")])
    machine.write(OTHER, [(f"password: {word}", "ok")])
    assert scrub(machine) == {f"{SID}.jsonl": "", f"{OTHER}.jsonl": ""}
    assert word not in early.read_text()


def test_a_file_is_looked_at_once_when_its_logins_are_known(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken(machine)
    looks = []
    looked = plan._looked

    def counted(known: plan._Known, *words: object) -> plan.Item:
        looks.append(known.target.path)
        return looked(known, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(plan, "_looked", counted)
    planned(machine)
    assert len(looks) == 1
    beside = machine.home / ".claude" / "history.jsonl"
    beside.write_text(json.dumps({"display": f"and {token('beside')}", "sessionId": SID}) + "\n")
    machine.age(beside)
    planned(machine)
    assert len(looks) == 1 + 2 * 2


def test_ids_and_opaque_texts_stay(machine: Machine) -> None:
    secret = "Kd8" + "#mPq2vLx"
    path = machine.projects / f"{SID}.jsonl"
    lines = [json.loads(line) for line in rows(SID, [(f"password={secret} and {LOGIN}", "ok")]).splitlines()]
    lines[1]["message"]["content"][0] |= {"thinkingSignature": f"password={secret}", "call_id": f"password={secret}", "note_id": LOGIN}
    lines[1] |= {"call_id": f"password={secret}"}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    machine.age(path)
    assert planned(machine).items[0].left >= 2
    scrub(machine)
    new = [json.loads(line) for line in path.read_text().splitlines()]
    block = new[1]["message"]["content"][0]
    assert block["thinkingSignature"] == block["call_id"] == f"password={secret}"
    assert LOGIN not in path.read_text()
    assert planned(machine).ready == []


def test_damaged_lines_line_ends_and_the_cut_last_line(machine: Machine) -> None:
    path = spoken(machine)
    text = path.read_text().replace("\n", "\r\n") + f'{{"type": "user", "x": "cut {LOGIN}'
    path.write_bytes(text.encode() + b" \xff")
    machine.age(path)
    scrub(machine)
    new = path.read_bytes()
    assert LOGIN.encode() not in new
    assert new.endswith(b" \xff")
    assert new.count(b"\r\n") == 6


class TestLeftAlone:
    def test_young_files(self, machine: Machine) -> None:
        path = spoken(machine)
        os.utime(path)
        assert scrub(machine) == {path.name: "changed in the last 1 minutes"}
        assert LOGIN in path.read_text()

    def test_files_that_another_process_has_open(self, machine: Machine) -> None:
        path = spoken(machine)
        with subprocess.Popen(
            [sys.executable, "-c", "import sys; f = open(sys.argv[1]); print(1, flush=True); sys.stdin.read()", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other:
            assert other.stdout is not None
            other.stdout.readline()
            assert scrub(machine) == {path.name: "another program has it open"}
            other.communicate()
        assert scrub(machine) == {path.name: ""}

    def test_sessions_that_the_agent_says_are_open(self, machine: Machine) -> None:
        path = spoken(machine)
        marks = machine.home / ".claude" / "sessions"
        marks.mkdir()
        (marks / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": SID}))
        assert scrub(machine) == {path.name: "its session is open: the agent says so"}
        (marks / "1.json").write_text(json.dumps({"pid": 2**22 + 5, "sessionId": SID}))
        assert scrub(machine) == {path.name: ""}

    def test_hard_links_read_only_files_and_what_is_no_transcript(self, machine: Machine) -> None:
        linked, locked = spoken(machine), spoken(machine, OTHER)
        os.link(linked, machine.home / "other-name")
        locked.chmod(0o400)
        odd = machine.projects / "odd.jsonl"
        odd.write_text(f"my token is {LOGIN}\n")
        machine.age(odd)
        assert scrub(machine) == {
            linked.name: "it has several names (hard links): the others would keep the logins",
            locked.name: "it is read-only",
            "odd.jsonl": UNKNOWN,
        }

    def test_a_file_that_changes_after_it_was_looked_at(self, machine: Machine) -> None:
        path = spoken(machine)
        found = planned(machine)
        with path.open("a") as file:
            file.write("{}\n")
        machine.age(path)
        (done,) = work.execute(machine.config, found, WATCH)
        assert done.why == rewrite.CHANGED
        assert LOGIN in path.read_text()
        assert work.backups_of(machine.config).all() == []

    def test_a_file_that_changes_in_the_last_moment(self, machine: Machine) -> None:
        path = spoken(machine)
        original = rewrite.read(str(path))

        def wakes() -> None:
            with path.open("a") as file:
                file.write("{}\n")

        with pytest.raises(rewrite.LeftAlone):
            rewrite.replace(original, b"new", wakes)
        assert LOGIN in path.read_text()
        assert os.listdir(path.parent) == [path.name]

    def test_what_is_written_to_the_old_file_is_kept(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        path = spoken(machine)
        original = rewrite.read(str(path))
        put = os.replace

        def late(source: str, target: str) -> None:
            with path.open("a") as file:
                file.write("late\n")
            put(source, target)

        monkeypatch.setattr(os, "replace", late)
        rewrite.replace(original, b"new\n", lambda: None)
        assert path.read_bytes() == b"new\nlate\n"


def test_a_link_is_followed_to_the_transcript(machine: Machine) -> None:
    path = spoken(machine)
    real = machine.home / "elsewhere.jsonl"
    path.rename(real)
    path.symlink_to(real)
    assert scrub(machine) == {path.name: ""}
    assert path.is_symlink()
    assert LOGIN not in real.read_text()


def test_one_session_with_its_share_of_the_history(machine: Machine) -> None:
    path, other = spoken(machine), spoken(machine, OTHER)
    history = machine.home / ".claude" / "history.jsonl"
    history.write_text("".join(json.dumps({"display": f"token {LOGIN}", "sessionId": one}) + "\n" for one in (SID, OTHER)))
    output = machine.projects / SID / "tool-results" / "a.txt"
    output.parent.mkdir(parents=True)
    output.write_text(f"export TOKEN={LOGIN}\n")
    plans = machine.home / ".claude" / "plans" / "other.md"
    plans.parent.mkdir()
    plans.write_text(f"use {LOGIN}\n")
    for one in (history, output, plans):
        machine.age(one)
    assert set(scrub(machine, session=f"claude-code:{SID[:8]}")) == {path.name, "history.jsonl", "a.txt"}
    assert LOGIN in other.read_text()
    assert [LOGIN in line for line in history.read_text().splitlines()] == [False, True]
    assert LOGIN in plans.read_text()
    spoken(machine, f"6{SID[1:]}")
    for ref in ("claude-code:nosuchsession", SID[1:]):
        with pytest.raises(UsageError):
            planned(machine, session=ref)


def test_files_that_are_never_rewritten_are_named(machine: Machine) -> None:
    spoken(machine)
    snapshot = machine.home / ".claude" / "file-history" / SID / "x@v1"
    snapshot.parent.mkdir(parents=True)
    snapshot.write_text(f"TOKEN={LOGIN}\n")
    ((target, why),) = planned(machine).beside
    assert (target.path, "placeholders" in why) == (str(snapshot), True)
    scrub(machine)
    assert LOGIN in snapshot.read_text()


@pytest.mark.parametrize("agents", [("nobody",), ("note",)])
def test_agents_that_are_none(machine: Machine, agents: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        planned(machine, agents=agents)


class TestBackups:
    def test_no_room_stops_before_anything_is_touched(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        path = spoken(machine)
        found = planned(machine)
        monkeypatch.setattr(Backups, "has_room", lambda _self, _size: False)
        with pytest.raises(DataDirUnusable):
            work.execute(machine.config, found, WATCH)
        assert LOGIN in path.read_text()

    def test_a_failing_backup_stops_before_anything_is_touched(self, machine: Machine) -> None:
        paths = [spoken(machine), spoken(machine, OTHER)]
        found = planned(machine)
        (machine.data / "backups").write_text("in the way")
        with pytest.raises(DataDirUnusable):
            work.execute(machine.config, found, WATCH)
        assert all(LOGIN in path.read_text() for path in paths)

    def test_what_was_changed_since_is_not_put_back(self, machine: Machine) -> None:
        path = spoken(machine)
        scrub(machine)
        path.write_text("something else\n")
        machine.age(path)
        ((restored),) = work.restore(machine.config, WATCH)
        assert "no longer" in restored.why
        assert path.read_text() == "something else\n"
        path.unlink()
        assert work.restore(machine.config, WATCH)[0].why == "no such file or directory"

    def test_a_damaged_backup_is_not_put_back(self, machine: Machine) -> None:
        path = spoken(machine)
        scrub(machine)
        (backup,) = work.backups_of(machine.config).all()
        (machine.data / "backups" / backup.name).write_text("damaged")
        assert "damaged" in work.restore(machine.config, WATCH)[0].why
        assert LOGIN not in path.read_text()


KILLED = """
import sys
from libtool.config import load
from libtool.features.scrub import plan, work
from libtool.features.scrub.live import Watch
import os
config = load({"LIB_DATA_DIR": sys.argv[1], "LIB_CONFIG": sys.argv[2]}, sys.argv[3])
found = plan.plan(config, {}, Watch(1))
print("ready", flush=True)
work.execute(config, found, Watch(1))
"""


@pytest.mark.parametrize("moment", [0, 3, 6, *(pytest.param(moment, marks=pytest.mark.slow) for moment in (1, 2, 4, 5, 7))])
def test_a_kill_leaves_the_old_file_or_the_new(machine: Machine, moment: int) -> None:
    planter = Planter(in_prose)
    paths = []
    for number in range(12):
        path = machine.write(f"{number:08x}-aaaa-4b6c-9d01-0a1b2c3d4e5f", [("a long prompt to see", "a long answer to it")] * 20)
        planter.rows(path)
        paths.append(machine.age(path))
    before = {path: path.read_bytes() for path in paths}
    words = [sys.executable, "-c", KILLED, str(machine.data), str(machine.environ["LIB_CONFIG"]), str(machine.home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.02 + moment * 0.03)
        process.send_signal(signal.SIGKILL)
    left = {path: path.read_bytes() for path in paths}
    scrub(machine)
    assert [path for path in paths if TOKEN.search(path.read_text())] == []
    for path in paths:
        assert left[path] in (before[path], path.read_bytes())
    assert not [name for name in os.listdir(machine.projects) if name.endswith(".lib-tmp")]
    assert all(one.why == "" for one in work.restore(machine.config, WATCH))
    assert {path: path.read_bytes() for path in paths} == before
