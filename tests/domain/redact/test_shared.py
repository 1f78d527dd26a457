"""The figures to reach, on sample data that lies beside the repository."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "shared", "cases")
KEY = bytes(32)

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not os.path.isdir(SHARED), reason="no sample data")]


def spans_of(text: str) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in Redactor(KEY).scan(text)]


def test_recall_and_precision_on_the_labelled_set() -> None:
    with gzip.open(os.path.join(SHARED, "redaction", "dev.jsonl.gz"), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    wanted = covered = found = right = tokens = tokens_covered = 0
    for record in records:
        spans = spans_of(record["text"])
        for start, end in record["spans"]:
            hit = any(a <= start and end <= b for a, b in spans)
            wanted += 1
            covered += hit
            if record["class"].startswith("tok:"):
                tokens += 1
                tokens_covered += hit
        allowed = record["spans"] + record["opt"]
        found += len(spans)
        right += sum(any(a < high and low < b for low, high in allowed) for a, b in spans)
    assert covered >= 0.97 * wanted
    assert tokens_covered >= 0.97 * tokens
    assert right >= 0.985 * found


def test_ordinary_transcripts_are_left_alone() -> None:
    size = flags = 0
    for path, _, names in os.walk(os.path.join(SHARED, "eval", "dev", "transcripts")):
        for name in names:
            with open(os.path.join(path, name), encoding="utf-8", errors="replace") as file:
                content = file.read()
            texts = content.splitlines() if name.endswith(".jsonl") else [content]
            for text in (string for one in texts for string in strings(one)):
                size += len(text)
                flags += len(spans_of(text))
    assert flags <= size / 1e6


def strings(text: str) -> Iterator[str]:
    try:
        value: Any = json.loads(text)
    except ValueError:
        value = text
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
