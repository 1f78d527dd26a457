"""What is done to the text of an entry before it may be in a commit, and what is said of one that may not."""

from __future__ import annotations

import contextlib
import os

from libtool.domain.entry import is_topic
from libtool.domain.named import NamedTuple
from libtool.features.githooks.repository import ENTRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from datetime import date

    from libtool.domain.redact import Redactor
    from libtool.domain.redact.finding import Login
    from libtool.features.githooks.beside import Beside

    Looks = Callable[[bytes], list[tuple[int, str, str]]]

BINARY_LOOK = 8000
"""Bytes in which a NUL makes a file a binary one, as git has it."""


class Outcome(NamedTuple):
    """What a hook found: `refused` are the lines that stop git, `notes` those that only tell."""

    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stripped: tuple[Login, ...] = ()
    """The logins that were taken out of what was staged, whether it is committed or refused for something else."""


class Cleaned(NamedTuple):
    """An entry without its logins, and then also in its right form."""

    stripped: bytes
    whole: bytes
    logins: int
    conflict: bool = False
    """Whether it held git's conflict markers."""


class Cleaner:
    """Strips, mends and validates. The redactor is made when it is first needed: most hooks have nothing to look at."""

    def __init__(self, redactor: Callable[[], Redactor], today: date) -> None:
        self._make = redactor
        self._redactor: Redactor | None = None
        self._beside: Beside | None = None
        self._expected: frozenset[bytes] = frozenset()
        self.today = today

    @property
    def redactor(self) -> Redactor:
        """The redactor of this machine."""
        if self._redactor is None:
            self._redactor = self._make()
        return self._redactor

    def look_beside(self) -> None:
        """Have a second process begin to load what finds logins: call it as early as can be, then `expect`."""
        # Where no process can be made, this one looks for itself.
        with contextlib.suppress(OSError):
            from libtool.features.githooks.beside import Beside  # noqa: PLC0415 - before a commit only

            self._beside = Beside(lambda: self.logins)

    def expect(self, texts: Sequence[bytes]) -> None:
        """Have the second process look at these texts, which `clean` and `logins` will be asked about."""
        if self._beside is not None:
            self._beside.give(texts)
            self._expected = frozenset(texts)

    def strip(self, data: bytes) -> bytes:
        """The bytes with a placeholder for each login."""
        text = os_text(data)
        redacted = self.redactor.redact(text)
        return data if redacted is text else redacted.encode("utf-8", "surrogateescape")

    def clean(self, topic: str, data: bytes, before: bytes | None = None) -> Cleaned:
        """An entry without logins and mended; `before` is its version in HEAD, whose Answer is not lost."""
        from libtool.domain.mend import mend  # noqa: PLC0415 - with its parser; most hooks look at no entry

        # Before anything is asked, so that the second process has the time.
        whole = mend(data, topic=topic, today=self.today, before=before)
        logins = len(self.logins(data))
        stripped = self.strip(data) if logins else data
        if logins:
            whole = mend(stripped, topic=topic, today=self.today, before=before)
        if whole != stripped and (again := self.strip(whole)) != whole:
            # The old Answer came in, or a text was moved to a neighbour that says what it is.
            whole = mend(again, topic=topic, today=self.today, before=self.strip(before) if before is not None else None)
        return Cleaned(stripped, whole, logins, conflict=has_conflict(data))

    def problems(self, topic: str, data: bytes, topics: Container[str] | None) -> list[str]:
        """What keeps an entry without logins from being committed: `path:line: CODE message` and what to do, a line each."""
        from libtool.domain.validate import problems  # noqa: PLC0415 - as above

        found = problems(data, topic, topics=topics, today=self.today)
        return [f"{ENTRIES}/{topic}.md:{one.line}: {one.code} {one.message}" for one in found if not one.is_warning]

    def logins(self, data: bytes) -> list[tuple[int, str, str]]:
        """(line, kind, fingerprint) of each login in a text; none in a binary file."""
        if b"\0" in data[:BINARY_LOOK]:
            return []
        if data in self._expected and self._beside is not None and self._beside.is_clean(data):
            return []
        text = os_text(data)
        return [(text.count("\n", 0, one.start) + 1, one.kind, one.fingerprint) for one in self.redactor.scan(text)]


def has_conflict(data: bytes) -> bool:
    """Whether a text holds git's conflict markers."""
    if b"<<<<<<<" not in data:
        return False
    from libtool.domain import conflict  # noqa: PLC0415 - rare

    return bool(conflict.markers(os_text(data).splitlines()))


def cannot_be(name: str, mode: str) -> str:
    """Why something among the entries can be none and must not be there, in the words of `lib check`; '' for a plain file that may be.

    `name` is that in the folder of entries, `mode` as git writes it.
    """
    is_plain = mode.lstrip("0").startswith("100")
    if is_plain and name.endswith(".md") and is_topic(name[:-3]):
        return ""
    from libtool.domain.entry import slug_of  # noqa: PLC0415 - rare
    from libtool.domain.validate import problem  # noqa: PLC0415
    from libtool.storage.entry_files import is_unsaid  # noqa: PLC0415

    if is_plain and is_unsaid(name):
        return ""
    slug = slug_of(os.path.splitext(name)[0])
    kind = {"40000": "a folder", "120000": "a symbolic link"}.get(mode.lstrip("0"), "a submodule")
    found = problem(1, "E101", f"`{slug}.md` would do" if slug else "") if is_plain else problem(1, "E102", kind)
    return f"{ENTRIES}/{shown(name)}:1: {found.code} {found.message}"


class TopicsOf:
    """The topics of a tree of entries, asked one by one: no list of 5,000 is made for one link."""

    def __init__(self, tree: bytes) -> None:
        self._tree = tree

    def __contains__(self, topic: object) -> bool:
        return isinstance(topic, str) and f" {topic}.md\0".encode() in self._tree


def os_text(data: bytes) -> str:
    """Bytes as text that gives the same bytes again."""
    return data.decode("utf-8", "surrogateescape")


def shown(path: str) -> str:
    """A path for a message."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
