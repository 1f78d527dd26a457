"""A repository of code in a folder, made with real git."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from libtool.storage import git_read

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.storage.git_read import Checkout, Reader

WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")


class Code:
    """Its folder, and what tests do there."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._day = 0
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *words: str) -> str:
        """Run git there, as somebody."""
        return subprocess.run(["git", *WHO, *words], cwd=self.folder, check=True, capture_output=True, text=True, errors="replace").stdout

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file, its folders too."""
        target = os.path.join(os.fsencode(self.folder), os.fsencode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def commit(self, subject: str, **files: str | bytes) -> str:
        """Write these files (`a__b` stands for `a.b`), commit all there is; the commit's id. Each is a day younger than the one before."""
        for name, content in files.items():
            self.write(name.replace("__", "."), content)
        self._day += 1
        time = f"2026-02-{self._day:02}T09:00:00Z"
        self.git("add", "-A")
        environ = {**os.environ, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}  # noqa: TID251 - git needs its PATH and HOME
        subprocess.run(["git", *WHO, "commit", "-q", "--allow-empty", "-m", subject], cwd=self.folder, check=True, env=environ)
        return self.git("rev-parse", "HEAD").strip()

    def checkout(self) -> Checkout:
        """The repository as the program sees it."""
        return git_read.checkout(str(self.folder), environ())

    def reader(self) -> Reader:
        """git there, for reading."""
        return git_read.Reader(self.checkout(), environ())


def environ() -> dict[str, str]:
    """The environment of the test."""
    return dict(os.environ)  # noqa: TID251 - as above
