"""Whose words a review is of: the session that a REF names, or the one that runs us."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from libtool.domain.cited import AGENT
from libtool.domain.project import Project
from libtool.domain.ref import parse
from libtool.domain.review.entries import Source
from libtool.errors import NotIndexed, UsageError
from libtool.features import own_session
from libtool.features.projects import pointer_name
from libtool.features.show import UnknownSessionError, find
from libtool.storage import git
from libtool.storage.session_db import SHORTEST_TAIL, SessionDb, tail

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from typing import Any

    from libtool.config import Config
    from libtool.domain.ref import Ref

WHOLE = 16
"""Characters from which on an id is taken for a whole one, so that a session need not be indexed yet."""
_ID = re.compile(r"[^\s#()\[\]]{6,200}")
_AGENT = re.compile(AGENT)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def source_of(config: Config, environ: Mapping[str, str], text: str, today: dt.date) -> Source:
    """The session that a REF names; '' for the one that runs us.

    One that is not indexed yet is taken as it is named when that is a whole id. Raises UsageError, UnknownSessionError.
    """
    if not text:
        agent, sid = own_session.find(config, environ)
        text = f"{agent}:{sid}" if sid else ""
    if not text:
        raise UsageError("which session is this of?", hint="say it: --session <agent>:<id>, as `lib search` prints it")
    ref = parse(text)
    if ref.kind != "session":
        raise UsageError(f"no session: {text[:80]}", hint="write <agent>:<part of the session's id>")
    try:
        return known(config, environ, ref, today)
    except (NotIndexed, UnknownSessionError):
        if len(ref.name) < WHOLE or not _AGENT.fullmatch(ref.agent) or not _ID.fullmatch(ref.name):
            raise
    return Source(ref.agent, ref.name, ref.name[-SHORTEST_TAIL:], config.machine, today.isoformat(), ref.turn)


def known(config: Config, environ: Mapping[str, str], ref: Ref, today: dt.date) -> Source:
    """The same of a REF that was taken apart; only one that is indexed here. Raises as `show.find` does, UsageError for a note."""
    with SessionDb(config.store_db) as database:
        facts = find(database, ref, config.home)
        if facts["agent"] == "note":
            raise UsageError(f"a note is no session: {ref.name[:80]}", hint="`lib capture --import FILE` makes an entry of a note")
        short = tail(database.rows, facts["agent"], facts["sid"])
    return source_from(config, environ, facts, short, today, turn=ref.turn)


def source_from(config: Config, environ: Mapping[str, str], facts: dict[str, Any], short: str, today: dt.date, *, turn: int = 0) -> Source:
    """The same of a session's row in the store; `short` is the tail of its id that cites show."""
    ended = str(facts["ended"])[:10]
    date = min(ended, today.isoformat()) if _DAY.fullmatch(ended) else today.isoformat()
    name = pointer_name(Project(str(facts["project_key"]), str(facts["project"])))
    place, prefix = _place(environ, name, str(facts["cwd"]))
    machine = str(facts["machine"]) or config.machine
    return Source(facts["agent"], facts["sid"], short, machine, date, turn or int(facts["turns"]), place, facts["cwd"].rstrip("/"), prefix)


def _place(environ: Mapping[str, str], project: str, folder: str) -> tuple[str, str]:
    """(`<project>@<commit>`, the folder's path in it) of where a session ran, if that is a repository that is here; else ('', '')."""
    if not project or not os.path.isdir(folder) or not git.find(environ):
        return "", ""
    lines = git.Git(folder, git.unbound(environ)).line("rev-parse", "HEAD", "--show-prefix").split("\n")
    if len(lines) != 2 or re.search(r"\s", lines[1]):
        return "", ""
    return f"{project}@{lines[0][:12]}", lines[1]
