"""The plot of `lib audit`: tokens by month, of raw transcripts and of lookups, as SVG. Needs matplotlib, the optional extra `plot`."""

from __future__ import annotations

import importlib
import io
import os
from typing import TYPE_CHECKING

from libtool.domain.raw_reads import LOOKUP, RAW
from libtool.errors import LibError, UsageError
from libtool.features.audit import grouped, spent
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from libtool.features.audit import Read

_BARS = ((RAW, "raw transcripts", "#b5523b", -0.2), (LOOKUP, "lookups through lib", "#3b7ab5", 0.2))
_MODE = 0o644


def write(reads: Sequence[Read], path: str) -> None:
    """Draw into a file; the same calls give the same bytes. Raises UsageError without matplotlib, LibError when it cannot be written."""
    try:
        figures: Any = importlib.import_module("matplotlib.figure")
        settings: Any = importlib.import_module("matplotlib").rc_context
    except ImportError as error:
        raise UsageError("a plot needs matplotlib", hint="pip install 'lib-sessions[plot]'") from error
    months = grouped(reads, "month")
    # Text stays text; ids of the SVG do not change from run to run.
    with settings({"svg.hashsalt": "lib", "svg.fonttype": "none"}):
        figure = figures.Figure(figsize=(max(6.0, 0.7 * len(months)), 4.0), layout="constrained")
        axes = figure.add_subplot()
        for kind, label, colour, shift in _BARS:
            heights = [spent(group, kind).tokens for group in months.values()]
            axes.bar([at + shift for at in range(len(months))], heights, width=0.4, color=colour, label=label)
        axes.set_xticks(range(len(months)), list(months), rotation=45, ha="right")
        axes.set_ylabel("tokens")
        axes.set_title("What past sessions read to know what older ones decided")
        axes.legend()
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    try:
        # Our own writer would make the folder: a misspelled one is none that somebody wants.
        os.stat(os.path.dirname(path))
        files.write(path, drawn.getvalue(), mode=_MODE)
    except OSError as error:
        raise LibError(f"the plot cannot be written: {error.strerror}", hint="name a file in a folder that exists") from error
