from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.errors import NotIndexed
from libtool.features import verdict
from libtool.features.search import Hit, Result, search
from libtool.storage.search_db import Coverage, Filter

if TYPE_CHECKING:
    from libtool.config import Config

FOUND = Coverage({"work": 3, "sub-agent": 2, "trivial": 4, "automated": 1}, 7, [("desk", 10, "2026-03-20T11:02:42Z")])
NOW = 1_800_000_000.0


def result(*tiers: str) -> Result:
    return Result("words", [Hit(tier=tier) for tier in tiers], FOUND, ["words"])


def test_only_strong_hits_are_prior_work(indexed: Config) -> None:
    for tiers, word in ((("weak", "strong"), "hits"), (("fair", "weak"), "no-hits"), ((), "no-hits")):
        assert verdict.judge(indexed, result(*tiers), searched=3, attempt=1, caller="a", now=NOW) == (word, 1)


def test_the_third_empty_search_in_a_row_ends_it(indexed: Config) -> None:
    def judged(*tiers: str, caller: str = "a", later: float = 0) -> tuple[str, int]:
        return verdict.judge(indexed, result(*tiers), searched=3, attempt=0, caller=caller, now=NOW + later)

    assert [judged(), judged("weak"), judged(caller="b"), judged()] == [
        ("no-hits", 1),
        ("no-hits", 2),
        ("no-hits", 1),
        ("no-prior-work", 3),
    ]
    assert [judged(), judged("strong"), judged(), judged()] == [("no-hits", 1), ("hits", 1), ("no-hits", 1), ("no-hits", 2)]
    assert judged(later=599) == ("no-prior-work", 3)
    assert [judged(), judged(later=601)] == [("no-hits", 1), ("no-hits", 1)]


@pytest.mark.parametrize(("attempt", "word"), [(1, "no-hits"), (2, "no-hits"), (3, "no-prior-work"), (7, "no-prior-work")])
def test_a_given_attempt_wins_over_the_count(indexed: Config, attempt: int, word: str) -> None:
    assert verdict.judge(indexed, result(), searched=3, attempt=attempt, caller="a", now=NOW) == (word, attempt)
    assert verdict.judge(indexed, result(), searched=3, attempt=0, caller="a", now=NOW) == ("no-hits", 1)


def test_what_looked_through_nothing_is_no_search_of_the_row(indexed: Config) -> None:
    """Filters that match no session, and a query without a word."""
    wordless = Result("?!", [], FOUND, [])
    for _ in range(4):
        assert verdict.judge(indexed, result(), searched=0, attempt=0, caller="a", now=NOW) == ("no-hits", 1)
        assert verdict.judge(indexed, wordless, searched=3, attempt=0, caller="a", now=NOW) == ("no-hits", 1)
    assert verdict.judge(indexed, result(), searched=0, attempt=3, caller="a", now=NOW) == ("no-hits", 3)


def test_before_the_first_index_has_ended_there_is_no_honest_no(indexed: Config) -> None:
    os.unlink(os.path.join(indexed.data_dir, "indexed"))
    assert verdict.judge(indexed, result("strong"), searched=3, attempt=1, caller="a", now=NOW) == ("hits", 1)
    with pytest.raises(NotIndexed, match="has not come to its end"):
        verdict.judge(indexed, result("fair"), searched=3, attempt=1, caller="a", now=NOW)


def test_the_coverage_counts_what_was_searched_and_what_was_not(indexed: Config) -> None:
    found = verdict.coverage(indexed, FOUND, {"trivial", "security-review"}, ["a", "b (unknown)"])
    assert found.pop("indexed_at").endswith("Z")
    assert found == {
        "entries": 0,
        "sessions": 6,
        "tried": ["a", "b (unknown)"],
        "withheld": {"security-review": 0, "trivial": 4},
        "machines": [{"name": "desk", "last_capture": "2026-03-20T11:02:42Z", "sessions": 10, "searchable": True}],
        "behind": 0,
    }
    assert verdict.nothing_indexed(["trivial"]) == {
        "entries": 0,
        "sessions": 0,
        "indexed_at": "",
        "tried": [],
        "withheld": {"trivial": 0},
        "machines": [],
        "behind": 0,
    }


def test_a_hit_is_as_the_contract_has_it(indexed: Config) -> None:
    hits = search(indexed, "harbour quota 429", Filter(), limit=8).hits
    first = verdict.hit_json(1, hits[0])
    assert (first.pop("score") > 0, "Blocker" in first.pop("snippet"), first.pop("time")[:10]) == (True, True, "2026-03-05")
    assert first == {
        "rank": 1,
        "kind": "session",
        "tier": "strong",
        "ref": "codex:f08d6a55#1",
        "title": "",
        "agent": "codex",
        "session": "019caf3e-5d20-7a41-9c7e-3be1f08d6a55",
        "turn": 1,
        "project": "ferry-board",
        "branch": "main",
        "machine": "desk",
        "path": first["path"],
        "class": "work",
        "checked": None,
    }
    assert first["path"].endswith(".jsonl")


def test_a_note_has_no_session() -> None:
    note = Hit(**{name: "" for name in Hit.__slots__ if name != "line"} | {"kind": "note", "session": "~/WORKLOG.md"})
    assert verdict.hit_json(2, note)["session"] is None
