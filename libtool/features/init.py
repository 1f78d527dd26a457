"""`lib init`: make, clone or take over a library, name the machine, install git hooks and merge drivers; and take that back."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

from libtool.config import NAME, load
from libtool.domain.schema import ENTRIES, LIBRARY_MARK
from libtool.errors import LibError, LibraryNotFound, UsageError
from libtool.features import init_hooks, sync_glance
from libtool.features.githooks import index_book, reindex
from libtool.features.githooks.repository import find as find_repository
from libtool.features.init_files import library_files, put
from libtool.features.init_journal import Journal
from libtool.features.init_machine import claim, rename
from libtool.storage import config_file, git, repo_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.features.githooks.repository import Repository
    from libtool.features.init_machine import Claim

BRANCH = "main"
LOCK_SECONDS = 20.0
HINT_GIT = "install git (https://git-scm.com), or put the folder it is in on PATH"
INFO = (
    "# lib: these two lines name the merge drivers that `lib init` set up in this clone",
    "entries/*.md merge=lib-entry",
    "INDEX.md merge=lib-index",
)


class Wanted(NamedTuple):
    """What was asked for: '' where nothing was said.

    `same_machine`: the taken name is that of this very machine, installed anew; `take_over`: make a library also of a repository that
    holds something else.
    """

    path: str = ""
    clone: str = ""
    remote: str = ""
    machine: str = ""
    same_machine: bool = False
    take_over: bool = False


class OtherRepositoryError(UsageError):
    """The folder is a git repository that somebody uses for something else: only they can say that it is to be a library."""


class InitReport(NamedTuple):
    """What there is now, and what was done for it: nothing where all was there."""

    library: str
    machine: str
    remote: str
    """Without login; '' for none."""
    changes: tuple[str, ...]
    remarks: tuple[str, ...]


def run(config: Config, environ: Mapping[str, str], wanted: Wanted, *, python: str = sys.executable) -> InitReport:
    """Do what is missing. Raises UsageError, LibError, GitFailed, OSError; what was done until then stays, and may be done again."""
    if git.find(environ) is None:
        raise LibError("lib init needs git, and there is none on PATH", hint=HINT_GIT)
    environ = git.unbound(environ)
    top = wanted.path or config.library
    if wanted.machine:
        _checked_name(wanted.machine)
    repository, changes = _repository(top, environ, wanted)
    # A second one at the same time would note as it was before what the first has half done.
    with repo_place.locked(repo_place.find(top), LOCK_SECONDS):
        done, remarks, name = _installed(config, environ, repository, wanted, (top, python))
    remote = git.without_login(repository.git.line("remote", "get-url", "origin"))
    return InitReport(top, name, remote, tuple(changes + done), tuple(remarks))


def _installed(
    config: Config, environ: Mapping[str, str], repository: Repository, wanted: Wanted, places: tuple[str, str]
) -> tuple[list[str], list[str], str]:
    """Do what is missing in a repository, `places` being its folder and the interpreter: (changes, remarks, the machine's name)."""
    top, python = places
    journal = Journal(repository.common_dir)
    machine = claim(config, top, journal, wanted.machine or config.machine, is_same=wanted.same_machine)
    changes = rename(config, machine.former, machine.name)
    changes += _remote(repository, wanted.remote)
    changes += _content(repository)
    done, remarks = init_hooks.install(repository, journal, init_hooks.Start(python, config.data_dir))
    changes += [_short(path, top) for path in done]
    changes += _settings(repository, journal, python)
    if journal.write(os.path.join(repository.common_dir, "info", "attributes"), _attributes(repository)):
        changes.append(".git/info/attributes")
    changes += _own_config(config, environ, journal, (wanted, top, machine))
    changes += machine.record(journal)
    if repository.git.committer():
        remarks.append(f"git knows no name and address of yours, so lib commits as {git.OWN[0]} <{git.OWN[1]}>; {git.HINT_NOBODY}")
    return changes, remarks, machine.name


def uninstall(config: Config, environ: Mapping[str, str], path: str = "") -> InitReport:
    """Take back all that `run` changed outside the library's own files, which stay. Raises LibraryNotFound."""
    environ = git.unbound(environ)
    top = path or config.library
    repository = find_repository(git.Git(top, environ), top) if os.path.isdir(top) else None
    if repository is None:
        raise LibraryNotFound(f"there is no library in {top}", hint="name its folder: lib init --uninstall PATH")
    journal = Journal(repository.common_dir)
    if journal.is_empty:
        return InitReport(top, config.machine, "", (), ())
    restored = journal.restore()
    remarks = [_take_ours_out(repository, journal, config, touched) for touched in restored.touched]
    changes = [_short(one, top) for one in restored.done]
    for name in (index_book.NAME, reindex.MARK, reindex.LOCK, sync_glance.SEEN, repo_place.LOCK):
        if os.path.exists(left := os.path.join(repository.common_dir, name)):
            os.unlink(left)
    journal.forget()
    changes += rename(config, {config.machine}, load(environ, config.home).machine)
    return InitReport(top, config.machine, "", tuple(changes), tuple(remarks))


def _checked_name(name: str) -> None:
    try:
        NAME.take(name, ("", ""))
    except ValueError:
        raise UsageError(f"`{name[:40]}` cannot name a machine", hint=f"a name has {NAME.expected.removesuffix(', in quotes')}") from None


def _repository(top: str, environ: Mapping[str, str], wanted: Wanted) -> tuple[Repository, list[str]]:
    """The library's repository, made or cloned when there is none. Raises UsageError for a folder that holds something else."""
    if os.path.lexists(top) and not os.path.isdir(top):
        raise UsageError(f"{top} is no folder", hint="name another place: lib init PATH")
    is_there = os.path.lexists(os.path.join(top, ".git"))
    if not is_there and os.path.isdir(top) and os.listdir(top):
        raise UsageError(f"{top} is neither empty nor a git repository", hint="name another place: lib init PATH; or `git init` it first")
    changes = []
    if not is_there:
        changes = [_clone(top, environ, wanted.clone) if wanted.clone else _make(top, environ)]
    repository = find_repository(git.Git(top, environ), top)
    if repository is None:
        raise UsageError(f"{top}/.git is no git repository", hint="move it away, then run `lib init` again")
    if is_there and wanted.clone and repository.git.line("remote", "get-url", "origin") != wanted.clone:
        raise UsageError(f"{top} is another repository already", hint="name another place: lib init PATH --clone URL")
    if is_there and not wanted.take_over and not _is_library(repository):
        hint = f"name another folder; to make this one a library all the same: lib init {shlex.quote(top)} --yes"
        raise OtherRepositoryError(f"{top} is a git repository that holds something else", hint=hint)
    return repository, changes


def _make(top: str, environ: Mapping[str, str]) -> str:
    """A new repository whose first commit will be on BRANCH."""
    os.makedirs(top, mode=0o700, exist_ok=True)
    made = git.Git(top, environ)
    # Not `init -b`: git learned that in 2.28.
    made.run("init", "--quiet")
    made.run("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
    return f"{top} (new repository)"


def _clone(top: str, environ: Mapping[str, str], url: str) -> str:
    """A clone; credentials are git's business, which asks at the terminal. Raises LibError for one that holds no library."""
    is_new = not os.path.isdir(top)
    os.makedirs(top, mode=0o700, exist_ok=True)
    shown = git.without_login(url)
    try:
        git.Git(os.path.dirname(top), environ).run("clone", "--quiet", "--", url, top)
    except git.GitFailed as error:
        if is_new:
            shutil.rmtree(top)
        raise LibError(
            f"cannot clone {shown}: {error.message}", hint="is the address right, and may you read it? try: git ls-remote URL"
        ) from error
    repository = find_repository(git.Git(top, environ), top)
    if repository is not None and not repository.git.line("rev-parse", "--verify", "--quiet", "HEAD"):
        _choose_branch(repository)
    if repository is not None and not _looks_like_library(repository):
        # A forge's default branch may hold no more than the README that it began with.
        _find_branch(repository)
    if repository is not None and not _looks_like_library(repository):
        _remove_clone(top, is_new=is_new)
        raise UsageError(f"{shown} holds no library", hint="clone it yourself, then make it one: lib init PATH")
    return f"{top} (cloned from {shown})"


def _choose_branch(repository: Repository) -> None:
    """After a clone that checked out nothing: the remote is empty, or its HEAD names a branch that it does not have."""
    at = repository.git
    branches = at.line("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin").split()
    if branches:
        branch = BRANCH if BRANCH in branches else branches[0]
        at.run("checkout", "--quiet", "-B", branch, "--track", f"origin/{branch}")
    else:
        at.run("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
        _track(repository)


def _find_branch(repository: Repository) -> None:
    """Go to a branch of the remote that holds a library, where there is one: the one of our name before others."""
    at = repository.git
    branches = at.line("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin").split()
    for branch in sorted(branches, key=lambda name: (name != BRANCH, name)):
        if at.call("cat-file", "-e", f"refs/remotes/origin/{branch}:{LIBRARY_MARK}").code == 0:
            at.run("checkout", "--quiet", "-B", branch, "--track", f"origin/{branch}")
            return


def _remove_clone(top: str, *, is_new: bool) -> None:
    """Leave what was there before the clone: nothing, or an empty folder."""
    if is_new:
        shutil.rmtree(top)
        return
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def _is_library(repository: Repository) -> bool:
    """Whether it has our mark, or was set up before; a repository without any commit and file is as good as empty."""
    top = repository.top
    if os.path.isfile(os.path.join(top, LIBRARY_MARK)) or not Journal(repository.common_dir).is_empty:
        return True
    return not repository.git.line("rev-parse", "--verify", "--quiet", "HEAD") and os.listdir(top) == [".git"]


def _looks_like_library(repository: Repository) -> bool:
    """Whether a clone of what was named as a library may be one: a folder of entries is enough."""
    return _is_library(repository) or os.path.isdir(os.path.join(repository.top, ENTRIES))


def _track(repository: Repository) -> None:
    """So that plain `git push` and `git pull` know where to."""
    branch = repository.git.line("symbolic-ref", "--short", "HEAD")
    if branch and not repository.git.line("config", f"branch.{branch}.remote"):
        repository.git.run("config", f"branch.{branch}.remote", "origin")
        repository.git.run("config", f"branch.{branch}.merge", f"refs/heads/{branch}")


def _remote(repository: Repository, url: str) -> list[str]:
    """Add the remote; it is the person's, so an uninstall leaves it."""
    if not url:
        return []
    known = repository.git.line("remote", "get-url", "origin")
    if known == url:
        return []
    if known:
        raise UsageError(
            f"the library has a remote already: {git.without_login(known)}",
            hint=f"change it with: git -C {shlex.quote(repository.top)} remote set-url origin URL",
        )
    if url.startswith("-"):
        raise UsageError(f"{url[:40]} is no address of a repository", hint="for example: lib init --remote git@example.org:me/library.git")
    repository.git.run("remote", "add", "origin", url)
    _track(repository)
    return [f"remote origin: {git.without_login(url)}"]


def _content(repository: Repository) -> list[str]:
    """The library's own files, and a commit of those that were missing; where git makes none now, the next commit takes them along."""
    from libtool.domain.index_md import build  # noqa: PLC0415

    files = library_files(lambda: build({}))
    put_now = put(repository.top, files)
    at = repository.git
    committed = at.line("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    # With those that a run that was killed has put there.
    paths = [one.path for one in files if one.path in put_now or (one.path not in committed and one.is_in(repository.top))]
    if not paths:
        return []
    at.run("--literal-pathspecs", "add", "--force", "--", *paths)
    message = "Set up the library" if at.line("rev-parse", "--verify", "--quiet", "HEAD") else "Begin the library"
    ended = at.call("--literal-pathspecs", "commit", "--quiet", "--no-verify", "-m", message, "--only", "--", *paths, env=at.committer())
    return [*paths, "not committed yet: " + ended.err.strip().partition("\n")[0] if ended.code else f"commit: {message}"]


def _settings(repository: Repository, journal: Journal, python: str) -> list[str]:
    """The keys in .git/config."""
    # The fallback needs no lib: git joins both sides, and the next commit or sync puts the result in order.
    driver = f"{shlex.quote(python)} -P -m libtool.hooks.merge_driver %O %A %B %P 2>/dev/null || git merge-file --union -q %A %O %B"
    keys = {
        "merge.lib-entry.name": "section by section (lib)",
        "merge.lib-entry.driver": driver,
        "merge.lib-index.name": "INDEX.md line by line (lib)",
        "merge.lib-index.driver": driver,
        "merge.renames": "false",
    }
    if not any(repository.git.line("config", one) for one in ("pull.rebase", "pull.ff")):
        # git pulls nothing that went apart before somebody has said how.
        keys["pull.rebase"] = "false"
    if hooks := init_hooks.own_hooks_path(repository, journal):
        keys["core.hooksPath"] = hooks
    listed = repository.git.run("config", "--local", "--null", "--list").decode("utf-8", "surrogateescape").split("\0")
    have = {key.lower(): value for key, _, value in (one.partition("\n") for one in listed)}
    wrong = {key: value for key, value in keys.items() if have.get(key.lower()) != value}
    if not wrong:
        return []
    path = os.path.join(repository.common_dir, "config")
    journal.before(path)
    old = journal.facts.setdefault("git", {})
    for key, value in wrong.items():
        old.setdefault(key, have.get(key.lower()))
        repository.git.run("config", "--local", "--replace-all", key, value)
    journal.after(path)
    return [f".git/config: {key}" for key in wrong]


def _attributes(repository: Repository) -> bytes:
    """.git/info/attributes with our lines at its end: the last line that matches wins."""
    path = os.path.join(repository.common_dir, "info", "attributes")
    old = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            old = file.read()
    ours = "\n".join(INFO).encode() + b"\n"
    if ours in old:
        return old
    return old + (b"\n" if old and not old.endswith(b"\n") else b"") + ours


def _own_config(config: Config, environ: Mapping[str, str], journal: Journal, found: tuple[Wanted, str, Claim]) -> list[str]:
    """`machine`, and `library` where it was given, in the TOML file."""
    wanted, top, machine = found
    plain = load({name: value for name, value in environ.items() if name != "LIB_LIBRARY"}, config.home)
    keys: dict[str, str] = {}
    if plain.machine != machine.name or not _is_written(config.config_file, "machine"):
        keys["machine"] = machine.name
    if wanted.path and plain.library != top:
        keys["library"] = top
    if not keys:
        return []
    journal.before(config.config_file)
    old = journal.facts.setdefault("toml", {})
    for key, value in keys.items():
        old.setdefault(key, getattr(plain, key) if _is_written(config.config_file, key) else None)
        config_file.set_value(config.config_file, key, value)
    journal.after(config.config_file)
    return [f"{config.config_file}: {key} = {value}" for key, value in keys.items()]


def _is_written(path: str, key: str) -> bool:
    """Whether the TOML file has the key; that it is well-formed is known by now."""
    import tomllib  # noqa: PLC0415

    if not os.path.exists(path):
        return False
    with open(path, "rb") as file:
        return key in tomllib.load(file)


def _take_ours_out(repository: Repository, journal: Journal, config: Config, path: str) -> str:
    """From a file that somebody changed since, only what is ours; a remark for the person."""
    if path == os.path.join(repository.common_dir, "config"):
        for key, old in journal.facts.get("git", {}).items():
            args = ("--unset-all", key) if old is None else ("--replace-all", key, old)
            repository.git.call("config", "--local", *args)
    elif path == config.config_file:
        for key, old in journal.facts.get("toml", {}).items():
            if old is None:
                config_file.unset(path, key)
            else:
                config_file.set_value(path, key, old)
    elif path == os.path.join(repository.common_dir, "info", "attributes"):
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        ours = {line.encode() for line in INFO}
        with open(path, "wb") as file:
            file.write(b"".join(line for line in lines if line.rstrip(b"\r\n") not in ours))
    elif init_hooks.is_ours(path):
        os.unlink(path)
    else:
        return f"{path} was changed since, and is left as it is"
    return f"{path} was changed since: only what lib had put there was taken out"


def _short(path: str, top: str) -> str:
    return os.path.relpath(path, top) if path.startswith(top + os.sep) else path
