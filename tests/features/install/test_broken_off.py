"""`lib install` killed, raced and taken back: what was there is whole again, and nothing of the person's is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.errors import LibError
from libtool.features.install import launcher, record, templates
from libtool.features.install.work import Wanted, install, uninstall
from tests.features.install.samples import tree

if TYPE_CHECKING:
    from libtool.config import Config

SETTINGS = b'{\n  // mine\n  "hooks": {},\n  "model": "large"\n}\n'
KILLED = """
import os, signal, sys
from libtool.config import load
from libtool.features.install import work
home, act, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
real = os.replace
def replace(*names):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(*names)
os.replace = replace
getattr(work, act)(load({}, home), {}, work.Wanted(("claude-code", "pi")))
"""


@pytest.fixture
def config(home: Path) -> Config:
    return load({}, str(home))


def put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def killed(home: Path, act: str, after: int) -> bool:
    """Whether `act` was killed, at the moment when a file was to be put in place once more than `after` times."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(home), act, str(after)], check=False, timeout=60)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


@pytest.mark.parametrize("after", [1, 2, 4])
def test_what_a_killed_run_left_is_made_whole(config: Config, home: Path, after: int) -> None:
    put(home / ".claude" / "settings.json", SETTINGS)
    before = tree(home)
    assert killed(home, "install", after)
    uninstall(config, {}, Wanted())
    assert tree(home) == before
    assert killed(home, "install", after)
    assert install(config, {}, Wanted(("claude-code", "pi"))).problems == ()
    assert killed(home, "uninstall", after % 3)
    assert uninstall(config, {}, Wanted()).problems == ()
    assert tree(home) == before


def test_an_upgrade_that_was_killed_is_gone_on_with(config: Config, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / ".claude" / "settings.json", SETTINGS)
    before = tree(home)
    with monkeypatch.context() as patched:
        skill, text = templates.skill(), templates.text
        patched.setattr(templates, "skill", lambda: skill + "An older one.\n")
        patched.setattr(templates, "text", lambda name: text(name).replace("5", "4"))
        install(config, {}, Wanted(("claude-code", "pi")))
    for after in (1, 3, 3):
        assert killed(home, "install", after)
    assert install(config, {}, Wanted(("claude-code", "pi"))).problems == ()
    uninstall(config, {}, Wanted())
    assert tree(home) == before


def test_three_installs_at_once(config: Config, home: Path) -> None:
    (home / ".claude").mkdir()
    before = tree(home)
    script = "import sys; from libtool.config import load; from libtool.features.install import work\n"
    script += "work.install(load({}, sys.argv[1]), {}, work.Wanted((sys.argv[2],)))"
    both = [subprocess.Popen([sys.executable, "-c", script, str(home), name]) for name in ("claude-code", "qwen-code", "gemini-cli")]
    assert [one.wait(60) for one in both] == [0, 0, 0]
    owners = {owner for _, known in record.Record(config).all() for owner in known.owners}
    assert owners == {"claude-code", "qwen-code", "gemini-cli"}
    uninstall(config, {}, Wanted())
    assert tree(home) == before


def test_two_agents_with_one_file_behind_a_link(config: Config, home: Path) -> None:
    put(home / ".gemini" / "settings.json", SETTINGS)
    (home / ".qwen").mkdir()
    (home / ".qwen" / "settings.json").symlink_to(home / ".gemini" / "settings.json")
    (home / ".claude").mkdir()
    (home / ".agents" / "skills").mkdir(parents=True)
    (home / ".claude" / "skills").symlink_to(home / ".agents" / "skills")
    before = tree(home)
    assert install(config, {}, Wanted()).problems == ()
    text = (home / ".gemini" / "settings.json").read_text()
    assert "hook gemini-cli SessionStart" in text
    assert "hook qwen-code SessionStart" in text
    assert install(config, {}, Wanted()).changes == ()
    assert uninstall(config, {}, Wanted()).problems == ()
    assert tree(home) == before


