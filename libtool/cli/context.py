"""What a command is given beside its arguments."""

from __future__ import annotations

import sys

from libtool import config
from libtool.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from libtool.cli.output import Output
    from libtool.errors import LibError


class Context:
    """Environment, home, output and standard input of one run; the configuration is loaded when it is first asked for."""

    def __init__(self, environ: Mapping[str, str], home: str, output: Output) -> None:
        self.environ = environ
        self.home = home
        self.output = output
        self._config: config.Config | None = None

    @property
    def config(self) -> config.Config:
        """The configuration; raises UsageError when the TOML file is wrong."""
        if self._config is None:
            self._config = config.load(self.environ, self.home)
        return self._config

    def unusable(self, error: OSError) -> LibError | None:
        """What an error of the system says of the data dir, which is no bug of ours; None for one about anything else."""
        import os  # noqa: PLC0415 - rare

        if self._config is None or not error.filename:
            return None
        path, data = os.fsdecode(error.filename), self._config.data_dir
        is_inside = f"{path}{os.sep}".startswith(data + os.sep)
        # What cannot be made is the first folder on the way that is missing.
        is_above = data.startswith(path.rstrip(os.sep) + os.sep) and not os.path.isdir(path)
        if not (is_inside or is_above) or (isinstance(error, FileNotFoundError) and os.path.isdir(data)):
            return None
        from libtool.storage.database import unusable  # noqa: PLC0415 - rare

        return unusable(data, error.strerror)

    @property
    def stdin(self) -> BinaryIO:
        """Standard input as bytes; raises UsageError when it is closed."""
        if sys.stdin is None:
            raise UsageError("standard input is closed", hint="name a file, or pipe something in")
        return sys.stdin.buffer
