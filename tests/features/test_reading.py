from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from libtool.adapters.base import Source
from libtool.domain.redact import longtail
from libtool.features.reading import VANISHED, Reading, Task, Transcripts, edge
from tests.features.machine import SID, Machine, rows, sid

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"
LIMIT = 300 << 20


@pytest.fixture
def transcripts(tmp_path: Path) -> Transcripts:
    return Transcripts(bytes(32), str(tmp_path), thinking=False)


def task(path: Path, **fields: object) -> Task:
    return Task(str(path), str(path.parent), "claude-code")._replace(**fields)  # type: ignore[arg-type]


def test_a_file_becomes_rows_without_logins(machine: Machine, transcripts: Transcripts) -> None:
    path = machine.write(SID, [("why?", f"because of {TOKEN}")])
    reading = transcripts.read(task(path))
    (told,) = reading.sessions
    assert (reading.agent, reading.resumed, reading.records, reading.error) == ("claude-code", False, 2, "")
    assert (told.agent, told.sid, told.subagent, told.folder, told.started[:10]) == (
        "claude-code",
        SID,
        False,
        "/home/ada/work/kiln",
        "2026-03-01",
    )
    assert [(row[0], row[1], row[2], row[3][:12]) for row in reading.rows] == [
        (0, "human", "H", "why?"),
        (0, "assistant", "A", "because of ["),
    ]
    assert reading.offset == reading.size == path.stat().st_size
    ((fingerprint, kind, spreads, shape),) = reading.logins
    assert (kind, spreads, shape[:7]) == ("github", 1, "ghp_...")
    assert reading.met == ((TOKEN, fingerprint),)
    assert TOKEN not in repr(reading._replace(met=()))


def test_thinking_is_kept_when_asked_for(machine: Machine, transcripts: Transcripts, tmp_path: Path) -> None:
    path = machine.write(SID, [("why?", "because")])
    thought = {"role": "assistant", "model": "opus", "id": "m", "content": [{"type": "thinking", "thinking": "It may shrink."}]}
    machine.append(path, json.dumps({"type": "assistant", "uuid": "x", "sessionId": SID, "message": thought}) + "\n")
    assert "thinking" not in {row[1] for row in transcripts.read(task(path)).rows}
    kept = Transcripts(bytes(32), str(tmp_path), thinking=True).read(task(path))
    assert kept.rows[-1][1:4] == ("thinking", "X", "It may shrink.")
    assert kept.records == transcripts.read(task(path)).records


def test_it_goes_on_where_it_ended_only_if_the_file_just_grew(machine: Machine, transcripts: Transcripts) -> None:
    path = machine.write(SID, [("one", "two")])
    first = transcripts.read(task(path))
    again = task(path, offset=first.offset, edge=first.edge, state=first.state)
    assert transcripts.read(again).rows == ()
    more = rows(SID, [("three", "four")], first=1)
    machine.append(path, more)
    second = transcripts.read(again)
    assert (second.resumed, second.size, [row[3] for row in second.rows]) == (True, len(more), ["three", "four"])
    whole = path.read_bytes()
    for changed in (whole.replace(b"two", b"2.."), whole[: first.offset - 1], b"\n" + whole):
        path.write_bytes(changed)
        assert not transcripts.read(again).resumed
    path.write_bytes(whole)
    assert not transcripts.read(again._replace(state=None)).resumed
    assert not transcripts.read(again._replace(agent="nobody")).resumed
    assert not transcripts.read(again._replace(offset=0)).resumed


def test_the_edge_is_of_the_head_and_of_what_lies_before_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = bytearray(os.urandom(5000))
    path.write_bytes(data)

    def now(offset: int) -> bytes:
        source = Source.open(str(path))
        with source.file:
            return edge(source, offset)

    before = now(4000)
    for at, changes in ((0, True), (1023, True), (1024, False), (2975, False), (2976, True), (3999, True), (4000, False)):
        other = data.copy()
        other[at] ^= 1
        path.write_bytes(other)
        assert (now(4000) != before) is changes, at
    assert now(10) != now(11)


