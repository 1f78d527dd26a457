"""What models really write, as blocks: fenced or not, headings of any level, bold labels, JSON, several topics, chatter around."""

from __future__ import annotations

import re
from itertools import accumulate

from libtool.domain.review import json_form
from libtool.domain.review.block import Block, Reading
from libtool.domain.review.items import Line, is_listed, items, paragraphs
from libtool.domain.review.labels import END, TOPIC, is_generic, is_nothing, section
from libtool.domain.review.lines import BOLD_LEVEL, UNDERLINE, Label, label_of
from libtool.domain.review.wrapping import ends, is_chatter, is_wrapper, untagged, without_thoughts
from libtool.domain.schema import ANSWER, SECTIONS, SESSION
from libtool.domain.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 400_000
"""Characters of a review that are read; what is beyond stays beside the log."""
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(`{3,}|~{3,})\s*([\w-]*)\s*$")
_QUOTE = re.compile(r"^\s{0,3}>[ \t]?")
_NUMBER = re.compile(r"(?:topic |entry )?#?\d{1,2}(?:[.)]|:| -)\s+(?=\S)", re.IGNORECASE)
"""Before a title that is one of several."""
_SLUG_LINE = re.compile(r"\s*[`*_]*(?:entries/)?([a-z0-9]+(?:-[a-z0-9]+)+)(?:\.md)?[`*_]*\s*:?\s*$")


def read(text: str) -> Reading:
    """Take a review apart; total and linear in its length, whatever it is."""
    text = clean(text)
    beyond, text = text[LIMIT:], text[:LIMIT]
    text, thoughts = without_thoughts(text)
    found, leftover = json_form.blocks(text)
    if not found:
        reader = _Reader(text)
        found, leftover = reader.blocks, "\n".join(reader.leftover).strip()
    else:
        leftover = "\n".join(line for line in leftover.split("\n") if line.strip() and not _FENCE.match(line))
    # Whose words these are is known: what a reviewer says of it is no entry's business.
    leftover = "\n".join((leftover, *thoughts, *(text for block in found for text in block.sections.pop(SESSION, ()))))
    usable = [block for block in found if has_content(block)]
    return Reading(usable, (leftover + beyond).strip(), says_nothing=not usable and _says_nothing(text))


def has_content(block: Block) -> bool:
    """Whether there is anything in it that can stand in an entry."""
    return any(block.sections.values())


def _says_nothing(text: str) -> bool:
    """Whether all that stands beside headings says that there is nothing."""
    lines = [line for line in text.split("\n") if line.strip() and not _FENCE.match(line)]
    said = [label.rest if label else line for line in lines if (label := label_of(line)) is None or label.rest or is_nothing(line)]
    return any(map(str.isalnum, "".join(said))) and all(map(is_nothing, said))


class _Draft:
    """A block that is being read."""

    def __init__(self, topic: str = "", title: str = "", level: int = 0) -> None:
        self.topic = topic
        self.title = title
        self.level = level
        """Of the heading that began it; 0 for none."""
        self.sections: dict[str, list[Line]] = {}
        self.extra: list[tuple[str, list[Line]]] = []

    def block(self) -> Block:
        sections = {name: paragraphs(lines) if name == ANSWER else items(lines) for name, lines in self.sections.items()}
        extra = tuple((heading, found) for heading, lines in self.extra if (found := items(lines)))
        return Block(self.topic, self.title, sections, extra)


class _Reader:
    def __init__(self, text: str) -> None:
        lines = untagged(text.split("\n"))
        filled = [line for line in lines if line.strip()]
        if filled and sum(line.lstrip().startswith(">") for line in filled) * 2 > len(filled):
            lines = [_QUOTE.sub("", line) for line in lines]
        self._lines = _unfenced(lines)
        self._headed = any(
            not line.code and (label := label_of(line.text)) is not None and label.level < BOLD_LEVEL and label.name in SECTIONS
            for line in self._lines
        )
        self._labels = [None if line.code else self._label(at) for at, line in enumerate(self._lines)]
        self._next_label = self._following(lambda at: (label := self._labels[at]) is not None and label.name != TOPIC)
        self._next_filled = self._following(lambda at: bool(self._lines[at].text.strip()) and not UNDERLINE.match(self._lines[at].text))
        self.blocks: list[Block] = []
        self.leftover: list[str] = []
        self._draft: _Draft | None = None
        self._into: list[Line] | None = None
        """The lines that a line goes to; None for the leftover."""
        self._read()

    def _label(self, at: int) -> Label | None:
        following = self._lines[at + 1].text if at + 1 < len(self._lines) else ""
        return label_of(self._lines[at].text, following=following, headed=self._headed)

    def _following(self, counts: Callable[[int], bool]) -> list[int]:
        """For each line the next one behind it that counts; -1 for none."""
        found, last = [-1] * len(self._lines), -1
        for at in range(len(self._lines) - 1, -1, -1):
            found[at] = last
            if counts(at):
                last = at
        return found

    def _read(self) -> None:
        for at, (line, label) in enumerate(zip(self._lines, self._labels, strict=True)):
            if line.ends or (label is None and self._closes(at)):
                self._into = None
            elif label is None:
                self._take(line)
            elif label.name == END:
                self._into = None
                self._take(Line(label.rest))
            elif label.name == TOPIC:
                self._begin_topic(label)
            elif label.name is not None and not self._is_title(at, label):
                self._begin_section(label)
            else:
                self._take_heading(at, label)
        self._finish()

    def _closes(self, at: int) -> bool:
        """Whether nothing below this line, until the next label, belongs to the section; an item or a table behind a rule does."""
        if self._lines[at].code or not ends(self._lines[at].text, self._lines[at - 1].text if at else ""):
            return False
        after = self._next_filled[at]
        return after < 0 or not is_listed(self._lines[after].text)

    def _take(self, line: Line) -> None:
        if not line.code and is_wrapper(line.text):
            return
        if not line.code and is_chatter(line.text):
            self._into = None
        if self._into is not None:
            self._into.append(line)
        elif line.text.strip() and not UNDERLINE.match(line.text) and not _FENCE.match(line.text):
            self.leftover.append(line.text)

    def _next_section(self, at: int) -> Label | None:
        """The next label, when it is a section's."""
        following = self._next_label[at]
        label = self._labels[following] if following >= 0 else None
        return label if label is not None and label.name in SECTIONS else None

    def _is_title(self, at: int, label: Label) -> bool:
        """Whether a section's other name (`Summary`, `Results`) is only the title above the sections, with nothing before the next one."""
        if label.rest or label.level >= BOLD_LEVEL or section(label.text, strict=True) is not None:
            return False
        after = self._next_filled[at]
        following = self._labels[after] if after >= 0 else None
        return following is not None and following.name in (*SECTIONS, TOPIC) and following.level > label.level

    def _begin_topic(self, label: Label) -> None:
        words = label.rest.strip(" *_`") if label.rest else ""
        if self._draft is not None and not self._draft.topic and not self._draft.sections:
            self._draft.topic = words
        else:
            self._finish()
            self._draft = _Draft(words, "", label.level if label.level < BOLD_LEVEL else 0)
        self._into = None

    def _begin_section(self, label: Label) -> None:
        name = str(label.name)
        draft = self._draft
        if draft is not None and name == ANSWER and ANSWER in draft.sections and len(draft.sections) > 1:
            self._finish()
            draft = None
        if draft is None:
            draft = self._draft = _Draft()
        self._into = draft.sections.setdefault(name, [])
        if self._into:
            self._into.append(Line(""))
        if label.rest:
            self._into.append(Line(label.rest))

    def _take_heading(self, at: int, label: Label) -> None:
        """A heading that names no section: the title of a topic, a slug, or something extra."""
        following = self._next_section(at)
        draft = self._draft
        opens = following is not None and (self._next_filled[at] == self._next_label[at] or label.level < following.level)
        if opens and not (draft is not None and draft.sections and draft.level and label.level > draft.level):
            if draft is not None and not draft.sections and (draft.topic or draft.title):
                draft.title = draft.title if is_generic(label.text) else _NUMBER.sub("", label.text)
                self._into = None
                return
            self._finish()
            text = _NUMBER.sub("", label.text)
            slug = _SLUG_LINE.match(text)
            title = "" if slug or is_generic(text) else text
            self._draft = _Draft(slug[1] if slug else "", title, label.level)
            self._into = None
        elif following is not None or (draft is not None and draft.sections):
            draft = self._draft = draft or _Draft()
            extra: list[Line] = []
            draft.extra.append((label.text, extra))
            self._into = extra
        else:
            self._take(self._lines[at])

    def _finish(self) -> None:
        if self._draft is not None:
            block = self._draft.block()
            told = {heading for heading, _ in block.extra}
            self.leftover += [heading for heading, _ in self._draft.extra if heading not in told]
            if has_content(block):
                self.blocks.append(block)
            else:
                self.leftover += filter(None, (block.topic, block.title, *(f"{head}: {'; '.join(found)}" for head, found in block.extra)))
        self._draft = self._into = None


def _unfenced(lines: list[str]) -> list[Line]:
    """The lines without the fences around what holds sections; code in other fences is marked as such."""
    fences = [_FENCE.match(line) for line in lines]
    labelled = list(accumulate((label_of(line) is not None for line in lines), initial=0))
    closing = _closing(fences)
    found: list[Line] = []
    at, within = 0, False
    while at < len(lines):
        fence, end = fences[at], closing[at]
        if fence is None:
            found.append(Line(lines[at]))
        elif within and not fence[2]:
            found.append(Line("", ends=True))
            within = False
        elif end < 0 or (labelled[end] > labelled[at + 1] and lines[at].lstrip()[0] in "`~"):
            # The fence of the whole answer, or one that nothing closes.
            within = labelled[-1] > labelled[at + 1]
        else:
            found += [Line(line, code=True) for line in lines[at + 1 : end]]
            at = end
        at += 1
    return found


def _closing(fences: list[re.Match[str] | None]) -> list[int]:
    """For each line that is a fence the next one of the same character without words behind it; -1 where there is none."""
    following = {"`": -1, "~": -1}
    closing = [-1] * len(fences)
    for at in range(len(fences) - 1, -1, -1):
        fence = fences[at]
        if fence is not None:
            closing[at] = following[fence[1][0]]
            if not fence[2]:
                following[fence[1][0]] = at
    return closing
