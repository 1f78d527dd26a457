from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain import condense
from libtool.domain.condense import CALL_LIMIT, MARGIN, PROSE_HEAD, PROSE_TAIL, call_line, draft, finish
from libtool.domain.session import ANSWER, CALL, HUMAN, KINDS, PLAN, RESULT, Record, Session
from libtool.domain.text import BROKEN, MARK

ANY = st.text(st.characters(exclude_categories=[]), max_size=50)
KEYS = st.sampled_from(
    "command cmd script input patch file_path path pattern query prompt content todos plan tasks status step subject description".split()
)
TOOLS = st.sampled_from(
    ["Bash", "shell", "Read", "Edit", "apply_patch", "TodoWrite", "update_plan", "TaskCreate", "ExitPlanMode", "mcp__x__y", ""]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | ANY, inner, max_size=5),
    max_leaves=12,
)
RECORDS = st.builds(
    Record,
    st.just(Session("codex", "1")),
    st.sampled_from(KINDS),
    text=ANY | st.builds(lambda text, times: text * times, ANY, st.sampled_from([50, 500])),
    tool=TOOLS | ANY,
    input=VALUES,
    failed=st.booleans(),
)


def record(kind: str, text: str = "", **fields: Any) -> Record:
    return Record(Session("codex", "1"), kind, text, **fields)


def condensed(what: Record) -> tuple[str, str]:
    return finish(what, draft(what))


def shown(tool: str, given: object) -> str:
    return condensed(record(CALL, tool=tool, input=given))[1]


@given(RECORDS)
@example(record(CALL, tool="update_plan", input={"plan": [{"step": "a", "status": ["odd"]}, {"content": 3}, "x"]}))
@example(record(CALL, tool="Bash", input={"command": [None, 3], "cmd": {}}))
@example(record(CALL, tool="x", input={3: "y", "input": 4}))
def test_any_record_is_condensed_within_the_limits(what: Record) -> None:
    drawn = draft(what)
    code, text = finish(what, drawn)
    assert code == (condense.FAILED if what.kind == RESULT and what.failed else condense.CODES[what.kind])
    assert len(text) <= limit(what)
    assert len(drawn) <= max(limit(what), 0) + 2 * (MARGIN + BROKEN) + len(MARK) or what.kind == CALL
    assert (code, text) == finish(what, drawn)
    assert drawn == drawn.strip()


def limit(what: Record) -> int:
    """The most characters that are stored of a record."""
    if what.kind == CALL:
        return CALL_LIMIT
    if what.kind == RESULT:
        ends = condense.FAILURE_HEAD + condense.FAILURE_TAIL if what.failed else condense.OUTPUT_HEAD + condense.OUTPUT_TAIL
        return ends + len(MARK)
    return PROSE_HEAD + PROSE_TAIL + len(MARK)


LOGIN = "hunter2" + "x" * 57 + "END"
"""Shaped like nothing the redactor knows: here only its wholeness matters."""


@given(st.integers(-MARGIN, MARGIN), st.booleans(), st.sampled_from(["x y\n", "word ", "x" * 61 + " "]))
@example(distance=-MARGIN, failed=False, around="x\n" + "y" * 90 + " ")
def test_a_login_within_the_margin_of_a_cut_is_whole_in_the_draft(distance: int, failed: bool, around: str) -> None:
    head, tail = (condense.FAILURE_HEAD, condense.FAILURE_TAIL) if failed else (condense.OUTPUT_HEAD, condense.OUTPUT_TAIL)
    for begin in (max(0, head + distance), 40_000 - tail + min(distance, tail - len(LOGIN) - 2)):
        text = (around * 40_000)[:begin] + f" {LOGIN} " + (around * 40_000)[begin + len(LOGIN) + 2 : 40_000]
        assert LOGIN in draft(record(RESULT, text, tool="Bash", failed=failed))


