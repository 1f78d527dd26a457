from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from libtool.domain.project import Project
from libtool.errors import UsageError
from libtool.features.clones import Clones, is_named
from tests.features.code import Code, environ
from tests.features.machine import SID, Machine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return clone(tmp_path / "one")


def clone(folder: Path) -> Code:
    code = Code(folder)
    code.git("remote", "add", "origin", "git@git.example:acme/api.git")
    return code


@pytest.mark.parametrize(
    ("name", "named"),
    [("acme/api", True), ("ACME/Api", True), ("api", True), ("git.example/acme/api", True), ("pi", False), ("cme/api", False), ("", False)],
)
def test_names_of_a_project(name: str, named: bool) -> None:
    assert is_named(Project("git.example/acme/api", "api"), name) is named


def test_given_folders_win_then_here_then_those_of_sessions(machine: Machine, code: Code, tmp_path: Path) -> None:
    second, third = clone(tmp_path / "two"), clone(tmp_path / "three")
    machine.write(SID, [("Fire it?", "Yes.")], cwd=str(third.folder))
    machine.index()
    nowhere = str(tmp_path)

    def found(given: list[str], here: str) -> str:
        place = Clones(machine.config, environ(), given, here).find("acme/api")
        return place.top if place is not None else ""

    assert found([str(code.folder)], str(second.folder)) == str(code.folder)
    assert found([], str(second.folder)) == str(second.folder)
    assert found([], nowhere) == str(third.folder)
    third.git("remote", "set-url", "origin", "git@git.example:acme/other.git")
    assert found([], nowhere) == ""
    shutil.rmtree(third.folder)
    assert found([], nowhere) == ""


def test_a_project_is_looked_for_once(machine: Machine, code: Code) -> None:
    clones = Clones(machine.config, environ(), [], str(code.folder))
    place = clones.find("acme/api")
    assert place is not None
    assert clones.find("acme/api") is place
    assert clones.find("acme/web") is None


def test_a_session_folder_that_git_does_not_take(machine: Machine, code: Code, tmp_path: Path) -> None:
    machine.write(SID, [("Fire it?", "Yes.")], cwd=str(code.folder / ".git"))
    machine.index()
    assert Clones(machine.config, environ(), [], str(tmp_path)).find("acme/api") is None


def test_a_given_folder_must_be_one_of_a_repository(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Clones(machine.config, environ(), [str(tmp_path)], str(tmp_path))
