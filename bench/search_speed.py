"""Cold `lib search` against bare Python, in turns, in one run: what an agent waits for.

usage: search_speed.py LIB RARE "TEN WORDS ..." [--runs 21]
LIB is the installed script; the Python beside it is the yardstick. LIB_DATA_DIR (or HOME) says which index. Prints medians and ratios.
PYTHONDONTWRITEBYTECODE is dropped: an installed program has its bytecode.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time


def medians(commands: list[list[str]], runs: int) -> list[float]:
    """The median wall time of each command in ms; the commands take turns, so that a slow moment of the machine hits all."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # noqa: TID251
    times: list[list[float]] = [[] for _ in commands]
    for turn in range(runs + 1):
        for command, row in zip(commands, times, strict=True):
            start = time.perf_counter()
            subprocess.run(command, env=environ, capture_output=True, check=False)
            if turn:
                row.append(time.perf_counter() - start)
    return [statistics.median(row) * 1000 for row in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lib")
    parser.add_argument("rare")
    parser.add_argument("question")
    parser.add_argument("--runs", type=int, default=21)
    args = parser.parse_args()
    python = os.path.join(os.path.dirname(args.lib), "python")
    named = {
        "python -c pass": [python, "-c", "pass"],
        "lib --version": [args.lib, "--version"],
        "rare word": [args.lib, "search", args.rare],
        "question": [args.lib, "search", args.question],
    }
    found = medians(list(named.values()), args.runs)
    for name, time_ms in zip(named, found, strict=True):
        print(f"{name:16} {time_ms:7.1f} ms  {time_ms / found[0]:5.2f} x bare Python")


if __name__ == "__main__":
    main()
