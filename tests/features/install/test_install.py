from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.errors import UsageError
from libtool.features.install import launcher, work
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.table import AGENTS
from libtool.features.install.work import Wanted, install, uninstall
from tests.features.install.samples import BROKEN, BROKEN_TOML, JSON, TOML, places, tree

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.features.install.part import Agent, Place

FILES = [pytest.param(agent, place, id=f"{agent.name}-{os.path.basename(place.user)}") for agent, place in places()]
SHARED_FILES = [param for param, (_, place) in zip(FILES, places(), strict=True) if not place.part.is_whole]


@pytest.fixture
def config(home: Path) -> Config:
    return load({}, str(home))


def samples(place: Place) -> dict[str, bytes]:
    return JSON if isinstance(place.part, JsonHooks) else TOML


def put(config: Config, agent: Agent, place: Place, content: bytes) -> Path:
    path = Path(agent.folder(config.home, {})) / place.user
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(("agent", "place"), FILES)
def test_a_file_that_was_not_there_goes_again(config: Config, home: Path, agent: Agent, place: Place) -> None:
    os.makedirs(agent.folder(config.home, {}))
    before = tree(home)
    report = install(config, {}, Wanted())
    path = os.path.join(agent.folder(config.home, {}), place.user)
    assert (report.agents, report.problems) == ((agent.name,), ())
    assert path in [done.path for done in report.changes]
    assert b"bin/lib" in Path(path).read_bytes()
    assert place.part.holds(Path(path).read_bytes(), launcher.path(config))
    assert install(config, {}, Wanted()).changes == ()
    assert uninstall(config, {}, Wanted()).problems == ()
    assert tree(home) == before
    assert not os.path.exists(launcher.path(config))


@pytest.mark.parametrize("shape", sorted(JSON.keys() | TOML.keys()))
@pytest.mark.parametrize(("agent", "place"), SHARED_FILES)
def test_settings_are_restored_byte_for_byte(config: Config, home: Path, agent: Agent, place: Place, shape: str) -> None:
    content = samples(place).get(shape)
    if content is None:
        pytest.skip("a shape of the other format")
    path = put(config, agent, place, content)
    before = tree(home)
    planned = install(config, {}, Wanted((agent.name,)), dry_run=True)
    assert tree(home) == before
    report = install(config, {}, Wanted((agent.name,)))
    assert report.problems == ()
    assert report == planned._replace(remarks=report.remarks)
    assert place.part.holds(path.read_bytes(), launcher.path(config))
    assert install(config, {}, Wanted((agent.name,))).changes == ()
    # What was there is there still, but for what is ours.
    taken = place.part.take(path.read_bytes())
    if shape not in ("twice", "trailing commas") and "empty" not in shape and b'"version"' not in (taken or b""):
        assert (taken or b"").split() == content.split()
    assert uninstall(config, {}, Wanted((agent.name,))).problems == ()
    assert tree(home) == before


@pytest.mark.parametrize("shape", sorted(BROKEN.keys() | BROKEN_TOML.keys()))
@pytest.mark.parametrize(("agent", "place"), SHARED_FILES)
def test_settings_that_do_not_parse_are_left_alone(config: Config, agent: Agent, place: Place, shape: str) -> None:
    known = BROKEN if isinstance(place.part, JsonHooks) else BROKEN_TOML
    if shape not in known:
        pytest.skip("a shape of the other format")
    content, message = known[shape]
    path = put(config, agent, place, content)
    problems = [one for one in install(config, {}, Wanted((agent.name,))).problems if one.path == str(path)]
    assert [one.message for one in problems] == [message]
    assert all(one.agent == agent.name and "\n" not in one.hint for one in problems)
    # lib never put anything in it: whoever wants to be rid of lib has no need to mend it.
    assert uninstall(config, {}, Wanted((agent.name,))).problems == ()
    assert path.read_bytes() == content


@pytest.mark.parametrize(("agent", "place"), SHARED_FILES)
def test_another_edit_since_stays(config: Config, agent: Agent, place: Place) -> None:
    is_json = isinstance(place.part, JsonHooks)
    path = put(config, agent, place, b'{\n  "a": 1\n}\n' if is_json else b"a = 1\n")
    install(config, {}, Wanted((agent.name,)))
    text = path.read_text()
    path.write_text(text.replace('"a": 1', '"a": 2, "b": [3]') if is_json else text + "b = 3\n")
    assert install(config, {}, Wanted((agent.name,))).changes == ()
    assert uninstall(config, {}, Wanted((agent.name,))).problems == ()
    assert path.read_text() == ('{\n  "a": 2, "b": [3]\n}\n' if is_json else "a = 1\nb = 3\n")


