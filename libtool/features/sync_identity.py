"""Which machine this is, beside its name: a random id in the data dir, told in `machines/<name>.json`.

Two machines of one name would write one file in turns. A hostname is no help, people have two of those alike too.
"""

from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING

from libtool.errors import SyncRefused
from libtool.storage import database, files

if TYPE_CHECKING:
    from libtool.config import Config

NAME = "machine-id"
"""The file in the data dir: the id, and in a second line the name that the last record went by."""
DIGITS = 16
LONGEST = 4096
"""Bytes of a record that are looked at."""
_HEXADECIMAL = frozenset("0123456789abcdef")


def there(config: Config) -> str:
    """This machine's id; '' while it has none."""
    try:
        with open(os.path.join(config.data_dir, NAME), encoding="ascii", errors="replace") as file:
            return _checked(file.read(DIGITS + 1).strip())
    except OSError:
        return ""


def own(config: Config) -> str:
    """This machine's id, made now where it has none. Raises DataDirUnusable."""
    if not there(config):
        _write(config, secrets.token_hex(DIGITS // 2), config.machine)
    return there(config)


def name_told(config: Config) -> str:
    """The name that this machine's last record went by; '' for none. Another than the present one when it was renamed since."""
    try:
        with open(os.path.join(config.data_dir, NAME), encoding="ascii", errors="replace") as file:
            return file.read(LONGEST).partition("\n")[2].strip()
    except OSError:
        return ""


def note_told(config: Config) -> None:
    """Note that a record went by the present name. Raises DataDirUnusable."""
    if name_told(config) != config.machine:
        _write(config, own(config), config.machine)


def adopt(config: Config, content: bytes) -> None:
    """Be the machine that wrote a record: its data dir was lost, or it is installed anew. Raises DataDirUnusable."""
    if identity := said(content):
        _write(config, identity)


def said(content: bytes | None) -> str:
    """The id in a machine's record; '' for none, as older versions wrote it. Foreign bytes."""
    try:
        record = json.loads(content or b"")
    except (ValueError, RecursionError):
        return ""
    return _checked(record.get("id")) if isinstance(record, dict) else ""


def refuse_stranger(config: Config, content: bytes | None) -> None:
    """Raise SyncRefused when another machine wrote the record that goes by this machine's name."""
    identity = said(content)
    if identity and identity != there(config):
        raise SyncRefused(
            f"another machine named {config.machine} syncs with this library already; nothing was sent",
            hint="give this one another name: `lib init --machine NAME`; if it is that machine with a new data dir: "
            f"`lib init --machine {config.machine} --same-machine`",
        )


def _write(config: Config, identity: str, name: str = "") -> None:
    with database.failures(config.data_dir):
        files.ensure_folder(config.data_dir)
        files.write(os.path.join(config.data_dir, NAME), f"{identity}\n{name}".encode().strip() + b"\n", mode=files.FILE_MODE)


def _checked(text: object) -> str:
    return text if isinstance(text, str) and len(text) == DIGITS and _HEXADECIMAL.issuperset(text) else ""
