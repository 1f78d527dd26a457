"""lib beside other programs that search sessions, as whole processes over the same transcripts, in one run.

`python bench/peers.py HOME [--needles FILE.tsv] [--questions FILE.jsonl] [--peer NAME=FOLDER ...] [--runs N]`

HOME is a home folder with transcripts of Claude Code (and of Codex, where a peer reads them); each program gets a home of its own, with
copies that share the bytes. FOLDER is where a peer's command lies, such as the `bin` of a venv into which it was installed; a peer that is
not named, and not on PATH, is left out. FILE.tsv has a planted rare word a line (session, where, word, line). FILE.jsonl is
what `lib eval` takes.

Printed for each: MB/s of a first index, its size in percent of the transcripts, seconds to search again after one session has grown, the
median search for a planted word, how many planted words lead to their session, tokens that a search for two common words prints; of the
questions: answered within 600 tokens a search, tokens up to the answer, and negatives whose last search says that there is nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOKENS_A_SEARCH = 600
BYTES_A_TOKEN = 4
COMMON = ("error", "file")
NEEDLES = 28
SECONDS = 900.0


class Peer(NamedTuple):
    """How a program is told to index and to search; a query that is one word is its last argument, or its arguments."""

    command: str
    indexing: tuple[tuple[str, ...], ...]
    search: tuple[str, ...]
    nothing: str
    """A pattern of what it prints when it has found nothing."""
    whole: bool = True
    """Whether it wants the query as one argument."""
    attempt: tuple[str, ...] = ()
    """What tells it that a search is the first, second, third of a row."""
    stop: tuple[str, ...] = ()
    """What ends a server that it left behind."""


PEERS = {
    "lib": Peer("lib", (("index",),), ("search",), "no prior work", attempt=("--attempt",)),
    "claude-recall": Peer("claude-recall", (("index",),), ("search", "--days", "100000"), "No matches"),
    "mnemo-search": Peer("mnemo", (("index",),), ("search",), "no matches", whole=False),
    "agentsview": Peer("agentsview", (("sync",),), ("session", "search", "--fts"), r"\(no matches\)", stop=("daemon", "stop")),
    "cc-conversation-search": Peer("cc-conversation-search", (("init",), ("index", "--all")), ("search",), "No results found"),
    "ripgrep": Peer("rg", (), ("--hidden", "--no-ignore", "-i", "-F", "-M", "400", "--max-columns-preview"), "^$"),
}


class Seen(NamedTuple):
    """One process."""

    out: str
    seconds: float


class Tool:
    """A peer in a home of its own."""

    def __init__(self, peer: Peer, binary: str, home: str) -> None:
        self.peer = peer
        self._binary = binary
        self.home = home

    def run(self, *words: str) -> Seen:
        """One process of it, to its end."""
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")}  # noqa: TID251
        path = os.pathsep.join((os.path.dirname(self._binary), os.environ.get("PATH", os.defpath)))  # noqa: TID251
        begun = time.perf_counter()
        done = subprocess.run(
            [self._binary, *words],
            cwd=self.home,
            env={**kept, "PATH": path, "HOME": self.home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        return Seen(done.stdout.decode("utf-8", "replace"), time.perf_counter() - begun)

    def index(self) -> float:
        """Seconds of a first index."""
        return sum(self.run(*words).seconds for words in self.peer.indexing)

    def search(self, query: str, attempt: int = 1) -> Seen:
        """One search, the `attempt`th of its row."""
        words = [query] if self.peer.whole else query.split()
        told = (*self.peer.attempt, str(attempt)) if self.peer.attempt else ()
        place = () if self.peer.indexing else (os.path.join(self.home, ".claude"),)
        return self.run(*self.peer.search, *told, *words, *place)

    def close(self) -> None:
        """Leave no server behind."""
        if self.peer.stop:
            self.run(*self.peer.stop)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print a line a program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--needles", default="")
    parser.add_argument("--questions", default="")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--runs", type=int, default=5, help="searches that a median is taken of")
    args = parser.parse_args(words)
    folders = dict(one.split("=", 1) for one in args.peer)
    found = {name: binary for name, peer in PEERS.items() if (binary := shutil.which(peer.command, path=folders.get(name)))}
    raw = sum(os.path.getsize(path) for path in transcripts(args.home))
    print(f"{raw / 1e6:,.0f} MB of transcripts")
    for name, binary in found.items():
        with tempfile.TemporaryDirectory(prefix="lib-peers-") as folder:
            tool = Tool(PEERS[name], os.path.abspath(binary), folder)
            copy(args.home, folder)
            try:
                say(name, [*speed(tool, raw, args), *needles(tool, args.needles), *questions(tool, args.questions)])
            finally:
                tool.close()
    return 0


def transcripts(home: str) -> Iterator[str]:
    """The files that a program may read."""
    for folder in (".claude", ".codex"):
        for place, _, names in os.walk(os.path.join(home, folder)):
            yield from (os.path.join(place, name) for name in names if name.endswith(".jsonl"))


def copy(home: str, folder: str) -> None:
    """The transcripts of one home in another, as further names of the same bytes where the system can."""
    for path in transcripts(home):
        new = os.path.join(folder, os.path.relpath(path, home))
        os.makedirs(os.path.dirname(new), exist_ok=True)
        try:
            os.link(path, new)
        except OSError:
            shutil.copy2(path, new)


def size(home: str) -> int:
    """Bytes of all that is not a transcript."""
    mine = set(transcripts(home))
    return sum(
        os.path.getsize(path) for place, _, names in os.walk(home) for name in names if (path := os.path.join(place, name)) not in mine
    )


def grow(home: str) -> None:
    """One session goes on by one turn: its newest records once more, under new names."""
    path = min(transcripts(home), key=lambda one: (abs(os.path.getsize(one) - 1_000_000), one))
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    os.unlink(path)
    with open(path, "wb") as file:
        file.writelines([*lines, *(re.sub(rb'"uuid":\s*"[0-9a-f]{4}', b'"uuid":"ffff', line) for line in lines[-4:])])


def speed(tool: Tool, raw: int, args: argparse.Namespace) -> list[str]:
    """Index, its size, one grown session."""
    said = []
    if tool.peer.indexing:
        seconds = tool.index()
        said += [f"index {raw / 1e6 / seconds:.1f} MB/s", f"{size(tool.home) / raw:.1%} of raw"]
        grow(tool.home)
        said.append(f"one grown session {sum(tool.run(*one).seconds for one in tool.peer.indexing[-1:]):.2f} s")
    common = tool.search(" ".join(COMMON))
    median = statistics.median(tool.search(" ".join(COMMON)).seconds for _ in range(args.runs))
    return [*said, f"two common words {tokens(common.out):,.0f} tokens, {median * 1000:.0f} ms"]


def needles(tool: Tool, path: str) -> list[str]:
    """How many planted words lead to their session, and how fast."""
    if not path:
        return []
    with open(path, encoding="utf-8") as file:
        rows = [(row[0], row[2]) for row in csv.reader(file, delimiter="\t")]
    rows = rows[:: max(1, len(rows) // NEEDLES)]
    seen = [(session, tool.search(word)) for session, word in rows]
    right = sum(session[:8] in one.out or session[-8:] in one.out for session, one in seen)
    return [f"planted {right}/{len(rows)}", f"median {statistics.median(one.seconds for _, one in seen) * 1000:.0f} ms"]


def questions(tool: Tool, path: str) -> list[str]:
    """How many questions are answered in what a search prints, up to 600 tokens, and what that costs."""
    if not path:
        return []
    answered = denied = spent = asked = 0
    with open(path, encoding="utf-8") as file:
        items = [json.loads(line) for line in file if line.strip()]
    for item in items:
        outs = (tool.search(query, number).out for number, query in enumerate(item["queries"][:3], 1))
        if item.get("kind") == "negative":
            denied += re.search(tool.peer.nothing, list(outs)[-1], re.MULTILINE) is not None
            continue
        asked += 1
        for out in outs:
            cut = out.encode()[: TOKENS_A_SEARCH * BYTES_A_TOKEN].decode("utf-8", "ignore")
            spent += len(cut.encode()) // BYTES_A_TOKEN
            if any(re.search(pattern, cut, re.IGNORECASE) for pattern in item["answer_any"]):
                answered += 1
                break
    return [f"answered {answered}/{asked}", f"{spent / max(asked, 1):.0f} tokens a question", f"denied {denied}/{len(items) - asked}"]


def tokens(text: str) -> float:
    return len(text.encode()) / BYTES_A_TOKEN


def say(name: str, facts: Sequence[str]) -> None:
    print(f"{name}: {'; '.join(facts)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
