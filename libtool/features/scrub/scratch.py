"""A private folder for copies of databases while a scrub is at work; one that a killed run left is removed by the next."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from typing import TYPE_CHECKING

from libtool.storage.files import ensure_folder, is_running

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"scrub-(\d+)-")


@contextlib.contextmanager
def folder(data_dir: str) -> Iterator[str]:
    """A new folder of mode 0700 in the data dir; gone at the end."""
    ensure_folder(data_dir)
    sweep(data_dir)
    path = tempfile.mkdtemp(prefix=f"scrub-{os.getpid()}-", dir=data_dir)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def sweep(data_dir: str) -> None:
    """Remove the folders of runs that were killed; the data dir is there."""
    for name in os.listdir(data_dir):
        made_by = _NAME.match(name)
        if made_by is not None and not is_running(int(made_by[1])):
            shutil.rmtree(os.path.join(data_dir, name), ignore_errors=True)