def test_folders_behind_a_dangling_link_go_again(config: Config, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(home / "one")
    (home / "one").symlink_to(home / "dotfiles" / "claude" / "settings.json")
    before = tree(home)
    install(config, {}, Wanted())
    assert (home / "dotfiles" / "claude" / "settings.json").is_file()
    uninstall(config, {}, Wanted())
    assert tree(home) == before


@pytest.mark.parametrize(
    "hooks", ['"hooks": {}', '"hooks": {"Stop": []}', '"hooks": { "Stop": [], "Other": [] }', '"version": 1', '"version": 1, "hooks": {}']
)
def test_what_was_empty_is_kept_in_a_file_that_was_edited(config: Config, home: Path, hooks: str) -> None:
    path = put(home / ".claude" / "settings.json", f'{{\n  {hooks},\n  "model": "small"\n}}\n'.encode())
    install(config, {}, Wanted())
    path.write_text(path.read_text().replace("small", "large"))
    uninstall(config, {}, Wanted())
    assert path.read_text() == f'{{\n  {hooks},\n  "model": "large"\n}}\n'


def test_a_version_that_was_there_is_kept(config: Config, home: Path) -> None:
    path = put(home / ".cursor" / "hooks.json", b'{"version": 1}\n')
    install(config, {}, Wanted())
    assert path.read_text().count("version") == 1
    path.write_text(path.read_text() + "\n")
    uninstall(config, {}, Wanted())
    assert path.read_text() == '{"version": 1}\n\n'


def test_a_file_that_was_not_there_goes_though_it_was_edited(config: Config, home: Path) -> None:
    path = put(home / ".cursor" / "x", b"").with_name("hooks.json")
    install(config, {}, Wanted())
    path.write_text(path.read_text() + "\n")
    uninstall(config, {}, Wanted())
    assert not path.exists()


def test_what_was_set_aside_before_is_not_overwritten(config: Config, home: Path) -> None:
    (home / ".pi" / "agent").mkdir(parents=True)
    plugin = home / ".pi" / "agent" / "extensions" / "lib.ts"
    for text in ("// first\n", "// second\n"):
        install(config, {}, Wanted())
        plugin.write_text(plugin.read_text() + text)
        uninstall(config, {}, Wanted())
    kept = sorted(path.read_text().splitlines()[-1] for path in plugin.parent.iterdir())
    assert kept == ["// first", "// second"]


def test_an_edited_skill_is_kept_though_the_record_is_lost(config: Config, home: Path) -> None:
    (home / ".pi" / "agent").mkdir(parents=True)
    skill = home / ".agents" / "skills" / "session-library" / "SKILL.md"
    for act in (install, uninstall):
        install(config, {}, Wanted())
        skill.write_text(skill.read_text() + f"{act.__name__}\n")
        os.unlink(os.path.join(config.data_dir, record.NAME))
        assert act(config, {}, Wanted()).problems == ()
    kept = sorted(path.read_text().splitlines()[-1] for path in skill.parent.iterdir() if path != skill)
    assert kept == ["install", "uninstall"]
    assert not skill.exists()


def test_other_programs_in_the_folder_of_the_launcher_stay(home: Path) -> None:
    other = put(home / ".local" / "bin" / "other", b"#!/bin/sh\n")
    config = load({"LIB_DATA_DIR": str(home / ".local")}, str(home))
    (home / ".cursor").mkdir()
    install(config, {}, Wanted())
    uninstall(config, {}, Wanted())
    assert list(other.parent.iterdir()) == [other]


def test_another_lib_is_not_overwritten_by_the_launcher(home: Path) -> None:
    config = load({"LIB_DATA_DIR": str(home / ".local")}, str(home))
    program = put(home / ".local" / "bin" / "lib", b"#!/usr/bin/python3\nfrom libtool.cli.main import program\n")
    (home / ".cursor").mkdir()
    with pytest.raises(LibError, match="lib did not put it there"):
        install(config, {}, Wanted())
    uninstall(config, {}, Wanted())
    assert program.exists()


@pytest.mark.parametrize(
    "content", [b"[]", b'{"files": [], "folders": []}', b'{"files": {"a": 1}, "folders": []}', b"[" * 100_000, b"\xff"]
)
def test_a_damaged_record_says_nothing(config: Config, content: bytes) -> None:
    put(Path(config.data_dir) / record.NAME, content)
    assert list(record.Record(config).all()) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".claude/settings.json", b'{"a": ' + b"1" * 5000 + b"}"),
        (".claude/settings.json", b'{"hooks": {/* see // here\n and there */}}'),
        (".claude/settings.json", b'{"hooks": {"Stop": [ /* a // b\n */ ]}, /* http://x */ "a": 1}'),
        (".codex/config.toml", b"a = nan\nb = [inf, {c = -nan}]\n"),
    ],
)
def test_odd_settings_that_agents_can_read(config: Config, home: Path, name: str, content: bytes) -> None:
    path = put(home / name, content)
    assert install(config, {}, Wanted()).problems == ()
    assert install(config, {}, Wanted()).changes == ()
    assert launcher.path(config).encode() in path.read_bytes()
    path.write_bytes(path.read_bytes() + b"\n")
    uninstall(config, {}, Wanted())
    # A container that was empty may have got lines of its own.
    assert path.read_bytes().split() == content.replace(b"*/}", b"*/ }").split()


@pytest.mark.parametrize("content", [b"a = " + b"1" * 5000, b"a = " + b"[" * 5000, b"a = 2024-13-45"])
def test_odd_configurations_that_cannot_be_read(config: Config, home: Path, content: bytes) -> None:
    path = put(home / ".codex" / "config.toml", content)
    assert uninstall(config, {}, Wanted()).problems == ()
    (problem,) = [one for one in install(config, {}, Wanted()).problems if one.path == str(path)]
    assert problem.message.startswith("no TOML: ")
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["two words", "it's", 'a "quote"', "$HOME `x` \\", "ключ"])
def test_odd_homes(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    for folder in (".claude", ".codex", ".pi/agent"):
        (home / folder).mkdir(parents=True)
    config = load({}, str(home))
    assert install(config, {}, Wanted()).problems == ()
    assert install(config, {}, Wanted()).changes == ()
    os.unlink(os.path.join(config.data_dir, record.NAME))
    uninstall(config, {}, Wanted())
    assert [path for path, text in tree(home).items() if text is not None] == []


def test_a_home_whose_name_settings_cannot_hold(tmp_path: Path) -> None:
    home = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.makedirs(os.path.join(home, ".codex"))
    with pytest.raises(LibError, match="not UTF-8"):
        install(load({}, home), {}, Wanted())
