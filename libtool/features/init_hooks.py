"""The shims of our git hooks in a library: beside those that are there, which go on being called."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from libtool.features import lean_start
from libtool.features.install import templates

if TYPE_CHECKING:
    from libtool.features.githooks.repository import Repository
    from libtool.features.init_journal import Journal

SHIMS = {
    "pre-commit": ("git-check", 1, "git commit --no-verify"),
    "pre-merge-commit": ("git-check", 1, "git merge --no-verify"),
    "post-merge": ("git-check", 0, "the next commit puts INDEX.md right"),
    "post-rewrite": ("git-lines", 0, "the next commit puts INDEX.md right"),
    "post-commit": ("git-mark", 0, ""),
    "post-checkout": ("git-mark", 0, ""),
    "pre-push": ("git-lines", 1, "git push --no-verify"),
}
"""Git hook: (template, exit code when lib is gone, how to go on then)."""
PASSED_ON = ("applypatch-msg", "pre-applypatch", "post-applypatch", "prepare-commit-msg", "commit-msg", "pre-rebase", "pre-auto-gc")
"""Hooks that may be put beside the others later: handed on from a folder of our own."""
OWN_FOLDER = "lib-hooks"
EARLIER = ".lib-earlier"
LEGACY = ".legacy"
"""What pre-commit's installer appends to the name of a hook that was there."""
OURS = b"# lib's git hook "
MODE = 0o755
_IMPORTED = ("libtool", "ahocorasick_rs", "mistune", "filelock")


class Start(NamedTuple):
    """What a shim needs to start lib: the interpreter that has it, and the data folder, where an indexed machine has its store."""

    python: str
    data_dir: str


def shim(hook: str, start: Start, earlier: str) -> bytes:
    """The text of a shim. `earlier` is the hook to call after it, as a word for the shell."""
    template, gone, without = SHIMS.get(hook, ("git-earlier", 0, ""))
    values = {"HOOK": hook, "DATA": shlex.quote(start.data_dir), "EARLIER": earlier, "WITHOUT": without, "GONE": str(gone)}
    return lean_start.filled(templates.shim(template), values, start.python, "libtool.hooks.git", _IMPORTED)


def install(repository: Repository, journal: Journal, start: Start) -> tuple[list[str], list[str]]:
    """(paths changed, remarks). Nothing that is there is overwritten: it is moved or left, and called by ours."""
    own = os.path.join(repository.common_dir, OWN_FOLDER)
    chosen = repository.git.line("config", "--type=path", "core.hooksPath")
    if chosen and os.path.join(repository.top, chosen) != own:
        journal.facts["hooks_path"] = chosen
    earlier = journal.facts.get("hooks_path", "")
    if earlier and chosen:
        return _beside(repository, journal, start, (own, earlier))
    return _among(os.path.join(repository.common_dir, "hooks"), journal, start)


def _among(folder: str, journal: Journal, start: Start) -> tuple[list[str], list[str]]:
    """In git's own folder of hooks; one that is there is renamed."""
    changed, remarks = [], []
    for hook in SHIMS:
        path = os.path.join(folder, hook)
        text = shim(hook, start, f'"${{0%/*}}/{hook}{EARLIER}"')
        if os.path.lexists(path) and not is_ours(path):
            if is_ours(path + LEGACY):
                # `pre-commit install` came after us: it calls ours first.
                path += LEGACY
            elif os.path.lexists(path + EARLIER):
                remarks.append(f"{path} was put there after lib's; remove it or {path}{EARLIER}, then run `lib init` again")
                continue
            else:
                journal.move(path, path + EARLIER)
                changed.append(path + EARLIER)
        if journal.write(path, text, MODE):
            changed.append(path)
    return changed, remarks


def _beside(repository: Repository, journal: Journal, start: Start, folders: tuple[str, str]) -> tuple[list[str], list[str]]:
    """In a folder of our own, because core.hooksPath names one that is not this repository's alone."""
    own, earlier = folders
    there = os.path.join(repository.top, earlier)
    names = {*SHIMS, *PASSED_ON, *(_hooks_in(there) if os.path.isdir(there) else ())}
    changed = [
        path
        for name in sorted(names)
        if journal.write(path := os.path.join(own, name), shim(name, start, shlex.quote(os.path.join(earlier, name))), MODE)
    ]
    return changed, []


def _hooks_in(folder: str) -> list[str]:
    return [name for name in os.listdir(folder) if "." not in name and os.access(os.path.join(folder, name), os.X_OK | os.R_OK)]


def own_hooks_path(repository: Repository, journal: Journal) -> str:
    """The value that core.hooksPath must have, or '' when it must not be set by us."""
    return os.path.join(repository.common_dir, OWN_FOLDER) if journal.facts.get("hooks_path") else ""


def is_ours(path: str) -> bool:
    """Whether a file is one of our shims."""
    try:
        with open(path, "rb") as file:
            return OURS in file.read(200)
    except OSError:
        return False
