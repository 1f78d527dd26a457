"""Every benchmark runs, on what is small: what it prints is for people, so only that it gets to its figures is held."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.carried import stage
from tests.features.sync_lab import entry
from tests.surroundings import environment

BENCH = Path(__file__).parents[1] / "bench"
LIB = os.path.join(os.path.dirname(sys.executable), "lib")
QUESTIONS = (
    {"id": "cache", "question": "How long?", "queries": ["timetable cache minutes"], "answer_any": ["15"]},
    {"id": "kiln", "question": "Which kiln?", "queries": ["kiln", "kiln gas", "kiln fuel"], "kind": "negative"},
)
BY_HAND = {"negatives.py": "needs the public transcripts"}
GIVEN: dict[str, tuple[list[str], str]] = {
    "absent_speed.py": (["--files", "60", "--commits", "3"], "git grep"),
    "capture.py": ([LIB, "--megabytes", ".1", "--runs", "1"], "a turn more: median"),
    "commit_speed.py": (["3", "1"], "the aim is"),
    "hook_speed.py": (["1", "1"], "worker"),
    "index_speed.py": (["HOME", "--runs", "1"], "MB/s"),
    "library_lag.py": ([LIB, "LIBRARY", "cache", "--runs", "1"], "after an edit"),
    "library_speed.py": (["--entries", "5", "--kilobytes", "1"], "MB/s"),
    "lookup.py": ([LIB, "QUESTIONS", "--home", "HOME"], "keyword"),
    "peers.py": (["HOME", "--questions", "QUESTIONS", "--peer", f"lib={os.path.dirname(LIB)}", "--runs", "1"], "answered 1/1"),
    "redact_speed.py": (["HOME", "--megabytes", "1", "--known", "5"], "MB/s"),
    "retrieval.py": (["--questions", "4"], "mean reciprocal rank"),
    "search_speed.py": ([LIB, "zygote", "how long is the timetable cached", "--runs", "1"], "x bare Python"),
    "sync_speed.py": (["3", "1"], "git fetch"),
}


@pytest.fixture
def places(home: Path) -> dict[str, str]:
    stage(home)
    library = home / "shelf"
    (library / "entries").mkdir(parents=True)
    (library / "entries" / "cache.md").write_text(entry("Cache"), encoding="utf-8")
    questions = home / "questions.jsonl"
    questions.write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS), encoding="utf-8")
    subprocess.run([LIB, "index", "--quiet"], env=environment(), check=True)
    return {"HOME": str(home), "LIBRARY": str(library), "QUESTIONS": str(questions)}


def test_every_benchmark_is_tried_or_said_not_to_be() -> None:
    assert {path.name for path in BENCH.glob("*.py")} == GIVEN.keys() | BY_HAND.keys()


@pytest.mark.parametrize("name", GIVEN)
def test_a_benchmark_gets_to_its_figures(name: str, places: dict[str, str]) -> None:
    words, figure = GIVEN[name]
    done = subprocess.run(
        [sys.executable, BENCH / name, *(places.get(word, word) for word in words)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert figure in done.stdout
