"""What `lib install` is about to change, found before anything is: the files of each agent, and what each will be."""

from __future__ import annotations

import os
import shlex
import stat
from typing import TYPE_CHECKING, NamedTuple

from libtool.features.install import record, templates
from libtool.features.install.own_file import Skill, is_ours
from libtool.features.install.part import UnusableError
from libtool.features.install.table import AGENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from libtool.features.install.part import Agent, Part
    from libtool.features.install.record import Known, Record

LARGEST = 1 << 20
"""Bytes of a settings file that are looked at."""
EDITED = ".edited"
"""What is put behind the name of a file of ours that its owner has changed, when it is taken out of use."""


class File(NamedTuple):
    """One file of one agent."""

    agent: str
    path: str
    part: Part


class Change(NamedTuple):
    """What will be done to a file: None for no file."""

    path: str
    is_whole: bool
    """Whether the file is ours alone."""
    before: bytes | None
    after: bytes | None
    known: Known | None
    """What is to be noted of it; None for nothing any more."""
    set_aside: str = ""
    """Where a file goes that is out of use but not ours to delete."""


class Problem(NamedTuple):
    """A file that is left alone."""

    agent: str
    path: str
    message: str
    hint: str


class Scope(NamedTuple):
    """For whom: the user (`project` is ''), or the project whose folder it is."""

    home: str
    environ: Mapping[str, str]
    project: str = ""

    def files(self, agents: Sequence[Agent], record_: Record) -> Iterator[File]:
        """The files of these agents, skills last."""
        for agent in agents:
            for place in agent.places:
                if not self.project:
                    # A variable may name a folder from where one is: what is noted must hold everywhere.
                    yield File(agent.name, os.path.abspath(os.path.join(agent.folder(self.home, self.environ), place.user)), place.part)
                elif place.project:
                    yield File(agent.name, os.path.join(self.project, place.project), place.part)
        chosen: list[str] = []
        for agent in agents:
            yield File(agent.name, self._skill(agent, chosen, record_), Skill())

    def _skill(self, agent: Agent, chosen: list[str], record_: Record) -> str:
        """Where an agent finds the skill: where another agent has it already, if it looks there."""
        paths = [self.skill(folder) for folder in agent.skills]
        path = next((one for one in paths if one in chosen), None) or next((one for one in paths if record_.get(one)), paths[0])
        chosen.append(path)
        return path

    def skill(self, folder: str) -> str:
        """The skill's file in a folder of skills, as agents name it below a home or a project."""
        name = os.path.join(templates.SKILL, "SKILL.md")
        if self.project:
            return os.path.join(self.project, folder, name)
        if folder == ".claude/skills":
            return os.path.abspath(os.path.join(AGENTS["claude-code"].folder(self.home, self.environ), "skills", name))
        return os.path.join(self.home, folder, name)


def to_install(file: File, project: str, launcher: str, record_: Record) -> Change | None:
    """What is to be done so that a file holds our part as this version has it; None for nothing. Raises UnusableError, OSError."""
    part, text, known = file.part, read(file.path), record_.get(file.path)
    set_aside = ""
    if known is not None and known.is_as_left(text):
        before = known.before
    elif known is not None and text is not None and part.is_whole and not part.holds(text, launcher):
        raise UnusableError("it was changed since lib put it there", f"to have lib's, delete it, then run `lib install {file.agent}`")
    else:
        before = None if text is None else part.take(text, known.before if known else None)
        if known is None and text is not None and part.is_whole and not part.holds(text, launcher):
            # Ours, of another version, or changed by its owner: nobody knows.
            set_aside = _aside(file.path)
    after = text if text is not None and part.holds(text, launcher) else part.put(before, launcher)
    owners = sorted({*(known.owners if known else ()), file.agent})
    if after == before or (after == text and known is not None and known.owners == owners):
        # Nothing of ours belongs in there, where its owner has set all of it; or all is there.
        return None
    earlier = record.digest(text) if known is not None and text is not None and known.is_as_left(text) else ""
    return _allowed(Change(file.path, part.is_whole, text, after, record.made(owners, project, before, after, earlier), set_aside))


def to_uninstall(file: File, agents: set[str], launcher: str, record_: Record) -> Change | None:
    """What is to be done so that a file holds nothing for these agents; None for nothing. Raises UnusableError, OSError.

    What lib never put anything in is no problem, whatever it is: the person wants to be rid of lib, not to mend it.
    """
    text = None
    try:
        text = read(file.path)
        return _taken(file, text, agents, launcher, record_)
    except (UnusableError, OSError):
        if record_.get(file.path) is None and not is_ours(text or b""):
            return None
        raise


def _taken(file: File, text: bytes | None, agents: set[str], launcher: str, record_: Record) -> Change | None:
    part, known = file.part, record_.get(file.path)
    left = sorted(set(known.owners) - agents) if known else []
    if known is not None and left:
        known.owners[:] = left
        return Change(file.path, part.is_whole, text, text, known)
    if known is not None and known.is_as_left(text):
        return _allowed(Change(file.path, part.is_whole, text, known.before, None))
    after = None if text is None else part.take(text, known.before if known else None)
    if after is None and text is not None:
        if part.is_whole and not (known is None and part.holds(text, launcher)):
            return _allowed(Change(file.path, part.is_whole, text, None, None, set_aside=_aside(file.path)))
        if known is not None and known.before is not None:
            after = part.nothing if known.before.strip() else known.before
    return _allowed(Change(file.path, part.is_whole, text, after, None)) if known is not None or after != text else None


def _aside(path: str) -> str:
    """A free name for a file that goes out of use."""
    aside, number = path + EDITED, 1
    while os.path.lexists(aside):
        number += 1
        aside = f"{path}{EDITED}-{number}"
    return aside


def _allowed(change: Change) -> Change:
    """The change, if its file may be written: whoever made it read-only meant it."""
    if change.before not in (None, change.after) and not os.stat(change.path).st_mode & stat.S_IWUSR:
        raise UnusableError("it is read-only", f"make it writable (chmod u+w {shlex.quote(change.path)}), then run the command again")
    return change


def read(path: str) -> bytes | None:
    """A file's bytes, through links; None where there is none. Raises UnusableError, OSError."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnusableError("it is no file", "move it away, then run the command again")
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(text) > LARGEST:
        raise UnusableError("it is too large for settings", "is it the right file?")
    return text
