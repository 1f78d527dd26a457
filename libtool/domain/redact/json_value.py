"""Parsed JSON: every string is redacted decoded, with what its place says of it.

That is the key it stands under, the name beside a value, the command whose argument it is.
"""

from __future__ import annotations

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    class TextRedactor(Protocol):
        """What redacts one string, alone or with the text around it."""

        def redact(self, text: str) -> str:
            """The text without its logins."""
            ...

        def prepare(self, texts: Iterable[str]) -> bool:
            """Look at many texts at once; whether all are without logins."""
            ...

        @property
        def is_label(self) -> Callable[[str], bool]:
            """Whether a key may say that the value under it is a login."""
            ...

        def redact_within(self, before: str, text: str, after: str) -> str:
            """The text without its logins, found with what stands around it."""
            ...


EXACT_KEYS = frozenset(
    "signature encrypted_content encryptedContent thoughtSignature thought_signature thinkingSignature textSignature reasoningOpaque "
    "reasoning_opaque".split()
)
"""Keys whose strings must stay byte for byte, or their agent cannot use the transcript again."""
BLOB_KEYS = frozenset({"data", "image_url", "url", "image", "b64_json"})
"""Keys that may hold an image as text."""
_MAY_STAY = EXACT_KEYS | BLOB_KEYS
_LEAST_BLOB = 256
_BLOB = lazy(rf"(?:data:image/[^,]{{1,60}},)?[A-Za-z0-9+/=_-]{{{_LEAST_BLOB},}}")
BLOB_TYPES = frozenset({"base64", "image", "input_image", "image_url", "redacted_thinking", "document", "audio", "input_audio"})
"""`type` of an object whose `data` is an image or another blob."""
DEEPEST = 200
"""Levels that are followed; what lies deeper becomes null, because nothing may pass unread."""
_NAMES = ("name", "Name", "key", "Key")
VALUES = frozenset({"value", "Value"})
_LONGEST = 400
_LONGEST_LABEL = 40
_MOST_WORDS = 40
_COMMAND = 2000


def redact_json(redactor: TextRedactor, value: object) -> object:
    """A JSON value without its logins; what needed no change is the same object."""
    if isinstance(value, (dict, list)):
        texts: list[str] = []
        plain = gather(redactor, value, texts)
        # All strings of the record in one pass: most records hold nothing, and need no walk that looks at each.
        if redactor.prepare(texts) and plain:
            return value
    return _walk(redactor, value, 0)


def gather(redactor: TextRedactor, value: dict[str, object] | list[object], texts: list[str], depth: int = 0) -> bool:
    """Append the strings of a value that are to be redacted; whether nothing in it needs to be read with what stands around it."""
    if depth >= DEEPEST:
        return False
    plain = True
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                texts.append(item)
                plain = plain and item[:1] != "-"
            elif isinstance(item, (dict, list)):
                plain = gather(redactor, item, texts, depth + 1) and plain
        return plain and not _is_row(redactor, value)
    texts += value
    is_label = redactor.is_label
    for key, item in value.items():
        if isinstance(item, str):
            if key not in _MAY_STAY or not is_exact(key, value):
                texts.append(item)
                plain = plain and not (is_label(key) and len(item) <= _LONGEST)
        elif isinstance(item, (dict, list)) and key not in EXACT_KEYS:
            plain = gather(redactor, item, texts, depth + 1) and plain
    return plain


def _is_row(redactor: TextRedactor, value: list[object]) -> bool:
    """Whether a list is a label and its value: `["password", "X"]`."""
    if len(value) != 2:
        return False
    label, item = value
    return isinstance(label, str) and isinstance(item, str) and len(label) <= _LONGEST_LABEL and redactor.is_label(label)


def _walk(redactor: TextRedactor, value: object, depth: int) -> object:
    if isinstance(value, str):
        return redactor.redact(value)
    if not isinstance(value, (dict, list)):
        return value
    if depth >= DEEPEST:
        return None
    return _object(redactor, value, depth + 1) if isinstance(value, dict) else _list(redactor, value, depth + 1)


def is_exact(key: str, holder: dict[str, object]) -> bool:
    """Whether what an object holds under this key must stay as it is."""
    if key in EXACT_KEYS:
        return True
    if key not in BLOB_KEYS:
        return False
    item = holder[key]
    return (key == "data" and holder.get("type") in BLOB_TYPES) or (
        isinstance(item, str) and (item.startswith("data:image/") or is_blob(item, 0, len(item)))
    )


def is_blob(text: str, start: int, end: int) -> bool:
    """Whether a stretch of text is an image or the like, in base64."""
    return end - start >= _LEAST_BLOB and _BLOB.fullmatch(text, start, end) is not None


def _object(redactor: TextRedactor, value: dict[str, object], depth: int) -> dict[str, object]:
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    out: dict[str, object] = {}
    same = True
    for key, item in value.items():
        if is_exact(key, value):
            out[key] = item
            continue
        if isinstance(item, str) and len(item) <= _LONGEST:
            new: object = _labelled(redactor, name if isinstance(name, str) and key in VALUES else key, item)
        else:
            new = _walk(redactor, item, depth)
        shown = redactor.redact(key)
        same = same and new is item and shown is key
        out[shown] = new
    return value if same else out


def _labelled(redactor: TextRedactor, label: str, text: str) -> str:
    """A string under a key, read as `"key": "string"`."""
    if not redactor.is_label(label):
        return redactor.redact(text)
    quote = next((mark for mark in "\"'`" if mark not in text), None)
    if quote is None or "\n" in text:
        return redactor.redact(text)
    return redactor.redact_within(f'"{label}": {quote}', text, quote)


def _list(redactor: TextRedactor, value: list[object], depth: int) -> list[object]:
    """A list; strings with an option among them are words of one command line."""
    words = [item for item in value if isinstance(item, str)]
    if 1 < len(words) == len(value) <= _MOST_WORDS and sum(map(len, words)) <= _COMMAND and any(word[:1] == "-" for word in words):
        out: list[object] = [
            redactor.redact_within(" ".join((*words[:at], "")), word, " ".join(("", *words[at + 1 :]))) for at, word in enumerate(words)
        ]
    elif _is_row(redactor, value):
        label, item = words
        out = [redactor.redact(label), _labelled(redactor, label, item)]
    else:
        out = [_walk(redactor, item, depth) for item in value]
    return value if all(new is old for new, old in zip(out, value, strict=True)) else out
