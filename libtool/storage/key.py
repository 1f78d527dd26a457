"""The key of the fingerprints: 32 random bytes in a file of the data folder that only the user may read.

Never in a repository or a database: who has the key can test guesses of a login against its fingerprint.
"""

from __future__ import annotations

import contextlib
import os
import stat

from libtool.errors import UsageError
from libtool.storage import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.config import Config

SIZE = 32


def load(config: Config) -> bytes:
    """The key; made now if there is none. Raises UsageError for a file that cannot be the key, or that others may read."""
    path = config.key_file
    key = _read(path)
    if key is None:
        _create(path)
        key = _read(path)
    if key is None:
        raise UsageError(
            f"the key file {path} vanishes as soon as it is made", hint="is something cleaning that folder? stop it, then try again"
        )
    return key


def _read(path: str) -> bytes | None:
    """The key in the file; None when there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(
            f"cannot read the key file {path}: {error.strerror}", hint=f"make it yours again: chown $USER {path}; chmod 600 {path}"
        ) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"the key file {path} is no regular file", hint="move it away; a new key is made at the next run")
        if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UsageError(f"others may read the key file {path}", hint=f"chmod 600 {path}")
        key = os.read(descriptor, SIZE + 1)
    finally:
        os.close(descriptor)
    if len(key) != SIZE:
        raise UsageError(
            f"the key file {path} has {'more than ' if len(key) > SIZE else ''}{min(len(key), SIZE)} bytes instead of {SIZE}",
            hint="put the right one back from your backup or another machine; without one, move it away: fingerprints then start anew",
        )
    return key


def _create(path: str) -> None:
    """Make the key file, unless another process has been faster: the first one stays."""
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}{files.SUFFIX}"
    files.write(temporary, os.urandom(SIZE), mode=files.FILE_MODE)
    try:
        # A link, not a rename: it fails when the name is taken, and what it shows is whole.
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:
        # A file system without hard links.
        if not os.path.exists(path):
            os.rename(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
