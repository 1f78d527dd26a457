"""`lib quickstart`: where transcripts are looked for, words for a first search, and the sessions that the package carries for a look."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

import libtool
from libtool.adapters.registry import ADAPTERS
from libtool.domain.query import NAME, WORD, parse
from libtool.domain.redact.engine import PLACEHOLDER
from libtool.storage.search_db import SearchDb
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.config import Config
    from libtool.domain.query import Term

CARRIED = os.path.join(os.path.dirname(os.path.abspath(libtool.__file__)), "demo")
"""The carried sessions as a home; a folder `dot-x` of it stands for `.x`."""
LOGIN = "@LOGIN@"
"""Stands in a carried session where a login is made up for the demonstration: no file of ours holds one."""
_SESSIONS = 20
_HEAD = 160
"""Characters of a prompt that words are taken from: they then stand near enough for a strong hit."""
_WORDS = 3
_COMMON = 1000
_TYPEABLE = re.compile(r"[^\W_][\w./:-]*")


def places(config: Config, environ: Mapping[str, str]) -> tuple[dict[str, list[str]], list[str]]:
    """(folders that are there by agent, agents of which none is) among the agents' own places; the home folder as `~`."""
    there: dict[str, list[str]] = {}
    missing = []
    for agent, adapter in ADAPTERS.items():
        if agent == "note":
            continue
        roots = list(dict.fromkeys(place.root for place in adapter.places(config.home, environ)))
        found = [short(root, config.home) for root in roots if os.path.isdir(root)]
        if found:
            there[agent] = found
        elif roots:
            missing.append(agent)
    return there, missing


def short(path: str, home: str) -> str:
    """The path with the user's home as `~`."""
    return "~" + path[len(home) :] if path == home or path.startswith(home.rstrip(os.sep) + os.sep) else path


def keywords(config: Config) -> str:
    """Words for a first search: of the newest work session's own prompt, those that tell it apart; '' when there are none."""
    with SessionDb(config.store_db) as sessions:
        prompts = sessions.rows(
            "SELECT opening FROM session WHERE class = 'work' AND agent <> 'note' AND opening <> '' ORDER BY ended DESC LIMIT ?",
            (_SESSIONS,),
        )
    with SearchDb(config.search_db, config.store_db) as database:
        return next(filter(None, (_telling(str(prompt), database) for (prompt,) in prompts)), "")


def _telling(prompt: str, database: SearchDb) -> str:
    """The rarest words of the beginning of a prompt that were said twice or more, in its order; '' when it has fewer than two."""
    prompt = PLACEHOLDER.sub(" ", prompt)
    if len(prompt) > _HEAD:
        prompt = prompt[:_HEAD].rpartition(" ")[0]
    terms = [term for term in parse(prompt).terms if _says_something(term)]
    counts = [(database.count(term.match(), _COMMON), at) for at, term in enumerate(terms)]
    # What is said once is seldom what a session is about.
    rarest = sorted((pair for pair in counts if pair[0]), key=lambda pair: (pair[0] == 1, pair[0], -len(terms[pair[1]].shown)))[:_WORDS]
    return " ".join(terms[at].shown for at in sorted(at for _, at in rarest)) if len(rarest) > 1 else ""


def _says_something(term: Term) -> bool:
    long = len(term.shown) > 3 or not term.shown.isascii()
    return term.kind in (WORD, NAME) and long and not term.shown.isdecimal() and _TYPEABLE.fullmatch(term.shown) is not None


@contextmanager
def demonstration(config: Config) -> Iterator[Config]:
    """A configuration for the carried sessions, in a throwaway folder that is removed at the end, whatever ends it. Raises OSError."""
    folder = tempfile.mkdtemp(prefix="lib-quickstart-")
    try:
        home = os.path.join(folder, "home")
        stage(home)
        data = os.path.join(folder, "data")
        yield config.replace(
            home=home, roots=(home,), data_dir=data, library=os.path.join(folder, "library"), notes_globs=(), terminal_globs=(), classes=()
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stage(home: str) -> None:
    """Put the carried sessions into `home` as their agents would have left them, each login a fresh random one."""
    login = f"hb_live_{secrets.token_hex(18)}"
    for folder, _, names in os.walk(CARRIED):
        inside = os.path.relpath(folder, CARRIED)
        target = os.path.join(home, re.sub(r"^dot-", ".", inside) if inside != "." else "")
        os.makedirs(target, mode=0o700, exist_ok=True)
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read().replace(LOGIN, login)
            with open(os.path.join(target, name), "w", encoding="utf-8") as file:
                file.write(text)
