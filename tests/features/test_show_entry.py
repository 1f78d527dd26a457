from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.passages import Passage
from libtool.domain.ref import parse
from libtool.domain.schema import SECTIONS
from libtool.errors import LibError, LibraryNotFound, UsageError
from libtool.features.show_entry import ShownEntry, elsewhere, fit, show_entry
from tests.features.library import Library, entry
from tests.features.machine import OTHER, SID, Machine

FAR = "0199a8f2-5d20-7a41-9c7e-3be1f08d6a55"
KILN = entry(
    "Fire the kiln",
    "Fire at cone nine. (2026-03-02)",
    Decided="- 2026-03-02: no oxidation.",
    Zodiac="- leo",
    Session=f"- claude-code:{SID} bench 2026-03-02\n- codex:{FAR} barn 2026-03-01\n- codex:{FAR[:-4]}0000 barn 2026-03-01",
)


@pytest.fixture
def shelf(machine: Machine) -> Library:
    machine.write(SID, [("How should the celadon be fired?", "At cone nine, in reduction.")])
    shelf = Library(machine)
    shelf.write("kiln-firing", KILN)
    shelf.write("glaze", entry("Glaze", "Ash. (2026-03-02)"))
    machine.index()
    return shelf


def opened(shelf: Library, ref: str, section: str = "") -> ShownEntry:
    return show_entry(shelf.machine.config, parse(ref), section=section)


def test_an_entry_is_shown_as_it_lies_there(shelf: Library) -> None:
    shown = opened(shelf, "entry:kiln-firing")
    assert (shown.topic, shown.title, shown.date) == ("kiln-firing", "Fire the kiln", "2026-03-02")
    assert [part.section for part in shown.sections] == ["Answer", "Decided", "Session"]
    assert shown.here == {("claude-code", SID): True, ("codex", FAR): False, ("codex", f"{FAR[:-4]}0000"): False}
    path = shelf.folder / "entries" / "kiln-firing.md"
    assert shown.path == str(path)
    path.write_text(path.read_text().replace("nine", "ten"))
    assert "cone ten" in opened(shelf, "entry:kiln-firing").sections[0].text
    assert opened(shelf, "entry:kiln-firing.md").topic == "kiln-firing"


def test_what_was_pulled_is_redacted_and_cleaned(shelf: Library) -> None:
    login = "ghp_" + "q7Xw2Lm9" * 4 + "Zk4t"
    shelf.write("leak", entry("Leak", f"The token is {login} for\u202e now\x1b[31m."))
    text = opened(shelf, "entry:leak").sections[0].text
    assert text.startswith("The token is [REDACTED:")
    assert login not in text
    assert text.endswith(" for now.")


@pytest.mark.parametrize(("section", "there"), [("decided", ["Decided"]), ("ANS", ["Answer"]), (" ses", ["Session"])])
def test_one_section_is_shown(shelf: Library, section: str, there: list[str]) -> None:
    assert [part.section for part in opened(shelf, "entry:kiln-firing", section).sections] == there


def test_a_section_of_nothing_and_one_that_no_entry_has(shelf: Library) -> None:
    with pytest.raises(LibError, match="the entry kiln-firing has nothing in Blocker"):
        opened(shelf, "entry:kiln-firing", "blocker")
    with pytest.raises(UsageError, match="no such section: zebra"):
        opened(shelf, "entry:kiln-firing", "zebra")
    shelf.write("odd", "# Odd\n\n## Recipe\n\noranges\n")
    assert [part.section for part in opened(shelf, "entry:odd", "rec").sections] == ["Recipe"]


