from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.domain.ref import parse
from libtool.errors import LibError, TranscriptUnreadable
from libtool.features import file_digest, show_digest
from libtool.features.show import UnknownSessionError
from tests.features.machine import SID, Machine
from tests.features.test_digest import TURNS

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_and_its_session_give_one_digest_and_the_file_leaves_no_trace(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    (found,) = file_digest.of_file(machine.config, str(path))
    assert not (machine.data / "store.db").exists()
    assert sorted(one.name for one in machine.data.iterdir()) == ["key"]
    machine.index()
    assert show_digest.of_ref(machine.config, parse(f"claude-code:{SID}")).text == found.text
    assert found.ref == f"digest:claude-code:{SID[-8:]}"
    assert found.session == SID
    assert show_digest.of_ref(machine.config, parse(found.ref)).text == found.text


def test_a_file_is_redacted(machine: Machine) -> None:
    value = "Zk" + "7qR2mW9x" + "T4vB8nC1"
    path = machine.write(SID, [("Set the kiln up again.", f"Run `export KILN_PASSWORD={value}` first, the kiln asks for it.")])
    (found,) = file_digest.of_file(machine.config, str(path))
    assert value not in found.text
    assert "REDACTED" in found.text
    machine.index()
    again = machine.write(SID, [("Set the kiln up again.", f"The word is {value} as ever, said the potter.")])
    (found,) = file_digest.of_file(machine.config, str(again))
    assert value not in found.text


def test_sub_agents_are_told_only_where_there_is_nobody_else(machine: Machine) -> None:
    both = machine.write(SID, TURNS)
    with both.open("a", encoding="utf-8") as file:
        file.write(machine.write("side", TURNS[:1], isSidechain=True, agentId="a77", sessionId=SID).read_text(encoding="utf-8"))
    assert [one.session for one in file_digest.of_file(machine.config, str(both))] == [SID]
    (alone,) = file_digest.of_file(machine.config, str(machine.projects / "side.jsonl"))
    assert alone.session == f"{SID}/a77"


def test_what_cannot_be_printed_is_said(machine: Machine, tmp_path: Path) -> None:
    for content, reason in (("root:x:0:0", "content not recognised"), ("", "it is empty"), (None, "no such file")):
        path = tmp_path / "file.txt"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(TranscriptUnreadable, match=reason):
            file_digest.of_file(machine.config, str(path))
    silent = machine.write(SID, [("ok", "ok")])
    with pytest.raises(LibError, match="holds nothing that a digest could tell"):
        file_digest.of_file(machine.config, str(silent))
    machine.index()
    with pytest.raises(LibError, match="holds nothing that a digest could tell"):
        show_digest.of_ref(machine.config, parse(f"claude-code:{SID}"))
    with pytest.raises(UnknownSessionError):
        show_digest.of_ref(machine.config, parse("claude-code:unknown-session"))
