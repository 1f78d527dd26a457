"""Where things lie and how lib behaves: one frozen `Config` from the environment and one TOML file.

On the path of every `lib search`, so it imports almost nothing: no typing, no dataclasses, tomllib only when there is a file.
"""

from __future__ import annotations

import os
import sys

from libtool.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    Places = tuple[str, str]
    # (home, folder of the TOML file): what a path in it may be relative to.

APP = "lib-sessions"
"""The folder name below the platform's data and configuration folders."""

SESSION_CLASSES = ("work", "sub-agent", "security-review", "automated", "trivial")
"""Every class of a session, the shown ones first."""

FINGERPRINT_DIGITS = 12
SLUG = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Kind:
    """A type of value in the TOML file: how to say it, and how to take it (ValueError for a wrong one)."""

    __slots__ = ("expected", "take")

    def __init__(self, expected: str, take: Callable[[object, Places], object]) -> None:
        self.expected = expected
        self.take = take


class Setting:
    """One key of the TOML file; `Config` has it as an attribute, dots replaced by underscores."""

    __slots__ = ("default", "example", "key", "kind", "meaning")

    def __init__(self, key: str, kind: Kind, default: object, example: str, meaning: str) -> None:
        self.key = key
        self.kind = kind
        self.default = default
        self.example = example
        self.meaning = meaning

    @property
    def attribute(self) -> str:
        """The name of the attribute of `Config`."""
        return self.key.replace(".", "_")


def _text(value: object, _places: Places) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _name(value: object, _places: Places) -> str:
    if not isinstance(value, str) or not value or not SLUG.issuperset(value):
        raise ValueError
    return value


def _flag(value: object, _places: Places) -> bool:
    if not isinstance(value, bool):
        raise ValueError  # noqa: TRY004 - one error for every wrong value
    return value


def _count(value: object, _places: Places) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError
    return value


def _seconds(value: object, _places: Places) -> float:
    # `not 0 < value`, so that NaN is refused too.
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise ValueError
    return float(value)


def _sync(value: object, _places: Places) -> str:
    if value not in ("auto", "manual"):
        raise ValueError
    return str(value)


def _path(value: object, places: Places) -> str:
    return absolute(_text(value, places), *places)


def _list_of(take: Callable[[object, Places], str]) -> Callable[[object, Places], tuple[str, ...]]:
    def take_list(value: object, places: Places) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ValueError  # noqa: TRY004
        return tuple(take(one, places) for one in value)

    return take_list


def _fingerprint(value: object, places: Places) -> str:
    text = _text(value, places).lower()
    if len(text) != FINGERPRINT_DIGITS or not frozenset("0123456789abcdef").issuperset(text):
        raise ValueError
    return text


def _classes(value: object, places: Places) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise ValueError  # noqa: TRY004
    home = places[0]
    rows = []
    for pattern, session_class in value.items():
        is_folder = pattern.startswith(("/", "~/"))
        # As lib prints a REF, with the turn; the class is that of the session.
        ref = pattern.partition("#")[0]
        agent, _, part = ref.partition(":")
        if session_class not in SESSION_CLASSES or not (is_folder or (agent.strip() and part.strip())):
            raise ValueError
        rows.append((home + pattern[1:] if pattern.startswith("~/") else pattern if is_folder else ref, session_class))
    return tuple(rows)


TEXTS = Kind("a list of texts", _list_of(_text))
PATH = Kind("a path in quotes", _path)
NAME = Kind("letters, digits, `.`, `_` and `-`, in quotes", _name)
PATHS = Kind("a list of paths", _list_of(_path))
FLAG = Kind("`true` or `false`", _flag)
COUNT = Kind("a whole number from 1 up", _count)
SECONDS = Kind("a number of seconds over 0", _seconds)
SYNC = Kind('`"auto"` or `"manual"`', _sync)
FINGERPRINTS = Kind(f"a list of fingerprints of {FINGERPRINT_DIGITS} hexadecimal digits", _list_of(_fingerprint))
CLASSES = Kind(f"a table of session REF or folder pattern to one of {', '.join(SESSION_CLASSES)}", _classes)