@given(st.integers(-len(LOGIN), 5), st.booleans())
def test_a_login_at_the_cut_of_a_long_prompt_is_whole_or_gone(distance: int, at_head: bool) -> None:
    size = 2 * (PROSE_HEAD + PROSE_TAIL)
    cut = PROSE_HEAD + MARGIN if at_head else size - PROSE_TAIL - MARGIN
    for edge in (0, BROKEN if at_head else -BROKEN):
        begin = cut + edge + distance
        text = "word " * (begin // 5) + f" {LOGIN} "
        text += "word " * ((size - len(text)) // 5)
        drawn = draft(record(HUMAN, text))
        assert LOGIN in drawn or ("hunter2" not in drawn and "END" not in drawn)


def test_no_half_login_comes_into_sight_when_encoded_data_before_it_goes() -> None:
    at_the_edge = condense.OUTPUT_HEAD + MARGIN + BROKEN - 20
    data = ("Ab3" * at_the_edge)[: at_the_edge - 1]
    for tool, argument in (("Bash", {"command": f"{data} {LOGIN} more"}), ("js", f"{data} {LOGIN} more")):
        assert "hunter2" not in shown(tool, argument).replace(LOGIN, "")
    text = condensed(record(RESULT, f"{data} {LOGIN} " + "more " * 9999, tool="Bash"))[1]
    assert "characters of data" in text
    assert "hunter2" not in text.replace(LOGIN, "")


@pytest.mark.parametrize("tool", ["TodoWrite", "update_plan"])
def test_a_login_in_a_task_is_whole_in_the_draft(tool: str) -> None:
    rows = [{"content": "x" * 180 + f" {LOGIN}", "status": "pending"}]
    assert LOGIN in draft(record(CALL, tool=tool, input={"todos": rows}))


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Bash", {"command": "uv run\n  pytest -q", "description": "Run tests"}, "$ uv run pytest -q"),
        ("shell", {"command": ["bash", "-lc", "make test | tail"]}, "$ make test | tail"),
        ("shell", {"command": ["git", "log", "-3"]}, "$ git log -3"),
        ("shell", {"command": ["git", 7, "log"]}, "$ git log"),
        ("shell", {"command": [], "workdir": "/srv"}, "shell /srv"),
        ("Bash", {"bash_id": "b1"}, "Bash b1"),
        ("Read", {"file_path": "/srv/kiln.py", "limit": 20}, "Read /srv/kiln.py"),
        ("Grep", {"pattern": "def fire", "path": "src", "output_mode": "content"}, "Grep src def fire content"),
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "Edit a.py"),
        (
            "Task",
            {"description": "Find it", "prompt": "Look for the kiln", "subagent_type": "Explore"},
            "Task Find it Explore Look for the kiln",
        ),
        ("apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b c.py\n+x", "apply_patch a.py, b c.py"),
        ("apply_patch", {"patch": "*** Delete File: a.py\n*** Delete File: a.py"}, "apply_patch a.py"),
        ("apply_patch", {"input": "nothing that names a file"}, "apply_patch"),
        ("exec", "const x = await tools.shell('ls')", "exec const x = await tools.shell('ls')"),
        (
            "TodoWrite",
            {"todos": [{"content": "Fire it", "status": "in_progress"}, {"content": "Cool"}]},
            "TodoWrite [in_progress] Fire it; [pending] Cool",
        ),
        ("update_plan", {"plan": [{"step": "Fire", "status": "done"}, {"step": 4}, 5]}, "update_plan [done] Fire"),
        ("TaskCreate", {"subject": "Fire", "description": "it"}, "TaskCreate Fire it"),
        ("ExitPlanMode", {"plan": "all of it"}, ""),
        ("AskUserQuestion", {"questions": []}, ""),
        ("wait", None, "wait"),
        ("wait", [1, 2], "wait"),
        ("", {}, ""),
        ("mcp__db__query", {"sql": "select 1", "rows": 5, "long": "z" * 81}, "mcp__db__query select 1"),
    ],
)
def test_a_call_is_one_line(tool: str, given: object, expected: str) -> None:
    assert shown(tool, given) == expected
    assert condensed(record(CALL, tool=tool, input=given))[0] == condense.CALL


def test_a_long_call_is_cut_after_redaction_only() -> None:
    command = "word " * 10_000
    assert MARGIN + CALL_LIMIT - 10 <= len(call_line("Bash", {"command": command})) <= MARGIN + CALL_LIMIT + BROKEN + 2
    assert len(shown("Bash", {"command": command})) <= CALL_LIMIT
    assert shown("Bash", {"command": command}).endswith("…")
    assert len(call_line("t" * 10_000_000, None)) <= CALL_LIMIT + BROKEN


