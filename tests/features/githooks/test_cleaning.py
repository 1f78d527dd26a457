from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from libtool.domain.redact import Redactor
from libtool.errors import UsageError
from libtool.features.githooks.cleaning import Cleaner, TopicsOf, cannot_be
from tests.compat.lab import LEAK, LOGIN, TODAY, entry

DAY = datetime.strptime(TODAY, "%Y-%m-%d").replace(tzinfo=UTC).date()


def cleaner() -> Cleaner:
    return Cleaner(lambda: Redactor(bytes(32)), DAY)


def test_a_binary_file_is_not_looked_at() -> None:
    assert cleaner().logins(b"\0" + LEAK.encode()) == []
    assert [line for line, _, _ in cleaner().logins(f"one\n{LEAK}\n".encode())] == [2]


def test_an_old_answer_comes_in_without_its_login() -> None:
    before = entry("Alpha", LEAK).encode()
    cleaned = cleaner().clean("alpha", entry("Alpha", "Another answer.").encode(), before)
    assert cleaned.logins == 0
    assert LOGIN.encode() not in cleaned.whole
    assert b"[REDACTED:" in cleaned.whole
    assert cleaner().clean("alpha", cleaned.whole, cleaned.whole).whole == cleaned.whole


def test_what_a_second_process_finds_clean_is_not_looked_at_again() -> None:
    calls = []

    def redactor() -> Redactor:
        calls.append(os.getpid())
        return Redactor(bytes(32))

    one = Cleaner(redactor, DAY)
    one.look_beside()
    clean, leaking = entry("Alpha").encode(), entry("Alpha", LEAK).encode()
    one.expect([clean, leaking])
    assert one.logins(clean) == []
    assert calls == []
    assert len(one.logins(leaking)) == 1
    assert calls == [os.getpid()]
    # What was not expected is looked at here.
    assert one.logins(b"another") == []


def test_what_the_second_process_cannot_load_is_said_here() -> None:
    def broken() -> Redactor:
        raise UsageError("no key")

    one = Cleaner(broken, DAY)
    one.look_beside()
    one.expect([b"text"])
    with pytest.raises(UsageError, match="no key"):
        one.logins(b"text")


def test_without_a_second_process_this_one_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", no_more)
    one = cleaner()
    one.look_beside()
    one.expect([b"text"])
    assert len(one.logins(LEAK.encode())) == 1


def test_topics_are_found_in_a_tree() -> None:
    topics = TopicsOf(b"100644 alpha.md\0" + bytes(20))
    assert "alpha" in topics
    assert "lpha" not in topics
    assert 1 not in topics


@pytest.mark.parametrize(
    ("name", "mode", "why"),
    [
        ("alpha.md", "100644", ""),
        (".gitkeep", "100755", ""),
        (".notes.md.1.0a.lib-tmp", "100644", ""),
        ("Old Notes.txt", "100644", "`old-notes.md` would do"),
        ("notes", "100644", "entries/notes:1: E101 "),
        ("Big Words.md", "100644", "entries/Big Words.md:1: E101 "),
        ("-.md", "100644", "entries/-.md:1: E101 "),
        ("drafts", "40000", "entries/drafts:1: E102 "),
        ("alpha.md", "040000", "(a folder)"),
        ("alpha.md", "120000", "(a symbolic link)"),
        ("alpha", "160000", "(a submodule)"),
    ],
)
def test_what_can_be_no_entry(name: str, mode: str, why: str) -> None:
    found = cannot_be(name, mode)
    assert why in found
    assert bool(why) == bool(found)


def test_conflict_markers_are_told() -> None:
    text = entry("Alpha", decided=("one",))
    assert not cleaner().clean("alpha", text.encode()).conflict
    held = text.replace("- one\n", "<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> side\n").encode()
    assert cleaner().clean("alpha", held).conflict
    assert not cleaner().clean("alpha", text.replace("- one", "- one `<<<<<<<`").encode()).conflict
