"""The Session section by REFs, as `lib search` prints them: each becomes the line that the format asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.cited import of_item
from libtool.domain.entry import identity, render, tidy
from libtool.domain.mend import recover
from libtool.domain.ref import parse
from libtool.domain.schema import SESSION
from libtool.errors import LibError
from libtool.features.review_session import known

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from libtool.config import Config


def written_out(data: bytes, config: Config, environ: Mapping[str, str], today: dt.date) -> bytes:
    """An entry in its one form with the REFs in Session written out: the whole id, the machine, the day. What names no session stays."""
    entry = recover(data)
    items = entry.items[SESSION]
    lines = tidy(SESSION, (item if of_item(identity(item)) else _line(item, config, environ, today) for item in items))
    if lines == items:
        return data
    entry.items[SESSION] = lines
    return render(entry)


def _line(item: str, config: Config, environ: Mapping[str, str], today: dt.date) -> str:
    text = identity(item).strip("`")
    try:
        return known(config, environ, parse(text), today).line
    except LibError:
        return item
