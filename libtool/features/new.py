"""`lib new`: an entry with nothing in it yet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.domain.entry import Entry, is_topic, render, slug_of
from libtool.domain.mend import canonical
from libtool.domain.schema import ENTRIES
from libtool.errors import UsageError
from libtool.storage import entry_files, files

if TYPE_CHECKING:
    from libtool.config import Config

MODE = 0o644


def new(config: Config, topic: str, title: str = "") -> str:
    """Write `entries/<topic>.md` with the eight sections; its path. What must be filled in, `lib check` says.

    Raises UsageError for what is no topic or one that exists, LibraryNotFound.
    """
    library = entry_files.required(config.library)
    if not is_topic(topic):
        slug = slug_of(topic)
        hint = f"`lib new {slug}{'' if title else f' --title {topic!r}'}`" if slug else "small letters and digits, joined by `-`"
        raise UsageError(f"not a topic: {topic[:80]}", hint=hint)
    folder = os.path.join(library, ENTRIES)
    path = os.path.join(folder, f"{topic}.md")
    if os.path.lexists(path):
        raise UsageError(f"there is an entry on that topic: {path}", hint=f"`lib show entry:{topic}` shows it; edit it there")
    heading = " ".join(title.split())
    content = canonical(render(Entry(heading, "", {})) if heading else b"", topic=topic)
    if not os.path.isdir(folder):
        os.mkdir(folder)
    files.write(path, content, mode=MODE)
    return path
