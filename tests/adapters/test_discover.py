from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libtool.adapters.base import Place
from libtool.adapters.discover import Findings, Limits, below, find

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass
class Fake:
    """An adapter that only says where its files are."""

    agent: str = "fake"
    project_patterns: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    root: str = ""

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:  # noqa: ARG002 - the contract
        return [Place(self.root or os.path.join(home, ".fake"), self.patterns)] if self.patterns else []

    def sniff(self, head: bytes, path: str) -> bool:
        raise NotImplementedError

    def reader(self, path: str, state: dict[str, Any] | None) -> Any:
        raise NotImplementedError

    def side_files(self, path: str) -> tuple[str, ...]:
        raise NotImplementedError


def plant(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def found(root: Path, adapter: Fake, findings: Findings | None = None, limits: Limits | None = None) -> list[str]:
    roots = [str(root)] if adapter.project_patterns else []
    return [os.path.relpath(each.path, root) for each in find([adapter], str(root), {}, roots, findings=findings, limits=limits)]


def test_patterns_of_places(tmp_path: Path) -> None:
    plant(
        tmp_path,
        ".fake/b/x.jsonl",
        ".fake/a/x.jsonl",
        ".fake/a/y.txt",
        ".fake/a/deep/er/z.jsonl",
        ".fake/one.db",
        ".fake/.h/x.jsonl",
        ".fake/x.jsonl",
    )
    assert found(tmp_path, Fake(patterns=("*/*.jsonl", "one.db", "none.db", "a/none/x"))) == [
        ".fake/a/x.jsonl",
        ".fake/b/x.jsonl",
        ".fake/one.db",
    ]
    assert found(tmp_path, Fake(patterns=("**/*.jsonl",))) == [
        f".fake/{name}" for name in ("x.jsonl", "a/x.jsonl", "a/deep/er/z.jsonl", "b/x.jsonl")
    ]
    assert found(tmp_path, Fake(patterns=("x.jsonl",), root=str(tmp_path / "absent"))) == []


def test_what_a_candidate_says(tmp_path: Path) -> None:
    plant(tmp_path, ".fake/x", "p/y")
    place, project = find([Fake(patterns=("x",), project_patterns=("y",))], str(tmp_path), {}, [str(tmp_path)])
    facts = (tmp_path / "p/y").stat()
    assert (place.root, place.agent) == (str(tmp_path / ".fake"), "fake")
    assert (project.path, project.size, project.mtime_ns, project.inode, project.root) == (
        str(tmp_path / "p/y"),
        3,
        facts.st_mtime_ns,
        facts.st_ino,
        str(tmp_path),
    )


def test_each_real_file_once(tmp_path: Path) -> None:
    plant(tmp_path, ".fake/a/x.md")
    os.link(tmp_path / ".fake/a/x.md", tmp_path / ".fake/a/y.md")
    (tmp_path / ".fake/b").symlink_to(tmp_path / ".fake/a")
    assert found(tmp_path, Fake(patterns=("*/*.md", "a/x.md"))) == [".fake/a/x.md"]


def test_circles_of_links_end(tmp_path: Path) -> None:
    plant(tmp_path, ".fake/a/x.md", "p/q/x.md")
    (tmp_path / ".fake/a/loop").symlink_to(tmp_path / ".fake")
    (tmp_path / "p/loop").symlink_to(tmp_path)
    assert found(tmp_path, Fake(patterns=("**/*.md",))) == [".fake/a/x.md"]
    assert found(tmp_path, Fake(project_patterns=("x.md",))) == ["p/q/x.md"]


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    plant(tmp_path, ".fake/ok.md", ".fake/folder.md/x")
    os.mkfifo(tmp_path / ".fake/pipe.md")
    (tmp_path / ".fake/gone.md").symlink_to(tmp_path / "nowhere")
    findings = Findings()
    assert found(tmp_path, Fake(patterns=("*.md",)), findings) == [".fake/ok.md"]
    assert [(os.path.basename(path), why) for path, why in findings.problems] == [
        ("folder.md", "a folder where a file should be"),
        ("gone.md", "no such file or directory"),
        ("pipe.md", "not a regular file"),
    ]


def test_a_folder_that_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, ".fake/shut/x.md", "shut/x.md", "open/x.md")
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    # As root, a test cannot take a permission away from itself.
    monkeypatch.setattr(os, "scandir", refusing)
    findings = Findings()
    assert found(tmp_path, Fake(patterns=("*/*.md",), project_patterns=("x.md",)), findings) == ["open/x.md"]
    assert findings.problems == [(str(tmp_path / ".fake/shut"), "permission denied"), (str(tmp_path / "shut"), "permission denied")]


