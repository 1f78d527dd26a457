from __future__ import annotations

import datetime as dt
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.domain.review.prompt import LIMIT
from libtool.errors import LibError, NotIndexed, UsageError
from libtool.features import drafts, index, promote, review, review_prompt
from libtool.features.index import open_store
from libtool.features.review_due import CALLS, SAID, TURNS, due
from libtool.features.review_session import source_of
from libtool.features.show import UnknownSessionError
from libtool.storage.lock import writer_lock
from libtool.storage.reviews import Reviews, Work, anything_waits
from tests.features.library import Library
from tests.features.machine import CWD, OTHER, SID, Machine, sid
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

TODAY = dt.date(2026, 10, 4)
TURN = ("Cache the kiln's answers?", "We decided to cache them for fifteen minutes in SQLite, because one process needs no server.")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "m")


@pytest.fixture
def library(machine: Machine) -> Library:
    made = Library(machine)
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    (made.folder / ".lib-library").write_text("1\n")
    made.git("add", "-A")
    made.git("commit", "-qm", "begin")
    return made


def put(machine: Machine, text: str, session: str = SID, topic: str = "") -> review.Outcome:
    source = source_of(machine.config, environment(), f"claude-code:{session}", TODAY)
    return review.review(machine.config, environment(), text.encode(), source, topic=topic)


def store_counts(machine: Machine, work: Work) -> None:
    with writer_lock(machine.config, 5.0):
        store = open_store(machine.config, [])
        store.begin()
        store.db.execute("UPDATE session SET turns = ?, calls = ?, human = ?, prose = 0 WHERE sid = ?", (*work, SID))
        store.commit()
        store.close()


def test_a_review_is_due_by_turns_by_work_and_at_the_end(machine: Machine, library: Library) -> None:
    assert library.folder.exists()
    machine.write(SID, [TURN] * 3)
    machine.index()
    assert not due(machine.config, "claude-code", SID).due
    assert due(machine.config, "claude-code", SID, ended=True).due
    for work in (Work(TURNS, 0, 0), Work(1, CALLS, 0), Work(1, 0, SAID)):
        store_counts(machine, work)
        found = due(machine.config, "claude-code", SID)
        assert (found.due, found.work, found.landed) == (True, work, Work(0, 0, 0))
    store_counts(machine, Work(TURNS - 1, CALLS - 1, SAID - 1))
    assert not due(machine.config, "claude-code", SID).due


def test_only_a_review_that_landed_uses_it_up(machine: Machine, library: Library) -> None:
    machine.write(SID, [TURN] * TURNS)
    machine.index()
    assert due(machine.config, "claude-code", SID).due
    put(machine, "Sorry, I cannot do that for you.")
    assert due(machine.config, "claude-code", SID).due
    library.git("checkout", "-q", "--detach")
    put(machine, "# Kiln\n## Answer\nYes.\n")
    assert due(machine.config, "claude-code", SID).due
    library.git("checkout", "-q", "main")
    assert [result.state for result in review.retry(machine.config, environment())] == ["created"]
    found = due(machine.config, "claude-code", SID, ended=True)
    assert (found.due, found.landed.turns) == (False, TURNS)
    put(machine, "nothing", OTHER)
    assert due(machine.config, "claude-code", OTHER).work == Work(0, 0, 0)


def test_what_is_not_known_is_not_due(machine: Machine) -> None:
    assert not due(machine.config, "codex", SID, ended=True).due
    machine.write(SID, [TURN])
    machine.index()
    assert not due(machine.config, "codex", "0199", ended=True).due
    assert not anything_waits(machine.config)


def test_a_damaged_store_makes_nothing_wait(machine: Machine) -> None:
    assert not anything_waits(machine.config)
    os.makedirs(machine.config.data_dir, exist_ok=True)
    with open(machine.config.store_db, "wb") as file:
        file.write(b"SQLite format 3\0" + b"x" * 5000)
    assert not anything_waits(machine.config)


