"""What an adapter is: where its transcripts lie, how to know one by its content, how to read one."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from libtool.domain.session import Record

SNIFF_BYTES = 1 << 16
"""How much of a file's head `Adapter.sniff` is given."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to search for transcripts.

    `patterns` are relative to `root`, with `/` between parts: `*`, `?` and `[]` match inside one part, and a part `**` any depth (bounded
    by the walker).
    """

    root: str
    patterns: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What a reader met and could not use; reported by `lib status`, never fatal."""

    unknown: Counter[str] = field(default_factory=Counter)
    """Record types that the adapter does not know, by name."""
    damaged: int = 0
    """Lines that could not be parsed."""
    oversize: int = 0
    """Lines longer than the reader's limit, skipped."""
    notes: list[str] = field(default_factory=list)
    """Other things to tell the owner, without transcript text."""
    failed: str = ""
    """Why the file cannot be read as what it seems to be; told as a problem when it gave no record, else as a note."""


@dataclass(slots=True)
class Source:
    """One opened transcript. `offset` is how far whole lines were consumed: where the next run resumes."""

    path: str
    file: BinaryIO
    size: int
    """Bytes when it was opened; a reader may meet less (the file shrank) or more (it grew)."""
    start: int = 0
    offset: int = 0
    scratch: str = ""
    """A private folder (mode 0700) for a database copy; unlinked by the reader as soon as it is open."""
    home: str = ""
    """The agent's own root (the `Place.root` it was found under), to find side files and base sessions."""
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def open(cls, path: str, *, start: int = 0, scratch: str = "", home: str = "") -> Source:
        """Open `path` for reading; raises OSError (also for a folder, or without permission)."""
        file = open(path, "rb", buffering=1 << 20)  # noqa: SIM115 - closed by the caller through `with source.file`
        size = os.fstat(file.fileno()).st_size
        if start:
            file.seek(start)
        return cls(path, file, size, start, start, scratch, home)


class Reader(Protocol):
    """Reads one transcript, once."""

    def read(self, source: Source) -> Iterator[Any]:
        """Yield `Record`s in conversation order, starting at `source.start`.

        All records of one session carry the same `Session` object. Raises OSError only; bad content goes to `source.tally`.
        """

    def state(self) -> dict[str, Any] | None:
        """After `read`: what `Adapter.reader` needs to go on at `source.offset` when the file has grown.

        A JSON object; None when the format can only be read whole.
        """


class Whole:
    """The reader of a format that can only be read whole: a function from the source to its records."""

    def __init__(self, records: Callable[[Source], Iterator[Record]]) -> None:
        self._records = records

    def read(self, source: Source) -> Iterator[Record]:
        """See Reader."""
        return self._records(source)

    def state(self) -> None:
        """None: there is no resuming."""


class Adapter(Protocol):
    """One agent's transcripts, the base of each adapter. Stateless: all state is in the reader."""

    agent: str
    """The agent's name in REFs, for example `claude-code`."""
    project_patterns: tuple[str, ...] = ()
    """Patterns of files inside projects (below the configured roots), such as `.specstory/history/*.md`; most agents have none."""

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:  # noqa: ARG002 - for those that have some
        """Where this agent keeps transcripts, given the user's home and the environment. Pure: touches no file.

        None for one whose transcripts all lie in projects.
        """
        return []

    def sniff(self, head: bytes, path: str) -> bool:
        """Whether the first `SNIFF_BYTES` of a file are this agent's. By content; `path` may only break a tie."""

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:
        """A reader for one transcript, new (state None) or resumed."""

    def side_files(self, path: str) -> tuple[str, ...]:  # noqa: ARG002 - for those that have some
        """Files beside `path` whose change also means that the transcript changed (a `-wal`, a meta file); usually none."""
        return ()
