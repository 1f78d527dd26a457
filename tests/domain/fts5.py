"""A real FTS5 table: our own idea of a word is held against SQLite's."""

from __future__ import annotations

import sqlite3

COLUMNS = ("user", "assistant", "tool", "ids")


class Table:
    """An FTS5 table in memory with one text column `x`, or with the columns of the search db."""

    def __init__(self, tokenize: str, columns: tuple[str, ...] = ("x",)) -> None:
        self._database = sqlite3.connect(":memory:")
        # FTS5's porter may cut a character in two.
        self._database.text_factory = lambda data: data.decode("utf-8", "replace")
        self._database.execute(f"CREATE VIRTUAL TABLE f USING fts5({', '.join(columns)}, tokenize='{tokenize}')")
        self._database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")

    def add(self, *values: str) -> int:
        """Insert a row; returns its number."""
        marks = ", ".join("?" * len(values))
        number = self._database.execute(f"INSERT INTO f VALUES ({marks})", values).lastrowid  # noqa: S608 - only question marks
        assert number is not None
        return number

    def tokens(self, *texts: str) -> list[list[str]]:
        """The terms of each text, in order, as the index stores them."""
        self._database.execute("DELETE FROM f")
        self._database.executemany("INSERT INTO f(rowid, x) VALUES (?, ?)", enumerate(texts, 1))
        found: list[list[tuple[int, str]]] = [[] for _ in texts]
        for term, row, place in self._database.execute("SELECT term, doc, offset FROM v"):
            found[row - 1].append((place, term))
        return [[term for _, term in sorted(row)] for row in found]

    def matches(self, expression: str) -> list[int]:
        """The rows that an FTS5 expression finds; raises sqlite3.OperationalError for one that is none."""
        return [row for (row,) in self._database.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid", (expression,))]
