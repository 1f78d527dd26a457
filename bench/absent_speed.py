"""What absence costs: `python bench/absent_speed.py [--files N] [--commits N]`, wall clock, beside one `git grep` for the same words.

Printed: `git grep` of the name's spellings, the tree part of `lib absent`, the history part, the whole answer in tokens, and the ratio of
tree to grep, which is to stay under 2.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

from libtool import config
from libtool.cli.commands import absent as command
from libtool.features.absent import answer, history, tree
from libtool.storage import git_read

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "token cron"
SPELLINGS = [f"token{end}{between}cron" for end in ("", "s") for between in ("_", "", "-", " ", ".")]
LINES, A_FOLDER = 60, 50
WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")


def make(folder: str, files: int, commits: int) -> None:
    """A repository of so many files of about 2.6 KB, and so many commits, each of which changes three of them."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(4000)]

    def write(number: int) -> None:
        lines = [f"    {rng.choice(words)}_{rng.choice(words)} = {rng.choice(words)}({rng.choice(words)})\n" for _ in range(LINES)]
        place = os.path.join(folder, f"m{number // A_FOLDER}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"f{number}.py"), "w", encoding="ascii") as file:
            file.writelines(lines)

    os.makedirs(folder)
    git(folder, "init", "-q")
    for number in range(files):
        write(number)
    for _ in range(commits):
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "Change some")
        for _ in range(3):
            write(rng.randrange(files))


def git(folder: str, *words: str) -> None:
    subprocess.run(["git", *WHO, *words], cwd=folder, check=True)


def timed(work: Callable[[], object], runs: int = 5) -> float:
    """The best of some runs, in seconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of a proof of absence.")
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--commits", type=int, default=50)
    args = parser.parse_args()
    environ = {"PATH": os.defpath}
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "code")
        make(folder, args.files, args.commits)
        reader = git_read.Reader(git_read.checkout(folder, environ), environ)
        patterns = [word for form in SPELLINGS for word in ("-e", form)]
        grep = timed(lambda: subprocess.run(["git", "grep", "-n", "-i", "-F", *patterns], cwd=folder, check=False))
        searched = timed(lambda: tree.search(reader, [NAME]))
        past = history.search(reader, [NAME], answer.HISTORY_SECONDS)
        found = answer.absent(config.load({}, home), environ, NAME, folder)
        text = command.rendered(found, command.BUDGET)
    print(f"{args.files} files, {found.tree.size / 1e6:.0f} MB, {past.commits} commits, {len(patterns) // 2} spellings")
    print(f"git grep      {grep:6.2f} s")
    print(f"tree part     {searched:6.2f} s, {searched / grep:.2f} times as long")
    print(f"history part  {past.seconds:6.2f} s, {past.searched} of {past.commits} commits, at most {answer.HISTORY_SECONDS:.0f} s")
    print(f"answer        {len(text.encode()) / 4:6.0f} tokens, at most {command.BUDGET}")


if __name__ == "__main__":
    main()
