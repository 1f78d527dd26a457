"""A session's records to the short lines that are stored and searched.

Human and assistant text is kept whole. A tool call becomes one line (command, path, pattern, subject). A result is cut to what a search
needs: nothing of a file that was merely read, head and tail of a command's output, the end of a failure. The cut is made in two steps
around the redactor: `draft` leaves a margin, so that a login is not cut in two before the redactor has seen it; `finish` cuts the rest.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from libtool.domain import session as kinds
from libtool.domain.text import MARK, clean, head_and_tail, one_line, whole_words, without_blobs, without_middle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.domain.session import Record

MARGIN = 4096
"""Characters kept on each side of a cut until the redactor has run: more than the body of a 4096-bit private key."""

HUMAN, TASK, ANSWER, ASSISTANT, PLAN, SUMMARY, TITLE, THINKING, CALL, RESULT, FAILED, NOTE = "HKQAPSTXCRFN"
CODES = {
    kinds.HUMAN: HUMAN,
    kinds.TASK: TASK,
    kinds.ANSWER: ANSWER,
    kinds.ASSISTANT: ASSISTANT,
    kinds.PLAN: PLAN,
    kinds.SUMMARY: SUMMARY,
    kinds.TITLE: TITLE,
    kinds.THINKING: THINKING,
    kinds.CALL: CALL,
    kinds.RESULT: RESULT,
    kinds.NOTE: NOTE,
}
"""Kind of a record to the one-letter code of a stored segment; a failed result is FAILED."""

_SHELL = frozenset(
    "bash shell exec exec_command run_shell_command local_shell terminal execute_command powershell run_terminal_cmd command "
    "run_command runshellcommand bashoutput write_stdin local_command shell_command".split()
)
_SILENT = frozenset(
    "read read_file readfile view cat glob grep ls list_directory listdirectory list_files search_files search_file_content edit "
    "multiedit write write_file writefile str_replace replace create apply_patch notebookedit notebookread todowrite todoread "
    "taskcreate taskupdate tasklist update_plan read_many_files codebase_search grep_search file_search list_dir edit_file "
    "toolsearch skill view_image exitplanmode enterplanmode askuserquestion write_to_file replace_in_file apply_diff "
    "insert_content list_code_definition_names str_replace_editor find activate_skill enter_plan_mode exit_plan_mode".split()
)
_UNSPOKEN = frozenset("askuserquestion ask_user ask_user_question exitplanmode exit_plan_mode enterplanmode enter_plan_mode".split())
"""Calls whose content the adapter delivers as ANSWER or PLAN."""
_FIRST = ("command", "cmd", "script", "file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "uri")
_THEN = ("pattern", "query", "url", "skill", "subject", "title", "description", "subagent_type", "agent_type", "prompt", "message", "name")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,300})$", re.MULTILINE)
_PATCH_LIMIT = 200_000
_LONG = ("content", "old_string", "new_string", "oldString", "newString", "patch", "input", "new_str", "old_str", "diff")
_SHOWN_VALUES, _SHORT_VALUE, _SHORT_STATUS = 3, 80, 12

PROSE_HEAD, PROSE_TAIL = 160_000, 40_000
"""More than any prompt that was typed; a pasted log beyond that is cut in its middle."""
CALL_LIMIT = 400
OUTPUT_HEAD, OUTPUT_TAIL = 300, 600
FAILURE_HEAD, FAILURE_TAIL = 200, 900
_TELLING = (
    *(
        "FAIL",
        "FAILED",
        "(fail)",
        "--- FAIL",
        "not ok ",
        "E   ",
        "AssertionError",
        "AssertionFailedError",
        "Expected",
        "Received",
        "expected:",
    ),
    *(
        "error: ",
        "error[",
        "error TS",
        "Error: ",
        "TypeError: ",
        "ReferenceError: ",
        "ERROR: ",
        "panic: ",
        "thread '",
        "\u2717",
        "\u2715",
        "\u00d7 ",
    ),
)
"""How the lines begin by which test runners and compilers say what failed."""
_TELLING_LINES, _TELLING_LENGTH = 5, 140
_SUM = re.compile(r"(?<![\w.])\d+ (?:pass|fail)|(?<!\w)(?:Ran \d+ test|\d+ files? changed, |Test(?:s| Files| Suites):? +\d)")
"""What stands in the lines by which test runners and git sum up; the last ones of an output tell most."""
_SUM_WORDS = (" pass", " fail", "Ran ", " changed, ", "Tests", "Test Files", "Test Suites")
"""One of them is in each such line."""
_SUM_LINES = 2


def draft(record: Record) -> str:
    """The record's text, cleaned and cut with a margin; empty for what is not stored. To be redacted next."""
    kind = record.kind
    if kind == kinds.CALL:
        text = call_line(record.tool, record.input)
    elif kind == kinds.RESULT:
        head, tail = _result_limits(record.tool, failed=record.failed)
        if not head:
            return ""
        text = without_middle(record.text, head + MARGIN, tail + MARGIN)
    else:
        text = without_middle(record.text, PROSE_HEAD + MARGIN, PROSE_TAIL + MARGIN)
    return clean(text).strip()


