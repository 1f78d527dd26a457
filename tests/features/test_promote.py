from __future__ import annotations

import json
from typing import TYPE_CHECKING

from libtool.domain.digest import Digest
from libtool.domain.digest.compose import Item
from libtool.domain.schema import ANSWER, POINTERS
from libtool.features import promote
from tests.features.library import Library
from tests.features.machine import SID, Machine
from tests.features.test_review_due import TODAY, TURN
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

CONTINUES = Item("continues claude-code:11112222", 0, "")
EDITED = Item("edited board/cache.py, README.md, /etc/hosts, ~/notes.md", 0, "")
COMMITS = Item("commits 4be91d7 Close the damper, slowly", 3, "")


def pointers(*items: Item, placed: bool) -> tuple[str, ...]:
    digest = Digest("Kiln", Item("Fifteen minutes.", 1, "2026-03-02"), {}, items)
    block = promote.block_of(digest, placed=placed)
    assert block.sections[ANSWER] == ("Fifteen minutes. (2026-03-02)",)
    return block.sections[POINTERS]


def test_each_file_of_the_project_is_a_pointer_of_its_own() -> None:
    assert pointers(CONTINUES, COMMITS, EDITED, placed=True) == (
        "claude-code:11112222",
        "commits 4be91d7 Close the damper, slowly",
        "board/cache.py",
        "README.md",
        "edited /etc/hosts, ~/notes.md",
    )
    assert pointers(Item("edited board/cache.py", 0, ""), placed=True) == ("board/cache.py",)


def test_files_of_a_project_that_is_not_here_stay_one_line() -> None:
    assert pointers(CONTINUES, EDITED, placed=False) == ("claude-code:11112222", EDITED.text)


def test_the_entry_points_to_the_files_at_their_commit(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m")
    shelf = Library(machine)
    (shelf.folder / ".lib-library").write_text("1\n")
    (tmp_path / "kiln" / "src").mkdir(parents=True)
    project = Library(machine, tmp_path / "kiln")
    (project.folder / "src" / "cool.py").write_text("damper = 0\n")
    for made in (shelf, project):
        made.git("init", "-q", "-b", "main")
        made.git("config", "user.name", "Ada")
        made.git("config", "user.email", "ada@example.org")
        made.git("remote", "add", "origin", "https://example.org/ada/kiln.git")
        made.git("add", "-A")
        made.git("commit", "-qm", "begin")
    path = machine.write(SID, [TURN], cwd=str(project.folder))
    edit = {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": str(project.folder / "src" / "cool.py")}}
    said = {"role": "assistant", "id": "m", "content": [edit]}
    machine.append(path, json.dumps({"type": "assistant", "uuid": "x", "sessionId": SID, "message": said}) + "\n")
    machine.index()
    done = promote.promote(machine.config, environment(), f"digest:claude-code:{SID}", TODAY, topic="kiln")
    assert [result.state for result in done.results] == ["created"]
    head = project.git("rev-parse", "--short=12", "HEAD").stdout.strip()
    text = shelf.git("show", "HEAD:entries/kiln.md").stdout
    assert f"\n- ada/kiln@{head} src/cool.py\n" in text
    assert "edited" not in text
