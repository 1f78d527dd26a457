"""Any text as the parts of an entry: what stands where it belongs, what has no place, and what is not written in the one form."""

from __future__ import annotations

import re

from libtool.domain.schema import ANSWER, LISTS, NONE, SECTIONS
from libtool.domain.verbatim import PLAIN, Verbatim, indent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)$")
_GLUED = re.compile(r" {0,3}##[ \t]*(\w+)[ \t]*:?[ \t#]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_MARKER = re.compile(r"( ?)([-*+]|[0-9]{1,3}[.)])([ \t]+|$)")
_INTERRUPTS = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)")
"""A heading or a rule: ends a paragraph, and a list that it is not indented in."""
_LIST_IN_ANSWER = re.compile(r"( {0,3})([-*+]|[0-9]{1,9}[.)])([ \t]+|$)")
_DASHES = re.compile(r"[-\s]*$")
_NAMES = {name.lower(): name for name in SECTIONS}
_INDENT = 2
"""Columns that the further lines of an item are indented by."""


class Reading:
    """The parts of a text, each with its line (from 1)."""

    __slots__ = ("answers", "headings", "items", "remarks", "titles", "unplaced")

    def __init__(self) -> None:
        self.titles: list[tuple[int, str]] = []
        self.headings: list[tuple[int, int]] = []
        """(line, level) of the title and of the sections."""
        self.answers: list[tuple[int, str]] = []
        self.items: dict[str, list[tuple[int, str]]] = {name: [] for name in LISTS}
        self.unplaced: list[tuple[int, str]] = []
        """What has no place, as items of Open."""
        self.remarks: list[tuple[int, str, str]] = []
        """(line, code of `schema.CODES`, about what): what is not in the one form of an entry. Not all of it: blank lines and the like show
        only in the bytes."""


def read(lines: Sequence[str]) -> Reading:
    """Read an entry of which `lines` are the lines without their ends; total, and linear in their length."""
    return _Reader([line.rstrip(" \t") for line in lines]).reading


def item_of(lines: Iterable[str]) -> str:
    """Lines as the text of an item: blank lines single and inside only, tabs before text as spaces; '' when there is no text."""
    text: list[str] = []
    for line in lines:
        body = line.lstrip(" \t")
        blank = not body.strip() or (not text and _DASHES.match(body))
        if blank and (not text or not text[-1]):
            continue
        # A first line of dashes would be read as a rule, not as an item.
        text.append("" if blank else line[: len(line) - len(body)].expandtabs(4) + body if text else body)
    return "\n".join(text).rstrip()


def is_none(text: str) -> bool:
    """Whether a text says that there is nothing."""
    return text.strip().lower().rstrip(".") == NONE.lower().rstrip(".")


def section_of(line: str) -> str | None:
    """The section that a line is meant to begin, also where it is not written as it should be."""
    if line in PLAIN:
        return PLAIN[line]
    match = _GLUED.match(line)
    return _NAMES.get(match[1].lower()) if match else None


