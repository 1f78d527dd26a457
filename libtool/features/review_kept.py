"""What no entry took of a review, redacted, in a file beside the log: nothing that a reviewer wrote is lost."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

from libtool.storage import files
from libtool.storage.reviews import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.config import Config

FOLDER = "reviews"
MOST = 500
"""Files that are kept; the oldest go first."""


def keep(config: Config, agent: str, sid: str, text: str) -> str:
    """Keep a redacted text; the path of its file. The same text of a session is kept once. Raises OSError."""
    folder = os.path.join(config.logs, FOLDER)
    whole = f"<!-- of a review of {agent}:{sid}; no entry took this -->\n\n{text.strip()}\n".encode("utf-8", "replace")
    path = os.path.join(folder, f"{_name(agent, sid)}-{_mark(whole)}.md")
    files.write(path, whole)
    _bound(folder)
    return path


def sweep(config: Config, replace: Callable[[str], str]) -> int:
    """Take out of what is kept what `replace` replaces; how many files were changed. Raises OSError."""
    folder = os.path.join(config.logs, FOLDER)
    changed = 0
    for name in _names(folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(FileNotFoundError):
            with open(path, "rb") as file:
                text = file.read().decode("utf-8", "replace")
            swept = replace(text)
            if swept != text:
                whole = swept.encode("utf-8", "replace")
                files.write(os.path.join(folder, f"{name.partition('-')[0]}-{_mark(whole)}.md"), whole)
                os.unlink(path)
                changed += 1
    return changed


def forget(config: Config, agent: str, sid: str) -> None:
    """Remove what was kept of a session."""
    folder = os.path.join(config.logs, FOLDER)
    for name in _names(folder):
        if name.startswith(f"{_name(agent, sid)}-"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _name(agent: str, sid: str) -> str:
    return digest(agent, sid)[:16]


def _mark(whole: bytes) -> str:
    return hashlib.sha256(whole).hexdigest()[:16]


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(".md")]
    except FileNotFoundError:
        return []


def _bound(folder: str) -> None:
    names = _names(folder)
    if len(names) > MOST:
        dated = []
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                dated.append((os.stat(os.path.join(folder, name)).st_mtime, name))
        for _, name in sorted(dated)[:-MOST]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
