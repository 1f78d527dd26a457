"""The facts of the development sessions, where they are at hand: how many their digests hold, and at what size."""

from __future__ import annotations

import importlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.features import file_digest

if TYPE_CHECKING:
    from tests.features.machine import Machine

COMPOSE = importlib.import_module("libtool.domain.digest.compose")
"""The module: its package has a function of that name."""
DEV = Path(__file__).parents[3] / "shared" / "cases" / "eval" / "dev"
WINDOW, BYTES_A_TOKEN = 300, 4
"""Characters around the first word of a fact within which its others stand, as in the score_capture.py beside the facts."""
LIMITS = (1_700, 2_000, 2_300)
"""Bytes of a digest. At one limit alone luck makes three points of a hundred."""


def holds(text: str, fact: list[list[str]]) -> bool:
    low = text.lower()
    for words in fact:
        first, *others = (word.lower() for word in words)
        for match in re.finditer(re.escape(first), low):
            near = low[max(0, match.start() - WINDOW) : match.start() + WINDOW]
            if all(word in near for word in others):
                return True
    return False


@pytest.mark.shared
@pytest.mark.skipif(not DEV.is_dir(), reason="the development sessions are not part of this repository")
def test_digests_hold_the_facts_of_their_sessions(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    facts: dict[str, list[list[list[str]]]] = defaultdict(list)
    for line in (DEV / "capture_facts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        facts[row["file"]].append(row["must_have_any_of"])
    shares, sizes = [], {}
    for limit in LIMITS:
        monkeypatch.setattr(COMPOSE, "LIMIT", limit)
        texts = {name: "\n".join(one.text for one in file_digest.of_file(machine.config, str(DEV / name))) for name in facts}
        found = [holds(texts[name], fact) for name, its in facts.items() for fact in its]
        shares.append(sum(found) / len(found))
        sizes[limit] = sum(len(text.encode()) for text in texts.values()) / len(texts) / BYTES_A_TOKEN
    assert len(facts) == 20
    assert sum(shares) / len(shares) >= 0.65
    assert sizes[2_000] <= 500
