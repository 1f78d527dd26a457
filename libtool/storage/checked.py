"""What `lib verify` found last, by entry: a text file, since a search that shows it must neither wait for git nor load a parser.

A row tells for which bytes of the entry and where which repositories stood it holds. Their heads are told from their files alone.
"""

from __future__ import annotations

import os
import zlib

from libtool.storage import files, library, watermark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from libtool.config import Config

_NAME = "checked"
_SHOWN_COMMITS = 3
_COMMIT = 12
_LONGEST = 64 << 20
STALE = "; not checked since"


class Row:
    """An entry's last check: the crc of its bytes, the state (`holds` or `changed`, with remarks), the repositories looked at.

    A repository is (git folder, head, commit), `head` as `watermark.head` gave it.
    """

    __slots__ = ("crc", "places", "state")

    def __init__(self, crc: int, state: str, places: Sequence[tuple[str, str, str]]) -> None:
        self.crc = crc
        self.state = state
        self.places = tuple(places)


def crc(data: bytes) -> int:
    """What tells one version of an entry from another."""
    return zlib.crc32(data)


class Checks:
    """The last checks as a reader asks for them; the file is read once, and only when it is asked."""

    __slots__ = ("_config", "_text")

    def __init__(self, config: Config) -> None:
        self._config = config
        self._text: str | None = None

    def told(self, topic: str, data: bytes | None = None) -> str:
        """`holds, at 9f3c2d1` of an entry of these bytes (None: as it lies in the library), '' when it was never checked.

        With STALE where it or a repository has changed since.
        """
        if self._text is None:
            self._text = _content(self._config)
        row = _row(self._text, topic)
        if row is None:
            return ""
        if data is None:
            data = library.content(self._config.library, f"{library.ENTRIES}/{topic}.md")
        commits = ", ".join(list(dict.fromkeys(commit[:_COMMIT] for _, _, commit in row.places))[:_SHOWN_COMMITS])
        fresh = data is not None and crc(data) == row.crc and all(watermark.head(folder) == head for folder, head, _ in row.places)
        return f"{row.state}, at {commits}{'' if fresh else STALE}"


def save(config: Config, rows: Mapping[str, Row | None], topics: Iterable[str]) -> None:
    """Keep these rows beside those of other entries in `topics`; None drops one. The caller holds the writer lock. Raises OSError."""
    kept = set(topics)
    lines = {topic: line for line in _content(config).split("\n") if (topic := line.partition("\t")[0]) in kept}
    for topic, row in rows.items():
        lines.pop(topic, None)
        if row is not None:
            lines[topic] = "\t".join([topic, f"{row.crc:08x}", row.state, *(_escaped(text) for place in row.places for text in place)])
    files.write(os.path.join(config.data_dir, _NAME), "".join(f"{line}\n" for _, line in sorted(lines.items())).encode("ascii"))


def _content(config: Config) -> str:
    try:
        with open(os.path.join(config.data_dir, _NAME), encoding="ascii", errors="replace") as file:
            return "\n" + file.read(_LONGEST)
    except OSError:
        return ""


def _row(text: str, topic: str) -> Row | None:
    """The row of a topic; None when there is none, or it is damaged."""
    _, found, rest = text.partition(f"\n{topic}\t")
    fields = rest.partition("\n")[0].split("\t")
    if not found or len(fields) < 5 or len(fields) % 3 != 2:
        return None
    try:
        values = [field.encode("ascii").decode("unicode_escape") for field in fields[2:]]
        return Row(int(fields[0], 16), fields[1], list(zip(values[::3], values[1::3], values[2::3], strict=True)))
    except ValueError:
        return None


def _escaped(text: str) -> str:
    """A text as one field of a line; a name that is no UTF-8 too."""
    return text.encode("unicode_escape").decode("ascii")
