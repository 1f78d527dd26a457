"""Real clients from the npm registry, each in a home of its own and a network of loopback alone, against the scripted model server.

`pytest -m clients` fetches them, or takes them from below LIB_CLIENTS, a folder for them to be kept in.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from typing import TYPE_CHECKING, Any

import pytest

from libtool.features.install import templates
from tests.clients import fetch, stub
from tests.clients.clients import CLIENTS, PORT, Client
from tests.clients.conftest import NOT_RUN
from tests.clients.stub import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.clients

LOOPBACK_ONLY = ("unshare", "--net", *(() if os.geteuid() == 0 else ("--map-root-user",)))
RUN_SECONDS, FETCH_SECONDS, CAPTURE_SECONDS = 150, 180, 60
FACT = "queue limit at 512"
FIRST = Talk(
    "What is the queue limit of the relay to be?",
    "lib capture --review review.md --topic relay-queue",
    f"We decided to keep the relay's {FACT}, because at 1024 the backlog grew until the watchdog ended the process.",
)
REVIEW = """## Answer

The relay keeps its queue limit at 512.

## Decided

- The queue limit of the relay is 512.
"""
"""Lies in the project for the model to hand over."""
SECOND = Talk(
    "Did we settle the relay's limit already? Then choose the heartbeat.",
    'lib search "relay queue limit" --attempt 1',
    "That is settled. The heartbeat of the relay will be 20 seconds, because the load balancer drops idle connections after 30.",
)
HOME_FILES = {
    ".gitconfig": "[user]\n\tname = ada\n\temail = ada@example.org\n",
    # As Debian and Ubuntu put it there. Codex runs commands in a login shell, for which /etc/profile makes PATH anew.
    ".profile": 'PATH="$HOME/.local/bin:$PATH"\n',
}
RECORDER = """#!/bin/sh
printf '%s\\n' "$3" >>"$(dirname "$0")/calls"
exec "$(dirname "$0")/real/lib" "$@"
"""
"""Stands for lib's launcher while a client runs: notes the event, then calls it."""


@pytest.fixture(scope="module")
def clients(request: pytest.FixtureRequest) -> Iterator[tuple[str, dict[str, str]]]:
    """The folder of the clients that this run selected, and why some are not there. Before a home of the tests hides npm's settings."""
    selected = [item.callspec.params["name"] for item in request.session.items if hasattr(item, "callspec") and item.path == request.path]
    with contextlib.ExitStack() as stack:
        kept = os.environ.get("LIB_CLIENTS")  # noqa: TID251 - where the person keeps them
        top = os.path.abspath(kept) if kept else stack.enter_context(tempfile.TemporaryDirectory(prefix="lib-clients-"))
        _needs_loopback_only(top)
        packages = fetch.needed({CLIENTS[name].package for name in selected})
        yield top, fetch.fetch(packages, top, FETCH_SECONDS)


def _needs_loopback_only(top: str) -> None:
    """Does what a run does, for a program that does nothing."""
    words = [*LOOPBACK_ONLY, sys.executable, stub.__file__, os.path.join(top, "none"), str(PORT), json.dumps(FIRST), "true"]
    try:
        subprocess.run(words, check=True, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"{NOT_RUN}unshare does not start ({error.strerror})")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"{NOT_RUN}no network namespace is to be had: {error.stderr.strip().rpartition(chr(10))[2]}")


@pytest.fixture
def own_home(home: Path) -> Iterator[Path]:
    """The home, whose processes end with the test: one of lib's waits for minutes until a sync is due again."""
    yield home
    mark = f"HOME={home}\0".encode()
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
            if mark in file.read():
                os.kill(int(process), signal.SIGKILL)


