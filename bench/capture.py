"""What a turn's capture costs: a long session grows by one turn, as whole processes and as processor time of the digest alone.

usage: capture.py LIB [--megabytes 50] [--kilobytes 20] [--runs 5]
LIB is the installed script. A session of so many megabytes is made and indexed in a fresh home; then it grows, and each time `lib index
--agent claude-code` takes in the turn with its digest. Prints wall clock in ms, what
`lib capture --print` of it takes, and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SID = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def vocabulary(rng: random.Random) -> list[str]:
    """Made-up words, every ninth the name of a file."""
    words = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) for _ in range(6000)]
    return [f"src/{word}.py" if at % 9 == 0 else word for at, word in enumerate(words)]


class Session:
    """A growing transcript of Claude Code."""

    def __init__(self, home: str) -> None:
        folder = os.path.join(home, ".claude", "projects", "-home-ada-kiln")
        os.makedirs(folder)
        self.path = os.path.join(folder, f"{SID}.jsonl")
        self._rng = random.Random(1)
        self._words = vocabulary(self._rng)
        self._turn = 0

    def grow(self, size: int) -> None:
        """Add turns of about this many bytes together."""
        with open(self.path, "a", encoding="utf-8") as file:
            while size > 0:
                text = "".join(json.dumps(row) + "\n" for row in self._rows())
                file.write(text)
                size -= len(text)

    def _rows(self) -> list[dict[str, object]]:
        self._turn += 1
        minute = f"2026-03-{1 + self._turn // 1400 % 28:02}T{self._turn // 60 % 24:02}:{self._turn % 60:02}:00.000Z"
        shared: dict[str, object] = {"sessionId": SID, "cwd": "/home/ada/kiln", "version": "2.1", "timestamp": minute, "isSidechain": False}
        rows: list[dict[str, object]] = [{"type": "user", "message": {"role": "user", "content": self._said(20)}, **shared}]
        for step in range(7):
            call = {"type": "tool_use", "id": f"t{self._turn}-{step}", "name": "Bash", "input": {"command": "pytest " + self._said(3)}}
            blocks = [{"type": "text", "text": "\n".join(self._said(14) for _ in range(3))}, call]
            rows.append({"type": "assistant", "message": {"id": f"m{self._turn}-{step}", "role": "assistant", "content": blocks}, **shared})
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": self._said(200)}
            rows.append({"type": "user", "message": {"role": "user", "content": [result]}, **shared})
        return [{"uuid": f"{self._turn}-{at}", **row} for at, row in enumerate(rows)]

    def _said(self, words: int) -> str:
        return (" ".join(self._rng.choice(self._words) for _ in range(words)) + ".").capitalize()


def seconds(command: list[str], environ: dict[str, str]) -> float:
    """Wall clock of a whole process."""
    begun = time.perf_counter()
    subprocess.run(command, env=environ, check=True, capture_output=True)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lib")
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--kilobytes", type=float, default=20)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environ = {
            "HOME": home,
            "PATH": os.environ["PATH"],  # noqa: TID251
            "LIB_DATA_DIR": os.path.join(home, "data"),
            "LIB_CONFIG": os.path.join(home, "no"),
        }
        session = Session(home)
        session.grow(int(args.megabytes * 1e6))
        print(f"first index, digest included: {seconds([args.lib, 'index', '--quiet'], environ):.1f} s")
        while (
            "digests still to come" in subprocess.run([args.lib, "status"], env=environ, capture_output=True, text=True, check=False).stdout
        ):
            seconds([args.lib, "index", "--quiet"], environ)
        bare = [seconds([sys.executable, "-c", "pass"], environ) for _ in range(args.runs)]
        nothing, grown, printed = [], [], []
        for _ in range(args.runs):
            nothing.append(seconds([args.lib, "index", "--quiet"], environ))
            session.grow(int(args.kilobytes * 1e3))
            grown.append(seconds([args.lib, "index", "--quiet"], environ))
            printed.append(seconds([args.lib, "capture", "--print", f"claude-code:{SID}"], environ))
        for what, times in (("bare Python", bare), ("nothing new", nothing), ("a turn more", grown), ("--print REF", printed)):
            print(f"{what}: median {statistics.median(times) * 1e3:.0f} ms, least {min(times) * 1e3:.0f} ms")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"peak memory of a process: {peak / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
