r"""JSON as text: logins inside encoded strings are found decoded and replaced where they stand, so that every other byte stays.

A rule sees `\\n` where the text has a line break and `\\"` where it has a quote: decoded once more it finds more, so each encoded string is
decoded, also what is encoded twice, and the places found are mapped back.
"""

from __future__ import annotations

import bisect
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from libtool.domain.redact.json_value import EXACT_KEYS
from libtool.domain.redact.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from libtool.domain.redact.engine import Finding
    from libtool.domain.redact.rule import Span

    class Scanner(Protocol):
        """What finds logins in one text."""

        def look(self, text: str) -> list[Finding]:
            """The findings of a text as it stands, in order."""
            ...


DEEPEST = 4
"""How often a string inside a string is decoded."""
_STRING = lazy(r'"(?:[^"\\\n]|\\[^\n])*+"')
_COLON = lazy(r"[ \t]*:")
_UNIT = lazy(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_BLOB = lazy(r"(?:data:image/[^,]{1,60},)?[A-Za-z0-9+/=_-]{256,}")
_BLOB_KEYS = frozenset({"data", "image_url", "url", "image", "b64_json"})


def looks_like_json(line: str) -> bool:
    """Whether a line may be a JSON record."""
    bare = line.strip()
    return bare[:1] + bare[-1:] in {"{}", "[]", '""'} and len(bare) > 2


def scan_json(scanner: Scanner, text: str, depth: int = 0) -> list[Finding]:
    """The findings of one JSON text, as it stands and decoded; none in what must stay byte for byte."""
    found, exact = decoded(scanner, text, depth)
    return apart(found + outside(scanner.look(text), exact))


def scan_lines(scanner: Scanner, text: str) -> tuple[list[Finding], list[Span]]:
    """What is found in the encoded strings of those lines of a text that may be JSON, and what must stay byte for byte."""
    found: list[Finding] = []
    exact: list[Span] = []
    at = 0
    for line in text.split("\n"):
        if looks_like_json(line):
            inside, fixed = decoded(scanner, line)
            found += [replace(one, start=at + one.start, end=at + one.end) for one in inside]
            exact += [(at + start, at + end) for start, end in fixed]
        at += len(line) + 1
    return found, exact


def outside(findings: list[Finding], exact: list[Span]) -> list[Finding]:
    """The findings that touch none of the spans, which are apart and in order."""
    if not exact:
        return findings
    ends = [end for _, end in exact]
    places = ((one, bisect.bisect_right(ends, one.start)) for one in findings)
    return [one for one, place in places if place == len(exact) or exact[place][0] >= one.end]


def decoded(scanner: Scanner, text: str, depth: int = 0) -> tuple[list[Finding], list[Span]]:
    """The findings in the encoded strings of a JSON text, at their places in it, and the spans that must stay byte for byte."""
    found: list[Finding] = []
    exact: list[Span] = []
    for key, start, end in _strings(text):
        if key in EXACT_KEYS or (key in _BLOB_KEYS and _BLOB.fullmatch(text, start, end)):
            exact.append((start, end))
        elif "\\" in (raw := text[start:end]):
            found += _decoded(scanner, raw, start, depth)
    return found, exact


def _strings(text: str) -> Iterator[tuple[str, int, int]]:
    """(key it stands under, start, end) of each string that is no key, without its quotes."""
    key = ""
    for match in _STRING.finditer(text):
        if _COLON.match(text, match.end()):
            key = match[0][1:-1]
        else:
            yield key, match.start() + 1, match.end() - 1


def _decoded(scanner: Scanner, raw: str, shift: int, depth: int) -> list[Finding]:
    """Findings of an encoded string, at their places in the text that holds it."""
    try:
        plain: str = json.loads(f'"{raw}"', strict=False)
    except ValueError:
        return []
    nested = depth < DEEPEST and looks_like_json(plain)
    findings = scan_json(scanner, plain, depth + 1) if nested else scanner.look(plain)
    if not findings:
        return []
    places = [shift]
    places += (shift + unit.end() for unit in _UNIT.finditer(raw))
    return [replace(one, start=places[one.start], end=places[one.end]) for one in findings]


def apart(findings: list[Finding]) -> list[Finding]:
    """Findings in order, those that overlap as one that covers them all, named by the first of them that was given."""
    out: list[Finding] = []
    ranks: list[int] = []
    for rank, one in sorted(enumerate(findings), key=lambda item: (item[1].start, item[1].end)):
        if out and one.start < out[-1].end:
            first = out[-1] if ranks[-1] < rank else one
            out[-1] = replace(first, start=out[-1].start, end=max(out[-1].end, one.end))
            ranks[-1] = min(ranks[-1], rank)
        else:
            out.append(one)
            ranks.append(rank)
    return out
