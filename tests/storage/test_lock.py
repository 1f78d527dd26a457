from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.errors import Locked
from libtool.storage import files, lock

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from libtool import config
from libtool.storage.lock import writer_lock
with writer_lock(config.load({"LIB_DATA_DIR": sys.argv[1]}, "/"), 5, task="lib index"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def settings(tmp_path: Path) -> config.Config:
    return config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def holding(settings: config.Config) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, settings.data_dir], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_told_who_holds_the_lock(settings: config.Config) -> None:
    with holding(settings) as process:
        try:
            start = time.monotonic()
            with pytest.raises(Locked) as raised, lock.writer_lock(settings, 0.1):
                pytest.fail("two holders")
            assert time.monotonic() - start < 5
        finally:
            process.kill()
    assert f"`lib index` (process {process.pid}, since 2" in raised.value.message
    assert raised.value.hint


def test_a_long_wait_is_said_and_ends_with_the_holder(settings: config.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "QUIET_SECONDS", 0.05)
    with holding(settings) as process:
        said: list[str] = []

        def end_it(text: str) -> None:
            said.append(text)
            process.kill()

        with lock.writer_lock(settings, 30, waiting=end_it):
            pass
        assert len(said) == 1
        assert f"waiting for `lib index` (process {process.pid}, since 2" in said[0]
    with holding(settings) as process:
        with pytest.raises(Locked), lock.writer_lock(settings, 0.2):
            pytest.fail("two holders")
        process.kill()


def test_a_killed_holder_holds_nothing(settings: config.Config) -> None:
    with holding(settings) as process:
        process.send_signal(signal.SIGKILL)
    assert os.path.exists(settings.lock_file + ".holder")
    with lock.writer_lock(settings, 5):
        assert lock.holder(settings.lock_file + ".holder").startswith("`lib` (process")
    assert not os.path.exists(settings.lock_file + ".holder")


def test_the_lock_is_freed_by_an_error_and_its_file_stays(settings: config.Config) -> None:
    with pytest.raises(ZeroDivisionError), lock.writer_lock(settings, 1):
        raise ZeroDivisionError
    assert os.path.exists(settings.lock_file)
    with lock.writer_lock(settings, 0):
        pass


@pytest.mark.parametrize(("number", "held"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EROFS, False)])
def test_on_a_full_disk_it_is_held_without_a_note(
    settings: config.Config, monkeypatch: pytest.MonkeyPatch, number: int, *, held: bool
) -> None:
    def fails(_path: str, _content: bytes) -> None:
        raise OSError(number, os.strerror(number))

    reached = []
    monkeypatch.setattr(files, "write", fails)
    with contextlib.suppress(OSError), lock.writer_lock(settings, 1):
        reached.append(1)
    assert bool(reached) == held


def test_it_is_not_reentrant(settings: config.Config) -> None:
    with lock.writer_lock(settings, 1), pytest.raises(Locked, match=str(os.getpid())), lock.writer_lock(settings, 0.05):
        pytest.fail("entered twice")


@pytest.mark.parametrize("note", [None, b"", b"x\ny\nz\n", b"\xff", b"4194305\nlib index\n2026-11-30T00:00:00Z\n"])
def test_a_holder_that_cannot_be_named(tmp_path: Path, note: bytes | None) -> None:
    path = tmp_path / "note"
    if note is not None:
        path.write_bytes(note)
    assert lock.holder(str(path)) == "another lib process"
