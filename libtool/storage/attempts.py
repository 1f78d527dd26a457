"""How many searches in a row came back empty, for each caller: a small text file, since a search opens the databases for reading only."""

from __future__ import annotations

import os

from libtool.storage import files

ROW_SECONDS = 600
"""A row of empty searches ends this long after its last one."""
_KEPT = 50
_LONGEST = 200


def count(path: str, caller: str, now: float, *, empty: bool) -> int:
    """Note the outcome of a search; how many empty ones in a row this was (0 when it was not empty).

    A file that cannot be read or written makes every search the first of its row.
    """
    caller = _name(caller)
    rows = _load(path, now)
    before = rows.pop(caller, (0, 0.0))[0]
    if not empty and not before:
        return 0
    if empty:
        rows[caller] = before + 1, now
    _save(path, rows)
    return before + 1 if empty else 0


def end(path: str, caller: str, now: float) -> None:
    """End the caller's row: a verdict was given."""
    rows = _load(path, now)
    if rows.pop(_name(caller), None) is not None:
        _save(path, rows)


def _name(caller: str) -> str:
    """A caller as one field of a line: what an environment variable says may hold anything."""
    return " ".join(caller.split())[:_LONGEST].encode("utf-8", "replace").decode()


def _load(path: str, now: float) -> dict[str, tuple[int, float]]:
    rows: dict[str, tuple[int, float]] = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                caller, number, time = line.rstrip("\n").split("\t")
                if 0 <= now - float(time) <= ROW_SECONDS:
                    rows[caller] = int(number), float(time)
    except (OSError, ValueError):
        return rows
    return rows


def _save(path: str, rows: dict[str, tuple[int, float]]) -> None:
    text = "".join(f"{caller}\t{number}\t{int(time)}\n" for caller, (number, time) in list(rows.items())[-_KEPT:])
    try:
        files.write(path, text.encode("utf-8", "replace"))
    except OSError:
        return


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
