from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from libtool.features.transcripts_of import Places
from tests.features.machine import OTHER, SID

if TYPE_CHECKING:
    from pathlib import Path

    from tests.features.machine import Machine

NOW = time.time()
TURNS = [("How hot?", "Slow.")]


def places(machine: Machine) -> Places:
    return Places(machine.config, machine.environ)


def test_a_session_lies_where_files_have_its_id_in_their_name_with_its_sub_agents(machine: Machine) -> None:
    main = machine.write(SID, TURNS)
    machine.write(OTHER, TURNS)
    child = machine.write(SID, TURNS, name=f"{SID}/subagents/agent-a1")
    assert places(machine).session("claude-code", SID, "", NOW) == sorted(map(str, (main, child)))


def test_the_file_that_the_agent_names_counts_also_elsewhere(machine: Machine, tmp_path: Path) -> None:
    main = machine.write(SID, TURNS)
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_bytes(main.read_bytes())
    assert places(machine).session("claude-code", SID, str(elsewhere), NOW) == sorted(map(str, (main, elsewhere)))
    assert places(machine).session("claude-code", SID, str(tmp_path / "gone.jsonl"), NOW) == [str(main)]
    assert places(machine).session("claude-code", SID, str(tmp_path), NOW) == [str(main)]


def test_some_agents_put_the_head_of_an_id_into_the_name(machine: Machine) -> None:
    chats = machine.home / ".gemini" / "tmp" / "kiln" / "chats"
    chats.mkdir(parents=True)
    path = chats / f"session-2026-03-01T09-00-{SID[:8]}.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    assert places(machine).session("gemini-cli", SID, "", NOW) == [str(path)]


def test_where_no_name_tells_what_has_just_changed_is_looked_at(machine: Machine) -> None:
    data = machine.home / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    path = data / "opencode.db"
    path.write_bytes(b"")
    session = "ses_dd6760c5dffeuU1sV18Oa0HTAe"
    assert places(machine).session("opencode", session, "", NOW) == [str(path)]
    os.utime(path, (NOW - 3600, NOW - 3600))
    assert places(machine).session("opencode", session, "", NOW) == []
    assert places(machine).session("opencode", "", "", NOW) == []


def test_an_agent_without_an_adapter_has_no_places(machine: Machine) -> None:
    assert places(machine).session("abacus", SID, "", NOW) == []
    assert places(machine).roots("abacus") == []
    assert places(machine).roots("claude-code") == [str(machine.home / ".claude")]


def test_memory_files_are_notes(machine: Machine) -> None:
    memory = machine.projects / "memory" / "kiln.md"
    memory.parent.mkdir()
    memory.write_text("# Kiln\n", encoding="utf-8")
    assert places(machine).notes() == [str(memory)]