def test_what_was_merely_read_is_not_stored_but_a_failure_is() -> None:
    assert condensed(record(RESULT, "the whole file", tool="Read")) == (condense.RESULT, "")
    assert condensed(record(RESULT, "no such file", tool="Read", failed=True)) == (condense.FAILED, "no such file")
    assert condensed(record(RESULT, "one\x1b[0m line\r\n", tool="Bash")) == (condense.RESULT, "one line")


def test_of_output_both_ends_are_kept_and_of_a_failure_mostly_the_end() -> None:
    lines = [f"line {number:05d}" for number in range(2000)]
    for failed in (False, True):
        text = condensed(record(RESULT, "\n".join(lines), tool="Bash", failed=failed))[1]
        head, tail = (part.splitlines() for part in text.split(MARK))
        assert lines[: len(head)] == head
        assert lines[-len(tail) :] == tail
        assert len(head) < len(tail)


@pytest.mark.parametrize("kind", [HUMAN, ANSWER, PLAN])
def test_prose_is_whole_up_to_what_nobody_types(kind: str) -> None:
    text = ("It was decided. " * 12_500)[: PROSE_HEAD + PROSE_TAIL - 1] + "."
    assert condensed(record(kind, text)) == (condense.CODES[kind], text)
    longer = condensed(record(kind, text + text))[1]
    assert MARK in longer
    assert len(longer) <= PROSE_HEAD + PROSE_TAIL + len(MARK)


def test_condensing_does_not_change_the_record() -> None:
    rows = {"todos": [{"content": "Fire it"}]}
    what = record(CALL, tool="TodoWrite", input=rows)
    before = dataclasses.asdict(what)
    condensed(what)
    assert dataclasses.asdict(what) == before


@pytest.mark.parametrize(
    "what",
    [
        record(HUMAN, "x" * 50_000_000),
        record(RESULT, "\x1b[0m" * 10_000_000, tool="Bash"),
        record(CALL, tool="apply_patch", input="*** Update File: " * 1_000_000),
        record(CALL, tool="apply_patch", input="*** Update File: a\n" * 1_000_000),
        record(CALL, tool="Bash", input={"command": ["a"] * 3_000_000}),
        record(CALL, tool="Bash", input={"command": '"' * 10_000_000}),
    ],
    ids=range(6),
)
def test_huge_records_take_little_time(what: Record) -> None:
    begun = time.process_time()
    condensed(what)
    assert time.process_time() - begun < 5


def test_what_failed_is_told_also_from_the_middle() -> None:
    lines = [f"ok {number} glaze covers pot {number}" for number in range(200)]
    lines[100:100] = ["not ok 101 glaze covers the rim", "  Expected: 3", "  Received: 2"]
    lines += ["1 failed, 200 passed"]
    text = "\n".join(lines)
    code, short = condensed(record(RESULT, text, tool="Bash"))
    assert code == "R"
    assert "not ok 101 glaze covers the rim\nExpected: 3\nReceived: 2" in short
    assert short.startswith("ok 0 ")
    assert short.endswith("1 failed, 200 passed")
    assert len(short) < condense.OUTPUT_HEAD + condense.OUTPUT_TAIL + 5 * 142 + 2 * len(MARK)
    many = condensed(record(RESULT, "FAIL this one\n" * 900, tool="Bash", failed=True))[1]
    assert many.count("[…]") == 2


def test_what_an_output_came_to_is_told_also_from_the_middle() -> None:
    sums = ["1219 pass", "0 fail", "Ran 1219 tests across 56 files. [817.00ms]", " 9 files changed, 122 insertions(+), 1 deletion(-)"]
    told = ["Tests:       4 passed, 4 total", " Test Files  1 failed (1)", " 29 passed (3.4m)"]
    for line in sums + told:
        text = "\n".join(["$ make", *["glaze"] * 200, line, *["checked the formatting of a pot"] * 40])
        short = condensed(record(RESULT, text, tool="Bash"))[1]
        assert f"{MARK}{line.strip()}{MARK}" in short
    text = "\n".join(["$ make", *["glaze"] * 100, "FAIL rim", *sums, *["checked the formatting of a pot"] * 40])
    assert f"{MARK}FAIL rim\n{sums[2]}\n{sums[3].strip()}{MARK}" in condensed(record(RESULT, text, tool="Bash"))[1]
    text = "\n".join(["pots", *["glaze"] * 200, "v1.2 passed on", "we ran 3 kilns", *["checked the formatting of a pot"] * 40])
    assert condensed(record(RESULT, text, tool="Bash"))[1].count(MARK) == 1
