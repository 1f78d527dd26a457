from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.domain.index_md import build
from libtool.errors import LibError, LibraryNotFound, Locked, UsageError
from libtool.features import init, init_hooks, sync_glance
from libtool.features.init import Wanted
from libtool.features.init_files import library_files, put
from libtool.storage import repo_place
from tests.compat.lab import Lab, entry, environ, make

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


def configured(home: Path) -> Config:
    return load(environ(home), str(home))


def state(folder: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of every file below a folder, git's objects and logs left out."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            inside = os.path.relpath(path, folder)
            if not inside.startswith((".git/objects", ".git/logs", ".git/index", ".git/COMMIT_EDITMSG")):
                with open(path, "rb") as file:
                    found[inside] = stat.S_IMODE(os.lstat(path).st_mode), hashlib.sha256(file.read()).hexdigest()
    return found


def hook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


@pytest.fixture
def lab(home: Path) -> Lab:
    return make(home, home / "library")


def again(lab: Lab, *, clone: str = "", remote: str = "", machine: str = "") -> init.InitReport:
    return init.run(configured(lab.home), lab.environ, Wanted(clone=clone, remote=remote, machine=machine))


def test_a_new_library(home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    done = init.run(configured(home), environ(home), Wanted(machine="desk"))
    lab = Lab(home, home / "library")
    assert (done.library, done.machine, done.remote, done.remarks) == (str(lab.top), "desk", "", ())
    assert lab.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert lab.git("log", "--format=%an %s") == "Ada Begin the library"
    assert lab.status() == []
    assert lab.git("ls-files").split("\n") == sorted(
        [".gitattributes", ".gitignore", ".lib-library", ".pre-commit-config.yaml", "INDEX.md", "README.md", "entries/.gitkeep"]
    )
    assert lab.git("check-attr", "merge", "entries/a.md", "INDEX.md").split("\n") == [
        "entries/a.md: merge: lib-entry",
        "INDEX.md: merge: lib-index",
    ]
    assert lab.git("config", "merge.renames") == "false"
    assert configured(home).machine == "desk"
    assert stat.S_IMODE(os.stat(lab.top).st_mode) == 0o700


@pytest.mark.parametrize("answer", ["", "[pull]\nrebase = true\n", "[pull]\nff = true\n"])
def test_a_plain_pull_merges_unless_the_person_chose_how(home: Path, tmp_path: Path, answer: str) -> None:
    url = str(tmp_path / "bare.git")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", url], check=True, env=environ(home))
    second = tmp_path / "second"
    second.mkdir()
    lab = make(home, home / "library", machine="desk", remote=url)
    lab.git("push", "-q")
    for place in (home, second):
        (place / ".gitconfig").write_text(f"[user]\nname = Ada\nemail = ada@example.org\n{answer}")
    init.run(configured(second), environ(second), Wanted(clone=url, machine="sofa"))
    other = Lab(second, second / "library")
    for one, topic in ((lab, "alpha"), (other, "beta")):
        one.write(topic, entry(topic.title()))
        one.git("add", ".")
        one.git("commit", "-qm", topic)
    lab.git("push", "-q")
    other.git("pull", "-q")
    assert {name for name in other.git("ls-files").split("\n") if name.endswith("a.md")} == {"entries/alpha.md", "entries/beta.md"}
    assert other.git("config", "--local", "--default", "", "pull.rebase") == ("" if answer else "false")
    assert init.run(configured(second), environ(second), Wanted()).changes == ()
    init.uninstall(configured(second), environ(second))
    assert other.git("config", "--local", "--default", "", "pull.rebase") == ""


def test_a_second_run_changes_nothing_and_says_so(lab: Lab) -> None:
    before = state(lab.home)
    done = again(lab)
    assert done.changes == ()
    assert state(lab.home) == before


def test_a_person_without_a_name_can_begin(home: Path) -> None:
    # git makes up no name of an empty one.
    (home / ".gitconfig").write_text("[user]\nname =\n")
    done = init.run(configured(home), environ(home), Wanted())
    lab = Lab(home, home / "library")
    assert lab.git("log", "--format=%an <%ae> %s") == "lib <lib@localhost> Begin the library"
    assert ["git config --global user.name" in remark for remark in done.remarks] == [True]


def test_who_wants_no_made_up_name_gets_none(home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    done = init.run(configured(home), environ(home), Wanted())
    assert any(change.startswith("not committed yet") for change in done.changes)
    assert done.remarks == ()


@pytest.mark.parametrize("staged", [True, False])
def test_what_a_killed_run_put_there_is_committed(home: Path, *, staged: bool) -> None:
    top = home / "library"
    lab = Lab(home, top)
    top.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    lab.git("init", "-q")
    put(str(top), library_files(lambda: build({}))[:4])
    (top / "README.md").write_text("of the person\n")
    if staged:
        lab.git("add", ".lib-library", "entries/.gitkeep")
    assert "commit: Begin the library" in init.run(configured(home), lab.environ, Wanted()).changes
    assert lab.status() == ["?? README.md"]


def test_two_at_once_do_not_mix(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "LOCK_SECONDS", 0.05)
    (lab.top / ".git" / "hooks" / "post-merge").unlink()
    with repo_place.locked(repo_place.find(str(lab.top)), 1.0), pytest.raises(Locked, match="lib init"):
        again(lab)
    assert not (lab.top / ".git" / "hooks" / "post-merge").exists()
    assert again(lab).changes == (".git/hooks/post-merge",)


def test_a_path_is_written_to_the_configuration(home: Path) -> None:
    lab = make(home, home / "deep" / "notes")
    assert configured(home).library == str(lab.top)
    assert again(lab).changes == ()


def test_uninstall_restores_every_byte(home: Path) -> None:
    top = home / "library"
    config = home / ".config" / "lib-sessions" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("# mine\nthinking = true\n")
    top.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True, env=environ(home))
    hook(top / ".git" / "hooks" / "pre-commit", "exit 0\n")
    hook(top / ".git" / "hooks" / "pre-push", "cat > pushed\n")
    (top / ".git" / "info" / "attributes").write_text("*.bin binary")
    before = state(home)
    lab = make(home, top)
    (home / ".gitconfig").unlink()
    # What a sync leaves.
    for name in (sync_glance.SEEN, repo_place.LOCK):
        (top / ".git" / name).touch()
    done = init.uninstall(configured(home), lab.environ)
    assert "hooks/pre-commit" in " ".join(done.changes)
    after = state(home)
    committed = {name for name in after if name.startswith("library/") and not name.startswith("library/.git/")}
    refs = {
        name for name in after if name.startswith("library/.git/refs/") or name in {"library/.git/index", "library/.git/COMMIT_EDITMSG"}
    }
    assert {name: one for name, one in after.items() if name not in committed | refs and not name.startswith("library/.git/objects")} == {
        name: one for name, one in before.items() if not name.startswith("library/.git/objects")
    } | {name: one for name, one in after.items() if name.startswith("library/.git/logs")}
    assert init.uninstall(configured(home), lab.environ).changes == ()


def test_uninstall_takes_only_ours_out_of_what_was_changed_since(lab: Lab) -> None:
    lab.git("config", "alias.st", "status")
    with open(lab.top / ".git" / "info" / "attributes", "a") as file:
        file.write("*.bin binary\n")
    config = lab.home / ".config" / "lib-sessions" / "config.toml"
    config.write_text(config.read_text() + "# a remark\nthinking = true\n")
    pre_push = lab.top / ".git" / "hooks" / "pre-push"
    pre_push.write_text(pre_push.read_text() + "# a remark\n")
    post_merge = lab.top / ".git" / "hooks" / "post-merge"
    hook(post_merge, "exit 0\n")
    done = init.uninstall(configured(lab.home), lab.environ, str(lab.top))
    assert len(done.remarks) == 5
    assert lab.git("config", "alias.st") == "status"
    assert lab.call("git", "config", "--get-regexp", "^merge").stdout == ""
    assert (lab.top / ".git" / "info" / "attributes").read_text() == "*.bin binary\n"
    assert "machine" not in config.read_text()
    assert "# a remark\nthinking = true\n" in config.read_text()
    assert not pre_push.exists()
    assert post_merge.exists()


def test_uninstall_needs_a_library(home: Path) -> None:
    with pytest.raises(LibraryNotFound):
        init.uninstall(configured(home), environ(home))


def test_uninstall_gives_back_values_that_were_changed_since(home: Path) -> None:
    top = home / "library"
    config = home / ".config" / "lib-sessions" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('machine = "old"\n')
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True, env=environ(home))
    subprocess.run(["git", "config", "merge.renames", "true"], cwd=top, check=True, env=environ(home))
    lab = make(home, top, machine="new")
    config.write_text(config.read_text() + "thinking = true\n")
    lab.git("config", "alias.st", "status")
    init.uninstall(configured(home), lab.environ)
    assert 'machine = "old"' in config.read_text()
    assert lab.git("config", "merge.renames") == "true"


@pytest.mark.parametrize("arrange", [lambda top: top.write_text("a file"), lambda top: top.mkdir() or (top / "mine").write_text("words")])
def test_what_is_no_place_for_a_library_is_refused_untouched(home: Path, arrange: Callable[[Path], object]) -> None:
    arrange(home / "library")
    before = state(home)
    with pytest.raises(UsageError):
        init.run(configured(home), environ(home), Wanted())
    assert state(home) == before


def test_a_broken_repository_is_refused(home: Path) -> None:
    (home / "library").mkdir()
    (home / "library" / ".git").write_text("gitdir: nowhere\n")
    with pytest.raises(UsageError):
        init.run(configured(home), environ(home), Wanted())


def test_without_git(home: Path) -> None:
    with pytest.raises(LibError, match="git"):
        init.run(configured(home), {**environ(home), "PATH": str(home)}, Wanted())


def test_another_repository_is_taken_only_when_that_is_wanted(home: Path) -> None:
    top = home / "library"
    lab = Lab(home, top)
    top.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    lab.git("init", "-q")
    (top / "README.md").write_text("mine\n")
    (top / ".gitignore").write_text("build")
    lab.git("add", "-A")
    lab.git("commit", "-q", "-m", "mine")
    (top / "staged").write_text("not yet\n")
    lab.git("add", "staged")
    (top / "entries").mkdir()
    for wanted in (Wanted(), Wanted(str(top))):
        with pytest.raises(init.OtherRepositoryError, match="something else") as refused:
            init.run(configured(home), lab.environ, wanted)
        assert "--yes" in refused.value.hint
    assert os.listdir(top / "entries") == []
    init.run(configured(home), lab.environ, Wanted(str(top), take_over=True))
    assert lab.read("README.md") == "mine\n"
    assert lab.read(".gitignore").startswith("build\n# lib")
    assert lab.status() == ["A  staged"]
    assert lab.git("log", "-1", "--format=%s") == "Set up the library"


def test_files_that_cannot_be_committed_now_are_said(home: Path) -> None:
    lab = make(home, home / "library")
    lab.git("rm", "-q", "README.md")
    lab.git("commit", "-q", "--no-verify", "-m", "no readme")
    lab.git("checkout", "-q", "-b", "side", "HEAD^")
    (lab.top / "README.md").write_text("x\n")
    lab.git("commit", "-q", "--no-verify", "-am", "x")
    assert lab.call("git", "merge", "main").returncode
    lab.git("rm", "-q", "README.md")
    done = again(lab)
    assert any(change.startswith("not committed yet") for change in done.changes)


def remote(lab: Lab) -> str:
    path = lab.home / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True, env=lab.environ)
    return str(path)


