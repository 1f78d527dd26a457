"""A review that came as JSON, whole or cut off: objects whose keys are the names of sections."""

from __future__ import annotations

import json
from typing import Any

from libtool.domain.review.block import Block
from libtool.domain.review.labels import TOPIC, is_nothing, section
from libtool.domain.schema import ANSWER

_TRIES = 50
"""Places where a value might begin, and cuts of a truncated one, that are tried: a hostile text has as many as it has characters."""
_DEPTH = 6
_TITLE = "title"


def blocks(text: str) -> tuple[list[Block], str]:
    """(the blocks of the first JSON value that holds any, the text around it); no blocks and the whole text where there is none."""
    decoder = json.JSONDecoder()
    at = -1
    for _ in range(_TRIES):
        at = min((place for mark in "{[" if (place := text.find(mark, at + 1)) >= 0), default=-1)
        if at < 0:
            break
        value, end = _decoded(decoder, text, at)
        if found := _blocks(value, 0):
            return found, text[:at] + "\n" + text[end:]
    return [], text


def _decoded(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """The value that begins there and where it ends; one that is cut off is closed. None where there is none."""
    try:
        return decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    if not any(f'"{quote}' in text[at : at + 4000].lower() for quote in ("answer", "topic", "decided", "title", "entries")):
        return None, at
    cuts = [len(text)]
    for _ in range(_TRIES):
        try:
            return json.loads(_closed(text[at : cuts[-1]])), cuts[-1]
        except (ValueError, RecursionError):
            cut = max(text.rfind(mark, at, cuts[-1] - 1) for mark in ',{["}]')
        if cut <= at:
            break
        cuts.append(cut)
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
            extra.append((key, _texts(one)))
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
