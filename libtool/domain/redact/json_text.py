r"""JSON as text: logins inside encoded strings are found decoded and replaced where they stand, so that every other byte stays.

A rule sees `\\n` where the text has a line break and `\\"` where it has a quote: decoded once more it finds more, so each encoded string is
decoded, also what is encoded twice, and the places found are mapped back.
"""

from __future__ import annotations

import bisect
import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.json_value import BLOB_KEYS, EXACT_KEYS, is_blob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    from libtool.domain.redact.finding import Finding
    from libtool.domain.redact.rule import Span

    class Scanner(Protocol):
        """What finds logins in one text."""

        def look(self, text: str) -> list[Finding]:
            """The findings of a text as it stands, in order."""
            ...

        def prepare(self, texts: Iterable[str], *, inner: bool = False) -> bool:
            """Look at many texts at once; whether all are without logins."""
            ...

        def is_clean(self, text: str) -> bool:
            """Whether a text is known to hold none."""
            ...


DEEPEST = 4
"""How often a string inside a string is decoded."""
_STRING = lazy(r'[^"]*+"((?:[^"\\\n]|\\[^\n])*+)"')
_ENCODED = lazy(r'[^"]*+(?:"[^"\\\n]*"[^"]*)*+"((?:[^"\\\n]|\\[^\n])*+)"')
_MAY_BE_EXACT = lazy(rf'"(?:{"|".join(sorted(EXACT_KEYS | BLOB_KEYS))})"[ \t]*:')
_COLON = lazy(r"[ \t]*:")
_ESCAPE = lazy(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)


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
            found += [one.at(at + one.start, at + one.end) for one in inside]
            exact += [(at + start, at + end) for start, end in fixed]
        at += len(line) + 1
    return found, exact


def _encoded_lines(text: str) -> Iterator[Span]:
    """The lines of a text that may be JSON and hold a backslash: what is decoded nowhere else."""
    at = text.find("\\")
    while at >= 0:
        low = text.rfind("\n", 0, at) + 1
        high = text.find("\n", at)
        high = len(text) if high < 0 else high
        if looks_like_json(text[low:high]):
            yield low, high
        at = text.find("\\", high)


def has_encoded(text: str) -> bool:
    """Whether a text holds a line of JSON with something encoded in it."""
    return '"' in text and any(True for _ in _encoded_lines(text))


def scan_encoded(scanner: Scanner, text: str) -> list[Finding]:
    """What is found in the encoded strings of those lines of a text that may be JSON."""
    found: list[Finding] = []
    for low, high in _encoded_lines(text):
        inside, _ = decoded(scanner, text[low:high])
        found += [one.at(low + one.start, low + one.end) for one in inside]
    return found


def outside(findings: list[Finding], exact: list[Span]) -> list[Finding]:
    """The findings that touch none of the spans, which are apart and in order."""
    if not exact:
        return findings
    ends = [end for _, end in exact]
    places = ((one, bisect.bisect_right(ends, one.start)) for one in findings)
    return [one for one, place in places if place == len(exact) or exact[place][0] >= one.end]


def decoded(scanner: Scanner, text: str, depth: int = 0) -> tuple[list[Finding], list[Span]]:
    """The findings in the encoded strings of a JSON text, at their places in it, and the spans that must stay byte for byte."""
    exact: list[Span] = []
    encoded: list[Span] = []
    if _MAY_BE_EXACT.search(text) is None:
        encoded = [match.span(1) for match in _each(_ENCODED, text) if not _COLON.match(text, match.end())]
    else:
        for key, start, end in _strings(text):
            if key in EXACT_KEYS or (key in BLOB_KEYS and is_blob(text, start, end)):
                exact.append((start, end))
            elif text.find("\\", start, end) >= 0:
                encoded.append((start, end))
    return list(_decoded(scanner, text, encoded, depth)), exact


def _strings(text: str) -> Iterator[tuple[str, int, int]]:
    """(key it stands under, start, end) of each string that is no key, without its quotes."""
    key = ""
    for match in _each(_STRING, text):
        if _COLON.match(text, match.end()):
            key = match[1]
        else:
            yield key, *match.span(1)


def _each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that follow one another. Behind a string that does not end is nothing that could be told from what is in it."""
    at = 0
    while (match := pattern.match(text, at)) is not None:
        yield match
        at = match.end()


def _decoded(scanner: Scanner, text: str, encoded: list[Span], depth: int) -> Iterator[Finding]:
    """Findings of encoded strings, at their places in the text that holds them."""
    import json  # noqa: PLC0415 - 2 ms that a text without JSON need not pay

    plain: dict[Span, str] = {}
    for start, end in encoded:
        try:
            plain[start, end] = json.loads(f'"{text[start:end]}"', strict=False)
        except ValueError:
            continue
    if not plain or scanner.prepare(plain.values(), inner=True):
        return
    for (start, end), string in plain.items():
        if scanner.is_clean(string):
            continue
        nested = depth < DEEPEST and looks_like_json(string)
        findings = scan_json(scanner, string, depth + 1) if nested else scanner.look(string)
        if findings:
            yield from placed(findings, text, start, end)


def placed(found: Iterable[Finding], text: str, start: int, end: int) -> Iterator[Finding]:
    """What was found in a decoded string, at its places in the text, where it stands encoded."""
    # Characters of the decoded string behind each escape, and how much longer all is up to there.
    behind, longer = [0], [start]
    for escape in _ESCAPE.finditer(text, start, end):
        behind.append(escape.end() - longer[-1] - len(escape[0]) + 1)
        longer.append(escape.end() - behind[-1])
    for one in found:
        low, high = (place + longer[bisect.bisect_right(behind, place) - 1] for place in (one.start, one.end))
        yield one.at(low, high)


def each_string(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, decoded) of each string of a JSON text, keys too."""
    import json  # noqa: PLC0415 - see above

    for match in _each(_STRING, text):
        raw = match[1]
        yield *match.span(1), json.loads(f'"{raw}"', strict=False) if "\\" in raw else raw


def apart(findings: list[Finding]) -> list[Finding]:
    """Findings in order, those that overlap as one that covers them all, named by the first of them that was given."""
    out: list[Finding] = []
    ranks: list[int] = []
    for rank, one in sorted(enumerate(findings), key=lambda item: (item[1].start, item[1].end)):
        if out and one.start < out[-1].end:
            first = out[-1] if ranks[-1] < rank else one
            out[-1] = first.at(out[-1].start, max(out[-1].end, one.end))
            ranks[-1] = min(ranks[-1], rank)
        else:
            out.append(one)
            ranks.append(rank)
    return out
