"""`lib sync` over every transport, against real servers; several machines at once, each in its own process."""

from __future__ import annotations

import contextlib
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.errors import RemoteFailed
from libtool.storage.git import Git
from tests.compat import servers
from tests.features.sync_lab import Lab, files_of
from tests.surroundings import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.features.sync_lab import Machine

TRANSPORTS = ("path", "file", "daemon", "ssh", "scp", "http")


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def password() -> str:
    return "let" + "me" * 2 + "in"


def helper(folder: Path, password: str) -> Path:
    """A credential helper that knows the login, and writes down what it is told."""
    script = folder / "helper"
    script.write_text(
        f'#!/bin/sh\ncat >>"{folder}/asked.$1"\necho >>"{folder}/asked.$1"\n'
        f'[ "$1" = get ] && printf "username={servers.USER}\\npassword=%s\\n" "$(cat "{folder}/word")"\nexit 0\n'
    )
    (folder / "word").write_text(password)
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


@pytest.fixture
def lab(transport: str, tmp_path: Path, password: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A lab whose remote is reached by the transport."""
    remote = tmp_path / "remote.git"
    Git(str(tmp_path), environment()).run("init", "-q", "--bare", "-b", "main", str(remote))
    with contextlib.ExitStack() as stack:
        url = str(remote)
        if transport == "file":
            url = f"file://{remote}"
        elif transport == "daemon":
            url = stack.enter_context(servers.daemon(tmp_path)) + "/remote.git"
        elif transport == "http":
            url = stack.enter_context(servers.http_backend(tmp_path, password)) + "/remote.git"
            Git(str(remote), environment()).run("config", "http.receivepack", "true")
            Git(str(tmp_path), environment()).run("config", "--global", "credential.helper", str(helper(tmp_path, password)))
        elif transport in ("ssh", "scp"):
            url, command = stack.enter_context(servers.sshd(tmp_path))
            url += "/remote.git"
            if transport == "scp":
                command += f" -p {url.split(':')[2].split('/')[0]}"
                url = f"{url.removeprefix('ssh://').split(':')[0]}:{remote}"
            monkeypatch.setenv("GIT_SSH_COMMAND", command)
        yield Lab(tmp_path, url)


def test_entries_travel(lab: Lab) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache", "2026-10-01: fifteen minutes.")
    assert desk.sync().sent
    lap.put("quota")
    report = lap.sync()
    assert (report.merged, report.notes) == (True, ())
    desk.sync()
    assert sorted(files_of(desk)) == ["cache.md", "quota.md"]
    assert files_of(desk) == files_of(lap)
    lab.fsck(desk, lap)


@pytest.mark.parametrize("transport", ["path", "daemon", "ssh", "http"], indirect=True)
def test_without_git_the_same(lab: Lab, transport: str, tmp_path: Path, password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "ssh"):
        (tools / name).symlink_to(shutil.which(name) or name)
    for machine in (desk, lap):
        machine.environ["PATH"] = str(tools)
    if transport == "http":
        home = machine.environ["HOME"]
        with open(f"{home}/.git-credentials", "w", encoding="utf-8") as file:
            file.write(lab.url.replace("http://", f"http://{servers.USER}:{password}@") + "\n")
    monkeypatch.setattr(
        "tests.features.sync_lab.Machine.head", lambda machine: Git(machine.git.folder, environment()).line("rev-parse", "HEAD")
    )
    desk.put("cache", "2026-10-01: fifteen minutes.")
    assert desk.sync().sent
    lap.put("quota")
    assert lap.sync().merged
    desk.sync()
    assert sorted(files_of(desk)) == ["cache.md", "quota.md"]
    assert files_of(desk) == files_of(lap)
    lab.fsck(desk, lap)


@pytest.mark.parametrize("transport", ["http"], indirect=True)
def test_a_wrong_login_is_told_to_the_helper_and_to_nobody_else(lab: Lab, tmp_path: Path, password: str) -> None:
    desk = lab.machine("desk")
    desk.put("cache")
    desk.sync()
    assert password in (tmp_path / "asked.store").read_text()
    (tmp_path / "word").write_text(password[::-1])
    desk.put("quota")
    with pytest.raises(RemoteFailed, match="wants a login") as caught:
        desk.sync()
    assert password[::-1] not in caught.value.message + caught.value.hint
    assert password[::-1] in (tmp_path / "asked.erase").read_text()
    (tmp_path / "word").write_text(password)
    assert desk.sync().sent


ONE_MACHINE = """
import sys
from pathlib import Path
from tests.features.sync_lab import Machine
from tests.surroundings import environment

folder, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
machine = Machine(folder, name, environment())
for number in range(rounds):
    machine.put(f"{name}-{number}", "2026-10-01: once.")
    machine.sync()
"""


def all_at_once(lab: Lab, machines: int, rounds: int) -> list[Machine]:
    """That many machines, each committing and syncing in its own process."""
    made = [lab.machine(f"m{number}") for number in range(machines)]
    started = [
        subprocess.Popen([sys.executable, "-c", ONE_MACHINE, str(lab.folder), machine.config.machine, str(rounds)], env=environment())
        for machine in made
    ]
    assert [process.wait(300) for process in started] == [0] * machines
    for machine in made:
        machine.sync()
    return made


def hold(lab: Lab, made: list[Machine], expected: int) -> None:
    """Every entry arrived everywhere, and everything is whole."""
    for machine in made:
        machine.sync()
        assert len(files_of(machine)) == expected
        assert machine.status() == ""
    assert len({machine.head() for machine in made} | {lab.remote_head()}) == 1
    lab.fsck(*made)


@pytest.mark.parametrize("transport", ["path", "http"], indirect=True)
def test_three_machines_at_once(lab: Lab) -> None:
    hold(lab, all_at_once(lab, 3, 2), 6)


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["path", "daemon", "ssh", "http"], indirect=True)
def test_six_machines_with_five_commits_each(lab: Lab) -> None:
    hold(lab, all_at_once(lab, 6, 5), 30)
