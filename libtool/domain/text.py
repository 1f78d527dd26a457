"""Foreign text made safe to store and to print: no control, escape, bidi or surrogate characters, no encoded blobs."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ASCII_CONTROL = bytes([*range(9), *range(11, 32), 127])
_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{180,}")
_BLOB_LINES = re.compile(r"(?:^[A-Za-z0-9+/]{60,100}={0,2}\r?$\n?){4,}", re.MULTILINE)
_WORDY = re.compile(r"[-_/]")
_SHORTEST_BLOB = 60
_BLOB_BYTES = bytes(120 if chr(code).isalnum() and code < 128 or chr(code) in "+/_=-" else 32 for code in range(256))
_RUN, _LONG_RUN = b"x" * _SHORTEST_BLOB, b"x" * 180


def clean(text: str) -> str:
    """Drop what must never be stored or printed: escapes, control and bidi characters; CR LF becomes LF, a lone surrogate U+FFFD.

    Tab and newline stay. Applied twice it changes nothing more.
    """
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if text.isascii():
        return text.encode("ascii").translate(None, _ASCII_CONTROL).decode("ascii")
    text = _SURROGATE.sub("\ufffd", text)
    return _CONTROL.sub("", text)


def without_blobs(text: str) -> str:
    """Replace runs of encoded data (base64 and the like, 180 characters or more, or four full lines) by a mark with their length.

    A long path or a hyphenated name is no blob: a run with a separator at least every 40 characters stays.
    """
    if len(text) < len(_LONG_RUN):
        return text
    # Bytes are searched at memory speed; the patterns cost a hundred times as much and are hardly ever needed.
    runs = text.encode("utf-8", "replace").translate(_BLOB_BYTES)
    if _RUN not in runs:
        return text
    if _LONG_RUN in runs:
        text = _BLOB.sub(_mark, text)
    return _BLOB_LINES.sub(_mark, text) if "\n" in text else text


def _mark(match: re.Match[str]) -> str:
    run = match.group()
    if len(_WORDY.findall(run)) * 40 > len(run) and "\n" not in run:
        return run
    return f"[{len(run)} characters of data]" + ("\n" if run.endswith("\n") else "")


def one_line(text: str, limit: int) -> str:
    """All white space folded to single spaces, cut to `limit` characters with an ellipsis."""
    # Only a bounded head is looked at: the text may be megabytes long.
    folded = " ".join(text[: limit * 8 + 200].split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def head_and_tail(text: str, head: int, tail: int, *, mark: str = "\n[…]\n") -> str:
    """The first `head` and last `tail` characters, cut at line ends where one is near; the whole text when it is short enough."""
    if len(text) <= head + tail + len(mark):
        return text
    first, last = text[:head], text[-tail:] if tail else ""
    cut = first.rfind("\n", head // 2)
    if cut > 0:
        first = first[:cut]
    cut = last.find("\n", 0, tail // 3)
    if cut >= 0:
        last = last[cut + 1 :]
    return first + mark + last
