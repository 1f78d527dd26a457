"""Changes of files in the work tree beside what the person left there: whole, without fsync, never through a link."""

from __future__ import annotations

import os
import stat

from libtool.storage.files import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def read(path: str) -> bytes | None:
    """The bytes of a plain file; None where there is none, or a link or folder."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def replace(path: str, old: bytes | None, new: bytes) -> bool:
    """Put `new` where `old` is (None: where nothing is); False when something else is there by now, and nothing was done."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}{SUFFIX}")
    mode = 0o666
    if old is not None:
        try:
            mode = stat.S_IMODE(os.lstat(path).st_mode)
        except OSError:
            return False
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            if old is not None:
                os.fchmod(file.fileno(), mode)
            file.write(new)
        # Looked at last, so that an agent that writes at this moment loses nothing.
        is_there = os.path.lexists(path)
        if (old is None and is_there) or (old is not None and read(path) != old):
            return False
        os.rename(temporary, path)
        return True
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)


def change(path: str, how: Callable[[bytes], bytes]) -> bool:
    """Change a file's content; line ends of Windows are LF to `how`, and stay what they are. Whether it is now as `how` says."""
    old = read(path)
    if old is None:
        return False
    is_windows = b"\r\n" in old and old.count(b"\n") == old.count(b"\r\n")
    text = old.replace(b"\r\n", b"\n") if is_windows else old
    new = how(text)
    if new == text:
        return True
    return replace(path, old, new.replace(b"\n", b"\r\n") if is_windows else new)