SETTINGS = (
    Setting("library", PATH, "", 'library = "~/notes/library"', "The library: a private git repository. `LIB_LIBRARY` wins over it."),
    Setting("data_dir", PATH, "", 'data_dir = "~/.lib"', "Store, search db, logs and the key file. `LIB_DATA_DIR` wins over it."),
    Setting("machine", NAME, "", 'machine = "laptop"', "The name of this machine in entries and answers; default: the host name."),
    Setting(
        "roots", PATHS, ("~",), 'roots = ["~/code", "~/work"]', "Folders below which project-side transcripts and notes are looked for."
    ),
    Setting("thinking", FLAG, default=False, example="thinking = true", meaning="Whether the model's reasoning is kept and searched too."),
    Setting(
        "sync", SYNC, "auto", 'sync = "manual"', "`auto`: agent hooks sync the library in the background. `manual`: only `lib sync` does."
    ),
    Setting(
        "context",
        FLAG,
        default=True,
        example="context = false",
        meaning="Whether an agent is told at a session's start which topics the library has of its project, in at most 150 tokens.",
    ),
    Setting("walk.depth", COUNT, 4, "depth = 4", "How many folders deep below each root is looked."),
    Setting("walk.seconds", SECONDS, 5.0, "seconds = 5.0", "After how long a walk of the roots stops and says so."),
    Setting("notes.globs", TEXTS, (), 'globs = ["docs/**/*.md"]', "Note files inside projects; an empty list means the built-in patterns."),
    Setting("terminal.globs", TEXTS, (), 'globs = ["logs/terminal-*.md"]', "Pasted terminal logs of agents inside projects."),
    Setting("search.limit", COUNT, 8, "limit = 8", "How many hits `lib search` prints at most."),
    Setting("search.budget", COUNT, 600, "budget = 600", "How many tokens `lib search` prints at most."),
    Setting("logins.allow", FINGERPRINTS, (), 'allow = ["3f2a9c1e07bd"]', "Fingerprints of texts that look like logins and are none."),
    Setting(
        "logins.quiet_minutes",
        COUNT,
        60,
        "quiet_minutes = 240",
        "For how long a transcript must not have changed before `lib logins scrub` touches it.",
    ),
    Setting(
        "classes",
        CLASSES,
        (),
        '"claude-code:3f2a9c1e" = "work"\n"~/bots/*" = "automated"',
        "The class of a session, by its REF or by a pattern of its folder; the first that matches wins over lib's own judgement.",
    ),
)
"""The one table: it drives validation, `Config`'s attributes and docs/config.md."""

VARIABLES = (
    ("LIB_LIBRARY", "Path of the library."),
    ("LIB_DATA_DIR", "Folder of store, search db, logs and key file."),
    ("LIB_CONFIG", "Path of the TOML file."),
)


class Config:
    """All settings, checked; paths are absolute texts. Immutable: `replace` gives a changed copy."""

    __slots__ = ("config_file", "home", *(setting.attribute for setting in SETTINGS))

    home: str
    config_file: str
    """Where the TOML file lies, or would."""
    library: str
    data_dir: str
    machine: str
    roots: tuple[str, ...]
    thinking: bool
    sync: str
    context: bool
    walk_depth: int
    walk_seconds: float
    notes_globs: tuple[str, ...]
    terminal_globs: tuple[str, ...]
    search_limit: int
    search_budget: int
    logins_allow: tuple[str, ...]
    logins_quiet_minutes: int
    classes: tuple[tuple[str, str], ...]
    """(session REF or folder pattern, class) in the order of the file."""

    def __init__(self, **values: object) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Config is immutable: {name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.to_dict().values()))

    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def replace(self, **changes: object) -> Config:
        """A copy with some attributes changed; not checked."""
        return Config(**{**self.to_dict(), **changes})

    @property
    def store_db(self) -> str:
        """The durable database."""
        return os.path.join(self.data_dir, "store.db")

    @property
    def search_db(self) -> str:
        """The search db: a cache."""
        return os.path.join(self.data_dir, "search.db")

    @property
    def key_file(self) -> str:
        """The key of the fingerprints."""
        return os.path.join(self.data_dir, "key")

    @property
    def lock_file(self) -> str:
        """What the one writer holds."""
        return os.path.join(self.data_dir, "writer.lock")

    @property
    def logs(self) -> str:
        """The folder of log files."""
        return os.path.join(self.data_dir, "logs")


