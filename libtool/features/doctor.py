"""`lib doctor`: what is broken of all that works by itself, and the one command that mends it. Each installed hook is really called."""

from __future__ import annotations

import os
import shlex
import stat
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import LibError
from libtool.features import init, init_hooks, status
from libtool.features.doctor_hooks import Trial, try_hooks
from libtool.features.githooks.repository import find as find_repository
from libtool.features.hook_log import CALLS
from libtool.features.install import changes, launcher, work
from libtool.features.install.record import Record
from libtool.features.install.table import AGENTS, present
from libtool.features.quickstart import short
from libtool.storage import git, key, library

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.config import Config


class Finding(NamedTuple):
    """One thing that was looked at: what, whether it is well, what there is to say, the command that mends it ('' for none).

    A command beside what is well is an offer: a person may not want hooks in an agent, or a library.
    """

    what: str
    ok: bool
    text: str
    mend: str = ""


KEY = "key"
INSTALL, INIT, INDEX = "lib install", "lib init", "lib index"


def examine(config: Config, environ: Mapping[str, str]) -> list[Finding]:
    """Look at everything; changes nothing of the user's."""
    found = [*_program(config, environ), *_agents(config, environ), *_library(config, environ), *_key(config)]
    return found if found[-1].what == KEY and not found[-1].ok else [*found, *_databases(config, environ)]


def mend(config: Config, environ: Mapping[str, str], findings: list[Finding]) -> list[tuple[str, str]]:
    """Run those mends that destroy nothing: (command, '' or what went wrong) of each."""
    done = []
    for command in dict.fromkeys(found.mend for found in findings if not found.ok):
        act = _ACTS.get(" ".join(command.split()[:2]))
        if act is None:
            # What runs elsewhere, or may destroy something, is left to the person.
            continue
        try:
            act(config, environ, command.split()[2:])
        except LibError as error:
            done.append((command, error.message))
        except OSError as error:
            done.append((command, f"{error.filename or config.data_dir}: {error.strerror}"))
        else:
            done.append((command, ""))
    return done


def _install(config: Config, environ: Mapping[str, str], words: list[str]) -> None:
    report = work.install(config, environ, work.Wanted(tuple(words)))
    if report.problems:
        problem = report.problems[0]
        raise LibError(f"{short(problem.path, config.home)}: {problem.message}", hint=problem.hint)


def _init(config: Config, environ: Mapping[str, str], _words: list[str]) -> None:
    init.run(config, environ, init.Wanted())


def _index(config: Config, environ: Mapping[str, str], _words: list[str]) -> None:
    from libtool.features import index  # noqa: PLC0415 - with all adapters, only when it is run

    index.run(config, environ)


def _private(config: Config, _environ: Mapping[str, str], _words: list[str]) -> None:
    os.chmod(config.key_file, 0o600)


_ACTS = {INSTALL: _install, INIT: _init, INDEX: _index, "chmod 600": _private}
"""The mends that `--fix` runs, by their first two words."""


