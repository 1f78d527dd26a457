"""The work of an agent inside a SpecStory file: prose, thinking, and the several ways in which tools are written there."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

from libtool.domain.session import ANSWER, ASSISTANT, CALL, PLAN, RESULT, SUMMARY, THINKING, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.session import Session

_TOOL_OPEN = re.compile(r'<tool-use data-tool-type="[^"]*" data-tool-name="([^"]*)">')
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SUMMARY_TAG = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_EDIT = re.compile(r"(Edit|Create|Delete|Read|Write|Move) file: (.*)", re.DOTALL)
_MCP = re.compile(r"\*Called tool\*: ([^\n]*)")
_READ_LINE = re.compile(r"(Read|Deleted|Created) file: ([^\n]*)")
_EXIT_CODE = re.compile(r"Exit code (\d+)")
_FAILURES = ("<tool_use_error>", "The user doesn't want to proceed", "The user doesn't want to take", "Error:", "Error calling tool")
_USER_SAID = "the user said:\n"
_CLARIFY = "The user wants to clarify these questions."
_ANSWER = "**Answer:** "
_ANSWER_TAILS = ('". Read the answers carefully', '". You can now continue')
_PICKED = '" selected preview:'
_QUESTION = re.compile(r"\*\*(.+)\*\*\s*$")
_OPTION = re.compile(r"- \*\*(.+?)\*\*")
_APPROVED = "## Approved Plan"
_WRITERS = frozenset({"Write", "Edit", "MultiEdit"})
_WRITTEN = re.compile(r"(?:The file (.+?) has been |File created successfully at: )([^\n]*)")
"""What tells the path of a file that was written: SpecStory leaves it out of the call."""


def agent_records(session: Session, body: list[str], time: str) -> Iterator[Record]:
    """Records of the lines under one agent header."""
    prose: list[str] = []
    hopeless: set[str] = set()
    ruled = sum(line.rstrip() == "---" for line in body) > 1
    at = 0
    while at < len(body):
        line = body[at]
        end, tool = at, _TOOL_OPEN.match(line)
        if tool or line.startswith("<think>"):
            end = _closing(body, at, "</tool-use>" if tool else "</think>")
        elif _details_open(body, at):
            end = _details_close(body, at, hopeless)
        elif line.rstrip() == "---":
            end = at + 1
        if end == at:
            end = _fence_close(body, at, hopeless) if _FENCE.match(line) else at + 1
            prose += body[at:end]
        else:
            yield from _prose(session, prose, time, ruled=ruled)
            prose = []
            if tool:
                yield from _tool_use(session, tool[1], body[at:end], time)
            elif line.startswith("<think>"):
                yield from _thinking(session, body[at:end], time)
            elif end > at + 1 or line.rstrip() != "---":
                yield from _details(session, body[at:end], time)
        at = end
    yield from _prose(session, prose, time, ruled=ruled)


def _closing(body: list[str], at: int, tag: str) -> int:
    """The line after the first that ends with `tag`; the end of the block when none does."""
    return next((n + 1 for n in range(at, len(body)) if body[n].rstrip().endswith(tag)), len(body))


def _details_open(body: list[str], at: int) -> bool:
    """Whether a tool written as `<details>` with a `<summary>` begins here."""
    return body[at].startswith("<details>") and "<summary>" in body[at] + "".join(body[at + 1 : at + 3])


def _details_close(body: list[str], at: int, hopeless: set[str]) -> int:
    """The line after the `</details>` that closes the tag opened here; what stands in fences does not count.

    `hopeless` remembers what was found to have no end, so that a text full of such is not searched again for each.
    """
    n, depth = at, 0
    while n < len(body) and "<details>" not in hopeless:
        if n > at and _FENCE.match(body[n]):
            n = _fence_close(body, n, hopeless)
            continue
        text = body[n].strip()
        depth += text.startswith("<details") - text.endswith("</details>")
        n += 1
        if depth == 0:
            return n
    hopeless.add("<details>")
    return next((n + 1 for n in range(at, len(body)) if body[n].strip() == "</details>"), len(body))


def _fence_close(body: list[str], at: int, hopeless: set[str]) -> int:
    """The line after the fence opened here is closed; the next line when nothing closes it."""
    found = _FENCE.match(body[at])
    mark = found[1] if found else ""
    if mark not in hopeless:
        for n in range(at + 1, len(body)):
            text = body[n].strip()
            if text.startswith(mark) and not text.strip(mark[0]):
                return n + 1
        hopeless.add(mark)
    return at + 1


def _prose(session: Session, lines: list[str], time: str, *, ruled: bool) -> Iterator[Record]:
    """Assistant prose; the v1 forms of a terminal command and of a file read are calls.

    `ruled` says that rules stand between the passages, as in v1: a passage of one command and nothing else was run, and printed nothing.
    """
    text = "\n".join(lines).strip()
    if not text:
        return
    if text.startswith("```bash\n"):
        command, _, rest = text[8:].partition("\n```\n")
        if ruled and command.endswith("\n```"):
            yield Record(session, CALL, "", time, "terminal", {"command": command.removesuffix("\n```").strip()})
            return
        if rest.strip().startswith("```\n"):
            yield Record(session, CALL, "", time, "terminal", {"command": command.strip()})
            yield Record(session, RESULT, rest.strip().removeprefix("```\n").removesuffix("\n```"), time, "terminal")
            return
    if found := _READ_LINE.fullmatch(text):
        if found[2] != "undefined":
            yield Record(session, CALL, "", time, f"{found[1]} file", {"path": found[2]})
        return
    if text.startswith("## Todo List\n"):
        yield Record(session, CALL, "", time, "todo list", text.partition("\n")[2].strip())
        return
    yield Record(session, ASSISTANT, text, time)


def _thinking(session: Session, lines: list[str], time: str) -> Iterator[Record]:
    text = "\n".join(lines).strip().removeprefix("<think>").removesuffix("</think>").strip()
    text = text.removeprefix("<details>").removesuffix("</details>").strip()
    if text := text.removeprefix("<summary>Thought Process</summary>").strip():
        yield Record(session, THINKING, text, time)


def _details(session: Session, lines: list[str], time: str) -> Iterator[Record]:
    """A v1 tool: `<details>`, what was done in `<summary>`, then output or a diff."""
    text = "\n".join(lines)
    found = _SUMMARY_TAG.search(text)
    summary = found[1].strip() if found else ""
    rest = (text[found.end() :] if found else text).strip().removesuffix("</details>").strip()
    if mcp := _MCP.search(rest[:500]):
        asked, _, result = rest.partition("*Result*:")
        yield Record(session, CALL, "", time, mcp[1].partition(":")[0].strip(), asked.strip())
        yield Record(session, RESULT, result.strip(), time, mcp[1].partition(":")[0].strip())
    elif edit := _EDIT.fullmatch(summary):
        yield Record(session, CALL, "", time, f"{edit[1]} file", {"path": edit[2], "changes": rest.removeprefix("undefined").strip()})
    else:
        yield Record(session, CALL, "", time, summary.partition(" ")[0] or "tool", summary)
        yield Record(session, RESULT, rest, time, summary.partition(" ")[0] or "tool")


def _tool_use(session: Session, name: str, lines: list[str], time: str) -> Iterator[Record]:
    """A v2 tool: description and arguments, then the result in a fence."""
    text = "\n".join(lines).rstrip().removesuffix("</tool-use>").rstrip().removesuffix("</details>").rstrip()
    found = _SUMMARY_TAG.search(text)
    note = found[1].partition("•")[2].strip() if found else ""
    rest = text[found.end() :] if found else text.partition(">")[2]
    if name == "AskUserQuestion" and _ANSWER in rest:
        questions, _, answer = rest.partition(_ANSWER)
        yield Record(session, ANSWER, _answered(questions, answer.strip()), time, name)
        return
    if "\nParameters:\n" in rest or "\nResult:\n" in rest:
        given, result, failed = _parameters(rest)
        if (told := _told(result)) is not None:
            yield from _vscode_tool(session, name, given or note, told, time, failed=failed)
            return
        yield Record(session, CALL, "", time, name, given or note)
        yield Record(session, RESULT, result, time, name, failed=failed)
        return
    asked, result = _split_result(name, rest)
    if name == "AskUserQuestion":
        asked = "\n".join(found[1] for line in asked.split("\n") if (found := _QUESTION.match(line)))
    if name == "ExitPlanMode" and (plan := result.partition(_APPROVED)[2].partition("\n")[2].strip() or asked):
        yield Record(session, PLAN, plan, time, name)
        yield from _result(session, name, "" if _APPROVED in result else result, time)
        return
    written = _WRITTEN.match(result) if name in _WRITERS else None
    if written:
        yield Record(session, CALL, "", time, name, {"path": (written[1] or written[2]).strip(), "content": asked})
    else:
        yield Record(session, CALL, "", time, name, "\n".join(part for part in (note, asked) if part))
    yield from _result(session, name, result, time)


def _result(session: Session, name: str, result: str, time: str) -> Iterator[Record]:
    if not result:
        return
    code = _EXIT_CODE.match(result)
    failed = result.startswith(_FAILURES) or bool(code and code[1] != "0")
    if name in ("Task", "Agent") and not failed:
        yield Record(session, SUMMARY, result.partition("\nagentId: ")[0].strip(), time, name)
        return
    yield Record(session, RESULT, result, time, name, failed=failed)
    said = result.partition(_USER_SAID)[2].strip() if failed else ""
    if said and not said.startswith(_CLARIFY):
        yield Record(session, ANSWER, said, time, name)


def _split_result(name: str, rest: str) -> tuple[str, str]:
    """Arguments and result: the result stands in a ```text fence, the last one where the arguments may hold such fences."""
    mark = "\n```text\n"
    at = rest.rfind(mark) if name in ("Write", "Edit", "MultiEdit") else rest.find(mark)
    if at < 0:
        return rest.strip(), ""
    return rest[:at].strip(), rest[at + len(mark) :].rstrip().removesuffix("```").rstrip("\n")


