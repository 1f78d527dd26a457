"""`lib install --uninstall` for somebody who wants to be rid of lib, whatever has become of the files since."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.features.install import launcher
from libtool.features.install.record import Record
from libtool.features.install.work import Wanted, install, uninstall
from tests.features.install.samples import tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


@pytest.fixture
def config(home: Path) -> Config:
    return load({}, str(home))


@pytest.mark.parametrize(
    "arrange",
    [
        lambda path: path.write_bytes(b"\0"),
        lambda path: path.write_text("{,}"),
        lambda path: path.mkdir(),
        os.mkfifo,
        lambda path: path.symlink_to(path),
        lambda path: path.symlink_to("/dev/null"),
    ],
)
def test_what_lib_never_wrote_to_is_no_matter(config: Config, home: Path, lib: Program, arrange: Callable[[Path], object]) -> None:
    (home / ".claude").mkdir()
    arrange(home / ".claude" / "settings.json")
    assert lib("install")[0] == 1
    code, _, err = lib("install", "--uninstall")
    assert (code, err) == (0, "")
    assert os.listdir(home / ".claude") == ["settings.json"]
    assert not os.path.exists(launcher.path(config))


def test_a_file_that_was_broken_since_keeps_nothing_else(config: Config, home: Path, lib: Program) -> None:
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"model": "x"}\n')
    install(config, {}, Wanted())
    hooks = json.loads(settings.read_text())["hooks"]
    settings.write_text(settings.read_text().replace('"x"', "x"))
    code, out, err = lib("install", "--uninstall")
    assert code == 1
    assert "settings.json was left alone" in err
    assert "then run the command again" in err
    assert "lib's hooks in what was left alone do nothing" in out
    assert not os.path.exists(launcher.path(config))
    assert os.listdir(home / ".codex") == []
    assert os.listdir(home / ".claude") == ["settings.json"]
    command = hooks["Stop"][0]["hooks"][0]["command"]
    done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    # Once it is mended, ours goes.
    settings.write_text(settings.read_text().replace("x", '"x"', 1))
    assert lib("install", "--uninstall")[0] == 0
    assert json.loads(settings.read_text()) == {"model": "x"}
    assert list(Record(config).all()) == []


def test_another_agent_keeps_what_it_needs(config: Config, home: Path) -> None:
    install(config, {}, Wanted(("claude-code", "pi")))
    (home / ".claude" / "settings.json").write_text("{,}")
    (problem,) = uninstall(config, {}, Wanted(("claude-code",))).problems
    assert problem.path == str(home / ".claude" / "settings.json")
    assert os.path.exists(launcher.path(config))


def test_a_broken_file_with_ours_is_told_though_the_record_is_lost(config: Config, home: Path) -> None:
    install(config, {}, Wanted(("claude-code",)))
    settings = home / ".claude" / "settings.json"
    settings.write_text(settings.read_text() + "}")
    os.unlink(Record(config).path)
    (problem,) = uninstall(config, {}, Wanted()).problems
    assert problem.path == str(settings)


def test_lines_of_ours_go_out_of_a_configuration_that_cannot_be_read(config: Config, home: Path) -> None:
    (home / ".codex").mkdir()
    path = home / ".codex" / "config.toml"
    path.write_bytes(b'model = "x"\n')
    install(config, {}, Wanted(("codex",)))
    path.write_bytes(path.read_bytes() + b"caf\xe9 = \n")
    assert uninstall(config, {}, Wanted()).problems == ()
    assert path.read_bytes() == b'model = "x"\ncaf\xe9 = \n'


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("place", ["{home}/cc", "../cc"])
def test_a_folder_that_a_variable_named_then(
    config: Config, home: Path, monkeypatch: pytest.MonkeyPatch, place: str, *, edited: bool
) -> None:
    (home / "cc").mkdir()
    (home / "work").mkdir()
    settings = home / "cc" / "settings.json"
    settings.write_text("{}\n")
    before = tree(home)
    monkeypatch.chdir(home / "work")
    install(config, {"CLAUDE_CONFIG_DIR": place.format(home=home)}, Wanted(("claude-code",)))
    assert "hooks" in settings.read_text()
    if edited:
        settings.write_text(settings.read_text().replace("{", '{"model": "x",', 1))
    monkeypatch.chdir(home)
    assert uninstall(config, {}, Wanted()).problems == ()
    if edited:
        assert json.loads(settings.read_text()) == {"model": "x"}
        settings.write_text("{}\n")
    assert tree(home) == before


def test_the_folder_of_the_skill_goes_though_the_record_is_lost(config: Config, home: Path) -> None:
    install(config, {}, Wanted(("claude-code",)))
    os.unlink(Record(config).path)
    assert uninstall(config, {}, Wanted()).problems == ()
    assert os.listdir(home / ".claude" / "skills") == []


def test_other_names_of_a_file_are_told(config: Config, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / "dotfile").write_text("{}")
    os.link(home / "dotfile", home / ".claude" / "settings.json")
    report = install(config, {}, Wanted(("claude-code",)))
    assert any(remark.startswith("~/.claude/settings.json is a hard link") for remark in report.remarks)
    assert (home / "dotfile").read_text() == "{}"


def test_the_link_on_path_outlives_the_launcher(config: Config, tmp_path: Path) -> None:
    python = tmp_path / "a b" / "python"
    assert launcher.linking(config, str(python)).endswith(f"{launcher.path(config)} ~/.local/bin/lib")
    python.parent.mkdir()
    (python.parent / "lib").write_text("#!/bin/sh\n")
    (python.parent / "lib").chmod(0o755)
    assert launcher.linking(config, str(python)) == f"mkdir -p ~/.local/bin && ln -sf '{tmp_path}/a b/lib' ~/.local/bin/lib"
