"""The records of a whole transcript, read anew and as they are: `lib audit` and `lib eval` measure what it costs to read them."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.base import Source
from libtool.adapters.registry import ADAPTERS
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.config import Config
    from libtool.domain.session import Record


class Records(NamedTuple):
    """Reads transcripts; neither cleaned nor redacted, so nothing of it may be kept or printed."""

    home: str
    environ: Mapping[str, str]
    scratch: str
    """A private folder for copies of databases."""

    def read(self, agent: str, path: str) -> Iterator[Record]:
        """All records of a file that the adapter of `agent` knows; raises OSError."""
        adapter = ADAPTERS[agent]
        roots = [one.root for one in adapter.places(self.home, self.environ) if path.startswith(one.root + os.sep)]
        source = Source.open(path, scratch=self.scratch, home=max(roots, key=len, default=os.path.dirname(path)))
        with source.file:
            yield from adapter.reader(path, None).read(source)


@contextlib.contextmanager
def reading(config: Config, environ: Mapping[str, str]) -> Iterator[Records]:
    """A reader of transcripts whose scratch folder is removed at the end."""
    with files.scratch(config.data_dir, "records") as scratch:
        yield Records(config.home, environ, scratch)