def test_a_remote_and_a_clone(lab: Lab, tmp_path: Path) -> None:
    url = remote(lab)
    assert again(lab, remote=url).remote == url
    assert again(lab, remote=url).changes == ()
    with pytest.raises(UsageError, match="remote already") as refused:
        again(lab, remote="other")
    assert refused.value.hint == f"change it with: git -C {lab.top} remote set-url origin URL"
    lab.begin("alpha")
    (lab.top / "machines").mkdir()
    (lab.top / "machines" / "desk.json").write_text("{}\n")
    lab.git("add", "machines")
    lab.commit()
    lab.git("push", "-q")
    second = tmp_path / "second"
    second.mkdir()
    with pytest.raises(UsageError, match="named desk already"):
        init.run(configured(second), environ(second), Wanted(clone=url, machine="desk"))
    done = init.run(configured(second), environ(second), Wanted(clone=url, machine="sofa"))
    other = Lab(second, second / "library")
    assert done.remote == url
    assert stat.S_IMODE(os.stat(other.top).st_mode) == 0o700
    assert other.status() == []
    assert other.read("INDEX.md") == lab.read("INDEX.md")
    assert init.run(configured(second), environ(second), Wanted(clone=url)).changes == ()
    with pytest.raises(UsageError, match="another repository"):
        init.run(configured(second), environ(second), Wanted(clone=url + "x"))


