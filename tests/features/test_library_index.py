"""`lib search` over a library that changes under it, by an editor or by real git: what it answers is what lies there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.rank import STRONG, WEAK
from libtool.domain.schema import READ_LIMIT
from libtool.errors import NotIndexed
from libtool.features import freshness, library_index, search, verdict
from libtool.storage import library
from libtool.storage.lock import writer_lock
from libtool.storage.search_db import Filter
from tests.features.library import Library, entry
from tests.features.machine import OTHER, SID, Machine

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.features.search import Hit, Result

KILN = entry(
    "Fire the celadon kiln",
    "Fire at cone nine in reduction. (2026-03-02)",
    Decided=f"- 2026-03-02: oxidation was rejected, the glaze turned yellow. (claude-code:{SID}#3)",
    Pointers="- ada/kiln@9f3c2d1 src/ramp.py#L10-L44",
    Session=f"- claude-code:{SID} bench 2026-03-02\n- codex:{OTHER} barn 2026-03-01",
)


@pytest.fixture
def shelf(machine: Machine) -> Library:
    """A library of one entry, indexed, on a machine with two sessions."""
    machine.write(SID, [("How should the celadon be fired?", "At cone nine, in reduction, over two days.")])
    machine.write(OTHER, [("Which clay is best for the teapots?", "The grogged stoneware, by a wide margin.")])
    shelf = Library(machine)
    shelf.write("kiln", KILN)
    machine.index()
    return shelf


def find(shelf: Library, text: str, **chosen: Any) -> Result:
    return search.search(shelf.machine.config, text, Filter(**chosen), limit=8)


def topics(shelf: Library, text: str, **chosen: Any) -> list[str]:
    """The topics of the strong hits that are entries."""
    return [hit.session for hit in find(shelf, text, **chosen).hits if hit.kind == "entry" and hit.tier == STRONG]


def only(shelf: Library, text: str, **chosen: Any) -> Hit:
    (hit,) = [hit for hit in find(shelf, text, **chosen).hits if hit.kind == "entry"]
    return hit


def test_an_entry_is_told_by_its_best_section(shelf: Library) -> None:
    hit = only(shelf, "oxidation glaze yellow")
    assert (hit.ref, hit.tier, hit.title, hit.time, hit.project) == (
        "entry:kiln",
        STRONG,
        "Fire the celadon kiln",
        "2026-03-02T00:00:00Z",
        "ada/kiln",
    )
    assert hit.snippet.startswith("Decided: - 2026-03-02: oxidation was rejected")
    assert hit.path == str(shelf.folder / "entries" / "kiln.md")
    found = verdict.hit_json(1, hit)
    assert (found["kind"], found["agent"], found["session"], found["branch"], found["machine"], found["class"], found["turn"]) == (
        "entry",
        "",
        None,
        "",
        "",
        "work",
        7,
    )


def test_the_title_answers_for_all_sections_but_not_alone(shelf: Library) -> None:
    """Each section is about what the title says; a section is no answer to a query of the title's words only."""
    assert only(shelf, "celadon oxidation yellow").tier == STRONG
    assert only(shelf, "fire celadon kiln").snippet.startswith("Answer: Fire the celadon kiln Fire at cone nine")


def test_an_entry_goes_before_a_session_of_equal_strength(shelf: Library) -> None:
    shelf.machine.write("0000aaaa-11aa-4b6c-9d01-0a1b2c3d4e5f", [("Please look into the shards.", "Oxidation turned the glaze yellow.")])
    shelf.machine.index()
    hits = find(shelf, "oxidation yellow glaze").hits
    assert [hit.kind for hit in hits if hit.tier == STRONG] == ["entry", "session"]


def test_what_is_of_no_section_or_of_none_of_ours_is_found_too(shelf: Library) -> None:
    shelf.write("odd", "no heading, just a periwinkle\n")
    shelf.write("more", "# Marmalade\n\n## Recipe\n\nSeville oranges\n")
    assert only(shelf, "periwinkle").snippet == "no heading, just a periwinkle"
    assert only(shelf, "periwinkle").title == "odd"
    assert only(shelf, "seville oranges").snippet == "Recipe: Seville oranges"
    assert topics(shelf, "marmalade") == ["more"]


