"""The merge of whole trees: laws over made-up trees, and each rule by an example."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from libtool.storage import repo_merge
from libtool.storage.repo_merge import PLAIN

if TYPE_CHECKING:
    from libtool.storage.repo_merge import File

EXECUTABLE, LINK = 0o100755, 0o120000
PATHS = (b"README.md", b"INDEX.md", b"machines/desk.json", b"bin", b"bin/tool", b"notes/a", b"notes")
CONTENTS = (b"", b"one\n", b"two\n", b"one\ntwo\n", b"one\nthree\ntwo\n", b"no end", b"\0one", b"\0two")


class Memory:
    """Blobs in a dict."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def read(self, blob: str) -> bytes:
        return self.contents[blob]

    def write(self, content: bytes) -> str:
        blob = hashlib.sha1(content, usedforsecurity=False).hexdigest()
        self.contents[blob] = content
        return blob

    def tree(self, files: dict[bytes, bytes], mode: int = PLAIN) -> dict[bytes, File]:
        return {path: (mode, self.write(content)) for path, content in files.items()}


def consistent(files: dict[bytes, tuple[int, bytes]]) -> dict[bytes, tuple[int, bytes]]:
    """Without files below a name that is itself a file."""
    return {path: file for path, file in files.items() if not any(path.startswith(other + b"/") for other in files)}


FILES = st.tuples(st.sampled_from((PLAIN, PLAIN, EXECUTABLE, LINK)), st.sampled_from(CONTENTS))
TREES = st.dictionaries(st.sampled_from(PATHS), FILES).map(consistent)


def kept(blobs: Memory, files: dict[bytes, tuple[int, bytes]]) -> dict[bytes, File]:
    return {path: (mode, blobs.write(content)) for path, (mode, content) in files.items()}


@given(TREES, TREES, TREES)
def test_sides_have_no_order_and_the_result_is_a_tree(base: object, ours: object, theirs: object) -> None:
    blobs = Memory()
    three = [kept(blobs, files) for files in (base, ours, theirs)]  # type: ignore[arg-type]
    merged = repo_merge.merge(three[0], three[1], three[2], blobs)
    other = repo_merge.merge(three[0], three[2], three[1], blobs)
    without_index = [{path: file for path, file in tree.items() if path != b"INDEX.md"} for tree in (merged.tree, other.tree)]
    assert without_index[0] == without_index[1]
    assert merged.notes == other.notes
    assert not [path for path in merged.tree for above in merged.tree if path.startswith(above + b"/")]


@given(TREES, TREES)
def test_what_one_side_did_is_what_comes(base: object, ours: object) -> None:
    blobs = Memory()
    old, new = kept(blobs, base), kept(blobs, ours)  # type: ignore[arg-type]
    assert repo_merge.merge(old, new, old, blobs) == (new, [])
    assert repo_merge.merge(old, old, new, blobs) == (new, [])
    assert repo_merge.merge(old, new, new, blobs) == (new, [])


LINES = st.lists(st.sampled_from((b"a\n", b"b\n", b"c\n", b"d")), max_size=6).map(b"".join)


@given(LINES, LINES, LINES)
def test_union_has_no_order_and_every_line_that_a_side_added(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = repo_merge.union(base, ours, theirs)
    assert merged == repo_merge.union(base, theirs, ours)
    added = {*ours.splitlines(), *theirs.splitlines()} - set(base.splitlines())
    assert added <= set(merged.splitlines())


@given(LINES, LINES)
def test_union_of_one_change_is_the_change(base: bytes, ours: bytes) -> None:
    ended = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in ours.splitlines(keepends=True)[:-1])
    assert repo_merge.union(base, ours, base) == ended + b"".join(ours.splitlines(keepends=True)[-1:])
    assert repo_merge.union(base, ours, ours) == repo_merge.union(base, ours, base)


def test_an_entry_is_merged_by_section_and_its_mode_follows_the_one_change() -> None:
    blobs = Memory()
    path = b"entries/cache.md"
    base = blobs.tree({path: b"# Cache\n"})
    ours = blobs.tree({path: b"# Cache\n\n## Decided\n\n- 2026-10-01: one.\n"}, EXECUTABLE)
    theirs = blobs.tree({path: b"# Cache\n\n## Decided\n\n- 2026-10-02: two.\n"})
    mode, blob = repo_merge.merge(base, ours, theirs, blobs).tree[path]
    assert mode == EXECUTABLE
    assert b"- 2026-10-01: one.\n- 2026-10-02: two.\n" in blobs.read(blob)


def test_two_new_files_of_different_modes_are_executable() -> None:
    blobs = Memory()
    ours, theirs = blobs.tree({b"run": b"one\n"}), blobs.tree({b"run": b"one\n"}, EXECUTABLE)
    assert repo_merge.merge({}, ours, theirs, blobs).tree == theirs


def test_a_machine_s_own_file_is_one_of_the_two_never_a_mixture() -> None:
    blobs = Memory()
    path = b"machines/desk.json"
    ours, theirs = blobs.tree({path: b'{"a": 1}'}), blobs.tree({path: b'{"a": 2}'})
    assert repo_merge.merge(blobs.tree({path: b"{}"}), ours, theirs, blobs) == (theirs, [])


def test_a_file_gives_way_to_a_folder() -> None:
    blobs = Memory()
    ours, theirs = blobs.tree({b"notes": b"mine"}), blobs.tree({b"notes/a": b"theirs"})
    merged = repo_merge.merge({}, ours, theirs, blobs)
    assert [(path, blobs.read(file[1])) for path, file in sorted(merged.tree.items())] == [
        (b"notes." + ours[b"notes"][1][:7].encode(), b"mine"),
        (b"notes/a", b"theirs"),
    ]
    assert merged.notes[0].startswith("notes: a file on one side, a folder on the other")


def test_links_that_both_changed_are_both_kept() -> None:
    blobs = Memory()
    ours, theirs = blobs.tree({b"link": b"here"}, LINK), blobs.tree({b"link": b"there"}, LINK)
    merged = repo_merge.merge({}, ours, theirs, blobs)
    assert sorted(blobs.read(file[1]) for file in merged.tree.values()) == [b"here", b"there"]


def test_only_files_directly_in_entries_are_entries() -> None:
    paths = (b"entries/a.md", b"entries/a.txt", b"entries/a/b.md", b"other/a.md")
    assert [repo_merge.is_entry(path) for path in paths] == [True, False, False, False]
    assert repo_merge.topic_of(b"entries/cache-keys.md") == "cache-keys"
