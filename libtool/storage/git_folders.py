"""The folders of a git repository, told by its files alone: no git process, and no import but this, since hooks and searches ask."""

from __future__ import annotations

import os

_LONGEST = 4096 + len("gitdir: ")
"""Bytes of a file that are looked at: a path has no more."""


def own(top: str, named: str = ".git") -> str:
    """HEAD and index of the work tree `top`: `.git`, or where that file points to, as in a linked worktree; '' for no repository.

    `named` stands for `.git` where the environment says so, absolute or from `top`. Whether it is a whole repository is not asked.
    """
    place = os.path.join(top, named)
    if os.path.isdir(place):
        return place
    text = first_line(place)
    return os.path.join(top, text.removeprefix("gitdir:").strip()) if text.startswith("gitdir:") else ""


def shared(git_dir: str) -> str:
    """Objects, refs and configuration: what all work trees of the repository share."""
    return os.path.join(git_dir, first_line(os.path.join(git_dir, "commondir")))


def first_line(path: str) -> str:
    """The first line of a small file, such as a ref; '' when it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(descriptor, _LONGEST).partition(b"\n")[0]).strip()
    except OSError:
        return ""
    finally:
        os.close(descriptor)
