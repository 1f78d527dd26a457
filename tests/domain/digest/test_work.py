from __future__ import annotations

import json

from libtool.domain import condense
from libtool.domain.digest.work import Work


def test_files_edited_are_counted_and_told_by_turn() -> None:
    work = Work()
    assert work.add(condense.CALL, 1, "Edit /home/ada/kiln/fire.py")
    work.add(condense.CALL, 1, "Edit /home/ada/kiln/fire.py some more")
    work.add(condense.CALL, 1, "Write /home/ada/kiln/test_fire.py")
    work.add(condense.CALL, 2, "apply_patch a.py, b.py, c.py")
    work.add(condense.CALL, 3, "Edit " + "x" * 400)
    work.add(condense.CALL, 3, "WebFetch https://example.com")
    assert work.files == {"/home/ada/kiln/fire.py": 2, "/home/ada/kiln/test_fire.py": 1, "a.py": 1, "b.py": 1, "c.py": 1}
    assert work.turns == {1: ["/home/ada/kiln/fire.py"], 2: ["a.py", "b.py"]}


def test_what_is_kept_is_bounded() -> None:
    work = Work()
    for number in range(500):
        work.add(condense.CALL, number, f"Edit f{number % 50}.py")
        work.add(condense.CALL, number, "$ git commit")
        work.add(condense.RESULT, number, f"[main {number:07x}] commit number {number}\nhttps://example.com/a/b/pull/{number}")
    for number in range(60, 90):
        work.add(condense.CALL, 0, f"Edit f{number}.py")
    assert len(work.files) == 60
    assert len(work.turns) == 400
    assert len(work.commits) == 40
    assert work.commits[-1] == ["00001f3", "commit number 499", 499]
    assert len(work.requests) == 8


def test_a_commit_and_a_request_count_once() -> None:
    work = Work()
    for _ in range(2):
        work.add(condense.RESULT, 1, "[main (root-commit) 4be91d7] Cache the timetable")
        work.said(condense.ASSISTANT, 1, "see https://github.com/ada/kiln/pull/7")
    assert work.commits == [["4be91d7", "Cache the timetable", 1]]
    assert work.requests == [["https://github.com/ada/kiln/pull/7", 1]]


def test_a_commit_that_the_agent_made_itself_counts_too() -> None:
    work = Work()
    work.add(condense.CALL, 3, "git git commit feat: Cache the timetable 4be91d7")
    work.add(condense.CALL, 3, "git git undo")
    assert work.commits == [["4be91d7", "feat: Cache the timetable", 3]]


def test_a_failure_stays_until_the_same_command_passes() -> None:
    work = Work()
    work.add(condense.CALL, 1, "$ make test -k fire")
    work.add(condense.FAILED, 1, "collected 3\nE fire Error: too hot\nbye")
    assert work.failed == ["make test -k fire", "E fire Error: too hot", 1]
    work.said(condense.ASSISTANT, 1, "It still fails.")
    assert work.said_since == "It still fails."
    work.add(condense.CALL, 1, "$ ls")
    work.add(condense.RESULT, 1, "fire.py")
    assert work.failed
    work.add(condense.CALL, 1, "$ make test -k cool")
    work.add(condense.RESULT, 1, "3 passed")
    assert work.failed == []
    work.add(condense.FAILED, 1, "a failure of a call that is not a command")
    assert work.failed == []
    work.add(condense.CALL, 1, "$ false")
    work.add(condense.FAILED, 1, "")
    assert work.failed == ["false", "", 1]


def test_tasks_are_the_open_ones_of_the_last_list() -> None:
    work = Work()
    work.add(condense.CALL, 1, "TodoWrite [completed] sweep the shed; [pending] close the damper; [in_progress] fire the pots")
    assert work.open_tasks == ["close the damper", "fire the pots"]
    work.add(condense.CALL, 2, "TodoWrite no list at all")
    assert work.tasks_turn == 1
    work.add(condense.CALL, 2, "update_plan [completed] sweep the shed")
    assert work.open_tasks == []


def test_what_asks_the_library_is_left_out() -> None:
    work = Work()
    for call in ("$ lib search kiln", "$ cd /x && lib show entry:kiln", "Read /home/ada/library/entries/kiln.md", "$ cat entries/kiln.md"):
        assert not work.add(condense.CALL, 1, call)
    work.add(condense.CALL, 1, "$ make test")
    assert not work.add(condense.FAILED, 1, "no prior work")
    assert not work.add(condense.RESULT, 1, "a session")
    assert not work.add(condense.RESULT, 1, "an entry")
    assert work.add(condense.FAILED, 1, "make: error")
    assert work.failed == ["make test", "make: error", 1]
    assert work.add(condense.CALL, 1, "$ ls lib searching")


def test_its_state_is_json() -> None:
    work = Work()
    work.add(condense.CALL, 1, "Edit fire.py")
    work.add(condense.CALL, 1, "$ make")
    work.add(condense.FAILED, 1, "error")
    again = Work(json.loads(json.dumps(work.state(), sort_keys=True)))
    assert again.state() == work.state()