def test_a_name_stays_ours_when_the_clone_is_gone_and_can_be_claimed(lab: Lab, tmp_path: Path) -> None:
    url = remote(lab)
    again(lab, remote=url, machine="desk")
    (lab.top / "machines").mkdir()
    (lab.top / "machines" / "desk.json").write_text("{}\n")
    lab.git("add", "machines")
    lab.commit()
    lab.git("push", "-q")
    os.rename(lab.top, lab.home / "old")
    assert again(lab, clone=url).machine == "desk"
    second = tmp_path / "second"
    second.mkdir()
    done = init.run(configured(second), environ(second), Wanted(clone=url, machine="desk", same_machine=True))
    assert done.machine == "desk"
    assert init.run(configured(second), environ(second), Wanted()).changes == ()


def test_an_empty_remote_becomes_a_library(lab: Lab, tmp_path: Path) -> None:
    url = remote(lab)
    second = tmp_path / "second"
    (second / "library").mkdir(parents=True)
    (second / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    init.run(configured(second), environ(second), Wanted(clone=url))
    other = Lab(second, second / "library")
    other.git("push", "-q")
    assert lab.git("ls-remote", "--heads", url).endswith("refs/heads/main")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_clone_that_is_no_library_leaves_nothing(lab: Lab, tmp_path: Path, *, is_there: bool) -> None:
    source = Lab(lab.home, lab.home / "code")
    source.top.mkdir()
    source.git("init", "-q")
    (source.top / "src").mkdir()
    (source.top / "src" / "code.py").write_text("pass\n")
    source.git("add", "-A")
    source.commit()
    second = tmp_path / "second"
    second.mkdir()
    if is_there:
        (second / "library").mkdir()
    with pytest.raises(UsageError, match="holds no library"):
        init.run(configured(second), environ(second), Wanted(clone=str(source.top)))
    assert (second / "library").exists() == is_there
    assert not is_there or os.listdir(second / "library") == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_clone_that_fails_shows_no_login_and_leaves_what_was_there(home: Path, *, is_there: bool) -> None:
    secret = "Tiger" + "4821x"
    if is_there:
        (home / "library").mkdir()
    with pytest.raises(LibError) as failed:
        init.run(configured(home), environ(home), Wanted(clone=f"http://ada:{secret}@127.0.0.1:9/none.git"))
    assert secret not in failed.value.message
    assert "127.0.0.1" in failed.value.message
    assert (home / "library").exists() == is_there


@pytest.mark.parametrize("url", ["--upload-pack=touch x"])
def test_an_address_is_no_option(lab: Lab, url: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        again(lab, remote=url)


def test_a_machine_name_is_checked(home: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a machine"):
        init.run(configured(home), environ(home), Wanted(machine="../x"))


def test_hooks_that_are_there_are_called_after_ours(home: Path) -> None:
    top = home / "library"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True, env=environ(home))
    log = home / "log"
    for name in ("pre-commit", "post-commit", "pre-push", "post-checkout"):
        hook(top / ".git" / "hooks" / name, f'echo "{name} $*" >> {log}\n[ {name} != pre-push ] || cat >> {log}\n')
    lab = make(home, top)
    again(lab, remote=remote(lab))
    log.unlink(missing_ok=True)
    lab.begin("alpha")
    assert log.read_text() == "pre-commit \npost-commit \n"
    lab.holds()
    log.unlink()
    lab.git("push", "-q", "-u", "origin", "main")
    head = lab.git("rev-parse", "HEAD")
    assert log.read_text() == f"pre-push origin {lab.home}/remote.git\nrefs/heads/main {head} refs/heads/main {'0' * 40}\n"
    hook(top / ".git" / "hooks" / "pre-commit.lib-earlier", "exit 3\n")
    lab.write("beta", entry("Beta"))
    lab.git("add", "entries")
    assert lab.call("git", "commit", "-q", "-m", "x").returncode == 1


@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_a_hooks_path_stays_and_its_hooks_are_called(home: Path, scope: str) -> None:
    folder = home / "my hooks"
    log = home / "log"
    for name in ("pre-commit", "commit-msg", "reference-transaction"):
        hook(folder / name, f'echo {name} >> "{log}"\n')
    (folder / "notes.txt").write_text("no hook\n")
    top = home / "library"
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    lab = Lab(home, top)
    top.mkdir()
    lab.git("init", "-q")
    lab.git("config", scope, "core.hooksPath", "~/my hooks")
    before = state(folder)
    init.run(configured(home), lab.environ, Wanted(str(top)))
    assert again(lab).changes == ()
    log.unlink(missing_ok=True)
    lab.begin("alpha")
    lab.holds()
    said = log.read_text().split("\n")
    assert said[0] == "pre-commit"
    assert "commit-msg" in said
    assert "reference-transaction" in said
    assert state(folder) == before
    init.uninstall(configured(home), lab.environ)
    assert lab.git("config", "core.hooksPath") == "~/my hooks"
    assert not (top / ".git" / "lib-hooks").exists()


def test_pre_commit_installed_after_us_calls_ours(lab: Lab) -> None:
    hooks = lab.top / ".git" / "hooks"
    os.rename(hooks / "pre-commit", hooks / "pre-commit.legacy")
    hook(hooks / "pre-commit", '"$0.legacy" "$@"\n')
    assert again(lab).changes == ()
    lab.begin("alpha")
    lab.holds()


def test_a_hook_put_over_ours_is_said(home: Path) -> None:
    top = home / "library"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True, env=environ(home))
    hook(top / ".git" / "hooks" / "pre-commit", "exit 0\n")
    lab = make(home, top)
    hook(top / ".git" / "hooks" / "pre-commit", "exit 1\n")
    assert "pre-commit was put there after" in again(lab).remarks[0]


def test_another_interpreter_is_written_into_the_shims(lab: Lab) -> None:
    done = init.run(configured(lab.home), lab.environ, Wanted(), python="/opt/it's/python")
    assert ".git/hooks/pre-commit" in done.changes
    assert ".git/config: merge.lib-entry.driver" in done.changes
    assert "python='/opt/it'\"'\"'s/python'" in lab.read(".git/hooks/pre-commit")
    init.uninstall(configured(lab.home), lab.environ)
    assert not (lab.top / ".git" / "hooks" / "pre-commit").exists()
    assert lab.call("git", "config", "merge.renames").returncode


def test_an_interpreter_that_changes_after_the_configuration_did(lab: Lab) -> None:
    lab.git("config", "alias.st", "status")
    init.run(configured(lab.home), lab.environ, Wanted(), python="/opt/python")
    init.uninstall(configured(lab.home), lab.environ)
    assert lab.git("config", "alias.st") == "status"
    assert lab.call("git", "config", "merge.renames").returncode


def test_what_the_person_removed_stays_removed(home: Path) -> None:
    top = home / "library"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True, env=environ(home))
    hook(top / ".git" / "hooks" / "pre-commit", "exit 0\n")
    lab = make(home, top)
    (top / ".git" / "hooks" / "post-merge").unlink()
    (top / ".git" / "hooks" / "pre-commit.lib-earlier").unlink()
    assert init.uninstall(configured(home), lab.environ).remarks == ()
    assert not (top / ".git" / "hooks" / "post-merge").exists()


