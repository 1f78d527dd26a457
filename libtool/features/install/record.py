"""What `lib install` has put where, and what was there before: so that it can be taken back byte for byte.

One file in the data dir, mode 0600: what was there before may hold a login. It is written before the change that it tells of.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.config import Config

NAME = "install.json"
_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What comes of a record that is missing, or was written to by another."""


class Known:
    """What is known of one file."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.owners: list[str] = row["owners"]
        """The agents that it serves."""
        self.project: str = row["project"]
        """The project that it belongs to; '' for the user."""
        self.before: bytes | None = None if row["before"] is None else base64.b64decode(row["before"])
        """What was there without our part; None for no file."""
        self.after: str = row["after"]
        """SHA-256 of what we left there."""
        self.earlier: str = row.get("earlier", "")
        """And of what we had left there before, which stands there still when an upgrade was killed."""

    def is_as_left(self, text: bytes | None) -> bool:
        """Whether a text is what we left there."""
        return text is not None and digest(text) in (self.after, self.earlier)

    def row(self) -> dict[str, Any]:
        """For the file."""
        before = None if self.before is None else base64.b64encode(self.before).decode()
        return {"owners": self.owners, "project": self.project, "before": before, "after": self.after, "earlier": self.earlier}


class Record:
    """The record of one data dir."""

    def __init__(self, config: Config) -> None:
        self.path = os.path.join(config.data_dir, NAME)
        self._files: dict[str, Known] = {}
        self._folders: list[str] = []
        with contextlib.suppress(*_DAMAGED), open(self.path, encoding="utf-8") as file:
            data = json.load(file)
            self._files = {path: Known(row) for path, row in data["files"].items()}
            self._folders = list(data["folders"])

    def get(self, path: str) -> Known | None:
        """What is known of a file."""
        return self._files.get(path)

    def all(self) -> Iterator[tuple[str, Known]]:
        """Every file."""
        yield from list(self._files.items())

    def put(self, path: str, known: Known) -> None:
        """Note a file that is about to be changed, and the folders that will be made for it."""
        folder = os.path.dirname(os.path.realpath(path))
        missing: list[str] = []
        while folder and not os.path.isdir(folder):
            missing.insert(0, folder)
            folder = os.path.dirname(folder)
        self._folders += [one for one in missing if one not in self._folders]
        self._files[path] = known
        self._save()

    def drop(self, path: str) -> None:
        """A file that holds nothing of ours any more; folders that were made for it go when they are empty."""
        self._files.pop(path, None)
        target = os.path.realpath(path)
        for folder in sorted(self._folders, key=len, reverse=True):
            if target.startswith(folder + os.sep):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
                if not os.path.isdir(folder):
                    self._folders.remove(folder)
        self._save()

    def _save(self) -> None:
        if not self._files:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
            return
        data = {"version": 1, "files": {path: known.row() for path, known in self._files.items()}, "folders": self._folders}
        files.write(self.path, json.dumps(data, indent=1).encode() + b"\n", mode=files.FILE_MODE)


def made(owners: list[str], project: str, before: bytes | None, after: bytes, earlier: str) -> Known:
    """What is to be known of a file that will be `after`, and is what has the digest `earlier` ('' for what is not ours)."""
    packed = None if before is None else base64.b64encode(before).decode()
    return Known({"owners": owners, "project": project, "before": packed, "after": digest(after), "earlier": earlier})


def digest(text: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(text).hexdigest()