def test_what_may_not_be_looked_at_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, ".fake/shut/a/x.md", ".fake/shut/a/y.md", ".fake/ok.md")

    def refusing(real: Any, path: Any, **more: Any) -> Any:
        if "shut/" in str(path):
            raise PermissionError(13, "Permission denied", path)
        return real(path, **more)

    monkeypatch.setattr(os, "stat", partial(refusing, os.stat))
    monkeypatch.setattr(os, "lstat", partial(refusing, os.lstat))
    findings = Findings()
    patterns = ("shut/a/x.md", "shut/*", "shut/a/y.md", "ok.md")
    assert found(tmp_path, Fake(patterns=patterns), findings) == [".fake/ok.md"]
    assert findings.problems == [(str(tmp_path / ".fake/shut"), "permission denied"), (str(tmp_path / ".fake/shut/a"), "permission denied")]
    assert found(tmp_path, Fake(patterns=("x",), root=str(tmp_path / ".fake/shut/a")), findings) == []
    assert len(findings.problems) == 2


def test_what_goes_between_listing_and_looking_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, ".fake/x.md", ".fake/y.md")
    real = os.stat

    def losing(path: Any, **more: Any) -> Any:
        if str(path).endswith("x.md"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path, **more)

    monkeypatch.setattr(os, "stat", losing)
    findings = Findings()
    assert found(tmp_path, Fake(patterns=("*.md",)), findings) == [".fake/y.md"]
    assert findings.problems == []


def test_projects(tmp_path: Path) -> None:
    plant(
        tmp_path,
        ".log.md",
        "a/.log.md",
        "a/b/c/d/.log.md",
        "a/b/c/d/e/.log.md",
        "a/b/c/d/.spec/history/x.md",
        "a/.spec/other/x.md",
        "a/node_modules/m/.log.md",
        "a/.hidden/.log.md",
        "a/docs/deep/er/n.md",
        "a/docs/.git/n.md",
        "a/target/docs/n.md",
        "target/.spec/history/x.md",
    )
    adapter = Fake(project_patterns=(".log.md", ".spec/history/*.md", "docs/**/*.md"))
    assert found(tmp_path, adapter) == [".log.md", "a/.log.md", "a/b/c/d/.log.md", "a/docs/deep/er/n.md", "a/b/c/d/.spec/history/x.md"]


def test_patterns_from_the_configuration_replace_the_adapters(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "b.md")
    each = find([Fake(project_patterns=("a.md",))], str(tmp_path), {}, [str(tmp_path)], patterns={"fake": ("b.md",)})
    assert [os.path.basename(one.path) for one in each] == ["b.md"]


