from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.errors import Unproved
from libtool.features.absent import history, tree
from libtool.storage.git_read import Checkout, Reader, Said
from tests.features.code import Code, environ

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.features.absent.tree import Tree


@pytest.fixture
def code(tmp_path: Path) -> Code:
    code = Code(tmp_path / "api")
    code.commit(
        "Begin", jobs__py="def token_cron():\n    pass\n", readme__md="About tokens.\n", vault__py="TokenCron = 1\nuse(tokenCrons)\n"
    )
    return code


def search(code: Code, name: str) -> Tree:
    return tree.search(code.reader(), [name])


def told(found: Tree) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.kind) for one in found.places]


def test_every_spelling_is_found_the_definition_first(code: Code) -> None:
    found = search(code, "token-cron")
    assert told(found) == [("jobs.py", 1, "defined"), ("vault.py", 1, "assigned"), ("vault.py", 2, "used")]
    assert [one.text for one in found.places] == ["def token_cron():", "TokenCron = 1", "use(tokenCrons)"]
    size = sum(os.path.getsize(code.folder / name) for name in ("jobs.py", "readme.md", "vault.py"))
    assert (found.files, found.size, found.changed, found.untracked, found.full) == (3, size, 0, 0, False)
    assert found.unsearched == ("ignored files", "inside archives, images and UTF-16 text")


def test_parts_of_longer_words_are_no_places(code: Code) -> None:
    found = search(code, "oken")
    assert found.places == []
    assert {(one.path, one.line) for one in found.inside} == {("jobs.py", 1), ("readme.md", 1), ("vault.py", 1), ("vault.py", 2)}


def test_names_of_files_count(code: Code) -> None:
    code.write("lib/rate_limit/x.txt", "nothing")
    code.write("lib/prelimits.txt", "nothing")
    assert told(search(code, "RateLimits")) == [("lib/rate_limit/x.txt", 0, "file name")]
    assert [(one.path, one.line) for one in search(code, "limit").inside] == [("lib/prelimits.txt", 0)]


def test_the_dirty_tree_and_head_are_both_searched(code: Code) -> None:
    code.write("jobs.py", "# gone\n")
    code.write("new.py", "refresh_job = 1\n")
    code.write("readme.md", "About tokens.\nMore.\n")
    os.unlink(code.folder / "vault.py")
    found = search(code, "token cron")
    assert [(one.path, one.line, one.at_head) for one in found.places] == [
        ("jobs.py", 1, True),
        ("vault.py", 1, True),
        ("vault.py", 2, True),
    ]
    assert (found.changed, found.untracked) == (3, 1)
    assert [(one.path, one.at_head) for one in search(code, "tokens").places].count(("readme.md", True)) == 0
    assert told(search(code, "refreshJob")) == [("new.py", 1, "assigned")]


def test_staged_and_conflicting_files(code: Code) -> None:
    code.write("staged.py", "staged_thing = 1\n")
    code.git("add", "-A")
    assert told(search(code, "stagedThing")) == [("staged.py", 1, "assigned")]
    code.git("reset", "-q", "--hard")
    code.git("switch", "-q", "-c", "side")
    code.commit("Side", readme__md="side words\n")
    code.git("switch", "-q", "main")
    code.commit("Main", readme__md="main words\n")
    with pytest.raises(subprocess.CalledProcessError):
        code.git("merge", "-q", "side")
    found = search(code, "side words")
    assert ("readme.md", 4, "used") in told(found)
    assert found.files == 3


