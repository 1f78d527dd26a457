"""`lib sync` over a library of 5,000 entries beside git: nothing to do, a fast forward, a merge with push. Milliseconds, whole processes.

    python bench/sync_speed.py [entries] [runs]

A bare repository on this disk is the remote. Each figure is the median; `git` is `git fetch`, or `git pull` and `git push`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

TEXT = "\n".join(f"- 2026-10-01: a decision of some length, number {number:02}, about one thing or another." for number in range(50))
ENTRY = """# Topic {topic}

## Answer

Yes, number {topic}. (2026-10-01)

## Decided

{text}

## Blocker

None.

## Superseded

None.

## Measured

None.

## Open

None.

## Pointers

None.

## Session

- codex:0199a8f2-77aa laptop 2026-10-01
"""
LIB = [sys.executable, "-c", "from libtool.cli.main import program; program()", "sync", "--quiet"]


def git(folder: str, *words: str) -> None:
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def write(library: str, topic: str, more: str = "") -> None:
    with open(os.path.join(library, "entries", f"{topic}.md"), "w", encoding="utf-8") as file:
        file.write(ENTRY.format(topic=topic, text=TEXT + more))


def commit(library: str) -> None:
    git(library, "add", "-A")
    git(library, "commit", "-qm", "edit")


def timed(words: list[str], folder: str, environ: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run(words, cwd=folder, env=environ, check=True, capture_output=True)
    return (time.perf_counter() - begun) * 1000


def main(entries: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # noqa: TID251 - an installed program has its bytecode
        os.environ.update(HOME=folder, GIT_CONFIG_GLOBAL=os.path.join(folder, "config"), GIT_CONFIG_NOSYSTEM="1")  # noqa: TID251
        git(folder, "config", "--global", "user.name", "Ada")
        git(folder, "config", "--global", "user.email", "ada@example.org")
        git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
        libraries = {name: os.path.join(folder, name) for name in ("desk", "lap")}
        desk, lap = libraries.values()
        git(folder, "clone", "-q", "remote.git", "desk")
        os.mkdir(os.path.join(desk, "entries"))
        with open(os.path.join(desk, ".lib-library"), "w", encoding="utf-8") as file:
            file.write("1\n")
        for number in range(entries):
            write(desk, f"topic-{number}")
        git(desk, "checkout", "-q", "-B", "main")
        commit(desk)
        git(desk, "push", "-q", "-u", "origin", "main")
        git(folder, "clone", "-q", "remote.git", "lap")
        environs = {}
        for name, library in libraries.items():
            config = os.path.join(folder, f"{name}.toml")
            with open(config, "w", encoding="utf-8") as file:
                file.write(f'machine = "{name}"\n')
            data = os.path.join(folder, f"{name}-data")
            environs[library] = {**os.environ, "LIB_LIBRARY": library, "LIB_DATA_DIR": data, "LIB_CONFIG": config}  # noqa: TID251
            timed(LIB, folder, environs[library])
        timed(LIB, folder, environs[desk])
        report(entries, runs, desk, lap, environs)


def report(entries: int, runs: int, desk: str, lap: str, environs: dict[str, dict[str, str]]) -> None:
    print(f"{entries} entries, {runs} runs")
    bare = statistics.median(timed([sys.executable, "-c", "pass"], desk, environs[desk]) for _ in range(runs))
    fetch = statistics.median(timed(["git", "fetch"], desk, environs[desk]) for _ in range(runs))
    nothing = statistics.median(timed(LIB, desk, environs[desk]) for _ in range(runs))
    print(f"bare python       {bare:6.0f}")
    print(f"git fetch         {fetch:6.0f}")
    print(f"nothing to do     {nothing:6.0f}   {nothing / fetch:.2f} times git fetch")
    forward, merged = [], []
    for number in range(max(2, runs // 6)):
        write(desk, f"new-{number}")
        commit(desk)
        timed(LIB, desk, environs[desk])
        forward.append(timed(LIB, lap, environs[lap]))
        write(desk, "topic-1", f"\n- 2026-10-02: desk {number}.")
        commit(desk)
        timed(LIB, desk, environs[desk])
        write(lap, "topic-1", f"\n- 2026-10-03: lap {number}.")
        commit(lap)
        merged.append(timed(LIB, lap, environs[lap]))
        timed(LIB, desk, environs[desk])
    print(f"fast forward      {statistics.median(forward):6.0f}")
    print(f"true merge + push {statistics.median(merged):6.0f}")


if __name__ == "__main__":
    main(*(int(word) for word in (*sys.argv[1:3], *("5000", "20")[len(sys.argv) - 1 :])))
