"""Where a login was met, told by the placeholders that redacting put into a text."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]{1,12}-([0-9a-f]{12})\]")


class Sighting(NamedTuple):
    """Of one login in one session: first and last time (RFC 3339 UTC, or empty), and how often in its records."""

    first: str = ""
    last: str = ""
    times: int = 0

    def joined(self, other: Sighting) -> Sighting:
        """Both as one."""
        first = min(filter(None, (self.first, other.first)), default="")
        return Sighting(first, max(self.last, other.last), self.times + other.times)


class Sightings(dict[tuple[int, str], Sighting]):
    """By session, whatever number stands for it, and fingerprint."""

    def note(self, session: int, before: str, after: str, time: str = "", *, times: int = 1) -> None:
        """Note what redacting `before` replaced; a placeholder that stood there already is no login. `times` 0: stated, not said."""
        if before is after or "[REDACTED:" not in after:
            return
        counts = Counter(PLACEHOLDER.findall(after))
        counts.subtract(PLACEHOLDER.findall(before))
        for fingerprint, count in (+counts).items():
            self.add(session, fingerprint, Sighting(time, time, count * times))

    def add(self, session: int, fingerprint: str, sighting: Sighting) -> None:
        """Note one that is known."""
        self[session, fingerprint] = self.get((session, fingerprint), Sighting()).joined(sighting)
