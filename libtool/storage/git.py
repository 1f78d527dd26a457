"""C git as a process: work tree, index, identity, signing, credentials and hooks are its business wherever it is installed."""

from __future__ import annotations

import os
import re

from libtool.domain.named import NamedTuple
from libtool.errors import LibError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.storage.git_process import Process

REPOSITORY_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""What binds a process to one repository: of `git rev-parse --local-env-vars`, all but the configuration."""

_NOBODY = re.compile(r"auto-detect|empty ident name")
"""How git says that it knows no name or address to commit under."""
HINT_NOBODY = 'tell git who you are: git config --global user.name "Your Name" && git config --global user.email you@example.org'
OWN = ("lib", "lib@localhost")
"""Who commits where git knows nobody: a capture has nobody at hand that could be asked."""
_LOGIN_IN_URL = re.compile(r"(?<=://)[^\s/@]+@")


class GitFailed(LibError):  # noqa: N818 - as the family is named
    """A git process ended badly. `code` is its exit code, `message` its own words without logins in URLs."""

    def __init__(self, message: str, *, code: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class Ended(NamedTuple):
    """How a git process ended."""

    code: int
    out: bytes
    err: str
    """What it said, without logins in URLs."""


def find(environ: Mapping[str, str]) -> str | None:
    """The absolute path of the git binary on this PATH, or None."""
    # As shutil.which, which takes 10 ms to import.
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.abspath(os.path.join(folder, "git"))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def unbound(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without what binds a process to one repository: for work on a library from within another repository's hook."""
    return {name: value for name, value in environ.items() if name not in REPOSITORY_VARIABLES}


def without_login(text: str) -> str:
    """`text` with user and password dropped from every URL in it."""
    return _LOGIN_IN_URL.sub("", text)


class Git:
    """git in one folder. Raises GitFailed (127) at the first call where there is no git; see `find`."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.environ = {**environ, "LC_ALL": "C"}
        """In C's locale, so that messages can be known. Bound to a repository as `environ` is: hooks need that, others use `unbound`."""
        self._binary = find(environ)

    def call(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, keep_open: tuple[int, ...] = ()) -> Ended:
        """Run `git ARGS` with more variables in `env`; any exit code is an answer.

        `keep_open` are descriptors that the process inherits, such as that of a lock that it then holds with us.
        """
        if not self._binary:
            raise GitFailed("git is not on PATH", code=127, hint="install git, or put the folder it is in on PATH")
        import subprocess  # noqa: PLC0415 - a commit of one entry does without, by `start`

        environ = {**self.environ, **(env or {})}
        done = subprocess.run(  # noqa: S603
            [self._binary, *args], cwd=self.folder, env=environ, input=stdin, capture_output=True, check=False, pass_fds=keep_open
        )
        return Ended(done.returncode, done.stdout, without_login(done.stderr.decode(errors="replace")))

    def start(self, *args: str, stdin: bytes = b"") -> Started:
        """Have `git ARGS` begin, and go on; `stdin` is short (`git_process.MOST_GIVEN`)."""
        if not self._binary:
            raise GitFailed("git is not on PATH", code=127, hint="install git, or put the folder it is in on PATH")
        from libtool.storage.git_process import Process  # noqa: PLC0415 - for the git hooks only

        return Started(args, Process([self._binary, "-C", self.folder, *args], self.environ, stdin))

    def run(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """What `git ARGS` writes to stdout. Raises GitFailed when it fails."""
        ended = self.call(*args, stdin=stdin, env=env)
        if ended.code:
            raise _failed(args, ended)
        return ended.out

    def line(self, *args: str) -> str:
        """The same as text without its last newline; '' when git fails."""
        ended = self.call(*args)
        return "" if ended.code else os.fsdecode(ended.out).removesuffix("\n")

    def committer(self) -> dict[str, str]:
        """Variables for a commit of lib's own: none where git knows a name and address, else OWN.

        None either where `user.useConfigOnly` forbids git to make one up: git then refuses, and that is told.
        """
        if self.line("var", "GIT_COMMITTER_IDENT") or self.line("config", "--type=bool", "user.useConfigOnly") == "true":
            return {}
        return {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in zip(("NAME", "EMAIL"), OWN, strict=True)}


class Started:
    """A git process that runs beside us."""

    def __init__(self, args: tuple[str, ...], process: Process) -> None:
        self._args = args
        self._process = process

    def give(self, more: bytes) -> None:
        """Write more to its stdin, at most `git_process.MOST_GIVEN` bytes."""
        self._process.give(more)

    def end(self) -> Ended:
        """Wait for it; any exit code is an answer."""
        code, out, err = self._process.end()
        return Ended(code, out, without_login(err.decode(errors="replace")))

    def out(self) -> bytes:
        """What it writes to stdout. Raises GitFailed when it fails."""
        ended = self.end()
        if ended.code:
            raise _failed(self._args, ended)
        return ended.out


def _failed(args: tuple[str, ...], ended: Ended) -> GitFailed:
    verb = next((arg for arg in args if not arg.startswith("-")), "")
    hint = HINT_NOBODY if _NOBODY.search(ended.err) else ""
    return GitFailed(f"git {verb}: {_gist(ended.err) or f'exit code {ended.code}'}", code=ended.code, hint=hint)


def _gist(said: str) -> str:
    """The line of git's words that tells what is wrong."""
    lines = [line for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (telling or lines or [""])[0].removeprefix("fatal: ").removeprefix("error: ")
