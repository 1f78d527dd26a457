from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.storage import git, loose
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

CONTENTS = (b"", b"one\n", b"\0\xff" * 9000)


@pytest.mark.parametrize(("form", "digits"), [("sha1", 40), ("sha256", 64)])
def test_git_reads_what_is_written(tmp_path: Path, form: str, digits: int) -> None:
    here = git.Git(str(tmp_path), environment())
    here.run("init", "-q", f"--object-format={form}")
    objects = tmp_path / ".git" / "objects"
    for content in CONTENTS:
        name = loose.write(str(objects), "blob", content, digits)
        assert name == loose.object_id("blob", content, digits) == here.run("hash-object", "--stdin", stdin=content).decode().strip()
        assert here.run("cat-file", "blob", name) == content
    assert here.run("fsck", "--strict", "--no-dangling") == b""


def test_what_is_there_is_kept_and_counts_as_used(tmp_path: Path) -> None:
    name = loose.write(str(tmp_path), "blob", b"one", 40)
    path = tmp_path / name[:2] / name[2:]
    os.utime(path, (1, 1))
    inode = path.stat().st_ino
    assert loose.write(str(tmp_path), "blob", b"one", 40) == name
    assert (path.stat().st_ino, path.stat().st_mtime > 1) == (inode, True)


def test_modes_are_those_that_git_gives_in_this_repository(tmp_path: Path) -> None:
    tmp_path.chmod(0o2770)
    name = loose.write(str(tmp_path), "blob", b"one", 40)
    assert (tmp_path / name[:2]).stat().st_mode & 0o7777 == 0o2770
    assert (tmp_path / name[:2] / name[2:]).stat().st_mode & 0o777 == 0o440


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_from: str, _to: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(OSError, match="disk full"):
        loose.write(str(tmp_path), "blob", b"one", 40)
    assert [name for _, _, names in os.walk(tmp_path) for name in names] == []


def test_a_python_without_its_own_sha1(monkeypatch: pytest.MonkeyPatch) -> None:
    before = loose.object_id("blob", b"one", 40)
    monkeypatch.setitem(sys.modules, "_sha1", None)
    assert loose.object_id("blob", b"one", 40) == before


def test_the_id_is_git_s_own_without_a_repository() -> None:
    done = subprocess.run(["git", "hash-object", "--stdin"], input=b"x\n", capture_output=True, check=True, env=environment())
    assert loose.object_id("blob", b"x\n", 40) == done.stdout.decode().strip()
