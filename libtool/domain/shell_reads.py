"""What a shell command reads: transcripts, or the library, also through variables, pipes, loops, `cd`, `find -exec` and here-documents."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from libtool.domain.shell import OPEN, PLAIN_DOLLAR, SUBSTITUTED, Shell, Stage
from libtool.domain.transcript_paths import is_library, is_transcript, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from libtool.domain.transcript_paths import Marks

RAW, LOOKUP = "raw", "lookup"
LOOKUPS = frozenset({"search", "show", "topics"})
"""The commands of lib that look something up."""

_GREPS = frozenset("grep egrep fgrep zgrep rg ag ack".split())
_ALWAYS_DEEP = frozenset("rg ag ack".split())
_PATTERN_FIRST = _GREPS | frozenset("sed awk gawk jq".split())
"""Readers whose first operand is no path but a pattern or a program."""
_READERS = _PATTERN_FIRST | frozenset(
    "cat zcat gzcat bzcat xzcat zstdcat gunzip zstd head tail less more bat batcat tac nl cut sort uniq strings xxd od column fold vim "
    "view diff comm paste tr get-content gc type select-string sls findstr".split()
)
_INTERPRETER = re.compile(
    r"(?:python[0-9.]*|pypy[0-9.]*|ipython|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|rscript|sqlite3|duckdb)(?:\.exe)?"
)
_SHELLS = frozenset("bash sh zsh dash fish".split())
_LISTERS = frozenset("ls find fd fdfind echo printf du stat wc realpath readlink basename dirname file tree dir".split())
_NAMED = frozenset("export local declare readonly typeset".split())
_BEFORE = {
    **dict.fromkeys("command exec do then else while until if elif ! { nohup builtin time npx bunx".split(), ""),
    "sudo": "ughpCTRD",
    "env": "uCS",
    "timeout": "ks",
    "nice": "n",
    "ionice": "cn",
    "stdbuf": "ioe",
    "uv": "p",
    "uvx": "p",
    "run": "p",
    "poetry": "",
    "pipx": "",
}
"""Words before a command that change nothing in what it reads, with the letters of their options that take a value."""
_LONG_VALUES = frozenset("--from --with --python --signal --kill-after --user --adjustment --package --project --directory".split())
_DURATION = re.compile(r"[0-9.]+[smhd]?")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::?[-=](?P<otherwise>[^{}]*))?[^{}]*\}|(?P<bare>\w+))")
_GLOBS = frozenset("-g --glob --iglob --include".split())
_PATTERN_OPTIONS = frozenset("-e -f --regexp --file".split())
_CODE_OPTIONS = frozenset("-c -e -p -E -pe -ne --eval --print".split())
_SCRIPT = re.compile(r".*\.(?:py|js|mjs|cjs|ts|rb|pl|php|sh|bash|lua)")
_LITERAL = re.compile(r""""([^"\n]{1,400})"|'([^'\n]{1,400})'|`([^`\n]{1,400})`""")
_JOINED = re.compile(r"""["'`]\)?\s*[/,]\s*[frb]?["'`]""")
_AT_HOME = re.compile(r"HOME|home\(\)|homedir|expanduser|USERPROFILE")
_LONGEST, _DEEPEST, _MOST = 100_000, 3, 20
"""Characters of a command, shells within shells, and paths of a list that are looked at."""
_VALUE, _MORE = 4_000, 10_000
"""Characters of what a variable holds, and paths of a command beside those that are written out in it."""


def reads(command: str, marks: Marks, cwd: str = "", scripts: set[str] | None = None) -> str:
    """RAW, LOOKUP or '' for a shell command that is run in `cwd`; RAW wins.

    `scripts` are the names of scripts that read transcripts, from earlier commands of the session; more are added.
    """
    script = _Script(marks, cwd, set() if scripts is None else scripts)
    script.run(command)
    return next((kind for kind in (RAW, LOOKUP) if kind in script.found), "")


