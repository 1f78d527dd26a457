"""The merge driver that `lib init` names to git: `main([%O, %A, %B, %P])` writes the merged file to %A and ends with 0.

On anything unexpected %A stays as it was and the exit code is 1; git's configuration goes on with `|| git merge-file --union -q %A %O %B`
then, and the next commit, `lib sync` or post-merge hook repairs what that leaves.
"""

from __future__ import annotations

import sys

from libtool.domain.schema import INDEX, READ_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Merge one file; arguments are the files with base, ours and theirs, and the path in the repository. The exit code."""
    # git shows what is said here in the middle of a pull; the fallback does its work, so there is nothing to tell.
    try:
        base, ours, theirs, path = argv
        merged = _merged(_read(base), _read(ours), _read(theirs), path)
        if merged is None:
            return 1
        from libtool.storage.files import write  # noqa: PLC0415 - after the part that may fail

        write(ours, merged)
    except Exception:  # noqa: BLE001 - whatever it is, git must go on with the fallback
        return 1
    return 0


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read(READ_LIMIT + 1)
    if len(data) > READ_LIMIT:
        raise ValueError("too large for an entry")
    return data


def _merged(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes | None:
    """None for a file that has no sections. git gives an empty base where both sides created the file."""
    if path == INDEX:
        return _index(base, ours, theirs)
    from libtool.domain.merge import merge, topic_of  # noqa: PLC0415 - not for INDEX.md

    topic = topic_of(path)
    return merge(base or None, ours, theirs, topic=topic) if topic else None


def _index(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """INDEX.md by its lines, until the post-merge hook builds it from the merged entries; None when a version is not as built."""
    from libtool.domain.index_md import build, lines_in  # noqa: PLC0415

    was, one, two = (lines_in(data) if data else {} for data in (base, ours, theirs))
    if was is None or one is None or two is None:
        return None
    merged = {topic: _line(was.get(topic), one.get(topic), two.get(topic)) for topic in one.keys() | two.keys()}
    return build({topic: line for topic, line in merged.items() if line is not None})


def _line(was: str | None, one: str | None, two: str | None) -> str | None:
    """The line of a topic: what one side changed; of two new ones the greater."""
    if two in (was, one):
        return one
    if one in (was, None):
        return two
    return one if two is None else max(one, two)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
