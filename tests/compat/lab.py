"""A library with its git hooks installed, real git, and what must hold after whatever was done to it."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import datetime
from typing import TYPE_CHECKING

from libtool.config import load
from libtool.domain import index_md
from libtool.features import init

if TYPE_CHECKING:
    from pathlib import Path

TODAY = datetime.now().astimezone().date().isoformat()
LOGIN = "Tiger" + "4821x" + "Qz"
LEAK = f"the staging password: {LOGIN} works"


def environ(home: Path) -> dict[str, str]:
    """What a process of the person sees."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],  # noqa: TID251 - git and its helpers
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
        "PRE_COMMIT_HOME": str(home / ".cache" / "pre-commit"),
    }


def entry(title: str, answer: str = "It is so.", *, decided: tuple[str, ...] = (), opened: tuple[str, ...] = ()) -> str:
    """An entry in its right form."""
    sections = {
        "Answer": f"{answer} ({TODAY})",
        "Decided": "\n".join(f"- {one}" for one in sorted(decided)) or "None.",
        "Blocker": "None.",
        "Superseded": "None.",
        "Measured": "None.",
        "Open": "\n".join(f"- {one}" for one in sorted(opened)) or "None.",
        "Pointers": "None.",
        "Session": f"- codex:0199a8f2-1111-7000-8000-00000000000a desk {TODAY}",
    }
    return f"# {title}\n\n" + "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items()) + "\n"


MANY = tuple(f"step {number:02} is taken" for number in range(30))


class Lab:
    """One clone of a library."""

    def __init__(self, home: Path, top: Path) -> None:
        self.home = home
        self.top = top
        self.environ = environ(home)

    def call(self, *words: str, folder: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the library."""
        return subprocess.run(
            words,
            cwd=self.top / folder,
            env={**self.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def git(self, *args: str, folder: str = "") -> str:
        """`git ARGS`, which must succeed; its output without the last newline."""
        done = self.call("git", *args, folder=folder)
        assert done.returncode == 0, (args, done.stdout, done.stderr)
        return done.stdout.removesuffix("\n")

    def commit(self, *args: str, folder: str = "") -> str:
        """`git commit -m message ARGS`, which must succeed."""
        return self.git("commit", "-q", "-m", "an entry", *args, folder=folder)

    def write(self, topic: str, text: str) -> None:
        """An entry in the work tree."""
        (self.top / "entries").mkdir(exist_ok=True)
        (self.top / "entries" / f"{topic}.md").write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """A file of the work tree."""
        return (self.top / path).read_text(encoding="utf-8")

    def begin(self, *topics: str) -> None:
        """Commit entries."""
        for topic in topics:
            self.write(topic, entry(topic.capitalize(), decided=MANY))
        self.git("add", "entries")
        self.commit()

    def status(self) -> list[str]:
        """What `git status` has to say."""
        return sorted(filter(None, self.git("status", "--porcelain", "-uall").split("\n")))

    def is_index_right(self, commit: str = "HEAD") -> bool:
        """Whether a commit's INDEX.md is that of its entries."""
        names = [name for name in self.git("ls-tree", "--name-only", commit, "entries/").split("\n") if name.endswith(".md")]
        lines = {name[8:-3]: index_md.line_of(name[8:-3], (self.git("show", f"{commit}:{name}") + "\n").encode()) for name in names}
        return self.git("show", f"{commit}:INDEX.md") + "\n" == index_md.build(lines).decode()

    def leaks(self, commit: str = "HEAD") -> list[str]:
        """The objects reachable from a commit that hold the login."""
        ids = [line.split()[0] for line in self.git("rev-list", "--objects", commit).split("\n")]
        return [one for one in ids if LOGIN in self.git("cat-file", "-p", one)]

    def holds(self, *status: str) -> None:
        """What must be after every commit: INDEX.md right, no login, the work tree as the person left it."""
        assert self.is_index_right(), self.git("show", "HEAD:INDEX.md")
        assert self.leaks() == []
        assert self.status() == sorted(status)
        assert self.read("INDEX.md") == self.git("show", "HEAD:INDEX.md") + "\n"


def make(home: Path, top: Path, *, machine: str = "", remote: str = "") -> Lab:
    """A library made by `lib init`, with a person who commits."""
    lab = Lab(home, top)
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = other\n", encoding="utf-8")
    config = load(lab.environ, str(home))
    init.run(config, lab.environ, init.Wanted(path=str(top), machine=machine, remote=remote))
    return lab


def settle(lab: Lab) -> None:
    """Wait until no reindexing goes on in the background."""
    until = time.monotonic() + 20
    while (lab.top / ".git" / "lib-reindex").exists() and time.monotonic() < until:
        time.sleep(0.05)
