r"""Logins out of JSON as it stands in a file: inside the string literals that hold one; every other byte stays. Pure.

A literal that holds a login keeps the spelling of all characters around it: `\u0041`, `\/`, surrogate pairs, raw control characters.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain.redact.engine import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    class Redactor(Protocol):
        """What finds logins in parsed JSON and in text."""

        def redact(self, text: str) -> str:
            """The text without its logins."""
            ...

        def redact_json(self, value: object) -> object:
            """The parsed JSON value without its logins."""
            ...


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_BEGIN = re.compile(r'[{\[]\s*["{\[]')
_BLANK = re.compile(r"[\s\ufeff]*")
_MOST_BEGINS = 200
"""How many places of a damaged line are tried for a JSON value that can be read."""


class Edit(NamedTuple):
    """Characters of a text, and what stands in their place."""

    start: int
    end: int
    text: str


class Value(NamedTuple):
    """A JSON object or list in a text: its place, what it says, and whether an object in it has a key twice."""

    start: int
    end: int
    value: Any
    doubled: bool


class _Doubled(Exception):  # noqa: N818 - a fact about the text
    """An object has a key twice."""


class _Node:
    """A JSON value in a text: its place; `items` of a list, or keys and values in turn of an object; None for a string or scalar."""

    __slots__ = ("end", "items", "start")

    def __init__(self, start: int, end: int, items: list[_Node] | None) -> None:
        self.start = start
        self.end = end
        self.items = items


def values(text: str) -> Iterator[Value]:
    """Each object or list of a text that can be read as JSON; also those behind a damaged one, within bounds."""
    at, tries = _skipped(text, 0), 0
    while at < len(text):
        value = _read(text, at) if text[at] in "{[" else None
        if value is not None:
            yield value
            at = _skipped(text, value.end)
            continue
        begin = _BEGIN.search(text, at + 1)
        tries += 1
        if begin is None or tries > _MOST_BEGINS:
            return
        at = begin.start()


def _skipped(text: str, at: int) -> int:
    """Behind the blanks at a place; a byte order mark counts as one."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches the empty string too


def _read(text: str, at: int) -> Value | None:
    """The JSON value at a place; None when it is damaged, or nested too deep to be read."""
    try:
        try:
            value, end = _STRICT.raw_decode(text, at)
        except _Doubled:
            value, end = _DECODER.raw_decode(text, at)
            return Value(at, end, value, doubled=True)
    except (ValueError, RecursionError):
        return None
    return Value(at, end, value, doubled=False)


def edits(text: str, place: Value, redactor: Redactor, keeps: Callable[[str, str], bool]) -> list[Edit]:
    """The edits, in order, that take the logins out of one JSON value of a text.

    `keeps(key, string)` says of a string that holds a login whether it stays all the same.
    """
    new = redactor.redact_json(place.value)
    if new is place.value and not place.doubled:
        return []
    found: list[Edit] = []
    work: list[tuple[_Node, Any, str]] = [(_tree(text, place.start, place.end), new, "")]
    while work:
        node, fresh, key = work.pop()
        if node.items is None:
            found += _string(text, node, fresh, key, keeps)
            continue
        if fresh is None:
            # Deeper than the redactor follows: from here on it is a value of its own.
            fresh = redactor.redact_json(_value(text, node))
        if isinstance(fresh, dict):
            members, renamed = _members(text, node.items, fresh, redactor)
            found += renamed
            work += members
        else:
            work += [(item, one, key) for item, one in zip(node.items, fresh, strict=True)]
    return sorted(found)


def _string(text: str, node: _Node, fresh: object, key: str, keeps: Callable[[str, str], bool]) -> list[Edit]:
    """The edit of a string that changed."""
    if not isinstance(fresh, str):
        return []
    raw = text[node.start + 1 : node.end - 1]
    old = decoded(raw)
    return [] if fresh == old or keeps(key, old) else [Edit(node.start + 1, node.end - 1, respelled(raw, fresh))]


