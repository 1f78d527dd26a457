"""JSON with comments and trailing commas, as agents' settings are written: where each value stands, and edits that keep the rest.

An edit changes the bytes of one item and its comma. What was added at the end of a container and is taken out again leaves the text as it
was, but for a container that was empty.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

DEPTH = 100
LONG = 300
"""Digits of a number."""
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BESIDE = re.compile(r"(?:[ \t]*(?:/\*[^\n]*?\*/|//[^\r\n]*))*")
"""Comments behind an item, on its line."""
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|$)")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_END = {"{": "}", "[": "]"}


class BrokenError(ValueError):
    """A text that is no JSON: what is wrong, and on which line (from 1)."""

    def __init__(self, text: str, at: int, what: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        super().__init__(what)


class Item:
    """A value that an object or array holds: its key there, where it begins (the key counts) and ends, the comma behind it (-1: none)."""

    __slots__ = ("comma", "gap", "key", "start", "value")

    def __init__(self, key: str, gap: int, start: int, value: Value) -> None:
        self.key = key
        self.gap = gap
        """Where the bracket or comma before it ends."""
        self.start = start
        self.value = value
        self.comma = -1


class Value:
    """A value and its place. `plain` is that of a scalar; `items` those of a container."""

    __slots__ = ("end", "items", "kind", "plain", "start")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        """`{`, `[`, or '' for a scalar."""
        self.start = start
        self.end = start
        self.plain: object = None
        self.items: list[Item] = []

    def get(self, key: str) -> Value | None:
        """A member of an object; of several of one name the last, as JavaScript has it."""
        found = [item.value for item in self.items if item.key == key] if self.kind == "{" else []
        return found[-1] if found else None

    def python(self) -> object:
        """The value without its places."""
        if self.kind == "{":
            return {item.key: item.value.python() for item in self.items}
        return [item.value.python() for item in self.items] if self.kind == "[" else self.plain


def parse(text: str) -> Value:
    """The one value that a text holds. Raises BrokenError."""
    reader = _Reader(text)
    value = reader.value(_gap(text, 0), 0)
    end = _gap(text, value.end)
    if end < len(text):
        raise BrokenError(text, end, "there is more behind the end")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, at: int, depth: int) -> Value:
        text = self._text
        if depth > DEPTH:
            raise BrokenError(text, at, "it is nested too deeply")
        if text[at : at + 1] in _END:
            return self._container(at, depth)
        value = Value("", at)
        found = _STRING.match(text, at) or _SCALAR.match(text, at)
        if found is None:
            raise BrokenError(text, at, "a value is missing" if at < len(text) else "it ends too soon")
        value.plain, value.end = json.loads(found[0], parse_int=_number), found.end()
        return value

    def _container(self, at: int, depth: int) -> Value:
        text = self._text
        value = Value(text[at], at)
        gap = at + 1
        while True:
            start = _gap(text, gap)
            if text[start : start + 1] == _END[value.kind]:
                value.end = start + 1
                return value
            if value.items and value.items[-1].comma < 0:
                raise BrokenError(text, start, f"a comma or `{_END[value.kind]}` is missing" if start < len(text) else "it ends too soon")
            item = self._item(value.kind, gap, start, depth)
            value.items.append(item)
            gap = item.value.end
            comma = _gap(text, gap)
            if text[comma : comma + 1] == ",":
                item.comma, gap = comma, comma + 1

    def _item(self, kind: str, gap: int, start: int, depth: int) -> Item:
        text = self._text
        if kind == "[":
            return Item("", gap, start, self.value(start, depth + 1))
        name = _STRING.match(text, start)
        if name is None:
            raise BrokenError(text, start, "a name in double quotes is missing" if start < len(text) else "it ends too soon")
        colon = _gap(text, name.end())
        if text[colon : colon + 1] != ":":
            raise BrokenError(text, colon, "a colon is missing")
        return Item(json.loads(name[0]), gap, start, self.value(_gap(text, colon + 1), depth + 1))


def _number(digits: str) -> float:
    """A whole number; as JavaScript has it where it is a long one, which Python refuses to read."""
    return int(digits) if len(digits) < LONG else float(digits)


def _last_comment(text: str, start: int, end: int) -> re.Match[str] | None:
    """The last comment of a stretch that holds nothing but white space and comments."""
    found = None
    for found in _COMMENT.finditer(text, start, end):  # noqa: B007 - the last one
        pass
    return found


def _gap(text: str, at: int) -> int:
    """Where white space and comments end."""
    found = _GAP.match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise BrokenError(text, end, "a comment does not end")
    return end


class Style(NamedTuple):
    """How a file is laid out: its line end, and one step of indentation."""

    newline: str
    step: str


def style(text: str, root: Value) -> Style:
    """As the file has it; two spaces where it says nothing."""
    newline = "\r\n" if "\r\n" in text else "\n"
    step = _indent(text, root.items[0].start) if root.items else None
    return Style(newline, step or "  ")


def added(text: str, container: Value, item: str, layout: Style, depth: int) -> str:
    """The text with an item (written out, for an object with its key) at the end of a container that stands `depth` levels deep."""
    if not container.items:
        inner, outer = layout.newline + layout.step * (depth + 1), layout.newline + layout.step * depth
        # Comments may stand in there.
        at = _last_comment(text, container.start + 1, container.end - 1)
        if at is None:
            return text[: container.start + 1] + inner + item + outer + text[container.end - 1 :]
        return text[: at.end()] + inner + item + (outer if text[at.end() :].startswith(_END[container.kind]) else "") + text[at.end() :]
    last, first = container.items[-1], container.items[0]
    indent = _indent(text, first.start)
    before = " " if indent is None else layout.newline + indent
    end = last.value.end if last.comma < 0 else last.comma + 1
    beside = _BESIDE.match(text, end)
    at_ = beside.end() if beside else end
    if "//" in text[end:at_] and indent is None:
        before = layout.newline + layout.step * (depth + 1)
    comma = "," if last.comma < 0 else ""
    return text[:end] + comma + text[end:at_] + before + item + ("" if comma else ",") + text[at_:]


def removed(text: str, container: Value, index: int) -> str:
    """The text without an item of a container; comments around it stay."""
    item = container.items[index]
    comment = _last_comment(text, item.gap, item.start)
    start = comment.end() if comment else item.gap
    head, tail = text[:start], text[item.value.end :]
    if item.comma >= 0:
        tail = text[item.value.end : item.comma] + text[item.comma + 1 :]
    elif index:
        comma = container.items[index - 1].comma
        head = text[:comma] + text[comma + 1 : start]
    elif not comment and not text[item.value.end : container.end - 1].strip():
        tail = text[container.end - 1 :]
    # A comment up to the line's end must not take in what comes now.
    is_open = comment is not None and comment[0].startswith("//") and _LINE_END.match(tail) is None
    return head + ("\n" if is_open else "") + tail


def _indent(text: str, at: int) -> str | None:
    """The white space before what stands first on its line; None for what does not."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if at and not line.strip() and "\n" in text[:at] else None
