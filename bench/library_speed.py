"""How fast a library of many entries is read: `python bench/library_speed.py [--entries N] [--kilobytes K]`, processor time of one core.

Printed: `lib build-index --md` (from nothing), `lib topics` of two words, one line of INDEX.md patched into the rest, and the validation of
entries, each as seconds and as MB/s of entries.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import tempfile
import time
from typing import TYPE_CHECKING

from libtool import config
from libtool.domain.codes import EXAMPLE
from libtool.domain.index_md import build, line_of, lines_in
from libtool.domain.validate import problems
from libtool.features import index_md, topics
from libtool.storage import entry_files

if TYPE_CHECKING:
    from collections.abc import Callable

ITEM = "- 2026-10-03: number {n} of {topic}: keep the sidecar, not a cron job; cron missed two rotations. (claude-code:3f2a9c1e#41)"


def make(library: str, entries: int, size: int) -> int:
    """Write so many entries of about `size` bytes, every tenth with a fence in its Answer; their bytes in all."""
    folder = os.path.join(library, "entries")
    os.makedirs(folder)
    total = 0
    for number in range(entries):
        topic = f"topic-{number}"
        items = "\n".join(ITEM.format(n=n, topic=topic) for n in range(100, 100 + max(1, (size - len(EXAMPLE)) // len(ITEM))))
        text = EXAMPLE.replace("## Decided\n\n", f"## Decided\n\n{items}\n")
        if number % 10 == 0:
            text = text.replace("## Decided\n", "```sh\nmake rotate\n## Open\n```\n\n## Decided\n")
        with open(os.path.join(folder, f"{topic}.md"), "w", encoding="utf-8") as file:
            total += file.write(text)
    return total


def report(name: str, size: int, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    spent = time.process_time() - start
    print(f"{name:40s} {spent:7.3f} s {size / 1e6 / spent:7.1f} MB/s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of a library.")
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--kilobytes", type=float, default=5.0, help="size of an entry")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({}, home).replace(library=os.path.join(home, "library"))
        size = make(settings.library, args.entries, int(args.kilobytes * 1000))
        print(f"{args.entries} entries, {size / 1e6:.1f} MB")
        report("build-index --md", size, lambda: index_md.write(settings))
        report("topics", size, lambda: topics.topics(settings, ["sidecar", "tokens"]))
        contents = entry_files.contents(settings.library)
        whole = build({topic: line_of(topic, data) for topic, data in contents.items()})
        report("a line patched", size, lambda: build({**(lines_in(whole) or {}), "topic-1": line_of("topic-1", contents["topic-1"])}))
        some = list(contents.items())[:200]
        today = dt.date(2026, 11, 30)
        checked = sum(len(data) for _, data in some)
        report("check, without logins", checked, lambda: [problems(data, topic, topics=contents, today=today) for topic, data in some])


if __name__ == "__main__":
    main()
