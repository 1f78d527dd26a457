"""What an agent's part in one file is: how it is put into the file's text, taken out, and known again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class UnusableError(Exception):
    """A file that is left alone: why, and what its owner can do, one line each."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Part(Protocol):
    """One file's share. Texts are bytes as they lie on the disk; None stands for no file. Every method may raise UnusableError."""

    template: str
    """The template below hooks/agent, or '' for the skill."""
    is_whole: bool
    """Whether the file is ours alone."""
    nothing: bytes
    """A file of this kind that says nothing."""

    def put(self, text: bytes | None, launcher: str) -> bytes:
        """The text with our part, as this version has it; `text` has none."""
        ...

    def take(self, text: bytes, was: bytes | None = None) -> bytes | None:
        """The text without our part of any version; None when nothing but ours was in it.

        What is empty then stays where `was`, the text before there was a part of ours, has it.
        """
        ...

    def holds(self, text: bytes, launcher: str) -> bool:
        """Whether our part is in there as this version has it, and no other of ours."""
        ...


class Place(NamedTuple):
    """A part and where it lies: relative to the agent's folder, and to a project ('' where a project has none)."""

    part: Part
    user: str
    project: str


class Agent(NamedTuple):
    """One agent: its folder, its files, its skill, and what it needs beside that."""

    name: str
    folder: Callable[[str, Mapping[str, str]], str]
    """Its folder of settings, from the user's home and the environment."""
    places: tuple[Place, ...]
    payload: Callable[[str, str], Mapping[str, object]]
    """An event (its name, the session's folder) as the agent tells it, for a trial."""
    trial: str
    """An event that ends a turn."""
    skills: tuple[str, ...] = (".agents/skills",)
    """Folders of skills that it loads, below home and project alike. Ours lies in the first, unless it is in another already."""
    todo: str = ""
    """What the person must still do."""
    known_by: str = ""
    """By what lib, run as one of its tools, knows the session."""
    told: str = "yes"
    """Whether its model is told of the library at a session's start; `no: ` and why."""
    off: Callable[[Mapping[str, object]], str] | None = None
    """Of its settings: the one by which all hooks are turned off, '' when they are on."""
