"""What git calls: `main([verb, *arguments of the git hook])`. One table of verbs over libtool.features.githooks.

A hook that guards (before a commit, a merge, a push) ends with 1 to stop git; one that comes after never does. Everything said goes to
stderr.
"""

from __future__ import annotations

import contextlib
import os
import sys

from libtool.errors import LibError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import NoReturn

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.domain.redact.finding import Login
    from libtool.features.githooks.cleaning import Cleaner, Outcome
    from libtool.features.githooks.repository import Repository

    Verb = Callable[["Call"], "Outcome"]

REINDEX_SECONDS = 60.0
GUARDS = frozenset({"pre-commit", "pre-merge-commit", "pre-push", "check-entries", "check-index", "check-push"})
"""The verbs whose failure must stop git; after all others git goes on."""
ANYWAY = {
    "pre-commit": "the commit was not made; `git commit --no-verify` makes it without lib's checks",
    "pre-merge-commit": "the merge is not committed: mend the entries, `git add` them, then `git commit`",
    "pre-push": "nothing was pushed; `git push --no-verify` pushes without lib's checks",
}


class Call:
    """One call of a hook: its arguments, and what it needs, made when it is asked for."""

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
        self.arguments = arguments
        self.environ = environ
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        """The configuration; raises UsageError when the TOML file is wrong."""
        if self._config is None:
            from libtool.config import load  # noqa: PLC0415 - not every verb needs it

            self._config = load(self.environ, os.path.expanduser("~"))
        return self._config

    def repository(self) -> Repository:
        """The repository of the current folder: git calls its hooks at the top of the work tree."""
        from libtool.features.githooks.repository import find  # noqa: PLC0415
        from libtool.storage.git import Git  # noqa: PLC0415

        found = find(Git(os.getcwd(), self.environ), os.getcwd())
        if found is None:
            raise LibError("this is not the top of a git work tree", hint="lib's git hooks are called by git")
        return found

    def cleaner(self) -> Cleaner:
        """Strips, mends and validates, as of today."""
        from datetime import datetime  # noqa: PLC0415

        from libtool.features.githooks.cleaning import Cleaner  # noqa: PLC0415

        return Cleaner(self._redactor, datetime.now().astimezone().date())

    def note(self, logins: Sequence[Login]) -> None:
        """Let the ledger of logins know later; a commit does not fail for it."""
        from libtool.features import redact  # noqa: PLC0415 - only where a login was found
        from libtool.features.githooks import stripped  # noqa: PLC0415

        with contextlib.suppress(OSError):
            stripped.note(self.config, redact.secret(self.config)[0], logins)

    def _redactor(self) -> Redactor:
        from libtool.features import redact  # noqa: PLC0415 - 30 ms

        secret, reason = redact.secret(self.config)
        if reason:
            say(f"lib: no key can be kept ({reason}): the placeholders of this run match no others")
        return redact.redactor(self.config, secret)


def pre_commit(call: Call) -> Outcome:
    """Our own checks, then those of others; the second only when the first let the commit pass."""
    from libtool.features.githooks.staging import Reading  # noqa: PLC0415

    repository = call.repository()
    # Two git processes and one that looks for logins, all at work while this one loads the rest.
    reading = Reading(repository)
    cleaner = call.cleaner()
    cleaner.look_beside()
    from libtool.features.githooks import others, staged  # noqa: PLC0415

    done = staged.pre_commit(repository, cleaner, reading)
    if done.stripped:
        call.note(done.stripped)
    if not done.refused and others.run(repository):
        return done._replace(refused=("a check of .pre-commit-config.yaml failed, see above",))
    return done


def pre_merge_commit(call: Call) -> Outcome:
    """Validate what is about to be merged."""
    from libtool.features.githooks import staged  # noqa: PLC0415

    return staged.check_only(call.repository(), call.cleaner())


def post_merge(call: Call) -> Outcome:
    """Put HEAD right, unless the merge was a squash, which made no commit; then reindex."""
    from libtool.features.githooks import head  # noqa: PLC0415
    from libtool.features.githooks.cleaning import Outcome  # noqa: PLC0415

    repository = call.repository()
    is_squash = "1" in (call.arguments[:1] or [call.environ.get("PRE_COMMIT_IS_SQUASH_MERGE", "0")])
    done = Outcome() if is_squash else head.after_merge(repository, call.cleaner())
    _reindex_later(call, repository)
    return done


def post_rewrite(call: Call) -> Outcome:
    """Put HEAD right after a rebase or an amended commit; then reindex."""
    from libtool.features.githooks import head  # noqa: PLC0415

    repository = call.repository()
    done = head.after_rewrite(repository, call.cleaner())
    _reindex_later(call, repository)
    return done


def _reindex_later(call: Call, repository: Repository) -> None:
    from libtool.features.githooks import reindex as background  # noqa: PLC0415

    background.ask(repository.common_dir, call.environ)


