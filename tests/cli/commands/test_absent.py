from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.commands import absent
from libtool.features.absent.answer import Answer
from libtool.features.absent.history import History, Trace
from libtool.features.absent.places import KINDS, Place
from libtool.features.absent.tree import Tree
from libtool.storage.git_read import Checkout
from tests.features.code import Code

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

TEXT = st.text(max_size=400)
PLACES = st.lists(st.builds(Place, TEXT, st.integers(0, 10**6), TEXT, st.sampled_from(KINDS), st.booleans()), max_size=30)
COMMIT = "9f3c2d1" * 5
TRACE = Trace(COMMIT, "2026-02-02", "Drop it", "a.py", "1" * 40, inside=False)


def answer(places: list[Place], **facts: object) -> Answer:
    """An answer, with these places of what is there."""
    tree = Tree(places, [], 5, 1_000_000, 0, 0, full=False, unsearched=("ignored files",))
    past = None if places else History(None, 3, 3, "2026-01-01", 0.25)
    plain = Answer(
        "token cron", "acme/api", Checkout("/x", "/x/.git", COMMIT, bare=False, shallow=False), ("a",), tree, len(places), 0, 0.5, [], past
    )
    return plain._replace(**facts)  # type: ignore[arg-type]


@given(
    TEXT,
    TEXT,
    st.lists(TEXT, max_size=40),
    PLACES,
    PLACES,
    PLACES,
    st.builds(Trace, TEXT, TEXT, TEXT.map(lambda text: text[:100]), TEXT, TEXT, st.booleans()),
)
def test_no_answer_is_longer_than_its_budget(
    words: str, project: str, tried: list[str], there: list[Place], inside: list[Place], near: list[Place], trace: Trace
) -> None:
    plain = answer(there)
    tree = plain.tree._replace(inside=inside, changed=3, untracked=4, full=True)
    past = History(trace, 3, 9, "2026-01-01", 1.0)
    found = plain._replace(keywords=words, project=project, tried=tuple(tried), tree=tree, inside=len(inside), near=near, history=past)
    text = absent.rendered(found, absent.BUDGET)
    assert len(text.encode()) < absent.BUDGET * 4
    assert text.startswith("present: " if there else "absent: ")


def test_the_history_in_words() -> None:
    def said(**facts: object) -> str:
        return absent.rendered(answer([], **facts), absent.BUDGET).split("\n")[-1]

    assert said(history=History(TRACE, 2, 3, "2026-02-02", 0.1)).endswith("taken away by 9f3c2d19f3c2 of 2026-02-02: Drop it")
    merged = History(TRACE._replace(last=COMMIT, inside=True), 2, 3, "2026-02-02", 0.1)
    assert said(history=merged).startswith(
        "history: last seen, inside a longer word, in a.py at 9f3c2d19f3c2 of 2026-02-02: Drop it; a merge"
    )
    still = History(TRACE._replace(last=COMMIT, still=True), 2, 3, "2026-02-02", 0.1)
    assert said(history=still).endswith("Drop it; so at HEAD too, where it was not searched")
    assert said(history=History(None, 2, 9, "2026-02-02", 5.0)) == "history: not seen in 2 of 9 commits, back to 2026-02-02 (5.0 s)"
    assert said(history=History(None, 0, 0, "", 0.0)).startswith("not searched: ignored files, the history, other branches")


def test_what_was_not_searched() -> None:
    shallow = Checkout("/x", "/x/.git", COMMIT, bare=False, shallow=True)
    assert absent.unsearched(answer([], history=History(None, 2, 9, "2026-02-02", 5.0), place=shallow)) == [
        "ignored files",
        "7 older commits",
        "what merges alone changed",
        "the history beyond this shallow clone",
        "other branches",
    ]
    assert absent.unsearched(answer([Place("x", 1, "", "used")]))[1] == "the history, since it is there"


def test_places_say_where_they_come_from() -> None:
    assert absent.place(Place("a.py", 3, "x = 1", "used", at_head=True)) == "a.py:3 used at HEAD, not in the work tree: x = 1"
    assert absent.place(Place("a/x", 0, "", "file name")) == "a/x file name"


def test_what_comes_near_is_shown() -> None:
    rows = [Place(f"a{number}.py", number, "x", "used") for number in range(1, 4)]
    plain = answer([])
    found = plain._replace(tree=plain.tree._replace(inside=rows), inside=3, near=rows[:1])
    assert absent.rendered(found, absent.BUDGET).split("\n")[1:6] == [
        "only inside longer words: 3 places",
        "  a1.py:1 used: x",
        "  a2.py:2 used: x",
        "its words apart: 1 place",
        "  a1.py:1 used: x",
    ]
    assert absent.as_json(found, None)["words_apart"][0]["path"] == "a1.py"


