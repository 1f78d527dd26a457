"""The one script that agents' hooks call. It alone knows where lib is installed, so that settings stay as they are when lib moves.

Codex asks a person to trust each hook anew when its command changes; and what calls a path in a venv that is gone would fail at every turn.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from libtool.features import lean_start
from libtool.features.install import templates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config

MODE = 0o755
_MARK = b"`lib install` put it here"
_IMPORTED = ("libtool", "ahocorasick_rs", "dulwich", "filelock", "mistune", "orjson", "tomlkit")
SHELL_SECONDS = 5.0
"""For how long a person's profile may take."""
VARIABLES = ("LIB_CONFIG", "LIB_DATA_DIR", "LIB_LIBRARY")
"""What a person may have set in the shell that runs `lib install`, and an agent that is started elsewhere would lack."""


def path(config: Config) -> str:
    """Where it lies."""
    return os.path.join(config.data_dir, "bin", "lib")


def is_on_path(environ: Mapping[str, str]) -> bool:
    """Whether an agent that calls `lib` finds it."""
    return shutil.which("lib", path=environ.get("PATH", os.defpath)) is not None


def is_in_login_shell(environ: Mapping[str, str]) -> bool:
    """Whether the person's login shell, whose profile may set PATH anew, finds `lib`; True where that cannot be told."""
    shell = environ.get("SHELL") or "/bin/sh"
    try:
        with subprocess.Popen(  # noqa: S603 - the person's own shell
            [shell, "-lc", "command -v lib"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as asked:
            try:
                return asked.wait(SHELL_SECONDS) == 0
            except subprocess.TimeoutExpired:
                # A profile may start what waits for a person; so all of it.
                os.killpg(asked.pid, signal.SIGKILL)
                return True
    except OSError:
        return True


def linking(config: Config, python: str = sys.executable) -> str:
    """The command that puts `lib` on PATH: the program beside the interpreter, since the launcher goes with `lib install --uninstall`."""
    program = os.path.join(os.path.dirname(python), "lib")
    target = program if os.access(program, os.X_OK) else path(config)
    return f"mkdir -p ~/.local/bin && ln -sf {shlex.quote(target)} ~/.local/bin/lib"


def is_ours(text: bytes) -> bool:
    """Whether a file is a launcher of some version of lib."""
    return _MARK in text


def remove(config: Config) -> None:
    """Take it away, and its folder when nothing else lies there."""
    with contextlib.suppress(OSError):
        with open(path(config), "rb") as file:
            ours = is_ours(file.read())
        if ours:
            os.unlink(path(config))
            os.rmdir(os.path.dirname(path(config)))


def content(config: Config, environ: Mapping[str, str], python: str = sys.executable) -> bytes:
    """The script, for this interpreter and environment."""
    own = {"LIB_CONFIG": config.config_file, "LIB_DATA_DIR": config.data_dir, "LIB_LIBRARY": config.library}
    kept = [f'[ -n "${name}" ] || export {name}={shlex.quote(own[name])}' for name in VARIABLES if environ.get(name)]
    values = {"ENVIRONMENT": "\n".join(kept) or "# with the agent's own environment"}
    return lean_start.filled(templates.shim("lib"), values, python, "libtool.cli.main", _IMPORTED)