def _program(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Whether an agent can start lib."""
    there = launcher.is_on_path(environ)
    text = "on PATH" if there else "not on PATH (~/.local/bin should be there): agents that follow the skill cannot call it"
    yield Finding("lib", there, text, "" if there else launcher.linking(config))
    if there and not launcher.is_in_login_shell(environ) and any(agent.name == "codex" for agent in present(config.home, environ)):
        yield Finding(
            "lib", ok=False, text="not on the PATH of a login shell, in which Codex runs its commands", mend=launcher.linking(config)
        )


def _agents(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Settings, skill and hooks of the agents that `lib install` was run for."""
    record = Record(config)
    installed: dict[str, set[str]] = {}
    for _, known in record.all():
        for owner in known.owners:
            installed.setdefault(owner, set()).add(known.project)
    there = [agent.name for agent in present(config.home, environ)]
    for name in there:
        if name not in installed:
            text = "lib is not installed for it: its sessions are found by `lib index` alone"
            yield Finding(name, ok=True, text=text, mend=f"{INSTALL} {name}")
    if installed and launcher.content(config, environ) != _content(launcher.path(config)):
        mends = " ".join([INSTALL, *(name for name in AGENTS if name in installed)])
        yield Finding("launcher", ok=False, text=f"missing, or of another lib: {short(launcher.path(config), config.home)}", mend=mends)
    for name in (name for name in AGENTS if name in installed):
        # Nothing is broken where there is no project any more.
        for project in sorted(one for one in installed[name] if not one or os.path.isdir(one)):
            yield from _agent(config, environ, name, project)


def _agent(config: Config, environ: Mapping[str, str], name: str, project: str) -> Iterator[Finding]:
    agent = AGENTS[name]
    what = f"{name} in {short(project, config.home)}" if project else name
    command = f"cd {shlex.quote(project)} && {INSTALL} {name} --project" if project else f"{INSTALL} {name}"
    scope = changes.Scope(config.home, environ, project)
    planned = work.install(config, environ, work.Wanted((name,), project), dry_run=True)
    if planned.problems:
        problem = planned.problems[0]
        yield Finding(what, ok=False, text=f"{short(problem.path, config.home)}: {problem.message}; {problem.hint}", mend=command)
    paths = [short(done.path, config.home) for done in planned.changes if done.path != launcher.path(config)]
    if paths:
        yield Finding(what, ok=False, text=f"lib's part is missing or old: {', '.join(paths)}", mend=command)
    if planned.problems or paths:
        return
    trial = try_hooks(config, agent, [file for file in scope.files([agent], Record(config)) if file.part.template])
    yield _tried(what, trial, command)
    yield from (Finding(what, ok=False, text=text, mend=fix) for text, fix in work.switched_off(config, environ, agent))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _tried(what: str, trial: Trial, command: str) -> Finding:
    if trial.failed:
        return Finding(what, ok=False, text=trial.failed, mend=command)
    hooks = "1 hook was" if trial.called == 1 else f"{trial.called} hooks were"
    return Finding(what, ok=True, text=f"{hooks} called and work, {trial.slowest * 1000:.0f} ms at most; the skill is there")


def _library(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The library and its git hooks."""
    where = short(config.library, config.home)
    if not library.is_library(config.library):
        yield Finding("library", ok=True, text=f"there is none in {where}", mend=INIT)
        return
    if git.find(environ) is None:
        yield Finding("library", ok=False, text="git is not on PATH", mend="install git")
        return
    try:
        repository = find_repository(git.Git(config.library, git.unbound(environ)), config.library)
        count = len(library.topics(config.library))
    except OSError as error:
        yield Finding("library", ok=False, text=f"{where}: {error.strerror}", mend=INIT)
        return
    if repository is None:
        yield Finding("library", ok=False, text=f"{where} is no git repository", mend=INIT)
        return
    hooks = repository.git.line("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    if not hooks:
        yield Finding("library", ok=False, text=f"git cannot use {where}", mend=f"git -C {shlex.quote(config.library)} status")
        return
    yield Finding("library", ok=True, text=f"{where}, {count} entries")
    missing = [name for name in init_hooks.SHIMS if not _runs(os.path.join(hooks, name))]
    text = f"missing, old or not executable: {', '.join(missing)}" if missing else f"all {len(init_hooks.SHIMS)} are there"
    yield Finding("git hooks", not missing, text, INIT if missing else "")


def _runs(path: str) -> bool:
    """Whether a git hook is one of ours (or pre-commit's, which calls ours) that can be started and whose interpreter is there."""
    for one in (path, path + init_hooks.LEGACY):
        if init_hooks.is_ours(one) and os.access(one, os.X_OK):
            with open(one, encoding="utf-8", errors="surrogateescape") as file:
                line = next((line for line in file if line.startswith("python=")), "python=")
            words = shlex.split(line.partition("=")[2])
            return bool(words) and os.access(words[0], os.X_OK)
    return False


def _key(config: Config) -> Iterator[Finding]:
    """The key of the fingerprints."""
    try:
        there = key.there(config)
    except LibError as error:
        loose = os.path.exists(config.key_file) and stat.S_IMODE(os.stat(config.key_file).st_mode) & 0o077
        yield Finding(KEY, ok=False, text=error.message, mend=f"chmod 600 {shlex.quote(config.key_file)}" if loose else "lib logins key")
        return
    if there is not None:
        yield Finding(KEY, ok=True, text=short(config.key_file, config.home))


def _databases(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Store and search db, and what has failed since."""
    try:
        found = status.status(config, environ)
    except LibError as error:
        yield Finding("store", ok=False, text=error.message, mend=INDEX)
        return
    sessions = sum(sum(counts.values()) for counts in found.agents.values())
    yield Finding("store", ok=True, text=f"{sessions} sessions")
    yield Finding("search db", not found.unusable, found.unusable or "readable", INDEX if found.unusable else "")
    yield from (Finding("logins", ok=False, text=text, mend="lib logins") for text in found.alerts)
    for name, outcome in found.by_itself.items():
        if not outcome.ok:
            yield Finding(f"{name} by itself", ok=False, text=outcome.text, mend=_MENDS.get(name, "lib status"))


_MENDS = {"capture": "lib capture --sweep", "sync": "lib sync", CALLS: INSTALL}
