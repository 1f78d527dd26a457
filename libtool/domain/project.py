"""Which project a session belongs to: one key for all clones and worktrees of a repository.

In this order: the remote that the transcript itself states, the remote in the git configuration above the session's folder, the place of
the repository, the name of the folder. A key is `host/owner/name` in lower case, `local:/path` or `folder:name`. Whatever stands for a
login in a remote URL (user, password, token, query) is dropped before anything else is looked at.
"""

from __future__ import annotations

import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[str], str | None]

DEFAULT_HOST = "github.com"
"""Where `owner/name` lives, as copilot-cli writes it."""
SAME_HOST = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}
"""Hosts that serve ssh over port 443, and `ssh.dev.azure.com`, which has other paths too."""
MAX_HOPS = 5
"""How many clones of clones are followed to the first one's remote."""


class Project:
    """What a project is known by (`key`) and called (`name`)."""

    __slots__ = ("key", "name")

    def __init__(self, key: str, name: str) -> None:
        self.key = key
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Project) and (self.key, self.name) == (other.key, other.name)

    def __hash__(self) -> int:
        return hash((self.key, self.name))

    def __repr__(self) -> str:
        return f"Project({self.key!r}, {self.name!r})"


def identify(cwd: str, read: Read, repository: str = "") -> Project:
    """The project of a session that ran in `cwd`.

    `read` gives the text of a file, or None where there is none (a folder, no permission): the only way to the disk. `repository` is the
    transcript's own word: a remote URL or `owner/name`.
    """
    if repository and (project := of_remote(repository, read=read)):
        return project
    if cwd.startswith("/") and (common := common_dir(cwd, read)):
        return of_repository(common, read)
    name = cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return Project(f"folder:{name.lower()}" if name else "", name)


def of_repository(common: str, read: Read, hops: int = MAX_HOPS) -> Project:
    """The project of the repository whose git common dir is `common`: by its remote, else by its place."""
    place = _place(common)
    url = remote_url(read(posixpath.join(common, "config")) or "")
    if url and (project := of_remote(url, base=place, read=read, hops=hops)):
        return project
    return Project(f"local:{place}", place.rpartition("/")[2].removesuffix(".git"))


def of_remote(url: str, *, base: str = "/", read: Read | None = None, hops: int = MAX_HOPS) -> Project | None:
    """The project behind a remote URL of any of git's forms; None for one that names nothing.

    A path (absolute, or relative to `base`) is a clone on this machine: it is the project of the repository there.
    """
    host, path = _split(url.strip())
    if not host:
        return _of_path(path, base, read, hops)
    host = host.lower()
    parts = [part for part in path.removesuffix("/").removesuffix(".git").split("/") if part not in ("", ".", "..")]
    host, parts = _canonical(SAME_HOST.get(host, host), parts)
    return Project("/".join([host, *parts]).lower(), parts[-1]) if parts else None


def remote_url(config: str) -> str:
    """The URL of `origin`, else of `upstream`, else of the first remote, in the text of a git configuration; else empty."""
    urls: dict[str, str] = {}
    remote = ""
    for raw in config.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section, _, rest = line[1:].partition("]")
            kind, _, name = section.partition(" ")
            remote = name.strip().strip('"') if kind.lower() == "remote" else ""
            line = rest.strip()
        key, equals, value = line.partition("=")
        if remote and equals and key.strip().lower() == "url":
            urls.setdefault(remote, value.strip().strip('"'))
    return urls.get("origin") or urls.get("upstream") or next(iter(urls.values()), "")