def test_the_agent_expected_is_asked_first_and_content_decides(machine: Machine, transcripts: Transcripts) -> None:
    path = machine.write(SID, [("one", "two")])
    assert transcripts.read(task(path, agent="codex")).agent == "claude-code"
    assert transcripts.read(task(path, agent="")).agent == "claude-code"
    path.write_text("no transcript\n")
    assert transcripts.read(task(path)) == Reading()


PASTED = "GET /glaze 200 12ms\n" * 5000


def agents_rows(agent: str, text: str) -> list[dict[str, Any]]:
    """A session as an agent writes it, whose first row holds a text and whose last row says celadon."""
    time = "2026-03-01T09:00:00.000Z"
    meta = {"id": SID, "timestamp": time, "cwd": "/w", "base_instructions": {"text": text}}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "celadon"}]}
    qwen = {"sessionId": SID, "timestamp": time, "type": "user", "cwd": "/w"}
    event: dict[str, Any] = {"id": "e", "timestamp": time, "parentId": None}
    found: dict[str, list[dict[str, Any]]] = {
        "claude-code": [json.loads(line) for line in rows(SID, [(text, "celadon")]).splitlines()],
        "codex": [
            {"ordinal": 1, "payload": meta, "timestamp": time, "type": "session_meta"},
            {"timestamp": time, "type": "response_item", "payload": said},
        ],
        "pi": [
            {"type": "session", "version": 3, "cwd": "/w" + text, "id": SID, "timestamp": time},
            {"type": "message", "id": "a", "parentId": None, "timestamp": time, "message": {"role": "user", "content": "celadon"}},
        ],
        "qwen-code": [qwen | {"message": {"role": "user", "parts": [{"text": words}]}, "uuid": words[:7]} for words in (text, "celadon")],
        "copilot-cli": [
            event | {"type": "session.start", "data": {"sessionId": SID, "context": {"cwd": "/w", "note": text}}},
            event | {"type": "user.message", "data": {"content": "celadon"}},
        ],
        "gemini-cli": [
            {"kind": text, "sessionId": SID, "projectHash": "h", "startTime": time},
            {"id": "m", "timestamp": time, "type": "user", "content": "celadon"},
        ],
        "cursor": [{"role": "user", "message": {"content": [{"type": "text", "text": words}]}} for words in (text, "celadon")],
    }
    return found[agent]


AGENTS = ("claude-code", "codex", "pi", "qwen-code", "copilot-cli", "gemini-cli", "cursor")


