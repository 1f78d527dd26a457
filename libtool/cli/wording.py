"""Small words that several commands print."""

from __future__ import annotations


def on_one_line(name: str) -> str:
    """A path with its line ends and tabs as escapes."""
    return name.replace("\n", "\\n").replace("\t", "\\t")


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 session`, `2 sessions`; `nouns` where an s is not enough."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"
