"""After a home full of logins is indexed, none of them is in any file of the data dir, nor in any output."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from libtool import config
from libtool.domain.body import decode
from libtool.domain.redact import Redactor
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.known import spreads
from libtool.domain.redact.rule import example
from libtool.features import index
from libtool.storage.store import compress
from tests.features.seeded import PLACES, pi, plant, session_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program

SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "shared", "cases", "redaction", "dev.jsonl.gz")
KEY = bytes(range(32))
MAGIC = compress("")[:2]
BARE = 100_000
"""Numbers from here on are of sessions that hold a login bare, without anything that says what it is, and that are older."""


class Planted(NamedTuple):
    """A login in a home, and the number of the session that holds it."""

    value: str
    number: int
    agent: str
    kind: str


def covered(text: str) -> list[str]:
    """What the redactor finds in a text on its own."""
    return [text[one.start : one.end] for one in Redactor(KEY, learn=False).scan(text)]


def fill(home: Path, texts: list[str]) -> list[Planted]:
    """Put every text into a place, and each distinctive login once more where nothing says what it is, in an older session."""
    planted = []
    # What one text holds as a login may be a part of something else in another, which the redactor leaves there.
    elsewhere = "\n".join(Redactor(KEY, learn=False).redact(text) for text in texts)
    for number, text in enumerate(texts):
        agent, kind = plant(home, number, text)
        for value in covered(text):
            if value in elsewhere:
                continue
            planted.append(Planted(value, number, agent, kind))
            if spreads(value):
                pi(home, BARE + number, ("prompt", "answer", "title", "summary")[number % 4], f"and then {value} came back")
    for path in home.glob(".pi/agent/sessions/*/*.jsonl"):
        if int(path.stem.split("_")[1][:8], 16) >= BARE:
            os.utime(path, (1_000_000_000, 1_000_000_000))
    return planted


def machine(home: Path) -> Config:
    """A configuration there, and a known key."""
    settings = config.load({}, str(home))
    os.makedirs(settings.data_dir, 0o700)
    descriptor = os.open(settings.key_file, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(descriptor, KEY)
    os.close(descriptor)
    return settings


def stored(settings: Config) -> Iterator[tuple[str, bytes]]:
    """(file, content) of everything in the data dir, as it is, and every run of zlib in it decompressed."""
    for folder, _, names in os.walk(settings.data_dir):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            yield name, name.encode() + data
            at = data.find(MAGIC)
            while at >= 0:
                with contextlib.suppress(zlib.error):
                    yield name, zlib.decompressobj().decompress(data[at:])
                at = data.find(MAGIC, at + 1)


def own_texts(settings: Config) -> dict[str, str]:
    """All that the store holds of each session, by the first part of its id."""
    connection = sqlite3.connect(settings.store_db)
    connection.row_factory = sqlite3.Row
    texts: dict[str, str] = {}
    for row in connection.execute("SELECT * FROM session").fetchall():
        bodies = connection.execute(
            "SELECT body FROM part JOIN source ON part = part.id JOIN chunk ON chunk.id = chunk WHERE session = ?", (row["id"],)
        )
        said = [text for (body,) in bodies.fetchall() for _, _, text in decode(zlib.decompress(body).decode())]
        kept = [str(row[name]) for name in row.keys() if name not in ("id", "sid", "started", "ended")]  # noqa: SIM118 - a Row is no dict
        texts[row["sid"][:8]] = "\n".join([*kept, *said])
    connection.close()
    return texts


def leaks(settings: Config, planted: list[Planted], outputs: bytes = b"") -> list[tuple[int, str, str, str]]:
    """(number, agent, kind, where) of each login that is still somewhere.

    One that may stand in innocent text by chance (a PIN, a word) is looked for only in what is stored of its own session.
    """
    pieces = [("output", outputs), *stored(settings)]
    whole = {name: b"\n".join(data for one, data in pieces if one == name) for name, _ in pieces}
    texts = own_texts(settings)
    found = []
    for value, number, agent, kind in planted:
        if spreads(value) or (len(value) >= 12 and kind != "name"):
            forms = {value.encode("utf-8", "surrogatepass"), json.dumps(value)[1:-1].encode()}
            found += [(number, agent, kind, name) for name, data in whole.items() if any(form in data for form in forms)]
        elif value in texts.get(session_id(number)[:8], ""):
            found.append((number, agent, kind, "session"))
    return found


def traces(settings: Config) -> list[Any]:
    """Whether the store has noted that something is to be wiped."""
    connection = sqlite3.connect(settings.store_db)
    try:
        return connection.execute("SELECT value FROM fact WHERE name = 'traces'").fetchall()
    finally:
        connection.close()


def printed(lib: Program, planted: list[Planted]) -> bytes:
    """What every command prints that shows stored text."""
    said: list[str] = []
    for words in (("status", "--all"), ("logins", "--all", "--files"), ("logins", "--json"), ("logins", "review", "--all"), ("index",)):
        said += lib(*words)[1:]
    for word in ("kiln", "password", "token", "key", "came back"):
        said += lib("search", word, "--limit", "500", "--budget", "200000", "--include", "all")[1:]
        said += lib("search", word, "--limit", "500", "--include", "all", "--json")[1:]
    names = {"claude": "claude-code", "codex": "codex", "pi": "pi"}
    for one in planted:
        for raw in ((), ("--raw",)):
            said += lib("show", f"{names[one.agent]}:{session_id(one.number)}", "--budget", "20000", *raw)[1:]
    return "\n".join(said).encode("utf-8", "replace")


def known_examples() -> list[str]:
    """The examples of every rule: texts with a login, built now."""
    return [example(hit)[0] for rules in GROUPS.values() for rule in rules for hit in rule.hits]


def test_no_login_is_left_after_indexing(home: Path, lib: Program) -> None:
    settings = machine(home)
    texts = known_examples()
    step = max(1, len(texts) // (4 * len(PLACES)))
    planted = fill(home, texts[::step])
    assert {(one.agent, one.kind) for one in planted} >= {
        (write.__name__, kind) for write, kind in PLACES if kind not in ("name", "folder")
    }
    index.run(settings, {})
    assert leaks(settings, planted) == []
    assert index.run(settings, {}).rows == 0
    assert leaks(settings, planted, printed(lib, planted[::5])) == []


@pytest.mark.parametrize("place", ["rewrite.rewrite_files", "tombstones.rewrite", "purge"])
def test_a_run_that_ends_before_its_time_is_mended_by_the_next(home: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = machine(home)
    planted = fill(home, known_examples()[:: 2 * len(PLACES)])

    def killed(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"libtool.features.sweep.{place}", killed)
        with pytest.raises(KeyboardInterrupt):
            index.run(settings, {})
    # Small freed pages may have been used again already; that they must be wiped is noted.
    assert leaks(settings, planted) or traces(settings) == [("1",)]
    index.run(settings, {})
    assert leaks(settings, planted) == []
    assert traces(settings) == [("",)]


def test_a_kill_at_any_moment_is_mended_by_the_next_run(home: Path) -> None:
    settings = machine(home)
    planted = fill(home, known_examples()[:: 2 * len(PLACES)])
    environ = {"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": os.getcwd()}
    for moment in (0.3, 0.6, 0.8):
        process = subprocess.Popen([sys.executable, "-m", "libtool.cli.main", "index"], env=environ, stdout=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        process.kill()
        process.wait()
    assert (
        subprocess.run([sys.executable, "-m", "libtool.cli.main", "index"], env=environ, stdout=subprocess.DEVNULL, check=False).returncode
        == 0
    )
    assert leaks(settings, planted) == []


@pytest.mark.shared
@pytest.mark.skipif(not os.path.isfile(SHARED), reason="no sample data")
def test_a_home_seeded_with_the_samples(home: Path, lib: Program, capsys: pytest.CaptureFixture[str]) -> None:
    settings = machine(home)
    with gzip.open(SHARED, "rt", encoding="utf-8") as file:
        cases: list[dict[str, Any]] = [case for line in file if (case := json.loads(line))["spans"]][:500]
    planted = fill(home, [case["text"] for case in cases])
    index.run(settings, {})
    found = leaks(settings, planted)
    gold = [
        Planted(case["text"][a:b], number, *PLACE_NAMES[number % len(PLACES)])
        for number, case in enumerate(cases)
        for a, b in case["spans"]
    ]
    left = leaks(settings, gold)
    with capsys.disabled():
        print(
            f"\n{len(cases)} texts: {len(planted)} covered logins, {len(found)} of them left;"
            f" {len(gold)} labelled ones, {len({(one[0], one[1]) for one in left})} of them left"
        )
    assert len(planted) > len(cases) * 0.95
    assert found == []
    index.run(settings, {})
    assert leaks(settings, planted, printed(lib, planted[::25])) == []


PLACE_NAMES = [(write.__name__, kind) for write, kind in PLACES]