def common_dir(cwd: str, read: Read) -> str:
    """The git common dir of the repository that holds `cwd` (the same for all its worktrees), or empty."""
    folder = posixpath.normpath(cwd)
    while True:
        dot_git = posixpath.join(folder, ".git")
        pointer = read(dot_git)
        if pointer is not None and pointer.startswith("gitdir:"):
            return _through_pointer(pointer, folder, read)
        if read(posixpath.join(dot_git, "HEAD")) is not None:
            return dot_git
        # A bare repository, as worktrees beside one have it.
        if read(posixpath.join(folder, "HEAD")) is not None and read(posixpath.join(folder, "config")) is not None:
            return folder
        parent = posixpath.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def _through_pointer(pointer: str, folder: str, read: Read) -> str:
    """The common dir behind a `.git` file, which a worktree or a submodule has."""
    git_dir = posixpath.normpath(posixpath.join(folder, pointer.removeprefix("gitdir:").strip()))
    common = read(posixpath.join(git_dir, "commondir"))
    if common is not None:
        return posixpath.normpath(posixpath.join(git_dir, common.strip()))
    # A worktree whose repository was moved or deleted: its place still says where it belongs.
    head, worktrees, _ = git_dir.rpartition("/worktrees/")
    return head if worktrees else git_dir


def _split(url: str) -> tuple[str, str]:
    """(host, path) without any login; host is empty for a path on this machine."""
    scheme, separator, rest = url.partition("://")
    if separator:
        return ("", "/" + rest.partition("/")[2]) if scheme.lower() == "file" else _authority(rest)
    if url.startswith(("/", "./", "../", "~")) or url in (".", ".."):
        return "", url
    if url[1:2] == ":" and url[0].isalpha():
        return "", url.replace("\\", "/")
    return _without_scheme(url)


def _without_scheme(url: str) -> tuple[str, str]:
    """The same for `[user@]host:path`, `host/path` and `owner/name`."""
    user, at, rest = url.partition("@")
    if at and ("/" not in user or ":" in user):
        # A colon before the @ means a password, which may hold anything: the last @ ends it.
        url = url.rpartition("@")[2] if ":" in user else rest
    url = _without_query(url)
    head, colon, path = url.partition(":")
    if colon and "/" not in head:
        return head, path
    host, slash, path = url.partition("/")
    if not slash or "." in host:
        return (host, path) if slash else ("", url)
    return (DEFAULT_HOST, url) if path and "/" not in path else ("", url)


def _authority(rest: str) -> tuple[str, str]:
    """(host, path) of what follows `scheme://`, without user, password and port."""
    authority, path = _cut(rest)
    if "@" not in authority and ":" in authority and not authority.rpartition(":")[2].isdecimal() and not authority.startswith("["):
        # A password with a slash or a question mark in it: no git would take this URL, but it must not become a project's name.
        authority, path = _cut(rest.rpartition("@")[2]) if "@" in rest else ("", "")
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return host.partition("]")[0].lstrip("["), path
    return host.partition(":")[0], path


def _cut(rest: str) -> tuple[str, str]:
    """(authority, path) without query and fragment."""
    authority, _, path = _without_query(rest).partition("/")
    return authority, path


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _canonical(host: str, parts: list[str]) -> tuple[str, list[str]]:
    """One form for hosts that serve one repository under several paths."""
    if host == "ssh.dev.azure.com":
        return "dev.azure.com", parts[1:]
    if host == "dev.azure.com":
        return host, [part for part in parts if part != "_git"]
    # Bitbucket Server: /scm/KEY/name over https is KEY/name over ssh.
    return host, parts[1:] if len(parts) == 3 and parts[0] == "scm" else parts


def _of_path(path: str, base: str, read: Read | None, hops: int) -> Project | None:
    """The project of a repository at a path of this machine."""
    if not path:
        return None
    place = _place(posixpath.normpath(posixpath.join(base, path)))
    if read is not None and hops > 0:
        for common in (posixpath.join(place, ".git"), place, place + ".git"):
            if read(posixpath.join(common, "HEAD")) is not None:
                return of_repository(common, read, hops - 1)
    return Project(f"local:{place}", place.rpartition("/")[2].removesuffix(".git"))


def _place(common: str) -> str:
    """The folder that a repository is known by: the main work tree, or the bare repository."""
    return common.removesuffix("/.git")
