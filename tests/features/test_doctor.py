from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.features import doctor
from libtool.features.doctor import examine, mend
from libtool.features.install import launcher, work
from libtool.features.install.table import AGENTS
from libtool.features.install.work import Wanted

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from libtool.features.doctor import Finding


@pytest.fixture
def config(home: Path) -> Config:
    return load({}, str(home))


def of(found: list[Finding], what: str) -> list[Finding]:
    return [one for one in found if one.what == what]


@pytest.mark.parametrize("name", AGENTS)
def test_hooks_of_every_agent_are_called_and_work(config: Config, name: str) -> None:
    work.install(config, {}, Wanted((name,)))
    (found,) = of(examine(config, {}), name)
    assert found.ok, found.text
    assert "called and work" in found.text


def test_hooks_that_do_not_work(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    work.install(config, {}, Wanted(("gemini-cli",)))
    script = launcher.path(config)
    for text, said in (
        ("echo hello", "its hook SessionStart printed what the agent must not get"),
        ("exec sleep 30", "its hook SessionStart did not end within 0 s"),
        ("exit 2", "its hook SessionStart ended with 2"),
        ("exit 0", "its hook AfterAgent was called, but its event did not arrive"),
    ):
        monkeypatch.setattr("libtool.features.doctor_hooks.ARRIVE_SECONDS", 0.1)
        monkeypatch.setattr("libtool.features.doctor_hooks.CALL_SECONDS", 0.4)
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        found = examine(config, {})
        (one,) = of(found, "gemini-cli")
        assert (one.ok, one.text, one.mend) == (False, said, "lib install gemini-cli")
        assert of(found, "launcher")[0].mend == "lib install gemini-cli"
    os.unlink(script)
    work.install(config, {}, Wanted(("pi",)))
    os.unlink(script)
    found = examine(config, {})
    assert of(found, "pi")[0].text == "its hook agent_end cannot be started: No such file or directory"


def test_a_path_that_a_login_shell_sets_anew(config: Config, home: Path) -> None:
    place = home / "venv" / "bin"
    place.mkdir(parents=True)
    (place / "lib").write_text("#!/bin/sh\n")
    (place / "lib").chmod(0o755)
    environ = {"PATH": f"{place}{os.pathsep}{os.defpath}", "HOME": str(home), "SHELL": "/bin/sh"}
    profile = home / ".profile"
    profile.write_text(f"PATH={os.defpath}\n")
    # Nobody but Codex minds.
    assert [found.ok for found in of(examine(config, environ), "lib")] == [True]
    (home / ".codex").mkdir()
    good, bad = of(examine(config, environ), "lib")
    assert (good.ok, bad.ok) == (True, False)
    assert "login shell" in bad.text
    assert bad.mend.startswith("mkdir -p ~/.local/bin && ln -sf ")
    profile.write_text(f"PATH={place}:{os.defpath}\n")
    assert [found.ok for found in of(examine(config, environ), "lib")] == [True]
    profile.write_text("sleep 60\n")
    assert [found.ok for found in of(examine(config, environ | {"SHELL": str(home / "none")}), "lib")] == [True]


def test_a_login_shell_that_does_not_end(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".profile").write_text("sleep 60\n")
    monkeypatch.setattr(launcher, "SHELL_SECONDS", 0.1)
    assert launcher.is_in_login_shell({"PATH": os.defpath, "HOME": str(home)})


def test_a_project(config: Config, home: Path) -> None:
    project = home / "work"
    project.mkdir()
    work.install(config, {}, Wanted(("claude-code",), str(project)))
    assert (project / ".claude" / "settings.local.json").exists()
    assert (project / ".claude" / "skills" / "session-library" / "SKILL.md").exists()
    (found,) = of(examine(config, {}), "claude-code in ~/work")
    assert found.ok
    (project / ".claude" / "settings.local.json").write_text("{,}")
    (found,) = of(examine(config, {}), "claude-code in ~/work")
    assert (found.ok, found.mend) == (False, f"cd {project} && lib install claude-code --project")
    assert "run the command again" in found.text
    # That is for whoever goes there.
    assert mend(config, {}, [found]) == []
    (project / ".claude" / "settings.local.json").write_text("{}")
    work.uninstall(config, {}, Wanted((), str(project)))
    assert list(project.rglob("*")) == [project / ".claude", project / ".claude" / "settings.local.json"]
    work.install(config, {}, Wanted(("claude-code",), str(project)))
    shutil.rmtree(project)
    assert of(examine(config, {}), "claude-code in ~/work") == []


def test_hooks_that_are_turned_off(config: Config, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    work.install(config, {}, Wanted())
    found = of(examine(config, {}), "claude-code")[-1]
    assert (found.ok, found.text) == (False, "`disableAllHooks` in ~/.claude/settings.json turns all hooks off")


def test_a_library_without_git(config: Config, home: Path) -> None:
    (home / "library" / "entries").mkdir(parents=True)
    environ = {"PATH": str(home)}
    (found,) = of(examine(config, environ), "library")
    assert (found.ok, found.text) == (False, "git is not on PATH")
    (found,) = of(examine(config, {"PATH": os.defpath}), "library")
    assert (found.ok, found.text, found.mend) == (False, "~/library is no git repository", "lib init")


def test_a_library_that_git_cannot_use(config: Config, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "library" / "entries").mkdir(parents=True)
    git_dir = home / "library" / ".git"
    environ = {"PATH": os.defpath, "HOME": str(home)}
    # Nor is what lies where doctor is run taken for the library's hooks.
    monkeypatch.chdir(home)
    subprocess.run(["git", "init", "-q", home / "library"], env=environ, check=True)
    (git_dir / "config").write_text("[broken\n")
    (found,) = of(examine(config, environ), "library")
    assert (found.ok, found.text, found.mend) == (False, "git cannot use ~/library", f"git -C {home}/library status")
    shutil.rmtree(git_dir)
    git_dir.symlink_to("/proc/self/mem")
    (found,) = of(examine(config, environ), "library")
    assert (found.ok, found.text, found.mend) == (False, "~/library is no git repository", "lib init")


def test_a_store_that_cannot_be_read(config: Config) -> None:
    os.makedirs(config.data_dir)
    with open(config.store_db, "wb") as file:
        file.write(b"no database" * 100)
    (found,) = of(examine(config, {}), "store")
    assert (found.ok, found.mend) == (False, "lib index")
    assert "not a database" in found.text


def test_settings_that_cannot_be_read_turn_nothing_off(config: Config, home: Path) -> None:
    project = home / "work"
    project.mkdir()
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{,}")
    work.install(config, {}, Wanted(("claude-code",), str(project)))
    (found,) = of(examine(config, {}), "claude-code in ~/work")
    assert found.ok, found.text


def test_a_mend_that_fails_says_why(config: Config, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{")
    bad = doctor.Finding("x", ok=False, text="", mend="lib install claude-code")
    ((command, failed),) = mend(config, {}, [bad, bad, bad._replace(mend="lib sync"), bad._replace(ok=True, mend="lib index")])
    assert (command, failed) == ("lib install claude-code", "~/.claude/settings.json: line 1: it ends too soon")
    ((command, failed),) = mend(config, {}, [bad._replace(mend="chmod 600 key")])
    assert failed.endswith("key: No such file or directory")
