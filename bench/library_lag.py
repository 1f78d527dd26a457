"""What a library costs `lib search`: unchanged, after an edit, and when the edit has settled, in turns with bare Python.

usage: library_lag.py LIB LIBRARY WORD [--runs 7]
LIB is the installed script; LIB_DATA_DIR (or HOME) says which index. Appends a line to one entry of LIBRARY at each run: give it a copy.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time


def took(command: list[str], environ: dict[str, str]) -> float:
    """Wall time of a command, in ms."""
    start = time.perf_counter()
    subprocess.run(command, env=environ, capture_output=True, check=False)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lib")
    parser.add_argument("library")
    parser.add_argument("word")
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    environ = {**os.environ, "LIB_LIBRARY": args.library}  # noqa: TID251
    search = [args.lib, "search", args.word]
    folder = os.path.join(args.library, "entries")
    entry = os.path.join(folder, min(os.listdir(folder)))
    subprocess.run([args.lib, "index", "--db", "--quiet"], env=environ, capture_output=True, check=True)
    times: dict[str, list[float]] = {"python -c pass": [], "unchanged": [], "after an edit": [], "settling": []}
    for _ in range(args.runs):
        time.sleep(2.2)
        times["settling"].append(took(search, environ))
        times["python -c pass"].append(took([os.path.join(os.path.dirname(args.lib), "python"), "-c", "pass"], environ))
        times["unchanged"].append(took(search, environ))
        with open(entry, "a", encoding="utf-8") as file:
            file.write("- one more line\n")
        times["after an edit"].append(took(search, environ))
    bare = statistics.median(times["python -c pass"])
    for name, found in times.items():
        print(f"{name:16} {statistics.median(found):7.1f} ms  {statistics.median(found) / bare:5.2f} x bare Python")


if __name__ == "__main__":
    main()
