"""`lib absent`: whether a name is in the code of a repository, in any spelling, and what was searched to say so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants
from libtool.domain.text import clean, one_line
from libtool.errors import Unproved, UsageError
from libtool.features import redact
from libtool.features.absent import history, near, tree
from libtool.features.projects import full_name, of_checkout
from libtool.storage import git_read
from libtool.storage.git import GitFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.features.absent.history import History
    from libtool.features.absent.places import Place
    from libtool.features.absent.tree import Tree
    from libtool.storage.git_read import Checkout

HISTORY_SECONDS = 5
_SNIPPET, _SUBJECT, _LONGEST = 160, 100, 200
_KEPT = 200
"""Places that are redacted and told; the rest is counted."""


class Answer(NamedTuple):
    """What is known of a name at a commit. All foreign text in it is redacted, on one line and without control characters."""

    keywords: str
    project: str
    """As a pointer of an entry names it: `owner/name`, or the folder's name."""
    place: Checkout
    tried: tuple[str, ...]
    """How the name may be spelled, in any case; its words are looked for in singular and plural."""
    tree: Tree
    """Its places are cut to the first ones."""
    found: int
    """All places, `tree.places` and those cut off."""
    inside: int
    """Places where a form is a part of longer words only."""
    tree_seconds: float
    near: list[Place]
    """Of a name that is absent: lines that hold all its words, apart."""
    history: History | None
    """None when the name is present: then the history is not looked at."""

    @property
    def absent(self) -> bool:
        """Whether no spelling is there as a whole word."""
        return not self.found


def absent(config: Config, environ: Mapping[str, str], keywords: str, folder: str, *, history_seconds: float = HISTORY_SECONDS) -> Answer:
    """Search the repository around `folder`. Raises UsageError for no repository or nothing to look for, Unproved for all else."""
    try:
        place = git_read.checkout(folder, environ)
    except GitFailed as error:
        raise Unproved(error.message, hint=error.hint) from error
    return in_repository(config, environ, keywords, place, history_seconds=history_seconds)


def in_repository(config: Config, environ: Mapping[str, str], keywords: str, place: Checkout, *, history_seconds: float) -> Answer:
    """The same in a repository that is known already; with 0 for `history_seconds` without near lines too: the bare answer."""
    names = names_of(keywords)
    forms = dict.fromkeys(form for name in names for form in variants.forms(name))
    reader = git_read.Reader(place, environ)
    started = time.monotonic()
    found = tree.search(reader, names)
    spent = time.monotonic() - started
    close = near.search(reader, names) if not found.places and history_seconds else []
    past = history.search(reader, names, history_seconds) if not found.places else None
    redactor = redact.redactor(config)
    if past is not None and past.trace is not None:
        trace = past.trace
        past = past._replace(
            trace=trace._replace(subject=_safe(trace.subject, redactor, _SUBJECT), path=_safe(trace.path, redactor, _LONGEST))
        )
    shown = found._replace(
        places=[_safe_place(one, redactor) for one in found.places[:_KEPT]],
        inside=[_safe_place(one, redactor) for one in found.inside[:_KEPT]],
    )
    counts = len(found.places), len(found.inside)
    close = [_safe_place(one, redactor) for one in close[:_KEPT]]
    return Answer(keywords, project_of(place), place, tuple(forms), shown, *counts, spent, close, past)


def names_of(keywords: str) -> list[str]:
    """The names in `keywords`. Raises UsageError when there are none, or too many."""
    wanted = variants.names(keywords.replace("\0", " "))
    if not wanted:
        raise UsageError("nothing to look for: there is no letter or digit in the keywords", hint='lib absent "token cron"')
    if len(wanted) > variants.MOST_NAMES or max(map(len, wanted)) > _LONGEST:
        raise UsageError(
            f"at most {variants.MOST_NAMES} names of {_LONGEST} characters at once", hint="a comma divides names: `retry policy, backoff`"
        )
    return wanted


def project_of(place: Checkout) -> str:
    """What a pointer calls the project of a repository: `owner/name` of its remote, else the name of its folder; one word."""
    name = full_name(of_checkout(place)).encode("utf-8", "replace").decode()
    return "-".join(clean(name).replace('"', "-").replace("@", "-").split()) or "repository"


def _safe_place(one: Place, redactor: Redactor) -> Place:
    return one._replace(path=_safe(one.path, redactor, _LONGEST), text=_safe(one.text, redactor, _SNIPPET))


def _safe(text: str, redactor: Redactor, limit: int) -> str:
    """Foreign text to be printed."""
    return one_line(redactor.redact(clean(text)), limit)
