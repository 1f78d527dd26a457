from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.config import Config, load
from libtool.storage import current, files, processes

if TYPE_CHECKING:
    from pathlib import Path

SID, OTHER = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f", "00000001-22bb-4b6c-9d01-0a1b2c3d4e5f"
GONE = "999999999 12"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


@pytest.fixture
def here() -> str:
    process = processes.agent()
    if " " not in process:
        pytest.skip("this system does not tell when a process began")
    return process


def notes(config: Config) -> list[str]:
    folder = os.path.join(config.data_dir, current.FOLDER)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def test_a_process_is_in_one_session_the_last(config: Config, here: str) -> None:
    assert current.of(config, here) == ("", "")
    current.put(config, here, "gemini-cli", SID)
    assert current.of(config, here) == ("gemini-cli", SID)
    current.put(config, here, "gemini-cli", OTHER)
    assert current.of(config, here) == ("gemini-cli", OTHER)
    assert len(notes(config)) == 1


def test_what_is_noted_of_processes_that_are_gone_goes(config: Config, here: str) -> None:
    current.put(config, GONE, "gemini-cli", SID)
    assert current.of(config, GONE) == ("gemini-cli", SID)
    current.put(config, here, "gemini-cli", OTHER)
    assert notes(config) == [here.replace(" ", "-")]


def test_a_note_that_another_process_is_writing_stays(config: Config, here: str) -> None:
    folder = os.path.join(config.data_dir, current.FOLDER)
    os.makedirs(folder)
    written, left = (os.path.join(folder, f".1-2.{number}.abcd{files.SUFFIX}") for number in (os.getpid(), 999999999))
    for path in (written, left):
        with open(path, "wb"):
            pass
    current.put(config, here, "gemini-cli", SID)
    assert os.path.exists(written)
    assert not os.path.exists(left)


@pytest.mark.parametrize("session", ["has a password in it", "../../up", "ABC", "x\ny"])
def test_an_id_that_may_not_be_written_down_leaves_none(config: Config, here: str, session: str) -> None:
    current.put(config, here, "gemini-cli", SID)
    current.put(config, here, "gemini-cli", session)
    assert current.of(config, here) == ("", "")
    assert notes(config) == []


def test_without_the_time_at_which_it_began_a_process_is_not_known(config: Config) -> None:
    current.put(config, "17", "gemini-cli", SID)
    assert notes(config) == []


def test_a_forgotten_session_is_noted_nowhere(config: Config, here: str) -> None:
    current.put(config, here, "gemini-cli", SID)
    current.forget(config, "gemini-cli", OTHER)
    current.forget(config, "qwen-code", SID)
    assert current.of(config, here) == ("gemini-cli", SID)
    current.forget(config, "gemini-cli", SID)
    assert notes(config) == []
    current.forget(config, "gemini-cli", SID)


def test_a_damaged_note_says_nothing(config: Config, here: str) -> None:
    current.put(config, here, "gemini-cli", SID)
    with open(os.path.join(config.data_dir, current.FOLDER, here.replace(" ", "-")), "wb") as file:
        file.write(b"\xff\xfe" * 500)
    assert current.of(config, here) == ("", "")
