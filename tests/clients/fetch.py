"""Clients from the npm registry, in a bounded time; why one cannot be had is an answer and not an error."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

NODE = "node@24.21.0"
"""Taken where the system's is older than LEAST_NODE, which the newest of the clients asks for."""
LEAST_NODE = 22
# A registry that does not answer is given up after seconds: the default is to wait for minutes.
QUICKLY = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--no-audit", "--no-fund")


class Unavailable(Exception):  # noqa: N818 - says what is the case
    """A package that cannot be had; the text says why."""


def needed(packages: Collection[str]) -> list[str]:
    """The packages, with a node where the system's is too old for them."""
    return [*packages, *([NODE] if _node() < LEAST_NODE else [])]


def programs(package: str, top: str) -> str:
    """The folder of a package's programs below `top`."""
    return os.path.join(_place(package, top), "node_modules", ".bin")


def fetch(packages: Collection[str], top: str, seconds: float) -> dict[str, str]:
    """Install what is not there yet, all at once; for each that could not be installed within the time, the reason."""
    deadline = time.monotonic() + seconds
    missing = [package for package in packages if not os.path.isdir(_place(package, top))]
    failed: dict[str, str] = {}
    with concurrent.futures.ThreadPoolExecutor(max(1, len(missing))) as pool:
        for package, done in {package: pool.submit(_install, package, top, deadline) for package in missing}.items():
            try:
                done.result()
            except Unavailable as error:
                failed[package] = f"{package} cannot be fetched: {error}"
    return failed


def _node() -> int:
    """The system's major version, 0 without one."""
    try:
        told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", told)
    return int(found[1]) if found else 0


def _place(package: str, top: str) -> str:
    return os.path.join(top, package.rpartition("/")[2])


def _install(package: str, top: str, deadline: float) -> None:
    """Under another name first, so that half an installation is never taken for one. Raises Unavailable."""
    place = _place(package, top)
    unfinished = f"{place}.{os.getpid()}"
    os.makedirs(unfinished, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix="lib-clients-") as temporary:
            # What a package's own installation leaves there would stay.
            environ = {**os.environ, "TMPDIR": temporary}  # noqa: TID251 - npm's own settings are in it
            _npm(["npm", "install", "--prefix", unfinished, *QUICKLY, package], environ, deadline)
        os.rename(unfinished, place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _npm(words: list[str], environ: dict[str, str], deadline: float) -> None:
    """Raises Unavailable."""
    pipe = subprocess.PIPE
    try:
        npm = subprocess.Popen(
            words, env=environ, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
    except OSError as error:
        raise Unavailable(f"npm does not start ({error.strerror})") from None
    try:
        told, _ = npm.communicate(timeout=max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Unavailable("the time for it is over") from None
    finally:
        # Also what npm itself has started.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(npm.pid, signal.SIGKILL)
        npm.wait()
    if npm.returncode:
        errors = [line for line in told.splitlines() if line.startswith(("npm error", "npm ERR!"))]
        raise Unavailable("; ".join(errors[:3]) or f"npm ended with {npm.returncode}")