def test_whose_words_they_are(machine: Machine) -> None:
    machine.write(SID, [TURN] * 2)
    machine.index()
    found = source_of(machine.config, {}, f"claude-code:{SID[-8:]}", TODAY)
    assert (found.sid, found.short, found.date, found.turns, found.place, found.folder) == (SID, SID[-8:], "2026-03-01", 2, "", CWD)
    assert source_of(machine.config, {}, f"{SID}#1", TODAY).turns == 1
    assert source_of(machine.config, {"CLAUDE_CODE_SESSION_ID": SID}, "", TODAY).sid == SID
    assert source_of(machine.config, {}, f"claude-code:{SID}", dt.date(2026, 1, 1)).date == "2026-01-01"
    assert source_of(machine.config, {"LIB_SESSION": f"claude-code:{SID}"}, "", TODAY).sid == SID
    new = source_of(machine.config, {"QWEN_CODE_SESSION_ID": OTHER}, "", TODAY)
    assert (new.agent, new.sid, new.short, new.machine, new.date) == ("qwen-code", OTHER, OTHER[-8:], "bench", "2026-10-04")


def test_words_that_may_be_of_two_sessions_are_of_none(machine: Machine) -> None:
    with pytest.raises(UsageError, match="which session"):
        source_of(machine.config, {"CLAUDE_CODE_SESSION_ID": SID, "CODEX_THREAD_ID": OTHER}, "", TODAY)


@pytest.mark.parametrize("text", ["", "entry:kiln", "ab"])
def test_no_session_is_a_mistake(machine: Machine, text: str) -> None:
    with pytest.raises(UsageError):
        source_of(machine.config, {}, text, TODAY)


