from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.errors import DataDirUnusable, LibError, UsageError
from libtool.storage import key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def settings(tmp_path: Path) -> config.Config:
    return config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def test_the_key_is_made_once_and_private(settings: config.Config) -> None:
    first = key.load(settings)
    assert len(first) == key.SIZE
    assert key.load(settings) == first
    assert stat.S_IMODE(os.stat(settings.key_file).st_mode) == 0o600
    assert os.listdir(settings.data_dir) == [os.path.basename(settings.key_file)]


def test_a_file_that_cannot_be_opened_is_no_key(settings: config.Config) -> None:
    os.mkdir(settings.data_dir)
    # For root nothing is unreadable; a link to itself is.
    os.symlink(settings.key_file, settings.key_file)
    with pytest.raises(UsageError, match="cannot read the key file"):
        key.load(settings)


def test_two_machines_have_two_keys(settings: config.Config, tmp_path: Path) -> None:
    other = config.load({"LIB_DATA_DIR": str(tmp_path / "other")}, str(tmp_path))
    assert key.load(settings) != key.load(other)


def test_all_of_many_processes_get_one_key(settings: config.Config) -> None:
    code = (
        "import sys; from libtool import config; from libtool.storage import key; "
        "print(key.load(config.load({'LIB_DATA_DIR': sys.argv[1]}, '/')).hex())"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, settings.data_dir], stdout=subprocess.PIPE) for _ in range(6)]
    assert len({run.communicate()[0] for run in runs}) == 1
    assert os.listdir(settings.data_dir) == [os.path.basename(settings.key_file)]


@pytest.mark.parametrize("size", [0, 31, 33, 4096])
def test_a_file_of_another_size_is_refused(settings: config.Config, size: int) -> None:
    key.load(settings)
    with open(settings.key_file, "wb") as file:
        file.write(b"x" * size)
    with pytest.raises(LibError, match="bytes instead of 32") as refused:
        key.load(settings)
    assert refused.value.hint
    assert os.path.getsize(settings.key_file) == size


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_file_that_others_may_read_is_refused(settings: config.Config, mode: int) -> None:
    key.load(settings)
    os.chmod(settings.key_file, mode)
    with pytest.raises(LibError, match="others may read") as refused:
        key.load(settings)
    assert refused.value.hint == f"chmod 600 {settings.key_file}"


def test_no_regular_file_is_refused(settings: config.Config) -> None:
    os.makedirs(settings.key_file)
    with pytest.raises(LibError, match="key file"):
        key.load(settings)


def test_a_folder_in_the_way_is_said(settings: config.Config) -> None:
    with open(settings.data_dir, "w"):
        pass
    with pytest.raises(DataDirUnusable, match="cannot use the data dir"):
        key.load(settings)


def test_a_file_system_without_hard_links(settings: config.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    first = key.load(settings)
    assert key.load(settings) == first
    assert os.listdir(settings.data_dir) == [os.path.basename(settings.key_file)]


def test_a_faster_process_wins(settings: config.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def late(source: str, target: str) -> None:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, b"f" * key.SIZE)
        os.close(descriptor)
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    assert key.load(settings) == b"f" * key.SIZE

    def refused(_source: str, target: str) -> None:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, b"g" * key.SIZE)
        os.close(descriptor)
        raise PermissionError

    os.unlink(settings.key_file)
    monkeypatch.setattr(os, "link", refused)
    assert key.load(settings) == b"g" * key.SIZE


def test_a_folder_that_is_swept_all_the_time_is_said(settings: config.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def swept(source: str, target: str) -> None:
        link(source, target)
        os.unlink(target)

    monkeypatch.setattr(os, "link", swept)
    with pytest.raises(LibError, match="vanishes"):
        key.load(settings)


def test_a_key_comes_back_from_its_written_form(settings: config.Config) -> None:
    first = key.load(settings)
    assert key.parsed(f" {key.written(first)}\n") == first
    assert first.hex() not in key.tag(first) * 4
    assert key.tag(first) != key.tag(bytes(key.SIZE))


@pytest.mark.parametrize("change", [lambda text: text[:-1], lambda text: text[:20] + "0123" + text[24:], lambda _: "", str.upper])
def test_a_damaged_key_is_refused_and_not_quoted(change: Callable[[str], str]) -> None:
    text = change(key.written(b"k" * key.SIZE))
    with pytest.raises(LibError) as refused:
        key.parsed(text)
    assert not text or text[:30] not in f"{refused.value.message} {refused.value.hint}"


def test_a_key_is_replaced_and_never_made_by_looking(settings: config.Config) -> None:
    assert key.there(settings) is None
    assert not os.path.exists(settings.data_dir)
    key.replace(settings, b"k" * key.SIZE)
    assert key.there(settings) == key.load(settings) == b"k" * key.SIZE
    assert stat.S_IMODE(os.stat(settings.key_file).st_mode) == 0o600
