"""A library in a folder, its repository, and what lib knows of it on a machine."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from typing import TYPE_CHECKING

from libtool.domain.schema import SECTIONS
from libtool.features import freshness
from libtool.storage.search_db import SearchDb

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.features.freshness import Lag
    from tests.features.machine import Machine


def entry(title: str, answer: str, **sections: str) -> str:
    """An entry as its format has it, but for the sessions when none is given."""
    return (
        "\n\n".join([f"# {title}", f"## Answer\n\n{answer}", *(f"## {name}\n\n{sections.get(name, 'None.')}" for name in SECTIONS[1:])])
        + "\n"
    )


class Library:
    """A library of a machine, which searches it."""

    def __init__(self, machine: Machine, folder: Path | None = None) -> None:
        self.machine = machine
        self.folder = folder or machine.data.parent / "library"
        if folder is None:
            (self.folder / "entries").mkdir(parents=True)
            machine.config = machine.config.replace(library=str(self.folder))

    def write(self, topic: str, text: str) -> Path:
        """Write an entry in place."""
        path = self.folder / "entries" / f"{topic}.md"
        path.write_text(text, encoding="utf-8")
        return path

    def age(self, topic: str, seconds: int) -> None:
        """Give an entry a time to come, which is the time it last changed."""
        path = self.folder / "entries" / f"{topic}.md"
        time_ns = path.stat().st_mtime_ns + (seconds + 1) * 10**9
        os.utime(path, ns=(time_ns, time_ns))

    def git(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run git there, as somebody."""
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        folder = self.folder if self.folder.exists() else self.folder.parent
        return subprocess.run(["git", *who, *words], cwd=folder, check=check, capture_output=True, text=True)

    def pretend(self, sql: str, values: tuple[object, ...] = ()) -> None:
        """Change what the search db remembers."""
        connection = sqlite3.connect(self.machine.config.search_db)
        with connection:
            connection.execute(sql, values)
        connection.close()

    def lag(self) -> Lag:
        """How the search db lags behind."""
        with SearchDb(self.machine.config.search_db, self.machine.config.store_db) as database:
            return freshness.look(str(self.folder), database.taken(), database.watermark)
