from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.project import Project, common_dir, identify, of_remote, remote_url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from libtool.domain.project import Read

ACME = Project("github.com/acme/api", "api")
SECRET = f"hunter{2}"


def of(files: Mapping[str, str]) -> Read:
    return files.get


def from_disk(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


def config(url: str, remote: str = "origin") -> str:
    return f'[core]\n\tbare = false\n[remote "{remote}"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/{remote}/*\n'


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/api",
        "https://github.com/acme/api.git",
        "https://github.com/acme/api.git/",
        "HTTPS://GitHub.com/Acme/api",
        "https://github.com:443/acme/api.git",
        f"https://dev:{SECRET}@github.com/acme/api.git",
        f"https://{SECRET}@github.com/acme/api.git",
        f"https://dev:pass/{SECRET}@github.com/acme/api.git",
        f"https://dev:pa@ss{SECRET}@github.com/acme/api.git",
        f"https://github.com/acme/api.git?access_token={SECRET}",
        f"https://github.com/acme/api.git#{SECRET}",
        "http://github.com/acme/api",
        "git://github.com/acme/api.git",
        "ssh://git@github.com/acme/api.git",
        "ssh://git@github.com:22/acme/api.git",
        "ssh://git@ssh.github.com:443/acme/api.git",
        "git+ssh://git@github.com/acme/api.git",
        "git@github.com:acme/api.git",
        "git@github.com:/acme/api.git",
        "github.com:acme/api.git",
        f"dev:{SECRET}@github.com:acme/api.git",
        f"dev:a/{SECRET}@github.com:acme/api.git",
        "github.com/acme/api",
        "git@github.com/acme/api",
        "acme/api",
        f"github.com/acme/api?token={SECRET}",
        "  https://github.com/acme/api\n",
    ],
)
def test_all_forms_of_one_remote_are_one_project(url: str) -> None:
    project = of_remote(url)
    assert project is not None
    assert project.key == ACME.key
    assert SECRET not in repr(project)


@pytest.mark.parametrize(
    ("url", "key", "name"),
    [
        ("https://git.example.org/group/sub/tool.git", "git.example.org/group/sub/tool", "tool"),
        ("ssh://git@[2001:db8::1]:2222/ops/infra.git", "2001:db8::1/ops/infra", "infra"),
        ("https://dev.azure.com/org/Project/_git/Repo", "dev.azure.com/org/project/repo", "Repo"),
        ("git@ssh.dev.azure.com:v3/org/Project/Repo", "dev.azure.com/org/project/repo", "Repo"),
        ("https://bitbucket.example.org/scm/KEY/tool.git", "bitbucket.example.org/key/tool", "tool"),
        ("ssh://git@bitbucket.example.org:7999/KEY/tool.git", "bitbucket.example.org/key/tool", "tool"),
        ("git@github-work:acme/api.git", "github-work/acme/api", "api"),
        ("git@host.example:team/na@me.git", "host.example/team/na@me", "na@me"),
        ("/srv/git/tool.git", "local:/srv/git/tool.git", "tool"),
        ("file:///srv/git/tool.git", "local:/srv/git/tool.git", "tool"),
        ("../tool", "local:/tool", "tool"),
        ("/home/dev/tool/.git", "local:/home/dev/tool", "tool"),
        (r"C:\code\tool", "local:/C:/code/tool", "tool"),
        ("tool", "local:/tool", "tool"),
        ("one/two/three", "local:/one/two/three", "three"),
        ("dir/na@me", "github.com/dir/na@me", "na@me"),
    ],
)
def test_remote_forms(url: str, key: str, name: str) -> None:
    assert of_remote(url) == Project(key, name)


@pytest.mark.parametrize("url", ["", "https://", "https://me:secret/x", "https://github.com", "https://github.com/", "host:", "?x=1"])
def test_a_remote_that_names_nothing(url: str) -> None:
    assert of_remote(url) is None


SLUGS = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
PASSWORDS = st.text(max_size=12).map(lambda text: f"Zq9{text}9qZ")


@given(SLUGS, SLUGS, SLUGS, PASSWORDS)
def test_a_password_never_survives(host: str, owner: str, name: str, password: str) -> None:
    urls = (f"https://me:{password}@{host}.example/{owner}/{name}.git", f"ssh://me:{password}@{host}.example/{owner}/{name}")
    keys = {of_remote(url) for url in urls}
    assert keys == {Project(f"{host}.example/{owner}/{name}", name)}


@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    project = of_remote(text)
    assert project is None or (project.key and project.name is not None)
    assert remote_url(text) is not None
    assert identify(text, lambda _: None).key is not None


