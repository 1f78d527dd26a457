"""A library's remote: fetch and push by dulwich over a path, ssh, http(s) and git://.

What dulwich leaves to its caller is done here: the user's own ssh command and credential helpers, a push that only succeeds when the remote
is still where we saw it, and its refusals raised, not returned.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from libtool.errors import RemoteFailed
from libtool.storage import git, repo_place
from libtool.storage.credentials import Credentials
from libtool.storage.repo import object_id, ref

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from dulwich.client import GitClient, SSHVendor, SubprocessWrapper
    from dulwich.objects import ObjectID
    from dulwich.refs import Ref

    from libtool.storage.repo import Repository

SECONDS = 60.0
"""How long a silent connection is waited for."""
HEADS = "refs/heads/"
SCP_LIKE = re.compile(r"(?:(?P<user>[^/:]+)@)?(?P<host>\[[^\]]+\]|[^/:]+):(?P<path>.*)", re.DOTALL)
MOVED = (
    "fetch first",
    "non-fast-forward",
    "failed to update ref",
    "cannot lock ref",
    "stale info",
    "unable to set",
    "reference already exists",
)
"""What servers call a branch that somebody else pushed to a moment ago."""

_HTTP_OBJECT = re.compile(r"^HTTPS?Connection(?:Pool)?\(host='[^']*', port=[^)]*\): ")
"""How urllib3 begins what it says of a connection."""
METER = re.compile(r"\d+% \(\d+/\d+\)|^Total \d+ \(delta")
"""A server's progress, which is no news."""


class MovedError(Exception):
    """Somebody else pushed since we fetched, or is about to: the server's words, if any."""


class Heads(NamedTuple):
    """The branches of a remote (short name to commit), and the one its HEAD names, or ''."""

    branches: dict[str, str]
    default: str


