from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibError, TranscriptUnreadable
from libtool.features import index
from libtool.features.raw import cleaned, records
from libtool.storage import files
from libtool.storage.session_db import SessionDb
from tests.adapters.reading import FIXTURES, stage
from tests.carried import CACHE, EXPLORE, QUOTA
from tests.features.test_show import NOTE

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z-]+-[0-9a-f]{12}\]")


def test_the_records_of_a_turn_are_whole(indexed: Config) -> None:
    lines = records(indexed, {}, CACHE + "#2", turns=None)
    assert [(line.turn, line.kind, line.tool) for line in lines] == [
        (2, "human", ""),
        (2, "call", "Edit"),
        (2, "result", "Edit"),
        (2, "call", "Bash"),
        (2, "result", "Bash"),
        (2, "assistant", ""),
    ]
    assert json.loads(lines[1].text)["new_string"] == "class TimetableCache: ..."
    assert lines[2].text == "The file was created."
    assert lines[0].time.startswith("2026-03-02T09:12:")


def test_turns_are_counted_as_the_index_counts_them(indexed: Config) -> None:
    assert {line.turn for line in records(indexed, {}, QUOTA, turns=None)} == {1, 2, 3}
    assert {line.turn for line in records(indexed, {}, QUOTA + "#1", turns=(2, 9))} == {2, 3}
    assert records(indexed, {}, EXPLORE, turns=None)[0].kind == "task"


def test_a_login_is_replaced_also_where_it_stands_alone(indexed: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    login = re.search(r"hb_live_[0-9a-f]+", path.read_text())
    assert login is not None
    before, after = path.read_text().split("Can we get a higher quota?", 1)
    path.write_text(before + f"is {login[0]} ours? \\u001b[31m Can we get a higher quota?" + after)
    text = json.dumps([line._asdict() for line in records(indexed, {}, QUOTA, turns=None)])
    assert login[0] not in text
    assert "\\u001b" not in text
    assert len(PLACEHOLDER.findall(text)) == 2


def test_a_login_that_is_only_told_apart_later_is_found_before_that(staged: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    text = path.read_text()
    path.write_text(text.replace("hb_live_", "hb-other-"))
    index.run(staged, {})
    login = re.search(r"hb_live_[0-9a-f]+", text)
    assert login is not None
    path.write_text(text.replace("HTTP 429", f"HTTP 429 {login[0]}"))
    lines = records(staged, {}, QUOTA, turns=None)
    assert login[0] not in json.dumps([line._asdict() for line in lines])
    assert PLACEHOLDER.search(lines[0].text)


def test_a_login_that_answers_a_question_is_replaced(staged: Config, home: Path) -> None:
    login = "WalnutA2" + "Ndl!x"
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    before, after = path.read_text().split("Can we get a higher quota?", 1)
    path.write_text(before + "What is the password of the panel?" + after)
    index.run(staged, {})
    asked = next(at for at, line in enumerate(records(staged, {}, QUOTA, turns=None)) if line.text.startswith("What is the password"))
    answer = next(line for line in records(staged, {}, QUOTA, turns=None)[asked + 1 :] if line.kind == "assistant")
    path.write_text(path.read_text().replace(answer.text.splitlines()[0], login))
    assert login not in json.dumps([line._asdict() for line in records(staged, {}, QUOTA, turns=None)])


def test_a_note_gives_the_passage_asked_for(staged: Config, home: Path) -> None:
    (home / "WORKLOG.md").write_text(NOTE)
    index.run(staged, {})
    assert [line.turn for line in records(staged, {}, "note:WORKLOG.md", turns=None)] == [3, 7]
    [line] = records(staged, {}, "note:WORKLOG.md#L9", turns=None)
    assert (line.turn, line.kind, line.text.splitlines()[-1]) == (7, "note", "Sixty requests a minute.")


@pytest.mark.parametrize("case", ["opencode/database", "codex/paginated", "copilot-cli/session", "claude-code/oldest", "aider/runs"])
def test_the_transcripts_of_every_shape_can_be_read(tmp_path: Path, case: str, indexed: Config) -> None:
    staged = stage(FIXTURES / case, tmp_path)
    config = indexed.replace(home=str(staged), roots=(str(staged),))
    index.run(config, {})
    database = SessionDb(config.store_db)
    names = database.rows(
        "SELECT DISTINCT agent, sid FROM session JOIN part ON part.session = session.id WHERE part.human AND agent = ?",
        (case.partition("/")[0],),
    )
    database.close()
    assert names
    for agent, sid in names:
        assert records(config, {}, f"{agent}:{sid}", turns=None)
    assert not [name for name in os.listdir(config.data_dir) if name.endswith(files.SUFFIX)]


def refused(config: Config, ref: str, turns: tuple[int, int] | None = None) -> LibError:
    with pytest.raises(LibError) as raised:
        records(config, {}, ref, turns=turns)
    return raised.value


def test_a_transcript_that_is_gone_is_said(indexed: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    text = path.read_text()
    error = refused(indexed, QUOTA + "#7")
    assert (type(error), error.message) == (LibError, "the transcript has no such turn")
    path.unlink()
    error = refused(indexed, QUOTA)
    assert isinstance(error, TranscriptUnreadable)
    assert (error.message, error.hint) == (f"the transcript is gone: {path}", "`lib show codex:f08d6a55` prints what lib kept of it")
    path.mkdir()
    assert refused(indexed, QUOTA).message == f"the transcript cannot be read (Is a directory): {path}"
    path.rmdir()
    path.write_text(text.replace("3be1f08d6a55", "000000000000"))
    assert refused(indexed, QUOTA).message == f"the transcript no longer holds this session: {path}"
    assert refused(indexed.replace(machine="other"), QUOTA).message == "the transcript is on the machine desk"


def test_a_session_that_was_rewritten_away_has_no_transcript(indexed: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    path.write_text(path.read_text().replace("3be1f08d6a55", "000000000000"))
    index.run(indexed, {})
    assert refused(indexed, QUOTA).message == "the transcript is gone"


def test_every_text_of_a_json_value_is_cleaned() -> None:
    assert cleaned({"a\x1b[0m": ["b\x07", 1, None, {"c": "d\u202e"}]}) == {"a": ["b", 1, None, {"c": "d"}]}
