"""Lines that are JSON objects, as transcripts have them, judged by their decoded strings alone; the rest of a text as it stands.

Nothing is read twice: a record whose strings hold nothing is done with, and most are.
"""

from __future__ import annotations

from functools import lru_cache

from libtool.domain.redact.json_text import apart, each_string, outside, placed, scan_lines
from libtool.domain.redact.json_value import DEEPEST, gather, redact_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    from collections.abc import Iterable, Iterator

    from libtool.domain.redact.engine import Redactor
    from libtool.domain.redact.finding import Finding

    Record = dict[str, object]


class _RefusedError(ValueError):
    """A line that only looks like a record, or says more than a parser gives back."""


def scan_text(redactor: Redactor, text: str, *, cut: bool = False) -> list[Finding]:
    """The findings of a text, in order. `cut`: its last line goes on, and is left alone when it may become a record."""
    if not text.startswith("{") and "\n{" not in text:
        return _scan_raw(redactor, text)
    found: list[Finding] = []
    records: list[tuple[int, str, Record]] = []
    at = raw = 0
    lines = text.split("\n")
    last = lines.pop() if cut and lines[-1].startswith("{") else None
    for line in lines:
        record = _parsed(line, redactor) if line.startswith("{") else None
        if record is not None:
            if record:
                records.append((at, line, record))
            found += _shifted(_scan_raw(redactor, text[raw:at]), raw)
            raw = at + len(line) + 1
        at += len(line) + 1
    found += _shifted(_scan_raw(redactor, text[raw : at if last is not None else len(text)]), raw)
    return sorted(found + _in_records(redactor, records), key=_place)


def _place(one: Finding) -> tuple[int, int]:
    return one.start, one.end


def _shifted(found: Iterable[Finding], by: int) -> list[Finding]:
    return [one.at(one.start + by, one.end + by) for one in found]


def _scan_raw(redactor: Redactor, text: str) -> list[Finding]:
    """Findings of lines that are no records; one that may be JSON all the same is decoded too, and what must stay in it does."""
    if not text:
        return []
    inside, exact = scan_lines(redactor, text) if "{" in text or "[" in text else ([], [])
    return apart(inside + outside(redactor.look(text), exact))


def _parsed(line: str, redactor: Redactor) -> Record | None:
    """The object that a line is, an empty one when it is known to hold nothing.

    None when it is none, nests too deep, or has a key twice (a parser gives back one of them).
    """
    if redactor.is_clean(line):
        return {}
    if not line.rstrip().endswith("}"):
        return None
    try:
        record = _decoder().decode(line)
    except (ValueError, RecursionError):
        return None
    return record if line.count("{") + line.count("[") < DEEPEST or _depth_fits(record) else None


@lru_cache(maxsize=1)
def _decoder() -> json.JSONDecoder:
    import json  # noqa: PLC0415 - 2 ms that a text without JSON need not pay

    return json.JSONDecoder(strict=False, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, object]]) -> Record:
    """An object whose keys are all different."""
    record = dict(pairs)
    if len(record) != len(pairs):
        raise _RefusedError
    return record


def _depth_fits(value: object, depth: int = 0) -> bool:
    """Whether a value is no deeper than `redact_json` follows."""
    if depth >= DEEPEST:
        return False
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_depth_fits(item, depth + 1) for item in items if isinstance(item, (dict, list)))


def _in_records(redactor: Redactor, records: list[tuple[int, str, Record]]) -> list[Finding]:
    """The findings of records (place, line, value): one pass over the strings of all of them tells which need to be looked at."""
    texts: list[str] = []
    ends: list[tuple[int, bool]] = []
    for _, _, record in records:
        plain = gather(redactor, record, texts)
        ends.append((len(texts), plain))
    inside = {} if redactor.prepare(texts) else _in_texts(redactor, texts)
    found: list[Finding] = []
    begin = 0
    for (start, line, record), (end, plain) in zip(records, ends, strict=True):
        within = {text: inside[text] for text in texts[begin:end] if text in inside} if inside else {}
        begin = end
        if not plain:
            recorder = _Recorder(redactor, within)
            redact_json(recorder, record)
        if within:
            found += _shifted(_placed(within, line), start)
        else:
            redactor.pass_over(line)
    return found


def _in_texts(redactor: Redactor, texts: list[str]) -> dict[str, list[Finding]]:
    """The findings of those texts that hold any, each looked at by itself."""
    inside: dict[str, list[Finding]] = {}
    for text in dict.fromkeys(texts):
        if redactor.is_clean(text):
            continue
        found = redactor.scan(text)
        if found:
            inside[text] = found
        else:
            redactor.pass_over(text)
    return inside


class _Recorder:
    """Stands for a redactor that changes nothing, and adds to `found` what it would replace only with the text around a string."""

    def __init__(self, redactor: Redactor, found: dict[str, list[Finding]]) -> None:
        self._redactor = redactor
        self._found = found
        self.is_label = redactor.is_label

    def prepare(self, _texts: Iterable[str]) -> bool:
        """Whether all are without logins: asked of many records at once before."""
        return False

    def redact(self, text: str) -> str:
        """The text itself: it was looked at before."""
        return text

    def redact_within(self, before: str, text: str, after: str) -> str:
        """The text itself."""
        low, high = len(before), len(before) + len(text)
        inside = [one for one in self._redactor.scan(before + text + after) if one.start < high and one.end > low]
        if inside:
            inside = [one.at(max(one.start - low, 0), min(one.end, high) - low) for one in inside]
            self._found[text] = apart(self._found.get(text, []) + inside)
        return text


def _placed(found: dict[str, list[Finding]], line: str) -> Iterator[Finding]:
    """What was found in the strings of a record, at its places in the line."""
    for start, end, text in each_string(line):
        if text in found:
            yield from placed(found[text], line, start, end)
