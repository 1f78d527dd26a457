"""The files that each machine writes of itself into the library: what it covers, and the shareable part of its ledger of logins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.features import login_sharing, machines, sync_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from libtool.config import Config


PRODUCERS: tuple[tuple[str, Callable[[Config], bytes]], ...] = (("machines", machines.record), ("logins", login_sharing.shared))
"""(folder, what makes the content of its file for this machine: the same bytes while nothing has changed, none for no file)."""


def own_files(config: Config) -> Mapping[bytes, bytes]:
    """Path in the library to content, of each file that this machine writes."""
    made = {f"{folder}/{config.machine}.json".encode(): make(config) for folder, make in PRODUCERS}
    return {path: content for path, content in made.items() if content}


def former_files(config: Config, content: Callable[[bytes], bytes | None]) -> tuple[bytes, ...]:
    """The paths of the files that this machine wrote under the name it had before; none while it has kept its name.

    `content` reads a path of the library. What another machine wrote under that name since is not ours.
    """
    name = sync_identity.name_told(config)
    paths = tuple(f"{folder}/{name}.json".encode() for folder, _ in PRODUCERS)
    is_ours = name not in ("", config.machine) and sync_identity.said(content(paths[0])) == sync_identity.there(config)
    return paths if is_ours else ()
