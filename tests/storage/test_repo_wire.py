"""The wire: what is asked of dulwich and what is made of its answers. Whole transports are in tests/compat."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.errors import RemoteFailed
from libtool.storage.git import Git
from libtool.storage.repo import Repository
from libtool.storage.repo_wire import Heads, MovedError, Remote
from tests.surroundings import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@b"}


@pytest.fixture
def here(tmp_path: Path) -> Git:
    (tmp_path / "here").mkdir()
    made = Git(str(tmp_path / "here"), environment(**WHO))
    made.run("init", "-q", "-b", "main")
    made.run("commit", "-q", "--allow-empty", "-m", "begin")
    made.run("init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git"))
    return made


@pytest.fixture
def repository(here: Git) -> Iterator[Repository]:
    made = Repository(here.folder)
    yield made
    made.close()


@pytest.fixture(params=["git", "no-git"])
def environ(request: pytest.FixtureRequest) -> dict[str, str]:
    return environment() if request.param == "git" else environment(PATH="/nowhere")


def remote(repository: Repository, url: str, environ: dict[str, str], **settings: str) -> Remote:
    return Remote(repository, url, url, environ, settings)


def nothing(_: Heads) -> None:
    return None


def test_a_push_succeeds_only_from_where_we_saw_the_remote(here: Git, repository: Repository, environ: dict[str, str]) -> None:
    wire = remote(repository, "../remote.git", environ)
    assert wire.fetch(nothing) == Heads({}, "")
    first = here.line("rev-parse", "HEAD")
    wire.push("main", None, first)
    assert wire.fetch(lambda _: "main") == Heads({"main": first}, "main")
    here.run("commit", "-q", "--allow-empty", "-m", "second")
    second = here.line("rev-parse", "HEAD")
    with pytest.raises(MovedError):
        wire.push("main", None, second)
    with pytest.raises(MovedError):
        wire.push("main", second, second)
    wire.push("main", first, second)
    assert wire.fetch(nothing).branches == {"main": second}


def test_a_branch_that_is_locked_on_the_remote_is_tried_again(here: Git, repository: Repository, tmp_path: Path) -> None:
    wire = remote(repository, str(tmp_path / "remote.git"), environment())
    (tmp_path / "remote.git" / "refs" / "heads" / "main.lock").touch()
    with pytest.raises(MovedError):
        wire.push("main", None, here.line("rev-parse", "HEAD"))


def test_only_progress_is_kept_from_the_server_s_words(here: Git, repository: Repository, tmp_path: Path) -> None:
    hook = tmp_path / "remote.git" / "hooks" / "post-receive"
    hook.write_text("#!/bin/sh\nprintf 'Checking: 50%% (1/2)\\rthank you\\n\\nbye' >&2\n")
    hook.chmod(0o755)
    wire = remote(repository, f"file://{tmp_path}/remote.git", environment())
    wire.push("main", None, here.line("rev-parse", "HEAD"))
    assert wire.said == ["thank you", "bye"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("odd://example.org/x", "does not speak `odd`"),
        ("ssh://-oProxyCommand=x/y", "cannot sync with"),
        ("-oProxyCommand=x:y", "cannot sync with"),
        ("git://127.0.0.1:1/x", "cannot sync with git://127.0.0.1:1/x: .*connection:|Connection refused"),
        ("http://127.0.0.1:1/x", r"cannot sync with http://127\.0\.0\.1:1/x: Failed to establish a new connection: \[Errno 111\]"),
        ("https://nowhere.invalid/x", r"cannot sync with https://nowhere\.invalid/x: Failed to resolve 'nowhere\.invalid'"),
        ("http://127.0.0.1:no/x", "cannot sync with"),
        ("nowhere", "cannot sync with nowhere"),
    ],
)
def test_what_cannot_be_reached_is_told(repository: Repository, url: str, said: str, environ: dict[str, str]) -> None:
    with pytest.raises(RemoteFailed, match=said) as caught:
        remote(repository, url, environ).fetch(nothing)
    assert caught.value.hint.endswith("when the remote can be reached") == ("connection:" in said or "resolve" in said)


def test_what_goes_wrong_here_is_not_blamed_on_the_remote(here: Git, repository: Repository, environ: dict[str, str]) -> None:
    def full(_: Heads) -> None:
        raise OSError(28, "No space left on device", os.path.join(here.folder, ".git", "objects", "x"))

    with pytest.raises(OSError, match="No space left"):
        remote(repository, "../remote.git", environ).fetch(full)


def test_a_remote_that_cannot_unpack_is_told_in_its_own_words(here: Git, repository: Repository, tmp_path: Path) -> None:
    objects = tmp_path / "remote.git" / "objects"
    objects.rename(tmp_path / "away")
    objects.mkdir()
    (objects / "pack").symlink_to(tmp_path / "nowhere" / "pack")
    wire = remote(
        repository, "../remote.git", environment(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="receive.maxInputSize", GIT_CONFIG_VALUE_0="1")
    )
    with pytest.raises(RemoteFailed, match=": unpack ") as caught:
        wire.push("main", None, here.line("rev-parse", "HEAD"))
    assert "b'" not in caught.value.message


@pytest.mark.parametrize(
    ("variables", "settings"),
    [
        ({"GIT_SSH_COMMAND": "'{fake}' -i 'a key'"}, {}),
        ({}, {"core.sshcommand": "'{fake}' -i 'a key'"}),
        ({"GIT_SSH": "{fake}"}, {}),
    ],
)
@pytest.mark.parametrize("url", ["ssh://ada@example.org:2222/~/library.git", "ada@example.org:library.git"])
def test_the_user_s_own_ssh_is_started_as_git_would(
    repository: Repository, tmp_path: Path, variables: dict[str, str], settings: dict[str, str], url: str
) -> None:
    fake = tmp_path / "my ssh"
    fake.write_text(f'#!/bin/sh\nfor word; do echo "$word"; done >"{tmp_path}/words"\necho "no such host" >&2\nexit 255\n')
    fake.chmod(0o755)
    given = {name: value.format(fake=fake) for name, value in variables.items()}
    wire = Remote(repository, url, url, environment(**given), {name: value.format(fake=fake) for name, value in settings.items()})
    with pytest.raises(RemoteFailed, match="no such host"):
        wire.fetch(nothing)
    words = (tmp_path / "words").read_text().splitlines()
    assert words[-2] == "ada@example.org"
    assert words[-1].startswith("git-upload-pack '")
    assert ("2222" in words) == url.startswith("ssh:")
    assert ("a key" in words) == ("GIT_SSH" not in variables)


def test_a_default_branch_is_known_where_the_server_does_not_name_it(here: Git, repository: Repository, tmp_path: Path) -> None:
    remote_git = Git(str(tmp_path / "remote.git"), environment())
    wire = remote(repository, str(tmp_path / "remote.git"), environment())
    wire.push("trunk", None, here.line("rev-parse", "HEAD"))
    assert wire.fetch(nothing).default == ""
    remote_git.run("update-ref", "--no-deref", "HEAD", here.line("rev-parse", "HEAD"))
    assert wire.fetch(nothing).default == "trunk"


def test_a_commit_that_a_killed_git_fetch_left_without_its_tree_is_fetched_whole(
    here: Git, repository: Repository, environ: dict[str, str], tmp_path: Path
) -> None:
    # `git fetch` unpacks object by object, commits first: a kill leaves commits that nothing refers to, and that lack their trees.
    theirs = Git(str(tmp_path / "theirs"), environment(**WHO))
    Git(str(tmp_path), environment(**WHO)).run("clone", "-q", here.folder, theirs.folder)
    for name in ("one", "two"):
        (tmp_path / "theirs" / name).write_text(name)
        theirs.run("add", name)
        theirs.run("commit", "-q", "-m", name)
    theirs.run("push", "-q", str(tmp_path / "remote.git"), "main")
    tip = theirs.line("rev-parse", "HEAD")
    for commit in (tip, theirs.line("rev-parse", "HEAD^")):
        content = theirs.run("cat-file", "commit", commit)
        # Not by git itself, which would look for the tree.
        here.run("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=content)
    assert repository.has(tip)
    remote(repository, str(tmp_path / "remote.git"), environ).fetch(lambda _: "main")
    assert sorted(repository.files(tip)) == [b"one", b"two"]
    assert not here.call("fsck", "--connectivity-only").code
