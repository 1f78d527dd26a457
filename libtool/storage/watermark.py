"""Where a library's git repository stands, told by its files alone: no git process, no dulwich, well under 0.1 ms.

What it does not see is an edit in place that git was not told of; `storage.library.listing` sees that one.
"""

from __future__ import annotations

import os

from libtool.storage.git_folders import first_line, own, shared


def of(library: str) -> str:
    """A text that changes when HEAD, the branch it names, the staging area or the set of entries changes; '' for no folder.

    Loose and packed refs, `.git` as a file and linked worktrees are understood; without git the entries' folder alone is told.
    """
    entries = _stamp(os.path.join(library, "entries"))
    folder = own(library)
    if not folder:
        return entries and f"- - - {entries}"
    return f"{head(folder)} {_stamp(os.path.join(folder, 'index'))} {entries}"


def head(folder: str) -> str:
    """A text that changes when HEAD of the repository whose own folder this is, or of the worktree, changes its branch or commit.

    It may change too when refs are packed.
    """
    named = first_line(os.path.join(folder, "HEAD"))
    if not named.startswith("ref: "):
        return f"{named} {named}"
    common = shared(folder)
    # Which line of packed-refs is ours does not matter: that file is written anew only when refs are packed.
    at = first_line(os.path.join(common, named[5:])) or _stamp(os.path.join(common, "packed-refs"))
    # A repository of the reftable format has no other file that tells.
    return f"{named} {at or _stamp(os.path.join(common, 'reftable', 'tables.list'))}"


def _stamp(path: str) -> str:
    """Time of change and size of a file or folder; '' when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}/{status.st_size}"