def mark(call: Call) -> Outcome:
    """Only reindex: after a commit or a checkout. The native git hooks do this in the shell."""
    from libtool.features.githooks.cleaning import Outcome  # noqa: PLC0415

    _reindex_later(call, call.repository())
    return Outcome()


def pre_push(call: Call) -> Outcome:
    """Guard a push; arguments are the remote's name and URL, the refs come on standard input."""
    from libtool.features.githooks import push  # noqa: PLC0415

    lines = sys.stdin.read().splitlines() if sys.stdin else []
    return push.pre_push(call.repository(), call.cleaner(), call.arguments[0] if call.arguments else "", push.updates(lines))


def check_push(call: Call) -> Outcome:
    """The same, as the pre-commit framework calls it: in variables, one ref of the push."""
    from libtool.features.githooks import push  # noqa: PLC0415

    given = call.environ
    line = (
        f"{given.get('PRE_COMMIT_LOCAL_BRANCH', 'HEAD')} {given.get('PRE_COMMIT_TO_REF', '')} - {given.get('PRE_COMMIT_FROM_REF') or '0'}"
    )
    return push.pre_push(call.repository(), call.cleaner(), given.get("PRE_COMMIT_REMOTE_NAME", ""), push.updates([line]))


def check_entries(call: Call) -> Outcome:
    """The entries that the pre-commit framework names."""
    from libtool.features.githooks import framework  # noqa: PLC0415

    return framework.entries(call.repository(), call.cleaner(), call.arguments)


def check_index(call: Call) -> Outcome:
    """INDEX.md, for the pre-commit framework."""
    from libtool.features.githooks import framework  # noqa: PLC0415

    return framework.index(call.repository())


def reindex(call: Call) -> Outcome:
    """In the background: bring the search db up to date; the argument is the git folder that holds the mark."""
    from libtool.features.githooks.cleaning import Outcome  # noqa: PLC0415

    config = call.config
    # On a machine where nothing was ever indexed, a commit must not begin to: that is for `lib index` to do, when it is asked.
    if not os.path.exists(config.store_db):
        return Outcome()
    from libtool.features import library_index  # noqa: PLC0415
    from libtool.features.freshness import Lag  # noqa: PLC0415
    from libtool.features.githooks import reindex as background  # noqa: PLC0415

    if os.getpid() != os.getsid(0):
        # Started by a shell of git's: not to end with its terminal.
        os.setsid()
    # Only the library: transcripts are for `lib index` and the agents' hooks.
    background.run(os.path.abspath(call.arguments[0]), lambda: library_index.in_search(config, Lag({}, whole=True), REINDEX_SECONDS))
    return Outcome()


VERBS: dict[str, Verb] = {
    "pre-commit": pre_commit,
    "pre-merge-commit": pre_merge_commit,
    "post-merge": post_merge,
    "post-rewrite": post_rewrite,
    "post-commit": mark,
    "post-checkout": mark,
    "pre-push": pre_push,
    "check-entries": check_entries,
    "check-index": check_index,
    "check-push": check_push,
    "reindex": reindex,
}


def main(argv: Sequence[str], environ: Mapping[str, str] = os.environ) -> int:
    """Run one verb in the current folder; the exit code."""
    verb = argv[0] if argv else ""
    if verb not in VERBS:
        say(f"lib: unknown git hook `{verb[:40]}`; known are: {', '.join(VERBS)}")
        return 2
    try:
        done = VERBS[verb](Call(argv[1:], environ))
    except LibError as error:
        say(f"lib: {verb}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        return _failed(verb)
    except Exception as error:  # noqa: BLE001 - this is the boundary; the text may quote an entry, so only its type is told
        say(f"lib: {verb}: unexpected {type(error).__name__} at {_place(error)}; please report it")
        return _failed(verb)
    for note in done.notes:
        say(f"lib: {note}")
    for line in done.refused:
        say(line)
    return _failed(verb) if done.refused else 0


def _failed(verb: str) -> int:
    if verb in ANYWAY:
        say(f"lib: {ANYWAY[verb]}")
    return 1 if verb in GUARDS else 0


def _place(error: Exception) -> str:
    """Module and line where it happened."""
    import traceback  # noqa: PLC0415 - rare

    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(last.filename)}:{last.lineno}"


def say(text: str) -> None:
    """A line on stderr, with escapes for what could act on a terminal."""
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    if sys.stderr is not None:
        encoding = sys.stderr.encoding or "ascii"
        sys.stderr.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def program() -> NoReturn:
    """The whole process: git's words in, the exit code out, without the interpreter's tidying up."""
    import gc  # noqa: PLC0415

    # A process this short has nothing to collect, and spends a tenth of its time on trying.
    gc.disable()
    _spare_datetime()
    code = main(sys.argv[1:])
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def _spare_datetime() -> None:
    """Take the classes of datetime written in C alone, as Python does from 3.12 on: those that it makes before take 2 ms."""
    if sys.version_info < (3, 12) and "datetime" not in sys.modules:
        sys.modules["datetime"] = __import__("_datetime")


if __name__ == "__main__":
    program()
