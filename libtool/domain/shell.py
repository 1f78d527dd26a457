"""A shell command taken apart: pipelines of stages, each its words without quotes. Enough of sh, bash and zsh to see what a command reads.

Nothing is run and nothing is refused: what is not closed ends with the text. The time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN, CLOSE = "(", ")"
"""A subshell begins, and ends."""
SUBSTITUTED = re.compile("\x00([0-9]+)\x00")
"""In a word: the command substitution of that number stands here."""
PLAIN_DOLLAR = "\x01"
"""In a word: a `$` that was quoted and names no variable."""


@dataclass(slots=True)
class Stage:
    """One command of a pipeline."""

    words: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    """Files that `<` names."""
    writes: list[str] = field(default_factory=list)
    """Files that `>` names."""
    body: str = ""
    """What a here-document or here-string gives it."""


_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r\f\v]|\\\n)+)
    |(?P<comment>\#[^\n]*)
    |(?P<end>\n|;[;&]*|&&|\|\|)
    |(?P<into>(?:&|[0-9]+)?>(?!\()(?:>|\||&(?:[0-9]+|-)?)?)
    |(?P<here><<<|<<-?)
    |(?P<from>[0-9]*<(?!\()[>&]?)
    |(?P<pipe>\|&?)
    |(?P<substitution>[$<>]\()
    |(?P<tick>`)
    |(?P<amp>&)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<single>\$?'[^']*'?)
    |(?P<double>\$?")
    |(?P<escape>\\(?:.|$))
    |(?P<plain>(?:\$\{[^{}\n'"`]*\}|\$|[^\s\\'"`$&|;<>()])+?(?=[\s\\'"`&|;<>()]|\$[('"]|$))
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_LINE, _APOSTROPHE = "\n", "'"
_NEST = re.compile(r"""\\.|'|"|\$?\(|\)|`|<<-?[ \t]*\\?['"]?(?P<word>\w+)['"]?|\n""", re.DOTALL)
_QUOTED = re.compile(r"""\\(?P<escaped>[$"`\\\n])|(?P<substitution>\$\()|(?P<tick>`)""")


class Shell:
    """One command. `pipelines` may be called once; `substitutions` then holds what stood in `$(...)`, backticks and `<(...)`."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\x00", "").replace(PLAIN_DOLLAR, "")
        self.substitutions: list[str] = []
        self._stages = [Stage()]
        self._word: str | None = None
        self._target = ""
        """What the next word is, where it is none of the command: `<`, `>`, `<<`, `<<<`."""
        self._resumed = 0
        """Where the text goes on behind the here-documents that begin on the next line; 0 for none."""

    def pipelines(self) -> Iterator[list[Stage] | str]:
        """Each pipeline in order; OPEN and CLOSE around those of a subshell."""
        at = 0
        while (match := _TOKEN.match(self._text, at)) is not None:
            kind, token = str(match.lastgroup), match.group()
            at = match.end()
            if kind in ("end", "amp", "open", "close"):
                self._end_word(match.start())
                yield self._stages
                self._stages = [Stage()]
                if token in (OPEN, CLOSE):
                    yield token
                elif token == _LINE and self._resumed:
                    at, self._resumed = self._resumed, 0
            else:
                at = self._piece(kind, token, at)
        self._end_word(len(self._text))
        yield self._stages

    def _piece(self, kind: str, token: str, at: int) -> int:
        """Take in what ends no pipeline; gives where the text goes on."""
        if kind == "blank" or (kind == "comment" and self._word is None):
            self._end_word(at)
        elif kind == "pipe":
            self._end_word(at)
            self._stages.append(Stage())
        elif kind in ("into", "here", "from"):
            self._end_word(at)
            # `2>&1` and `2>&-` name no file.
            is_copy = kind == "into" and token[-1] in "-0123456789"
            self._target = "" if is_copy else ">" if kind == "into" else token.lstrip("0123456789")
        elif kind in ("substitution", "tick"):
            closer = "`" if kind == "tick" else ")"
            end = _closed(self._text, at, closer)
            self._add(self._substitution(self._text[at:end]))
            at = end + 1
        elif kind == "double":
            end = _closed(self._text, at, '"')
            self._add(self._quoted(self._text[at:end]))
            at = end + 1
        elif kind == "single":
            self._add(token.lstrip("$").strip("'").replace("$", PLAIN_DOLLAR))
        elif kind == "escape":
            self._add(token[1:].replace("$", PLAIN_DOLLAR))
        else:
            self._add(token)
        return at

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _end_word(self, at: int) -> None:
        word, target = self._word, self._target
        if word is None:
            return
        self._word, self._target = None, ""
        stage = self._stages[-1]
        if not target:
            stage.words.append(word)
        elif target == ">":
            stage.writes.append(word)
        elif target == "<<<":
            stage.body = word
        elif target.startswith("<<"):
            stage.body = self._here(word, at)
        else:
            stage.reads.append(word)

    def _substitution(self, text: str) -> str:
        self.substitutions.append(text)
        return f"\x00{len(self.substitutions) - 1}\x00"

    def _quoted(self, text: str) -> str:
        """What stands between double quotes."""
        found: list[str] = []
        at = 0
        while (match := _QUOTED.search(text, at)) is not None:
            found.append(text[at : match.start()])
            at = match.end()
            if (escaped := match["escaped"]) is not None:
                found.append(escaped.replace("$", PLAIN_DOLLAR).replace("\n", ""))
            else:
                end = _closed(text, at, "`" if match["tick"] else ")")
                found.append(self._substitution(text[at:end]))
                at = end + 1
        return "".join([*found, text[at:]])

    def _here(self, last: str, at: int) -> str:
        """The here-document that ends with a line `last`, and begins behind this line or behind the one before it."""
        line = self._text.find("\n", at)
        begin = self._resumed or (line + 1 if line >= 0 else len(self._text))
        end, self._resumed = _here_end(self._text, last, begin)
        return self._text[begin:end]


def _here_end(text: str, last: str, at: int) -> tuple[int, int]:
    """Where the line `last` begins, and where the next one does; twice the end of the text without such a line."""
    found = re.compile(rf"^\t*{re.escape(last)}$", re.MULTILINE).search(text, at)
    return (found.start(), min(found.end() + 1, len(text))) if found else (len(text), len(text))


def _closed(text: str, at: int, closer: str) -> int:
    """Where what began before `at` is closed by `)`, `"` or a backtick; the end of the text when it is not."""
    inside = [closer]
    here = ""
    while (match := _NEST.search(text, at)) is not None:
        token, at = match.group(), match.end()
        if token == inside[-1]:
            inside.pop()
            if not inside:
                return match.start()
        elif token == _LINE and here:
            at, here = _here_end(text, here, at)[1], ""
        elif match["word"] and inside[-1] == ")":
            here = here or match["word"]
        elif token == _APOSTROPHE and inside[-1] != '"':
            at = text.find("'", at) + 1 or len(text)
        elif token in ('"', "`"):
            inside.append(token)
        elif token == "$(" or (token == "(" and inside[-1] == ")"):  # noqa: S105 - of a shell
            inside.append(")")
    return len(text)
