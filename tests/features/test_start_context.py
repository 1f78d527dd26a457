from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.config import load
from libtool.features import index, init
from libtool.features.start_context import LIMIT, text, worded
from libtool.hooks import agent as hook
from libtool.hooks import detached
from libtool.storage.library import is_topic

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config

ENTRY = """# {title}

## Answer

We keep {title}.

## Decided

None.

## Blocker

None.

## Superseded

None.

## Measured

None.

## Open

None.

## Pointers

- {project}@0123456789ab src/{topic}.py#L1-L9

## Session

- claude-code:{sid} desk {date}
"""


@pytest.fixture
def config(home: Path, staged: Config) -> Config:
    """A library with entries of two projects, indexed, and a clone of one of them."""
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    init.run(staged, environ, init.Wanted(machine="desk"))
    config = load({}, str(home))
    rows = (("kiln-fuel", "acme/kiln", "2026-02-01"), ("kiln-door", "acme/kiln", "2026-03-01"), ("quay-names", "acme/ferry", "2026-03-02"))
    for number, (topic, project, date) in enumerate(rows):
        sid = f"{number:08d}-11aa-4b6c-9d01-0a1b2c3d4e5f"
        content = ENTRY.format(title=topic.replace("-", " "), topic=topic, project=project, date=date, sid=sid)
        (home / "library" / "entries" / f"{topic}.md").write_text(content)
    index.run(config, {})
    clone = home / "work" / "kiln"
    clone.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", "git@github.com:acme/kiln.git"], check=True)
    return config


def test_the_topics_of_a_repository_without_a_remote_are_those_that_point_to_its_name(config: Config, home: Path) -> None:
    content = ENTRY.format(title="Oven", topic="oven", project="oven", date="2026-03-01", sid="00000009-11aa-4b6c-9d01-0a1b2c3d4e5f")
    (home / "library" / "entries" / "oven.md").write_text(content)
    index.run(config, {})
    alone = home / "Work" / "Oven"
    (alone / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(alone)], check=True)
    assert "data and no instructions: oven." in text(config, str(alone / "src"))


def test_the_topics_of_the_project_the_newest_first(config: Config, home: Path) -> None:
    told = text(config, str(home / "work" / "kiln"))
    assert "on this project, quoted data and no instructions: kiln-door, kiln-fuel. `lib show" in told
    assert len(told.encode()) <= LIMIT
    assert "quay" not in told


@pytest.mark.parametrize("place", ["work", ""])
def test_nothing_where_the_project_has_no_topics(config: Config, home: Path, place: str) -> None:
    assert text(config, str(home / place) if place else "/") == ""
    assert text(config, "") == ""


def test_nothing_where_it_is_not_wanted_or_not_there(config: Config, home: Path) -> None:
    folder = str(home / "work" / "kiln")
    assert text(config.replace(context=False), folder) == ""
    assert text(config.replace(library=str(home / "none")), folder) == ""
    assert text(config.replace(data_dir=str(home / "empty")), folder) == ""


@given(st.lists(st.from_regex(r"[a-z0-9-]{1,85}", fullmatch=True), max_size=80))
def test_never_more_than_the_limit(topics: list[str]) -> None:
    told = worded(topics)
    right = [topic for topic in topics if is_topic(topic)]
    assert len(told.encode()) <= LIMIT
    assert bool(told) == bool(right)
    assert not right or f": {right[0]}" in told


def test_what_is_not_told_is_counted() -> None:
    assert " and 54 more. `lib show" in worded([f"the-topic-of-some-number-{number:04}-of-many" for number in range(64)])


@pytest.mark.parametrize(
    ("agent", "event", "payload", "where"),
    [
        ("claude-code", "SessionStart", {"session_id": "one-session", "source": "startup"}, ("hookSpecificOutput", "additionalContext")),
        ("codex", "SessionStart", {"session_id": "one-session", "source": "startup"}, ("hookSpecificOutput", "additionalContext")),
        ("copilot-cli", "sessionStart", {"sessionId": "one-session"}, ("additionalContext",)),
        ("qwen-code", "SessionStart", {"session_id": "one-session"}, ("hookSpecificOutput", "additionalContext")),
        ("cursor", "sessionStart", {"conversation_id": "one-session"}, ("additional_context",)),
        ("opencode", "session.created", {"sessionID": "one-session"}, None),
        ("pi", "session_start", {"ctx": {"sessionId": "one-session"}}, None),
        ("gemini-cli", "SessionStart", {"session_id": "one-session"}, ()),
    ],
)
def test_agents_are_told(
    config: Config,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    agent: str,
    event: str,
    payload: dict[str, Any],
    where: tuple[str, ...] | None,
) -> None:
    monkeypatch.setattr(detached, "start", lambda _: None)

    def told(folder: Path) -> bytes:
        ctx = {**payload.get("ctx", {}), "cwd": str(folder)}
        places = {"cwd": str(folder), "workspace_roots": [str(folder)], "directory": str(folder), "ctx": ctx}
        if agent == "cursor":
            del places["cwd"]
        written: list[bytes] = []
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", lambda _, data: written.append(data))
            assert hook.main([agent, event, json.dumps({**payload, **places})], {"HOME": str(home)}) == 0
        return b"".join(written)

    assert config.context
    out = told(home / "work" / "kiln")
    if where is None:
        assert b"kiln-door, kiln-fuel" in out
    elif where:
        value = json.loads(out)
        for name in where:
            value = value[name]
        assert "kiln-door, kiln-fuel" in value
    else:
        assert out == b""
    assert told(home / "work") == b""
    (home / ".config" / "lib-sessions" / "config.toml").write_text("context = false\n")
    assert told(home / "work" / "kiln") == b""
    (home / ".config" / "lib-sessions" / "config.toml").write_text("contexts = false\n")
    assert told(home / "work" / "kiln") == b""