@pytest.fixture
def code(home: Path, monkeypatch: pytest.MonkeyPatch) -> Code:
    code = Code(home / "api")
    code.commit("Begin", a__py="parcel_size = 1\n")
    monkeypatch.chdir(code.folder)
    return code


def test_the_folder_one_stands_in_is_searched(code: Code, lib: Program) -> None:
    assert lib("absent", "parcelSize")[0] == 0
    assert lib("absent", "zebra")[0] == 1
    told = lib.json("absent", "zebra")
    assert told["claim"] == f'absent api@{code.git("rev-parse", "HEAD")[:12]} "zebra"'
    assert (told["history"]["complete"], told["history"]["trace"], told["recorded"]) == (True, None, None)
    code.commit("Drop", a__py="")
    assert lib.json("absent", "parcel size")["history"]["trace"]["subject"] == "Drop"


def test_a_claim_is_recorded(code: Code, home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code
    monkeypatch.setenv("LIB_LIBRARY", str(home / "library"))
    (home / "library" / "entries").mkdir(parents=True)
    lib("new", "cron")
    path = f"{home}/library/entries/cron.md"
    assert lib.json("absent", "zebra", "--record", "cron")["recorded"] == {"path": path, "changed": True, "committed": False}
    assert lib("absent", "zebra", "--record", "cron")[2] == f"  the claim is already in {path}\n"
    said = lib("absent", "zebra crossing", "--record", "cron")[2]
    assert said.startswith(f"  the claim was added to {path}, not committed: ")
    assert lib("absent", "parcel size", "--record", "cron")[2] == "lib: nothing was recorded, since it is there\n"


def test_an_entry_that_takes_no_claim_is_told_before_the_search(
    code: Code, home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert code
    monkeypatch.setenv("LIB_LIBRARY", str(home / "library"))
    (home / "library" / "entries").mkdir(parents=True)
    assert lib("absent", "zebra", "--record", "none")[:2] == (2, "")


def test_an_empty_repository_claims_nothing(home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Code(home / "empty")
    code, out, _ = lib("absent", "zebra", "--repo", str(empty.folder))
    assert (code, out.split("\n")[0]) == (1, 'absent: "zebra" in empty@no commit yet')
    told = lib.json("absent", "zebra", "--repo", str(empty.folder))
    assert (told["commit"], told["claim"], told["history"]["commits"]) == (None, None, 0)
    monkeypatch.setenv("LIB_LIBRARY", str(home / "library"))
    (home / "library" / "entries").mkdir(parents=True)
    lib("new", "cron")
    code, out, said = lib("absent", "zebra", "--repo", str(empty.folder), "--record", "entry:cron")
    assert (code, out.split("\n")[0]) == (2, 'absent: "zebra" in empty@no commit yet')
    assert "nothing to record: there is no commit yet" in said


def test_what_was_not_searched_is_told_whatever_else_there_is_to_tell() -> None:
    tree = answer([]).tree._replace(unsearched=tuple(f"12345 {what} that are not here" for what in "abcdef"))
    past = History(TRACE._replace(subject="s" * 100, path="p" * 200), 3, 9, "2026-01-01", 1.0)
    found = answer([], keywords="k" * 300, project="q" * 300, tried=("t" * 300,), tree=tree, history=past)
    assert "f that are not here, other branches\n" in absent.rendered(found, absent.BUDGET)


def test_as_many_places_as_fit_are_told() -> None:
    text = absent.rendered(answer([Place("p" * 100, line, "t" * 150, "used") for line in range(1, 9)]), absent.BUDGET)
    assert [line.partition(" used")[0][-2:] for line in text.split("\n") if line.startswith("  ")] == [":1", ":2", ":3"]


def test_of_a_place_its_version_is_told() -> None:
    assert absent.place(Place("a", 1, "x", "used", staged=True)) == "a:1 used staged, not in the work tree: x"


def test_a_time_that_is_none(code: Code, lib: Program) -> None:
    assert code
    for seconds in ("nan", "inf", "-1", "9" * 400):
        assert lib("absent", "zebra", f"--history-seconds={seconds}")[0] == 2


def test_hostile_text_is_printed_as_escapes(code: Code, lib: Program) -> None:
    code.write("evil\x1b[2J\n.py", "parcel_size \u202e = '\x1b[31m'\n")
    _, out, _ = lib("absent", "parcel size")
    assert not {"\x1b", "\u202e"} & set(out)
    assert out.count("\n") == 5