class Remote:
    """One remote of an open repository."""

    def __init__(self, repository: Repository, url: str, push_url: str, environ: Mapping[str, str], settings: Mapping[str, str]) -> None:
        """The URLs as they are to be used, `insteadOf` applied; `environ` is not bound to any repository."""
        self._repository = repository
        self._folder = repository.dulwich.path
        self._environ = environ
        self._settings = settings
        self._urls = (url, push_url)
        self._credentials: dict[str, Credentials] = {}
        self.said: list[str] = []
        """What the server had to say during the last push."""

    def fetch(self, wanted: Callable[[Heads], str | None]) -> Heads:
        """The remote's branches; what the branch that `wanted` names has is here afterwards. Raises RemoteFailed."""
        url = self._urls[0]

        def wants(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
            del depth
            branch = wanted(_heads(refs, {}))
            commit = refs.get(ref(HEADS + branch)) if branch else None
            # That the commit is here does not say that its files are: see `Repository.leads_to`.
            return [commit] if commit and not self._repository.leads_to(commit.decode()) else []

        def run(client: GitClient, path: str) -> Heads:
            result = client.fetch(os.fsencode(path), self._repository.dulwich, determine_wants=wants, ref_prefix=[b"HEAD", b"refs/heads/"])
            return _heads(result.refs, result.symrefs)

        heads: Heads = self._talk(url, run)
        return heads

    def push(self, branch: str, old: str | None, new: str) -> None:
        """Let the remote's branch go from `old` (None: it is not there) to `new`. Raises MovedError if it is elsewhere, or RemoteFailed."""
        target = ref(HEADS + branch)
        self.said = []

        def update(refs: Mapping[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            found = refs.get(target)
            if (found.decode() if found else None) != old:
                raise MovedError
            return {target: object_id(new)}

        def run(client: GitClient, path: str) -> Mapping[bytes, str | None]:
            progress = _Told(self.said)
            status = client.send_pack(os.fsencode(path), update, self._pack, progress=progress).ref_status or {}
            progress(b"\n")
            return status

        status = self._talk(self._urls[1], run)
        if refused := status.get(bytes(target)):
            why = "; ".join([refused, *self.said])
            if any(word in refused for word in MOVED):
                raise MovedError(why)
            raise RemoteFailed(
                f"{git.without_login(self._urls[1])} refused the push: {why}",
                hint="the library here is whole; mend what it says, then run `lib sync` again",
            )

    def _pack(self, have: AbstractSet[ObjectID], want: AbstractSet[ObjectID], *, ofs_delta: bool = False, progress: object = None) -> Any:  # noqa: ANN401
        """What goes over the wire. Without dulwich's own progress, which would look like the server's."""
        del progress
        return self._repository.dulwich.generate_pack_data(set(have), set(want), ofs_delta=ofs_delta)

    def _talk(self, url: str, run: Callable[[GitClient, str], Any]) -> Any:  # noqa: ANN401 - whatever `run` gives
        """Run it with a client for the URL, with a login if the server asks for one."""
        from dulwich.client import HTTPUnauthorized

        before = socket.getdefaulttimeout()
        socket.setdefaulttimeout(SECONDS)
        try:
            while True:
                client, path, credentials = self._client(url)
                try:
                    result = run(client, path)
                except HTTPUnauthorized:
                    if credentials is None or not credentials.ask():
                        raise RemoteFailed(
                            f"{git.without_login(url)} wants a login that we do not have",
                            hint="store one with your credential helper: `git fetch` in the library asks for it",
                        ) from None
                    continue
                if credentials is not None:
                    credentials.approve()
                return result
        except MovedError:
            raise
        except _failures() as error:
            if isinstance(error, OSError) and repo_place.holds((self._folder, self._repository.dulwich.commondir()), error.filename):
                raise
            raise RemoteFailed(f"cannot sync with {git.without_login(url)}: {_gist(error)}", hint=_hint(error)) from None
        finally:
            socket.setdefaulttimeout(before)

    def _client(self, url: str) -> tuple[GitClient, str, Credentials | None]:
        """(client, path on the remote, login to use) for a URL."""
        from dulwich.client import HttpGitClient, LocalGitClient, SSHGitClient, TCPGitClient

        scheme, has_scheme, _ = url.partition("://")
        parts = urlsplit(url) if has_scheme else None
        if parts is None and (scp := SCP_LIKE.fullmatch(url)) and not url.startswith(("/", "./", "../")):
            return SSHGitClient(scp["host"].strip("[]"), username=scp["user"], vendor=self._ssh()), scp["path"], None
        if parts is None or scheme == "file":
            path = os.path.join(self._folder, os.path.expanduser(unquote(parts.path) if parts else url))
            binary = git.find(self._environ)
            return _process_client(binary, self._environ) if binary else LocalGitClient(), path, None
        if scheme in ("http", "https"):
            credentials = self._credentials.setdefault(url, Credentials(url, self._folder, self._environ))
            login = credentials.login
            config = self._repository.dulwich.get_config_stack()
            user, password = (login.user, login.password) if login else (None, None)
            return HttpGitClient(git.without_login(url), config=config, username=user, password=password), parts.path, credentials
        if scheme in ("ssh", "git+ssh", "ssh+git"):
            user = unquote(parts.username) if parts.username else None
            return SSHGitClient(parts.hostname or "", port=parts.port, username=user, vendor=self._ssh()), unquote(parts.path), None
        if scheme == "git":
            return TCPGitClient(parts.hostname or "", port=parts.port), unquote(parts.path), None
        raise RemoteFailed(f"lib does not speak `{scheme}`: {git.without_login(url)}", hint="use a path, ssh, https or git URL")

    def _ssh(self) -> SSHVendor:
        """What git would start: GIT_SSH_COMMAND, core.sshCommand, GIT_SSH, ssh."""
        command = self._environ.get("GIT_SSH_COMMAND") or self._settings.get("core.sshcommand")
        return _ssh_vendor(command or shlex.quote(self._environ.get("GIT_SSH") or "ssh"), self._environ)


def _heads(refs: Mapping[Any, Any], symrefs: Mapping[Any, Any]) -> Heads:
    """From dulwich's result."""
    named = {os.fsdecode(bytes(name)): bytes(commit).decode() for name, commit in refs.items() if commit}
    branches = {name.removeprefix(HEADS): commit for name, commit in named.items() if name.startswith(HEADS)}
    default = os.fsdecode(bytes(symrefs.get(b"HEAD", b""))).removeprefix(HEADS)
    if default not in branches:
        same = [name for name, commit in branches.items() if commit == named.get("HEAD")]
        default = same[0] if same else ""
    return Heads(branches, default)


class _Told:
    """Gathers a server's lines, as they come in pieces."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._rest = ""

    def __call__(self, data: bytes | str) -> None:
        text = self._rest + (data if isinstance(data, str) else data.decode(errors="replace"))
        *whole, self._rest = re.split(r"[\r\n]+", text)
        self._lines += [git.without_login(line.strip()) for line in whole if line.strip() and not METER.search(line)]


def _process_client(binary: str, environ: Mapping[str, str]) -> GitClient:
    """For a repository on this machine: git's own server side, with its hooks, its locks and its check of the owner."""
    from dulwich.client import SubprocessWrapper, TraditionalGitClient
    from dulwich.protocol import Protocol

    class ProcessClient(TraditionalGitClient):
        """Talks to `git upload-pack` or `git receive-pack`."""

        def _connect(self, cmd: bytes, path: bytes | str, protocol_version: int | None = None) -> Any:  # noqa: ANN401
            del protocol_version
            started = _started([binary, cmd.decode(), os.fsdecode(path)], environ)
            wrapper = SubprocessWrapper(started)
            return Protocol(wrapper.read, wrapper.write, wrapper.close), wrapper.can_read, wrapper.stderr

    return ProcessClient()


def _ssh_vendor(command: str, environ: Mapping[str, str]) -> SSHVendor:
    from dulwich.client import SSHVendor, StrangeHostname, SubprocessWrapper

    class Ssh(SSHVendor):
        """Starts the user's ssh through the shell, as git does."""

        def run_command(  # noqa: PLR0913, PLR0917 - as dulwich calls it
            self,
            host: str,
            command: bytes,
            username: str | None = None,
            port: int | None = None,
            password: str | None = None,
            key_filename: str | None = None,
            ssh_command: str | None = None,
            protocol_version: int | None = None,
        ) -> SubprocessWrapper:
            """See SSHVendor."""
            del password, key_filename, ssh_command
            target = f"{username}@{host}" if username else host
            if target.startswith("-"):
                raise StrangeHostname(target)
            words = ["-o", "SendEnv=GIT_PROTOCOL"] if protocol_version else []
            words += ["-p", str(port)] if port else []
            more = {"GIT_PROTOCOL": f"version={protocol_version}"} if protocol_version else {}
            argv = ["sh", "-c", f'{program} "$@"', "ssh", *words, target, os.fsdecode(command)]
            return SubprocessWrapper(_started(argv, {**environ, **more}))

    program = command
    return Ssh()


def _started(argv: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environ)  # noqa: S603


def _failures() -> tuple[type[Exception], ...]:
    """What dulwich raises when a remote cannot be talked to."""
    from dulwich.client import HTTPProxyUnauthorized, InvalidWants, StrangeHostname
    from dulwich.errors import GitProtocolError, NotGitRepository, RefFormatError

    return (
        GitProtocolError,
        NotGitRepository,
        HTTPProxyUnauthorized,
        InvalidWants,
        StrangeHostname,
        RefFormatError,
        OSError,
        EOFError,
        ValueError,
    )


def _gist(error: Exception) -> str:
    """One line of it, without logins."""
    from dulwich.errors import NotGitRepository

    if isinstance(error, NotGitRepository):
        return "there is no git repository"
    said = error.args[0] if error.args and isinstance(error.args[0], bytes) else str(_cause(error)).encode(errors="replace")
    lines = [line.strip() for line in git.without_login(said.decode(errors="replace")).splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("fatal:")]
    return _HTTP_OBJECT.sub("", (telling or lines or [type(error).__name__])[-1])[:300]


def _cause(error: Exception) -> BaseException:
    """Of a connection by HTTP that did not come about, why: urllib3 wraps it, and dulwich wraps that."""
    reason = getattr(error.__cause__, "reason", None)
    return reason if isinstance(reason, Exception) else error


def _hint(error: Exception) -> str:
    if isinstance(error, TimeoutError | ConnectionError | socket.gaierror) or _cause(error) is not error:
        return "the library here is whole; run `lib sync` again when the remote can be reached"
    return "the library here is whole; `git fetch` in it shows more; then run `lib sync` again"
