"""Our keys in Codex' config.toml: a block of lines at its head, where keys of no table stand; all other bytes stay.

A format-preserving parser would put them elsewhere and could not promise to give the old bytes back. Keys at the head mean
the same whatever comes behind them.
"""

from __future__ import annotations

import json
import re
import tomllib

from libtool.features.install import templates
from libtool.features.install.part import UnusableError

_BEGIN, _END = "# lib: begin (`lib install` put this here)", "# lib: end"
_BLOCK = re.compile(rf"^{re.escape(_BEGIN)}\r?\n(.*?)^{re.escape(_END)}\r?\n", re.MULTILINE | re.DOTALL)
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
NOTIFY, PROMPT = "notify", "compact_prompt"


class TomlKeys:
    """`notify`, and with `prompt` also `compact_prompt`."""

    is_whole = False
    nothing = b""

    def __init__(self, template: str, prompt: str = "") -> None:
        self.template = template
        self._prompt = prompt

    def put(self, text: bytes | None, launcher: str) -> bytes:
        """See `Part`. A key that its owner has set is left as it is."""
        mark, plain = _decoded(text or b"")
        there = tomllib.loads(plain)
        ours = {key: value for key, value in self._keys(launcher).items() if key not in there}
        if not ours:
            return text or b""
        newline = "\r\n" if "\r\n" in plain else "\n"
        lines = [_BEGIN, *(f"{key} = {_written(value)}" for key, value in ours.items()), _END]
        block = "".join(line + newline for line in lines)
        return (mark + block + plain).encode()

    def take(self, text: bytes, was: bytes | None = None) -> bytes | None:  # noqa: ARG002 - nothing empty is left
        """See `Part`."""
        # By its lines, so that it goes out of a file that cannot be parsed too.
        mark, plain = _split(text.decode(errors="surrogateescape"))
        left, count = _BLOCK.subn("", plain)
        return None if count and not left.strip() else (mark + left).encode(errors="surrogateescape")

    def holds(self, text: bytes, launcher: str) -> bool:
        """See `Part`. A key of the owner's own stands for ours."""
        mark, plain = _decoded(text)
        left, count = _BLOCK.subn("", plain)
        # The block must be as this version writes it, with what else stands there now.
        again = self.put((mark + left).encode(), launcher)
        return count < 2 and _BLOCK.findall(_decoded(again)[1]) == _BLOCK.findall(plain)

    def _keys(self, launcher: str) -> dict[str, object]:
        text = templates.text(self.template).replace("@LIB@", json.dumps(launcher)[1:-1])
        keys: dict[str, object] = tomllib.loads(text)
        return {**keys, PROMPT: self._prompt} if self._prompt else keys


def has_prompt(text: bytes) -> bool:
    """Whether our block asks for a compaction prompt, as somebody has once wished."""
    block = _BLOCK.search(text.decode("utf-8-sig", "replace"))
    return block is not None and f"\n{PROMPT} = " in block[0]


def others_notify(text: bytes) -> bool:
    """Whether the owner's own `notify` is in the place of ours."""
    try:
        plain = _decoded(text)[1]
    except UnusableError:
        return False
    return NOTIFY in tomllib.loads(_BLOCK.sub("", plain))


def _written(value: object) -> str:
    """A list of texts, or a text, as TOML that is JSON too, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _decoded(text: bytes) -> tuple[str, str]:
    """(byte order mark, the rest), once it is known that it can be parsed."""
    try:
        mark, plain = _split(text.decode())
        tomllib.loads(plain)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnusableError(f"line {line}: not UTF-8", "save it as UTF-8, then run the command again") from error
    except (ValueError, RecursionError) as error:
        # The parser has no word of its own for a number that is too long, or for lists that are too deep.
        hint = "mend that line, then run the command again; until then the agent cannot read the file either"
        raise UnusableError(f"no TOML: {error}", hint) from error
    return mark, plain


def _split(text: str) -> tuple[str, str]:
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
