"""The text of an entry file, whatever its bytes are."""

from __future__ import annotations

from libtool.domain.lazy import lazy

UNSEEN = lazy("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
"""Bidirectional controls, byte order marks and tags: what makes a reader see another text than an agent."""
CONTROL = lazy("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BLANK = lazy("[\x0b\x0c\x1c-\x1f\x85]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes) -> str:
    """The text with LF line ends, without unseen characters; what cannot be text is U+FFFD."""
    try:
        text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return CONTROL.sub("\ufffd", _BLANK.sub(" ", UNSEEN.sub("", text)))


def is_utf16(data: bytes) -> bool:
    """Whether the bytes begin as UTF-16 does."""
    return data.startswith(_UTF16)
