from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.storage import files

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, signal, sys
from libtool.storage import files
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
files.write(sys.argv[1], b"new")
"""
NOBODY = 2**22 + 1
"""A process id over Linux's and macOS's highest."""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_so_are_the_folders_made_for_it(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    files.write(str(path), b"one")
    assert path.read_bytes() == b"one"
    assert mode(path) == 0o600
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert os.listdir(path.parent) == ["file"]


def test_an_old_files_mode_stays_unless_another_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o754)
    files.write(str(path), b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o754)
    files.write(str(path), b"new", mode=0o640)
    assert mode(path) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "settings.json"
    target.write_bytes(b"old")
    link = tmp_path / "settings.json"
    link.symlink_to(target)
    files.write(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_name_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    files.write(str(path), b"x")
    assert path.read_bytes() == b"x"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    (folder / "inside").write_bytes(b"kept")
    with pytest.raises(OSError, match="target"):
        files.write(str(folder), b"a file cannot take a folder's place")
    assert os.listdir(tmp_path) == ["target"]
    assert (folder / "inside").read_bytes() == b"kept"


def test_content_of_a_wrong_type_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        files.write(str(tmp_path / "file"), "text is not content")  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []


def test_a_killed_write_leaves_the_old_file_and_a_leftover_that_is_swept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    # The child stops itself at the sync: everything is written, nothing renamed.
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2
    assert len(files.sweep(str(tmp_path))) == 1
    assert os.listdir(tmp_path) == ["file"]


def test_a_sweep_takes_only_what_dead_processes_left(tmp_path: Path) -> None:
    names = [
        f".file.{NOBODY}.0a1b2c3d{files.SUFFIX}",
        f".file.{os.getpid()}.0a1b2c3d{files.SUFFIX}",
        f".file.x.0a1b2c3d{files.SUFFIX}",
        f".file.0.0a1b2c3d{files.SUFFIX}",
        f"file.{NOBODY}.0a1b2c3d{files.SUFFIX}",
        f".file.{NOBODY}.0a1b2c3d.other",
        files.SUFFIX,
    ]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    folders = [tmp_path / f".folder.{process}.0a1b2c3d{files.SUFFIX}" for process in (NOBODY, os.getpid())]
    for folder in folders:
        folder.mkdir()
        (folder / "copy").touch()
    assert files.sweep(str(tmp_path)) == [str(tmp_path / names[0]), str(folders[0])]
    assert [(tmp_path / names[0]).exists(), *(folder.exists() for folder in folders)] == [False, False, True]
    assert all((tmp_path / name).exists() for name in names[1:])


def test_a_scratch_folder_goes_with_its_block_or_with_the_next_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with files.scratch(str(data), "copies") as ours, files.scratch(str(data), "copies") as other:
        assert ours != other
        assert stat.S_IMODE(os.stat(ours).st_mode) == 0o700
        (tmp_path / "data" / os.path.basename(ours) / "a").write_text("private", encoding="utf-8")
    assert os.listdir(data) == []
    program = "import os, signal, sys; from libtool.storage import files\nwith files.scratch(sys.argv[1], 'copies') as path:\n"
    program += "    open(path + '/a', 'w').write('private'); os.kill(os.getpid(), signal.SIGKILL)"
    assert subprocess.run([sys.executable, "-c", program, str(data)], check=False).returncode == -signal.SIGKILL
    (left,) = os.listdir(data)
    (data / ".x.999999999.y.lib-tmp").symlink_to(tmp_path)
    with files.scratch(str(data), "copies"):
        assert left not in os.listdir(data)
    assert os.listdir(data) == []
    with files.scratch(str(data), "copies") as gone:
        os.rmdir(gone)


def test_there_is_nothing_to_sweep_where_no_folder_is(tmp_path: Path) -> None:
    assert files.sweep(str(tmp_path / "missing")) == []
    (tmp_path / "file").write_bytes(b"")
    assert files.sweep(str(tmp_path / "file")) == []


def test_what_runs() -> None:
    assert files.is_running(os.getpid())
    assert not files.is_running(NOBODY)
    assert not files.is_running(2**80)


def test_another_users_process_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_process: int, _signal: int) -> None:
        raise PermissionError

    # The tests may run as root, whom no process refuses.
    monkeypatch.setattr(os, "kill", refuse)
    assert files.is_running(1)


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    files.ensure_folder(str(tmp_path))
    files.ensure_folder("")
    assert mode(tmp_path) == 0o755


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        files.write(str(tmp_path / "file" / "inside"), b"")


def test_only_what_has_to_last_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr(os, "fsync", waited.append)
    path = tmp_path / "note"
    files.write(str(path), b"one", lasting=False)
    assert (path.read_bytes(), waited) == (b"one", [])
    files.write(str(path), b"two")
    assert (path.read_bytes(), len(waited)) == (b"two", 2)
