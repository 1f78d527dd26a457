"""Where a library's git repository stands, told by its files alone: no git process, no dulwich, well under 0.1 ms.

What it does not see is an edit in place that git was not told of; `storage.library.listing` sees that one.
"""

from __future__ import annotations

import os

_LONGEST = 1000
"""Bytes of HEAD, of a ref or of a `.git` file that are looked at."""


def of(library: str) -> str:
    """A text that changes when HEAD, the branch it names, the staging area or the set of entries changes; '' for no folder.

    Loose and packed refs, `.git` as a file and linked worktrees are understood; without git the entries' folder alone is told.
    """
    entries = _stamp(os.path.join(library, "entries"))
    folder = _git_folder(library)
    if not folder:
        return entries and f"- - - {entries}"
    return f"{head(folder)} {_stamp(os.path.join(folder, 'index'))} {entries}"


def head(folder: str) -> str:
    """A text that changes when HEAD of the repository whose own folder this is, or of the worktree, changes its branch or commit.

    It may change too when refs are packed.
    """
    named = _text(os.path.join(folder, "HEAD"))
    if not named.startswith("ref: "):
        return f"{named} {named}"
    shared = folder
    if (place := _text(os.path.join(folder, "commondir"))) != "":
        shared = os.path.join(folder, place)
    # Which line of packed-refs is ours does not matter: that file is written anew only when refs are packed.
    at = _text(os.path.join(shared, named[5:])) or _stamp(os.path.join(shared, "packed-refs"))
    # A repository of the reftable format has no other file that tells.
    return f"{named} {at or _stamp(os.path.join(shared, 'reftable', 'tables.list'))}"


def _git_folder(library: str) -> str:
    """The repository's own folder, that of the worktree where `.git` is a file; '' when there is none."""
    place = os.path.join(library, ".git")
    if os.path.isdir(place):
        return place
    text = _text(place)
    return os.path.join(library, text[8:]) if text.startswith("gitdir: ") else ""


def _text(path: str) -> str:
    """The first line of a small file; '' when it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.read(descriptor, _LONGEST).partition(b"\n")[0].decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _stamp(path: str) -> str:
    """Time of change and size of a file or folder; '' when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}/{status.st_size}"
