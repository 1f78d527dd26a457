"""The first sentence of an Answer, on one line that no reader of markdown takes for a link, a tag or a part of the list around it."""

from __future__ import annotations

import re
import unicodedata

from libtool.domain.lazy import lazy
from libtool.domain.schema import SENTENCE_LIMIT

_LOOKED_AT = 2000
"""Characters: enough for a sentence of 160 with long links in it."""
_CODE = lazy(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_IMAGE_OR_LINK = lazy(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)|\[[^\[\]]*\])")
_AUTOLINK = lazy(r"<([a-z][a-z0-9+.-]*:[^\s<>]*)>", re.IGNORECASE)
_LIST_OR_QUOTE = re.compile(r"\A(?:[-*+>|]|[0-9]{1,3}[.)])\s+")
_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019\u00bb)\]*_]*(?=\s|$)|[\u3002\uff01\uff1f\uff0e][\u300d\u300f\u201d\uff09]*")
_WORD_BEFORE = re.compile(r"[^\s(\[\"']+$")
_NEVER_LAST = frozenset(
    "e.g. i.e. eg. ie. vs. cf. viz. approx. ca. no. nr. fig. figs. sec. ch. eq. dr. mr. mrs. ms. prof. st. mt. ver. vol. pp. incl. excl. "
    "resp. "
    "z.b. d.h. u.a. bzw. vgl. sog. evtl. ggf. p.ex. par. ex.".split()
)
"""Abbreviations that something follows."""
_INITIAL = re.compile(r"(?:[A-Z]\.)+$")
_ESCAPED = re.compile(r"[<&](?=[A-Za-z/!?#])")


def first_sentence(text: str) -> str:
    """The first sentence of some prose, at most 160 characters, cut on a word with an ellipsis; '' when there is none."""
    text = _LIST_OR_QUOTE.sub("", " ".join(text.split())[:_LOOKED_AT], count=1)
    end = _sentence_end(text)
    return _cut(_inert(text[:end]))


def _sentence_end(text: str) -> int:
    """Where the first sentence ends. A stop in a code span, of an abbreviation, or before a small letter is none."""
    masked = _CODE.sub(lambda match: "x" * len(match[0]), text) if "`" in text else text
    for match in _END.finditer(masked):
        following = masked[match.end() :].lstrip()
        if not following or match[0][0] in "\u3002\uff01\uff1f\uff0e":
            return match.end()
        word = _WORD_BEFORE.search(masked, 0, match.start() + 1)
        said = word[0] if word else ""
        if following[0].islower() or said.lower() in _NEVER_LAST or _INITIAL.match(said):
            continue
        return match.end()
    return len(text)


def _inert(text: str) -> str:
    """Links as their words, tags with a backslash; code spans stay, and none is left open."""
    pieces = []
    at = 0
    for match in _CODE.finditer(text) if "`" in text else ():
        pieces += [_plain(text[at : match.start()]), match[0]]
        at = match.end()
    pieces.append(_plain(text[at:]).replace("`", ""))
    return " ".join("".join(pieces).replace("\u00b7", "-").split())


def _plain(text: str) -> str:
    last = "" if "[" in text else text
    while last != text:
        last, text = text, _IMAGE_OR_LINK.sub(r"\1", text)
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", text)
    return _ESCAPED.sub(lambda match: "\\" + match[0], text.replace("](", "] (").replace("][", "] ["))


def _cut(text: str) -> str:
    if len(text) <= SENTENCE_LIMIT:
        return text
    room = SENTENCE_LIMIT - 1
    at = text.rfind(" ", room // 2, room + 1)
    if at < 0:
        at = room
        while at and unicodedata.combining(text[at]):
            at -= 1
    kept = text[:at].rstrip(" ,;:-([{")
    # Half a code span would run on into what follows on the line.
    if kept.count("`") % 2:
        kept = kept[: kept.rindex("`")] + kept[kept.rindex("`") + 1 :]
    return kept + "\u2026"
