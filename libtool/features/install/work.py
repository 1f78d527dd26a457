"""`lib install`: our hooks and the skill, for each agent there is; and all of that taken back."""

from __future__ import annotations

import contextlib
import difflib
import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.redact import Redactor
from libtool.domain.review.prompt import prompt
from libtool.errors import LibError, UsageError
from libtool.features import hook_log, redact
from libtool.features.install import changes, jsonc, launcher, templates, toml_keys
from libtool.features.install.changes import Change, File, Problem, Scope
from libtool.features.install.own_file import Skill
from libtool.features.install.part import UnusableError
from libtool.features.install.record import Record
from libtool.features.install.table import AGENTS, CODEX, CODEX_CONFIG, present
from libtool.features.quickstart import short
from libtool.storage import files, key
from libtool.storage.lock import writer_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from libtool.config import Config
    from libtool.features.install.part import Agent, Part

NEW_MODE = 0o644
CONTEXT_LINES = 2
WAIT_SECONDS = 20.0
COMPACTION = """Summarise this conversation for the agent that will go on with it: what the person wants, what was done and found,
what was decided and why, files and commands that matter, what is still open and what comes next. Be exact and short.

"""


class Wanted(NamedTuple):
    """What was asked for."""

    agents: tuple[str, ...] = ()
    """Names; none for those that are there."""
    project: str = ""
    """The folder of a project; '' for the user."""
    compact_prompt: bool = False
    """Whether Codex' compaction prompt is to be replaced."""


class Done(NamedTuple):
    """A file that was changed, or would be: how, as a diff without logins."""

    path: str
    diff: str
    note: str = ""


class Plan(NamedTuple):
    """The files that may change, and what is to be done with one as it is now, going by this record."""

    record: Record
    files: Sequence[File]
    change: Callable[[File], Change | None]


class Report(NamedTuple):
    """What was done."""

    agents: tuple[str, ...]
    changes: tuple[Done, ...]
    problems: tuple[Problem, ...]
    remarks: tuple[str, ...]


def install(config: Config, environ: Mapping[str, str], wanted: Wanted, *, dry_run: bool = False) -> Report:
    """Put it in place. Raises UsageError for an agent that we do not know, LibError, Locked; what cannot be changed is a problem."""
    agents = _chosen(config, environ, wanted.agents)
    if wanted.project and os.path.realpath(wanted.project) == os.path.realpath(config.home):
        raise UsageError("--project is for one project, and this is your home", hint="`lib install` is for all that you work on")
    scope = Scope(config.home, environ, wanted.project)

    def plan() -> Plan:
        record = Record(config)
        listed = list(_with_prompt(scope.files(agents, record), wanted=wanted.compact_prompt))
        return Plan(record, listed, lambda file: changes.to_install(file, wanted.project, launcher.path(config), record))

    started = _launcher(config, environ) if agents else None
    planned = plan()
    found, problems = _planned(planned.files, planned.change)
    every = [*([started] if started else []), *found]
    done = _shown(config, every)
    remarks = tuple(_remarks(config, environ, agents, wanted, found))
    if not dry_run and every:
        with writer_lock(config, WAIT_SECONDS, task="lib install"):
            problems = [*(_started(started) if started else ()), *_applied(plan())]
    if not dry_run:
        hook_log.settle(config)
    return Report(tuple(agent.name for agent in agents), done, tuple(problems), remarks)


def uninstall(config: Config, environ: Mapping[str, str], wanted: Wanted, *, dry_run: bool = False) -> Report:
    """Take it out: of the agents named, else all there ever was. Raises as `install`."""
    agents = _chosen(config, environ, wanted.agents) if wanted.agents else list(AGENTS.values())
    names = {agent.name for agent in agents}

    def plan() -> Plan:
        record = Record(config)
        listed: dict[str, File] = {}
        for file in _with_prompt(_known(config, environ, wanted, record), wanted=False):
            listed.setdefault(file.path, file)
        # Backwards, for files that are one behind a link.
        in_turn = list(reversed(listed.values()))
        return Plan(record, in_turn, lambda file: changes.to_uninstall(file, names, launcher.path(config), record))

    planned = plan()
    found, problems = _planned(reversed(planned.files), planned.change)
    done = _shown(config, found)
    if not dry_run and found:
        with writer_lock(config, WAIT_SECONDS, task="lib install --uninstall"):
            problems = _applied(plan())
    stays = {path for path, _ in Record(config).all()}
    remarks: tuple[str, ...] = ()
    if not dry_run and stays <= {problem.path for problem in problems}:
        launcher.remove(config)
        if stays:
            remarks = ("lib's hooks in what was left alone do nothing: the script that they call is gone",)
    return Report(tuple(sorted(names)) if wanted.agents else (), done, tuple(problems), remarks)


