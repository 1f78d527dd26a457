"""An agent's database with two sessions that hold a login, and a deleted row that held another."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from tests.features.scrub.staged import token

if TYPE_CHECKING:
    from pathlib import Path

LOGIN, GONE = token("database"), token("deleted")
SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text,
 directory text NOT NULL, title text NOT NULL, version text NOT NULL,
 time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL,
 session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE account (id text PRIMARY KEY, refresh_token text);
"""
ONE, TWO = "ses_dd6760c5dffe1", "ses_dd6760c5dffe2"


def fill(path: Path, journal: str = "WAL") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.executescript(SCHEMA)
    connection.execute("INSERT INTO account VALUES ('a', ?)", (token("account"),))
    for number, session in enumerate((ONE, TWO)):
        message = f"msg_{number}"
        connection.execute("INSERT INTO session VALUES (?, 'p', NULL, '/home/ada', ?, '1.18.33', 1, 2)", (session, f"use {LOGIN}"))
        connection.execute(
            "INSERT INTO message VALUES (?, ?, 1, ?)", (message, session, json.dumps({"role": "user", "time": {"created": 1}}))
        )
        connection.execute(
            "INSERT INTO part VALUES (?, ?, ?, 1, ?)",
            (f"prt_{number}", message, session, json.dumps({"type": "text", "text": f"the token {LOGIN}"})),
        )
    connection.execute("INSERT INTO part VALUES ('prt_x', 'none', 'none', 1, ?)", (json.dumps({"type": "text", "text": GONE * 50}),))
    connection.commit()
    connection.execute("DELETE FROM part WHERE id = 'prt_x'")
    connection.commit()
    return connection


def table(path: Path, name: str) -> list[Any]:
    connection = sqlite3.connect(path)
    rows = connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall()  # noqa: S608
    connection.close()
    return rows