def code_reads(code: str, marks: Marks) -> bool:
    """Whether a program (Python, JavaScript, SQL ...) names transcripts: in a text, also one that is put together part by part."""
    code = code[:_LONGEST]
    at_home = _AT_HOME.search(code) is not None
    for text in (code, _JOINED.sub("/", code)):
        for match in _LITERAL.finditer(text):
            literal = next(filter(None, match.groups()))
            bare = re.sub(r"^\$?\{[^{}]*\}", "", literal).lstrip("/")
            for path in (literal, f"~/{bare}") if at_home else (literal,):
                if is_transcript(parts_of(_last_root(path), marks.home), marks, whole=True):
                    return True
    return False


def _last_root(path: str) -> str:
    """A path without what stands before another that begins in it: `a/~/b` is `~/b`."""
    return re.sub(r"^.*/(?=[~/])", "", path)


class _Script:
    """What earlier commands of a script mean for later ones."""

    def __init__(self, marks: Marks, cwd: str, scripts: set[str], depth: int = 0) -> None:
        self.marks = marks
        self.cwd = self._began = cwd
        self.variables = dict(marks.variables)
        self.scripts = scripts
        self.depth = depth
        self.found: set[str] = set()
        self.more = iter(range(_MORE))

    def run(self, command: str) -> list[str]:
        """Take in a command; gives the paths of transcripts that it lists."""
        if self.depth > _DEEPEST:
            return []
        shell = Shell(command[:_LONGEST])
        before: list[tuple[str, dict[str, str]]] = []
        listed: list[str] = []
        for item in shell.pipelines():
            if item == OPEN:
                before.append((self.cwd, dict(self.variables) if len(before) < _MOST else self.variables))
            elif isinstance(item, str):
                self.cwd, self.variables = before.pop() if before else (self.cwd, self.variables)
            else:
                fed: list[str] = []
                for number, stage in enumerate(item):
                    fed = self._stage(stage, shell.substitutions, fed, first=number == 0)
                listed += fed
        return listed[:_MOST]

    def _nested(self, command: str) -> list[str]:
        """A command within this one: what it changes stays in it."""
        inner = _Script(self.marks, self.cwd, self.scripts, self.depth + 1)
        inner.variables = dict(self.variables)
        inner.found, inner.more = self.found, self.more
        return inner.run(command)

    def _stage(self, stage: Stage, substitutions: list[str], fed: list[str], *, first: bool) -> list[str]:
        words = self._bare([word for one in stage.words for word in self._expanded(one, substitutions)])
        name = posixpath.basename(words[0]).lower() if words else ""
        given = [word for one in stage.reads for word in self._expanded(one, substitutions)]
        if name not in _LISTERS and any(map(self._is_transcript, given)):
            self.found.add(RAW)
        for path in [*stage.writes, *(words[1:] if name == "tee" else [])] if stage.body else ():
            self._note_script(path, stage.body)
        return self._command(name, words, stage.body, fed, first=first) if words else []

    def _command(self, name: str, words: list[str], body: str, fed: list[str], *, first: bool) -> list[str]:
        """Take in one command; gives the paths of transcripts that it lists, or that it hands on."""
        if name in ("find", "fd", "fdfind"):
            return self._find(words[1:])
        if name in _LISTERS:
            return self._listed(name, words[1:])
        if name == "xargs":
            given = _after_options(words[1:], "adEILnPs")
            self._given([*given, *fed] if given else [], fed)
        elif name in _SHELLS or name in ("eval", "ssh"):
            self._shell(name, words[1:], body)
        elif not self._changes(name, words, fed):
            self._program(name, words, body, first=first)
            return [] if first else fed
        return []

    def _changes(self, name: str, words: list[str], fed: list[str]) -> bool:
        """Whether it is a command that changes what later ones mean."""
        if name in ("cd", "pushd"):
            self.cwd = self._path(next((word for word in words[1:] if not word.startswith("-")), "~"))
        elif name == "popd":
            self.cwd = self._began
        elif name == "for" and "in" in words[2:3]:
            self.variables[words[1]] = "\n".join(self._path(word) if self._is_transcript(word) else word for word in words[3:][:_MOST])
        elif name == "read":
            self.variables |= {word: "\n".join(fed) for word in words[1:] if not word.startswith("-")}
        else:
            return False
        return True

    def _given(self, words: list[str], paths: list[str]) -> None:
        """A command that `xargs` or `find -exec` gives paths."""
        words = [word.replace("{}", paths[0]) for word in words] if paths and self.depth < _DEEPEST else []
        if words := self._bare(words):
            self.depth += 1
            self._command(posixpath.basename(words[0]).lower(), words, "", [], first=True)
            self.depth -= 1

    def _find(self, words: list[str]) -> list[str]:
        """The paths of transcripts that `find` comes upon."""
        at = next((at for at, word in enumerate(words) if word.startswith(("-", "(", "!")) and word not in ("-H", "-L", "-P")), len(words))
        names = [after for word, after in pairwise(words) if word in ("-name", "-iname")] or [""]
        roots = [self._path(word) for word in words[:at]] or [self.cwd or "."]
        paths = (f"{root}/**/{one}" if one else root for root in roots for one in names)
        found = [path for path in self._bounded(paths) if self._is_transcript(path, deep=True)]
        rest = iter(words if found else ())
        for word in rest:
            if word in ("-exec", "-execdir", "-ok"):
                self._given(list(takewhile(lambda one: one not in (";", "+"), rest)), found)
        return found[:_MOST]

    def _listed(self, name: str, words: list[str]) -> list[str]:
        paths = [self._path(word) for word in words if not word.startswith("-")] or ([self.cwd] if name == "ls" else [])
        # What lies in a folder is listed by its name: below it, it is found again.
        return [path if "*" in path or "." in posixpath.basename(path)[1:] else f"{path}/*" for path in paths if self._is_transcript(path)][
            :_MOST
        ]

    def _shell(self, name: str, words: list[str], body: str) -> None:
        commanded = next((after for word, after in pairwise(words) if re.fullmatch(r"-\w*c", word)), "")
        if name == "eval":
            commanded = " ".join(words)
        elif name == "ssh":
            commanded = " ".join(_after_options(words, "bcDEeFIiJLlmOopQRSWw")[1:])
        elif not commanded and words and not body:
            self._run_script(words)
        self._nested(commanded or body)

    def _program(self, name: str, words: list[str], body: str, *, first: bool) -> None:
        if name == "git" and "grep" in words:
            words = words[words.index("grep") :]
            name = "grep"
        if name in ("lib", "lib.exe"):
            self._lib(words[1:])
        elif _INTERPRETER.fullmatch(name):
            self._interpreter(words[1:], body, first=first)
        elif name in _READERS:
            self._reader(name, words[1:], first=first)
        elif "/" in words[0] or _SCRIPT.fullmatch(name):
            self._run_script(words)

    def _lib(self, words: list[str]) -> None:
        commands = [word for word in words if not word.startswith("-")]
        if commands and commands[0] in LOOKUPS and not {"-h", "--help"} & set(words):
            self.found.add(LOOKUP)

    def _interpreter(self, words: list[str], body: str, *, first: bool) -> None:
        if words[:1] == ["-m"]:
            if words[1:2] and words[1] in ("libtool", "libtool.cli.main"):
                self._lib(words[2:])
            elif any(map(self._is_transcript, words[2:])):
                self.found.add(RAW)
            return
        code = [after for word, after in pairwise(words) if word in _CODE_OPTIONS]
        inside = first and self._is_transcript(".") and bool(self.cwd)
        if inside or any(code_reads(one, self.marks) for one in (*code, body)):
            self.found.add(RAW)
        self._run_script([word for word in words if word not in code])

    def _run_script(self, words: Sequence[str]) -> None:
        """A program that is given paths, or that is known to read transcripts."""
        if any(posixpath.basename(word) in self.scripts or self._is_transcript(word) for word in words):
            self.found.add(RAW)

    def _reader(self, name: str, words: list[str], *, first: bool) -> None:
        deep = name in _ALWAYS_DEEP or any(re.fullmatch(r"-\w*[rR]\w*|--recursive|--no-index", word) for word in words)
        globs = [one for one in _values(words, _GLOBS) if not one.startswith("!")][:_MOST]
        operands = _operands(name, words) or ([self.cwd] if deep and first and self.cwd else [])
        paths = self._bounded(f"{path}/**/{one}" for path in map(self._path, operands) for one in globs) if globs and deep else operands
        if any(self._is_transcript(path, deep=deep) for path in paths):
            self.found.add(RAW)
        elif any(is_library(self._parts(path), self.marks, deep=deep) for path in operands):
            self.found.add(LOOKUP)

    def _note_script(self, path: str, text: str) -> None:
        if code_reads(text, self.marks) or reads(text, self.marks, self.cwd):
            self.scripts.add(posixpath.basename(path))

    def _bare(self, words: list[str]) -> list[str]:
        """A command without what stands before it; assignments are remembered."""
        while words:
            word = words[0]
            if _ASSIGNED.match(word):
                self._assign(word)
                words = words[1:]
            elif word in _NAMED:
                for one in words[1:]:
                    self._assign(one)
                return []
            elif word in _BEFORE:
                words = _after_options(words[1:], _BEFORE[word])
                if word == "timeout" and words and _DURATION.fullmatch(words[0]):
                    words = words[1:]
            else:
                break
        return words

    def _assign(self, word: str) -> None:
        name, is_one, value = word.partition("=")
        if is_one:
            self.variables[name.rstrip("+")] = value

    def _expanded(self, word: str, substitutions: list[str]) -> list[str]:
        """A word with variables and command substitutions replaced by what is known of them: several words where they are paths."""

        def substituted(match: re.Match[str]) -> str:
            return "\n".join(self._nested(substitutions[int(match[1])]))

        text = SUBSTITUTED.sub(substituted, word)
        for _ in range(_DEEPEST):
            if "$" not in text:
                break
            text = _VARIABLE.sub(self._value, text, _MOST)
        text = text.replace(PLAIN_DOLLAR, "$")
        if _ASSIGNED.match(text) or "\n" not in text or text == word:
            return [text]
        lines = [line for line in text.split("\n")[:_MOST] if line]
        return [*lines[:1], *self._bounded(lines[1:])]

    def _bounded(self, paths: Iterable[str]) -> Iterator[str]:
        """Paths that a command does not write out, up to what is left of _MORE: a few words may stand for millions."""
        return (path for path, _ in zip(paths, self.more, strict=False))

    def _value(self, match: re.Match[str]) -> str:
        name, otherwise = match["braced"] or match["bare"], match["otherwise"]
        return self.variables.get(name, match[0] if otherwise is None else otherwise)[:_VALUE]

    def _path(self, word: str) -> str:
        """A path as later commands know it, wherever they are run."""
        word = _last_root(word)
        is_absolute = word.startswith(("/", "~", "$", "%")) or word[1:2] == ":"
        return word if is_absolute or not self.cwd else f"{self.cwd}/{word}"

    def _parts(self, word: str) -> tuple[str, ...]:
        return parts_of(self._path(word), self.marks.home)

    def _is_transcript(self, word: str, *, deep: bool = False) -> bool:
        return is_transcript(self._parts(word), self.marks, deep=deep)


def _after_options(words: list[str], valued: str) -> list[str]:
    """What follows the options at the beginning; those of the letters `valued` take the next word."""
    while words and words[0].startswith("-"):
        takes = words[0] in _LONG_VALUES or (len(words[0]) == 2 and words[0][1] in valued)
        words = words[2 if takes else 1 :]
    return words


def _values(words: Sequence[str], options: frozenset[str]) -> Iterator[str]:
    """The values of options, `--name value` and `--name=value`."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        name, is_one, value = word.partition("=")
        if name in options:
            yield value if is_one else after


def _operands(name: str, words: Sequence[str]) -> list[str]:
    """The paths among the words of a reader: without options, and without a pattern that comes first."""
    # A bare number is most often an option's: `-A 3`.
    plain = [word for word in words if not word.startswith("-") and not word.isdecimal()]
    if name not in _PATTERN_FIRST:
        return plain
    patterns = set(_values(words, _PATTERN_OPTIONS))
    taken = patterns.union(_values(words, _GLOBS))
    plain = [word for word in plain if word not in taken]
    return plain if patterns else plain[1:]