def test_overlapping_roots(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.md")
    roots = [str(tmp_path), str(tmp_path / "a"), str(tmp_path), str(tmp_path / "absent")]
    assert len(list(find([Fake(project_patterns=("x.md",))], str(tmp_path), {}, roots))) == 1


def test_an_unchanged_tree_costs_one_stat_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "a/x.md", "a/b/x.md", "c/x.md", "c/.spec/y.md")
    adapter = Fake(project_patterns=("x.md", ".spec/*.md"))
    first = Findings()
    before = found(tmp_path, adapter, first)
    again = Findings(cache=json.loads(json.dumps(first.cache)))
    monkeypatch.setattr(os, "scandir", None)
    assert found(tmp_path, adapter, again) == before
    assert (first.folders, first.scanned, again.folders, again.scanned) == (5, 5, 5, 0)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_with_a_cache_the_answer_is_that_of_a_fresh_walk(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("tree")
    names = st.lists(st.sampled_from(["a", "b", ".spec", "dist"]), max_size=3).map(lambda parts: "/".join([*parts, "x.md"]))
    adapter = Fake(project_patterns=("x.md", ".spec/*.md"))
    cache: dict[str, Any] = {}
    for _ in range(3):
        for name in data.draw(st.lists(names, max_size=4)):
            path = root / name
            if path.exists():
                path.unlink()
            else:
                plant(root, name)
        for folder, _, _ in os.walk(root):
            # Two changes within one tick of the clock are not told apart by any mtime: keep them apart here.
            facts = os.stat(folder)
            os.utime(folder, ns=(facts.st_atime_ns, facts.st_mtime_ns + data.draw(st.integers(1, 3)) * 10**9))
        findings = Findings(cache=json.loads(json.dumps(cache)))
        assert found(root, adapter, findings) == found(root, adapter)
        cache = findings.cache


def test_other_patterns_make_the_cache_void(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.md", "a/y.md")
    first = Findings()
    found(tmp_path, Fake(project_patterns=("x.md",)), first)
    again = Findings(cache=first.cache)
    assert found(tmp_path, Fake(project_patterns=("y.md",)), again) == ["a/y.md"]
    assert again.scanned == 2


@pytest.mark.parametrize("entry", [None, [], [0, 1], "x", {"a": 1}, [1, 2, 3], ["MTIME", 3, []], ["MTIME", [], [[1]]], ["MTIME", [], 5]])
def test_a_damaged_cache_is_not_used(tmp_path: Path, entry: Any) -> None:
    plant(tmp_path, "x.md")
    adapter = Fake(project_patterns=("x.md",))
    first = Findings()
    found(tmp_path, adapter, first)
    mtime = os.stat(tmp_path).st_mtime_ns
    first.cache["folders"][str(tmp_path)] = [mtime if part == "MTIME" else part for part in entry] if isinstance(entry, list) else entry
    assert found(tmp_path, adapter, Findings(cache=first.cache)) == ["x.md"]
    assert found(tmp_path, adapter, Findings(cache=first.cache | {"folders": entry})) == ["x.md"]


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.md", "b/x.md")
    adapter = Fake(project_patterns=("x.md",))
    findings = Findings()
    found(tmp_path, adapter, findings)
    (tmp_path / "b/x.md").unlink()
    (tmp_path / "b").rmdir()
    again = Findings(cache=findings.cache)
    assert found(tmp_path, adapter, again) == ["a/x.md"]
    assert str(tmp_path / "b") not in again.cache["folders"]


def test_the_walk_ends_at_its_limits_and_says_so(tmp_path: Path) -> None:
    plant(tmp_path, *(f"{name}/x.md" for name in "abcd"))
    adapter = Fake(project_patterns=("x.md",))
    findings = Findings()
    assert found(tmp_path, adapter, findings, Limits(folders=3)) == ["a/x.md", "b/x.md"]
    assert findings.cut_short == "folders"
    ticks = iter(range(100))
    findings = Findings(cache=findings.cache)
    assert found(tmp_path, adapter, findings, Limits(seconds=2, clock=lambda: next(ticks))) == ["a/x.md"]
    assert findings.cut_short == "time"
    assert len(findings.cache["folders"]) == 3, "what an earlier walk learned is kept"
    assert found(tmp_path, adapter, Findings()) == ["a/x.md", "b/x.md", "c/x.md", "d/x.md"]


def test_a_second_search_lists_each_folder_of_a_place_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, *(f".fake/p{n % 40}/{n}.jsonl" for n in range(740)))
    adapter = Fake(patterns=("*/*.jsonl", "*/*/subagents/*.jsonl"), project_patterns=("x.md",))
    findings = Findings()
    assert len(found(tmp_path, adapter, findings)) == 740
    listed: list[str] = []
    scandir = os.scandir

    def counting(path: str) -> Any:
        listed.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counting)
    assert len(found(tmp_path, adapter, Findings(cache=findings.cache))) == 740
    assert sorted(listed) == sorted({str(tmp_path / ".fake"), *(str(tmp_path / f".fake/p{n}") for n in range(40))})


def test_below_a_folder_or_a_file(tmp_path: Path) -> None:
    plant(tmp_path, "b.md", "a/x.jsonl", "a/.hidden/y", "a/node_modules/z")
    os.mkfifo(tmp_path / "a/pipe")
    (tmp_path / "a/gone").symlink_to(tmp_path / "nowhere")
    each = list(below(str(tmp_path)))
    assert [os.path.relpath(one.path, tmp_path) for one in each] == ["b.md", "a/x.jsonl"]
    assert (each[1].root, each[1].agent, each[1].size) == (str(tmp_path / "a"), None, 9)
    assert [one.path for one in below(str(tmp_path / "b.md"))] == [str(tmp_path / "b.md")]
    assert list(below(str(tmp_path / "absent"))) == []