class Person:
    """A home with one client in it, a project, and lib."""

    def __init__(self, home: Path, client: Client, programs: list[str]) -> None:
        self.home, self.client = home, client
        self.project = home / "work" / "relay"
        own = home / ".local" / "bin"
        for folder in (self.project, own, home / "tmp"):
            folder.mkdir(parents=True)
        (own / "lib").symlink_to(os.path.join(sysconfig.get_path("scripts"), "lib"))
        found = {os.path.dirname(os.path.realpath(shutil.which(name) or "/bin/sh")) for name in ("node", "git", "sh")}
        self.environ = {
            "HOME": str(home),
            "PATH": os.pathsep.join((str(own), *programs, *sorted(found), "/usr/bin", "/bin")),
            "TMPDIR": str(home / "tmp"),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            **client.environ,
        }
        for name, text in {**HOME_FILES, **client.settings}.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.project / "review.md").write_text(REVIEW)
        self._ran("git", "init", "--quiet", "-b", "main")
        self._ran("git", "commit", "--quiet", "--allow-empty", "-m", "Begin")

    def _ran(self, *words: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """In the project, with an environment of nothing but ours."""
        done = self._tried(*words, seconds=seconds)
        # stderr goes along: it is what tells why a client failed.
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done

    def _tried(self, *words: str, seconds: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=self.project, env=self.environ, capture_output=True, text=True, timeout=seconds, check=False)

    def lib(self, *words: str) -> Any:
        return json.loads(self._ran("lib", *words, "--json").stdout)

    def files(self) -> dict[str, bytes]:
        """What lies in the home by name, without lib's data, the library and temporary files."""
        found: dict[str, bytes] = {}
        for folder, inner, names in os.walk(self.home):
            inner[:] = [name for name in inner if os.path.join(folder, name) not in (str(self.home / "tmp"), str(self.home / "library"))]
            inner[:] = [name for name in inner if name not in ("lib-sessions", ".git")]
            for name in (*names, *inner):
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.home)] = file.read()
                elif not os.path.isdir(path) or not os.listdir(path):
                    found[os.path.relpath(path, self.home)] = b""
        return found

    def says(self, talk: Talk) -> list[dict[str, Any]]:
        """One run of the client; what the model was asked with this prompt, apart from titles and the like, for which it has no tools."""
        records = str(self.home / "tmp" / "requests.jsonl")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(records)
        serve = (sys.executable, stub.__file__, records, str(PORT), json.dumps(talk))
        self._ran(*LOOPBACK_ONLY, *serve, self.client.program, *self.client.words, talk.prompt, seconds=RUN_SECONDS)
        with open(records, encoding="utf-8") as file:
            bodies = [json.loads(line)["body"] for line in file]
        return [body for body in bodies if talk.prompt in json.dumps(body) and any(stub.tools_in(body))]

    def captured(self, query: str) -> dict[str, Any]:
        """The first hit of a search, once the process that nobody waits for has done its work. Nothing but that indexes here."""
        words = ("lib", "search", query, "--sessions", "--include", "all", "--json")
        deadline = time.monotonic() + CAPTURE_SECONDS
        while True:
            done = self._tried(*words, seconds=60)
            if done.returncode == 0:
                hit: dict[str, Any] = json.loads(done.stdout)["hits"][0]
                return hit
            assert time.monotonic() < deadline, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
            time.sleep(0.5)

    def holds(self, hit: dict[str, Any], talk: Talk) -> None:
        """Whether what was captured is this talk, as one turn of work."""
        assert (hit["agent"], hit["class"], hit["machine"], hit["turn"]) == (self.client.agent, "work", "desk", 1)
        shown = self.lib("show", hit["ref"])
        assert (shown["session"]["turns"], shown["session"]["calls"]) == (1, 1)
        said = {kind: [one["text"] for one in shown["messages"] if one["kind"] == kind] for kind in ("user", "call", "assistant")}
        assert said == {"user": [talk.prompt], "call": [f"$ {talk.command}"], "assistant": [talk.answer]}


@contextlib.contextmanager
def recorded(launcher: Path) -> Iterator[Path]:
    """The file that the events are noted in, while lib's launcher is stood in for."""
    # Under its own name, by which lib knows that it is not the agent.
    real = launcher.parent / "real" / "lib"
    real.parent.mkdir()
    os.rename(launcher, real)
    launcher.write_text(RECORDER)
    launcher.chmod(0o755)
    yield launcher.parent / "calls"
    os.replace(real, launcher)


@pytest.mark.parametrize("name", CLIENTS)
def test_what_a_session_of_a_real_client_decided_is_found_by_the_next(
    name: str, own_home: Path, clients: tuple[str, dict[str, str]]
) -> None:
    client, (top, failed) = CLIENTS[name], clients
    for reason in (failed.get(package) for package in fetch.needed([client.package])):
        if reason:
            pytest.skip(NOT_RUN + reason)
    home = own_home
    person = Person(home, client, [fetch.programs(package, top) for package in fetch.needed([client.package])])
    person.lib("init", "--machine", "desk")
    before = person.files()
    assert not person.lib("install", client.agent)["problems"]
    installed = person.files()
    launcher = next(home.glob(".local/share/lib*/**/bin/lib"))

    with recorded(launcher) as calls:
        asked = person.says(FIRST)
        assert description() in html.unescape(json.dumps(asked[0])), "the skill is not listed to the model"
        first = person.captured("backlog watchdog")
        person.holds(first, FIRST)
        assert sorted(calls.read_text().split()) == sorted(client.calls)
        digest = person.lib("show", f"digest:{client.agent}:{first['session']}")
        assert FACT in json.dumps(digest), digest

        # What the model wrote down in its session is of that session, which lib was not told of.
        assert f"- {client.agent}:{first['session']} desk " in (home / "library" / "entries" / "relay-queue.md").read_text()

        bodies = person.says(SECOND)
        assert ("relay-queue" in json.dumps(bodies[0])) == client.is_told, "the topics of the project"
        told = [(stub.hands_back(body), FACT in json.dumps(body), first["ref"] in json.dumps(body)) for body in bodies]
        assert told[0] == (False, False, False)
        assert told[-1] == (True, True, True), "what lib search printed did not come back to the model"
        person.holds(person.captured("heartbeat load balancer"), SECOND)

    log = launcher.parents[1] / "logs" / "hooks.log"
    assert not log.exists(), log.read_text()
    status = person.lib("status")
    assert status["agents"] == {client.agent: {"work": 2}}
    assert not [one for one in status["by_itself"].values() if not one["ok"]], status["by_itself"]

    left = person.files()
    person.lib("install", "--uninstall")
    restored(before, installed, left, person.files())


def description() -> str:
    """What the skill says of itself."""
    return templates.skill().partition('description: "')[2].partition('"')[0]


def restored(before: dict[str, bytes], installed: dict[str, bytes], left: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Whether all that was written by `lib install` is as before, byte for byte, but for what the client has written since."""
    changed = {path for path in {*before, *installed} if before.get(path) != installed.get(path)}
    assert changed
    for path in changed:
        if left.get(path) == installed.get(path):
            assert after.get(path) == before.get(path), path
        else:
            # The client itself has written into its settings: only lib's part goes.
            assert json.loads(after[path]) == {key: value for key, value in json.loads(left[path]).items() if key != "hooks"}
    untouched = {path for path in {*left, *after} - changed if left.get(path) != after.get(path)}
    assert not untouched
