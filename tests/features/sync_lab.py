"""A bare remote and machines with clones of it: real git, real folders."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from libtool.config import load
from libtool.domain.schema import LIBRARY_MARK
from libtool.features import sync
from libtool.storage.git import Git
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from libtool.features.sync_report import SyncReport

IDENTITY = (("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false"))


def entry(title: str, *decided: str, answer: str = "Yes. (2026-10-01)") -> str:
    """An entry that is right in form."""
    lists = {name: ["None."] for name in ("Blocker", "Superseded", "Measured", "Open", "Pointers")}
    sections = {
        "Answer": [answer],
        "Decided": [f"- {item}" for item in decided] or ["None."],
        **lists,
        "Session": ["- codex:0199a8f2-77aa laptop 2026-10-01"],
    }
    return f"# {title}\n" + "".join(f"\n## {name}\n\n" + "\n".join(lines) + "\n" for name, lines in sections.items())


class Machine:
    """One clone of the library, and lib's data beside it."""

    def __init__(self, folder: Path, name: str, environ: dict[str, str]) -> None:
        self.top = folder / name / "library"
        self.environ = dict(environ)
        self.git = Git(str(self.top), environ)
        where = {"LIB_LIBRARY": str(self.top), "LIB_DATA_DIR": str(folder / name / "data")}
        self.config: Config = load(where, str(folder / name)).replace(machine=name)

    def write(self, topic: str, text: str) -> None:
        path = self.top / "entries" / f"{topic}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.top / path).read_text(encoding="utf-8")

    def commit(self, message: str = "edit") -> str:
        self.git.run("add", "-A")
        self.git.run("commit", "-qm", message, "--no-verify")
        return self.head()

    def put(self, topic: str, *decided: str, answer: str = "Yes. (2026-10-01)") -> None:
        """Write an entry and commit it."""
        self.write(topic, entry(topic.title(), *decided, answer=answer))
        self.commit(f"about {topic}")

    def head(self) -> str:
        return self.git.line("rev-parse", "HEAD")

    def status(self) -> str:
        return self.git.run("status", "--porcelain").decode()

    def sync(self, *, push: bool = True, without_git: bool = False) -> SyncReport:
        environ = {**self.environ, "PATH": "/nowhere"} if without_git else self.environ
        return sync.sync(self.config, environ, push=push, timeout=5.0)


class Lab:
    """The remote, and as many machines as are asked for."""

    def __init__(self, folder: Path, url: str = "", remote: Path | None = None) -> None:
        self.folder = folder
        self.remote = remote or folder / "remote.git"
        self.url = url or str(self.remote)
        self.environ = environment()
        git = Git(str(folder), self.environ)
        for name, value in IDENTITY:
            git.run("config", "--global", name, value)
        if not self.remote.exists():
            git.run("init", "-q", "--bare", "-b", "main", str(self.remote))

    def machine(self, name: str) -> Machine:
        """A machine with a fresh clone; the first one makes the library."""
        (self.folder / name).mkdir()
        made = Machine(self.folder, name, self.environ)
        subprocess.run(["git", "clone", "-q", self.url, str(made.top)], check=True, env=self.environ, stderr=subprocess.DEVNULL)
        if not made.head():
            (made.top / LIBRARY_MARK).write_text("1\n")
            made.git.run("checkout", "-q", "-B", "main")
            made.commit("begin")
            made.git.run("push", "-q", "-u", "origin", "main")
        return made

    def remote_head(self) -> str:
        return Git(str(self.remote), self.environ).line("rev-parse", "refs/heads/main")

    def fsck(self, *machines: Machine) -> None:
        """Fails unless every repository is whole."""
        for folder in (str(self.remote), *(str(machine.top) for machine in machines)):
            subprocess.run(["git", "-C", folder, "fsck", "--strict", "--no-dangling"], check=True, capture_output=True, env=self.environ)


def files_of(machine: Machine) -> dict[str, bytes]:
    """The entries of a work tree."""
    folder = machine.top / "entries"
    return {name: (folder / name).read_bytes() for name in sorted(os.listdir(folder))}
