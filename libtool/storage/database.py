"""Opening our two databases: private files, a known schema, and a damaged one set aside, never deleted."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import zlib

from libtool.errors import DataDirUnusable, Locked, NotIndexed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_MENDED = "run `lib build-index`: a damaged store is set aside, and every transcript still there is read anew"
_BUSY_SECONDS = 20.0
_URI_MARKS = frozenset("%?#")
_SIDES = ("-wal", "-shm")
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_CANNOT_WRITE = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FOLDER_ERRORS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.EFBIG, errno.EIO}
)


class WrongSchema(sqlite3.DatabaseError):
    """A sound database that is not the one it should be."""


class Opened:
    """A database that is open until `close`, or to the end of a `with`; an open transaction is rolled back then."""

    db: sqlite3.Connection

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def code(error: BaseException) -> int:
    """SQLite's primary result code of an error; 0 when it has none."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the database itself is at fault; a full disk, a lock or missing permission is no damage."""
    return isinstance(error, WrongSchema) or code(error) in _DAMAGE


def unusable(folder: str, reason: object) -> DataDirUnusable:
    """What to raise when the data dir cannot be written."""
    hint = "let it be written (by an agent's sandbox too), free some space, or set LIB_DATA_DIR to another folder"
    return DataDirUnusable(f"cannot use the data dir {folder}: {reason}", hint=hint)


@contextlib.contextmanager
def failures(folder: str) -> Iterator[None]:
    """Turn what a full disk, missing permission or another program's lock raises inside into an error that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        if code(error) in _BUSY:
            raise Locked(f"another program holds a database in {folder}: {error}", hint="close what has it open, then try again") from error
        if code(error) in _CANNOT_WRITE:
            raise unusable(folder, error) from error
        raise
    except OSError as error:
        if error.errno in _FOLDER_ERRORS:
            raise unusable(folder, error.strerror) from error
        raise


def reader(path: str) -> sqlite3.Connection:
    """Open `path` for reading only; raises NotIndexed when it is not there or no database."""
    if not os.path.exists(path):
        raise NotIndexed("nothing is indexed on this machine yet", hint="run `lib index`")
    try:
        return _opened(path, "mode=ro")
    except sqlite3.Error as error:
        if code(error) not in _CANNOT_WRITE:
            raise NotIndexed(f"{path} cannot be used: {error}", hint="run `lib index`: it is set aside and built anew") from error
    # Where the folder cannot be written, SQLite cannot make the shared-memory file of a WAL database: it is read as it stands.
    try:
        return _opened(path, "mode=ro&immutable=1")
    except sqlite3.Error as error:
        raise NotIndexed(f"{path} cannot be read: {error}", hint="may you read it? then run `lib index`") from error


@contextlib.contextmanager
def damage(path: str) -> Iterator[None]:
    """Turn the damage that a reader of `path` meets inside, which opening does not see, into NotIndexed."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if is_damage(error) or str(error).startswith(("no such table", "no such column")):
            raise NotIndexed(f"{path} is damaged: {error}", hint=_MENDED) from error
        raise
    except (zlib.error, UnicodeDecodeError) as error:
        raise NotIndexed(f"{path} is damaged: {type(error).__name__}", hint=_MENDED) from error


def _opened(path: str, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri(path, how), uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def uri(path: str, how: str) -> str:
    """The SQLite URI of a path."""
    if not path.isascii() or not _URI_MARKS.isdisjoint(path):
        from urllib.parse import quote  # noqa: PLC0415 - 2 ms that most paths need not pay

        path = quote(os.fsencode(path))
    return f"file:{path}?{how}"


def attach(connection: sqlite3.Connection, path: str, name: str) -> None:
    """Attach `path` to a reader as `name`, as `reader` would open it; raises sqlite3.Error."""
    try:
        connection.execute(f"ATTACH ? AS {name}", (uri(path, "mode=ro"),))
    except sqlite3.Error as error:
        if code(error) not in _CANNOT_WRITE:
            raise
        connection.execute(f"ATTACH ? AS {name}", (uri(path, "mode=ro&immutable=1"),))


def writer(path: str, page: int) -> sqlite3.Connection:
    """Open or make `path` for writing, mode 0600, WAL; a new one has pages of `page` bytes. The caller holds the writer lock."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        for suffix in ("", *_SIDES):
            _make_private(path + suffix)
    # One thread at a time uses it, but not always the one that opened it.
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {page:d}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make_private(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if os.stat(path).st_mode & 0o177:
            os.chmod(path, 0o600)


def version(connection: sqlite3.Connection, name: str = "main") -> int:
    """The `user_version`: how many steps of a schema the database has seen."""
    return int(connection.execute(f"PRAGMA {name}.user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, steps: tuple[str, ...]) -> None:
    """Bring a database to the last step, each step with its number in one transaction.

    Raises WrongSchema when it holds other tables than those steps make, DataDirUnusable when it is newer than this program.
    """
    seen = version(connection)
    if seen > len(steps):
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        raise DataDirUnusable(
            f"{path} was made by a newer lib (schema {seen}, this one knows {len(steps)})",
            hint="upgrade lib on this machine, or set LIB_DATA_DIR to another folder",
        )
    if schema(connection) != schema_of(steps[:seen]):
        raise WrongSchema("it holds other tables than it should")
    for number, step in enumerate(steps[seen:], seen + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {step}; PRAGMA user_version = {number}; COMMIT;")


def schema(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """(name, SQL) of every table, index, view and trigger that is not SQLite's own."""
    return set(connection.execute("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"))


def schema_of(steps: tuple[str, ...]) -> set[tuple[str, str]]:
    """The same for a new database after these steps."""
    connection = sqlite3.connect(":memory:")
    try:
        for step in steps:
            connection.executescript(step)
        return schema(connection)
    finally:
        connection.close()


def is_sound(path: str) -> bool:
    """Whether SQLite's own check finds nothing wrong; for the rare case that a run met damage. No connection to it may be open."""
    try:
        connection = _opened(path, "mode=rw")
    except sqlite3.Error as error:
        return not is_damage(error)
    try:
        return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error as error:
        return not is_damage(error)
    finally:
        connection.close()


def set_aside(path: str) -> str:
    """Move a damaged database with its WAL out of the way; returns its new path. No connection to it may be open."""
    number = 1
    while os.path.exists(f"{path}.damaged-{number}"):
        number += 1
    target = f"{path}.damaged-{number}"
    # The WAL first: a kill in between must not leave it to a new database of that name. Its index is made from it.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path + "-shm")
    for suffix in ("-wal", ""):
        with contextlib.suppress(FileNotFoundError):
            os.replace(path + suffix, target + suffix)
    return target


def remove(path: str) -> None:
    """Delete a database with its WAL, the WAL first. No connection for writing may be open."""
    for suffix in (*_SIDES, ""):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
