"""What a review says of one topic."""

from __future__ import annotations

from typing import NamedTuple


class Block(NamedTuple):
    """One topic as it was written: nothing is escaped or checked yet."""

    topic: str
    """What names the topic, in words or as a slug; '' when nothing does."""
    title: str
    sections: dict[str, tuple[str, ...]]
    """Section to its items, or to the paragraphs of the Answer. One that says that there is nothing has none."""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(heading, items) of what is none of the eight sections."""

    def words(self) -> str:
        """All of its text but the names of its sections."""
        extra = (text for heading, texts in self.extra for text in (heading, *texts))
        return "\n".join((self.topic, self.title, *(text for texts in self.sections.values() for text in texts), *extra))


class Reading(NamedTuple):
    """A review, taken apart."""

    blocks: list[Block]
    leftover: str
    """What belongs to no block: chatter, or what could not be understood."""
    says_nothing: bool
    """Whether the reviewer said that there is nothing to record."""