def _members(
    text: str, items: list[_Node], fresh: dict[str, Any], redactor: Redactor
) -> tuple[list[tuple[_Node, object, str]], list[Edit]]:
    """What to do with the values of an object, and the edits of its keys."""
    work: list[tuple[_Node, object, str]] = []
    renamed: list[Edit] = []
    names = [text[one.start + 1 : one.end - 1] for one in items[::2]]
    keys = [decoded(name) for name in names]
    shown = [key if key in fresh else redactor.redact(key) for key in keys]
    last = {name: at for at, name in enumerate(shown)}
    for at, (label, value) in enumerate(zip(items[::2], items[1::2], strict=True)):
        if last[shown[at]] == at and shown[at] in fresh:
            new = fresh[shown[at]]
        else:
            # A key that comes twice: a parser drops the earlier value, a file must not keep its login.
            new = next(iter(dict(redactor.redact_json({keys[at]: _value(text, value)})).values()))  # type: ignore[call-overload]
        if shown[at] != keys[at]:
            renamed.append(Edit(label.start + 1, label.end - 1, respelled(names[at], shown[at])))
        work.append((value, new, keys[at]))
    return work, renamed


def _value(text: str, node: _Node) -> object:
    return _DECODER.decode(text[node.start : node.end])


def _tree(text: str, start: int, end: int) -> _Node:
    """The places in a text that is valid JSON; without recursion, as a transcript may nest deep."""
    top: list[_Node] = []
    stack = [(_Node(start, end, top), top)]
    for match in _TOKEN.finditer(text, start, end):
        mark = text[match.start()]
        if mark in "{[":
            items: list[_Node] = []
            node = _Node(match.start(), end, items)
            stack[-1][1].append(node)
            stack.append((node, items))
        elif mark in "}]":
            stack.pop()[0].end = match.end()
        elif mark not in ":,":
            stack[-1][1].append(_Node(match.start(), match.end(), None))
    return top[0]


def decoded(raw: str) -> str:
    """What a string literal, without its quotes, says."""
    return str(_DECODER.decode(f'"{raw}"')) if "\\" in raw else raw


def respelled(raw: str, new: str) -> str:
    """A literal (without quotes) that says `new`, with the spelling of `raw` for all that it says around placeholders."""
    old = decoded(raw)
    parts = PLACEHOLDER.split(new)
    gaps = _gaps(old, parts)
    if gaps is None:
        return json.dumps(new)[1:-1]
    places = [0, *(unit.end() for unit in _UNIT.finditer(raw))] if "\\" in raw else range(len(raw) + 1)
    out: list[str] = []
    at = 0
    for (start, end), placeholder in zip(gaps, PLACEHOLDER.findall(new), strict=True):
        out += (raw[at : places[start]], placeholder)
        at = places[end]
    return "".join((*out, raw[at:]))


def _gaps(old: str, parts: list[str]) -> list[tuple[int, int]] | None:
    """The places between the parts when `old` is made of them in order, with anything between two; None when it is not."""
    if len(parts) == 1:
        return [] if old == parts[0] else None
    if not old.startswith(parts[0]) or not old.endswith(parts[-1]):
        return None
    gaps, at, limit = [], len(parts[0]), len(old) - len(parts[-1])
    for part in parts[1:-1]:
        found = old.find(part, at, max(limit, at))
        if found < 0:
            return None
        gaps.append((at, found))
        at = found + len(part)
    return [*gaps, (at, limit)] if at <= limit else None


def applied(text: str, changes: list[Edit]) -> str:
    """The text with the edits made, which are in order and apart."""
    out: list[str] = []
    at = 0
    for one in changes:
        out += (text[at : one.start], one.text)
        at = one.end
    return "".join((*out, text[at:]))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Doubled
    return found


_DECODER = json.JSONDecoder(strict=False)
_STRICT = json.JSONDecoder(strict=False, object_pairs_hook=_once)
