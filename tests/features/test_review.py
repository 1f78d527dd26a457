"""Reviews into a library with real git."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from libtool.domain.review import entries
from libtool.domain.review.entries import Applied, Source
from libtool.errors import UsageError
from libtool.features import forget, index_md, library_commit, review, review_kept, review_landing
from libtool.features.forget import Target
from libtool.features.index import open_store
from libtool.storage.lock import writer_lock
from libtool.storage.reviews import Reviews, anything_waits
from libtool.storage.work_tree import GitWorkTree, HeadMovedError
from tests.features.sync_lab import Lab, Machine

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.domain.review.block import Block
    from libtool.features.review import Outcome
    from libtool.storage.reviews import Waiting
    from libtool.storage.work_tree import Version

SID = "3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77"
DAY = dt.datetime.now().astimezone().date().isoformat()
SOURCE = Source("claude-code", SID, "0d1c9a77", "desk", DAY, 52)
LOGIN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KILN = """# Kiln cache

## Answer
Fifteen minutes in SQLite.

## Decided
- SQLite, not Redis (#3)
"""


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    machine = Lab(tmp_path).machine("desk")
    machine.put("other", "2026-10-01: something else.")
    return machine


def take(desk: Machine, text: str, *, source: Source = SOURCE, topic: str = "", without_git: bool = False) -> Outcome:
    environ = {**desk.environ, "PATH": "/nowhere"} if without_git else desk.environ
    return review.review(desk.config, environ, text.encode(), source, topic=topic)


def states(done: Outcome) -> list[tuple[str, str]]:
    return [(result.topic, result.state) for result in done.results]


def waiting(desk: Machine) -> list[Waiting]:
    with writer_lock(desk.config, 5.0), open_store(desk.config, []) as store:
        return Reviews(store.db).waiting()


@pytest.mark.parametrize("without_git", [False, True], ids=["git", "no-git"])
def test_a_review_becomes_an_entry_in_a_commit_of_its_own(desk: Machine, without_git: bool) -> None:
    before = desk.head()
    assert states(take(desk, KILN, without_git=without_git)) == [("kiln-cache", "created")]
    assert desk.git.line("rev-parse", "HEAD^") == before
    assert desk.git.line("show", "--format=%B", "--name-only", "HEAD").split("\n") == [
        "Capture kiln-cache",
        "",
        f"Session: claude-code:{SID}",
        "",
        "",
        "INDEX.md",
        "entries/kiln-cache.md",
    ]
    assert f"- {DAY}: SQLite, not Redis (claude-code:0d1c9a77#3)" in desk.read("entries/kiln-cache.md")
    assert "[kiln-cache](entries/kiln-cache.md): Fifteen minutes in SQLite." in desk.read("INDEX.md")
    assert desk.status() == ""
    assert not anything_waits(desk.config)


def test_the_same_review_twice_adds_nothing(desk: Machine) -> None:
    take(desk, KILN)
    head = desk.head()
    again = take(desk, KILN)
    assert (again.repeated, again.results, desk.head()) == (True, [], head)
    # In other words around it, or from another machine whose store knows nothing of it, it adds nothing either.
    assert states(take(desk, f"Here you are:\n\n{KILN}")) == [("kiln-cache", "unchanged")]
    assert desk.head() == head


def test_what_another_process_puts_in_meanwhile_is_in_the_library(desk: Machine) -> None:
    found: list[Outcome] = []
    threads = [threading.Thread(target=lambda n=number: found.append(take(desk, f"{KILN}- more {n}\n"))) for number in range(2)]
    with library_commit.opened(desk.config, desk.environ):
        for thread in threads:
            thread.start()
        while len(waiting(desk)) < 2:
            time.sleep(0.02)
    for thread in threads:
        thread.join()
    assert sorted((len(done.results), done.repeated) for done in found) == [(0, True), (2, False)]
    assert [f"more {number} (" in desk.read("entries/kiln-cache.md") for number in range(2)] == [True, True]


def test_a_new_answer_leaves_the_old_one_in_superseded(desk: Machine) -> None:
    take(desk, KILN)
    done = take(desk, "# Kiln cache\n## Answer\nAn hour, in Redis.\n## Superseded\n- SQLite, not Redis\n")
    assert [(result.state, result.answered) for result in done.results] == [("updated", True)]
    text = desk.read("entries/kiln-cache.md")
    assert f"An hour, in Redis. ({DAY})" in text
    assert f"- {DAY}: Fifteen minutes in SQLite." in text.partition("## Superseded")[2]
    assert f"- {DAY}: SQLite, not Redis (claude-code:0d1c9a77#3)" in text.partition("## Superseded")[2]
    assert "SQLite, not Redis" not in text.partition("## Superseded")[0]


def test_an_old_session_does_not_take_back_a_later_answer(desk: Machine) -> None:
    take(desk, KILN)
    done = take(desk, "# Kiln cache\n## Answer\nNo cache at all.\n", source=SOURCE._replace(sid=SID[::-1], date="2026-01-02"))
    assert [(result.state, result.answered) for result in done.results] == [("updated", False)]
    answer, _, rest = desk.read("entries/kiln-cache.md").partition("## Decided")
    assert "Fifteen minutes" in answer
    assert "- 2026-01-02: No cache at all." in rest


def test_several_topics_and_a_given_one(desk: Machine) -> None:
    text = "# One thing\n## Answer\nA.\n# Other thing\n## Answer\nB.\n# other\n## Open\n- c\n"
    assert states(take(desk, text)) == [("one-thing", "created"), ("other-thing", "created"), ("other", "updated")]
    assert desk.git.line("log", "-1", "--format=%s") == "Capture one-thing, other and 1 more"
    assert states(take(desk, text, topic="given")) == [("given", "created"), ("given", "updated"), ("given", "updated")]
    with pytest.raises(UsageError):
        take(desk, text, topic="../evil")


def test_what_a_person_has_not_committed_stays_as_it_is(desk: Machine) -> None:
    take(desk, KILN)
    path = desk.top / "entries" / "kiln-cache.md"
    path.write_text(path.read_text(encoding="utf-8").replace("SQLite, not", "dear SQLite, not"), encoding="utf-8")
    mine = path.read_bytes()
    (desk.top / "staged.txt").write_text("s")
    desk.git.run("add", "staged.txt")
    (desk.top / "README.md").write_text("dirty")
    done = take(desk, "# Kiln cache\n## Open\n- purge\n# Second\n## Answer\nYes.\n")
    assert states(done) == [("kiln-cache", "waiting"), ("second", "created")]
    assert "entries/kiln-cache.md has changes that are not committed" in done.results[0].reason
    assert path.read_bytes() == mine
    assert desk.status().splitlines() == [" M entries/kiln-cache.md", "A  staged.txt", "?? README.md"]
    assert review.retry(desk.config, desk.environ)[0].waits
    desk.git.run("commit", "-qam", "mine", "--no-verify")
    assert [result.state for result in review.retry(desk.config, desk.environ)] == ["updated"]
    assert "dear SQLite, not" in desk.read("entries/kiln-cache.md")
    assert "purge" in desk.read("entries/kiln-cache.md")
    assert review.retry(desk.config, desk.environ) == []


def test_an_entry_that_was_never_committed_is_in_the_way(desk: Machine) -> None:
    desk.write("kiln-cache", "# Kiln cache\n\nDraft of mine.\n")
    assert states(take(desk, KILN)) == [("kiln-cache", "waiting")]
    assert desk.read("entries/kiln-cache.md") == "# Kiln cache\n\nDraft of mine.\n"


def test_an_index_that_lists_what_is_not_committed_is_made_again(desk: Machine) -> None:
    take(desk, KILN)
    desk.write("draft", desk.read("entries/kiln-cache.md").replace("Kiln cache", "Draft"))
    index_md.write(desk.config)
    desk.git.run("add", "INDEX.md")
    assert states(take(desk, "# Second\n## Answer\nYes.\n")) == [("second", "created")]
    committed = desk.git.line("show", "HEAD:INDEX.md")
    assert "[second]" in committed
    assert "[draft]" not in committed
    assert "[draft]" in desk.read("INDEX.md")
    desk.write("draft", "")
    (desk.top / "INDEX.md").write_text("# My own list\n")
    done = take(desk, "# Third\n## Answer\nYes.\n")
    assert states(done) == [("third", "waiting")]
    assert "INDEX.md has changes that are not committed" in done.results[0].reason
    assert desk.read("INDEX.md") == "# My own list\n"
    desk.git.run("checkout", "-q", "INDEX.md")
    assert [result.state for result in review.retry(desk.config, desk.environ)] == ["created"]


def test_it_waits_where_no_commit_can_be_made(desk: Machine) -> None:
    desk.git.run("checkout", "-q", "--detach")
    assert states(take(desk, KILN)) == [("", "waiting")]
    assert "HEAD is detached" in waiting(desk)[0].reason
    desk.git.run("checkout", "-q", "main")
    assert [result.state for result in review.retry(desk.config, desk.environ)] == ["created"]


def test_it_waits_for_a_library_to_be_made(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    lab = Lab(tmp_path)
    desk = Machine(tmp_path, "desk", lab.environ)
    assert states(take(desk, KILN)) == [("", "waiting")]
    assert "no library" in waiting(desk)[0].reason
    subprocess.run(["git", "clone", "-q", lab.url, str(desk.top)], check=True, env=lab.environ, stderr=subprocess.DEVNULL)
    (desk.top / ".lib-library").write_text("1\n")
    desk.git.run("checkout", "-q", "-B", "main")
    # Nothing was fetched from the remote yet, and its first commit is not for a capture to make.
    assert review.retry(desk.config, desk.environ)[0].waits
    desk.commit("begin")
    assert [result.state for result in review.retry(desk.config, desk.environ)] == ["created"]


def test_a_capture_needs_no_name_of_the_person(desk: Machine, home: Path) -> None:
    # git makes up no name of an empty one, and at a capture nobody is there to be asked.
    (home / ".gitconfig").write_text("[user]\n\tname =\n")
    assert states(take(desk, KILN)) == [("kiln-cache", "created")]
    assert desk.git.line("log", "-1", "--format=%an <%ae> %cn <%ce>") == "lib <lib@localhost> lib <lib@localhost>"


def test_a_commit_without_an_identity_waits(desk: Machine, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    done = take(desk, KILN)
    assert states(done) == [("kiln-cache", "waiting")]
    assert "identity" in done.results[0].reason or "email" in done.results[0].reason
    assert desk.status() == ""


def test_somebody_commits_meanwhile(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    move = GitWorkTree.move
    raced: list[str] = []

    def racing(tree: GitWorkTree, old: Version, new: Version, why: str) -> None:
        if len(raced) < 2:
            raced.append(desk.git.line("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "race"))
            desk.git.run("update-ref", "HEAD", raced[-1])
        move(tree, old, new, why)

    monkeypatch.setattr(GitWorkTree, "move", racing)
    assert states(take(desk, KILN)) == [("kiln-cache", "created")]
    assert desk.git.line("rev-parse", "HEAD^") == raced[-1]

    def always(_tree: GitWorkTree, _old: Version, _new: Version, _why: str) -> None:
        raise HeadMovedError

    monkeypatch.setattr(GitWorkTree, "move", always)
    assert states(take(desk, "# Second\n## Answer\nYes.\n"))[0][1] == "waiting"


def test_a_killed_capture_is_finished_by_the_next_one(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_tree: GitWorkTree, _old: Version, _new: Version, _why: str) -> None:
        raise SystemExit(137)

    with monkeypatch.context() as patch:
        patch.setattr(GitWorkTree, "move", killed)
        # As kill -9 leaves it: the note stays, what waits stays.
        patch.setattr("libtool.storage.repo_place.Note.clear", lambda _note: None)
        with pytest.raises(SystemExit):
            take(desk, KILN)
    assert len(waiting(desk)) == 1
    assert [result.state for result in review.retry(desk.config, desk.environ)] == ["unchanged"]
    assert "Fifteen minutes" in desk.read("entries/kiln-cache.md")
    assert desk.status() == ""
    assert not anything_waits(desk.config)


def test_no_login_comes_through(desk: Machine) -> None:
    text = f'{{"topic": "deploy", "answer": "Use the token \\u0067{LOGIN[1:]} to deploy.", "decided": ["token={LOGIN}"], "x": "{LOGIN}"}}'
    assert states(take(desk, text)) == [("deploy", "created")]
    for folder in (desk.top, desk.top.parent / "data"):
        for place, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    assert LOGIN.encode() not in file.read(), name
    assert "[REDACTED:" in desk.read("entries/deploy.md")


def test_what_cannot_be_used_is_kept_and_said(desk: Machine) -> None:
    done = take(desk, f"I could not find anything that fits, sorry. The token was {LOGIN}.")
    assert (done.unusable, done.results) == (True, [])
    with open(done.kept, encoding="utf-8") as file:
        said = file.read()
    assert "I could not find anything" in said
    assert LOGIN not in said
    assert os.stat(done.kept).st_mode & 0o077 == 0
    done = take(desk, f"{KILN}\n## Session\n- codex:0199a8f2-1111 laptop 2026-01-01\n")
    assert done.kept
    assert "0199a8f2-1111" not in desk.read("entries/kiln-cache.md")
    assert take(desk, f"ok\n{KILN}\n").kept == ""


def test_a_review_may_say_that_there_is_nothing(desk: Machine) -> None:
    done = take(desk, "nothing")
    assert (done.unusable, done.results, done.kept, done.repeated) == (False, [], "", False)
    assert take(desk, "nothing").repeated


def test_only_so_many_files_are_kept(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_kept, "MOST", 3)
    for number in range(6):
        last = take(desk, f"nothing that fits, number {number}, sorry").kept
    assert len(os.listdir(os.path.dirname(last))) == 3
    assert os.path.exists(last)


def test_a_forgotten_session_leaves_nothing(desk: Machine) -> None:
    desk.git.run("checkout", "-q", "--detach")
    take(desk, KILN.replace("SQLite", "Raspberrybase"))
    take(desk, "Nothing but chatter about Raspberrybase here.")
    forget.forget(desk.config, Target(f"claude-code:{SID}", "claude-code", "", "", "", 0, (SID,), (), (), again=True))
    for place, _, names in os.walk(desk.config.data_dir):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                assert b"Raspberrybase" not in file.read(), name
    with pytest.raises(review.ForgottenError):
        take(desk, KILN)


def test_an_entry_that_was_wrong_before_is_added_to_and_one_that_would_be_is_not(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("kiln-cache", "# Kiln cache\n\n## Answer\n\nYes. (2026-10-01)\n\n## Pointers\n\n- somewhere\n")
    desk.commit()
    assert states(take(desk, KILN)) == [("kiln-cache", "updated")]
    monkeypatch.setattr(review_landing, "apply", lambda *_: Applied(b"# Title only\n", 1, answered=True))
    done = take(desk, "# Second\n## Answer\nYes.\n")
    assert states(done) == [("second", "kept")]
    path = done.results[0].reason.rpartition(" ")[2]
    with open(path, encoding="utf-8") as file:
        assert json.loads(file.read().partition("\n\n")[2])[1] == "Second"
    assert not anything_waits(desk.config)


def test_a_topic_that_is_not_sure_is_only_suggested(desk: Machine) -> None:
    take(desk, "# Rotate the staging API tokens\n## Answer\nBy the sidecar.\n")
    done = take(desk, "# Rotate the production API tokens\n## Answer\nBy hand.\n")
    assert states(done) == [("rotate-the-production-api-tokens", "created")]
    assert done.results[0].suggestion == "rotate-the-staging-api-tokens"
    assert states(take(desk, "# Rotating staging API tokens\n## Open\n- revoke the old ones\n")) == [
        ("rotate-the-staging-api-tokens", "updated")
    ]


def test_names_for_what_has_none(desk: Machine) -> None:
    assert states(take(desk, "## Answer\nThe harbour register names every quay in the fjord today.\n")) == [
        ("the-harbour-register-names-every-quay-in-the", "created")
    ]
    # The same first words are the same topic; of a title whose slug is taken by another one it is not.
    again = take(desk, "## Answer\nThe harbour register names every quay in the fjord today.\n## Open\n- check\n")
    assert states(again) == [("the-harbour-register-names-every-quay-in-the", "updated")]
    assert states(take(desk, "# 缓存策略\n## 结论\n十五分钟。\n")) == [("session-0d1c9a77", "created")]
    assert states(take(desk, "# 渡轮时刻\n## 结论\n每天三次。\n")) == [("session-0d1c9a77-2", "created")]


def test_a_slow_disk_or_a_missing_folder_is_told_in_words() -> None:
    assert review_landing.told(OSError(28, "No space left on device")) == "No space left on device"
    assert review_landing.told(OSError("odd")) == "OSError"


def test_the_words_of_a_commit() -> None:
    assert review_landing.message("Capture", {}, "a:b").startswith("Capture nothing\n")
    assert len(review_landing.message("Capture", {"x" * 80: b"", "y" * 80: b""}, "a:b").split("\n")[0]) < 120


def test_what_is_matched_of_an_entry() -> None:
    assert review_landing.known_of("a-b", b"no heading") == ("a b", "")
    assert review_landing.known_of("a-b", b"# T\n\n## Answer\n\nYes.\n\n## Decided\n\nNo.\n") == ("T", "\nYes.\n")


def test_an_open_library_can_be_asked(desk: Machine) -> None:
    with library_commit.opened(desk.config, desk.environ) as commit:
        assert commit.topics() == {"other"}
        assert commit.read("none") is None
        assert not commit.in_the_way("other")
        assert commit.commit(lambda now: ({"other": now.read("other") or b""}, "Nothing\n")) is None


def test_an_index_that_was_never_committed_is_made_again(desk: Machine) -> None:
    index_md.write(desk.config)
    assert states(take(desk, KILN)) == [("kiln-cache", "created")]
    assert desk.status() == ""
    desk.git.run("rm", "-q", "INDEX.md")
    assert states(take(desk, "# Second\n## Answer\nYes.\n")) == [("second", "created")]
    assert "[second]" in desk.read("INDEX.md")


def test_a_login_that_only_an_entry_holds_is_taken_out_of_it(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(*given: object) -> Applied:
        made = real(*given)  # type: ignore[arg-type]
        return made._replace(data=made.data.replace(b"SQLite, not", f"token={LOGIN} SQLite, not".encode()))

    real = entries.apply
    monkeypatch.setattr(review_landing, "apply", leaking)
    assert states(take(desk, KILN)) == [("kiln-cache", "created")]
    assert LOGIN not in desk.read("entries/kiln-cache.md")
    assert "token=[REDACTED:" in desk.read("entries/kiln-cache.md")


def test_what_is_kept_is_kept_though_the_commit_fails(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_first(old: bytes | None, block: Block, *given: object) -> Applied:
        made = real(old, block, *given)  # type: ignore[arg-type]
        return made if block.title == "Second" else made._replace(data=b"# Wrong\n")

    real = entries.apply
    monkeypatch.setattr(review_landing, "apply", wrong_first)

    def full(_tree: GitWorkTree, _old: Version, _new: Version, _why: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(GitWorkTree, "move", full)
    done = take(desk, f"{KILN}\n# Second\n## Answer\nYes.\n")
    assert states(done) == [("kiln-cache", "kept"), ("second", "waiting")]
    assert done.results[1].reason == "No space left on device"


def test_forgetting_one_session_keeps_what_is_kept_of_others(desk: Machine) -> None:
    mine = take(desk, "Nothing that fits, sorry.").kept
    other = take(desk, "Nothing that fits either.", source=SOURCE._replace(sid=SID[::-1])).kept
    review_kept.forget(desk.config, "claude-code", SID)
    assert (os.path.exists(mine), os.path.exists(other)) == (False, True)
