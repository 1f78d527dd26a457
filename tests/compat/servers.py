"""Real git servers on loopback that serve the bare repositories of a folder: sshd with a key, http-backend with basic auth, git daemon."""

from __future__ import annotations

import base64
import contextlib
import getpass
import http.server
import os
import shutil
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.surroundings import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

USER = "ada"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Until somebody listens; fails after ten seconds."""
    deadline = time.monotonic() + 10
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert time.monotonic() < deadline, f"nothing listens on {port}"
        time.sleep(0.05)


@contextlib.contextmanager
def running(*words: str, port: int) -> Iterator[None]:
    process = subprocess.Popen(words, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def daemon(folder: Path) -> Iterator[str]:
    """git daemon with pushes allowed; the URL of the folder."""
    port = free_port()
    git = shutil.which("git") or "git"
    # --reuseaddr, and no --detach: the process that we stop is the one that listens.
    words = (
        "daemon",
        "--export-all",
        "--enable=receive-pack",
        "--reuseaddr",
        "--listen=127.0.0.1",
        f"--port={port}",
        f"--base-path={folder}",
    )
    with running(git, *words, str(folder), port=port):
        yield f"git://127.0.0.1:{port}"


@contextlib.contextmanager
def sshd(folder: Path) -> Iterator[tuple[str, str]]:
    """OpenSSH with key auth only; (URL of the folder, the ssh command that uses the key)."""
    server = shutil.which("sshd", path=os.defpath + ":/usr/sbin:/usr/local/sbin")
    if server is None or shutil.which("ssh") is None:
        pytest.skip("no OpenSSH server and client here; .ci/run installs them")
    port = free_port()
    base = folder / "ssh"
    base.mkdir(mode=0o700)
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(base / name)], check=True)
    (base / "authorized").write_bytes((base / "key.pub").read_bytes())
    (base / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {base}/host\nAuthorizedKeysFile {base}/authorized\nPasswordAuthentication no\n"
        f"KbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\n"
        "PermitRootLogin yes\nAcceptEnv GIT_PROTOCOL\nMaxStartups 100\n"
    )
    (base / "config").write_text(
        f"Host *\nIdentityFile {base}/key\nIdentitiesOnly yes\nUserKnownHostsFile {base}/known\nStrictHostKeyChecking no\nLogLevel ERROR\n"
    )
    with contextlib.suppress(OSError):
        # sshd insists on it when it runs as root.
        os.makedirs("/run/sshd", exist_ok=True)
    with running(server, "-D", "-e", "-f", str(base / "sshd_config"), port=port):
        yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}{folder}", f"ssh -F '{base}/config'"


class _Backend(http.server.BaseHTTPRequestHandler):
    """`git http-backend` as CGI, behind basic auth."""

    protocol_version = "HTTP/1.1"
    folder: str
    expected: str

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            self._serve(b"".join(pieces))
        else:
            self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        if self.headers.get("Authorization") != self.expected:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="library"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        cgi = environment(
            GIT_PROJECT_ROOT=self.folder,
            GIT_HTTP_EXPORT_ALL="1",
            PATH_INFO=path,
            QUERY_STRING=query,
            REQUEST_METHOD=self.command,
            CONTENT_TYPE=self.headers.get("Content-Type", ""),
            CONTENT_LENGTH=str(len(body)),
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
            REMOTE_USER=USER,
            REMOTE_ADDR="127.0.0.1",
        )
        done = subprocess.run(["git", "http-backend"], input=body, env=cgi, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def http_backend(folder: Path, password: str) -> Iterator[str]:
    """git http-backend that wants USER and `password`; the URL of the folder."""
    login = base64.b64encode(f"{USER}:{password}".encode()).decode()
    handler = type("Handler", (_Backend,), {"folder": str(folder), "expected": f"Basic {login}"})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
