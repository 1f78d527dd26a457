"""What `lib check --fix` does to an entry."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date


def mend(data: bytes, *, topic: str, today: date, before: bytes | None = None) -> bytes:
    """Any bytes as an entry in its one form; drops no word, and mending twice changes nothing more.

    `before` is the version that was committed last: an Answer that differs from its Answer gets a newer date, and its Answer stays as an item of
    Superseded. What has no place (text before the sections, unknown sections) is kept whole as an item of Open. What only a person can mend
    (an empty Answer, a wrong pointer) stays.
    """
    raise NotImplementedError


def canonical(data: bytes, *, topic: str) -> bytes:
    """The same without a clock: an Answer without a date stays without. For the merge's inputs."""
    raise NotImplementedError