@pytest.mark.parametrize(
    ("chosen", "there"),
    [
        ({"kinds": ("entry",)}, True),
        ({"kinds": ("session",)}, False),
        ({"kinds": ("note",)}, False),
        ({"kinds": ("note", "entry")}, True),
        ({"machine": "bench"}, True),
        ({"machine": "barn"}, True),
        ({"machine": "loft"}, False),
        ({"agent": "codex"}, True),
        ({"agent": "pi"}, False),
        ({"project": "KILN"}, True),
        ({"project": "github.com/ada/kiln"}, True),
        ({"project": "teapot"}, False),
        ({"since": "2026-03-02"}, True),
        ({"since": "2026-03-03"}, False),
        ({"before": "2026-03-03"}, True),
        ({"before": "2026-03-02"}, False),
        ({"classes": ("work",), "exclude": SID}, True),
    ],
)
def test_an_entry_is_of_the_machines_agents_and_projects_of_its_sessions(shelf: Library, chosen: dict[str, Any], *, there: bool) -> None:
    found = find(shelf, "oxidation yellow", **chosen)
    assert [hit.ref for hit in found.hits if hit.kind == "entry"] == ["entry:kiln"] * there
    assert found.coverage.entries == there


def test_a_session_in_the_store_gives_its_project_to_the_entry(shelf: Library) -> None:
    shelf.write("clay", entry("Clay", "Stoneware. (2026-03-02)", Session=f"- claude-code:{OTHER} bench 2026-03-02"))
    assert topics(shelf, "stoneware", project="kiln") == ["clay"]


def test_entries_only_are_narrowed_before_anything_is_cut_off(shelf: Library) -> None:
    for number in range(90):
        shelf.machine.write(f"{number:08x}-22bb-4b6c-9d01-0a1b2c3d4e5f", [("hi", f"cone {number}")])
    shelf.machine.index()
    assert topics(shelf, "cone", kinds=("entry",)) == ["kiln"]
    assert {hit.kind for hit in find(shelf, "cone", kinds=("entry",)).hits} == {"entry"}


def test_logins_in_an_entry_are_nowhere_in_the_data(shelf: Library) -> None:
    login = "ghp_" + "q7Xw2Lm9" * 4 + "Zk4t"
    shelf.write("leak", entry("Leak", f"The token is {login} for now. (2026-03-02)"))
    assert "[REDACTED:" in only(shelf, "leak token").snippet
    assert login.encode() not in shelf.machine.bytes_of_all_files()


def test_where_there_is_no_library_nothing_is_said(machine: Machine) -> None:
    machine.write(SID, [("How should the celadon be fired?", "At cone nine.")])
    assert machine.index().entries == 0
    found = search.search(machine.config, "celadon", Filter(), limit=8).coverage
    assert (found.entries, found.behind, list(found.others)) == (0, 0, [])


# An editor, and what is no git


def test_a_save_in_place_is_seen(shelf: Library) -> None:
    path = shelf.folder / "entries" / "kiln.md"
    assert topics(shelf, "wollastonite") == []
    with path.open("a") as file:
        file.write("\n- wollastonite\n")
    assert topics(shelf, "wollastonite") == ["kiln"]
    path.write_text(path.read_text().replace("wollastonite", "nepheline"))
    assert (topics(shelf, "wollastonite"), topics(shelf, "nepheline")) == ([], ["kiln"])