def _parameters(rest: str) -> tuple[object, str, bool]:
    """Arguments, result and failure of a tool written as JSON under `Parameters:`, `Result:` and `Status:`."""
    before, _, after = rest.partition("\nResult:\n")
    given = before.partition("\nParameters:\n")[2].partition("\nAdditional data:\n")[0]
    result, _, status = after.rpartition("\nStatus: **")
    try:
        value = json.loads(_unfenced(given))
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        value = _unfenced(given)
    return value, _unfenced(result or after), status.startswith("error")


def _told(result: str) -> dict[str, object] | None:
    """The result of a VS Code tool: JSON of the messages shown while it ran; None for another's."""
    if '"invocationMessage"' not in result:
        return None
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _vscode_tool(session: Session, name: str, given: object, told: dict[str, object], time: str, *, failed: bool) -> Iterator[Record]:
    """A VS Code tool: a terminal's command stands inside its parameters, what a search looked for only in its message."""
    line = given.get("commandLine") if isinstance(given, dict) else None
    command = line.get("original") if isinstance(line, dict) else None
    if isinstance(command, str):
        name, given = "terminal", {"command": _plain(command)}
    message = told.get("pastTenseMessage") or told.get("invocationMessage")
    yield Record(session, CALL, "", time, name, given or _plain(message))
    content = _plain(told.get("content"))
    if content or failed:
        yield Record(session, RESULT, content or _plain(message), time, name, failed=failed)


def _plain(text: object) -> str:
    """Text without HTML's escapes, and without the lone surrogates that JSON allows."""
    return html.unescape(text).encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def _unfenced(text: str) -> str:
    """The inside of the one fence that `text` is."""
    text = text.strip()
    if not text.startswith("```"):
        return text
    return text.partition("\n")[2].removesuffix("```").rstrip()


def _answered(questions: str, answer: str) -> str:
    """Questions with what was chosen, without the options that were offered."""
    for tail in _ANSWER_TAILS:
        answer = answer.partition(tail)[0]
    asked: list[str] = []
    picked: list[str] = []
    for line in questions.split("\n"):
        if option := _OPTION.match(line):
            if asked and f"{option[1]}{_PICKED}" in answer:
                picked.append(f"{asked[-1]}\n{option[1]}")
        elif question := _QUESTION.match(line):
            asked.append(question[1])
    if _PICKED in answer and len(picked) == len(asked):
        return "\n\n".join(picked)
    return "\n".join([*asked, answer.partition(_PICKED)[0] if len(asked) == 1 else answer])
