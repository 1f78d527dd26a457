"""How many searches in a row came back empty, for each caller: a small text file, since a search opens the databases for reading only.

Several agents search at once, so it is only appended to, a line a search: no lock, and no count is lost. What is old goes when it grows.
"""

from __future__ import annotations

import os

from libtool.storage import files

ROW_SECONDS = 600
"""A row of empty searches ends this long after its last one."""
_EMPTY, _END = "1", "0"
_AHEAD_SECONDS = 60
_MOST = 32 * 1024
_LONGEST = 200


def count(path: str, caller: str, now: float, *, empty: bool) -> int:
    """Note the outcome of a search; how many empty ones in a row this was (0 when it was not empty).

    A file that cannot be read or written makes every search the first of its row.
    """
    if empty:
        return _row(_noted(path, _name(caller), _EMPTY, now), _name(caller), now) or 1
    end(path, caller, now)
    return 0


def end(path: str, caller: str, now: float) -> None:
    """End the caller's row: there was a hit, or a verdict was given."""
    try:
        with open(path, "rb") as file:
            there = _row(file.read(), _name(caller), now)
    except OSError:
        return
    if there:
        _noted(path, _name(caller), _END, now)


def _name(caller: str) -> str:
    """A caller as one field of a line: what an environment variable says may hold anything."""
    return " ".join(caller.split())[:_LONGEST].encode("utf-8", "replace").decode()


def _noted(path: str, caller: str, what: str, now: float) -> bytes:
    """Append a line; the file up to it, nothing where it cannot be written."""
    try:
        with open(path, "ab+", buffering=0, opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{caller}\t{what}\t{int(now)}\n".encode())
            size = file.tell()
            data = os.pread(file.fileno(), size, 0)
    except OSError:
        return b""
    if size > _MOST:
        _shorten(path, data)
    return data


def _shorten(path: str, data: bytes) -> None:
    """Keep the newer half. What another search appends in this moment may be lost: its row is then one short."""
    try:
        files.write(path, data[len(data) // 2 :].partition(b"\n")[2])
    except OSError:
        return


def _row(data: bytes, caller: str, now: float) -> int:
    """The empty searches of a caller since the end of its last row, by the lines of the file; those that are none are passed over."""
    number, last = 0, 0
    for line in data.decode("utf-8", "replace").split("\n"):
        name, _, rest = line.partition("\t")
        what, _, time = rest.partition("\t")
        if name != caller or what not in (_EMPTY, _END) or not time.isdecimal():
            continue
        # A clock that was set back ends the row; a search beside this one may be a moment ahead.
        ended = what == _END or int(time) > now + _AHEAD_SECONDS
        number = 0 if ended else number + 1 if int(time) - last <= ROW_SECONDS else 1
        last = int(time)
    return number if int(now) - last <= ROW_SECONDS else 0


def caller_of(environ_session: str) -> str:
    """Who asks: the agent's session id where the environment names one, else the nearest ancestor process that is no shell."""
    return environ_session or f"process {_ancestor(os.getppid())}"


def _ancestor(process: int) -> str:
    """`pid start-time` of the first process, from `process` upwards, that is no shell and no `lib`; Linux only, elsewhere the parent."""
    for _ in range(8):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                head, _, rest = file.read().rpartition(")")
        except OSError:
            break
        name, fields = head.partition("(")[2], rest.split()
        if name not in SHELLS or fields[1] in ("0", "1"):
            return f"{process} {fields[19]}"
        process = int(fields[1])
    return str(process)


SHELLS = frozenset("sh bash dash zsh fish ksh ash busybox tcsh csh lib env timeout xargs nice".split())