def test_origin_is_asked_first_then_upstream_then_any() -> None:
    both = config("https://h.example/u/r", "upstream") + config("https://h.example/o/r")
    assert remote_url(both) == "https://h.example/o/r"
    assert remote_url(config("https://h.example/x/r", "x") + config("https://h.example/u/r", "upstream")) == "https://h.example/u/r"
    assert remote_url(config("https://h.example/x/r", "x")) == "https://h.example/x/r"
    assert remote_url("") == ""


def test_a_configuration_is_read_as_git_writes_and_people_edit_it() -> None:
    text = '[Remote "origin"] URL = "https://h.example/a/b"\n[branch "url"]\nurl = no\n[remote "origin"]\nurl = second\npushurl = no\n'
    assert remote_url(text) == "https://h.example/a/b"


def test_a_transcripts_own_word_comes_first() -> None:
    files = {"/code/api/.git/HEAD": "ref", "/code/api/.git/config": config("https://github.com/other/thing")}
    assert identify("/code/api", of(files), "acme/api") == ACME
    assert identify("/code/api", of(files), "https://github.com").key == "github.com/other/thing"


def test_a_folder_without_a_repository_goes_by_its_name() -> None:
    assert identify("/home/dev/Notes/", of({})) == Project("folder:notes", "Notes")
    assert identify(r"C:\Users\dev\Tool", of({})) == Project("folder:tool", "Tool")
    assert identify("", of({})) == Project("", "")
    assert identify("/", of({})) == Project("", "")


def test_a_repository_without_a_remote_goes_by_its_place() -> None:
    files = {"/code/api/.git/HEAD": "ref: refs/heads/main\n"}
    assert identify("/code/api/src/deep", of(files)) == Project("local:/code/api", "api")


def test_a_remote_that_names_nothing_falls_back_to_the_place() -> None:
    files = {"/code/api/.git/HEAD": "ref", "/code/api/.git/config": config("https://")}
    assert identify("/code/api", of(files)) == Project("local:/code/api", "api")


def test_a_clone_of_what_is_gone_goes_by_the_place_it_came_from() -> None:
    files = {"/code/api/.git/HEAD": "ref", "/code/api/.git/config": config("../gone")}
    assert identify("/code/api", of(files)) == Project("local:/code/gone", "gone")


def test_a_worktree_whose_repository_is_gone_still_belongs_to_it() -> None:
    files = {"/code/api-fix/.git": "gitdir: /code/api/.git/worktrees/api-fix\n"}
    assert common_dir("/code/api-fix/src", of(files)) == "/code/api/.git"
    assert identify("/code/api-fix", of(files)) == Project("local:/code/api", "api")


def test_a_submodule_is_its_own_project() -> None:
    files = {
        "/code/app/.git/HEAD": "ref",
        "/code/app/.git/config": config("https://github.com/acme/app"),
        "/code/app/lib/api/.git": "gitdir: ../../.git/modules/lib/api\n",
        "/code/app/.git/modules/lib/api/config": config("git@github.com:acme/api.git"),
    }
    assert identify("/code/app/lib/api", of(files)) == ACME


def test_a_chain_of_clones_ends_also_when_it_is_a_circle() -> None:
    files = {
        "/a/.git/HEAD": "x",
        "/a/.git/config": config("/b"),
        "/b/.git/HEAD": "x",
        "/b/.git/config": config("/a"),
    }
    assert identify("/a", of(files)).key.startswith("local:/")


def test_projects_compare_by_value() -> None:
    assert {ACME, Project("github.com/acme/api", "api")} == {ACME}
    assert ACME != "github.com/acme/api"


def git(cwd: Path, *words: str) -> None:
    author = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com")
    subprocess.run(["git", *author, *words], cwd=cwd, check=True, capture_output=True)


def test_real_clones_and_worktrees_of_one_repository_have_one_key(tmp_path: Path) -> None:
    origin = tmp_path / "api"
    origin.mkdir()
    git(origin, "init", "-q")
    git(origin, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    git(tmp_path, "clone", "-q", "--bare", f"file://{origin}", "bare.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "bare.git"), "second")
    git(origin, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "bare-tree"), "-b", "other")
    (tmp_path / "tree" / "deep").mkdir()
    places = (origin, tmp_path / "clone", tmp_path / "second", tmp_path / "tree" / "deep", tmp_path / "bare.git", tmp_path / "bare-tree")
    assert {identify(os.fspath(place), from_disk).key for place in places} == {f"local:{origin}"}

    git(origin, "remote", "add", "origin", f"https://dev:{SECRET}@github.com/acme/api.git")
    assert {identify(os.fspath(place), from_disk) for place in places} == {ACME}
