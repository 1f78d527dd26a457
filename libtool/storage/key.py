"""The key of the fingerprints: 32 random bytes in a file of the data folder that only the user may read.

Never in a repository or a database: who has the key can test guesses of a login against its fingerprint.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat

from libtool.errors import UsageError
from libtool.storage import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.config import Config

SIZE = 32
_FORM = "lib-login-key"
_WRITTEN = re.compile(rf"{_FORM}-([0-9a-f]{{{2 * SIZE}}})-([0-9a-f]{{8}})")


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


def there(config: Config) -> bytes | None:
    """The key, never made anew: None when there is no file. Raises as `load`."""
    return _read(config.key_file)


def replace(config: Config, key: bytes) -> None:
    """Put another key in the place of the one that is there. The caller holds the writer lock."""
    files.write(config.key_file, key, mode=files.FILE_MODE)


def tag(key: bytes) -> str:
    """16 hexadecimal digits that two machines with one key share; the key does not follow from them."""
    import hashlib  # noqa: PLC0415 - 4 ms that only a change of the key, or a login that was found, needs
    import hmac  # noqa: PLC0415

    return hmac.new(key, b"lib key tag v1", hashlib.sha256).hexdigest()[:16]


def written(key: bytes) -> str:
    """The key as a text that is carried to another machine by hand."""
    return f"{_FORM}-{key.hex()}-{tag(key)[:8]}"


def is_written(text: str) -> bool:
    """Whether a text is, or begins like, a key that `written` gave."""
    return text.strip().startswith(_FORM + "-")


def parsed(text: str) -> bytes:
    """The inverse of `written`; raises UsageError for anything else, and for a key that was cut or mistyped. Never quotes it."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise UsageError("this is no exported key", hint=f"it is one line that begins with `{_FORM}-`: `lib logins key export` writes it")
    key = bytes.fromhex(match[1])
    if tag(key)[:8] != match[2]:
        raise UsageError("this key was damaged on its way: its check digits are wrong", hint="export it again on the other machine")
    return key


def _read(path: str) -> bytes | None:
    """The key in the file; None when there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        from libtool.storage.database import unusable  # noqa: PLC0415 - rare

        raise unusable(os.path.dirname(path), error.strerror) from error
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
