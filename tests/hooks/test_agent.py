from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from libtool.cli import main as cli
from libtool.domain.agent_event import AgentEvent
from libtool.features import capture, own_session
from libtool.hooks import agent, detached
from libtool.hooks.agents.table import shape_of
from libtool.storage import current
from libtool.storage.events import Events
from tests.features.machine import OTHER, SID, Machine
from tests.features.test_own_session import ASK
from tests.hooks.calls import PROGRAM, call, environment, payload, settled, wait_until, workers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from libtool.hooks.agents.shape import Shape


TURNS = [("How hot shall the celadon kiln be?", "Slow: 60 degrees an hour.")]
SILENT = (0, b"", b"")
NONE = ("", "")
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.write(SID, TURNS)
    return made


@pytest.fixture
def here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The same, with the work that is detached done at once and in this process."""
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setattr(detached, "start", lambda work: work())
    # The process that works goes to `/`: this one comes back.
    monkeypatch.chdir(os.getcwd())
    # Whatever is set in here goes with the test.
    monkeypatch.setenv(agent.GUARD, "")
    monkeypatch.delenv(agent.GUARD)
    return machine


def given(machine: Machine, *words: str, stdin: bytes | None = None, **environ: str) -> None:
    """A call in this process, with a payload on a pipe."""
    reads, writes = os.pipe()

    def write() -> None:
        with os.fdopen(writes, "wb") as file:
            file.write(stdin or b"")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert agent.main(words, {"HOME": str(machine.home), **machine.environ, **environ}, reads if stdin is not None else None) == 0
    finally:
        os.close(reads)
        writer.join()


# Whole processes


@needs_proc
def test_the_agent_waits_for_next_to_nothing_and_the_turn_is_found(machine: Machine) -> None:
    done = call(machine, "claude-code", "Stop", stdin=payload(machine, SID))
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert settled(machine)
    assert machine.hits("celadon") == [(SID, 1)]
    assert machine.hook_log() == ""


@needs_proc
def test_who_works_has_none_of_the_callers_pipes_terminal_group_or_parent(machine: Machine) -> None:
    # What is to be done takes a while: the lock is held by somebody.
    from libtool.storage.lock import writer_lock  # noqa: PLC0415 - only here

    with writer_lock(machine.config, 1.0):
        begun = time.monotonic()
        done = call(machine, "claude-code", "Stop", stdin=payload(machine, SID))
        assert (done.returncode, done.stdout, done.stderr) == SILENT
        assert time.monotonic() - begun < 5
        (worker,) = workers(machine)
        with open(f"/proc/{worker}/stat", encoding="utf-8") as file:
            state, parent, group, session, terminal = file.read().rpartition(")")[2].split()[:5]
        assert state != "Z"
        assert int(parent) not in (os.getpid(), 0)
        # The child in between led its session, and is gone.
        assert group == session != str(os.getpgrp())
        assert terminal == "0"
        files = {os.readlink(f"/proc/{worker}/fd/{number}") for number in ("0", "1", "2")}
        assert files == {os.devnull}
        assert wait_until(lambda: os.readlink(f"/proc/{worker}/cwd") == "/")
    assert settled(machine)
    assert machine.hits("celadon") == [(SID, 1)]


@needs_proc
@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("claude-code", "Stop"), b""),
        (("claude-code", "Stop"), b"{"),
        (("claude-code", "Stop"), b"[" * 100_000),
        (("claude-code", "Stop"), b"null"),
        (("claude-code", "Stop"), b"\xff\x00\xfe" * 50),
        (("claude-code", "Stop"), b"{}"),
        (("claude-code", "Imagined"), b'{"session_id": "5f0c2a10"}'),
        (("claude-code",), b'{"session_id": "5f0c2a10"}'),
        (("abacus", "Stop"), b"{}"),
        (("--nonsense", "-x"), b"{}"),
        (("claude-code", "Stop", "--quiet", "{}", "more", "--", "words"), b""),
        (("", ""), b""),
        ((), b""),
    ],
)
def test_whatever_is_wrong_the_agent_does_not_hear_of_it(machine: Machine, words: tuple[str, ...], stdin: bytes) -> None:
    done = call(machine, *words, stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert settled(machine)
    assert len(machine.hook_log().splitlines()) == 1


@needs_proc
def test_a_huge_payload_is_read_to_its_end(machine: Machine) -> None:
    done = call(machine, "claude-code", "Stop", stdin=payload(machine, SID, last_assistant_message="x" * (agent.LARGEST + (3 << 20))))
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert settled(machine)
    assert machine.hits("celadon") == [(SID, 1)]


@needs_proc
def test_a_pipe_that_is_never_closed_does_not_hold_it(machine: Machine) -> None:
    with subprocess.Popen([*PROGRAM, "claude-code", "Stop"], env=environment(machine), stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(payload(machine, SID))
        process.stdin.flush()
        begun = time.monotonic()
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 5
    assert settled(machine)
    assert machine.hits("celadon") == [(SID, 1)]


@needs_proc
def test_a_closed_standard_input_and_output(machine: Machine) -> None:
    command = " ".join(f"'{word}'" for word in [*PROGRAM, "claude-code", "Stop"])
    done = subprocess.run(["sh", "-c", f"{command} <&- >&- 2>&-"], env=environment(machine), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert settled(machine)
    assert machine.hook_log().endswith("claude-code Stop: standard input cannot be read\n")


@needs_proc
def test_a_folder_that_is_gone_and_a_configuration_that_is_wrong(machine: Machine, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = " ".join(f"'{word}'" for word in [*PROGRAM, "claude-code", "Stop"])
    (tmp_path / "config.toml").write_text("nonsense = 1\n", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", f"cd '{gone}' && rmdir '{gone}' && {command}"],
        env=environment(machine),
        input=payload(machine, SID),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert settled(machine)
    assert not machine.data.exists()


@needs_proc
def test_many_events_at_once_end_in_one_state(machine: Machine) -> None:
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    calls = [
        subprocess.Popen([*PROGRAM, "claude-code", name], env=environment(machine), stdin=subprocess.PIPE)
        for name in ["SessionStart", "Stop", "Stop", "PostCompact", "SessionEnd"] * 3
    ]
    for number, one in enumerate(calls):
        assert one.stdin is not None
        one.stdin.write(payload(machine, (SID, OTHER)[number % 2], compact_summary="short"))
        one.stdin.close()
    assert [one.wait() for one in calls] == [0] * len(calls)
    assert settled(machine)
    assert {session for session, _ in machine.hits("celadon")} == {SID, OTHER}
    assert [name for name in os.listdir(machine.data / "events") if name.endswith((".mark", ".taken"))] == []
    assert machine.hook_log() == ""


@needs_proc
def test_hooks_below_a_hook_do_nothing(machine: Machine) -> None:
    done = call(machine, "claude-code", "Stop", stdin=payload(machine, SID), LIB_HOOK="1")
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert not workers(machine)
    assert not machine.data.exists()


# In this process


def test_what_is_started_carries_the_guard(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def happened(job: capture.Job, event: AgentEvent, process: str) -> None:
        assert process
        seen.append((event.session, job.environ[agent.GUARD]))
        assert os.environ[agent.GUARD] == "1"  # noqa: TID251 - what a child process would inherit
        given(here, "claude-code", "Stop", stdin=payload(here, SID), **{agent.GUARD: "1"})

    monkeypatch.setattr(capture, "happened", happened)
    given(here, "claude-code", "Stop", stdin=payload(here, SID))
    assert seen == [(SID, "1")]


def test_a_payload_may_come_as_a_word(here: Machine) -> None:
    session = here.projects / f"{SID}.jsonl"
    codex = here.home / ".codex" / "sessions" / "2026" / "03" / "01" / f"rollout-2026-03-01T09-00-00-{SID}.jsonl"
    codex.parent.mkdir(parents=True)
    rows: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"id": SID, "cwd": "/home/ada", "cli_version": "0.171.0", "source": "exec"}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Is tenmoku brown?"}]},
        },
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Is tenmoku brown?"}},
    ]
    codex.write_text("".join(json.dumps({"timestamp": "2026-03-01T09:00:00.000Z", **row}) + "\n" for row in rows), encoding="utf-8")
    session.unlink()
    given(here, "codex", "notify", json.dumps({"type": "agent-turn-complete", "thread-id": SID}))
    assert here.hits("tenmoku") == [(SID, 1)]


def test_an_event_with_nothing_to_do_starts_nothing(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detached, "start", lambda _: pytest.fail("started"))
    given(here, "claude-code", "PreToolUse", stdin=payload(here, SID))
    given(here, "claude-code", "SubagentStop", stdin=payload(here, SID, agent_type=""))


def test_a_terminal_is_not_read(here: Machine) -> None:
    person, program = os.openpty()
    try:
        assert agent.main(["claude-code", "Stop"], {"HOME": str(here.home), **here.environ}, program) == 0
    finally:
        os.close(person)
        os.close(program)
    assert here.hook_log().endswith("claude-code Stop: no payload\n")


def test_without_a_payload_at_all(here: Machine) -> None:
    given(here, "claude-code", "Stop")
    assert here.hook_log().endswith("claude-code Stop: no payload\n")


@pytest.mark.parametrize(
    ("stdin", "reason"),
    [(b"nonsense", "the payload is no JSON object"), (b"[1]", "the payload is no JSON object"), (b"", "the payload is no JSON object")],
)
def test_what_was_wrong_is_told_in_our_words(here: Machine, stdin: bytes, reason: str) -> None:
    given(here, "claude-code", "Stop", stdin=stdin)
    assert here.hook_log().split(" ", 1)[1] == f"claude-code Stop: {reason}\n"
    assert Events(here.config).outcomes()["hook"].text == f"claude-code Stop: {reason}"


def test_a_login_in_an_events_name_is_not_written_down(here: Machine) -> None:
    login = "ghp_" + "x7Kq2Vn9" * 4 + "Zz3R"
    given(here, "claude-code", login, stdin=b'{"session_id": "5f0c2a10"}')
    given(here, login, "Stop", stdin=b"{}")
    assert "unknown event" in here.hook_log()
    assert "no agent that lib knows" in here.hook_log()
    assert login not in here.hook_log()


def test_a_payload_that_is_cut_short_still_tells_whose_it_is(here: Machine) -> None:
    whole = payload(here, SID, last_assistant_message="x" * 1000)
    given(here, "claude-code", "Stop", stdin=whole[:-500])
    assert here.hits("celadon") == [(SID, 1)]
    assert agent._texts_in('{"a": "1", "a": "2", "b": "\\x", "c": 3, "d": "ü"') == {"a": "1", "d": "ü"}


def test_no_more_is_kept_and_read_than_is_bearable(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "LARGEST", 100_000)
    monkeypatch.setattr(agent, "MOST", 300_000)
    reads, writes = os.pipe()
    with os.fdopen(writes, "wb") as file:
        writer = threading.Thread(target=lambda: os.write(file.fileno(), b"x" * 1000))
        writer.start()
        writer.join()
    assert agent._read(reads) == b"x" * 1000
    os.close(reads)
    read = list[int]()

    def endless(_: int, size: int) -> bytes:
        read.append(size)
        return b"x" * size

    import select  # noqa: PLC0415 - to be patched

    monkeypatch.setattr(select, "select", lambda *_: ([7], [], []))
    monkeypatch.setattr(os, "read", endless)
    assert len(agent._read(7)) == 100_000
    assert sum(read) < 400_000
    assert here.data


def test_a_pipe_that_is_left_open_is_read_until_the_object_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()
    first, rest = b'{"session_id": "5f0c2a10"', b', "cwd": "/srv"}'
    os.write(writes, first)
    # It says the rest when it is waited for.
    later = threading.Timer(0.1, lambda: os.write(writes, rest))
    later.start()
    monkeypatch.setattr(agent, "WAIT_SECONDS", 20.0)
    assert agent._read(reads) == first + rest
    later.join()
    os.write(writes, b"[1] ")
    monkeypatch.setattr(agent, "WAIT_SECONDS", 0.05)
    assert agent._read(reads) == b"[1] "
    os.close(reads)
    os.close(writes)


def test_a_data_dir_that_cannot_be_written_is_not_complained_in(here: Machine) -> None:
    here.data.write_bytes(b"a file where the folder should be")
    given(here, "claude-code", "Stop", stdin=b"nonsense")
    assert here.data.read_bytes() == b"a file where the folder should be"


def test_a_descriptor_that_cannot_be_read(here: Machine) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    os.close(writes)
    assert agent.main(["claude-code", "Stop"], {"HOME": str(here.home), **here.environ}, reads) == 0
    assert here.hook_log().endswith("claude-code Stop: standard input cannot be read\n")


@needs_proc
def test_a_prompt_is_noted_before_the_agent_goes_on(here: Machine) -> None:
    done = call(here, "gemini-cli", "BeforeAgent", stdin=payload(here, SID, prompt="How hot?"))
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert os.listdir(here.data) == [current.FOLDER]
    # What this process runs from now on is of that session, and of the next one after the next prompt.
    gemini = {"GEMINI_CLI": "1"}
    assert own_session.find(here.config, gemini) == NONE
    said = subprocess.run([sys.executable, "-c", ASK], env=environment(here, **gemini), capture_output=True, text=True, check=True).stdout
    assert said.split() == ["gemini-cli", SID]
    given(here, "gemini-cli", "BeforeAgent", stdin=payload(here, OTHER))
    assert own_session.find(here.config, gemini) == ("gemini-cli", OTHER)


def test_a_compaction_is_asked_for_what_goes_into_the_library(here: Machine, tmp_path: Path) -> None:
    (tmp_path / "library" / "entries").mkdir(parents=True)
    known = {"LIB_LIBRARY": str(tmp_path / "library")}
    done = call(here, "claude-code", "PreCompact", stdin=payload(here, SID, trigger="auto"), **known)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "## Decided" in text or "Decided" in text
    done = call(here, "qwen-code", "PreCompact", stdin=payload(here, SID, trigger="auto"), **known)
    assert json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] == text
    # It has no effect there.
    done = call(here, "codex", "PreCompact", stdin=payload(here, SID, trigger="auto"), **known)
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    # Without a library there is nowhere to put an answer.
    done = call(here, "claude-code", "PreCompact", stdin=payload(here, SID, trigger="auto"))
    assert (done.returncode, done.stdout, done.stderr) == SILENT
    assert not here.data.exists()


def test_what_is_asked_is_written_to_the_agent(here: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written: list[bytes] = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda _, data: written.append(data))
        agent._act(shape("claude-code"), AgentEvent("claude-code", "compacting", SID), {"HOME": str(here.home), **here.environ})
        assert written == []
        (tmp_path / "library" / "entries").mkdir(parents=True)
        environ = {**here.environ, "LIB_LIBRARY": str(tmp_path / "library")}
        agent._act(shape("codex"), AgentEvent("codex", "compacting", SID), environ)
        assert written == []
        agent._act(shape("claude-code"), AgentEvent("claude-code", "compacting", SID), environ)
    assert b"Decided" in b"".join(written)


def shape(name: str) -> Shape:
    found = shape_of(name)
    assert found is not None
    return found


@pytest.mark.parametrize("error", [ValueError("a text of the payload"), KeyboardInterrupt()])
def test_a_fault_of_ours_is_told_and_the_code_is_0(here: Machine, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(agent, "_act", broken)
    given(here, "claude-code", "Stop", stdin=payload(here, SID))
    assert here.hook_log().split(" ", 1)[1] == f"unexpected {type(error).__name__}\n"


def test_where_no_process_can_be_made_nobody_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Callable[[], object]) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(detached, "start", refused)
    given(machine, "claude-code", "Stop", stdin=payload(machine, SID))
    given(machine, "claude-code", "Stop", stdin=b"nonsense")
    assert not machine.data.exists()


def test_the_program_ends_with_0(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(sys, "argv", ["lib-agent-hook", "abacus", "Stop", "{}"])
    monkeypatch.setattr(os, "_exit", codes.append)
    agent.program()
    assert codes == [0]
    assert here.home


def test_a_call_goes_round_argparse(here: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in here.environ.items():
        monkeypatch.setenv(name, value)
    words = json.dumps({"session_id": SID})
    assert cli.main(["hook", "claude-code", "Stop", words]) == 0
    monkeypatch.delenv(agent.GUARD)
    assert cli.main(["--quiet", "hook", "--nonsense", "Stop"]) == 0
    assert capsys.readouterr() == ("", "")
    assert here.hits("celadon") == [(SID, 1)]
    assert "no agent that lib knows" in here.hook_log()


def test_a_person_who_asks_gets_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["hook", "-h"]) == 0
    assert "lib hook claude-code Stop" in capsys.readouterr().out
