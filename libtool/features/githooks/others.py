"""The checks of other tools that a library's own `.pre-commit-config.yaml` asks for, run after ours without hiding unstaged work.

pre-commit's own git hook sets unstaged edits aside, and loses them when a check stages a file; `run --files` does not.
"""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.features.githooks.repository import Repository

CONFIG = ".pre-commit-config.yaml"
OWN = frozenset({"lib-entries", "lib-index", "lib-push", "lib-merge", "lib-rewrite", "lib-checkout"})
"""The ids of our checks in .pre-commit-hooks.yaml."""
_ID = rb"""(?m)^[ \t]*(?:-[ \t]+)?["']?id["']?[ \t]*:[ \t]*["']?([^\s"'#,}]+)"""
_OTHER_FORM = rb"[{\[]\s*[\"']?(?:id|repo|hooks)\b"


def asks_for_more(config: bytes) -> bool:
    """Whether a configuration holds other checks than ours; when in doubt, it does."""
    from libtool.features.init_files import CHECKS  # noqa: PLC0415 - only where there is such a file

    if config == CHECKS.encode():
        return False
    ids = {one.decode("utf-8", "replace") for one in re.findall(_ID, config)}
    return bool(ids - OWN) or re.search(_OTHER_FORM, config) is not None


def run(repository: Repository) -> int:
    """Run the other checks on the staged files; their exit code. They speak for themselves on our streams."""
    try:
        with open(os.path.join(repository.top, CONFIG), "rb") as file:
            config = file.read()
    except OSError:
        return 0
    if not asks_for_more(config):
        return 0
    import subprocess  # noqa: PLC0415 - at hand by now

    names = repository.git.run("diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRT", "--no-ext-diff").split(b"\0")
    files = [os.fsdecode(name) for name in names if name]
    skip = ",".join(sorted({*filter(None, repository.git.environ.get("SKIP", "").split(",")), *OWN}))
    environ = {**repository.git.environ, "SKIP": skip}
    command = [sys.executable, "-m", "pre_commit", "run", "--hook-stage", "pre-commit", "--files", *files]
    return subprocess.run(command, cwd=repository.top, env=environ, check=False).returncode if files else 0  # noqa: S603
