"""How long `git commit` of one entry takes in a library of 5,000: with our git hooks, without any, and what Python costs to start.

Run by hand: python bench/commit_speed.py [ENTRIES] [ROUNDS]. The aim: with hooks at most 2.5 times without, and one Python start.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from libtool.config import load
from libtool.features import init

Pair = tuple[float, float]
WORDS = "the sidecar rotates tokens each day and a cron job missed two of them in one week so we keep it as it is".split()


def entry(number: int, note: str = "it is as it is") -> str:
    items = "\n".join(f"- 2026-10-{1 + one:02}: {' '.join(WORDS[one % 5 :])} {number}" for one in range(25))
    sections = {
        "Answer": f"Entry {number} is about tokens. (2026-10-03)",
        "Decided": items,
        "Blocker": "None.",
        "Superseded": "None.",
        "Measured": "None.",
        "Open": f"- {note}",
        "Pointers": "None.",
        "Session": "- codex:0199a8f2-1111-7000-8000-00000000000a desk 2026-10-03",
    }
    return f"# Entry {number}\n\n" + "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items()) + "\n"


def run(top: str, environ: dict[str, str], *args: str) -> None:
    done = subprocess.run(["git", *args], cwd=top, env=environ, check=False, capture_output=True)
    if done.returncode:
        sys.exit(done.stderr.decode()[:2000])


def cpu() -> float:
    """Seconds of all processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def commits(top: str, environ: dict[str, str], rounds: int, *args: str) -> Pair:
    """Median milliseconds of a commit, waited and computed: the second is what a busy machine leaves comparable."""
    took, spent = [], []
    for edit in range(rounds):
        with open(os.path.join(top, "entries", "topic-0042.md"), "w", encoding="utf-8") as file:
            file.write(entry(42, f"edit {edit} of {time.time()}"))
        run(top, environ, "add", "entries/topic-0042.md")
        start, before = time.perf_counter(), cpu()
        run(top, environ, "commit", "-q", "-m", "one entry", *args)
        took.append(time.perf_counter() - start)
        spent.append(cpu() - before)
    return statistics.median(took) * 1000, statistics.median(spent) * 1000


def main() -> None:
    size, rounds = ([int(word) for word in sys.argv[1:]] + [5000, 15][len(sys.argv) - 1 :])[:2]
    with tempfile.TemporaryDirectory() as home:
        top = os.path.join(home, "library")
        environ = {"HOME": home, "PATH": os.defpath, "GIT_CONFIG_NOSYSTEM": "1"}
        with open(os.path.join(home, ".gitconfig"), "w", encoding="utf-8") as file:
            file.write("[user]\nname = a\nemail = a@example.org\n[gc]\nauto = 0\n")
        init.run(load(environ, home), environ, init.Wanted(top))
        for number in range(size):
            with open(os.path.join(top, "entries", f"topic-{number:04}.md"), "w", encoding="utf-8") as file:
                file.write(entry(number))
        run(top, environ, "add", "entries")
        start = time.perf_counter()
        run(top, environ, "commit", "-q", "-m", f"{size} entries")
        first = time.perf_counter() - start
        with_hooks = commits(top, environ, rounds)
        without = commits(top, environ, rounds, "--no-verify")
        hooks = os.path.join(top, ".git", "hooks")
        os.rename(hooks, hooks + ".off")
        bare = commits(top, environ, rounds)
        starts, spent = [], []
        for _ in range(rounds):
            start, before = time.perf_counter(), cpu()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            starts.append(time.perf_counter() - start)
            spent.append(cpu() - before)
        python = statistics.median(starts) * 1000, statistics.median(spent) * 1000
        print(f"{size} entries, {os.path.getsize(os.path.join(top, 'entries', 'topic-0001.md'))} bytes each; median of {rounds}, ms")
        print(f"first commit of all {first * 1000:.0f}")
        for at, how in enumerate(("waited", "computed")):
            print(
                f"{how}: with hooks {with_hooks[at]:.1f}, --no-verify {without[at]:.1f}, no hooks {bare[at]:.1f}, Python {python[at]:.1f};"
            )
            print(f"  (with hooks - one Python start) / no hooks = {(with_hooks[at] - python[at]) / bare[at]:.2f}; the aim is 2.50")


if __name__ == "__main__":
    main()
