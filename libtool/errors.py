"""The errors that a person or a program may meet, and the exit code of each.

Exit codes are an interface: `docs/exit-codes.md` is generated from these classes.
"""


class LibError(Exception):
    """An expected failure: what happened, and what to do next, one line each.

    Subclasses fix the exit code. `message` must never quote transcript text.
    """

    exit_code = 1
    meaning = "nothing found, or problems found: the honest no"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(LibError):
    """The command line, a REF or a configuration value cannot be understood."""

    exit_code = 2
    meaning = "usage: an argument, a REF or a configuration value is wrong"


class PartlyDone(LibError):
    """The work ended, but some inputs could not be read; each is named."""

    exit_code = 4
    meaning = "done in part: some transcripts could not be read (they are named)"


class LibraryNotFound(LibError):
    """No library where the configuration says it is."""

    exit_code = 10
    meaning = "library not found"


class Locked(LibError):
    """Another lib process holds the lock for longer than we wait."""

    exit_code = 11
    meaning = "locked by another lib process"


class SyncRefused(LibError):
    """A dirty or untracked file stands in the way of a sync, or the repository is in a state or of a kind that it leaves alone."""

    exit_code = 12
    meaning = "sync refused: a dirty or untracked file is in the way, or the repository is not in a state to be synced"


class RemoteFailed(LibError):
    """The remote cannot be reached, or it refused."""

    exit_code = 13
    meaning = "remote unreachable, or it refused"


class NotIndexed(LibError):
    """Nothing was ever indexed on this machine, or the search db cannot be used."""

    exit_code = 14
    meaning = "nothing indexed yet, or the search db cannot be used: run `lib index`"


class TranscriptUnreadable(LibError):
    """The one transcript that was asked for cannot be read."""

    exit_code = 15
    meaning = "transcript unreadable"


class DataDirUnusable(LibError):
    """The data dir cannot be written, its disk is full, or a newer lib made the store in it."""

    exit_code = 16
    meaning = "the data dir cannot be used: not writable, disk full, or its store made by a newer lib"


class OutputLost(LibError):
    """What a command has to say cannot be written to its standard output."""

    exit_code = 17
    meaning = "the output cannot be written: disk full, or an input/output error"


class Unproved(LibError):
    """Code could not be searched whole: that is neither absence nor presence, and must not look like either."""

    exit_code = 18
    meaning = "neither absence nor presence could be proved: git failed, or did not come to its end"
