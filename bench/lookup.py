"""The test that started the project: what a new chat finds of what old ones decided, and for how many tokens.

usage: lookup.py LIB QUESTIONS.jsonl --home HOME [--work DIR] [--topics chosen|own] [--open after|between] [--ways WAY ...] [-v]
LIB is the installed script, HOME a home that holds transcripts where the agents keep them. Data folder and library are made anew in DIR
(default: a temporary one), and HOME is only read. A DIR that was used before is used again as it is: new transcripts are taken in, new
digests promoted. The questions are those of `lib eval` (docs/evaluation.md): the queries of each, in order, are what an agent would type.

Every digest becomes an entry by `lib promote`. Then each question is looked up in four ways; a pattern of the answer in what was printed
ends it, and every byte printed up to there counts, four to a token:

  raw            the shortest transcript that holds the answer, read whole: the least that reading can cost
  keyword        `lib search --sessions`, up to three times
  keyword, show  the same, and what strong hits point to is opened: after the searches the three best, entries before sessions
                 (--open after), or after each search its best (--open between)
  entries        the order of the skill: `lib topics`, the entries that it lists (at most three), then searches over everything, then
                 what they point to; nothing is opened twice

A no is what the third search answers when none of them had a strong hit. "wrong no": of the answerable questions, those where all three
say so; those that `lib topics` or an entry answered before are counted apart. "denied": of the others, those that end with the words
"no prior work"; their tokens are those of the whole lookup, "at most" is the dearest that ends in a no. For a larger library put more
transcripts into HOME, for example with bench/gen_sessions.py of the samples.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from libtool import config
from libtool.features.evaluate import questions
from libtool.features.evaluate.raw import Raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.features.evaluate.questions import Question

_REF = re.compile(r"\bref: (\S+)")
_STRONG_ENDS = "loosely related:"
_MOST_OPENED = 3
AFTER, BETWEEN = "after", "between"
_NO = "no prior work"
WAYS = ("raw", "keyword", "keyword, show", "entries")


class Library:
    """An installed lib with a data folder and a library of its own, over a home's transcripts."""

    def __init__(self, program: str, home: str, work: str, opens: str) -> None:
        self._program = program
        self.opens = opens
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LIB_")},  # noqa: TID251
            "HOME": home,
            "LIB_DATA_DIR": os.path.join(work, "data"),
            "LIB_LIBRARY": os.path.join(work, "library"),
            "LIB_CONFIG": os.path.join(work, "config.toml"),
            **{
                f"GIT_{role}_{part}": value
                for role in ("AUTHOR", "COMMITTER")
                for part, value in (("NAME", "bench"), ("EMAIL", "bench@localhost"))
            },
        }

    def run(self, *arguments: str) -> tuple[int, str]:
        """Exit code, and what a command prints to stdout."""
        done = subprocess.run([self._program, *arguments], env=self.environ, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.stderr.write(done.stderr)
        return done.returncode, done.stdout

    def fill(self, own: bool) -> str:
        """Index, and promote every digest, the oldest first as they would have come; what was done, in words."""
        if not os.path.isdir(self.environ["LIB_LIBRARY"]):
            self.run("init", self.environ["LIB_LIBRARY"], "--machine", "bench")
        while True:
            self.run("index", "--quiet")
            if "digests still to come" not in self.run("status")[1]:
                break
        drafts = json.loads(self.run("drafts", "--json", "--limit", "0")[1])["drafts"]
        failed = 0
        for number, draft in enumerate(sorted(drafts, key=lambda one: one["date"] or "")):
            topic = ["--topic", _slug(draft["title"], number)] if own else []
            failed += self.run("promote", draft["ref"], *topic)[0] != 0
        self.run("index", "--quiet")
        entries = sum(name.endswith(".md") for name in os.listdir(os.path.join(self.environ["LIB_LIBRARY"], "entries")))
        sessions = json.loads(self.run("status", "--json")[1])["coverage"]["sessions"]
        return f"{sessions} sessions, {len(drafts)} digests promoted ({failed} failed), {entries} entries"

    def search(self, query: str, attempt: int, *only: str) -> tuple[bool, str, list[str]]:
        """Whether it claims prior work; what is printed; the refs of strong hits, best first."""
        code, text = self.run("search", *only, "--attempt", str(attempt), "--", query)
        return code == 0, text, list(dict.fromkeys(_REF.findall(text.partition(_STRONG_ENDS)[0])))


class Step(NamedTuple):
    """One thing that an agent reads, and whether it was a search that claims prior work."""

    text: str
    how: str
    claims: bool = False


def keyword(lib: Library, question: Question, *, show: bool) -> Iterator[Step]:
    """Searches of the sessions only; with `show`, what they point to is opened."""
    yield from _searched(lib, question, set(), "--sessions", show=show)


def in_order(lib: Library, question: Question) -> Iterator[Step]:
    """The order of the skill. `lib topics` is asked with the words of each query, until some entry matches."""
    seen: set[str] = set()
    for query in question.queries:
        code, text = lib.run("topics", "--", query)
        yield Step(text, "topics")
        if code == 0:
            names = re.findall(r"^- \[([^\]]+)\]", text, re.MULTILINE)
            yield from _opened(lib, [f"entry:{name}" for name in names[:_MOST_OPENED]], seen)
            break
    yield from _searched(lib, question, seen, show=True)


def _searched(lib: Library, question: Question, seen: set[str], *only: str, show: bool) -> Iterator[Step]:
    pointed: list[str] = []
    for attempt, query in enumerate(question.queries, 1):
        claims, text, refs = lib.search(query, attempt, *only)
        yield Step(text, "search", claims)
        pointed += refs
        if show and lib.opens == BETWEEN:
            yield from _opened(lib, refs[:1], seen)
    if show and lib.opens == AFTER:
        yield from _opened(lib, sorted(dict.fromkeys(pointed), key=lambda ref: not ref.startswith("entry:"))[:_MOST_OPENED], seen)


def _opened(lib: Library, refs: list[str], seen: set[str]) -> Iterator[Step]:
    """What refs lead to, each once: another place in a session already opened is another page of it."""
    for ref in refs:
        if ref not in seen:
            seen.add(ref)
            yield Step(lib.run("show", ref)[1], ref.partition(":")[0] if ref.startswith(("entry", "digest", "note")) else "session")


class Found(NamedTuple):
    """What became of a question."""

    id: str
    negative: bool
    answered: str
    """The kind of the step that held the answer; '' for none."""
    tokens: int
    says_no: bool
    """Three searches, none with a strong hit."""
    before: bool
    """Whether the answer stood in something read before the first search."""


def look(steps: Iterator[Step], question: Question) -> Found:
    """Walk until answered, for the cost; and on to the last search, for the no."""
    size, answered, claims, searches, before, last = 0, "", False, 0, False, ""
    for step in steps:
        searches += step.how == "search"
        claims = claims or step.claims
        last = step.text if step.how == "search" else last
        if not answered:
            size += len(step.text.encode("utf-8", "replace"))
            if question.is_answered(step.text):
                answered, before = step.how, not searches
        if answered and claims:
            break
    said = _NO in last.lower()
    return Found(question.id, question.is_negative, answered, size // 4, said and not claims, before)


def report(name: str, found: list[Found], *, verbose: bool) -> str:
    """One line of the table, and the questions behind it."""
    positive, negative = [one for one in found if not one.negative], [one for one in found if one.negative]
    wrong = [one for one in positive if one.says_no]
    dearest = max([one.tokens for one in negative if one.says_no] or [0])
    line = (
        f"{name:14}  {sum(bool(one.answered) for one in positive):3}/{len(positive):<3}  {_mean(positive):7}  "
        f"{sum(not one.before for one in wrong):3} + {sum(one.before for one in wrong)}  "
        f"{sum(one.says_no for one in negative):3}/{len(negative):<3} {_mean(negative):7}  {dearest:7}"
    )
    rows = [f"    {one.id}: {one.answered or '-':8} {one.tokens:6} tokens{', says no' if one.says_no else ''}" for one in found]
    return "\n".join([line, *rows] if verbose else [line])


def _mean(found: list[Found]) -> int:
    return round(statistics.mean(one.tokens for one in found)) if found else 0


def raw_steps(settings: config.Config, environ: dict[str, str], asked: list[Question]) -> Callable[[Question], Iterator[Step]]:
    """Reading the transcript that answers, where one does."""
    raw = Raw(settings, environ)
    raw.look(asked)
    return lambda question: (Step(raw.ask(question, step).text, "read", claims=True) for step in range(raw.steps(question)))


def _slug(title: str, number: int) -> str:
    words = re.findall(r"[a-z0-9]+", title.lower())[:5]
    return "-".join([*words, str(number)]) if words and words[0].isalpha() else f"session-{number}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lib")
    parser.add_argument("questions")
    parser.add_argument("--home", required=True)
    parser.add_argument("--work", default="")
    parser.add_argument(
        "--topics", choices=("chosen", "own"), default="chosen", help="let lib find the entry, or make one for each session"
    )
    parser.add_argument("--open", choices=(AFTER, BETWEEN), default=AFTER, help="when an agent opens what strong hits point to")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, metavar="WAY", help="only these (reading everything raw is slow)")
    parser.add_argument("-v", "--verbose", action="store_true", help="each question too")
    args = parser.parse_args()
    asked = questions.read(args.questions)
    with tempfile.TemporaryDirectory(prefix="lookup-") as temporary:
        work = os.path.abspath(args.work or temporary)
        os.makedirs(work, exist_ok=True)
        lib = Library(args.lib, os.path.abspath(args.home), work, args.open)
        print(lib.fill(args.topics == "own"), flush=True)
        ways: dict[str, Callable[[Question], Iterator[Step]]] = {
            "keyword": lambda question: keyword(lib, question, show=False),
            "keyword, show": lambda question: keyword(lib, question, show=True),
            "entries": lambda question: in_order(lib, question),
        }
        print(f"{'':14}  answered   tokens  wrong no  denied   tokens  at most")
        if "raw" in args.ways:
            ways = {"raw": raw_steps(config.load(lib.environ, lib.environ["HOME"]), lib.environ, asked), **ways}
        for name in args.ways:
            way = ways[name]
            print(report(name, [look(way(question), question) for question in asked], verbose=args.verbose), flush=True)


if __name__ == "__main__":
    main()