def test_a_session_that_cannot_be_is_unknown(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(NotIndexed):
        source_of(machine.config, {}, "claude-code:3f2a9c1e", TODAY)
    (tmp_path / "m" / "home" / "NOTES").mkdir(parents=True, exist_ok=True)
    memory = machine.projects / "memory"
    memory.mkdir()
    (memory / "kiln.md").write_text("# Kiln\n\nCached.\n")
    machine.write(SID, [TURN])
    machine.index()
    for text in ("claude-code:00000000", f"Claude code:{OTHER}", f"claude-code:{OTHER}(x)"):
        with pytest.raises((UnknownSessionError, UsageError)):
            source_of(machine.config, {}, text, TODAY)
    with pytest.raises(UsageError, match="note"):
        source_of(machine.config, {}, "memory/kiln.md", TODAY)


def test_a_session_in_a_repository_has_a_place(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "kiln" / "api"
    folder.mkdir(parents=True)

    def run(*words: str) -> None:
        subprocess.run(["git", *words], cwd=folder.parent, check=True, env=environment(), capture_output=True)

    run("init", "-q")
    run("remote", "add", "origin", "git@github.com:acme/kiln.git")
    machine.write(SID, [TURN], cwd=str(folder))
    machine.index()
    assert source_of(machine.config, environment(), f"claude-code:{SID}", TODAY).place == ""
    run("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
    found = source_of(machine.config, environment(), f"claude-code:{SID}", TODAY)
    assert found.place.startswith("acme/kiln@")
    assert len(found.place) == len("acme/kiln@") + 12
    assert (found.prefix, found.folder) == ("api/", str(folder))


def test_the_prompt_names_the_topics_of_the_project_first(machine: Machine, library: Library, tmp_path: Path) -> None:
    assert "exists" not in review_prompt.text(machine.config, CWD)
    put(machine, "# Newer elsewhere\n## Answer\nYes.\n", OTHER)
    machine.write(SID, [TURN])
    machine.index()
    put(machine, "# Of this project\n## Answer\nYes.\n")
    repository = tmp_path / "acme"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/acme/api\n')
    put(machine, "# By its pointer\n## Answer\nYes.\n## Pointers\n- acme/api@9f3c2d1a x.py\n", sid(7))
    put(machine, "# Of a namesake\n## Answer\nYes.\n## Pointers\n- other/api@9f3c2d1a x.py\n", sid(8))
    assert review_prompt.text(machine.config, CWD).endswith("of-this-project, of-a-namesake, newer-elsewhere, by-its-pointer.\n")
    assert "fits: by-its-pointer," in review_prompt.text(machine.config, str(repository))
    assert len(review_prompt.text(machine.config, "/").encode()) <= LIMIT
    assert "exists" not in review_prompt.text(machine.config.replace(library="/nowhere"), CWD)
    with open(machine.config.store_db, "r+b") as file:
        file.seek(0)
        file.write(b"damaged")
    assert "newer-elsewhere" in review_prompt.text(machine.config, CWD)
    assert library.git("status", "--porcelain").stdout == ""


def test_drafts_are_what_no_entry_names_the_best_first(machine: Machine, library: Library) -> None:
    with pytest.raises(NotIndexed):
        drafts.drafts(machine.config, 1_775_000_000.0)
    rich = [
        (
            "Which cache?",
            "We decided to use SQLite instead of Redis, because the board is one process. Measured: p95 fell from 812 ms to 41 ms.",
        ),
        (
            "And the TTL?",
            "We chose fifteen minutes; five was too short. The key is the whole URL, because the query matters. Next: purge it.",
        ),
    ]
    machine.write(SID, rich * 3)
    machine.write(OTHER, [TURN, ("Thanks, what else?", "The page of the island ferry has no number, so the parser must skip it.")] * 2)
    machine.index()
    found = drafts.drafts(machine.config, 1_775_000_000.0)
    assert [one.ref.partition(":")[2] in (SID[-8:], OTHER[-8:]) for one in found.drafts] == [True, True]
    assert found.drafts[0].score >= found.drafts[1].score
    assert (found.covered, found.apart) == (0, {})
    done = promote.promote(machine.config, environment(), found.drafts[0].ref, TODAY, topic="kiln")
    assert [(result.topic, result.state) for result in done.results] == [("kiln", "created")]
    assert drafts.drafts(machine.config, 1_775_000_000.0, project="KILN").covered == 1
    elsewhere = drafts.drafts(machine.config, 1_775_000_000.0, project="no such")
    assert (elsewhere.drafts, elsewhere.covered, elsewhere.apart) == ([], 0, {})
    again = drafts.drafts(machine.config, 1_775_000_000.0)
    assert (len(again.drafts), again.covered) == (1, 1)
    assert promote.promote(machine.config, environment(), found.drafts[0].ref, TODAY, topic="kiln").repeated
    assert promote.promote(machine.config, environment(), f"digest:{again.drafts[0].ref}", TODAY).results[0].changed
    assert drafts.drafts(machine.config.replace(library="/nowhere"), 1_775_000_000.0).covered == 0
    assert library.git("status", "--porcelain").stdout == ""


def test_drafts_say_how_many_are_still_to_come(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, [TURN] * 2)
    with monkeypatch.context() as patched:
        patched.setattr(index, "DIGEST_SECONDS", -1.0)
        patched.setattr(index, "DIGEST_SHARE", 0.0)
        machine.index()
    found = drafts.drafts(machine.config, 1_775_000_000.0)
    assert (found.drafts, found.to_come) == ([], 1)
    machine.index()
    found = drafts.drafts(machine.config, 1_775_000_000.0)
    assert (len(found.drafts), found.to_come) == (1, 0)


def test_withheld_sessions_and_sub_agents_are_only_counted(machine: Machine) -> None:
    machine.write(SID, [TURN] * 2)
    machine.write(OTHER, [("You are a security reviewer. Review the diff for vulnerabilities.", "None found.")])
    machine.index()
    with writer_lock(machine.config, 5.0):
        store = open_store(machine.config, [])
        store.begin()
        store.db.execute("UPDATE session SET class = 'automated' WHERE sid = ?", (OTHER,))
        store.db.execute("UPDATE session SET subagent = 1, ended = '' WHERE sid = ?", (SID,))
        store.commit()
        store.close()
    assert drafts.drafts(machine.config, 0.0).apart == {"automated": 1, "sub-agent": 1}
    assert drafts._age("", 0.0) > 100


def test_a_session_without_a_digest_cannot_be_promoted(machine: Machine) -> None:
    memory = machine.projects / "memory"
    memory.mkdir()
    (memory / "kiln.md").write_text("# Kiln\n\nCached.\n")
    machine.index()
    with pytest.raises(LibError, match="no digest"):
        promote.promote(machine.config, {}, "memory/kiln.md", TODAY)


def test_a_forgotten_session_is_never_due(machine: Machine) -> None:
    machine.write(SID, [TURN] * 20)
    machine.index()
    with writer_lock(machine.config, 5.0):
        store = open_store(machine.config, [])
        store.begin()
        Reviews(store.db).land("claude-code", SID, ["x"], "2026-01-01T00:00:00Z")
        store.forget("claude-code", SID)
        store.commit()
        assert Reviews(store.db).landed("claude-code", SID) == Work(0, 0, 0)
        assert not Reviews(store.db).has_landed("x")
        store.close()
    assert not due(machine.config, "claude-code", SID, ended=True).due