def test_a_remote_for_a_branch_that_has_one(lab: Lab) -> None:
    lab.git("config", "branch.main.remote", "elsewhere")
    again(lab, remote="../remote.git")
    assert lab.git("config", "branch.main.remote") == "elsewhere"


def test_the_command(lab: Lab, lib: Program) -> None:
    assert lib("init", "--uninstall", "--machine", "x")[0] == 2
    code, out, _ = lib("init", str(lab.top), "--remote", "../remote.git")
    assert (code, out.splitlines()[0]) == (0, f"library: {lab.top} (remote ../remote.git)")
    pre_commit = lab.top / ".git" / "hooks" / "pre-commit"
    hook(pre_commit, "exit 0\n")
    hook(pre_commit.with_suffix(".lib-earlier"), "exit 0\n")
    assert "was put there after" in lib("init")[2]


def test_a_shim_whose_template_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(init_hooks.SHIMS, "pre-commit", ("none", 1, ""))
    with pytest.raises(LibError, match="missing"):
        init_hooks.shim("pre-commit", init_hooks.Start("python", "data"), "")


def test_a_clone_that_came_to_nothing_leaves_the_folder_empty(home: Path) -> None:
    folder = home / "clone"
    (folder / ".git").mkdir(parents=True)
    (folder / "INDEX.md").write_text("x")
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "mine").write_text("x")
    (folder / "link").symlink_to(home / "elsewhere")
    init._remove_clone(str(folder), is_new=False)
    assert list(folder.iterdir()) == []
    assert (home / "elsewhere" / "mine").exists()
    init._remove_clone(str(folder), is_new=True)
    assert not folder.exists()
