"""Whether a sync has anything to do, told from a few files and by git from the remote: no dulwich.

After a sync that left nothing open, `remember` notes what it saw. As long as all of that is as it was, and the remote's branch is
still that commit, there is nothing to do. Whatever cannot be told is left to the sync itself. Imports next to nothing.
"""

from __future__ import annotations

import os

from libtool import __version__
from libtool.features.sync_report import SyncReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config

SEEN = "lib-sync.seen"
WRITING = "lib-sync.json"
"""The note of a sync that is at work, or was killed: `repo_place.NOTE`."""
UNFINISHED = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
PASSING = ("search.db", ".lock", ".holder", "-shm", "-wal", ".lib-tmp")
"""Ends of names in the data dir that say nothing about what is in the store, or come with a change of it."""


def nothing_to_do(config: Config, environ: Mapping[str, str]) -> SyncReport | None:
    """The report of a sync that would change nothing, or None: then one is needed to tell."""
    git_dir = os.path.join(config.library, ".git")
    seen = _read(os.path.join(git_dir, SEEN)).split("\n")
    if len(seen) != 7:
        return None
    version, ref, commit, tracking, remote, branch, facts = seen
    known = (version, ref, commit, commit, facts)
    if known != (__version__, _head(git_dir), _commit(git_dir, ref), _commit(git_dir, tracking), _facts(config, git_dir, data_of(config))):
        return None
    if any(os.path.exists(os.path.join(git_dir, name)) for name in (WRITING, *UNFINISHED)):
        return None
    if _asked(config.library, environ, remote, f"refs/heads/{branch}") != commit:
        return None
    return SyncReport(ref.removeprefix("refs/heads/"), f"{remote}/{branch}", commit, commit)


def unended(config: Config) -> bool:
    """Whether agent hooks told of sessions whose end they have not told (files of `storage.events`)."""
    try:
        return any(name.endswith(".open") for name in os.listdir(os.path.join(config.data_dir, "events")))
    except OSError:
        return False


def remember(config: Config, tracking: str, report: SyncReport, data: str) -> None:
    """Note the state of a library after a sync that left nothing open; `data` is `data_of` from before it.

    A linked worktree, whose `.git` is a file, does without.
    """
    git_dir = os.path.join(config.library, ".git")
    remote, _, branch = report.remote.partition("/")
    lines = (__version__, f"refs/heads/{report.branch}", report.after, tracking, remote, branch, _facts(config, git_dir, data))
    if os.path.isdir(git_dir) and not any("\n" in line for line in lines):
        # Cut by a kill it is no state that anything could be in.
        with open(os.path.join(git_dir, SEEN), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join(lines))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _head(git_dir: str) -> str:
    return _read(os.path.join(git_dir, "HEAD")).removeprefix("ref: ").strip()


def _commit(git_dir: str, ref: str) -> str:
    """The commit that a ref names: of its own file, else of the packed ones."""
    loose = _read(os.path.join(git_dir, *ref.split("/"))).strip()
    if loose:
        return loose
    for line in _read(os.path.join(git_dir, "packed-refs")).splitlines():
        if line.endswith(f" {ref}"):
            return line.partition(" ")[0]
    return "none"


def _facts(config: Config, git_dir: str, data: str) -> str:
    """What the own files of this machine follow from, and git's configuration."""
    return f"{config.machine}:{_stamp(os.path.join(git_dir, 'config'))} {data}"


def data_of(config: Config) -> str:
    """What the own files of this machine follow from in the data dir: names, sizes and times. Not of the search db, a cache."""
    found = []
    try:
        with os.scandir(config.data_dir) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file() and not entry.name.endswith(PASSING))
    except OSError:
        names = []
    for name in names:
        wal = _stamp(os.path.join(config.data_dir, name + "-wal")) if name.endswith(".db") else ""
        found.append(f"{name}:{_stamp(os.path.join(config.data_dir, name))}:{wal}")
    return " ".join(found)


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "none"
    return f"{found.st_size}.{found.st_mtime_ns}"


def _asked(library: str, environ: Mapping[str, str], remote: str, ref: str) -> str:
    """The commit of the remote's branch as git tells without asking a person; '' when it cannot."""
    program = next((path for path in _programs(environ) if os.access(path, os.X_OK)), "")
    if not program:
        return ""
    silent = {**environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"):
        silent.pop(name, None)
    # As subprocess would do it, whose import takes as long as git itself.
    reads, writes = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, writes, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    process = os.posix_spawn(program, ["git", "-C", library, "ls-remote", "--exit-code", remote, ref], silent, file_actions=actions)
    os.close(writes)
    os.close(null)
    with open(reads, encoding="ascii", errors="replace") as file:
        said = file.read()
    _, status = os.waitpid(process, 0)
    return "" if status else said.partition("\t")[0]


def _programs(environ: Mapping[str, str]) -> list[str]:
    return [os.path.join(folder, "git") for folder in environ.get("PATH", os.defpath).split(os.pathsep) if folder]
