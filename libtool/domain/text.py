"""Foreign text made safe to store and to print: no control, escape, bidi or surrogate characters, no encoded blobs."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy

_ESCAPE = lazy(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[ #%()*+./-][0-~]|[78=>c@-Z\\-_])")
_UNSAFE = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
"""C0, DEL and C1; bidirectional and invisible characters; line separators, surrogates, byte order marks, tags."""
_JOINER = lazy("(?<=[A-Za-z0-9])[\u200c\u200d]+(?=[A-Za-z0-9])")
"""Joiners have a meaning in other scripts and between emoji; inside an ASCII word they only hide it."""
_ASCII_CONTROL = bytes([*range(9), *range(11, 32), 127])
_BLOB = lazy(r"[A-Za-z0-9+/_=-]{180,}")
_BLOB_LINES = lazy(r"(?:^[A-Za-z0-9+/]{60,100}={0,2}\r?$\n?){4,}", re.MULTILINE)
MARK = "\n[…]\n"
"""Stands where the middle of a text was left out."""
BROKEN = 256
"""Characters beyond a cut that are looked at, and may be kept, to end it between two words."""
_LAST_WORD = lazy(r"(?<!\S)\S+\Z")
_FIRST_WORD = lazy(r"\A\S+")
_SEPARATOR = lazy(r"[-_/]")
_MIXED = lazy(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_SHORTEST_BLOB = 60
_BLOB_BYTES = bytes(120 if (chr(code).isalnum() and code < 128) or chr(code) in "+/_=-" else 32 for code in range(256))
_RUN, _LONG_RUN = b"x" * _SHORTEST_BLOB, b"x" * 180


def clean(text: str) -> str:
    """Drop what must never be stored or printed: escapes, control, bidi, tag and other invisible characters.

    Every kind of line end (CR LF, CR, U+2028, U+2029) becomes LF, a lone surrogate U+FFFD. Tab and newline stay. Applied twice it changes
    nothing more.
    """
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        # A bare CR is a progress bar's: dropped, it would glue the last word of one state to the first of the next.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.encode("ascii").translate(None, _ASCII_CONTROL).decode("ascii")
    return _JOINER.sub("", _UNSAFE.sub(_instead, text))


def _instead(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return "\n" if character in "\u2028\u2029" else ""


def without_blobs(text: str) -> str:
    """Replace runs of encoded data (base64 and the like, 180 characters or more, or four full lines) by a mark with their length.

    A long path or a hyphenated name is no blob: a run with a separator for every 40 characters stays, unless capitals, small
    letters and digits alternate in it as they do in base64url, which has separators too.
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
    if "\n" not in run and len(_SEPARATOR.findall(run)) * 40 > len(run) and len(_MIXED.findall(run)) * 10 < len(run) * 3:
        return run
    return f"[{len(run)} characters of data]" + ("\n" if run.endswith("\n") else "")


def one_line(text: str, limit: int) -> str:
    """All white space folded to single spaces, cut to `limit` characters with an ellipsis where something is left out."""
    # Only a bounded head is looked at: the text may be megabytes long.
    bound = limit * 8 + 200
    folded = " ".join(_without_broken_end(text, bound).split())
    if len(folded) <= limit and len(text) <= bound:
        return folded
    return _without_broken_end(folded, limit - 1).rstrip() + "…"


def head_and_tail(text: str, head: int, tail: int, *, mark: str = MARK) -> str:
    """The first `head` and last `tail` characters, cut at line ends where one is near; the whole text when it is short enough.

    Words at the cuts go whole: half of a login that only a later look knows would be nothing that it knows.
    """
    if len(text) <= head + tail + len(mark):
        return text
    first, last = _without_broken_end(text, head), _without_broken_start(text, len(text) - tail)
    cut = first.rfind("\n", head // 2)
    if cut > 0:
        first = first[:cut]
    cut = last.find("\n", 0, tail // 3)
    if cut >= 0:
        last = last[cut + 1 :]
    return first + mark + last


def _without_broken_end(text: str, size: int) -> str:
    """The first `size` characters without the word that the cut breaks; one that is all there is, or longer than BROKEN, stays cut."""
    first = text[:size]
    if len(text) <= size or text[size].isspace():
        return first
    match = _LAST_WORD.search(first, max(0, size - BROKEN - 1))
    return first[: match.start()] if match and match.start() > max(0, size - BROKEN - 1) else first


def _without_broken_start(text: str, start: int) -> str:
    """The text from `start` on, likewise without the word that the cut breaks."""
    last = text[start:]
    if start == 0 or text[start - 1].isspace():
        return last
    match = _FIRST_WORD.match(last[: BROKEN + 1])
    return last[match.end() :] if match and match.end() < min(len(last), BROKEN + 1) else last


def whole_words(text: str, size: int) -> str:
    """The first `size` characters and up to BROKEN more, ended before the word that the cut would break.

    What is cut before the redactor sees it is cut so: half a login is nothing that a redactor knows.
    """
    if len(text) <= size + BROKEN:
        return text
    return text[:size] + _LAST_WORD.sub("", text[size : size + BROKEN])


def without_middle(text: str, head: int, tail: int) -> str:
    """`whole_words` of both ends, MARK between them; the whole text when it is short enough."""
    if len(text) <= head + tail + 2 * BROKEN + len(MARK):
        return text
    end = len(text) - tail
    return whole_words(text, head) + MARK + _FIRST_WORD.sub("", text[end - BROKEN : end]) + text[end:]
