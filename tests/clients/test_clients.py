"""Real clients from the npm registry, each in a home of its own and a network of loopback alone, against the scripted model server.

`pytest -m clients` fetches them, or takes them from below LIB_CLIENTS, a folder for them to be kept in.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.clients import stub
from tests.clients.clients import CLIENTS, PORT, Client

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.clients

KEPT = os.environ.get("LIB_CLIENTS", "")  # noqa: TID251 - read before the home of the tests takes its place
LOOPBACK_ONLY = (
    "unshare",
    "--net",
    *(() if os.geteuid() == 0 else ("--map-root-user",)),
    "sh",
    "-c",
    'ip link set lo up && exec "$@"',
    "sh",
)
RUN_SECONDS, FETCH_SECONDS, CAPTURE_SECONDS = 150, 300, 30
RECORDER = """#!/bin/sh
printf '%s\\n' "$3" >>"$(dirname "$0")/calls"
exec "$0.real" "$@"
"""
"""Stands for lib's launcher while a client runs: notes the event, then calls it."""


def fetched(client: Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of the client's program; the test is skipped where it cannot be had."""
    top = KEPT or str(tmp_path_factory.getbasetemp() / "clients")
    folder = os.path.join(top, client.program)
    programs = os.path.join(folder, "node_modules", ".bin")
    if not os.path.exists(os.path.join(programs, client.program)):
        os.makedirs(folder, exist_ok=True)
        words = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--cache", os.path.join(top, "cache"), client.package]
        try:
            subprocess.run(words, check=True, capture_output=True, timeout=FETCH_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"{client.package} cannot be fetched: {type(error).__name__}")
    return programs


def needs_loopback_only() -> None:
    try:
        subprocess.run([*LOOPBACK_ONLY, "true"], check=True, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("no network namespace to be had")


class Person:
    """A home with one client in it, a project, and lib."""

    def __init__(self, home: Path, client: Client, programs: str) -> None:
        self.home, self.client = home, client
        self.project = home / "work" / "relay"
        self.project.mkdir(parents=True)
        found = {os.path.dirname(os.path.realpath(shutil.which(name) or "/bin/sh")) for name in ("node", "git", "sh")}
        self.environ = {
            "HOME": str(home),
            "PATH": os.pathsep.join((programs, *sorted(found), "/usr/bin", "/bin")),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            **client.environ,
        }
        for name, text in client.settings.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self._ran("git", "init", "--quiet", "-b", "main")
        self._ran("git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--allow-empty", "-m", "Begin")

    def _ran(self, *words: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """In the project, with an environment of nothing but ours."""
        # stderr goes along: it is what tells why a client failed.
        done = subprocess.run(words, cwd=self.project, env=self.environ, capture_output=True, text=True, timeout=seconds, check=False)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done

    def lib(self, *words: str) -> Any:
        program = "from libtool.cli.main import program; program()"
        return json.loads(self._ran(sys.executable, "-c", program, *words, "--json").stdout)

    def settings(self) -> dict[str, str]:
        """The client's settings files as they are now."""
        return {name: (self.home / name).read_text() for name in self.client.settings}

    def run(self) -> list[dict[str, Any]]:
        """One run of the client; what the model was asked."""
        records = str(self.home / "requests.jsonl")
        serve = (sys.executable, stub.__file__, records, str(PORT))
        self._ran(*LOOPBACK_ONLY, *serve, self.client.program, *self.client.words, seconds=RUN_SECONDS)
        with open(records, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def captured(self, query: str) -> dict[str, Any]:
        """The first hit of a search, once the process that nobody waits for has done its work. Nothing but that indexes here."""
        program = "from libtool.cli.main import program; program()"
        words = (sys.executable, "-c", program, "search", query, "--sessions", "--include", "all", "--json")
        deadline = time.monotonic() + CAPTURE_SECONDS
        while True:
            done = subprocess.run(words, cwd=self.project, env=self.environ, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                hit: dict[str, Any] = json.loads(done.stdout)["hits"][0]
                return hit
            assert time.monotonic() < deadline, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
            time.sleep(0.5)


def recorded(launcher: Path) -> None:
    os.rename(launcher, f"{launcher}.real")
    launcher.write_text(RECORDER)
    launcher.chmod(0o755)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_session_of_a_real_client_is_found_later(name: str, home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    client = CLIENTS[name]
    needs_loopback_only()
    person = Person(home, client, fetched(client, tmp_path_factory))
    person.lib("init", "--machine", "desk")
    report = person.lib("install", client.agent)
    assert not report["problems"]
    launcher = next(home.glob(".local/share/lib*/**/bin/lib"))
    recorded(launcher)
    installed = person.settings()

    requests = person.run()
    asked = [request for request in requests if stub.PROMPT in json.dumps(request["body"])]
    assert any("session-library" in json.dumps(request["body"]) for request in asked), "the skill is not listed to the model"

    hit = person.captured("relay queue limit")
    assert (hit["agent"], hit["class"], hit["machine"]) == (client.agent, "work", "desk")
    calls = set((launcher.parent / "calls").read_text().split())
    assert calls >= client.calls
    log = launcher.parents[1] / "logs" / "hooks.log"
    assert not log.exists(), log.read_text()
    turn = person.lib("show", hit["ref"])
    digest = person.lib("show", f"digest:{client.agent}:{hit['session']}")
    for shown in (turn, digest):
        assert stub.FACT in json.dumps(shown), shown
    assert stub.COMMAND in json.dumps(turn)

    os.replace(f"{launcher}.real", launcher)
    left = person.settings()
    person.lib("install", "--uninstall")
    for path, text in person.settings().items():
        if left[path] == installed[path]:
            assert text == client.settings[path]
        else:
            # The client itself has written into its settings: only lib's part goes.
            assert json.loads(text) == {key: value for key, value in json.loads(left[path]).items() if key != "hooks"}
    assert not list(home.glob(".*/**/session-library"))
