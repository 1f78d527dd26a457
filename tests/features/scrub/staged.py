"""A home with the transcripts of several agents, with logins planted at run time, and what may be said of it afterwards."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import string
from pathlib import Path
from typing import TYPE_CHECKING, Any

from libtool.domain.redact import Redactor
from libtool.domain.redact.engine import PLACEHOLDER
from libtool.domain.redact.json_value import EXACT_KEYS
from libtool.features.scrub.content import is_structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHARED = Path(__file__).parents[4] / "shared"
CLIENTS = SHARED / "samples" / "clients"
OLD = 1_700_000_000
TOKEN = re.compile("gh" + r"p_[A-Za-z0-9]{36}")
PLACES = {
    "claude-code/kill": ".claude",
    "claude-code/print": ".claude",
    "claude-code/tui": ".claude",
    "claude-code-2.1.197": ".claude",
    "codex/sessions": ".codex/sessions",
    "gemini-cli/run1-tmp": ".gemini/tmp",
    "gemini-cli/run2-tmp": ".gemini/tmp",
    "gemini-cli/summary-and-compress/tmp": ".gemini/tmp",
    "pi": ".pi/agent",
    "qwen-code": ".qwen",
    "copilot-cli": ".copilot",
}

_REDACTOR = Redactor(bytes(32), learn=False)


def token(seed: object) -> str:
    """A login in the form of a provider's token, put together at run time."""
    letters = random.Random(repr(seed))  # noqa: S311 - test data
    return "gh" + "p_" + "".join(letters.choice(string.ascii_letters + string.digits) for _ in range(36))


def stage_samples(home: Path) -> None:
    """Copy the sample sessions to where their agents keep them."""
    for name, place in PLACES.items():
        shutil.copytree(CLIENTS / name, home / place, dirs_exist_ok=True)
    folder = home / ".local/share/opencode"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "opencode.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.executescript((CLIENTS / "opencode/opencode.sql").read_text(encoding="utf-8"))
    connection.close()


def age(home: Path) -> None:
    """Make every file old enough to be touched."""
    for path in home.rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            os.utime(path, (OLD, OLD))


def anywhere(key: str, text: str) -> bool:
    """Every string that does not hold a session together."""
    del text
    return not is_structure(key) and key not in EXACT_KEYS


def in_prose(key: str, text: str) -> bool:
    """Strings that say something, so that the agents' formats are read as before."""
    return anywhere(key, text) and " " in text and not text.startswith("<")


class Planter:
    """Plants a new login in each chosen string."""

    def __init__(self, chooses: Callable[[str, str], bool]) -> None:
        self._chooses = chooses
        self.planted: set[str] = set()

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value with logins in it."""
        if isinstance(value, str):
            return self.text(value) if self._chooses(key, value) else value
        if isinstance(value, dict):
            # What an image is made of stays byte for byte.
            return {name: self.value(item, name) for name, item in value.items()}
        return [self.value(item, key) for item in value] if isinstance(value, list) else value

    def text(self, text: str) -> str:
        """A text with a login behind it."""
        login = token(len(self.planted))
        while not _REDACTOR.scan(login):
            # One in some thousands looks like an example to the redactor, whose business that is.
            login = token(login)
        self.planted.add(login)
        return f"{text} {login}"

    def rows(self, path: Path) -> None:
        """Plant into every row of a file."""
        lines = path.read_text(encoding="utf-8").split("\n")
        path.write_text("\n".join(json.dumps(self.value(json.loads(line))) if line else line for line in lines), encoding="utf-8")

    def database(self, path: Path) -> None:
        """Plant into every text of a database: into the strings of what is JSON."""
        connection = sqlite3.connect(path)
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            cursor = connection.execute(f"SELECT rowid, * FROM {table}")  # noqa: S608
            columns = [column[0] for column in cursor.description][1:]
            for row, *cells in cursor.fetchall():
                for column, cell in zip(columns, cells, strict=True):
                    if isinstance(cell, str):
                        new = json.dumps(self.value(json.loads(cell))) if cell[:1] in "{[" and cell else self.value(cell, column)
                        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))  # noqa: S608
        connection.commit()
        connection.close()


def tree(value: Any, key: str = "") -> Any:
    """A JSON value without what a scrub may change: shape, keys, ids, numbers; strings only as far as they hold it together."""
    if isinstance(value, dict):
        return {name: tree(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [tree(item, key) for item in value]
    return value if not isinstance(value, str) or not anywhere(key, value) else masked(value)


def masked(text: str) -> str:
    """A text with planted logins and placeholders as one sign."""
    return PLACEHOLDER.sub("X", TOKEN.sub("X", text))


def files_with(home: Path, logins: Iterable[str]) -> list[Path]:
    """Files that hold one of these logins, in any byte."""
    wanted = [login.encode() for login in logins]
    found = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if TOKEN.search(data.decode("latin-1")) and any(login in data for login in wanted):
                found.append(path)
    return found