def _unclosed(text: str) -> str:
    """The text of a heading without the `#`s, set off by a blank, that may close it."""
    text = text.strip(" \t")
    kept = text.rstrip("# \t")
    if not kept:
        return ""
    rest = text[len(kept) :]
    return kept + rest[: len(rest) - len(rest.lstrip("#"))]


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.reading = Reading()
        self._lines = lines
        self._verbatim = Verbatim(lines)
        self._section: str | None = ""
        """'' before the first section, None in one that has no place."""
        self._start = self._heading = 0
        self._found = False
        self._text: list[str] = []
        """The lines of the Answer, of an item, or of what has no place."""
        self._is_item = False
        self._offset = _INDENT
        self._within = 0
        self._paragraph = False
        """Whether the line before belongs to a paragraph, which this one may go on."""
        self._seen: list[str] = []
        self._nothing: dict[str, int] = {}
        at = 0
        while at < len(lines):
            at = self._step(at)
        self._finish_section()
        self._check_sections()

    def _remark(self, at: int, code: str, about: str = "") -> None:
        self.reading.remarks.append((at + 1, code, about))

    def _step(self, at: int) -> int:
        """Take one line or one block; the index of the next."""
        line = self._lines[at]
        if self._is_item and (not line or indent(line.expandtabs(4)) >= _INDENT):
            self._continue_item(line)
            self._paragraph = line != ""
            return at + 1
        if not line:
            self._paragraph = False
            self._text.append("")
            return at + 1
        paragraph, self._paragraph = self._paragraph, False
        if self._within and indent(line) < self._within and (not paragraph or _INTERRUPTS.match(line)):
            self._within = 0
        inner = self._within if indent(line) >= self._within else 0
        end, closer = self._verbatim.end(at, within=inner, paragraph=paragraph)
        if end > at:
            self._take_block(at, end, closer)
            return end
        if not inner and self._take_heading(at, line):
            return at + 1
        if not inner and (length := self._take_underlined(at, line, paragraph=paragraph)):
            return at + length
        self._paragraph = not _INTERRUPTS.match(line[inner:])
        self._take_text(at, line, paragraph=paragraph)
        return at + 1

    def _continue_item(self, line: str) -> None:
        body = line.lstrip(" \t")
        columns = len(line[: len(line) - len(body)].expandtabs(4))
        self._text.append(" " * max(0, columns - self._offset) + body)

    def _take_block(self, at: int, end: int, closer: str) -> None:
        if self._section in LISTS:
            self._finish_item()
            self._begin_item(at, [])
            self._remark(at, "E401", self._section or "")
        elif self._section == "" and not any(self._text):
            self._start = at
        self._text += self._lines[at:end]
        if closer:
            self._remark(at, "E211", closer.strip())
            self._text.append(closer)

    def _take_heading(self, at: int, line: str) -> bool:
        """Whether the line is a heading that this reader does something about."""
        name = section_of(line)
        if name is not None:
            if line not in PLAIN:
                self._remark(at, "E207", name)
            self._begin_section(at, name)
            return True
        match = _HEADING.match(line)
        if match is None:
            return False
        level, text = len(match[1]), _unclosed(match[2])
        if level == 1 and self._section == "":
            self._take_title(at, line, text)
        elif level <= 2:
            self._remark(at, "E202" if level == 1 else "E204", text)
            self._finish_section()
            self._section, self._start, self._text = None, at, [text, ""]
        elif self._section in LISTS:
            self._remark(at, "E208", self._section or "")
            self._finish_item()
            self._begin_item(at, [text])
        else:
            return False
        return True

    def _take_title(self, at: int, line: str, text: str) -> None:
        if self.reading.titles:
            self._remark(at, "E202", text)
        elif any(self._text):
            self._remark(at, "E201", "not first")
        elif line != f"# {text}":
            self._remark(at, "E207", "the title")
        self.reading.titles.append((at + 1, text))
        self.reading.headings.append((at + 1, 1))

    def _take_underlined(self, at: int, line: str, *, paragraph: bool) -> int:
        """How many lines belong to an underlined heading here, or to a rule that would underline one; 0 for none."""
        following = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        if following and _UNDERLINE.match(following) and not paragraph and indent(line) < 4:
            name = _NAMES.get(line.strip().lower())
            if name is not None:
                self._remark(at, "E207", name)
                self._begin_section(at, name)
                return 2
            if self._section == "" and not self.reading.titles and "=" in following:
                self._remark(at, "E207", "the title")
                self.reading.titles.append((at + 1, line.strip()))
                return 2
        if paragraph and _UNDERLINE.match(line):
            self._remark(at, "E207", "underlined")
            return 1
        return 0

    def _take_text(self, at: int, line: str, *, paragraph: bool) -> None:
        if self._section not in LISTS:
            self._take_prose(at, line)
            return
        match = _MARKER.match(line)
        if _RULE.match(line):
            self._remark(at, "E401", self._section or "")
            self._finish_item()
        elif match is not None:
            self._finish_item()
            blanks = len(match[3].expandtabs(4))
            self._begin_item(at, [line[match.end() :]], len(match[1]) + len(match[2]) + (blanks if 0 < blanks < 5 else 1))
            if match[1] or match[2] != "-" or (match[3] != " " and line.strip() != "-"):
                self._remark(at, "E404")
        elif self._is_item and paragraph:
            self._text.append(line.strip(" \t"))
        else:
            self._finish_item()
            self._begin_item(at, [line])
            if not is_none(line):
                self._remark(at, "E401", self._section or "")

    def _take_prose(self, at: int, line: str) -> None:
        if self._section == "" and not any(self._text):
            self._start = at
            self._text = []
        match = _LIST_IN_ANSWER.match(line)
        if match is not None and not _RULE.match(line):
            blanks = len(match[3].expandtabs(4))
            self._within = len(match[1]) + len(match[2]) + (blanks if 0 < blanks < 5 else 1)
        self._text.append(line)

    def _begin_section(self, at: int, name: str) -> None:
        self._finish_section()
        if name in self._seen:
            self._remark(at, "E205", name)
        elif self._seen and SECTIONS.index(name) < SECTIONS.index(self._seen[-1]):
            self._remark(at, "E206", name)
        self._seen.append(name)
        self.reading.headings.append((at + 1, 2))
        self._section, self._start, self._heading, self._found = name, at, at, False

    def _begin_item(self, at: int, text: list[str], offset: int = _INDENT) -> None:
        self._start, self._text, self._is_item, self._offset = at, text, True, offset

    def _finish_item(self) -> None:
        if not self._is_item:
            return
        section, text = str(self._section), item_of(self._text)
        self._found = self._found or bool(text)
        if is_none(text):
            self._nothing[section] = self._start
        elif text:
            self.reading.items[section].append((self._start + 1, text))
        self._text, self._is_item = [], False

    def _finish_section(self) -> None:
        section = self._section
        if section in LISTS:
            self._finish_item()
            if not self._found:
                self._remark(self._heading, "E402", str(section))
        elif section == ANSWER:
            self.reading.answers.append((self._start + 1, self._prose()))
        elif text := item_of(self._text):
            if section == "":
                self._remark(self._start, "E209")
            self.reading.unplaced.append((self._start + 1, text))
        self._text, self._within = [], 0

    def _prose(self) -> str:
        """The Answer with single blank lines outside of blocks, none at its ends."""
        lines = self._text
        verbatim = Verbatim(lines)
        kept: list[str] = []
        at = 0
        while at < len(lines):
            end = max(at + 1, verbatim.end(at)[0])
            if lines[at] or (kept and kept[-1]):
                kept += lines[at:end]
            at = end
        text = "\n".join(kept).strip("\n")
        return "" if is_none(text) else text

    def _check_sections(self) -> None:
        if not self.reading.titles:
            self._remark(0, "E201")
        for name in SECTIONS:
            if name not in self._seen:
                self._remark(len(self._lines) - 1, "E203", name)
        for name, at in self._nothing.items():
            if self.reading.items[name]:
                self._remark(at, "E403", name)
        self.reading.remarks.sort(key=lambda remark: remark[0])