def test_a_change_that_time_and_size_do_not_show_is_seen(shelf: Library) -> None:
    """Two saves within the grain of the file system's clock: stamps vouch for a file only some time after it was last changed."""
    path = shelf.folder / "entries" / "kiln.md"
    before = path.stat()
    (known,) = shelf.machine.rows("SELECT settled FROM taken", name="search.db")
    assert known == (0,)
    path.write_text(path.read_text().replace("yellow", "purple"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    stamp = library.listing(str(shelf.folder))[0]["entries/kiln.md"][0]
    shelf.pretend("UPDATE taken SET stamp = ?", (stamp,))
    assert (topics(shelf, "glaze yellow"), topics(shelf, "glaze purple")) == ([], ["kiln"])


def test_an_old_file_is_vouched_for_by_its_stamp_alone(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "GRAIN_NS", -(10**18))
    assert topics(shelf, "oxidation yellow") == ["kiln"]
    assert shelf.machine.rows("SELECT settled FROM taken", name="search.db") == [(1,)]
    before = shelf.machine.changes()
    monkeypatch.setattr(library, "content", None)
    assert topics(shelf, "oxidation yellow") == ["kiln"]
    assert shelf.machine.changes() == before


def test_a_renamed_over_a_new_and_a_deleted_entry_are_seen(shelf: Library) -> None:
    new = shelf.folder / "entries" / ".kiln.md.swp"
    new.write_text(entry("Fire the kiln", "Use propane. (2026-03-04)"))
    new.replace(shelf.folder / "entries" / "kiln.md")
    assert (topics(shelf, "propane"), topics(shelf, "oxidation")) == (["kiln"], [])
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    assert topics(shelf, "orchard ash") == ["glaze"]
    (shelf.folder / "entries" / "kiln.md").unlink()
    assert (topics(shelf, "propane"), find(shelf, "propane").coverage.entries) == ([], 1)


def test_a_library_that_is_gone_answers_no_more(shelf: Library) -> None:
    (shelf.folder / "entries").rename(shelf.folder / "elsewhere")
    assert (topics(shelf, "oxidation"), find(shelf, "oxidation").coverage.entries) == ([], 0)
    (shelf.folder / "elsewhere").rename(shelf.folder / "entries")
    assert topics(shelf, "oxidation") == ["kiln"]


def test_what_is_no_entry_is_not_taken_in(shelf: Library, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Outside\n\nquagga\n")
    (shelf.folder / "entries" / "link.md").symlink_to(tmp_path / "secret.md")
    (shelf.folder / "entries" / "folder.md").mkdir()
    (shelf.folder / "entries" / "Bad Name.md").write_text("# Bad\n\nquagga\n")
    (shelf.folder / "entries" / "notes.txt").write_text("quagga\n")
    os.mkfifo(shelf.folder / "entries" / "pipe.md")
    assert topics(shelf, "quagga") == []
    assert find(shelf, "quagga").coverage.entries == 1


def test_bytes_of_any_kind_are_searched(shelf: Library) -> None:
    (shelf.folder / "entries" / "bytes.md").write_bytes(b"\xff\xfe# X\x00\r\nthe zorilla\x1e\x1b[31m sleeps\r\n" + b"a" * READ_LIMIT)
    assert topics(shelf, "zorilla") == ["bytes"]


# Git


def commit(shelf: Library, text: str, name: str = "kiln") -> None:
    shelf.write(name, entry("Fire the kiln", f"{text}. (2026-03-04)"))
    shelf.git("add", "-A")
    shelf.git("commit", "-qm", text)


@pytest.fixture
def versions(shelf: Library) -> Library:
    """main says fluorspar, before that bauxite; the branch `side` says galena. Indexed as main has it."""
    shelf.git("init", "-q", "-b", "main")
    commit(shelf, "bauxite")
    shelf.git("switch", "-q", "-c", "side")
    commit(shelf, "galena")
    shelf.git("switch", "-q", "main")
    commit(shelf, "fluorspar")
    shelf.machine.index()
    return shelf


def says(shelf: Library) -> list[str]:
    return [word for word in ("bauxite", "galena", "fluorspar", "dolomite") if topics(shelf, word)]


def test_a_switch_a_reset_and_a_checkout_of_a_file_are_seen(versions: Library) -> None:
    assert says(versions) == ["fluorspar"]
    versions.git("switch", "-q", "side")
    assert says(versions) == ["galena"]
    versions.git("switch", "-q", "main")
    versions.git("reset", "-q", "--hard", "HEAD~1")
    assert says(versions) == ["bauxite"]
    versions.git("checkout", "-q", "side", "--", "entries/kiln.md")
    assert says(versions) == ["galena"]
    versions.git("restore", "--source=HEAD", "--staged", "--worktree", "entries/kiln.md")
    assert says(versions) == ["bauxite"]


def test_a_stash_is_seen_both_ways(versions: Library) -> None:
    versions.write("kiln", entry("Fire the kiln", "dolomite. (2026-03-05)"))
    assert says(versions) == ["dolomite"]
    versions.git("stash", "-q")
    assert says(versions) == ["fluorspar"]
    versions.git("stash", "pop", "-q")
    assert says(versions) == ["dolomite"]
    versions.git("checkout", "-q", "--", "entries/kiln.md")
    assert says(versions) == ["fluorspar"]


@pytest.mark.parametrize("how", [("--no-rebase",), ("--rebase",), ("--ff-only",)])
def test_a_pull_is_seen(versions: Library, tmp_path: Path, how: tuple[str, ...]) -> None:
    origin = tmp_path / "origin.git"
    versions.git("clone", "-q", "--bare", str(versions.folder), str(origin))
    versions.git("remote", "add", "origin", str(origin))
    versions.git("fetch", "-q")
    versions.git("branch", "-q", "-u", "origin/main")
    other = Library(versions.machine, tmp_path / "other")
    other.git("clone", "-q", str(origin), str(other.folder))
    commit(other, "dolomite")
    other.git("push", "-q")
    if how != ("--ff-only",):
        commit(versions, "Marble", "slab")
    assert says(versions) == ["fluorspar"]
    versions.git("pull", "-q", *how)
    assert says(versions) == ["dolomite"]


def test_conflict_markers_are_searched_as_they_lie_there(versions: Library) -> None:
    assert versions.git("merge", "-q", "side", check=False).returncode
    assert "<<<<<<<" in (versions.folder / "entries" / "kiln.md").read_text()
    assert says(versions) == ["galena", "fluorspar"]
    versions.git("merge", "--abort")
    assert says(versions) == ["fluorspar"]


def test_a_linked_worktree_is_a_library_of_its_own(versions: Library, tmp_path: Path) -> None:
    versions.git("worktree", "add", "-q", str(tmp_path / "tree"), "side")
    config = versions.machine.config.replace(library=str(tmp_path / "tree"))
    assert [hit.session for hit in search.search(config, "galena", Filter(), limit=8).hits] == ["kiln"]
    assert search.search(config, "fluorspar", Filter(kinds=("entry",)), limit=8).has_strong is False


# Others at work, and little time


def test_a_writer_that_holds_the_lock_is_not_waited_for(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_index.in_search, "__defaults__", (0.05,))
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    with writer_lock(shelf.machine.config, 1):
        found = find(shelf, "orchard ash")
        assert (found.hits, found.coverage.behind) == ([], 1)
        assert topics(shelf, "oxidation") == ["kiln"]
    assert (topics(shelf, "orchard ash"), find(shelf, "orchard ash").coverage.behind) == (["glaze"], 0)


def test_a_program_that_knows_nothing_of_our_lock_is_not_waited_for(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_index.in_search, "__defaults__", (0.05,))
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    other = sqlite3.connect(shelf.machine.config.search_db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert find(shelf, "orchard ash").coverage.behind == 1
    other.close()
    assert topics(shelf, "orchard ash") == ["glaze"]


def test_a_data_dir_that_cannot_be_written_is_searched_all_the_same(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("libtool.storage.files.write", refused)
    found = find(shelf, "oxidation")
    assert (found.has_strong, found.coverage.behind) == (True, 1)


def test_an_index_by_other_rules_is_left_to_lib_index(shelf: Library) -> None:
    shelf.pretend("UPDATE mark SET value = 1 WHERE name = 'rules'")
    shelf.write("kiln", entry("Fire the kiln", "Use propane. (2026-03-04)"))
    assert find(shelf, "oxidation").coverage.behind == 1
    shelf.machine.index()
    assert (topics(shelf, "propane"), topics(shelf, "oxidation")) == (["kiln"], [])


def test_what_there_is_no_time_for_is_counted_and_comes_the_next_time(shelf: Library) -> None:
    for number in range(4):
        shelf.write(f"lot{number}", entry(f"Lot {number}", f"shelf of quartz{number}. (2026-03-04)"))
        shelf.age(f"lot{number}", number)
    config = shelf.machine.config
    lag = shelf.lag()
    assert [name[8:12] for name in lag.changed] == ["lot3", "lot2", "lot1", "lot0"]
    assert library_index.in_search(config, lag, 0.0001) == 3
    assert [hit.session for hit in find(shelf, "quartz3").hits] == ["lot3"]
    assert library_index.in_search(config, shelf.lag()) == 0
    assert shelf.lag().entries() == 0


def test_a_library_too_slow_to_be_looked_through_is_judged_by_its_git(versions: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        versions.write(f"lot{number}", entry(f"Lot {number}", "Nothing. (2026-03-04)"))
    versions.git("add", "-A")
    versions.git("commit", "-qm", "lots")
    # However long a busy machine takes, no stamp vouches for a file yet.
    monkeypatch.setattr(freshness, "GRAIN_NS", 1 << 60)
    versions.machine.index()
    monkeypatch.setattr(freshness.look, "__kwdefaults__", {"seconds": -1.0})
    assert find(versions, "fluorspar").coverage.behind == 0
    versions.git("commit", "-qm", "no more", "--allow-empty")
    assert find(versions, "fluorspar").coverage.behind == -1
    versions.write("lot7", entry("Lot 7", "Sphalerite. (2026-03-04)"))
    monkeypatch.setattr(library_index.in_search, "__defaults__", (-1.0,))
    # Whether or not there are files that their stamps vouch for by now, and no time to note that either.
    for grain in (1 << 60, -1):
        monkeypatch.setattr(freshness, "GRAIN_NS", grain)
        assert find(versions, "fluorspar").coverage.behind == -1


def test_many_searches_at_once_are_safe(shelf: Library) -> None:
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    ask = "import sys; from libtool.cli.main import main; sys.exit(main(['search', 'orchard ash', '--attempt', '1']))"
    environ = {**shelf.machine.environ, "HOME": str(shelf.machine.home), "LIB_LIBRARY": str(shelf.folder), "PATH": os.defpath}

    def one(_: int) -> tuple[int, bool, str]:
        done = subprocess.run([sys.executable, "-c", ask], env=environ, capture_output=True, text=True, check=False)
        # On a machine too busy for it to wait its turn, a search says so.
        said = (
            done.stdout.startswith("ref: entry:glaze | ")
            if done.returncode == 0
            else "1 changed entry could not be taken in" in done.stdout
        )
        return done.returncode, said, done.stderr

    with ThreadPoolExecutor(6) as pool:
        answers = set(pool.map(one, range(6)))
    assert (0, True, "") in answers
    assert answers <= {(0, True, ""), (1, True, "")}
    assert topics(shelf, "orchard ash") == ["glaze"]
    shelf.machine.index_content()


# Indexing


def test_an_index_run_takes_the_library_in_and_a_second_one_writes_nothing(shelf: Library) -> None:
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    report = shelf.machine.index()
    assert (report.entries, report.rows) == (1, 1)
    before = shelf.machine.changes()
    assert (shelf.machine.index().entries, shelf.machine.changes()) == (0, before)
    assert topics(shelf, "orchard ash") == ["glaze"]


def test_a_rebuild_gives_the_same_index(shelf: Library) -> None:
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    shelf.write("kiln", KILN.replace("yellow", "purple"))
    shelf.machine.index()
    tables = ("taken", "entry", "cited", "machine", "library")
    content = [shelf.machine.rows(f"SELECT * FROM {name} ORDER BY 1", name="search.db") for name in tables]  # noqa: S608
    words = shelf.machine.words()
    report = shelf.machine.index(rebuild=True)
    assert report.entries == 2
    again = [shelf.machine.rows(f"SELECT * FROM {name} ORDER BY 1", name="search.db") for name in tables]  # noqa: S608
    assert ([len(rows) for rows in again], shelf.machine.words()) == ([len(rows) for rows in content], words)
    shelf.machine.index_content()


def test_a_file_that_goes_while_it_is_read_is_left_to_the_next_look(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("glaze", entry("Glaze", "Ash from the orchard. (2026-03-04)"))
    with monkeypatch.context() as patch:
        patch.setattr(library, "content", lambda *_: None)
        assert (topics(shelf, "orchard ash"), topics(shelf, "oxidation")) == ([], ["kiln"])
    assert topics(shelf, "orchard ash") == ["glaze"]


def test_a_failure_in_the_middle_leaves_what_was_there(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("kiln", entry("Fire the kiln", "Use propane. (2026-03-04)"))
    with monkeypatch.context() as patch:
        patch.setattr("libtool.domain.passages.read", None)
        with pytest.raises(TypeError):
            shelf.machine.index()
    assert topics(shelf, "propane") == ["kiln"]
    shelf.machine.index_content()


def test_a_word_in_an_entrys_own_name_alone_is_a_weak_hit(shelf: Library) -> None:
    shelf.write("porringer", "# Bowl\n\n## Answer\n\nRound.\n")
    assert only(shelf, "porringer").tier == WEAK


def test_a_search_db_without_its_tables_says_so(shelf: Library) -> None:
    shelf.pretend("DROP TABLE taken")
    with pytest.raises(NotIndexed, match="cannot be used"):
        find(shelf, "oxidation")
