"""What came with a sync and is no entry in its one form: edited or merged where no lib runs, on a forge or by git alone."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from libtool.domain.mend import canonical
from libtool.features.githooks.cleaning import has_conflict
from libtool.storage import repo_merge

if TYPE_CHECKING:
    from libtool.storage.repo_merge import Blobs, File, Tree

MANY = 500
"""New entries beyond which only those with conflict markers are put in order: each takes a millisecond."""


def mended(blobs: Blobs, files: Tree, before: Tree) -> tuple[dict[bytes, File], list[str]]:
    """`files` with the entries that `before` has not put in order, both sides of a conflict kept; a line for each conflict.

    No clock: whichever machine does it first, the others get the same bytes. What only a person can mend stays.
    """
    done, notes = dict(files), []
    new = [one for one in files.items() if one[1] != before.get(one[0]) and repo_merge.is_entry(one[0]) and stat.S_ISREG(one[1][0])]
    for path, file in new:
        data = blobs.read(file[1])
        if len(new) > MANY and not has_conflict(data):
            continue
        whole = canonical(data, topic=repo_merge.topic_of(path))
        if whole != data:
            done[path] = file[0], blobs.write(whole)
            if has_conflict(data):
                notes.append(f"{os.fsdecode(path)}: it came with conflict markers: both sides are kept, please read it over")
    return done, notes
