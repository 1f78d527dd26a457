"""Which tool calls read raw transcripts, and which look something up through lib: what `lib audit` counts.

A call reads when it brings back what a file holds: a reading tool's path, or a shell command that opens, greps or cats. To list a folder,
to copy or remove a file, or to name the place in a pattern or a message reads nothing.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from libtool.domain.shell_reads import LOOKUP, LOOKUPS, RAW, code_reads, reads
from libtool.domain.transcript_paths import Marks, Pattern, is_library, is_transcript, parts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LOOKUP", "RAW", "Marks", "Pattern", "Watch", "may_count", "purpose_of_line"]

_WRITING = frozenset(
    "write edit multiedit create insert replace apply patch diff delete remove rename move copy list ls tree glob find info stat mkdir "
    "todo directory notebookedit".split()
)
"""Words in the name of a tool that writes, or only lists."""
_NAME_ONLY = frozenset(("file_search", "search_files"))
"""Tools that search for names, unless they are given a `regex`."""
_SHELL_TOOLS = frozenset(
    "bash shell exec exec_command run_shell_command local_shell terminal execute_command run_terminal_cmd run_command shell_command "
    "powershell".split()
)
_TOOL = re.compile(r".*(?:__|[./:])")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_BLOCK = re.compile(r"```\w*\n(.*?)(?:```|$)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_IN_CODE = re.compile(r"""["']?\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)""")
_COMMAND_KEYS = ("command", "cmd", "script")
_PATH_KEYS = "file_path filePath path absolute_path target_file filename notebook_path uri include paths files".split()
_CONTENT_KEYS = ("content", "file_text", "contents", "new_str", "new_string", "newString")
_FOLDER_KEYS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
_WINDOWS = re.compile(r"(?:\b[A-Za-z]:|USERPROFILE[}%]?|HOME\}?|~)\\{1,2}[\w.]")
_ENVIRONMENT = re.compile(r"\$env:(\w+)", re.IGNORECASE)


def may_count(text: str, marks: Marks) -> bool:
    """Whether a text may hold a call that counts: a quick look before the careful one."""
    return any(one in text for one in marks.needles) or ("lib" in text and any(one in text for one in LOOKUPS))


class Watch:
    """Judges the calls of one session in their order: a script that one wrote may be run by a later one."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._scripts: set[str] = set()
        """Names of scripts that read transcripts."""

    def purpose(self, tool: str, given: object, cwd: str = "") -> str:
        """RAW, LOOKUP or '' for a tool call as an adapter gives it: the tool's name, its arguments (a mapping, or text), its folder."""
        tool = _TOOL.sub("", tool)
        if isinstance(given, str):
            return self._of_text(tool, given, cwd)
        if not isinstance(given, dict):
            return ""
        cwd = next((one for key in _FOLDER_KEYS if isinstance(one := given.get(key), str) and one), cwd)
        for key in _COMMAND_KEYS:
            if found := self._of_command(_command(given.get(key)), cwd):
                return found
        if _only_names(tool, given):
            self._note(given)
            return ""
        return self._of_paths(_paths(given), cwd, deep="pattern" in given or "regex" in given)

    def _of_command(self, command: str, cwd: str) -> str:
        if not (may_count(command, self._marks) or may_count(cwd, self._marks) or any(one in command for one in self._scripts)):
            return ""
        if _WINDOWS.search(command):
            command = _ENVIRONMENT.sub(r"${\1}", command).replace("\\\\", "/").replace("\\", "/")
        return reads(command, self._marks, cwd, self._scripts)

    def _of_text(self, tool: str, given: str, cwd: str) -> str:
        """For arguments as text: a command or path that may stand in Markdown, behind a description, or commands in a program."""
        block, inline = _BLOCK.search(given), _INLINE.search(given)
        text = block[1] if block else inline[1] if inline and len(inline[0]) < len(given) else given.strip().strip("`")
        if tool.lower() == "exec" and (commands := _IN_CODE.findall(given)):
            return next(filter(None, (self._of_command(_unquoted(one), cwd) for one in commands)), "")
        if block or tool.lower() in _SHELL_TOOLS:
            return self._of_command(text, cwd)
        return "" if _only_names(tool, {}) or "\n" in text else self._of_paths([text], cwd)

    def _of_paths(self, paths: Sequence[str], cwd: str, *, deep: bool = False) -> str:
        found = [parts_of(path.replace("\\", "/"), self._marks.home, cwd) for path in paths]
        if any(is_transcript(one, self._marks, deep=deep) for one in found):
            return RAW
        return LOOKUP if any(is_library(one, self._marks, deep=deep) for one in found) else ""

    def _note(self, given: Mapping[str, object]) -> None:
        """Remember a script that is written and that reads transcripts."""
        for key in _CONTENT_KEYS:
            text = given.get(key)
            if isinstance(text, str) and may_count(text, self._marks) and (code_reads(text, self._marks) or reads(text, self._marks)):
                self._scripts |= {posixpath.basename(path.replace("\\", "/")) for path in _paths(given) if path}


def purpose_of_line(line: str, marks: Marks, cwd: str = "") -> str:
    """The same for a call as the store keeps it (`domain.condense.call_line`): `$ command`, or the tool and its first arguments."""
    if line.startswith("$ "):
        return Watch(marks).purpose("bash", line[2:], cwd)
    tool, _, rest = line.partition(" ")
    first = rest.partition(" ")[0]
    return Watch(marks).purpose(tool, {"path": first}, cwd) if first.startswith(("/", "~", "$", ".")) else ""


def _only_names(tool: str, given: Mapping[str, object]) -> bool:
    """Whether a tool writes, or gives no more than names."""
    if tool.lower() in _NAME_ONLY:
        return "regex" not in given
    words = {word.lower() for word in _WORD.findall(tool)} | {tool.lower()}
    return not _WRITING.isdisjoint(words)


def _command(value: object) -> str:
    """The command line in an argument: text, or words of which `bash -lc COMMAND` says no more than its last."""
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        return words[2] if len(words) == 3 and words[1].startswith("-") and "c" in words[1] else " ".join(words)
    return value if isinstance(value, str) else ""


def _paths(given: Mapping[str, object]) -> list[str]:
    found: list[str] = []
    for key in _PATH_KEYS:
        value = given.get(key)
        found += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    return found


def _unquoted(literal: str) -> str:
    """A string of JavaScript without its quotes."""
    if literal[0] == '"':
        try:
            return str(json.loads(literal, strict=False))
        except json.JSONDecodeError:
            pass
    return re.sub(r"\\(.)", r"\1", literal[1:-1], flags=re.DOTALL)