def load(environ: Mapping[str, str], home: str, *, platform: str = sys.platform) -> Config:
    """The configuration for this environment and home folder; reads at most the one TOML file.

    Raises UsageError that names file, key and what to write.
    """
    data, configuration = default_folders(environ, home, platform)
    config_file = absolute(environ.get("LIB_CONFIG") or os.path.join(configuration, "config.toml"), home)
    values: dict[str, object] = {setting.attribute: setting.default for setting in SETTINGS}
    values.update(
        library=os.path.join(home, "library"),
        data_dir=os.path.join(data, "data"),
        machine=machine_name(os.uname().nodename),
        roots=(home,),
    )
    if os.path.exists(config_file):
        values.update(_checked(_toml(config_file), config_file, home))
    for variable, name in (("LIB_LIBRARY", "library"), ("LIB_DATA_DIR", "data_dir")):
        if environ.get(variable):
            values[name] = absolute(environ[variable], home)
    return Config(home=home, config_file=config_file, **values)


def default_folders(environ: Mapping[str, str], home: str, platform: str) -> tuple[str, str]:
    """(data folder, configuration folder), the same as platformdirs gives, 18 ms sooner (a test compares)."""
    if platform == "darwin":
        default = (os.path.join(home, "Library/Application Support"),) * 2
    else:
        default = (os.path.join(home, ".local/share"), os.path.join(home, ".config"))
    folders = []
    for variable, folder in zip(("XDG_DATA_HOME", "XDG_CONFIG_HOME"), default, strict=True):
        chosen = environ.get(variable, "")
        # The XDG specification has relative paths ignored.
        folders.append(os.path.join(chosen if os.path.isabs(chosen) else folder, APP))
    return folders[0], folders[1]


def machine_name(host: str) -> str:
    """A host name as entries may hold it: its first label, other characters as `-`."""
    name = "".join(letter if letter in SLUG else "-" for letter in host.split(".", maxsplit=1)[0]).strip("-")
    return name or "machine"


def absolute(path: str, home: str, folder: str = "") -> str:
    """`path` with `~` as `home`, normal and absolute: relative to `folder`, or else to where the process stands."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return os.path.abspath(os.path.join(folder, path))


def _toml(path: str) -> dict[str, Any]:
    """The parsed file; UsageError when it cannot be read or is no TOML."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode()
        plain = _plain(text)
        if plain is not None:
            return plain
        import tomllib  # noqa: PLC0415 - 14 ms that most machines need not pay

        return tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="make it a readable file, or name another one in LIB_CONFIG") from error
    except ValueError as error:
        raise UsageError(f"{path}: not valid TOML: {error}", hint="docs/config.md has an example of every key") from error


def _plain(text: str) -> dict[str, Any] | None:
    """The values of a file that holds no more than texts in quotes, such as `lib init` writes; None for any other."""
    values: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line.isprintable():
            return None
        if not line or line.startswith("#"):
            continue
        key, _, value = line.partition(" = ")
        quoted = value[1:-1]
        if value != f'"{quoted}"' or '"' in quoted or "\\" in quoted or not (key.isidentifier() and key.isascii()) or key in values:
            return None
        values[key] = quoted
    return values


def _checked(table: dict[str, Any], path: str, home: str) -> dict[str, object]:
    """The file's values by attribute name; UsageError for an unknown key or a wrong value."""
    places = (home, os.path.dirname(path))
    known = {setting.key: setting for setting in SETTINGS}
    groups = {key.split(".")[0] for key in known if "." in key}
    values: dict[str, object] = {}
    for key, value in _flat(table, groups):
        setting = known.get(key)
        if setting is None:
            raise UsageError(f"{path}: unknown key `{key}`", hint=_nearest(key, known, groups))
        try:
            values[setting.attribute] = setting.kind.take(value, places)
        except ValueError:
            raise UsageError(f"{path}: `{key}` must be {setting.kind.expected}", hint=f"write for example: {written(setting)}") from None
    return values


def _flat(table: dict[str, Any], groups: set[str]) -> list[tuple[str, Any]]:
    """(dotted key, value) pairs; only the tables named in `groups` are opened."""
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items():
        if key in groups and isinstance(value, dict):
            pairs.extend((f"{key}.{inner}", one) for inner, one in value.items())
        else:
            pairs.append((key, value))
    return pairs


def _nearest(key: str, known: Mapping[str, Setting], groups: set[str]) -> str:
    """A hint for an unknown key."""
    import difflib  # noqa: PLC0415 - only for a message

    if key in groups:
        inside = next(setting for name, setting in known.items() if name.startswith(key + "."))
        return f"`{key}` is a table; write for example: {written(inside)}"
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"the keys are: {', '.join(known)}"


def written(setting: Setting) -> str:
    """How the setting may stand in the file, on one line."""
    group, dot, _ = setting.key.partition(".")
    line = setting.example.partition("\n")[0]
    return f"{group}.{line}" if dot or setting.kind is CLASSES else line
