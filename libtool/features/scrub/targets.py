"""Which files a scrub is about: transcripts, what lies beside them, and what is only looked at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters import discover
from libtool.adapters.registry import ADAPTERS
from libtool.adapters.side_places import SIDES, SidePlaces, Sides
from libtool.errors import UsageError
from libtool.features.changes import NOTE, TERMINAL
from libtool.features.scrub.content import DATABASE, TEXT, form_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.discover import Candidate
    from libtool.config import Config

_SQLITE = b"SQLite format 3\x00"


class Target(NamedTuple):
    """A file to be scrubbed."""

    path: str
    """As it was found."""
    real: str
    """With links resolved."""
    agent: str
    root: str
    form: str
    transcript: bool
    sessions: tuple[str, ...] = ()
    """Ids of the sessions in it, known once it was read."""
    only: tuple[str, ...] = ()
    """Of a file that many sessions share: the ids to which the work is limited."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Files that belong to a database."""
        return (self.real + "-wal", self.real + "-shm", self.real + "-journal") if self.form == DATABASE else ()


def agents_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """The agents asked for, all but notes by default; raises UsageError for an unknown one."""
    for name in names:
        if name not in ADAPTERS:
            raise UsageError(f"unknown agent `{name}`", hint=f"the agents are: {', '.join(agent for agent in ADAPTERS if agent != NOTE)}")
        if name == NOTE:
            raise UsageError("notes are your own files", hint="`lib redact --in-place FILE` rewrites one")
    return names or tuple(agent for agent in ADAPTERS if agent != NOTE)


def transcripts(config: Config, environ: Mapping[str, str], agents: tuple[str, ...]) -> Iterator[Target]:
    """Files that may be transcripts of these agents, by place and name."""
    adapters = [ADAPTERS[agent] for agent in agents]
    globs = {TERMINAL: config.terminal_globs} if config.terminal_globs else {}
    limits = discover.Limits(config.walk_depth, config.walk_seconds)
    for one in discover.find(adapters, config.home, environ, config.roots, limits=limits, patterns=globs):
        yield _target(one, transcript=True)


def side_files(config: Config, environ: Mapping[str, str], agents: tuple[str, ...]) -> Iterator[Target]:
    """Files beside the transcripts that repeat what was said. None that is itself a link: nothing tells what it points to."""
    places = [SidePlaces(ADAPTERS[agent], sides.covered, sides.projects) for agent, sides in _sides(agents)]
    limits = discover.Limits(config.walk_depth, config.walk_seconds)
    for one in discover.find(places, config.home, environ, config.roots, limits=limits):  # type: ignore[arg-type]  # a view of an adapter
        if not os.path.islink(one.path):
            yield _target(one, transcript=False)


def left_files(config: Config, environ: Mapping[str, str], agents: tuple[str, ...]) -> Iterator[tuple[Target, str]]:
    """(file, why) of what is looked at and never rewritten."""
    for agent, sides in _sides(agents):
        for pattern, why in sides.left:
            place = SidePlaces(ADAPTERS[agent], (pattern,))
            for one in discover.find([place], config.home, environ, ()):  # type: ignore[list-item]  # as above
                yield _target(one, transcript=False), why


def tables_of(agent: str) -> tuple[str, ...]:
    """The tables of an agent's database that hold sessions; () for all."""
    return SIDES.get(agent, Sides()).tables


def _sides(agents: tuple[str, ...]) -> list[tuple[str, Sides]]:
    return [(agent, SIDES[agent]) for agent in agents if agent in SIDES]


def _target(found: Candidate, *, transcript: bool) -> Target:
    path = os.path.abspath(found.path)
    real = os.path.realpath(path)
    return Target(path, real, found.agent or "", found.root, _form(path, real), transcript)


def _form(path: str, real: str) -> str:
    """By name; but a database is one by its content."""
    form = form_of(path)
    try:
        with open(real, "rb") as file:
            magic = file.read(len(_SQLITE))
    except OSError:
        return form
    if magic == _SQLITE:
        return DATABASE
    return TEXT if form == DATABASE else form