def test_many_changed_files_are_searched_at_head_as_a_whole(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MOST_NAMED", 1)
    code.write("jobs.py", "")
    code.write("vault.py", "")
    assert {one.path for one in search(code, "token cron").places} == {"jobs.py", "vault.py"}


def test_ignored_files_are_not_searched(code: Code) -> None:
    code.write(".gitignore", "secret/\n")
    code.write("secret/x.py", "token_queue = 1\n")
    assert told(search(code, "tokenQueue")) == []


def test_a_subfolder_stands_for_the_whole_repository(code: Code) -> None:
    code.write("deep/er/x.py", "y = 1\n")
    reader = Reader(Code.checkout(code)._replace(), environ())
    assert reader.place.top == str(code.folder)
    assert told(tree.search(reader, ["token_cron"]))[0] == ("jobs.py", 1, "defined")


def test_crlf_binary_huge_lines_and_odd_encodings(code: Code) -> None:
    code.write("dos.py", b"a = 1\r\nqueue_depth = 2\r\n")
    code.write("data.bin", b"\0\1\2queue_depth\0")
    code.write("min.js", "x" * 3_000_000 + ";queueDepth=1;" + "y" * 3_000_000)
    code.write("latin.txt", b"caf\xe9 queue_depth\n")
    found = search(code, "queue depth")
    assert told(found) == [
        ("dos.py", 2, "assigned"),
        ("min.js", 1, "assigned"),
        ("data.bin", 0, "binary file"),
        ("latin.txt", 1, "used"),
    ] or {one.path for one in found.places} == {"dos.py", "min.js", "data.bin"}
    assert all(len(one.text) <= 400 for one in found.places)
    assert next(one for one in found.places if one.path == "dos.py").text == "queue_depth = 2"
    assert found.full


def test_hostile_names_of_files(code: Code) -> None:
    names = ["a\nb.py", "Binary file x matches\ny.py", "-e.py", "x:1:y.py", 'q"uote.py', "tab\t.py", ":(exclude)jobs.py"]
    for name in names:
        code.write(name, "parcel_size = 1\n")
    code.write(os.fsdecode(b"\xff.py"), "parcel_size = 1\n")
    found = {one.path for one in search(code, "parcel size").places}
    assert found == {*names, os.fsdecode(b"\xff.py")} - {"Binary file x matches\ny.py"} | {"x", "y.py"}
    code.commit("Odd names")
    for name in names:
        code.write(name, "")
    assert set(names) - {"Binary file x matches\ny.py"} <= {one.path for one in search(code, "parcel size").places}


def test_what_is_typed_is_no_pattern_and_no_option(code: Code) -> None:
    code.write("x.py", "a.*b\n[z]\n--color\n")
    assert told(search(code, "a.*b")) == [("x.py", 1, "used")]
    assert told(search(code, "[z]")) == [("x.py", 2, "used")]
    assert told(search(code, "--color")) == [("x.py", 3, "used")]
    assert told(search(code, "jobs.*y")) == []


def test_letters_beyond_ascii_in_any_case(code: Code) -> None:
    code.write("x.py", "Größe = 1\nÄNDERUNG = 2\n")
    assert [line for _, line, _ in told(search(code, "größe"))] == [1]
    assert [line for _, line, _ in told(search(code, "änderung"))] == [2]


def test_submodules_links_and_lfs_are_told(code: Code, tmp_path: Path) -> None:
    other = Code(tmp_path / "other")
    other.commit("Other", x__py="parcel_size = 1\n")
    code.git("submodule", "--quiet", "add", str(other.folder), "sub")
    Code(code.folder / "inner").commit("Inner", y__py="parcel_size = 1\n")
    os.symlink("/etc/hostname", code.folder / "link")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    code.write("big.psd", pointer)
    code.git("add", "link", "big.psd")
    code.git("config", "submodule.recurse", "true")
    found = search(code, "parcelSize")
    assert found.places == []
    assert found.unsearched == (
        "2 submodules",
        "1 targets of symbolic links",
        "1 files in git LFS that are not here",
        "ignored files",
        "inside archives, images and UTF-16 text",
    )


def test_what_is_not_checked_out_is_searched_at_head(code: Code) -> None:
    code.write("far/x.py", "parcel_size = 1\n")
    code.commit("Far")
    code.git("sparse-checkout", "set", "--cone", "near")
    found = search(code, "parcel size")
    assert [(one.path, one.line, one.at_head) for one in found.places] == [("far/x.py", 1, True)]
    assert found.unsearched == ("ignored files", "inside archives, images and UTF-16 text")


def test_what_is_neither_checked_out_nor_here_is_told_and_its_name_is_searched(code: Code, tmp_path: Path) -> None:
    code.write("far/rate_limit.py", "parcel_size = 1\n")
    code.commit("Far")
    code.git("config", "uploadpack.allowFilter", "true")
    part = Code.__new__(Code)
    part.folder = tmp_path / "part"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", "--sparse", f"file://{code.folder}", str(part.folder)], check=True)
    found = search(part, "parcel size")
    assert found.places == []
    assert "1 files outside the sparse checkout" in found.unsearched
    assert told(search(part, "rate limit")) == [("far/rate_limit.py", 0, "file name")]


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_files_that_git_takes_for_unchanged_are_searched_as_they_are(code: Code, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    code.git("update-index", flag, "jobs.py")
    code.write("jobs.py", "parcel_size = 1\n")
    code.write(".gitignore", "*.py\n")
    assert told(search(code, "parcel size")) == [("jobs.py", 1, "assigned")]
    monkeypatch.setattr(tree, "_MOST_NAMED", 0)
    assert "1 files that git is told to take for unchanged" in search(code, "zebra").unsearched


def test_what_is_staged_in_a_version_of_its_own_is_searched(code: Code) -> None:
    code.write("jobs.py", "parcel_size = 1\n")
    code.write("new.py", "parcel_size = 2\n")
    code.write(":odd.py", "parcel_size = 3\n")
    code.git("add", "-A")
    code.write("jobs.py", "")
    os.unlink(code.folder / "new.py")
    code.write(":odd.py", "parcel_size = 3\nmore\n")
    found = search(code, "parcel size")
    assert [(one.path, one.line, one.at_head, one.staged) for one in found.places] == [
        (":odd.py", 1, False, False),
        ("jobs.py", 1, False, True),
        ("new.py", 1, False, True),
    ]
    assert found.changed == 1


def test_links_that_are_not_tracked_are_told_too(code: Code) -> None:
    os.symlink("/etc/passwd", code.folder / "new")
    os.unlink(code.folder / "jobs.py")
    os.symlink("/etc/passwd", code.folder / "jobs.py")
    found = search(code, "root")
    assert found.places == []
    assert found.unsearched[0] == "2 targets of symbolic links"


def test_names_of_links_submodules_and_inner_repositories_count(code: Code, tmp_path: Path) -> None:
    os.symlink("nowhere", code.folder / "parcel_size")
    Code(code.folder / "rate_limit").commit("Inner")
    code.git("add", "parcel_size")
    code.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/backoff")
    assert told(search(code, "parcel size")) == [("parcel_size", 0, "file name")]
    assert told(search(code, "rate limit")) == [("rate_limit/", 0, "file name")]
    assert told(search(code, "backoffs")) == [("vendor/backoff", 0, "file name")]
    code.git("commit", "-qm", "Links")
    subprocess.run(["git", "clone", "-q", "--bare", str(code.folder), str(tmp_path / "bare.git")], check=True)
    bare = Code.__new__(Code)
    bare.folder = tmp_path / "bare.git"
    assert [told(search(bare, name)) for name in ("parcel size", "backoff")] == [
        [("parcel_size", 0, "file name")],
        [("vendor/backoff", 0, "file name")],
    ]


WORD = st.from_regex(r"[a-z]{2,6}|[a-z]{2,4}[0-9]|[é-ñа-я]{3,4}", fullmatch=True)
SPELLED = (
    "_".join,
    "-".join,
    " ".join,
    lambda words: "_".join(words).upper(),
    lambda words: words[0] + "".join(map(str.title, words[1:])),
    lambda words: words[0].upper() + "_" + "".join(map(str.title, words[1:])),
)
STATES = ("committed", "changed since", "staged", "staged and changed since", "untracked", "gone since", "told to be unchanged", "a name")


@settings(max_examples=30)
@given(st.lists(WORD, min_size=2, max_size=3), st.sampled_from(SPELLED), st.sampled_from(SPELLED), st.sampled_from(STATES), st.booleans())
def test_what_git_grep_finds_by_a_spelling_is_never_absent(
    words: list[str], there: Callable[[list[str]], str], typed: Callable[[list[str]], str], state: str, glued: bool
) -> None:
    text = f"x.{there(words)}{'_2(1)' if glued else ' y'}\n"
    with tempfile.TemporaryDirectory() as folder:
        code = Code(Path(folder))
        begun = state in ("committed", "changed since", "gone since")
        code.commit("Begin", **{"a.py": text if begun else "nothing\n", "b/other.py": "nothing\n"})
        path = there(words) if state == "a name" else "new.py" if state == "untracked" else "a.py"
        if state in ("staged and changed since", "told to be unchanged", "staged", "untracked", "a name"):
            code.write(path, text)
        if state in ("staged", "staged and changed since"):
            code.git("add", "-A")
        if state in ("changed since", "staged and changed since"):
            code.write(path, "nothing\n")
        if state == "told to be unchanged":
            code.git("update-index", "--assume-unchanged", path)
        if state == "gone since":
            code.git("rm", "-q", path)
        assert search(code, typed(words)).places


def test_a_git_without_perls_expressions_finds_the_same(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    code.write("x.py", "EVP_EncryptInit(a[0])\nÄpfelÜben\nmax_retry_counts\na.*b [z]\\d ^$ {2}|(x)\n")
    names = ["evp encrypt init", "äpfel_üben", "MaxRetriesCount", "a.*b", "[z]\\d", "^$ {2}|(x)", "zebra"]
    there = [told(search(code, name)) for name in names]
    assert [len(one) for one in there] == [1, 1, 1, 1, 1, 1, 0]
    monkeypatch.setattr(tree, "ENGINES", ("--no-such-option", "-E"))
    assert [told(search(code, name)) for name in names] == there


def test_a_claim_of_absence_is_no_place(code: Code) -> None:
    code.write("entries/x.md", '- absent acme/api@1234567 "parcel size"\n')
    assert told(search(code, "parcel size")) == []


def test_settings_of_the_repository_do_not_matter(code: Code) -> None:
    for key, value in (
        ("grep.column", "true"),
        ("grep.fullName", "false"),
        ("grep.patternType", "perl"),
        ("color.ui", "always"),
        ("core.fsmonitor", "touch fsmonitor-ran"),
        ("diff.external", "touch diff-ran"),
    ):
        code.git("config", key, value)
    code.write("jobs.py", "token_cron()\n")
    assert told(search(code, "token cron"))[-1] == ("vault.py", 2, "used")
    assert not {"fsmonitor-ran", "diff-ran"} & set(os.listdir(code.folder))


def test_worktrees_bare_detached_and_empty_repositories(code: Code, tmp_path: Path) -> None:
    code.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    (tmp_path / "tree" / "only.py").write_text("here_alone = 1\n")
    linked = Reader(Code.checkout(code), environ())
    assert told(tree.search(linked, ["here_alone"])) == []
    there = Code.__new__(Code)
    there.folder = tmp_path / "tree"
    assert told(search(there, "here alone")) == [("only.py", 1, "assigned")]
    subprocess.run(["git", "clone", "-q", "--bare", str(code.folder), str(tmp_path / "bare.git")], check=True)
    there.folder = tmp_path / "bare.git"
    bare = search(there, "token cron")
    assert (bare.places[0].path, bare.places[0].line, bare.places[0].at_head) == ("jobs.py", 1, True)
    assert (bare.files, bare.size) == (3, search(code, "x").size)
    empty = Code(tmp_path / "empty")
    empty.write("x.py", "parcel_size = 1\n")
    assert told(search(empty, "parcel size")) == [("x.py", 1, "assigned")]
    assert search(Code(tmp_path / "void.git", "--bare"), "x").files == 0


def test_a_bare_repository_tells_of_its_links_and_submodules(tmp_path: Path) -> None:
    code = Code(tmp_path / "api")
    os.symlink("nowhere", code.folder / "link")
    code.commit("Begin", x__py="a = 1\n")
    code.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    code.git("-c", "user.name=Ada", "commit", "-qm", "Sub")
    subprocess.run(["git", "clone", "-q", "--bare", str(code.folder), str(tmp_path / "bare.git")], check=True)
    bare = Code.__new__(Code)
    bare.folder = tmp_path / "bare.git"
    assert search(bare, "zebra").unsearched[:2] == ("1 submodules", "1 targets of symbolic links")


def test_a_folder_where_a_file_is_tracked_has_no_size(code: Code) -> None:
    os.unlink(code.folder / "jobs.py")
    (code.folder / "jobs.py").mkdir()
    assert search(code, "zebra").size < 100


def test_what_git_cannot_do_is_said(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"answer": Said(0, b"", late=True)}

    class Slow(Reader):
        def run(self, *args: str, **_more: object) -> Said:
            return said["answer"] if args[0] == "grep" else Said(0, b"")

    with pytest.raises(Unproved, match="was not done after 120 seconds"):
        tree.search(Slow(code.checkout(), environ()), ["x"])
    said["answer"] = Said(128, b"")
    with pytest.raises(Unproved, match="exit code 128"):
        tree.search(Slow(code.checkout(), environ()), ["x"])
    monkeypatch.setattr(tree.os, "lstat", broken)  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError):
        search(code, "x")


def broken(_path: str) -> os.stat_result:
    raise ZeroDivisionError


def test_a_damaged_repository_is_said(code: Code) -> None:
    place = code.checkout()
    (code.folder / ".git" / "index").write_bytes(b"DIRC broken")
    with pytest.raises(Unproved, match="failed with exit code 128"):
        tree.search(Reader(Checkout(*place), environ()), ["x"])


def test_a_tracked_file_that_is_ignored_is_searched(code: Code) -> None:
    code.write("kept.log", "parcel_size = 1\n")
    code.git("add", "-f", "kept.log")
    code.write(".gitignore", "*.log\n")
    assert told(search(code, "parcel size")) == [("kept.log", 1, "assigned")]


def test_files_that_cannot_be_read_are_told(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    (code.folder / "jobs.py").chmod(0)
    # For root everything can be read.
    reader = code.reader()
    monkeypatch.setattr(tree.os, "access", lambda _path, _mode: False)  # type: ignore[attr-defined]
    assert "1 files that cannot be read" in tree.search(reader, ["zebra"]).unsearched


def test_files_in_a_folder_that_cannot_be_entered_are_told(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_path: str) -> os.stat_result:
        raise PermissionError

    reader = code.reader()
    monkeypatch.setattr(tree.os, "lstat", closed)  # type: ignore[attr-defined]
    assert "3 files that cannot be read" in tree.search(reader, ["zebra"]).unsearched


def test_a_listing_cut_short_is_an_error(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MOST_LISTED", 10)
    with pytest.raises(Unproved, match="git ls-files failed"):
        search(code, "x")


def test_a_name_inside_of_very_many_longer_words_is_looked_for_on(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    code.write("a.txt", "concatenate\n" * 200)
    code.write("b.txt", "the cat\n")
    code.commit("Many")
    monkeypatch.setattr(tree, "MOST_OUTPUT", (1000, 1 << 20))
    assert [(one.path, one.line) for one in search(code, "cat").places] == [("b.txt", 1)]
    code.commit("None", b__txt="")
    assert search(code, "cat").places == []
    monkeypatch.setattr(tree, "MOST_OUTPUT", (1000, 1001))
    with pytest.raises(Unproved, match="too often to tell"):
        search(code, "cat")


def test_history_of_a_word_beyond_ascii(code: Code) -> None:
    code.commit("Begin", x__py="GRÖSSE = 1\n")
    code.commit("Drop", x__py="")
    found = history.search(code.reader(), ["größe"], 9.0)
    assert found.trace is not None
    assert found.trace.subject == "Drop"
