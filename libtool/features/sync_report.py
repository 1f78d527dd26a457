"""What a sync did. Apart from the sync itself, and without typing, since a sync with nothing to do loads neither."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SyncReport:
    """What a sync did; see `__init__`."""

    __slots__ = ("after", "before", "branch", "merged", "notes", "pending", "received", "remote", "sent", "topics")

    def __init__(self, branch: str, remote: str, before: str, after: str) -> None:
        self.branch = branch
        self.remote = remote
        """`remote/branch`; '' when the library has no remote."""
        self.before = before
        self.after = after
        """Commits of the library, '' before the first one."""
        self.received = 0
        """Commits that came."""
        self.sent = 0
        """Commits that went."""
        self.pending = 0
        """Commits that are here and not on the remote: with --no-push."""
        self.merged = False
        self.topics: tuple[str, ...] = ()
        """Topics whose entries changed here."""
        self.notes: tuple[str, ...] = ()
        """What a person should know: how a file that is no entry came to be, what the server said."""

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for `--json`."""
        return {name: getattr(self, name) for name in sorted(self.__slots__)}
