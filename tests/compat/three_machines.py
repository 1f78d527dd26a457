"""A remote and three machines that people, git and lib work on in any order, killed in the middle; and what must hold all the while.

    python -m tests.compat.three_machines STEPS [SEED]

The machines are made by `lib init`; git runs its hooks as processes. `lib sync` is run in this process, and in a forked one where it is to
be killed: starting Python anew adds nothing to what is tested.

Every item and every Answer has a word of its own. A word is `held` once it is in a commit, and `freed` once somebody takes it out by hand
or deletes the entry that has it: at the end the held words that nobody freed must all be in the library.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from libtool.config import load
from libtool.errors import SyncRefused
from libtool.features import init, sync, sync_glance
from tests.compat.lab import TODAY, Lab, entry
from tests.surroundings import environment

WORD = re.compile(r"zq[0-9]+x")
TOPICS = ("auth", "cache", "deploy", "quota")
LISTS = ("Decided", "Measured", "Open")
LOCKS = (
    "index.lock",
    "HEAD.lock",
    "ORIG_HEAD.lock",
    "packed-refs.lock",
    "config.lock",
    "refs/heads/main.lock",
    "refs/remotes/origin/main.lock",
)


class Box(Lab):
    """One machine."""

    def __init__(self, home: Path, name: str) -> None:
        super().__init__(home, home / "library")
        self.name = name
        self.environ["LIB_LIBRARY"] = str(self.top)
        self.environ |= {name: value for name, value in environment().items() if name == "PYTHONPATH"}
        self.environ["LIB_DATA_DIR"] = str(home / "data")
        self.config = load(self.environ, str(home))
        self.kept: dict[str, bytes] = {}
        """Work that was not committed: path to what is in it."""
        self.was_killed = False
        """Whether a sync of it was killed, so that the next one has something to put in order first."""

    @property
    def entries(self) -> list[str]:
        """The paths of all entries in the work tree."""
        return sorted(f"entries/{path.name}" for path in (self.top / "entries").glob("*.md"))

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def words(self, commit: str) -> set[str]:
        """The words in the entries of a commit."""
        return set(WORD.findall(self.call("git", "grep", "-hoE", WORD.pattern, commit, "--", "entries").stdout))

    def is_under_way(self) -> bool:
        """Whether a merge or a rebase has stopped."""
        return any((self.top / ".git" / name).exists() for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply"))

    def look(self) -> None:
        """Fails unless all work that was not committed is as the person left it."""
        for path, content in self.kept.items():
            file = self.top / path
            assert file.is_file(), f"{self.name}: {path} is gone"
            assert file.read_bytes() == content, f"{self.name}: {path} was changed: {file.read_text()}"


class World:
    """All of it, and the dice."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - so that a run can be had again
        self.count = 0
        self.held: set[str] = set()
        self.freed: set[str] = set()
        self.done: Counter[str] = Counter()
        self.took: dict[str, float] = defaultdict(float)
        self.past: list[str] = []
        self.remote = folder / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(self.remote)], check=True)
        self.boxes = [self._box(folder, name, clone=name != "desk") for name in ("desk", "lap", "shed")]

    def _box(self, folder: Path, name: str, *, clone: bool) -> Box:
        home = folder / name
        home.mkdir()
        (home / ".gitconfig").write_text(f"[user]\nname = {name}\nemail = {name}@example.org\n[pull]\nrebase = false\n", encoding="utf-8")
        box = Box(home, name)
        url = str(self.remote)
        wanted = init.Wanted(path=str(box.top), machine=name, clone=url if clone else "", remote="" if clone else url)
        init.run(box.config, box.environ, wanted)
        box.config = load(box.environ, str(home))
        if not clone:
            box.write("auth", self.text())
            box.git("add", "entries")
            box.commit()
            box.git("push", "-q", "-u", "origin", "main")
            self.held |= box.words("HEAD")
        return box

    # What a person does to files.

    def word(self) -> str:
        """A new one, with the date that items and Answers begin or end with."""
        self.count += 1
        return f"zq{self.count}x"

    def text(self) -> str:
        """A new entry."""
        return entry("One and the same", f"So {self.word()}.", decided=(f"{TODAY}: first {self.word()}.",))

    def edit(self, text: str) -> str:
        """A text with an item more or an item less, or another; or another Answer, the old one recorded."""
        lines = [line for line in text.splitlines() if line.startswith("- ") and WORD.search(line)]
        kind = self.dice.choice(("add", "add", "add", "drop", "change", "answer"))
        if kind in ("drop", "change") and lines:
            line = self.dice.choice(lines)
            self.freed |= set(WORD.findall(line))
            text = text.replace(line + "\n", f"- {TODAY}: else {self.word()}.\n" if kind == "change" else "", 1)
            return re.sub(r"(## \w+\n\n)(?=\n|## |\Z)", r"\1None.\n", text)
        if kind == "answer":
            old = re.search(r"## Answer\n\n(.*) \(([-0-9]+)\)\n", text)
            if old:
                text = text.replace(old[1], f"So {self.word()}.", 1)
                return self._with_item(text, "Superseded", f"- {old[2]}: {old[1]}")
        return self._with_item(text, self.dice.choice(LISTS), f"- {TODAY}: also {self.word()}.")

    @staticmethod
    def _with_item(text: str, section: str, line: str) -> str:
        head, mark, rest = text.partition(f"## {section}\n\n")
        return head + mark + line + "\n" + rest.removeprefix("None.\n") if mark else text

    def step(self) -> None:
        """One thing that happens to one machine."""
        box = self.dice.choice(self.boxes)
        kinds = (
            "write write write commit commit one dirty untracked delete pull rebase push sync sync sync quiet kill_sync kill_git".split()
        )
        kind = self.dice.choice(kinds)
        self.done[kind] += 1
        self.past.append(f"{box.name} {kind}")
        begun = time.monotonic()
        getattr(self, f"do_{kind}")(box)
        self.took[kind] += time.monotonic() - begun
        for each in self.boxes:
            each.look()

    def do_write(self, box: Box) -> str:
        """Make or edit an entry; staged."""
        path = f"entries/{self.dice.choice(TOPICS)}.md"
        file = box.top / path
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(self.edit(old) if "## Answer" in old else self.text(), encoding="utf-8")
        self.freed |= set(WORD.findall(old)) if "## Answer" not in old else set()
        box.kept[path] = file.read_bytes()
        if box.call("git", "cat-file", "blob", f"HEAD:{path}").stdout.encode() == box.kept[path]:
            # An edit taken back is no work any more.
            del box.kept[path]
        return path

    def do_dirty(self, box: Box) -> None:
        """Edit something that git tracks and lib does not make."""
        file = box.top / self.dice.choice(("README.md", ".gitignore"))
        file.write_text(f"{file.read_text(encoding='utf-8')}# {self.word()}\n", encoding="utf-8")
        box.kept[file.name] = file.read_bytes()

    def do_untracked(self, box: Box) -> None:
        """A file that nobody adds."""
        path = self.dice.choice(("notes.txt", "entries/draft.txt", f"machines/{self.dice.choice(self.boxes).name}.txt"))
        (box.top / path).parent.mkdir(exist_ok=True)
        (box.top / path).write_text(f"draft {self.word()}\n", encoding="utf-8")
        box.kept[path] = (box.top / path).read_bytes()

    def do_delete(self, box: Box) -> None:
        """Delete an entry, and commit that."""
        if self.dice.random() < 0.5 and (paths := [path for path in box.entries if path not in box.kept]):
            path = self.dice.choice(paths)
            self.freed |= set(WORD.findall((box.top / path).read_text(encoding="utf-8")))
            if self.git(box, "rm", "-q", path):
                self.git(box, "commit", "-q", "-m", "delete", "--", path)

    # What git does.

    def git(self, box: Box, *words: str) -> bool:
        """`git WORDS`; whether it succeeded. Locks of a sync that was killed are what a person would meet: the next sync removes them."""
        ended = box.call("git", *words)
        if ended.returncode and ".lock': File exists" in ended.stderr:
            self.do_sync(box)
            ended = box.call("git", *words)
            assert ".lock': File exists" not in ended.stderr, ended.stderr
        self._hold(box)
        return not ended.returncode

    def _hold(self, box: Box) -> None:
        self.held |= box.words("HEAD")

    def do_commit(self, box: Box) -> None:
        """Commit all entries that were edited."""
        paths = [path for path in box.kept if path.endswith(".md") and path.startswith("entries/")]
        if paths and self.git(box, "add", *paths):
            self._commit(box, paths)

    def do_one(self, box: Box) -> None:
        """Commit one file of those, by name."""
        paths = [path for path in box.kept if path.endswith(".md") and path.startswith("entries/")]
        if paths:
            path = self.dice.choice(paths)
            if self.git(box, "add", "-N", path):
                self._commit(box, [path], "--", path)

    def _commit(self, box: Box, paths: list[str], *more: str) -> None:
        before = box.head
        text = box.call("git", "commit", "-q", "-m", "edit", *more)
        self._hold(box)
        if text.returncode:
            assert "nothing to commit" in text.stdout or "nothing added" in text.stdout or "no changes added" in text.stdout, (
                text.stdout + text.stderr
            )
        else:
            assert box.is_index_right(), box.git("log", "-3", "--stat", before)
        for path in paths:
            del box.kept[path]

    def do_pull(self, box: Box) -> None:
        """Merge what the remote has, and settle what git cannot. git refuses where dirty files are in the way."""
        if self.dice.random() < 0.5:
            self.do_commit(box)
        self.git(box, "pull", "-q", "--no-edit", "origin", "main")
        self._settle(box)

    def do_rebase(self, box: Box) -> None:
        """The same by a rebase; what is dirty is put away for the time."""
        self.do_commit(box)
        self.git(box, "pull", "-q", "--rebase", "--autostash", "origin", "main")
        self._settle(box)

    def _settle(self, box: Box) -> None:
        for _ in range(40):
            if not box.is_under_way():
                return
            for path in sorted({line.split("\t")[1] for line in box.git("ls-files", "--unmerged").splitlines()}):
                box.git(*(("add", path) if (box.top / path).exists() else ("rm", "-q", "--cached", path)))
                # An edit of an entry that the other side deleted is committed with that, and mended.
                box.kept.pop(path, None)
            is_merge = (box.top / ".git" / "MERGE_HEAD").exists()
            done = box.call("git", *(("commit", "-q", "--no-edit") if is_merge else ("rebase", "--continue")))
            if done.returncode and not is_merge and "No changes" in done.stdout + done.stderr:
                box.call("git", "rebase", "--skip")
        raise AssertionError(box.git("status"))

    def do_push(self, box: Box) -> None:
        """git's own push: refused where the remote is ahead, and by our hook where INDEX.md is stale."""
        self.git(box, "push", "-q", "origin", "main")

    # What lib does.

    def do_sync(self, box: Box, *, push: bool = True) -> bool:
        """`lib sync` as the command does it; whether it was not refused."""
        before = box.status()
        refused: SyncRefused | None = None
        try:
            if sync_glance.nothing_to_do(box.config, box.environ) is None:
                sync.sync(box.config, box.environ, push=push, timeout=20.0)
        except SyncRefused as refusal:
            refused = refusal
        if refused:
            named = "in the way" in refused.message and any(path in refused.message for path in box.kept)
            assert named or "nothing was sent" in refused.message, (box.name, refused.message, refused.hint)
            assert before == box.status() or box.was_killed, (before, box.status(), refused.message)
            return False
        box.was_killed = False
        self._hold(box)
        return True

    def do_quiet(self, box: Box) -> None:
        """`lib sync --no-push`."""
        self.do_sync(box, push=False)

    def do_kill_sync(self, box: Box) -> None:
        """`lib sync`, killed; alone, or with the git processes that it runs. Whatever comes next must cope."""
        box.was_killed = True
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                os.setsid()
                os.dup2(os.open(os.devnull, os.O_RDWR), 2)
                sync.sync(box.config, box.environ, timeout=20.0)
            os._exit(0)
        time.sleep(self.dice.uniform(0, 0.25))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            (os.killpg if self.dice.random() < 0.5 else os.kill)(child, signal.SIGKILL)
        os.waitpid(child, 0)
        _outlive(child)
        # The other side of a path remote is killed too: what it leaves is told, and for a person to remove.
        for lock in self.remote.rglob("*.lock"):
            lock.unlink()
        if self.dice.random() < 0.7:
            self.do_sync(box)
        self._hold(box)

    def do_kill_git(self, box: Box) -> None:
        """A commit or a pull, killed; then what git tells a person to do. Edits of entries are committed before a pull, as git wants it."""
        if is_pull := self.dice.random() < 0.5:
            self.do_commit(box)
            words = ["pull", "-q", "--no-edit", *self.dice.choice(([], ["--rebase"])), "origin", "main"]
        else:
            path = self.do_write(box)
            self.git(box, "add", path)
            words = ["commit", "-q", "-m", "edit", "--allow-empty", *self.dice.choice(([], ["--", path]))]
        if is_pull and any(path in box.kept for path in ("README.md", ".gitignore")):
            return
        before, files = box.head, set(box.top.rglob("*"))
        started = subprocess.Popen(
            ["git", *words], cwd=box.top, env=box.environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        time.sleep(self.dice.uniform(0, 0.35))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        _outlive(started.pid)
        for lock in [*LOCKS, *(f"{path.name}" for path in (box.top / ".git").glob("next-index-*.lock"))]:
            (box.top / ".git" / lock).unlink(missing_ok=True)
        if is_pull:
            self._start_over(box, before, files)
        else:
            self.do_commit(box)
        self._hold(box)

    def _start_over(self, box: Box, before: str, files: set[Path]) -> None:
        """After a killed pull: back to where it began, as `git merge --abort` and `git reset --hard` do; or on, where it was through."""
        for name in ("rebase-merge", "rebase-apply"):
            shutil.rmtree(box.top / ".git" / name, ignore_errors=True)
        (box.top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        is_through = box.call("git", "merge-base", "--is-ancestor", before, "HEAD").returncode == 0 and box.head != before
        box.git("reset", "-q", "--hard", "HEAD" if is_through else before)
        tracked = set(box.git("ls-files").splitlines())
        for file in set(box.top.rglob("*")) - files:
            path = str(file.relative_to(box.top))
            if file.is_file() and not path.startswith(".git/") and path not in tracked:
                file.unlink()

    # The end.

    def finish(self) -> None:
        """Commit what is open, sync until quiet, and look at everything."""
        for box in self.boxes:
            self._tidy(box)
        for _ in range(6):
            for box in self.boxes:
                assert self.do_sync(box)
            if len({box.head for box in self.boxes}) == 1:
                break
        for box in self.boxes:
            box.look()
            assert {status[3:] for status in box.status()} <= set(box.kept), box.status()
            assert box.is_index_right()
            # Not `git fsck`: it complains of commits without trees that a killed `git fetch` left and nothing refers to.
            done = box.call("git", "rev-list", "--objects", "--all", "--quiet")
            assert not done.returncode, done.stderr
        assert len({box.head for box in self.boxes}) == 1
        subprocess.run(["git", "-C", str(self.remote), "fsck", "--strict", "--no-dangling"], check=True, capture_output=True)
        assert self.boxes[0].git("ls-remote", "origin", "main").split("\t")[0] == self.boxes[0].head
        there = self.boxes[0].words("HEAD")
        assert not (lost := self.held - self.freed - there), lost

    def _tidy(self, box: Box) -> None:
        self.do_commit(box)
        for path in ("README.md", ".gitignore"):
            if path in box.kept:
                self.git(box, "add", path)
                self._commit(box, [path])


def _outlive(group: int) -> None:
    """Wait until no process of the group is left."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.01)


def main(steps: int, seed: int) -> None:
    """Runs of 100 steps, each over a new world, until there were enough."""
    total: Counter[str] = Counter()
    took: dict[str, float] = defaultdict(float)
    begun = time.monotonic()
    while total.total() < steps:
        folder = Path(tempfile.mkdtemp(prefix="lib-three-"))
        os.putenv("HOME", str(folder))
        world = World(folder, seed)
        try:
            for _ in range(100):
                world.step()
            world.finish()
        except BaseException as error:
            print(f"seed {seed}, {folder}, after {world.done.total()} steps: {error!r}\n{world.past[-12:]}", flush=True)
            raise
        total += world.done
        for kind, seconds in world.took.items():
            took[kind] += seconds
        seed += 1
        shutil.rmtree(folder)
        print(f"{total.total()} steps, {time.monotonic() - begun:.0f} s", flush=True)
    print(", ".join(f"{kind} {count} x {1000 * took[kind] / count:.0f} ms" for kind, count in total.items()))


if __name__ == "__main__":
    main(*(int(word) for word in (*sys.argv[1:3], *("1000", "1")[len(sys.argv) - 1 :])))
