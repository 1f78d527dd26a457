from __future__ import annotations

import fnmatch

from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.patterns import PatternSet, name_matcher
from tests.adapters.reading import matches

PATTERNS = {
    "a": (".specstory/history/*.md", ".aider.md", "docs/**/*.md"),
    "b": ("*log*/*.txt", "x/**/y/z.md", "**/deep.md"),
    "c": ("*.md",),
}
names = st.sampled_from(["docs", "x", "y", "z.md", "my-log", ".specstory", "history", "deep.md", "a.txt", ".aider.md", "q"])


@given(parts=st.lists(names, min_size=1, max_size=6))
def test_walking_name_by_name_equals_matching_the_path(parts: list[str]) -> None:
    patterns = PatternSet(PATTERNS)
    states = patterns.start
    for name in parts[:-1]:
        states = patterns.below(states, name, fresh=True)
    begun = [tuple(parts[at:]) for at in range(len(parts))]
    expected = next(
        (agent for agent, each in PATTERNS.items() for pattern in each if any(whole(tail, pattern) for tail in begun)),
        "",
    )
    assert patterns.agent_of(states, parts[-1]) == expected


def whole(parts: tuple[str, ...], pattern: str) -> bool:
    """The naive matcher, which knows nothing of hidden names: they are told apart here."""
    wild = [part for part in pattern.split("/") if part[0] in "*?["]
    hidden = [part for part in parts if part.startswith(".")]
    literal = set(pattern.split("/")) - set(wild)
    return matches(parts, tuple(pattern.split("/"))) and all(name in literal for name in hidden)


def test_without_fresh_only_what_was_begun_goes_on() -> None:
    patterns = PatternSet({"a": (".specstory/history/*.md",)})
    states = patterns.below(patterns.start, ".specstory", fresh=False)
    assert not patterns.below(states, "src", fresh=False)
    assert patterns.agent_of(patterns.below(states, "history", fresh=False), "x.md") == "a"
    assert patterns.agent_of(states, "x.md") == ""


def test_names() -> None:
    assert name_matcher("*.md")("x.md")
    assert not name_matcher("*.md")(".x.md")
    assert name_matcher(".x*")(".x.md")
    assert not name_matcher("[ab].md")("c.md")
    assert name_matcher("A.md")("A.md") != fnmatch.fnmatchcase("a.md", "A.md")
