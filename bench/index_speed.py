"""How fast `lib index` is, in one run with what it is held against: orjson alone over the same files, and bare Python.

`python bench/index_speed.py HOME [--runs N]`

HOME is a home folder with transcripts (a copy of yours, or a generated one); it is only read. The data dir is a fresh one for each run.
Printed: MB/s of raw transcripts, the ratio to parsing alone, the index in percent of raw, the peak memory of the largest process, and what
a second run with nothing new, and one with one session grown, cost over bare Python. Of several runs the fastest counts: noise only adds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INDEX = "from libtool.cli.main import program; program()"
MEASURE = """
import re, resource, sys
from libtool.cli.main import main
code = main(["index", "--json"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if sys.platform == "linux":
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
unit = 1 if sys.platform == "darwin" else 1024
print(max(peak, children) * unit, file=sys.stderr)
sys.exit(code)
"""


def environment(home: str, data: str) -> dict[str, str]:
    """What a run sees; Python may keep its compiled modules, as it does where lib is installed."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}  # noqa: TID251
    return {**kept, "HOME": home, "LIB_DATA_DIR": data, "LIB_CONFIG": os.path.join(data, "none.toml")}


@contextmanager
def on_one_processor(*, pinned: bool) -> Iterator[None]:
    """This process and its children on one processor, where the system can."""
    if not pinned:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def seconds(run: Callable[[], object], runs: int) -> float:
    """Wall clock of the fastest of several runs."""
    best = float("inf")
    for _ in range(runs):
        begun = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begun)
    return best


def transcripts(home: str) -> list[str]:
    """Every JSONL file below a home."""
    return [os.path.join(path, name) for path, _, names in os.walk(home) for name in names if name.endswith(".jsonl")]


def parse(paths: list[str]) -> None:
    """Every line of every file through orjson: what no indexer of these files can do without."""
    for path in paths:
        with open(path, "rb") as file:
            for line in file:
                try:
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue


def python(program: str, environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """A whole process; its exit code 4 (a transcript that cannot be read) counts as done."""
    done = subprocess.run([sys.executable, "-c", program, *words], env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"exit code {done.returncode}: {done.stderr}")
    return done


def cold(home: str, folder: str, runs: int) -> float:
    """Seconds of a first run into a fresh data dir."""

    def run() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        python(INDEX, environment(home, folder), "index")

    return seconds(run, runs)


def size_of(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(folder, name)) for name in ("store.db", "search.db"))


def grown(home: str, folder: str, work: str, runs: int) -> tuple[float, float]:
    """Seconds of a run with nothing new, and of one with one session grown by a turn.

    The home is made of symbolic links, but for one session's file, which is a copy.
    """
    paths = transcripts(home)
    chosen = max(paths, key=os.path.getsize)
    linked = os.path.join(work, "home")
    shutil.copytree(home, linked, copy_function=os.symlink)
    copy = os.path.join(linked, os.path.relpath(chosen, home))
    os.unlink(copy)
    shutil.copy(chosen, copy)
    environ = environment(linked, folder)
    shutil.rmtree(folder, ignore_errors=True)
    python(INDEX, environ, "index")
    nothing = seconds(lambda: python(INDEX, environ, "index"), runs)
    with open(copy, "rb") as file:
        lines = file.read().splitlines(keepends=True)[-2:]

    def append() -> None:
        with open(copy, "ab") as file:
            file.writelines(lines)

    def run() -> None:
        append()
        python(INDEX, environ, "index")

    return nothing, seconds(run, runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    home = os.path.abspath(given.home)
    paths = transcripts(home)
    raw = sum(map(os.path.getsize, paths))
    if not raw:
        raise SystemExit(f"no transcripts below {home}")
    parse(paths)  # into the page cache, for all alike
    alone = seconds(lambda: parse(paths), given.runs)
    with tempfile.TemporaryDirectory() as work:
        data = os.path.join(work, "data")
        bare = seconds(lambda: python("pass", environment(home, data)), given.runs * 5)
        every = cold(home, data, given.runs)
        size = size_of(data)
        one = None
        if hasattr(os, "sched_setaffinity"):
            with on_one_processor(pinned=True):
                one = cold(home, data, given.runs)
        shutil.rmtree(data)
        done = python(MEASURE, environment(home, data))
        peak, report = int(done.stderr.split()[-1]), json.loads(done.stdout)
        nothing, append = grown(home, data, work, given.runs * 3)
    table = [
        ("raw transcripts", f"{raw / 1e6:.0f} MB in {len(paths)} files, {report['records']} records"),
        ("orjson alone, one process", f"{raw / alone / 1e6:.0f} MB/s"),
        ("lib index, all processors", f"{raw / every / 1e6:.0f} MB/s = {alone / every:.0%} of orjson alone"),
        ("lib index, one processor", f"{raw / one / 1e6:.0f} MB/s = {alone / one:.0%} of orjson alone" if one else "cannot be pinned here"),
        ("store and search db", f"{size / 1e6:.1f} MB = {size / raw:.1%} of raw"),
        ("peak memory, largest process", f"{peak / 1e6:.0f} MB"),
        ("bare Python", f"{bare * 1000:.1f} ms"),
        ("second run, nothing new", f"{nothing * 1000:.0f} ms = {nothing / bare:.1f} x bare Python"),
        ("one session grown by a turn", f"{append * 1000:.0f} ms = {append / bare:.1f} x bare Python"),
    ]
    for name, value in table:
        print(f"{name:30} {value}")


if __name__ == "__main__":
    main()
