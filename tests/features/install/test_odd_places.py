"""What may stand where a settings file should be, and what a person may have done since."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.errors import LibError, UsageError
from libtool.features import hook_log
from libtool.features.install import changes, launcher, templates, work
from libtool.features.install.work import Wanted, install, uninstall
from libtool.storage.events import Events

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


@pytest.fixture
def config(home: Path) -> Config:
    return load({}, str(home))


def test_the_project_is_the_repository_that_one_is_in(home: Path) -> None:
    (home / "work" / ".git").mkdir(parents=True)
    (home / "work" / "src" / "deep").mkdir(parents=True)
    assert work.project_of(str(home / "work" / "src" / "deep")) == str(home / "work")
    assert work.project_of(str(home)) == str(home)


@pytest.mark.parametrize("inside", ["", "notes"])
def test_a_home_is_no_project(config: Config, home: Path, inside: str) -> None:
    (home / ".git").mkdir()
    (home / inside).mkdir(exist_ok=True)
    with pytest.raises(UsageError, match="home"):
        install(config, {}, Wanted(("pi",), project=work.project_of(str(home / inside))))
    assert not (home / ".pi").exists()
    # Who did so with an earlier version gets out.
    assert uninstall(config, {}, Wanted((), project=str(home))).problems == ()


def test_a_call_that_made_no_sense_is_settled_by_the_next_install(config: Config, home: Path) -> None:
    (home / ".pi").mkdir()
    hook_log.misunderstood(config, "pi: the payload is no JSON object")
    install(config, {}, Wanted(), dry_run=True)
    assert Events(config).outcomes()
    install(config, {}, Wanted())
    assert not Events(config).outcomes()


def test_a_folder_or_a_huge_file_where_settings_should_be(config: Config, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".codex" / "config.toml").mkdir(parents=True)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"a": "' + "x" * 100 + '"}')
    monkeypatch.setattr(changes, "LARGEST", 50)
    said = {os.path.basename(one.path): one.message for one in install(config, {}, Wanted(("claude-code", "codex"))).problems}
    assert said["settings.json"] == "it is too large for settings"
    assert said["config.toml"] == "it is no file"


def test_a_folder_that_cannot_be_made(config: Config, home: Path) -> None:
    (home / ".pi").write_text("no folder")
    (home / ".gemini").symlink_to(home / ".gemini")
    said = {problem.agent: problem.message for problem in install(config, {}, Wanted(("pi", "gemini-cli"))).problems}
    assert said == {"pi": "Not a directory", "gemini-cli": "Too many levels of symbolic links"}


def test_a_file_that_cannot_be_written(config: Config, home: Path) -> None:
    (home / ".agents").write_text("no folder")
    os.unlink(home / ".agents")
    (home / ".agents").symlink_to("/proc/nowhere")
    (problem,) = install(config, {}, Wanted(("pi",))).problems
    assert problem.path.endswith("SKILL.md")
    assert problem.message


def test_a_launcher_that_cannot_be_written(config: Config, home: Path) -> None:
    (home / ".cursor").mkdir()
    os.makedirs(config.data_dir)
    os.symlink("/proc/nowhere", os.path.dirname(launcher.path(config)))
    problem = install(config, {}, Wanted()).problems[0]
    assert problem.path == launcher.path(config)


def test_a_template_of_lib_that_is_missing() -> None:
    with pytest.raises(LibError, match="lib's own file agent/none is missing"):
        templates.text("none")


def test_a_folder_where_the_launcher_should_be(config: Config) -> None:
    os.makedirs(launcher.path(config))
    with pytest.raises(LibError, match="bin/lib: it is no file"):
        install(config, {}, Wanted(("pi",)))


@pytest.mark.parametrize(("before", "after"), [("", ""), ('{"a": 1}', "{}\n")])
def test_only_ours_is_left_of_an_edited_file(config: Config, home: Path, before: str, after: str) -> None:
    path = home / ".cursor" / "hooks.json"
    path.parent.mkdir()
    path.write_text(before)
    install(config, {}, Wanted())
    path.write_text(path.read_text().replace('"a": 1,', "") + "\n")
    uninstall(config, {}, Wanted())
    assert path.read_text() == after


def test_a_damaged_key_does_not_stand_in_the_way(config: Config, home: Path) -> None:
    (home / ".pi" / "agent").mkdir(parents=True)
    os.makedirs(config.data_dir)
    with open(config.key_file, "wb") as file:
        file.write(b"short")
    assert install(config, {}, Wanted()).problems == ()


def test_where_no_agent_is(lib: Program, home: Path) -> None:
    assert lib("install")[1] == "no agent was found here; name one to install for it all the same, such as `lib install claude-code`\n"
    (home / ".cursor").mkdir()
    (home / ".cursor" / "hooks.json").write_text("{")
    lib("install")
    code, out, _ = lib("install")
    assert (code, out.splitlines()[0]) == (1, "nothing was changed")
