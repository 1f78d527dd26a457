"""Which tool calls read raw transcripts, and which look something up through lib: what `lib audit` counts.

A call reads when it brings back what a file holds: a reading tool's path, or a shell command that opens, greps or cats. To list a folder,
to remove a file, or to name the place in a pattern or a message reads nothing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RAW, LOOKUP = "raw", "lookup"
LOOKUPS = frozenset({"search", "show", "topics"})
"""The commands of lib that look something up."""
OWN_RECORDS = ("/memory/", "/tool-results/")
"""Folders beside transcripts that hold no conversation: memory files, and output that the agent put aside for itself."""


class Marks(NamedTuple):
    """What a path that counts holds: texts such as `.claude/projects`, `.specstory/history`; and the library's INDEX.md and entries."""

    transcripts: tuple[str, ...]
    library: tuple[str, ...] = ()


_PATTERN_FIRST = frozenset("grep egrep fgrep zgrep rg ag ack sed awk gawk jq".split())
"""Readers whose first operand is no path but a pattern or a program."""
_READERS = _PATTERN_FIRST | frozenset("cat zcat head tail less more bat tac nl cut sort uniq strings xxd od column fold vim view".split())
_INTERPRETERS = frozenset("python python3 node deno bun ruby perl php sqlite3 duckdb".split())
_SHELLS = frozenset("bash sh zsh dash fish".split())
_LISTERS = frozenset("ls find fd fdfind echo printf du stat wc".split())
_ENTERS = frozenset("cd pushd for".split())
_BEFORE = frozenset("sudo time timeout env nohup command exec do then else while until if elif ! { uv run".split())
"""Words before a command that change nothing in what it reads."""
_WRITING_TOOLS = frozenset(
    "edit multiedit write write_file writefile create apply_patch str_replace replace replace_in_file write_to_file edit_file "
    "insert_content apply_diff notebookedit ls glob list_dir list_directory listdirectory list_files find file_search todowrite".split()
)
"""Tools that write, or only list."""
_SHELL_TOOLS = frozenset(
    "bash shell exec exec_command run_shell_command local_shell terminal execute_command run_terminal_cmd run_command shell_command "
    "powershell".split()
)
_BLOCK = re.compile(r"```\w*\n(.*?)(?:```|$)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_COMMAND_KEYS = ("command", "cmd", "script")
_PATH_KEYS = "file_path filePath path absolute_path target_file filename notebook_path uri include paths files".split()
_TOKEN = re.compile(r"""\n|[;&|()<>]+|(?:[^\s;&|()<>"'\\]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)+""", re.DOTALL)
_QUOTES = re.compile(r"""\\(.)|["']""", re.DOTALL)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"[0-9.]+[smhd]?")
_LONGEST = 100_000
"""Characters of a command that are looked at."""
_PATTERN_OPTIONS = ("-e", "-f", "--regexp", "--file")
_DEEPEST = 3
"""Shells within shells."""


def purpose(tool: str, given: object, marks: Marks) -> str:
    """RAW, LOOKUP or '' for a tool call as an adapter gives it: the tool's name and its arguments (a mapping, or text)."""
    if isinstance(given, str):
        return _of_text(tool.lower(), given, marks)
    if not isinstance(given, dict):
        return ""
    for key in _COMMAND_KEYS:
        if found := _of_command(_command(given.get(key)), marks, 0):
            return found
    return "" if tool.lower() in _WRITING_TOOLS else _of_paths(_paths(given), marks)


def purpose_of_line(line: str, marks: Marks) -> str:
    """The same for a call as the store keeps it (`domain.condense.call_line`): `$ command`, or the tool and its first arguments."""
    if line.startswith("$ "):
        return _of_command(line[2:], marks, 0)
    tool, _, rest = line.partition(" ")
    first = rest.partition(" ")[0]
    return _of_paths([first], marks) if tool.lower() not in _WRITING_TOOLS and first.startswith(("/", "~", "$", ".")) else ""


def may_count(text: str, marks: Marks) -> bool:
    """Whether a text may hold a call that counts: a quick look before the careful one."""
    return "lib" in text or any(mark in text for mark in (*marks.transcripts, *marks.library))


def _of_text(tool: str, given: str, marks: Marks) -> str:
    """For arguments as text: a command or path that may stand in Markdown, behind a description."""
    block, inline = _BLOCK.search(given), _INLINE.search(given)
    text = block[1] if block else inline[1] if inline else given.strip()
    if block or tool in _SHELL_TOOLS:
        return _of_command(text, marks, 0)
    return "" if tool in _WRITING_TOOLS or "\n" in text else _of_paths([text], marks)


def _of_paths(paths: Sequence[str], marks: Marks) -> str:
    if any(_is_transcript(path, marks) for path in paths):
        return RAW
    return LOOKUP if any(mark in path for path in paths for mark in marks.library) else ""


