"""Logins for http(s) remotes: the user's own credential helpers by `git credential`, or the files that git reads, where there is no git.

Nothing here is stored, logged or put into a message.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from libtool.storage import git

if TYPE_CHECKING:
    from collections.abc import Mapping


class Login(NamedTuple):
    """User and password for one URL; `answer` is what the helper said, to be given back to it."""

    user: str
    password: str
    answer: bytes = b""

    def __repr__(self) -> str:
        """No value: what is printed by accident must not be one."""
        return "Login(...)"


class Credentials:
    """The login of one remote: asked for once, then told to the helper as good or bad."""

    def __init__(self, url: str, folder: str, environ: Mapping[str, str]) -> None:
        """`url` may hold a user name and a password; `folder` is the library, whose configuration names helpers."""
        self._url = urlsplit(url)
        self._environ = environ
        self._git = git.Git(folder, environ) if git.find(environ) else None
        self._asked = False
        self.login = self._of_url()
        """The login to use, or None: without one, or none is known yet."""

    def ask(self) -> bool:
        """After a refusal: look for another login; whether there is one. The refused one is told to the helper, who drops it."""
        if self.login is not None and self._asked:
            self._tell("reject")
            self.login = None
            return False
        self._asked = True
        self.login = self._filled() if self._git else self._stored()
        return self.login is not None

    def approve(self) -> None:
        """The login was accepted: helpers may keep it."""
        self._tell("approve")

    def _of_url(self) -> Login | None:
        if self._url.username and self._url.password:
            return Login(unquote(self._url.username), unquote(self._url.password))
        return None

    def _filled(self) -> Login | None:
        assert self._git is not None  # noqa: S101 - the caller looked
        wanted = {"protocol": self._url.scheme, "host": self._host()}
        if self._url.path.strip("/"):
            wanted["path"] = self._url.path.strip("/")
        if self._url.username:
            wanted["username"] = unquote(self._url.username)
        ended = self._git.call("credential", "fill", stdin=_lines(wanted))
        told = dict(line.partition("=")[::2] for line in os.fsdecode(ended.out).splitlines())
        if ended.code or "password" not in told:
            return None
        return Login(told.get("username", ""), told["password"], ended.out)

    def _tell(self, verb: str) -> None:
        if self._git and self.login and self.login.answer:
            self._git.call("credential", verb, stdin=self.login.answer)

    def _host(self) -> str:
        host = self._url.hostname or ""
        host = f"[{host}]" if ":" in host else host
        return f"{host}:{self._url.port}" if self._url.port else host

    def _stored(self) -> Login | None:
        """What `git credential-store` and curl would find: ~/.git-credentials and ~/.netrc."""
        home = self._environ.get("HOME", "")
        configured = self._environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        user = unquote(self._url.username or "")
        for path in (os.path.join(home, ".git-credentials"), os.path.join(configured, "git", "credentials")):
            with contextlib.suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
                for line in file:
                    one = urlsplit(line.strip())
                    same = (one.scheme, one.hostname, one.port) == (self._url.scheme, self._url.hostname, self._url.port)
                    if same and one.username and one.password and user in ("", unquote(one.username)):
                        return Login(unquote(one.username), unquote(one.password))
        import netrc  # noqa: PLC0415 - rare

        with contextlib.suppress(OSError, netrc.NetrcParseError):
            found = netrc.netrc(os.path.join(home, ".netrc")).authenticators(self._url.hostname or "")
            if found and user in ("", found[0]):
                return Login(found[0], found[2])
        return None


def _lines(values: Mapping[str, str]) -> bytes:
    """A credential as git takes it. A value with a line end could forge another one: left out."""
    return b"".join(os.fsencode(f"{name}={value}\n") for name, value in values.items() if "\n" not in value and "\0" not in value)