def data_of(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def written(folder: Path, data: bytes) -> Path:
    path = folder / "chats" / f"{SID}.jsonl"
    path.parent.mkdir()
    path.write_bytes(data)
    return path


# What is looked at grows twice on the way to the longest; whose place it is makes no difference there.
@pytest.mark.parametrize(("size", "expected"), [(1, True), (1, False), (15, True), (15, False), (250, False)])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_that_begins_with_a_long_row_is_known(
    transcripts: Transcripts, tmp_path: Path, agent: str, size: int, *, expected: bool
) -> None:
    path = written(tmp_path, data_of(agents_rows(agent, PASTED * size)))
    reading = transcripts.read(task(path, agent=agent if expected else ""))
    assert (reading.agent, reading.tally) == (agent, "")
    assert any("celadon" in row[3] for row in reading.rows)


DAMAGE = {
    "lines": b'{"type":"user","mess\n' * 300,
    "long lines": (b'{"type":"user","mess' + b"x" * 9000 + b"\n") * 300,
    "zeros": b"\x00" * 100_000,
    "lines of zeros": (b"\x00" * 1000 + b"\n") * 3000,
    "blank lines": b" \r\n" * 50_000,
    # More than is looked at first, in few rows: what many cost, each agent pays in each reading.
    "unknown types": (b'{"type":"weather","data":{"wind":"' + b"north " * 170 + b'"}}\n') * 1100,
    "a cut row": b'{"type":"user","message":{"content":[{"type":"text","text":"hel',
    "a row of another kind": b'{"a":1}',
    "a mark": b"\xef\xbb\xbf",
}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_session_behind_damage_is_known(transcripts: Transcripts, tmp_path: Path, agent: str, damage: str) -> None:
    path = written(tmp_path, DAMAGE[damage] + data_of(agents_rows(agent, "short")))
    reading = transcripts.read(task(path, agent=agent))
    assert reading.agent == agent
    assert any("celadon" in row[3] for row in reading.rows)
    assert transcripts.read(task(path, agent="")).agent == agent


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_without_its_first_row_is_known(transcripts: Transcripts, tmp_path: Path, agent: str) -> None:
    path = written(tmp_path, data_of(agents_rows(agent, "short")[1:]))
    reading = transcripts.read(task(path, agent=agent))
    assert (reading.agent, reading.records > 0) == (agent, True)
    assert transcripts.read(task(path, agent="")).agent == agent


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_whose_fields_hold_half_a_character_is_known(transcripts: Transcripts, tmp_path: Path, agent: str) -> None:
    found = data_of([row | {"version": "\ud83d"} for row in agents_rows(agent, "short")])
    assert transcripts.read(task(written(tmp_path, found), agent=agent)).agent == agent


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_known_only_in_its_middle(transcripts: Transcripts, tmp_path: Path, agent: str) -> None:
    junk = b"x" * 200 + b"\n"
    path = written(tmp_path, junk * 20_000 + data_of(agents_rows(agent, "short")) * 2000 + junk * 40_000)
    assert transcripts.read(task(path, agent=agent)).agent == agent


def test_a_session_behind_a_line_that_is_too_long_is_known(
    transcripts: Transcripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libtool.features.reading.MAX_LINE", 2 << 20)
    path = written(tmp_path, b'{"type":"' + b"x" * (3 << 20) + b"\n" + data_of(agents_rows("pi", "short")))
    assert transcripts.read(task(path, agent="")).agent == "pi"


def test_what_is_long_and_of_no_agent_is_of_none(transcripts: Transcripts, tmp_path: Path) -> None:
    for number, data in enumerate(
        (
            b"x" * (3 << 20),
            b'{"a":"' + b"b" * (2 << 20) + b'"}',
            b"\x00" * (2 << 20),
            (b'{"a":"' + b"b" * 200 + b'"}\n') * 8000,
            b"# a\n" * 99_999,
        )
    ):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(data)
        assert transcripts.read(task(path, agent="")) == Reading()
        assert transcripts.read(task(path.rename(tmp_path / f"{number}.bin"), agent="")) == Reading()


def test_what_cannot_be_used_is_told_without_logins(machine: Machine, transcripts: Transcripts) -> None:
    path = machine.write(SID, [("one", "two")])
    machine.append(path, f'{{"type": "odd {TOKEN}", "sessionId": "{SID}"}}\n{{"type": broken\n')
    reading = transcripts.read(task(path))
    assert json.loads(reading.tally)["damaged"] == 1
    assert "[REDACTED:" in reading.tally
    assert TOKEN not in reading.tally
    assert transcripts.read(task(machine.write(sid(2), [("one", "two")]))).tally == ""


def test_what_cannot_be_opened_is_an_error_and_no_exception(
    machine: Machine, transcripts: Transcripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert transcripts.read(task(machine.projects)).error == "Is a directory"
    assert transcripts.read(task(machine.projects / "nothing")).error == VANISHED
    path = machine.write(SID, [("one", "two")])

    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("libtool.adapters.claude_code.ClaudeCodeReader.read", fail)
    assert transcripts.read(task(path)).error == "OSError"


MEASURE = """
import re, resource, sys
from libtool.cli.main import main
code = main(["index"])
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if sys.platform == "linux":
    # What getrusage says of this process goes back to before exec, when it was a copy of its parent.
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
peak = max(peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(f"exit code {code}") if code else print("peak", peak * unit)
"""


def peak_of(machine: Machine) -> int:
    """Bytes of memory that `lib index` takes at most, in whichever of its processes."""
    environ = {"HOME": str(machine.home), "PATH": os.environ["PATH"], **machine.environ}  # noqa: TID251
    done = subprocess.run([sys.executable, "-c", MEASURE], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


@pytest.mark.parametrize("kind", ["answer", "result", "blob", "junk"])
def test_a_line_of_fifty_megabytes_stays_in_bounds(machine: Machine, kind: str) -> None:
    size = 50 << 20
    content = {
        "answer": [{"type": "text", "text": "clay fires at heat " * (size // 19)}],
        "result": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "x", "description": "y " * (size // 2)}}],
        "blob": [{"type": "text", "text": "QUJD" * (size // 4)}],
        "junk": "?" * size,
    }[kind]
    path = machine.write(SID, [("before", "celadon")])
    row = {"type": "assistant", "uuid": "x", "sessionId": SID, "message": {"role": "assistant", "id": "m", "content": content}}
    machine.append(path, json.dumps(row) + "\n" + rows(SID, [("after", "tenmoku")], first=9))
    peak = peak_of(machine)
    assert peak < LIMIT, peak >> 20
    assert machine.hits("tenmoku")


@pytest.mark.slow
def test_memory_does_not_follow_the_corpus(tmp_path: Path) -> None:
    peaks = []
    for count in (100, 400):
        machine = Machine(tmp_path / str(count))
        for number in range(count):
            turns = [(f"question {number} {n}", f"answer {number} {n} " + f"word{number}x{n} " * 900) for n in range(60)]
            machine.write(sid(number), turns)
        peaks.append(peak_of(machine))
    assert max(peaks) < LIMIT
    assert peaks[1] < peaks[0] + (60 << 20)


def test_a_login_given_as_a_bare_answer_is_none_of_the_rows(machine: Machine, transcripts: Transcripts) -> None:
    login = "WalnutA2" + "Ndl!x"
    path = machine.write(SID, [("mount the share", "What is the root password of the NAS?"), (login, "thanks")])
    reading = transcripts.read(task(path))
    assert login not in repr(reading._replace(met=()))
    assert [met[0] for met in reading.met] == [login]


def test_a_bare_answer_that_comes_with_the_next_run_is_found(machine: Machine, transcripts: Transcripts) -> None:
    login = "WalnutA2" + "Ndl!x"
    path = machine.write(SID, [("mount the share", "What is the root password of the NAS?")])
    first = transcripts.read(task(path))
    machine.append(path, rows(SID, [(login, "thanks")], first=1))
    second = transcripts.read(task(path, offset=first.offset, edge=first.edge, state=first.state))
    assert second.resumed
    assert second.rows[0][3].startswith("[REDACTED:pw-")


def test_the_second_pass_is_asked_where_it_is_installed(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "qzTail" + "kV7w" * 6
    path = machine.write(SID, [("why?", f"because of {token} there")])
    loaded: list[str] = []

    def load(cache: str) -> longtail.LongTail:
        def scan(data: bytes) -> list[Any]:
            at = data.find(token.encode())
            found = SimpleNamespace(
                visible=True, confidence="high", secret=token, location={"start_offset": at, "end_offset": at + len(token)}
            )
            return [found] if at >= 0 else []

        loaded.append(cache)
        return longtail.LongTail(scan)

    monkeypatch.setattr(longtail, "load", load)
    asking = Transcripts(bytes(32), str(tmp_path), thinking=False, providers="/cache")
    reading = asking.read(task(path))
    assert reading.rows[1][3].startswith("because of [REDACTED:token-")
    assert token in asking.read(task(path)).met[0]
    assert loaded == ["/cache"]
    assert Transcripts(bytes(32), str(tmp_path), thinking=False).read(task(path)).rows[1][3] == f"because of {token} there"


def test_the_second_pass_is_left_out_where_it_is_not(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.write(SID, [("why?", "so")])
    monkeypatch.setattr(longtail, "load", lambda _cache: None)
    assert Transcripts(bytes(32), str(tmp_path), thinking=False, providers="/cache").read(task(path)).rows[1][3] == "so"
