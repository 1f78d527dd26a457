"""Small words that several commands print."""

from __future__ import annotations

from libtool.domain.dates import days_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def on_one_line(name: str) -> str:
    """A path with its line ends and tabs as escapes."""
    return name.replace("\n", "\\n").replace("\t", "\\t")


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 session`, `2 sessions`; `nouns` where an s is not enough."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def machine_elsewhere(machine: Mapping[str, Any], last_index: str, today: str) -> str:
    """`desktop: 212 sessions, last capture 2026-11-28, not synced for 9 days`: a row of coverage's machines, days as YYYY-MM-DD.

    A machine tells its last index at each sync that has news, so what is older than a day was not synced since.
    """
    age = days_between(last_index, today) if last_index and today else 0
    silent = f", not synced for {plural(age, 'day')}" if age > 1 else ""
    captured = machine["last_capture"]
    # A machine whose agents have no hooks captures nothing, and covers its sessions all the same.
    until = f"last index {last_index}" if last_index and not captured else f"last capture {captured or 'never'}"
    return f"{machine['name']}: {plural(machine['sessions'], 'session')}, {until}{silent}"
