"""Codex: what a person typed, what a tool gave back, what agents reported; out of the texts of response items."""

from __future__ import annotations

import re
from typing import Any

import orjson

from libtool.domain.session import CALL, HUMAN, RESULT, SUMMARY

Said = tuple[str, str]
"""A record kind and its text. For CALL the text is the shell command that the person typed after `!`."""

_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<user_action>",
    "<skill>",
    "<hook_prompt",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<model_switch>",
    "<personality_spec>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<skills_instructions>",
    "<recommended_plugins>",
    "<codex_internal_context",
    "<goal_context>",
    "<image ",
    "<image>",
    "</image>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "[external_agent_tool_",
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via ",
)
_REQUEST = "## My request for Codex:\n"
_CONTEXT = "# Context from my IDE setup:"
_NOTICE = "<subagent_notification>"
_SHELL = "<user_shell_command>"
_SUMMARY_HEAD = "Another language model started to solve this problem"
_HEADERS = ("Chunk ID: ", "Exit code: ", "Wall time", "Script completed", "Script failed", "Script running")
_OUTPUT = "Output:\n"
_FAILURES = (
    "aborted",
    "agent ids must be non-empty",
    "apply_patch verification failed",
    "apply_patch handler received",
    "collab ",
    "execution error",
    "exec_command failed",
    "failed to ",
    "failed in sandbox",
    "rejected by user",
    "exec command rejected by user",
    "patch rejected by user",
    "command timed out",
    "tool call error",
    "unsupported ",
    "Script failed",
    "write_stdin failed",
)
_HEAD = 400
_SCRIPT_TOOL = re.compile(r"\btools\.(\w+)\(")
_SCRIPT_CALL = re.compile(
    r'\btools\.exec_command\(\{\s*"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*")\s*[,}]|(?<!\\)("\*\*\* Begin Patch(?:[^"\\]|\\.)*")',
)
_SCRIPT_CALLS = {"exec_command", "apply_patch"}


def said(text: str) -> list[Said]:
    """What one part of a user message holds: usually one HUMAN text, or nothing, for text that the program wrote."""
    text = text.strip()
    if text.startswith(_NOTICE):
        return [(SUMMARY, report) for report in reports(_between(text, _NOTICE, "</subagent_notification>"))]
    if text.startswith(_SHELL):
        command = _between(text, "<command>", "</command>")
        return [(CALL, command), (RESULT, _between(text, "<result>", "</result>"))] if command else []
    if text.startswith(_CONTEXT):
        text = text.partition(_REQUEST)[2].strip()
    return [(HUMAN, text)] if text and not text.startswith(_INJECTED) else []


def summary(text: str) -> str:
    """A compaction's summary without the fixed sentences before it."""
    text = text.strip()
    return text.partition("\n")[2].strip() if text.startswith(_SUMMARY_HEAD) else text


def reports(text: str) -> list[str]:
    """The final reports in a notice or in the output of waiting for agents: JSON with `status`."""
    status = parsed(text).get("status")
    if not isinstance(status, dict):
        return []
    states = [status] if isinstance(status.get("completed"), str) else list(status.values())
    return [state["completed"].strip() for state in states if isinstance(state, dict) and isinstance(state.get("completed"), str)]


def output(value: object) -> tuple[str, bool]:
    """The text of a tool's output, without the header that the program puts before it, and whether the tool failed."""
    failed = False
    if isinstance(value, dict):
        failed = value.get("success") is False
        value = value.get("content")
    text = plain(value)
    if text.startswith('{"output":'):
        inner = parsed(text)
        facts = inner.get("metadata")
        code = facts.get("exit_code") if isinstance(facts, dict) else None
        return plain(inner.get("output")), failed or code not in {None, 0} if isinstance(code, int | None) else failed
    if text.startswith(_HEADERS):
        head, found, rest = text[:_HEAD].partition(_OUTPUT)
        failed = failed or _exit_code(head) not in {"", "0"} or "\naborted by user" in head or head.startswith("Script failed")
        return (rest + text[_HEAD:], failed) if found else (text, failed)
    return text, failed or text.startswith(_FAILURES)


def plain(value: object) -> str:
    """The text of a content: a string, a part with `text`, or a list of them; images are left out."""
    if isinstance(value, str):
        return value.replace("\x00", "") if "\x00" in value else value
    if isinstance(value, dict):
        return plain(value.get("text")) if isinstance(value.get("text"), str) else ""
    if isinstance(value, list):
        return "\n".join(text.removesuffix("\n") for text in map(plain, value) if text)
    return ""


def parsed(value: object) -> dict[str, Any]:
    """A JSON object that lies in a string; empty when it is none."""
    try:
        found = orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def plan(arguments: dict[str, Any]) -> str:
    """An `update_plan` call as text: the explanation, then a line `- step (status)` for each step."""
    lines = [arguments["explanation"].strip()] if isinstance(arguments.get("explanation"), str) else []
    steps = arguments.get("plan")
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, dict) and isinstance(step.get("step"), str):
            status = step.get("status")
            lines.append(f"- {step['step'].strip()} ({status})" if isinstance(status, str) else f"- {step['step'].strip()}")
    return "\n".join(line for line in lines if line)


def script(source: str) -> list[tuple[str, object]]:
    """The commands and patches of a script (a model in code mode calls its tools through JavaScript): tool names and arguments.

    Empty when the script calls another tool too, or when an argument is computed: then only the script tells what was done.
    """
    tools = _SCRIPT_TOOL.findall(source)
    found = [match.groups() for match in _SCRIPT_CALL.finditer(source)]
    if not tools or len(found) != len(tools) or sum(bool(command) for command, _ in found) != tools.count("exec_command"):
        return []
    if not _SCRIPT_CALLS.issuperset(tools):
        return []
    try:
        return [
            ("exec_command", {"cmd": orjson.loads(command)}) if command else ("apply_patch", orjson.loads(patch))
            for command, patch in found
        ]
    except orjson.JSONDecodeError:
        return []


def questions(arguments: dict[str, Any]) -> dict[str, str]:
    """The questions of a `request_user_input` call, by their id."""
    asked = arguments.get("questions")
    found = {}
    for question in asked if isinstance(asked, list) else []:
        if isinstance(question, dict) and isinstance(question.get("id"), str) and isinstance(question.get("question"), str):
            found[question["id"]] = question["question"]
    return found


def answers(text: str, asked: dict[str, str]) -> list[str]:
    """`question`, newline, chosen answers, for each answer in the output of `request_user_input`."""
    given = parsed(text).get("answers")
    found = []
    for key, answer in given.items() if isinstance(given, dict) else ():
        chosen = answer.get("answers") if isinstance(answer, dict) else answer
        words = (
            [chosen] if isinstance(chosen, str) else [item for item in chosen if isinstance(item, str)] if isinstance(chosen, list) else []
        )
        if words:
            found.append(f"{asked.get(key, key)}\n{', '.join(words)}")
    return found


def _exit_code(head: str) -> str:
    for mark in ("exited with code ", "Exit code: "):
        code = head.partition(mark)[2].partition("\n")[0].strip()
        if code:
            return code
    return ""


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0].strip()
