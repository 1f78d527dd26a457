"""How long `git commit` of one entry takes in a library of 5,000: with our git hooks, without any, and what Python costs to start.

Run by hand: python bench/commit_speed.py [ENTRIES] [ROUNDS]. The aim: with hooks at most 2.5 times without, and one Python start.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from libtool.config import load
from libtool.features import init

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


def commits(top: str, environ: dict[str, str], rounds: int, *args: str) -> float:
    """Median milliseconds of a commit."""
    took = []
    for edit in range(rounds):
        with open(os.path.join(top, "entries", "topic-0042.md"), "w", encoding="utf-8") as file:
            file.write(entry(42, f"edit {edit} of {time.time()}"))
        run(top, environ, "add", "entries/topic-0042.md")
        start = time.perf_counter()
        run(top, environ, "commit", "-q", "-m", "one entry", *args)
        took.append(time.perf_counter() - start)
    return statistics.median(took) * 1000


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
        starts = []
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            starts.append(time.perf_counter() - start)
        python = statistics.median(starts) * 1000
        print(f"{size} entries, {os.path.getsize(os.path.join(top, 'entries', 'topic-0001.md'))} bytes each; median of {rounds}, ms")
        print(f"first commit of all {first * 1000:.0f}, with hooks {with_hooks:.1f}, --no-verify {without:.1f}")
        print(f"no hooks {bare:.1f}, Python {python:.1f}")
        print(f"(with hooks - one Python start) / no hooks = {(with_hooks - python) / bare:.2f}; the aim is 2.50")


if __name__ == "__main__":
    main()
