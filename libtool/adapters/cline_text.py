"""The tags inside Cline's texts: the person's words in user messages, tool calls in the model's replies."""

from __future__ import annotations

import re

from libtool.domain.session import ASSISTANT, CALL, THINKING

_TYPED_TAGS = ("task", "feedback", "user_message", "answer")
_TOOLS = (
    "execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files list_files"
    " list_code_definition_names browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion new_task condense"
    " plan_mode_respond load_mcp_documentation switch_mode fetch_instructions update_todo_list codebase_search web_fetch edit_file"
).split()
_ATTACHED = re.compile(r"<(?:file|folder|url|git)_content\b|<environment_details>|<workspace_diagnostics>")
_FEEDBACK = re.compile(r"The user [^\n<]{1,160}:\s*<feedback>")
_SEE_BELOW = re.compile(r"\(see below for [a-z ]{1,40}\)")
_OPEN_TOOL = re.compile(rf"^[ \t]*<({'|'.join(_TOOLS)})>", re.MULTILINE)
_OPEN_THINKING = re.compile(r"<thinking>")
_WITH_TAGS = frozenset({"content", "diff", "result", "response", "arguments", "context"})
_PARAMETER = re.compile(r"<([a-z_]{1,40})>")

Part = tuple[str, str, str, object]
"""Kind, text, tool and input of a piece of a reply."""


def typed_parts(text: str) -> list[tuple[str, str]]:
    """(tag, words) of each piece that the person typed, in order.

    A tag quoted inside another does not count, nor one in the files that the program attaches behind the words.
    """
    parts: list[tuple[str, str]] = []
    at = 0
    while True:
        found = min(((text.find(f"<{tag}>", at), tag) for tag in _TYPED_TAGS if text.find(f"<{tag}>", at) >= 0), default=None)
        if found is None or (parts and _ATTACHED.search(text, at, found[0])):
            return parts
        begin, tag = found[0] + len(found[1]) + 2, found[1]
        end = text.find(f"</{tag}>", begin)
        end = len(text) if end < 0 else end
        if words := text[begin:end].strip():
            parts.append((tag, words))
        at = end + 1


def feedback(text: str) -> str:
    """The tail of a tool's output that holds what the person said to it; empty when there is none."""
    found = _FEEDBACK.search(text)
    return text[found.start() :] if found else ""


def same_words(seen: str, typed: str) -> bool:
    """Whether the model was given what the person typed: as it is, or with mentions of files written out."""
    left, right = _letters(_SEE_BELOW.sub("", seen)), _letters(typed)
    return bool(right) and left.endswith(right)


def _letters(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum())


def assistant_records(text: str) -> list[Part]:
    """The prose, thinking and tool calls of a reply, in order."""
    parts: list[Part] = []
    at = 0
    while at < len(text):
        thought, tool = _OPEN_THINKING.search(text, at), _OPEN_TOOL.search(text, at)
        if thought and (tool is None or thought.start() < tool.start()):
            end = _end(text, "thinking", thought.end())
            parts += [(ASSISTANT, text[at : thought.start()], "", None), (THINKING, text[thought.end() : end].strip(), "", None)]
            at = end + len("</thinking>")
        elif tool:
            end = _end(text, tool[1], tool.end())
            parts += [(ASSISTANT, text[at : tool.start()], "", None), (CALL, "", tool[1], _parameters(text[tool.end() : end]))]
            at = end + len(tool[1]) + 3
        else:
            parts.append((ASSISTANT, text[at:], "", None))
            break
    return [part for part in parts if part[0] == CALL or part[1].strip()]


def _end(text: str, tag: str, begin: int) -> int:
    end = text.find(f"</{tag}>", begin)
    return len(text) if end < 0 else end


def _parameters(inside: str) -> dict[str, str]:
    """The tags inside a tool's tag. A file's content may hold tags itself: the last closing tag of its name ends it."""
    given: dict[str, str] = {}
    at = 0
    while found := _PARAMETER.search(inside, at):
        close = f"</{found[1]}>"
        end = inside.rfind(close, found.end()) if found[1] in _WITH_TAGS else inside.find(close, found.end())
        end = len(inside) if end < 0 else end
        given[found[1]] = inside[found.end() : end].strip("\n")
        at = end + 1
    return given