@pytest.mark.parametrize(("agent", "place"), SHARED_FILES)
def test_a_read_only_file_is_left_alone(config: Config, agent: Agent, place: Place) -> None:
    path = put(config, agent, place, b"{}" if isinstance(place.part, JsonHooks) else b"")
    content = path.read_bytes()
    path.chmod(0o400)
    (problem,) = [one for one in install(config, {}, Wanted((agent.name,))).problems if one.path == str(path)]
    assert problem.message == "it is read-only"
    assert path.read_bytes() == content
    path.chmod(0o640)
    install(config, {}, Wanted((agent.name,)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o400)
    (problem,) = uninstall(config, {}, Wanted((agent.name,))).problems
    assert problem.message == "it is read-only"
    path.chmod(0o640)
    uninstall(config, {}, Wanted((agent.name,)))
    assert path.read_bytes() == content


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(("agent", "place"), FILES)
def test_a_link_stays_one(config: Config, home: Path, agent: Agent, place: Place, there: bool) -> None:
    if there and place.part.is_whole:
        pytest.skip("what is there is not ours")
    target = home / "dotfiles" / "one"
    target.parent.mkdir()
    path = put(config, agent, place, b"")
    path.unlink()
    path.symlink_to(target)
    if there:
        target.write_bytes(b"")
    before = tree(home)
    assert install(config, {}, Wanted((agent.name,))).problems == ()
    assert path.is_symlink()
    assert place.part.holds(target.read_bytes(), launcher.path(config))
    uninstall(config, {}, Wanted((agent.name,)))
    assert path.is_symlink()
    assert tree(home) == before


def test_every_agent_at_once(config: Config, home: Path) -> None:
    for agent in AGENTS.values():
        os.makedirs(agent.folder(config.home, {}))
    before = tree(home)
    report = install(config, {}, Wanted())
    assert report.agents == tuple(AGENTS)
    skills = [name for name in tree(home) if name.endswith("SKILL.md")]
    assert skills == [".agents/skills/session-library/SKILL.md", ".claude/skills/session-library/SKILL.md"]
    uninstall(config, {}, Wanted(("codex", "claude-code")))
    left = tree(home)
    assert [name for name in left if name.endswith("SKILL.md")] == skills[:1]
    assert ".codex/hooks.json" not in left
    assert ".gemini/settings.json" in left
    assert os.path.exists(launcher.path(config))
    uninstall(config, {}, Wanted())
    assert tree(home) == before
    assert uninstall(config, {}, Wanted()).changes == ()


def test_opencode_finds_the_skill_of_claude_code(config: Config, home: Path) -> None:
    for name in ("opencode", "claude-code"):
        os.makedirs(AGENTS[name].folder(config.home, {}))
    before = tree(home)
    install(config, {}, Wanted())
    skill = ".claude/skills/session-library/SKILL.md"
    assert [name for name in tree(home) if name.endswith("SKILL.md")] == [skill]
    assert [name for name in tree(home) if name.startswith(".agents")] == []
    uninstall(config, {}, Wanted(("claude-code",)))
    assert skill in tree(home)
    install(config, {}, Wanted(("opencode",)))
    assert [name for name in tree(home) if name.endswith("SKILL.md")] == [skill]
    uninstall(config, {}, Wanted(("opencode",)))
    assert tree(home) == before


def test_an_unknown_agent(config: Config) -> None:
    with pytest.raises(UsageError, match="no agent that lib knows: emacs") as caught:
        install(config, {}, Wanted(("emacs",)))
    assert caught.value.hint.startswith("one of claude-code, codex, ")


def test_nothing_is_installed_where_no_agent_is(config: Config, home: Path) -> None:
    report = install(config, {}, Wanted())
    assert report == work.Report((), (), (), ())
    assert list(home.iterdir()) == []


def test_an_older_version_of_ours_is_brought_up_to_date(config: Config, home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    old = {
        "hooks": {
            "Stop": [GROUP, {"hooks": [{"type": "command", "command": "/old/venv/bin/lib hook claude-code Stop"}]}],
            "PostToolUse": [{"hooks": [{"type": "command", "command": "lib hook claude-code PostToolUse"}, *GROUP["hooks"]]}],
        }
    }
    path.write_text(json.dumps(old))
    install(config, {}, Wanted())
    text = path.read_text()
    assert "/old/venv" not in text
    assert "PostToolUse" in text
    assert text.count("notify-send") == 2
    uninstall(config, {}, Wanted())
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [GROUP], "PostToolUse": [GROUP]}}


GROUP = {"hooks": [{"type": "command", "command": "notify-send done"}]}


def test_the_record_may_be_lost(config: Config, home: Path) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "large"\n}\n')
    (home / ".pi" / "agent").mkdir(parents=True)
    before = tree(home)
    install(config, {}, Wanted())
    os.unlink(os.path.join(config.data_dir, "install.json"))
    uninstall(config, {}, Wanted())
    assert {name: text for name, text in tree(home).items() if text is not None} == {n: t for n, t in before.items() if t is not None}
    # And found again by the next install.
    install(config, {}, Wanted())
    os.unlink(os.path.join(config.data_dir, "install.json"))
    assert install(config, {}, Wanted()).changes == ()
    uninstall(config, {}, Wanted())
    assert path.read_text() == '{\n  "model": "large"\n}\n'


def test_a_plugin_that_was_changed_is_kept_aside(config: Config, home: Path) -> None:
    (home / ".pi" / "agent").mkdir(parents=True)
    install(config, {}, Wanted())
    plugin = home / ".pi" / "agent" / "extensions" / "lib.ts"
    plugin.write_text(plugin.read_text() + "// mine\n")
    (problem,) = install(config, {}, Wanted()).problems
    assert (problem.path, problem.message) == (str(plugin), "it was changed since lib put it there")
    report = uninstall(config, {}, Wanted())
    assert [done.note for done in report.changes if done.path == str(plugin)] == [
        "you have changed it: it is kept as ~/.pi/agent/extensions/lib.ts.edited"
    ]
    assert not plugin.exists()
    assert plugin.with_name("lib.ts.edited").read_text().endswith("// mine\n")


def test_somebody_elses_file_is_left_alone(config: Config, home: Path) -> None:
    plugin = home / ".config" / "opencode" / "plugins" / "lib.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = {};\n")
    skill = home / ".agents" / "skills" / "session-library" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: other\n---\n")
    before = tree(home)
    problems = install(config, {}, Wanted()).problems
    assert [problem.message for problem in problems] == [
        "it is there, and lib did not put it there",
        "another skill of this name is there",
    ]
    uninstall(config, {}, Wanted())
    assert tree(home) == before
