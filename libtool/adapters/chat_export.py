"""Chats that a person exported to markdown: `## User` and `## Assistant` headings, or `**User:**` lines, over what was said.

Many programs write this, each a little differently. Seen: claude-conversation-extractor (`## 👤 User`, `## 🤖 Claude`, tools as
`🔧 Using tool:`), editors' exports of Claude Code (tools as fenced JSON), ccexport and cctrace (tools and thinking as `<details>`), and
plain ones of web chats. A file is known by its role headings alone, so where no exporter names itself, more of them are asked for.
"""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.adapters.base import Adapter, Whole
from libtool.adapters.documents import dict_of, file_id, read_text, text_of, without_surrogates
from libtool.adapters.typed import typed_records, utc
from libtool.domain.session import ASSISTANT, CALL, RESULT, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.adapters.base import Reader, Source

_FOLDERS = ("claude-md-export", "claude-exports", "claude-transcripts", ".claude-transcripts", "chat-exports", "chat-export", "chat-logs")
_USERS, _MODELS = "User|Human|You", "Assistant|Claude(?: Code)?|ChatGPT|GPT-[\\w.]{1,12}|Gemini|Codex|Copilot|AI|Tool (?:Use|Call|Result)s?"
_ROLE = rf"(?:[^\w\s\x00-\x7f]{{1,8}}[ \t]*)?(?:(?P<user>{_USERS})|(?P<model>{_MODELS}))"
_TAIL = r"(?:[ \t]*[(\[](?P<inside>[^()\[\]\n]{1,80})[)\]]|[ \t]+(?:[-\u2013\u2014|\u00b7@]|at)[ \t]+(?P<behind>[^\n]{0,40}\d[^\n]{0,40}))?"
_HEADING = re.compile(rf"(?P<level>#{{1,4}})[ \t]+\**{_ROLE}:?\**:?{_TAIL}:?[ \t]*")
_BOLD = re.compile(rf"\*\*{_ROLE}{_TAIL}(?::\*\*|\*\*:|\*\*(?=[ \t]*$))[ \t]*(?P<said>.*)")
_ANY_HEADING = re.compile(r"#{1,6}[ \t]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_EXPORTED = re.compile(
    r"^(?:# Claude Conversation Log|# Claude Code (?:Conversation|Session Export)|[*_]Exported from Claude|\*\*Session(?: ID)?:\*\*)",
    re.MULTILINE,
)
_PREAMBLE = 15
"""Lines with text that an export has above its first role heading, at most."""
_SESSION = re.compile(r"\**Session(?: ID)?:?\**:?\s*`?([0-9A-Za-z][\w-]{7,80})`?\s*")
_PROJECT = re.compile(r"\**Project:?\**:?\s*`?(/[^`\n]+?)`?\s*")
_DATED = re.compile(r"\**(?:Date|Started|Start Time|Exported|Created)(?: at| on)?:?\**:?\s+(.*?)\s*")
_GENERIC = re.compile(
    r"(?:Claude|Claude Code|Chat|AI)? ?(?:Conversation|Session|Chat|Transcript)?(?: (?:Log|Export|Transcript|History))?", re.IGNORECASE
)
"""Titles that say no more than what the file is."""
_STAMP = re.compile(r"(?:\n|\A)\*\*\[([^\]\n]{10,40})\]\*\*\s*\Z")
_RULE = re.compile(r"(?:\n|\A)(?:-{3,}|\*{3,}|_{3,})\s*\Z")
_MODEL = re.compile(r"[A-Za-z][\w./:-]*\d[\w./:-]*")
_RESULT_HEAD = re.compile(r"\W{0,6}Tool (?:Result|Output)\b")
_USING = re.compile(r"^🔧 (?:Using tool: ([^\n]{1,100})\nInput: |\*\*Tool Use: ([^\n*]{1,100})\*\*[^\n]*\n```json\n)", re.MULTILINE)
_COMMENT = re.compile(r"\A<!-- [^\n>]{1,80} -->\n")
_JSON_FENCE = re.compile(r'^```json\n(?=\{\s*"type": "(?:tool_use|tool_result|thinking)")', re.MULTILINE)
_OPEN, _CLOSE = "<details>", "</details>"
_SUMMARY = re.compile(r"\s*<summary>(.*?)</summary>", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


class _Head(NamedTuple):
    """A line that says who speaks from there on."""

    at: int
    user: bool
    style: int
    """Level of the heading; 0 for a bold line."""
    stamp: str
    said: str


class ChatExport(Adapter):
    """Adapter of chats exported to markdown."""

    agent = "chat-export"
    project_patterns: tuple[str, ...] = (*(f"{folder}/*.md" for folder in _FOLDERS), "claude-conversation-*.md")
    """Where people were seen to keep them; `lib index PATH` takes one from anywhere."""

    def sniff(self, head: bytes, path: str) -> bool:
        """Markdown whose role headings alternate, from its beginning on."""
        if not path.lower().endswith((".md", ".markdown", ".txt")) or b"\x00" in head:
            return False
        return bool(_heads(head.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").split("\n")))

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: an export is written anew."""
        return Whole(_records)


def _records(source: Source) -> Iterator[Record]:
    """Records in the order of the file."""
    lines = read_text(source).split("\n")
    heads = _heads(lines)
    if not heads:
        return
    preamble = lines[: heads[0].at]
    session = _facts(preamble, source.path)
    if session.title:
        yield Record(session, TITLE, session.title, session.started)
    ends = [head.at for head in heads[1:]] + [len(lines)]
    stamp = _STAMP.search("\n".join(preamble))
    for head, end in zip(heads, ends, strict=True):
        time = utc(head.stamp) or (utc(stamp[1]) if stamp else "")
        session.saw(time)
        if not head.user and not utc(head.stamp) and (found := _MODEL.fullmatch(head.stamp)):
            session.model = found[0]
        text = "\n".join([head.said, *lines[head.at + 1 : end]]).strip()
        text = _COMMENT.sub("", text)
        stamp = _STAMP.search(text)
        text = _RULE.sub("", text[: stamp.start()] if stamp else text).strip()
        yield from _spoken(session, head, text, time)


def _heads(lines: list[str]) -> list[_Head]:
    """The role headings of an export, all of one style; none for a file that is no export."""
    found = _all_heads(lines)
    for style in dict.fromkeys(head.style for head in found):
        heads = [head for head in found if head.style == style]
        ruled = heads[:1] + [head for head in heads[1:] if _is_ruled(lines, head.at)]
        if len(ruled) * 2 > len(heads):
            # A rule stands before each message: that tells a heading from one that was quoted, whatever became of the fences.
            heads = ruled
        else:
            fenced = _fenced(lines)
            heads = [head for head in heads if head.at not in fenced]
        if _is_export(lines, heads):
            return heads
    return []


def _all_heads(lines: list[str]) -> list[_Head]:
    heads = []
    for at, line in enumerate(lines):
        match = _HEADING.fullmatch(line) if line.startswith("#") else _BOLD.fullmatch(line) if line.startswith("**") else None
        if match:
            parts = match.groupdict()
            stamp = parts["inside"] or parts["behind"] or ""
            heads.append(_Head(at, bool(parts["user"]), len(parts.get("level") or ""), stamp, parts.get("said") or ""))
    return heads


def _is_export(lines: list[str], heads: list[_Head]) -> bool:
    """Whether role headings are those of a chat, not of a text about users and assistants."""
    changes = sum(one.user != other.user for one, other in pairwise(heads))
    if not changes:
        return False
    above = [line for line in lines[: heads[0].at] if line.strip()]
    if _EXPORTED.search("\n".join(above[:_PREAMBLE])):
        return True
    return changes > 1 and len(above) <= _PREAMBLE and sum(_ANY_HEADING.match(line) is not None for line in above) <= 1


def _is_ruled(lines: list[str], at: int) -> bool:
    before = next((line for line in reversed(lines[max(0, at - 3) : at]) if line.strip()), "")
    return bool(_RULE.match(before) or _STAMP.match(before))


def _fenced(lines: list[str]) -> set[int]:
    """Indices of the lines inside code fences; one that is never closed is none."""
    inside: set[int] = set()
    fence, begin = "", 0
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence, begin = mark[1], at
        elif mark and mark[1].startswith(fence) and not line.strip(" \t`~"):
            inside.update(range(begin, at))
            fence = ""
    return inside


def _facts(preamble: list[str], path: str) -> Session:
    """The session that the lines above the first role heading describe."""
    session = Session(ChatExport.agent, file_id(path))
    folder, above = os.path.dirname(path), os.path.dirname(os.path.dirname(path))
    if os.path.isabs(path) and os.path.basename(folder) in _FOLDERS:
        session.cwd = os.fsencode(above).decode("utf-8", "replace")
    for line in preamble:
        if line.startswith("# ") and not session.title and not _GENERIC.fullmatch(line[2:].strip()):
            session.title = line[2:].strip()
        elif found := _SESSION.fullmatch(line):
            session.id = found[1]
        elif found := _PROJECT.fullmatch(line):
            session.cwd = found[1]
        elif found := _DATED.fullmatch(line):
            session.saw(utc(found[1]))
    return session


def _spoken(session: Session, head: _Head, text: str, time: str) -> Iterator[Record]:
    """The records under one role heading."""
    if head.user and _RESULT_HEAD.match(text):
        yield Record(session, RESULT, text.partition("\n")[2].strip(), time)
        return
    said: list[str] = []
    for piece, record in _pieces(session, text, time):
        if record is None or (head.user and record.kind != RESULT):
            said.append(piece)
            continue
        yield from _prose(session, head, said, time)
        said = []
        yield record
    yield from _prose(session, head, said, time)


def _prose(session: Session, head: _Head, said: list[str], time: str) -> Iterator[Record]:
    text = "".join(said).strip()
    if text and head.user:
        yield from typed_records(session, text, time)
    elif text:
        yield Record(session, ASSISTANT, text, time)


def _pieces(session: Session, text: str, time: str) -> Iterator[tuple[str, Record | None]]:
    """(text as it stands, what it is unless it is prose) from the first to the last character."""
    marks = [*_USING.finditer(text), *_JSON_FENCE.finditer(text), *re.finditer(rf"^{_OPEN}", text, re.MULTILINE)]
    last_close = text.rfind(_CLOSE)
    done = 0
    for mark in sorted(marks, key=re.Match.start):
        if mark.start() < done:
            continue
        if mark[0] == _OPEN:
            end = text.find(_CLOSE, mark.end()) + len(_CLOSE) if mark.end() <= last_close else 0
            record = _folded(session, text[mark.end() : end - len(_CLOSE)], time) if end else None
        else:
            value, end = _json(text, mark.end())
            record = _block(session, (mark[1] or mark[2]) if mark.re is _USING else "", value, time) if end else None
            end += 4 if text.startswith("\n```", end) else 0
        if record is not None:
            yield text[done : mark.start()], None
            yield text[mark.start() : end], record
            done = end
    yield text[done:], None


def _json(text: str, at: int) -> tuple[object, int]:
    """The JSON value that begins at `at`, and where it ends; 0 when there is none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return without_surrogates(value), end
    except (ValueError, RecursionError):
        return None, 0


def _block(session: Session, tool: str, value: object, time: str) -> Record:
    """A call that the exporter names, or a content block that it wrote as JSON."""
    block = dict_of(value)
    if tool:
        return Record(session, CALL, "", time, tool.strip(), value)
    if block.get("type") == "tool_use":
        return Record(session, CALL, "", time, text_of(block.get("name")), block.get("input"), call=text_of(block.get("id")))
    if block.get("type") == "thinking":
        return Record(session, THINKING, text_of(block.get("thinking")), time)
    content = block.get("content")
    failed = block.get("is_error") is True
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return Record(session, RESULT, text, time, failed=failed, call=text_of(block.get("tool_use_id")))


def _folded(session: Session, inside: str, time: str) -> Record | None:
    """What a `<details>` block holds: thinking, a result, or a call named by its summary; None without a summary."""
    found = _SUMMARY.match(inside)
    if found is None:
        return None
    name, text = re.sub(r"<[^>]*>|[^\w\s.:/-]", "", found[1]).strip(), inside[found.end() :].strip()
    lowered = name.lower()
    if "thinking" in lowered or "reasoning" in lowered:
        return Record(session, THINKING, text, time)
    if "result" in lowered or "output" in lowered:
        return Record(session, RESULT, text, time)
    return Record(session, CALL, "", time, name, text)
