"""`lib index` with small batches and workers for little work: what the kill tests run as a process of its own.

Usage: driver.py [--workers] WORD ...
"""

from __future__ import annotations

import sys

from libtool.cli import main
from libtool.features import index, intake, workers
from libtool.storage import search_build

intake.STORE_BATCH = 30_000
# On a busy machine a run would leave some to the next one, and two runs would differ.
index.DIGEST_SECONDS = 600.0
search_build.BATCH = 20
words = sys.argv[1:]
if words[0] == "--workers":
    words = words[1:]
    workers.WORTH_IT = 0
    workers.available = lambda: 3
sys.exit(main.main(words))
