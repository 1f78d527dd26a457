"""The claim that an answer allows, and its place in the Pointers of an entry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.entry import Malformed, parse, render, tidy
from libtool.domain.pointers import Claim, pointer
from libtool.domain.schema import POINTERS
from libtool.domain.text import clean
from libtool.errors import LibError, UsageError
from libtool.features import library_index
from libtool.storage import files, library
from libtool.storage.lock import writer_lock

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.features.absent.answer import Answer

COMMIT_DIGITS = 12
LOCK_SECONDS = 10.0
_MODE = 0o644


class Recorded(NamedTuple):
    """Where a claim stands now, and whether the file was changed for it."""

    path: str
    claim: str
    changed: bool


def claim(answer: Answer) -> str:
    """`absent <project>@<commit> "<keywords>"`; '' where there is no commit, or the name is there."""
    if not answer.absent or not answer.place.commit:
        return ""
    words = " ".join(clean(answer.keywords).replace('"', " ").split())
    return f'absent {answer.project}@{answer.place.commit[:COMMIT_DIGITS]} "{words}"'


def record(config: Config, topic: str, answer: Answer) -> Recorded:
    """Put the claim into the entry, in the place of an older one of the same words; the file is not committed.

    Raises LibraryNotFound; LibError for no such entry or one that is not in its one form; UsageError where there is nothing to claim.
    """
    said = claim(answer)
    if not said:
        why = "there is no commit yet" if answer.absent else "it is there"
        raise UsageError(f"nothing to record: {why}", hint="a claim says that something is absent at a commit")
    if library_index.redactor(config).redact(said) != said:
        raise UsageError("nothing was recorded: the keywords hold a login", hint="look for its name, not for its value")
    with writer_lock(config, LOCK_SECONDS, task="lib absent"):
        data = library.read(config.library, topic)
        path = os.path.join(config.library, library.ENTRIES, f"{topic}.md")
        try:
            entry = parse(data)
        except Malformed as error:
            raise LibError(
                f"the entry {topic} is not in its one form, line {error.line}: {error.code}", hint="run `lib check --fix`"
            ) from error
        kept = [item for item in entry.items[POINTERS] if not _is_older(item, said)]
        entry.items[POINTERS] = tidy(POINTERS, [*kept, said])
        whole = render(entry)
        if whole != data:
            files.write(path, whole, mode=_MODE)
    return Recorded(path, said, whole != data)


def _is_older(item: str, said: str) -> bool:
    """Whether a pointer claims the same of the same project, of whatever commit."""
    old, new = pointer(item), pointer(said)
    return isinstance(old, Claim) and isinstance(new, Claim) and (old.project, old.keywords) == (new.project, new.keywords)