def test_an_unknown_topic_names_the_nearest(shelf: Library) -> None:
    for name, hint in (
        ("kiln-fireing", "entry:kiln-firing"),
        ("my-glaze", "entry:glaze"),
        ("zebra", "lib topics"),
        ("../kiln", "lib topics"),
    ):
        with pytest.raises(LibError, match="no such entry") as caught:
            opened(shelf, f"entry:{name}")
        assert (hint in caught.value.hint, caught.value.exit_code) == (True, 1)
    for path in (shelf.folder / "entries").iterdir():
        path.unlink()
    with pytest.raises(LibError) as caught:
        opened(shelf, "entry:zebra")
    assert "no entries yet" in caught.value.hint


def test_where_there_is_no_library_it_says_so(machine: Machine) -> None:
    with pytest.raises(LibraryNotFound):
        show_entry(machine.config, parse("entry:kiln"))


def test_an_entry_is_shown_where_nothing_is_indexed(machine: Machine) -> None:
    shelf = Library(machine)
    shelf.write("kiln", KILN)
    assert opened(shelf, "entry:kiln").here == {}


def test_a_session_of_another_machine_is_told_where_it_lives(shelf: Library) -> None:
    def told(ref: str) -> LibError | None:
        return elsewhere(shelf.machine.config, parse(ref))

    found = told(f"codex:{FAR}")
    assert found is not None
    assert found.message == f"the session codex:{FAR} is not on this machine: it lives on barn"
    assert "lib show entry:kiln-firing" in found.hint
    assert told(f"{FAR[-12:].upper()}#4") is not None
    assert isinstance(told("codex:0199a8f2"), UsageError)
    assert told("claude-code:0199a8f2") is None
    assert told(OTHER) is None


def test_what_was_pulled_a_moment_ago_is_known(shelf: Library) -> None:
    other = FAR.replace("0199a8f2", "01aabbcc")
    shelf.write("late", entry("Late", "It came late. (2026-03-03)", Session=f"- codex:{other} barn 2026-03-03"))
    found = elsewhere(shelf.machine.config, parse(f"codex:{other}"))
    assert found is not None
    assert "lives on barn" in found.message


def test_a_session_of_this_machine_that_is_not_held_is_not_sent_elsewhere(shelf: Library) -> None:
    found = elsewhere(shelf.machine.config.replace(machine="barn"), parse(f"codex:{FAR}"))
    assert found is not None
    assert "ran on this machine" in found.message
    assert "lib show entry:kiln-firing" in found.hint


def test_without_a_search_db_nobody_knows(machine: Machine) -> None:
    assert elsewhere(machine.config, parse(FAR)) is None


def part(name: str, size: int) -> Passage:
    return Passage(name, 1, f"- {name} {'x' * size}")


def test_the_answer_comes_before_all_else_and_the_order_stays() -> None:
    parts = [part(name, 20) for name in (*SECTIONS, "Other")]
    assert fit(parts, 10_000) == (parts, [])
    kept, left_out = fit(parts, 120)
    assert [one.section for one in kept] == ["Answer", "Blocker", "Open"]
    assert left_out == ["Decided", "Superseded", "Measured", "Pointers", "Session", "Other"]


def test_a_section_is_cut_between_items() -> None:
    text = "\n".join(f"- item {number} of the list" for number in range(20))
    (kept,), left_out = fit([Passage("", 1, text)], 200)
    assert (kept.text.startswith("- item 0 of the list\n"), kept.text.endswith("of the list\n…"), left_out) == (
        True,
        True,
        ["before the first section"],
    )
    (kept,), _ = fit([Passage("Answer", 1, "word " * 200)], 200)
    assert kept.text.endswith("\n…")


@given(st.lists(st.tuples(st.sampled_from([*SECTIONS, "", "Ä"]), st.text(min_size=1)), max_size=9), st.integers(0, 400))
def test_what_is_kept_fits(parts: list[tuple[str, str]], room: int) -> None:
    kept, left_out = fit([Passage(name, 1, text) for name, text in parts], room)
    assert sum(len(one.section.encode()) + len(one.text.encode("utf-8", "replace")) + 5 for one in kept) <= room
    assert (not left_out) <= (len(kept) == len(parts))