def finish(record: Record, redacted: str) -> tuple[str, str]:
    """Code and final text of a redacted draft; the text is empty when nothing is left.

    Encoded data goes only now: the redactor must see a token or key whole.
    """
    kind = record.kind
    redacted = without_blobs(redacted)
    if kind == kinds.RESULT:
        head, tail = _result_limits(record.tool, failed=record.failed)
        telling = _telling(redacted[head : len(redacted) - tail])
        mark = f"{MARK}{telling}{MARK}" if telling else MARK
        return FAILED if record.failed else RESULT, head_and_tail(redacted, head, tail, mark=mark)
    if kind == kinds.CALL:
        return CALL, one_line(redacted, CALL_LIMIT)
    return CODES[kind], head_and_tail(redacted, PROSE_HEAD, PROSE_TAIL)


def _telling(middle: str) -> str:
    """The few lines of what is left out of an output that say which test failed and why, and what it all came to."""
    lines: list[str] = []
    for line in middle.splitlines():
        bare = line.strip()
        if bare.startswith(_TELLING):
            lines.append(whole_words(bare, _TELLING_LENGTH))
            if len(lines) == _TELLING_LINES:
                break
    return "\n".join(dict.fromkeys(lines + _sums(middle)))


def _sums(middle: str) -> list[str]:
    """The last lines that sum up. A string is found at many times the speed of a pattern, and most outputs hold none of them."""
    middle += "\n"
    starts: set[int] = set()
    for word in _SUM_WORDS:
        at = middle.find(word)
        while at >= 0:
            starts.add(middle.rfind("\n", 0, at) + 1)
            at = middle.find(word, at + len(word))
    lines = (middle[start : middle.find("\n", start)].strip() for start in sorted(starts, reverse=True))
    last = islice(filter(_SUM.search, lines), _SUM_LINES)
    return [whole_words(line, _TELLING_LENGTH) for line in last][::-1]


def _result_limits(tool: str, *, failed: bool) -> tuple[int, int]:
    """Characters of head and tail that are kept of a result; (0, 0) when it is not stored at all."""
    if failed:
        return FAILURE_HEAD, FAILURE_TAIL
    if tool.lower() in _SILENT:
        return 0, 0
    return OUTPUT_HEAD, OUTPUT_TAIL


def call_line(tool: str, given: object) -> str:
    """One line for a tool call, still with a margin for the redactor: name, then the arguments that say what was done."""
    tool = whole_words(tool, CALL_LIMIT)
    name = tool.lower()
    if name in _UNSPOKEN:
        return ""
    if isinstance(given, str):
        return f"{tool} {_patched(given) or _kept(given)}"
    if not isinstance(given, dict):
        return tool
    if name in _SHELL:
        command = _first_text(given, ("command", "cmd", "script", "input"))
        if command:
            return "$ " + _kept(command)
    if name in {"todowrite", "update_plan", "taskcreate"}:
        return f"{tool} {_tasks(given)}"
    return f"{tool} {_arguments(given)}"


def _kept(text: str) -> str:
    """As much of an argument as a call can show, with the margin."""
    return whole_words(text, CALL_LIMIT + MARGIN)


def _patched(patch: str) -> str:
    """The files that a patch names; empty when it is no patch."""
    if "*** " not in patch:
        return ""
    return ", ".join(dict.fromkeys(_PATCHED.findall(whole_words(patch, _PATCH_LIMIT))))


def _first_text(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list):
            # ["bash", "-lc", "the command"] says no more than its last part.
            words = [word for word in value if isinstance(word, str)]
            return words[2] if len(words) == 3 and words[1].startswith("-") and "c" in words[1] else " ".join(words)
    return ""


def _arguments(given: Mapping[str, object]) -> str:
    patch = given.get("patch") or given.get("input")
    if isinstance(patch, str) and (patched := _patched(patch)):
        return patched
    shown = [_kept(value) for key in (*_FIRST, *_THEN) if isinstance(value := given.get(key), str) and value]
    known = frozenset((*_FIRST, *_THEN, *_LONG))
    rest = [value for key, value in given.items() if key not in known and isinstance(value, str) and 0 < len(value) <= _SHORT_VALUE]
    return " ".join([*shown[:_SHOWN_VALUES], *rest[:_SHOWN_VALUES]])


def _tasks(given: Mapping[str, object]) -> str:
    rows = given.get("todos") or given.get("plan") or given.get("tasks")
    if not isinstance(rows, list):
        return _arguments(given)
    parts = []
    for row in rows[:40]:
        if isinstance(row, dict):
            what = row.get("content") or row.get("step") or row.get("subject") or row.get("description")
            if isinstance(what, str):
                status = row.get("status")
                known = isinstance(status, str) and 0 < len(status) <= _SHORT_STATUS
                parts.append(f"[{status if known else 'pending'}] {_kept(what)}")
    return "; ".join(parts)
