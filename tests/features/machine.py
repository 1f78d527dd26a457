"""A machine in a folder: a home with transcripts as Claude Code writes them, a data dir, and what lib made of it."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from libtool import config
from libtool.domain.body import decode
from libtool.features import index, search
from libtool.storage.search_db import Filter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.features.index import IndexReport

CWD = "/home/ada/work/kiln"
SID = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f"
OTHER = "7b1d9e20-22bb-4c7d-8e02-1b2c3d4e5f60"
TIMELESS = ("identity", "walk")
"""Facts that differ between two machines with the same content."""


def sid(number: int) -> str:
    """The id of a made-up session."""
    return f"{number:08x}-11aa-4b6c-9d01-0a1b2c3d4e5f"


def rows(session: str, turns: Iterable[tuple[str, str]], first: int = 0, **fields: Any) -> str:
    """Lines of a transcript: a prompt and an answer for each turn, from turn number `first` on."""
    lines = []
    for number, (prompt, answer) in enumerate(turns, first):
        shared = {
            "sessionId": session,
            "cwd": CWD,
            "version": "2.1.332",
            "gitBranch": "main",
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
        } | fields
        minute = f"2026-03-{1 + number // 600:02}T{9 + number // 60 % 10:02}:{number % 60:02}"
        user = {
            "type": "user",
            "uuid": f"{session[:8]}-u{number}",
            "timestamp": f"{minute}:00.000Z",
            "message": {"role": "user", "content": prompt},
        }
        says = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "opus",
            "content": [{"type": "text", "text": answer}],
        }
        reply = {"type": "assistant", "uuid": f"{session[:8]}-a{number}", "timestamp": f"{minute}:30.000Z", "message": says}
        lines += [json.dumps(user | shared), json.dumps(reply | shared)]
    return "".join(line + "\n" for line in lines)


class Machine:
    """Its folders, and shortcuts to what tests do with them."""

    def __init__(self, folder: Path, toml: str = "", home: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.home = home or folder / "home"
        self.data = folder / "data"
        self.projects = self.home / ".claude" / "projects" / "-home-ada-work-kiln"
        self.projects.mkdir(parents=True, exist_ok=True)
        self.environ = {"LIB_DATA_DIR": str(self.data), "LIB_CONFIG": str(folder / "config.toml")}
        self._clock = 1_772_000_000
        (folder / "config.toml").write_text('machine = "bench"\n' + toml, encoding="utf-8")
        self.reload()

    def reload(self) -> None:
        """Read the configuration again."""
        self.config = config.load(self.environ, str(self.home))

    def hook_log(self) -> str:
        """What agent hooks complained of; '' for nothing."""
        path = Path(self.config.logs) / "hooks.log"
        return path.read_text() if path.exists() else ""

    def write(self, session: str, turns: Iterable[tuple[str, str]], *, name: str = "", **fields: Any) -> Path:
        """A session's file with these turns; each file written is younger than the one before."""
        path = self.projects / f"{name or session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rows(session, turns, **fields), encoding="utf-8")
        return self.age(path)

    def append(self, path: Path, text: str) -> None:
        """Let a file grow."""
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
        self.age(path)

    def age(self, path: Path) -> Path:
        """Give a file a time of its own, later than any before."""
        self._clock += 60
        os.utime(path, (self._clock, self._clock))
        return path

    def index(self, **limits: Any) -> IndexReport:
        """Run `lib index`."""
        return index.run(self.config, self.environ, **limits)

    def hits(self, text: str) -> list[tuple[str, int]]:
        """(session, turn) of each hit, of whatever class and tier."""
        return [(hit.session, hit.turn) for hit in search.search(self.config, text, Filter(), limit=50).hits]

    def rows(self, sql: str, values: tuple[object, ...] = (), name: str = "store.db") -> list[tuple[Any, ...]]:
        """What a query gives, straight from a database file."""
        connection = sqlite3.connect(f"file:{self.data / name}?mode=ro", uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def segments(self, session: str) -> list[list[tuple[str, int, str]]]:
        """The segments of each part of a session, in the order in which the parts were made; long pieces glued again."""
        found: dict[int, list[tuple[str, int, str]]] = {}
        for part, body in self.rows(
            "SELECT part.id, body FROM session JOIN part ON part.session = session.id JOIN source ON source.part = part.id"
            " JOIN chunk ON chunk.id = source.chunk WHERE sid = ? ORDER BY part.id, ord",
            (session,),
        ):
            found.setdefault(part, []).extend(decode(zlib.decompress(body).decode()))
        return list(found.values())

    def texts(self, session: str) -> list[str]:
        """The texts of a session that is held by one part."""
        (segments,) = self.segments(session)
        return [text for _, _, text in segments]

    def facts(self, session: str) -> dict[str, Any]:
        """A session's row."""
        connection = sqlite3.connect(f"file:{self.data / 'store.db'}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        try:
            (row,) = connection.execute("SELECT * FROM session WHERE sid = ?", (session,)).fetchall()
            return dict(row)
        finally:
            connection.close()

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """All content of both databases, but for what differs between two machines; the index as FTS5 lists it, word by word."""
        tables = ("file", "session", "part", "chunk", "source", "gone", "tombstone", "login")
        content = {name: self.rows(f"SELECT * FROM {name} ORDER BY 1, 2") for name in tables}  # noqa: S608
        content["fact"] = [row for row in self.rows("SELECT name, value FROM fact ORDER BY 1") if row[0] not in TIMELESS]
        content["mark"] = [row for row in self.rows("SELECT name, value FROM mark ORDER BY 1", name="search.db") if row[0] != "store"]
        return content | self.index_content()

    def index_content(self) -> dict[str, list[tuple[Any, ...]]]:
        """What the search db holds: every word with its places, and the known words. Fails when FTS5 finds its index damaged."""
        connection = sqlite3.connect(self.data / "search.db")
        try:
            connection.execute("INSERT INTO fts(fts) VALUES ('integrity-check')")
            connection.execute("CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, fts, instance)")
            places = connection.execute("SELECT term, doc, col, offset FROM places ORDER BY 1, 2, 3, 4").fetchall()
            return {"places": places, "spelling": connection.execute("SELECT rowid, term FROM spelling ORDER BY 1").fetchall()}
        finally:
            connection.rollback()
            connection.close()

    def words(self) -> list[tuple[Any, ...]]:
        """How often each word stands in each column of the index."""
        connection = sqlite3.connect(self.data / "search.db")
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, fts, col)")
        found = connection.execute("SELECT term, col, cnt FROM words ORDER BY 1, 2").fetchall()
        connection.close()
        return found

    def bytes_of_all_files(self) -> bytes:
        """Every byte in the data dir, and every stored body decompressed."""
        found = [path.read_bytes() for path in sorted(self.data.rglob("*")) if path.is_file()]
        bodies = self.rows("SELECT body FROM chunk UNION ALL SELECT body FROM gone")
        return b"\n".join([*found, *(zlib.decompress(body) for (body,) in bodies)])

    def changes(self) -> dict[str, int]:
        """SQLite's own count of commits to each database, from the file: it moves with every write."""
        found = {}
        for name in ("store.db", "search.db"):
            wal = self.data / f"{name}-wal"
            status = (self.data / name).stat()
            found[name] = hash(
                (status.st_size, status.st_mtime_ns, wal.stat().st_size if wal.exists() else 0, (self.data / name).read_bytes())
            )
        return found
