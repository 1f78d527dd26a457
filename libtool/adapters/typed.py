"""What stands as the user's words in markdown that other programs make of a Claude Code session: typed, or written there by the agent."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from libtool.domain.session import CALL, HUMAN, PLAN, RESULT, SUMMARY, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.session import Session

TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$")
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>(.*)</command-args>", re.DOTALL)
_BASH = re.compile(r"<bash-input>(.*?)</bash-input>", re.DOTALL)
_BASH_OUT = re.compile(r"<bash-std(?:out|err)>(.*?)</bash-std(?:out|err)>", re.DOTALL)
_IMAGES = re.compile(r"(?:\[Image: [^\]\n]*\]\s*)+")
_INJECTED_BLOCK = re.compile(
    r"<(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr|task-notification|teammate-message|ide_opened_file"
    r"|ide_selection|environment_context|user_instructions|INSTRUCTIONS|user-prompt-submit-hook|subagent_notification|turn_aborted)\b[^>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_INJECTED_HEADS = (
    "[Request interrupted by user",
    "Caveat: The messages below",
    "Base directory for this skill:",
    "Stop hook feedback:",
    "# AGENTS.md instructions",
)
_CONTINUED = "This session is being continued from a previous conversation"
_TAKEN_OVER = "Implement the following plan:"
_POINTERS = ("\n\nIf you need specific details from before ", "\nPlease continue the conversation from where we left it off")
"""Begins what Claude Code writes behind a summary or a plan that it takes over."""
_UI_COMMANDS = frozenset(
    "add-dir agents bashes bug clear compact config context cost doctor effort exit export extra-usage fast feedback fork help hooks ide"
    " keybindings login logout mcp memory mobile model output-style permissions plan plugin plugins privacy-settings quit reload-plugins"
    " release-notes remote-control rename resume rewind sandbox settings skills stats status statusline tasks terminal-setup theme todos"
    " upgrade usage vim voice".split()
)


def is_command(text: str) -> bool:
    """Whether a user's block is that of a slash command."""
    return text.startswith(("<command-name>", "<command-message>")) and _COMMAND.search(text) is not None


def typed_records(session: Session, text: str, time: str) -> Iterator[Record]:
    """The records of one user's block: none for what the agent alone wrote."""
    if is_command(text) and (found := _COMMAND.search(text)):
        if (command := found[1].strip().lstrip("/")) not in _UI_COMMANDS:
            arguments = _COMMAND_ARGS.search(text)
            yield Record(session, HUMAN, f"/{command} {arguments[1].strip() if arguments else ''}".rstrip(), time)
        return
    if text.startswith("<bash-"):
        yield from _shell(session, text, time)
        return
    text = _INJECTED_BLOCK.sub("", text).strip() if "<" in text else text
    if not text or text.startswith(_INJECTED_HEADS) or _IMAGES.fullmatch(text):
        return
    if text.startswith(_CONTINUED):
        yield Record(session, SUMMARY, _without_pointer(text.partition("\n")[2].strip() or text), time)
    elif text.startswith(_TAKEN_OVER + "\n"):
        yield Record(session, HUMAN, _TAKEN_OVER, time)
        yield Record(session, PLAN, _without_pointer(text.removeprefix(_TAKEN_OVER).strip()), time)
    else:
        yield Record(session, HUMAN, text, time)


def _shell(session: Session, text: str, time: str) -> Iterator[Record]:
    """A shell command that the person ran with `!`."""
    if found := _BASH.search(text):
        yield Record(session, CALL, "", time, "bash", {"command": found[1].strip()})
    if output := "\n".join(part for part in _BASH_OUT.findall(text) if part.strip()):
        yield Record(session, RESULT, output, time, "bash")


def _without_pointer(text: str) -> str:
    for pointer in _POINTERS:
        at = text.rfind(pointer)
        text = text[:at] if at >= 0 else text
    return text.rstrip()


def utc(text: str) -> str:
    """The time at the end of `text` as RFC 3339 in UTC; empty when there is none."""
    found = TIME.search(text.strip())
    if not found:
        return ""
    day, clock, zone = found[1], found[2], (found[3] or "Z").replace("Z", "+00:00")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"
