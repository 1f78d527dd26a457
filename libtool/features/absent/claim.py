"""The claim that an answer allows, and its place in the Pointers of an entry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants
from libtool.domain.entry import Malformed, parse, render, tidy
from libtool.domain.pointers import Claim, pointer
from libtool.domain.schema import POINTERS, READ_LIMIT
from libtool.domain.text import clean
from libtool.errors import LibError, LibraryNotFound, UsageError
from libtool.features import redact
from libtool.storage import files, library

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.features.absent.answer import Answer

COMMIT_DIGITS = 12
LOCK_SECONDS = 10.0
_MODE = 0o644
_ANY = 'absent any@000000 "any"'


class Recorded(NamedTuple):
    """Where a claim stands now, whether the file was changed for it, and why that is not committed ('' when it is)."""

    path: str
    claim: str
    changed: bool
    uncommitted: str


def claim(answer: Answer) -> str:
    """`absent <project>@<commit> "<keywords>"`; '' where there is no commit, or the name is there."""
    if not answer.absent or not answer.place.commit:
        return ""
    words = " ".join(clean(answer.keywords).replace('"', " ").split())
    return f'absent {answer.project}@{answer.place.commit[:COMMIT_DIGITS]} "{words}"'


def check(config: Config, topic: str) -> None:
    """Raises UsageError when no claim could be put into this entry, before the time that an answer takes; LibraryNotFound."""
    try:
        _with_claim(topic, library.read(config.library, topic), _ANY)
    except LibraryNotFound:
        raise
    except LibError as error:
        raise UsageError(error.message, hint=error.hint) from error


def record(config: Config, environ: Mapping[str, str], topic: str, answer: Answer) -> Recorded:
    """Put the claim into the entry, in the place of an older one of the same words, in a commit of its own.

    Where no commit can be made, the entry in the work tree is changed all the same. Raises LibraryNotFound; LibError for no such entry or
    one that is not in its one form; UsageError where there is nothing to claim.
    """
    said = claim(answer)
    if not said:
        why = "there is no commit yet" if answer.absent else "it is there"
        raise UsageError(f"nothing to record: {why}", hint="a claim says that something is absent at a commit")
    if redact.redactor(config).redact(said) != said:
        raise UsageError("nothing was recorded: the keywords hold a login", hint="look for its name, not for its value")
    path = os.path.join(config.library, library.ENTRIES, f"{topic}.md")
    data = library.read(config.library, topic)
    if _with_claim(topic, data, said) == data:
        return Recorded(path, said, changed=False, uncommitted="")
    reason = _committed(config, environ, topic, said)
    if reason:
        # Read again: others may have written while the lock was waited for.
        files.write(path, _with_claim(topic, library.read(config.library, topic), said), mode=_MODE)
    return Recorded(path, said, changed=True, uncommitted=reason)


def _committed(config: Config, environ: Mapping[str, str], topic: str, said: str) -> str:
    """Commit the claim; the reason when that cannot be done, with nothing changed."""
    from libtool.features import library_commit  # noqa: PLC0415 - dulwich, which the answer itself does without

    try:
        with library_commit.opened(config, environ, LOCK_SECONDS) as commit:
            before = commit.read(topic)
            if before is None or commit.in_the_way(topic):
                return "the entry has changes that are not committed"
            after = _with_claim(topic, before, said)
            commit.commit(lambda _now: ({topic: after}, f"Claim an absence in {topic}\n\n{said}\n"))
    except LibraryNotFound:
        return "the library is no git repository of its own"
    except (LibError, OSError) as error:
        return str(error)
    return ""


def _with_claim(topic: str, data: bytes, said: str) -> bytes:
    if len(data) >= READ_LIMIT:
        raise LibError(f"the entry {topic} is larger than lib reads", hint="divide it")
    try:
        entry = parse(data)
    except Malformed as error:
        raise LibError(
            f"the entry {topic} is not in its one form, line {error.line}: {error.code}", hint="run `lib check --fix`"
        ) from error
    kept = [item for item in entry.items[POINTERS] if not _is_older(item, said)]
    entry.items[POINTERS] = tidy(POINTERS, [*kept, said])
    return render(entry)


def _is_older(item: str, said: str) -> bool:
    """Whether a pointer claims the same of the same project, of whatever commit, in whatever spelling."""
    old, new = pointer(item), pointer(said)
    return isinstance(old, Claim) and isinstance(new, Claim) and (old.project, _meant(old)) == (new.project, _meant(new))


def _meant(one: Claim) -> set[frozenset[str]]:
    return {frozenset(variants.forms(name)) for name in variants.names(one.keywords)}
