"""An entry cut into passages for the search: tolerant of anything, since what lies in the work tree is what an agent reads.

Validation is `domain.validate`'s; here a file with conflict markers, doubled sections or no heading at all is as good as any other.
"""

from __future__ import annotations

import re

from libtool.domain import cited
from libtool.domain.chunk import CHUNK_LIMIT, pieces
from libtool.domain.named import NamedTuple
from libtool.domain.schema import ANSWER, NONE, SESSION
from libtool.domain.text import clean, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.cited import Cited

_LONGEST_TITLE = 160
_MOST_CITED = 500
_HEADING = re.compile(r"(#{1,2})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DATE = re.compile(r"(?<![\w-])(2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?![\w-])")
_PROJECT = re.compile(r"(?:^|[-*+] |absent )([\w.-]+(?:/[\w.-]+)*)@[0-9a-f]{7,40}\b", re.MULTILINE)
_NOTHING = frozenset({"", NONE.lower()})


class Passage(NamedTuple):
    """A part of a section: the section's name ('' before the first), the line it begins in, its text."""

    section: str
    line: int
    text: str


class Passages(NamedTuple):
    """An entry as the search sees it."""

    title: str
    date: str
    """The newest date in it; '' for none."""
    projects: tuple[str, ...]
    cited: tuple[Cited, ...]
    passages: tuple[Passage, ...]


def sections(text: str) -> tuple[str, list[Passage]]:
    """(title, the sections in the order of the file, each whole). A heading inside a code fence is none."""
    title, fence = "", ""
    found: list[tuple[str, int, list[str]]] = [("", 1, [])]
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            found[-1][2].append(line)
        elif len(heading[1]) == 2:
            found.append((heading[2], number, []))
        elif title:
            # A second title, of a merge without our driver: its words must be found too.
            found[-1][2].append(heading[2])
        else:
            title = heading[2]
    return title, [Passage(name, number, "\n".join(lines).strip()) for name, number, lines in found]


def read(topic: str, text: str) -> Passages:
    """The passages of an entry's redacted text, each at most a chunk long.

    The Answer's holds the title too; sections of nothing are left out.
    Session lines are cited sessions, not words to find: else every entry would answer for the name of a machine.
    """
    text = clean(text)
    title, parts = sections(text)
    title = one_line(title, _LONGEST_TITLE) or topic
    passages: list[Passage] = []
    named: dict[tuple[str, str], Cited] = {}
    for section, line, body in parts:
        if section == SESSION:
            for one in cited.of_text(body):
                named.setdefault((one.agent, one.sid), one)
            body = cited.without(body).strip()  # noqa: PLW2901
        if section == ANSWER:
            body = f"{title}\n{body}"  # noqa: PLW2901
        elif body.lower() in _NOTHING:
            continue
        passages += [Passage(one_line(section, _LONGEST_TITLE), line, piece) for piece in pieces(body, CHUNK_LIMIT)]
    if not any(passage.section == ANSWER for passage in passages):
        passages.insert(0, Passage("", 1, title))
    projects = dict.fromkeys(match.lower() for _, _, body in parts for match in _PROJECT.findall(body))
    return Passages(title, max(_DATE.findall(text), default=""), tuple(projects), tuple(named.values())[:_MOST_CITED], tuple(passages))
