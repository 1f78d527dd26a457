"""Logins in what is about to be committed or pushed."""

from __future__ import annotations

from libtool.features.githooks.cleaning import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from libtool.features.githooks.cleaning import Cleaner
    from libtool.features.githooks.repository import Repository

BATCH = 200
"""Blobs that are held in memory at once."""


def blob_logins(repository: Repository, cleaner: Cleaner, blobs: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each login in these blobs, pairs of path and id; what is no blob is passed over."""
    lines = []
    for at in range(0, len(blobs), BATCH):
        some = blobs[at : at + BATCH]
        for (path, _), found in zip(some, repository.read([one for _, one in some]), strict=True):
            if found is not None and found.kind == "blob":
                lines += said(shown(path), cleaner.logins(found.data))
    return lines


def said(path: str, logins: Iterable[tuple[int, str, str]]) -> list[str]:
    """The lines to print for logins in a file."""
    return [
        f"{path}:{line}: login of the kind {kind}: take it out; if it is none: lib logins ignore {fingerprint} --why REASON"
        for line, kind, fingerprint in logins
    ]
