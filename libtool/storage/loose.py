"""Loose objects of a git repository, written as git writes them: whole or not at all, without a git process.

Source: gitformat-loose(5) and git's object-file.c: `objects/<2 digits>/<the rest>`, zlib over kind, size, NUL and content.
"""

from __future__ import annotations

import contextlib
import os
import stat

SHA1_DIGITS = 40
_LEVEL = 1
"""What is written often and packed soon is compressed fast: git's usual level takes five times as long on half a megabyte."""


def object_id(kind: str, content: bytes, digits: int) -> str:
    """The id of an object, in a repository whose ids have this many hexadecimal digits."""
    return _hashed(b"%s %d\0%b" % (kind.encode(), len(content), content), digits)


def write(objects: str, kind: str, content: bytes, digits: int) -> str:
    """Put an object into the folder `objects`, where it is not there yet; its id. Raises OSError.

    Modes follow the folder's own, which is how git makes a repository that several people share.
    """
    import zlib  # noqa: PLC0415 - for commits that change something

    data = b"%s %d\0%b" % (kind.encode(), len(content), content)
    name = _hashed(data, digits)
    folder = os.path.join(objects, name[:2])
    path = os.path.join(folder, name[2:])
    try:
        # As git does: what is used again must not be thrown away by a `git gc` that runs now.
        os.utime(path)
    except FileNotFoundError:
        mode = stat.S_IMODE(os.stat(objects).st_mode)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
            os.chmod(folder, mode)
        temporary = os.path.join(folder, f"tmp_obj_lib{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(zlib.compress(data, _LEVEL))
                os.fchmod(descriptor, mode & 0o444)
            os.rename(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    return name


def _hashed(data: bytes, digits: int) -> str:
    if digits != SHA1_DIGITS:
        from hashlib import sha256  # noqa: PLC0415 - few repositories

        return sha256(data).hexdigest()
    try:
        # hashlib loads OpenSSL, 3 ms that one hash does not earn.
        from _sha1 import sha1  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        from hashlib import sha1  # noqa: PLC0415
    return str(sha1(data, usedforsecurity=False).hexdigest())