def project_of(folder: str) -> str:
    """The top of the repository that a folder lies in; the folder itself where there is none."""
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        if os.path.dirname(top) == top:
            return folder
        top = os.path.dirname(top)
    return top


def _chosen(config: Config, environ: Mapping[str, str], names: Sequence[str]) -> list[Agent]:
    """The agents by name, in the order of the table. Raises UsageError."""
    unknown = next((name for name in names if name not in AGENTS), None)
    if unknown is not None:
        raise UsageError(f"no agent that lib knows: {unknown[:40]}", hint=f"one of {', '.join(AGENTS)}")
    return [agent for agent in AGENTS.values() if agent.name in names] if names else present(config.home, environ)


def _known(config: Config, environ: Mapping[str, str], wanted: Wanted, record: Record) -> Iterator[File]:
    """Every file that may hold something of ours."""
    agents = list(AGENTS.values())
    projects = {wanted.project} if wanted.project else {"", *(known.project for _, known in record.all())}
    for project in sorted(projects):
        scope = Scope(config.home, environ, project)
        for agent in agents:
            if wanted.agents and agent.name not in wanted.agents:
                continue
            yield from scope.files([agent], record)
            for folder in agent.skills:
                yield File(agent.name, scope.skill(folder), Skill())
    # Last, what lies where today's environment names no folder of the agent's.
    for path, known in record.all():
        for agent in agents:
            if agent.name in (wanted.agents or known.owners) and agent.name in known.owners and known.project in projects:
                yield File(agent.name, path, _part_at(agent, path))


def _part_at(agent: Agent, path: str) -> Part:
    """The part of an agent that a file was made for."""
    return next((place.part for place in agent.places if path.endswith((f"/{place.user}", f"/{place.project or place.user}"))), Skill())


def _with_prompt(files_: Iterable[File], *, wanted: bool) -> Iterator[File]:
    """The same, with Codex' compaction prompt where that is wanted, or was before."""
    for file in files_:
        if isinstance(file.part, toml_keys.TomlKeys) and (wanted or _has_prompt(file.path)):
            yield file._replace(part=toml_keys.TomlKeys(file.part.template, COMPACTION + prompt(())))
        else:
            yield file


def _has_prompt(path: str) -> bool:
    try:
        return toml_keys.has_prompt(changes.read(path) or b"")
    except (OSError, UnusableError):
        return False


def _planned(listed: Iterable[File], plan: Callable[[File], Change | None]) -> tuple[list[Change], list[Problem]]:
    """(what is to be done, what cannot). Two agents may share a file: it is changed for both."""
    found: dict[str, Change] = {}
    problems = []
    for file in listed:
        try:
            change = plan(file)
        except UnusableError as error:
            problems.append(Problem(file.agent, file.path, error.message, error.hint))
        except OSError as error:
            problems.append(Problem(file.agent, file.path, error.strerror or "it cannot be read", "let it be read and written"))
        else:
            earlier = found.get(file.path)
            if change is not None and earlier is not None and earlier.known is not None and change.known is not None:
                change.known.owners[:] = sorted({*earlier.known.owners, *change.known.owners})
            if change is not None:
                found[file.path] = change
    return list(found.values()), problems


def _launcher(config: Config, environ: Mapping[str, str]) -> Change | None:
    path, content = launcher.path(config), launcher.content(config, environ)
    try:
        path.encode()
        there = changes.read(path)
    except UnicodeEncodeError:
        raise LibError("the name of lib's data folder is not UTF-8, as settings are", hint="set LIB_DATA_DIR to another folder") from None
    except UnusableError as error:
        raise LibError(f"{path}: {error.message}", hint=error.hint) from None
    if there is not None and not launcher.is_ours(there) and not list(Record(config).all()):
        # In a folder that is lib's it would be a damaged one.
        raise LibError(f"{path}: lib did not put it there", hint="set LIB_DATA_DIR to a folder that is lib's alone")
    return None if there == content and os.access(path, os.X_OK) else Change(path, is_whole=True, before=there, after=content, known=None)


def _started(change: Change) -> Iterator[Problem]:
    """Put the launcher in place; what failed."""
    try:
        files.write(change.path, change.after or b"", mode=launcher.MODE)
    except OSError as error:
        yield _failed(change.path, error)


