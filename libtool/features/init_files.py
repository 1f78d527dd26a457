"""The files that `lib init` puts at the top of a library, beside its entries."""

from __future__ import annotations

import os

from libtool.domain.named import NamedTuple
from libtool.domain.schema import ENTRIES, INDEX, LIBRARY_MARK
from libtool.features.githooks import worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = b"1\n"
ATTRIBUTES = """\
# lib: without lib's merge driver git joins both sides; the next commit or `lib sync` puts the result in order.
entries/*.md text eol=lf merge=union
INDEX.md text eol=lf merge=union
machines/*.json text eol=lf
logins/*.json text eol=lf
"""
IGNORED = """\
# lib: what editors, systems and killed processes leave behind
*.lib-tmp
*.swp
*~
.DS_Store
"""
CHECKS = """\
# lib's own checks. The git hooks that `lib init` installs do the same and more, without pre-commit; these are for CI and for
# `pre-commit run --all-files`. Checks of other tools that you add here are run by lib's git hook after its own.
repos:
  - repo: local
    hooks:
      - id: lib-entries
        name: lib entries
        entry: lib-git-hook check-entries
        language: system
        files: ^entries/[^/]+\\.md$
        stages: [pre-commit, manual]
      - id: lib-index
        name: lib INDEX.md
        entry: lib-git-hook check-index
        language: system
        pass_filenames: false
        files: ^(entries/[^/]+\\.md|INDEX\\.md)$
        stages: [pre-commit, manual]
"""
README = """\
# A session library

What sessions with coding agents have decided, so that the next one need not find it out again. Made and read by `lib`.

- [INDEX.md](INDEX.md) has a line for each topic. It is generated: do not edit it.
- `entries/<topic>.md` holds one topic, in eight sections: Answer, Decided, Blocker, Superseded, Measured, Open, Pointers, Session.
- `machines/` and `logins/` hold a small file of each machine: how far it is covered, and which logins must be changed (no values).

Keep this repository private. Edit entries here or anywhere, with any editor; `lib check` says what is wrong with one.

On another machine, once `lib` is installed there in the way it was here:

```
lib init --clone THE-URL-OF-THIS-REPOSITORY
lib index
```

After that, `git pull` and `git push` work as always, and `lib sync` does both.
"""


class LibraryFile(NamedTuple):
    """A file of a library: its path in it, what it holds in a new one, and the text to add to one that is there (None: leave it)."""

    path: str
    content: bytes
    addition: bytes | None = None

    def is_in(self, top: str) -> bool:
        """Whether a library holds it as a new one does."""
        return worktree.read(os.path.join(top, self.path)) == self.content


def library_files(empty_index: Callable[[], bytes]) -> tuple[LibraryFile, ...]:
    """All of them, in the order they are made; `empty_index` gives the INDEX.md of no entries."""
    return (
        LibraryFile(LIBRARY_MARK, FORMAT),
        LibraryFile(f"{ENTRIES}/.gitkeep", b""),
        LibraryFile(".gitattributes", ATTRIBUTES.encode(), ATTRIBUTES.encode()),
        LibraryFile(".gitignore", IGNORED.encode(), IGNORED.encode()),
        LibraryFile(".pre-commit-config.yaml", CHECKS.encode()),
        LibraryFile("README.md", README.encode()),
        LibraryFile(INDEX, empty_index()),
    )


def put(top: str, files: tuple[LibraryFile, ...]) -> list[str]:
    """Make those that are missing, add to those that lack our lines; the paths changed. A file with other content is left as it is."""
    has_entries = os.path.isdir(os.path.join(top, ENTRIES)) and any(name.endswith(".md") for name in os.listdir(os.path.join(top, ENTRIES)))
    changed = []
    for one in files:
        path = os.path.join(top, one.path)
        if one.path == INDEX and has_entries:
            # The first commit makes it, from what is staged then.
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            worktree.replace(path, None, one.content)
            changed.append(one.path)
            continue
        old = worktree.read(path)
        if old is None or one.addition is None:
            continue
        missing = [line for line in one.addition.splitlines() if line not in old.splitlines()]
        if missing and worktree.replace(path, old, old + (b"\n" if old and not old.endswith(b"\n") else b"") + b"\n".join(missing) + b"\n"):
            changed.append(one.path)
    return changed
