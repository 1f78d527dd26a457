from __future__ import annotations

from libtool.domain.passages import read
from libtool.storage.library_rows import LibraryRows, Record, Taken, checksum
from libtool.storage.migrations import ENTRY_ROWS
from libtool.storage.search_build import SearchBuild, rules

TAKEN = Taken("1 2 3 4", settled=True, crc=checksum(b"x"))
KILN = read("kiln", "# Kiln\n\n## Answer\n\nCone nine.\n\n## Open\n\n- the shelves\n\n## Session\n\n- codex:0199a8f2 desk 2026-03-01\n")


def found(search: SearchBuild, word: str) -> list[int]:
    return [row[0] for row in search.db.execute("SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid", (word,))]


def test_an_entry_comes_and_goes_without_a_trace(search: SearchBuild) -> None:
    rows = LibraryRows(search)
    assert rows.put_entry("kiln", TAKEN, KILN) == 2
    assert found(search, "kiln") == [ENTRY_ROWS + 1, ENTRY_ROWS + 2]
    assert found(search, "shelves") == [ENTRY_ROWS + 2]
    assert rows.known() == {"entries/kiln.md": TAKEN}
    assert rows.put_entry("kiln", TAKEN, KILN) == 4
    assert rows.drop("entries/kiln.md") == 2
    assert rows.drop("entries/kiln.md") == 0
    assert found(search, "kiln") == []
    search.db.execute("INSERT INTO fts(fts) VALUES ('integrity-check')")
    for table in ("taken", "entry", "passage", "cited", "fts_docsize"):
        assert search.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608


def test_a_machines_word_is_replaced_and_what_is_none_is_remembered_as_seen(search: SearchBuild) -> None:
    rows = LibraryRows(search)
    rows.put_machine("machines/barn.json", TAKEN, Record("barn", "", "2026-03-01", 3))
    rows.put_machine("machines/barn.json", TAKEN, Record("barn", "", "2026-03-02", 4))
    assert search.db.execute("SELECT name, last_index, sessions FROM machine").fetchall() == [("barn", "2026-03-02", 4)]
    rows.put_machine("machines/barn.json", TAKEN, None)
    assert search.db.execute("SELECT count(*) FROM machine").fetchone() == (0,)
    assert rows.known() == {"machines/barn.json": TAKEN}
    rows.settle("machines/barn.json", TAKEN._replace(stamp="5"))
    assert rows.known()["machines/barn.json"].stamp == "5"


def test_the_watermark_is_one_and_our_rules_are_asked_for(search: SearchBuild) -> None:
    rows = LibraryRows(search)
    assert (rows.watermark(), rows.may_write()) == ("", False)
    rows.save_watermark("a")
    rows.save_watermark("b")
    before = search.db.total_changes
    rows.save_watermark("b")
    assert (rows.watermark(), search.db.total_changes) == ("b", before)
    search.db.execute("INSERT INTO mark(name, value) VALUES ('rules', ?)", (rules(),))
    assert rows.may_write()