def _applied(planned: Plan) -> list[Problem]:
    """Do it, each file as a whole, as it is now: two of them may be one behind a link, or somebody has written to it; what failed."""
    problems = []
    for file in planned.files:
        found, unusable = _planned([file], planned.change)
        problems += unusable
        for change in found:
            try:
                _apply(change, planned.record)
            except OSError as error:
                problems.append(_failed(change.path, error))
    return problems


def _failed(path: str, error: OSError) -> Problem:
    return Problem("", path, error.strerror or "it cannot be written", "let it be written, then run the command again")


def _apply(change: Change, record: Record) -> None:
    # What a killed run left beside it.
    files.sweep(os.path.dirname(os.path.realpath(change.path)))
    if change.known is not None:
        record.put(change.path, change.known)
    if change.set_aside:
        os.replace(change.path, change.set_aside)
    if change.after is None:
        if change.before is not None and not change.set_aside:
            os.unlink(os.path.realpath(change.path))
        if os.path.basename(os.path.dirname(change.path)) == templates.SKILL:
            # Its folder is ours, noted or not.
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(change.path))
    elif change.after != change.before:
        files.write(change.path, change.after, mode=NEW_MODE if change.before is None else None)
    if change.known is None:
        record.drop(change.path)


def _shown(config: Config, found: Sequence[Change]) -> tuple[Done, ...]:
    """The changes of content, as diffs: settings may hold a login, and who reads this may be an agent."""
    try:
        redactor = redact.redactor(config, key.there(config) or os.urandom(key.SIZE))
    except LibError:
        # A key or store that is damaged is `lib doctor`'s matter.
        redactor = Redactor(os.urandom(key.SIZE))
    shown = []
    for change in found:
        if change.before != change.after:
            note = _note(change, config.home)
            shown.append(Done(change.path, "" if note else _diff(change, short(change.path, config.home), redactor), note))
    return tuple(shown)


def _note(change: Change, home: str) -> str:
    """What happens to a file that holds nothing but ours, which nobody needs to read line by line; '' for another."""
    if change.set_aside:
        return f"you have changed it: it is kept as {short(change.set_aside, home)}"
    if change.after is None:
        return "removed"
    if change.before is None:
        return "new"
    return "brought up to date" if change.is_whole else ""


def _diff(change: Change, name: str, redactor: Redactor) -> str:
    old, new = (redactor.redact((text or b"").decode("utf-8", "replace")).splitlines() for text in (change.before, change.after))
    return "\n".join(difflib.unified_diff(old, new, name, name, lineterm="", n=CONTEXT_LINES))


def _remarks(config: Config, environ: Mapping[str, str], agents: Sequence[Agent], wanted: Wanted, found: Sequence[Change]) -> Iterator[str]:
    """What the person must still do, or should know."""
    changed = {os.path.dirname(change.path) for change in found if change.before != change.after}
    for agent in agents:
        folder = agent.folder(config.home, environ)
        if agent.todo and (wanted.project or any(one.startswith(folder) for one in changed)):
            yield f"{agent.name}: {agent.todo}"
        if agent.name == CODEX and not wanted.project and _has_own_notify(os.path.join(folder, CODEX_CONFIG)):
            yield "codex: config.toml has a `notify` of its own, which stays; lib's hooks tell the same once they are trusted"
    for change in found:
        if change.before is not None and os.stat(change.path).st_nlink > 1:
            yield f"{short(change.path, config.home)} is a hard link: its other names keep the text that was there before"
    if agents and not launcher.is_on_path(environ):
        yield f"`lib` is not on PATH, and the skill calls it so: {launcher.linking(config)}"


def _has_own_notify(path: str) -> bool:
    try:
        return toml_keys.others_notify(changes.read(path) or b"")
    except (OSError, UnusableError):
        return False


def switched_off(config: Config, environ: Mapping[str, str], agent: Agent) -> Iterator[tuple[str, str]]:
    """(what turns all hooks of an agent off, how to turn them on) in its settings for the user."""
    for place in agent.places if agent.off is not None else ():
        path = os.path.join(agent.folder(config.home, environ), place.user)
        try:
            settings = jsonc.parse((changes.read(path) or b"{}").decode("utf-8-sig")).python()
        except (OSError, ValueError, UnusableError):
            continue
        if agent.off is not None and isinstance(settings, dict) and (name := agent.off(settings)):
            yield f"`{name}` in {short(path, config.home)} turns all hooks off", f"take `{name}` out of {short(path, config.home)}"
