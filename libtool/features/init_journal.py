"""What `lib init` changed outside the library's own files, written down so that it can be taken back byte for byte.

A file that nobody touched since gets back its old bytes and mode. One that somebody did touch keeps that, and only what is ours is taken
out of it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from libtool.storage import files

if TYPE_CHECKING:
    from typing import Any

NAME = "lib-init.json"
"""Its name in the git folder."""


class Restored(NamedTuple):
    """What an uninstall did: files as they were before, and those changed since by somebody else."""

    done: list[str]
    touched: list[str]


class Journal:
    """The record of one library's installation. Paths are relative to the git folder where they lie in it."""

    def __init__(self, common_dir: str) -> None:
        self._folder = common_dir
        self.path = os.path.join(common_dir, NAME)
        self._data: dict[str, Any] = {"files": {}, "moved": {}, "folders": [], "facts": {}}
        with contextlib.suppress(FileNotFoundError), open(self.path, encoding="utf-8") as file:
            self._data.update(json.load(file))

    @property
    def facts(self) -> dict[str, Any]:
        """What else must be known later, such as the old values of configuration keys."""
        facts: dict[str, Any] = self._data["facts"]
        return facts

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever installed here."""
        return not os.path.exists(self.path)

    def before(self, path: str) -> None:
        """Remember how a file is before its first change."""
        key = self._key(path)
        known = self._data["files"].get(key)
        content = _read(path)
        if known is None:
            mode = stat.S_IMODE(os.stat(path).st_mode) if content is not None else None
            self._data["files"][key] = {"before": _packed(content), "mode": mode, "after": ""}
            self._note_folders(os.path.dirname(path))
        elif known["after"] != _digest(content):
            known["mixed"] = True
        self.save()

    def after(self, path: str) -> None:
        """Remember how a file is after a change of ours."""
        self._data["files"][self._key(path)]["after"] = _digest(_read(path))
        self.save()

    def write(self, path: str, content: bytes, mode: int | None = None) -> bool:
        """Put a file there; False when it is as it should be already."""
        if _read(path) == content and (mode is None or stat.S_IMODE(os.stat(path).st_mode) == mode):
            return False
        self.before(path)
        files.write(path, content, mode=mode)
        self.after(path)
        return True

    def move(self, path: str, target: str) -> None:
        """Rename a file out of the way."""
        self._data["moved"][self._key(path)] = self._key(target)
        self.save()
        os.rename(path, target)

    def save(self) -> None:
        """Write it down: before the change it tells of, so that a kill leaves nothing unknown."""
        files.write(self.path, json.dumps(self._data, indent=1, sort_keys=True).encode() + b"\n")

    def restore(self) -> Restored:
        """Put back what nobody touched since; `touched` are the paths of the rest, absolute."""
        done: list[str] = []
        touched: list[str] = []
        for key, known in self._data["files"].items():
            path = os.path.join(self._folder, key)
            content = _read(path)
            if known.get("mixed") or _digest(content) != known["after"]:
                if content is not None:
                    touched.append(path)
                continue
            _put_back(path, known)
            done.append(path)
        for key, place in self._data["moved"].items():
            path, target = os.path.join(self._folder, key), os.path.join(self._folder, place)
            if os.path.lexists(target) and not os.path.lexists(path):
                os.rename(target, path)
                done.append(path)
        for folder in reversed(self._data["folders"]):
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(self._folder, folder))
        return Restored(done, touched)

    def forget(self) -> None:
        """Remove the record itself."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def _note_folders(self, folder: str) -> None:
        missing: list[str] = []
        while folder and not os.path.isdir(folder):
            missing.insert(0, self._key(folder))
            folder = os.path.dirname(folder)
        self._data["folders"] += [one for one in missing if one not in self._data["folders"]]

    def _key(self, path: str) -> str:
        return os.path.relpath(path, self._folder) if path.startswith(self._folder + os.sep) else path


def _put_back(path: str, known: dict[str, Any]) -> None:
    if known["before"] is None:
        os.unlink(path)
    else:
        files.write(path, base64.b64decode(known["before"]), mode=known["mode"])


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _packed(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
