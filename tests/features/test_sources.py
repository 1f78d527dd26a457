from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.ref import parse
from libtool.features import import_notes, show_entry
from libtool.features.sources import is_here, note_name
from libtool.features.verify import verify
from tests.features.sync_lab import Lab

if TYPE_CHECKING:
    from pathlib import Path


def test_a_note_is_here_as_long_as_its_file_is(tmp_path: Path) -> None:
    desk = Lab(tmp_path).machine("desk")
    note = tmp_path / "tide tables" / "WORKLOG.md"
    note.parent.mkdir()
    note.write_text("# Cache\n\nWe decided to keep the cache in SQLite.\n", encoding="utf-8")
    (done,) = import_notes.import_notes(desk.config, desk.environ, [str(note)])

    def outcomes() -> set[str]:
        (found,), _ = verify(desk.config, desk.environ, [done.topic], [], str(tmp_path))
        return {one.outcome for one in found.checks}

    assert outcomes() == {"here"}
    shown = show_entry.show_entry(desk.config, parse(f"entry:{done.topic}"))
    (one,) = shown.cited
    assert (one.agent, one.machine) == ("note", "desk")
    assert is_here(desk.config.home, None, one.agent, one.sid)
    note.unlink()
    assert "here" not in outcomes()
    assert not is_here(desk.config.home, None, one.agent, one.sid)


def test_a_note_of_the_home_is_named_from_there(tmp_path: Path) -> None:
    home = str(tmp_path)
    (tmp_path / "100 % (new).md").write_text("x", encoding="utf-8")
    name = note_name(home, f"{home}/100 % (new).md")
    assert name == "~/100%20%25%20%28new%29.md"
    assert is_here(home, None, "note", name)
    assert not is_here(home, None, "codex", name)
    assert note_name(home, "/elsewhere/a.md") == "/elsewhere/a.md"
    assert not is_here(home, None, "note", "%00/a.md")
