"""What models put around the blocks of a review: the draft of it, tags, rules, words to whom they believe to talk with."""

from __future__ import annotations

import re

_THOUGHT_TAG = "(analysis|thinking|think|scratchpad|reasoning)"
_THOUGHT = re.compile(rf"^[ \t]*<{_THOUGHT_TAG}>|</{_THOUGHT_TAG}>", re.IGNORECASE | re.MULTILINE)
_WRAPPER = re.compile(
    r"\s*<(/?)(?:summary|output|result|response|final|final_answer|library|entries|review|capture|block|notes|report)>\s*$", re.IGNORECASE
)
_RULE = re.compile(r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_CHATTER = re.compile(
    r"(?:please )?let me know\b|feel free\b|(?:i )?hope (?:this|that|it) (?:helps?|is)\b|would you like\b|(?:shall|should) i\b.*\?$|"
    r"do you want me\b|if you(?:'d| would|'ll| need| want)\b.*\b(?:i can|i'll|i could|let me|just|tell me)\b|i(?:'m| am) happy to\b|"
    r"anything else\b|that(?:'s| is) (?:all|it|everything)\b|that covers\b|"
    r"(?:this|these|the) (?:block|entry|entries|summary|review)s? (?:above )?(?:captures?|covers?|reflects?|summari[sz]es?)\b",
    re.IGNORECASE,
)
_SECTION_TAG = "(?:topic|entry|entries|title|answer|decided|blocker|superseded|measured|open|pointers)"
_TAG_LINE = re.compile(rf"[ \t]*<{_SECTION_TAG}>", re.IGNORECASE)
_TAG = re.compile(rf"(?<!^)(?=</?(?:{_SECTION_TAG}|session|item|li)>)", re.IGNORECASE)
_ITEM_TAG = re.compile(r"<(/?)(?:item|li)>", re.IGNORECASE)


def without_thoughts(text: str) -> tuple[str, list[str]]:
    """(the text without what stands between the tags of thinking, that): a compaction's summary comes with the draft of itself."""
    kept: list[str] = []
    thoughts: list[str] = []
    at, start, name = 0, 0, ""
    for mark in _THOUGHT.finditer(text):
        if mark[1] and not name:
            start, name = mark.start(), mark[1].lower()
        elif mark[2] and mark[2].lower() == name:
            kept.append(text[at:start])
            thoughts.append(text[start : mark.end()])
            at, name = mark.end(), ""
    return "\n".join((*kept, text[at:])), thoughts


def untagged(lines: list[str]) -> list[str]:
    """The lines, in those of an entry in tags each tag on a line of its own and each item marked as one of a list."""
    if not any(map(_TAG_LINE.match, lines)):
        return lines
    return [piece for line in lines for piece in (_apart(line) if "<" in line else (line,))]


def _apart(line: str) -> list[str]:
    return [_ITEM_TAG.sub(lambda tag: "" if tag[1] else "- ", piece) for piece in _TAG.split(line)]


def is_wrapper(line: str) -> bool:
    """Whether a line is a mere tag around the whole."""
    return _WRAPPER.match(line) is not None


def ends(line: str, before: str) -> bool:
    """Whether a line closes what stands above it; `before` is the line above: right below text a rule underlines it."""
    wrapper = _WRAPPER.match(line)
    return bool(wrapper and wrapper[1]) or (not before.strip() and _RULE.match(line) is not None)


def is_chatter(line: str) -> bool:
    """Whether a line speaks to whom the model believes to talk with."""
    return _CHATTER.match(line) is not None
