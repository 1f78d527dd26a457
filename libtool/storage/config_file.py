"""Changes of single keys in the TOML file of `libtool.config`, which belongs to the user: comments, order and format stay as they are."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, cast

from libtool.config import SETTINGS
from libtool.errors import UsageError
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping
    from typing import Any

    from tomlkit import TOMLDocument

_LINE = 200
"""Characters of a comment: it stands behind a value, on its line."""


def set_value(path: str, key: str, value: object) -> None:
    """Put `value` under a dotted key of config.SETTINGS; an equal one is left alone. Makes file (0600) and folder where there is none.

    Raises UsageError for an unknown key, a wrong value, a file that is no TOML, or one that cannot or must not be written.
    """
    document = _parsed(path, key, value)
    table, name = _table(document, key)
    if name in table and _plain(table[name]) == _plain(value):
        return
    table[name] = _plain(value)
    _save(path, document)


def add_to_list(path: str, key: str, item: str, comment: str = "") -> bool:
    """Add one text to a list, with a comment behind it; False, and nothing written, when it is in there. Raises as `set_value`."""
    document = _parsed(path, key, [item])
    table, name = _table(document, key)
    held = table.get(name, [])
    if item in held:
        return False
    if name not in table:
        table[name] = []
    # A TOML comment holds no control characters, and what nobody sees does not belong into one.
    shown = "".join(letter if letter.isprintable() else " " for letter in comment)
    if comment := " ".join(shown.split())[:_LINE].rstrip():
        table[name].add_line(item, comment=comment)
        table[name].add_line(indent="")
    else:
        table[name].append(item)
    _save(path, document)
    return True


def unset(path: str, key: str) -> bool:
    """Take a key out, and its table when nothing is left in that; False when it is not there. Raises as `set_value`."""
    document = _parsed(path, key)
    table, name = _table(document, key, make=False)
    if name not in table:
        return False
    del table[name]
    group, dot, _ = key.rpartition(".")
    if dot and not table:
        del document[group]
    _save(path, document)
    return True


def _parsed(path: str, key: str, value: object = None) -> TOMLDocument:
    """The document, empty where there is no file, once key and value (None: none is given) are known to be right."""
    # 40 ms that only a change of the configuration pays.
    import tomlkit
    from tomlkit.exceptions import ParseError

    setting = next((one for one in SETTINGS if one.key == key), None)
    if setting is None:
        raise UsageError(f"there is no setting `{key}`", hint=f"the keys are: {', '.join(one.key for one in SETTINGS)}")
    if value is not None:
        try:
            setting.kind.take(_plain(value), ("", os.path.dirname(path)))
        except ValueError:
            raise UsageError(f"`{key}` must be {setting.kind.expected}", hint=f"for example: {setting.example}") from None
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return tomlkit.parse(file.read())
    except FileNotFoundError:
        return tomlkit.document()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="make it a readable file, or name another one in LIB_CONFIG") from error
    except (ParseError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}", hint="docs/config.md has an example of every key") from error


def _table(document: TOMLDocument, key: str, *, make: bool = True) -> tuple[MutableMapping[str, Any], str]:
    """The table that holds a dotted key, and the key's last part; a missing table is made, or is an empty one apart from the document."""
    group, dot, name = key.rpartition(".")
    if not dot:
        return document, name
    if group not in document:
        if not make:
            return {}, name
        document[group] = {}
    table = document[group]
    if not hasattr(table, "keys"):
        raise UsageError(f"`{group}` in the configuration is no table", hint="docs/config.md has an example of every key")
    return cast("MutableMapping[str, Any]", table), name


def _plain(value: object) -> object:
    """A value as TOML has it: tuples as lists, the pairs of `classes` as a table."""
    unwrapped = value.unwrap() if hasattr(value, "unwrap") else value
    if isinstance(unwrapped, tuple):
        pairs = all(isinstance(one, tuple) for one in unwrapped) and bool(unwrapped)
        return dict(unwrapped) if pairs else list(unwrapped)
    return unwrapped


def _save(path: str, document: Mapping[str, Any]) -> None:
    """Write the file, if that is one that can be read again. Raises UsageError, and the file is as it was."""
    import tomllib  # noqa: PLC0415 - only a change of the configuration pays

    hint = "change it by hand, or name another file in LIB_CONFIG"
    try:
        content = cast("TOMLDocument", document).as_string().encode()
        tomllib.loads(content.decode())
    except (UnicodeEncodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: it could not be read any more after this change", hint=hint) from error
    try:
        # A new file in its place would not ask; whoever made it read-only meant it.
        if os.path.exists(path) and not os.stat(path).st_mode & stat.S_IWUSR:
            raise UsageError(f"{path} is read-only", hint=hint)
        files.write(path, content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint=hint) from error
