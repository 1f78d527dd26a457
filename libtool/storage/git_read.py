"""What git says of a repository that is not ours, within a bound of time and bytes: it may be huge, and its settings may name programs.

Nothing is fetched, no lock is taken; no hook, and no monitor, pager or filter program of the repository is run. Who asks
for a diff says --no-ext-diff and --no-textconv, for which there is no setting.
"""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from itertools import product
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from libtool.errors import Unproved, UsageError
from libtool.storage import git

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PATHSPECS = ("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
"""What git refuses beside literal paths."""
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch what it lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PAGER": "",
}
_SETTINGS = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "submodule.recurse=false",
    "log.showSignature=false",
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "diff.autoRefreshIndex=false",  # which would take the lock of the index
)
_FILTER_ENDS = ("clean", "smudge", "process", "required")
_PIECE = 1 << 16


class Said(NamedTuple):
    """What a git process wrote to stdout, and whether it was stopped before its end, by the clock or by the bound of bytes."""

    code: int
    out: bytes
    late: bool = False
    full: bool = False


class Checkout(NamedTuple):
    """A repository: its top folder (the repository itself when it is bare), its own git folder, and the commit of HEAD ('' for none)."""

    top: str
    git_dir: str
    commit: str
    bare: bool
    shallow: bool


def checkout(path: str, environ: Mapping[str, str]) -> Checkout:
    """The repository that holds `path`. Raises UsageError for none, Unproved where HEAD's commit is lost, GitFailed without git."""
    if not os.path.isdir(path):
        raise UsageError(f"no such folder: {path}", hint="--repo names a folder of a git repository")
    asked = git.Git(path, git.unbound(environ)).call(
        "rev-parse", "--absolute-git-dir", "--is-bare-repository", "--is-shallow-repository", "--show-toplevel"
    )
    # Line by line: git dir, bare, shallow, top. A folder whose name holds a line end is refused with the rest.
    lines = os.fsdecode(asked.out).split("\n")
    bare = lines[1:2] == ["true"]
    if len(lines) != (4 if bare else 5):
        said = next((line[7:] for line in asked.err.splitlines() if line.startswith("fatal: ")), "a folder inside of one, or an odd name")
        why = "" if said.startswith("not a git repository") else f" ({said})"
        raise UsageError(f"not in a git repository: {path}{why}", hint="only what a repository holds can be proved: --repo PATH names one")
    top = lines[0] if bare else lines[3]
    told = git.Git(lines[0], git.unbound(environ))
    head = told.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head and told.line("rev-parse", "--verify", "--quiet", "HEAD"):
        raise Unproved(f"the commit of HEAD is not in the repository: {path}", hint="`git fsck` tells what it lacks")
    return Checkout(top, lines[0], head, bare, lines[2] == "true")


class Reader:
    """git in one repository, for reading only."""

    def __init__(self, place: Checkout, environ: Mapping[str, str]) -> None:
        self.place = place
        self._binary = git.find(environ) or "git"
        plain = {name: value for name, value in git.unbound(environ).items() if name not in _PATHSPECS}
        self._environ = {**plain, **_QUIET, "LC_ALL": "C"}
        self._unfiltered: dict[str, str] | None = None

    def run(
        self,
        *args: str,
        seconds: float = 60.0,
        most: int = 64 << 20,
        stdin: bytes = b"",
        enough: Callable[[bytearray], bool] | None = None,
    ) -> Said:
        """`git ARGS` for at most `seconds` and `most` bytes of output; `enough` looks at all of it so far and may end it too."""
        until = time.monotonic() + seconds
        if self._unfiltered is None:
            self._unfiltered = {}
            listed = self.run("config", "--name-only", "-z", "--get-regexp", r"^filter\.")
            self._unfiltered = _without_filters(listed.out, self._environ)
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        with tempfile.TemporaryFile() as given:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen(  # noqa: S603
                [self._binary, "--no-pager", *settings, *args],
                cwd=self.place.top,
                env={**self._environ, **self._unfiltered},
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            return _read(process, until, most, enough)


def _without_filters(names: bytes, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that take every program from the filters that `git config -z` named, after the settings that `environ` has.

    To compare a file with what is stored git would run its filter. As variables, since with `-c` a name may hold no `=`.
    """
    drivers = dict.fromkeys(os.fsdecode(name)[len("filter.") :].rpartition(".")[0] for name in names.split(b"\0")[:-1])
    given = environ.get("GIT_CONFIG_COUNT", "")
    at = int(given) if given.isdecimal() else 0
    found: dict[str, str] = {}
    for number, (driver, end) in enumerate(product(drivers, _FILTER_ENDS), at):
        found[f"GIT_CONFIG_KEY_{number}"] = f"filter.{driver}.{end}"
        found[f"GIT_CONFIG_VALUE_{number}"] = "false" if end == "required" else ""
    return {**found, "GIT_CONFIG_COUNT": str(at + len(drivers) * len(_FILTER_ENDS))} if found else {}


def _read(process: subprocess.Popen[bytes], until: float, most: int, enough: Callable[[bytearray], bool] | None) -> Said:
    out = bytearray()
    late = full = ended = False
    stdout = cast("IO[bytes]", process.stdout)
    descriptor = stdout.fileno()
    try:
        while not (late or full or ended):
            left = until - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                late = True
                continue
            piece = os.read(descriptor, _PIECE)
            ended = not piece
            out += piece
            full = len(out) >= most or (enough is not None and enough(out))
    finally:
        if not ended:
            process.kill()
        stdout.close()
        code = process.wait()
    return Said(code, bytes(out), late, full)
