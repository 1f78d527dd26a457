"""A review that came as JSON, whole or cut off: objects whose keys are the names of sections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from libtool.domain.review.block import Block
from libtool.domain.review.labels import TOPIC, is_nothing, section
from libtool.domain.schema import ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIES, _MENDED, _CUTS = 50, 2, 20
"""Places where a value might begin, cut-off values, and cuts of one, that are tried: a hostile text has as many as it has characters."""
_DEPTH = 6
_TITLE = "title"


def blocks(text: str) -> tuple[list[Block], str]:
    """(the blocks of the JSON values that hold any, the text around them); no blocks and the whole text where there are none."""
    found: list[Block] = []
    around: list[str] = []
    for _ in range(_TRIES):
        some, before, text = _first(text)
        if not some:
            break
        found += some
        around.append(before)
    return found, "\n".join((*around, text))


def _first(text: str) -> tuple[list[Block], str, str]:
    """(the blocks of the first value that holds any, the text before it and what of it is in no block, the text behind it)."""
    decoder = json.JSONDecoder()
    at, mended = -1, 0
    for _ in range(_TRIES):
        at = min((place for mark in "{[" if (place := text.find(mark, at + 1)) >= 0), default=-1)
        if at < 0:
            break
        value, end = _decoded(decoder, text, at)
        if end == at and mended < _MENDED and _may_be_ours(text, at):
            mended += 1
            value, end = _mended(text, at)
        try:
            if found := _blocks(value, 0):
                return found, "\n".join((text[:at], *_untaken(value, found))), text[end:]
        except RecursionError:
            break
    return [], "", text


def _decoded(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """The value that begins there and where it ends; (None, at) where there is none."""
    try:
        return decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


def _may_be_ours(text: str, at: int) -> bool:
    head = text[at : at + 4000].lower()
    return any(f'"{key}' in head for key in ("answer", "topic", "decided", "title", "entries"))


def _mended(text: str, at: int) -> tuple[Any, int]:
    """The same of a value that is cut off: it is closed, at its last cuts if need be."""
    end = len(text)
    for _ in range(_CUTS):
        try:
            return json.loads(_closed(text[at:end])), end
        except (ValueError, RecursionError):
            # The bracket that it begins with is left in the end, and that can be closed.
            end = max(text.rfind(mark, at, end - 1) for mark in ',{["}]')
    return None, at


def _closed(text: str) -> str:
    """A cut-off value with its open string, lists and objects closed."""
    stack: list[str] = []
    quoted = skip = False
    for one in text:
        if skip:
            skip = False
        elif quoted:
            skip, quoted = one == "\\", one != '"'
        elif one == '"':
            quoted = True
        elif one in "{[":
            stack.append("}" if one == "{" else "]")
        elif one in "}]" and stack:
            stack.pop()
    text = text[: -1 if skip else None] + ('"' if quoted else "")
    return text.rstrip().rstrip(",").rstrip() + "".join(reversed(stack))


def _blocks(value: object, depth: int) -> list[Block]:
    if depth > _DEPTH:
        return []
    if isinstance(value, list):
        return [block for one in value for block in _blocks(one, depth + 1)]
    if not isinstance(value, dict):
        return []
    block = _block(value)
    if block.sections:
        return [block]
    found = []
    for key, one in value.items():
        for inner in _blocks(one, depth + 1):
            named = isinstance(one, dict) and not inner.topic and not inner.title
            found.append(inner._replace(title=key) if named else inner)
    return found


def _untaken(value: object, found: list[Block]) -> list[str]:
    """The texts in a value that no block has."""
    taken = "\n".join(block.words() for block in found)
    return [text for text in dict.fromkeys(_leaves(value)) if text not in taken]


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if section(key) is None and not isinstance(one, str):
                yield " ".join(key.split())
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield from _texts(value)


def _block(value: dict[str, Any]) -> Block:
    topic = title = ""
    sections: dict[str, tuple[str, ...]] = {}
    extra: list[tuple[str, tuple[str, ...]]] = []
    inner = value.get("sections")
    pairs = [*value.items(), *(inner.items() if isinstance(inner, dict) else ())]
    for key, one in pairs:
        name = section(key)
        if key == "sections" and isinstance(inner, dict):
            continue
        if key.lower() == _TITLE and isinstance(one, str):
            title = one
        elif name == TOPIC:
            topic = one if isinstance(one, str) else topic
        elif name is None:
            # A mere number (`confidence`, `version`) is of the answer's form, not of what it says.
            extra.append((key, () if isinstance(one, int | float) else _texts(one)))
        else:
            texts = _texts(one)
            sections[name] = sections.get(name, ()) + (texts if name != ANSWER else tuple(texts))
    if set(sections) <= {"Session"} and not topic:
        sections = {}
    return Block(" ".join(topic.split()), " ".join(title.split()), sections, tuple((key, texts) for key, texts in extra if texts))


def _texts(value: object) -> tuple[str, ...]:
    """A value as the texts of items: a list gives one each, an object one of its values."""
    if isinstance(value, list):
        return tuple(text for one in value for text in _texts(one))
    if isinstance(value, dict):
        text = "; ".join(
            f"{key}: {' '.join(texts)}" if key not in ("text", "item") else " ".join(texts)
            for key, one in value.items()
            if (texts := _texts(one))
        )
        return (text,) if text else ()
    text = "" if value is None or isinstance(value, bool) else " ".join(str(value).split())
    return () if is_nothing(text) else (text,)