def _is_transcript(word: str, marks: Marks, *, whole: bool = False) -> bool:
    """Whether a word is, or holds, a path of transcripts; `whole`: with a folder before it or something in it, not the bare name."""
    for mark in marks.transcripts:
        at = word.find(mark)
        if at < 0 or word[at - 1 : at].isalnum() or any(other in word for other in OWN_RECORDS):
            continue
        if not whole or "/" in (word[at - 1 : at], word[at + len(mark) : at + len(mark) + 1]):
            return True
    return False


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


class _Script:
    """What earlier commands of a script mean for later ones."""

    def __init__(self, marks: Marks, depth: int) -> None:
        self.marks = marks
        self.depth = depth
        self.inside = False
        """Whether the script went to a place of transcripts, or goes through its files."""
        self.found: set[str] = set()

    def pipeline(self, stages: list[list[str]]) -> None:
        """One pipeline: each stage its words."""
        fed = False
        for number, stage in enumerate(stages):
            words = self._bare(stage)
            if not words:
                continue
            name, there = words[0].rpartition("/")[2], any(_is_transcript(word, self.marks) for word in words[1:])
            if name in _ENTERS:
                self.inside = there or (self.inside and name == "for")
            elif name == "read":
                self.inside = self.inside or fed
            elif name in _LISTERS:
                fed = fed or there or self.inside
                if fed and "-exec" in words and _reads(words[words.index("-exec") + 1 :]):
                    self.found.add(RAW)
            elif name == "xargs":
                if fed and _reads([word for word in words[1:] if not word.startswith("-")]):
                    self.found.add(RAW)
            else:
                self._program(name, words, first=number == 0)

    def _program(self, name: str, words: list[str], *, first: bool) -> None:
        if name in _SHELLS:
            if len(words) > 2 and words[1].startswith("-") and "c" in words[1]:
                self.found.add(_of_command(words[2], self.marks, self.depth + 1))
        elif name == "lib" or (name in _INTERPRETERS and words[1:2] == ["-m"] and words[2:3] == ["libtool.cli.main"]):
            if any(word in LOOKUPS for word in words[1:4]):
                self.found.add(LOOKUP)
        elif name in _INTERPRETERS:
            if any(_is_transcript(word, self.marks, whole=True) for word in words[1:]) or (self.inside and first):
                self.found.add(RAW)
        elif name in _READERS:
            operands = _operands(name, words[1:])
            if any(_is_transcript(word, self.marks) for word in operands) or (self.inside and first):
                self.found.add(RAW)
            elif any(mark in word for word in operands for mark in self.marks.library):
                self.found.add(LOOKUP)

    def _bare(self, words: list[str]) -> list[str]:
        """A stage without what stands before its command; a variable that names the place counts as having gone there."""
        at = 0
        while at < len(words):
            word = words[at]
            if _ASSIGNED.match(word):
                self.inside = self.inside or _is_transcript(word, self.marks)
            elif word not in _BEFORE and not (at and words[at - 1] == "timeout" and _DURATION.fullmatch(word)):
                break
            at += 1
        return words[at:]


def _reads(words: Sequence[str]) -> bool:
    """Whether a command that is given file names reads them; options of xargs may leave a number before it."""
    return any(word.rpartition("/")[2] in _READERS | _INTERPRETERS | _SHELLS for word in words[:2])


def _operands(name: str, words: Sequence[str]) -> list[str]:
    """The paths among the words of a reader: without options, and without a pattern that comes first."""
    # A bare number is most often an option's: `-A 3`.
    plain = [word for word in words if not word.startswith("-") and not word.isdecimal()]
    if name not in _PATTERN_FIRST:
        return plain
    patterns = {after for word, after in pairwise(words) if word in _PATTERN_OPTIONS}
    if patterns or any(word.startswith("--regexp=") for word in words):
        return [word for word in plain if word not in patterns]
    return plain[1:]


def _of_command(command: str, marks: Marks, depth: int) -> str:
    """RAW, LOOKUP or '' for a shell command; RAW wins."""
    command = command[:_LONGEST]
    if depth > _DEEPEST or not may_count(command, marks):
        return ""
    script = _Script(marks, depth)
    head, here, body = command.partition("<<")
    for pipeline in _pipelines(head):
        if here and pipeline and pipeline[-1]:
            # A program that is given in a here-document: all of it is an argument.
            pipeline[-1].append(" ".join(body.split()))
        script.pipeline(pipeline)
    return next((kind for kind in (RAW, LOOKUP) if kind in script.found), "")


def _pipelines(command: str) -> Iterator[list[list[str]]]:
    """The pipelines of a command, each a list of stages, each a list of words without their quotes. What is written to is left out."""
    stages: list[list[str]] = [[]]
    written = False
    for match in _TOKEN.finditer(command):
        word = match.group()
        if word[0] in "<>":
            written = word[0] == ">"
        elif word in {"|", "|&"}:
            stages.append([])
        elif word[0] in "\n;&|()":
            yield stages
            stages = [[]]
        elif written:
            written = False
        else:
            stages[-1].append(_QUOTES.sub(r"\1", word))
    yield stages
