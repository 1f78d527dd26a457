from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.fold import fold
from tests.domain.histories import resolve
from tests.domain.merge_cases import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def folded(
    bases: Iterable[bytes], read: Callable[[bytes], bytes | None], merge_bases: Callable[[bytes, Sequence[bytes]], Iterable[bytes]]
) -> bytes | None:
    return fold(bases, read, merge_bases, resolve, None)


def test_no_base_and_one_base_need_no_folding() -> None:
    assert folded([], lambda _: b"", lambda *_: []) is None
    assert folded([b"1"], lambda commit: commit + b" as it is", lambda *_: []) == b"1 as it is"


def test_two_bases_are_merged_over_their_own_base_in_the_order_of_their_ids() -> None:
    old, mine, other = written(open=["gone"]), written(open=["a"]), written(open=["b", "gone"])
    read = {b"0": old, b"1": mine, b"2": other}.get
    assert folded([b"2", b"1", b"2"], read, lambda *_: [b"0"]) == written(open=["a", "b"])
    asked: list[tuple[bytes, Sequence[bytes]]] = []

    def roots(commit: bytes, others: Sequence[bytes]) -> list[bytes]:
        asked.append((commit, others))
        return []

    assert folded([b"2", b"0", b"1"], read, roots) == written(open=["a", "b", "gone"])
    assert asked == [(b"1", (b"0",)), (b"2", (b"0", b"1"))]


def test_a_file_that_one_base_lacks_is_there_in_the_fold() -> None:
    assert folded([b"1", b"2"], {b"2": written()}.get, lambda *_: []) == written()
    assert folded([b"1", b"2"], {b"0": written(), b"2": written()}.get, lambda *_: [b"0"]) is None


def test_a_long_chain_of_criss_cross_merges_ends() -> None:
    """Two commits a level, each merging both of the level below, and three of a level once: no level is folded twice."""
    reads: list[bytes] = []

    def read(commit: bytes) -> bytes:
        reads.append(commit)
        return written(open=[commit.decode()])

    def below(commit: bytes, _: Sequence[bytes]) -> list[bytes]:
        level = int(commit[1:])
        return [b"%c%06d" % (side, level - 1) for side in b"abc"] if level else []

    assert folded([b"a005000", b"b005000", b"c005000"], read, below) is not None
    assert len(reads) < 400
