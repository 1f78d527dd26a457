"""`lib check`: all that is wrong with entries, and what of it can be mended without a person."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.decode import is_utf16
from libtool.domain.entry import is_topic
from libtool.domain.mend import mend
from libtool.domain.schema import ENTRIES
from libtool.domain.validate import Problem, problem, problems
from libtool.errors import UsageError
from libtool.features import redact
from libtool.features.session_lines import written_out
from libtool.storage import entry_files, files, git, key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from libtool.config import Config


class Checked(NamedTuple):
    """One file: its path as it is printed, what is wrong with it (still, when it was mended), whether it was mended."""

    path: str
    problems: list[Problem]
    mended: bool


def check(config: Config, environ: Mapping[str, str], paths: Sequence[str] = (), *, today: date, fix: bool = False) -> list[Checked]:
    """Check these files or topics, those in these folders of entries or libraries, or (no path) the whole library.

    With `fix` they are mended first.

    Raises LibraryNotFound without a library, UsageError for a path that is not there.
    """
    redactor = redact.redactor(config, key.there(config) or bytes(key.SIZE))
    checked = []
    topics: dict[str, frozenset[str]] = {}
    committed = _Committed(environ)
    for path in _files(config, paths):
        folder = os.path.dirname(path)
        known = topics.setdefault(folder, frozenset()) or entry_files.topics_in(folder)
        topics[folder] = known
        one = entry_files.read(path)
        mended = False
        if fix and not one.code and _is_text(one.data):
            whole = written_out(mend(one.data, topic=one.name, today=today, before=committed.version(path)), config, environ, today)
            if mended := whole != one.data:
                files.write(path, whole)
                one = one._replace(data=whole)
        found = (
            [problem(1, one.code, one.about)] if one.code else problems(one.data, one.name, topics=known, today=today, redactor=redactor)
        )
        checked.append(Checked(path, found, mended))
    return checked


def _files(config: Config, paths: Sequence[str]) -> list[str]:
    """The files that are meant, each once, in order."""
    if not paths:
        return entry_files.all_in(os.path.join(entry_files.required(config.library), ENTRIES))
    found: dict[str, None] = {}
    for given in paths:
        path = os.path.abspath(given)
        if not os.path.lexists(path) and is_topic(given):
            path = os.path.join(config.library, ENTRIES, f"{given}.md")
        if not os.path.lexists(path):
            raise UsageError(f"no such file: {given}", hint="name entries or topics, a folder of entries, or nothing for the whole library")
        if os.path.isdir(path) and not os.path.islink(path):
            inner = os.path.join(path, ENTRIES)
            found.update(dict.fromkeys(entry_files.all_in(inner if os.path.isdir(inner) else path)))
        else:
            found[path] = None
    return list(found)


def _is_text(data: bytes) -> bool:
    """Whether mending cannot lose bytes that are not text."""
    try:
        data.decode("utf-16" if is_utf16(data) else "utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Committed:
    """The versions of files in HEAD of whatever repository they lie in. Git is asked once a folder, and once a file that differs."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = git.unbound(environ)
        self._there = git.find(environ) is not None
        self._changed: dict[str, frozenset[str]] = {}

    def version(self, path: str) -> bytes | None:
        """The bytes in HEAD when they differ from those in the work tree; None when they do not, or when HEAD has no such file."""
        folder, name = os.path.split(path)
        if not self._there:
            return None
        repository = git.Git(folder, self._environ)
        if folder not in self._changed:
            ended = repository.call("diff", "--name-only", "--relative", "--diff-filter=M", "--no-renames", "-z", "HEAD", "--", ".")
            self._changed[folder] = frozenset(os.fsdecode(ended.out).split("\0")) if not ended.code else frozenset()
        if name not in self._changed[folder]:
            return None
        ended = repository.call("cat-file", "blob", f"HEAD:./{name}")
        return ended.out if not ended.code else None
