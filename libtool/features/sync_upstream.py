"""Which branch of which remote a library's branch is synced with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.schema import LIBRARY_MARK
from libtool.errors import SyncRefused
from libtool.storage.repo_merge import is_entry

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from libtool.storage.repo_wire import Heads

HEADS = "refs/heads/"
STARTERS = (b"readme", b"license", b"licence", b".gitignore", b".gitattributes")
"""How the names of the files begin that a forge offers to put into a new repository."""


class Upstream(NamedTuple):
    """A branch of a remote."""

    remote: str
    """The remote's name; '' when the library has none."""
    branch: str
    """The short name of its branch, or '' when the configuration does not say."""


def upstream_of(branch: str, settings: Mapping[str, str]) -> Upstream:
    """What the configuration says for a branch (short name): its own remote, else the only one, else origin. Raises SyncRefused."""
    remotes = sorted(
        {key.removeprefix("remote.").rpartition(".")[0] for key in settings if key.startswith("remote.") and key.endswith(".url")}
    )
    configured = settings.get(f"branch.{branch}.remote", "")
    if configured == ".":
        raise SyncRefused(
            f"the branch {branch} follows another branch of this repository", hint=f"git branch --set-upstream-to=origin/{branch}"
        )
    if configured:
        if configured not in remotes:
            raise SyncRefused(
                f"the branch {branch} follows the remote {configured}, which is not there", hint=f"git remote add {configured} URL"
            )
        return Upstream(configured, settings.get(f"branch.{branch}.merge", "").removeprefix(HEADS))
    if len(remotes) > 1 and "origin" not in remotes:
        raise SyncRefused(f"which remote? The library has {', '.join(remotes)}", hint=f"git branch --set-upstream-to=REMOTE/{branch}")
    return Upstream("origin" if "origin" in remotes else "".join(remotes), "")


def refuse_other_push(branch: str, upstream: Upstream, settings: Mapping[str, str]) -> None:
    """Raise SyncRefused where git pushes a branch to another remote than it is fetched from: what is merged must go back whence it came."""
    pushed = settings.get(f"branch.{branch}.pushremote") or settings.get("remote.pushdefault") or upstream.remote
    if upstream.remote and pushed != upstream.remote:
        raise SyncRefused(
            f"the branch {branch} comes from {upstream.remote} and is pushed to {pushed} (pushRemote or remote.pushDefault): "
            "a library is synced with one remote",
            hint=f"let this library be pushed to it too: `git config branch.{branch}.pushRemote {upstream.remote}`",
        )


def chosen(upstream: Upstream, branch: str, heads: Heads) -> str:
    """The remote's branch to sync with: the configured one, else that of the same name, else its default one, else a new one."""
    if upstream.branch:
        return upstream.branch
    return branch if branch in heads.branches else heads.default or branch


def may_join(files: Collection[bytes]) -> bool:
    """Whether a history with these files, none in common with ours, may join a library: another one, or what a forge begins one with."""
    if LIBRARY_MARK.encode() in files or any(map(is_entry, files)):
        return True
    return all(path.lower().startswith(STARTERS) and b"/" not in path for path in files)


def tracking_ref(upstream: Upstream, branch: str, settings: Mapping[str, str]) -> str:
    """Our ref for the remote's branch, by the remote's refspec where that is of the usual form."""
    source, _, target = settings.get(f"remote.{upstream.remote}.fetch", "").lstrip("+").partition(":")
    if source == HEADS + "*" and target.startswith("refs/remotes/") and target.endswith("/*"):
        return target[:-1] + branch
    return f"refs/remotes/{upstream.remote}/{branch}"


def urls_of(remote: str, settings: Mapping[str, str]) -> tuple[str, str]:
    """(URL to fetch from, URL to push to), with `url.*.insteadOf` and `pushInsteadOf` applied as git does: the longest match wins."""
    url = settings[f"remote.{remote}.url"]
    push = settings.get(f"remote.{remote}.pushurl", "")
    fetch = _rewritten(url, settings, ".insteadof") or url
    return fetch, (_rewritten(push, settings, ".insteadof") or push) if push else (_rewritten(url, settings, ".pushinsteadof") or fetch)


def _rewritten(url: str, settings: Mapping[str, str], kind: str) -> str:
    rules = [(value, key[len("url.") : -len(kind)]) for key, value in settings.items() if key.startswith("url.") and key.endswith(kind)]
    fitting = max((rule for rule in rules if url.startswith(rule[0])), key=lambda rule: len(rule[0]), default=None)
    return fitting[1] + url[len(fitting[0]) :] if fitting else ""


def short(ref: str) -> str:
    """The name of a branch without `refs/heads/`."""
    return os.fsdecode(ref).removeprefix(HEADS)
