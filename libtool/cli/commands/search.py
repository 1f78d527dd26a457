"""`lib search`: keywords in, the best lines of old sessions out, at most a budget of tokens."""

from __future__ import annotations

import time

from libtool.domain.dates import bound
from libtool.domain.rank import STRONG
from libtool.errors import NotIndexed, UsageError
from libtool.features import search, verdict
from libtool.storage.search_db import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.search import Hit, Result

EXAMPLES = (
    'lib search "token rotation sidecar"',
    "lib search get_user_name --here --since 3m",
    "lib search '\"exact phrase\" +must -not prefix*' --json",
    "lib search flaky upload --include all --attempt 2",
)
WITHHELD = ("security-review", "automated", "trivial")
BYTES_A_TOKEN = 4
RECEIPT_TOKENS = 300
_VALUED = ("--limit", "--budget", "--project", "--agent", "--machine", "--since", "--until", "--include", "--attempt")
_PLAIN = ("--here", "--entries", "--sessions", "--notes", "--json", "--quiet", "-h", "--help")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "query", nargs="*", help='words (any of them), "a phrase", +must, -not, prefix*, identifiers, paths, an error message'
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many hits (default 8)")
    parser.add_argument("--budget", type=int, metavar="N", help="print at most so many tokens, of 4 bytes (default 600)")
    parser.add_argument("--project", default="", metavar="P", help="only sessions of projects whose name holds P")
    parser.add_argument("--here", action="store_true", help="only sessions of the project of this folder")
    parser.add_argument("--agent", default="", metavar="A", help="only sessions of this agent, for example claude-code")
    parser.add_argument("--machine", default="", metavar="M", help="only sessions of this machine")
    parser.add_argument("--since", default="", metavar="D", help="from this day on: 2026-10-03, 2026-10, today, 7d, 3w, 2m")
    parser.add_argument("--until", default="", metavar="D", help="up to this day")
    parser.add_argument("--entries", action="store_true", help="only entries of the library")
    parser.add_argument("--sessions", action="store_true", help="only sessions")
    parser.add_argument("--notes", action="store_true", help="only notes: memory files, worklogs, docs, handoff files")
    parser.add_argument(
        "--include", action="append", default=[], metavar="CLASS", help=f"show withheld sessions too: {', '.join(WITHHELD)}, current, all"
    )
    parser.add_argument("--attempt", type=int, default=0, metavar="N", help="which search for this topic it is, from 1; the third ends it")


def prepare(words: Sequence[str]) -> list[str]:
    """Let a query hold anything: what is no option of ours is a word, `-not` and `--flag` of a pasted command included."""
    options: list[str] = []
    query: list[str] = []
    rest = iter(words)
    for word in rest:
        name = word.partition("=")[0]
        if word == "--":
            query.extend(rest)
        elif name in _VALUED:
            options.append(word)
            if "=" not in word:
                options.extend(value for value in (next(rest, None),) if value is not None)
        elif word in _PLAIN:
            options.append(word)
        else:
            query.append(word)
    return [*options, "--", *query]


def run(args: argparse.Namespace, context: Context) -> int:
    """Search, judge, print; exit code 0 with prior work, 1 without."""
    config = context.config
    text = " ".join(args.query)
    if not text.strip():
        raise UsageError("nothing to search for", hint='give some keywords: lib search "token rotation"')
    limit, budget = args.limit or config.search_limit, args.budget or config.search_budget
    if limit < 1 or budget < 1 or args.attempt < 0:
        raise UsageError("--limit, --budget and --attempt are numbers from 1 up", hint="see `lib search -h`")
    asking = verdict.asking_session(context.environ)
    withheld = _withheld(args.include)
    now = time.time()
    chosen = _filter(args, asking, withheld, now)
    try:
        result = search.search(config, text, chosen, limit=limit)
    except NotIndexed as error:
        if context.output.json:
            context.output.data(_document(text, max(args.attempt, 1), verdict.NOT_INDEXED, [], verdict.nothing_indexed()))
            return error.exit_code
        raise
    word, attempt = verdict.judge(config, result, attempt=args.attempt, caller=asking, now=now)
    covered = verdict.coverage(config, result, withheld)
    if context.output.json:
        context.output.data(_document(text, attempt, word, result.hits, covered))
    else:
        context.output.line(rendered(result, word, attempt, covered, budget))
    return 0 if word == verdict.HITS else 1


def _withheld(include: Sequence[str]) -> tuple[str, ...]:
    names = [name.strip() for given in include for name in given.split(",") if name.strip()]
    for name in names:
        if name not in (*WITHHELD, "current", "all", "work", "sub-agent"):
            raise UsageError(f"no such class: {name[:40]}", hint=f"write one of {', '.join(WITHHELD)}, current, all")
    return () if "all" in names else tuple(name for name in WITHHELD if name not in names)


def _filter(args: argparse.Namespace, asking: str, withheld: tuple[str, ...], now: float) -> Filter:
    project = args.project
    if args.here:
        import os  # noqa: PLC0415 - rare

        from libtool.features.projects import ProjectNames  # noqa: PLC0415 - rare

        project = ProjectNames()("", os.getcwd()).key
    kinds = [kind for kind, wanted in (("entry", args.entries), ("session", args.sessions), ("note", args.notes)) if wanted]
    return Filter(
        project=project,
        agent=args.agent,
        machine=args.machine,
        since=bound(args.since, now) if args.since else "",
        before=bound(args.until, now, end=True) if args.until else "",
        kinds=kinds,
        classes=withheld,
        exclude="" if {"current", "all"} & set(args.include) else asking,
    )


def _document(text: str, attempt: int, word: str, hits: list[Hit], covered: dict[str, Any]) -> dict[str, Any]:
    return {
        "query": text,
        "attempt": attempt,
        "attempts_allowed": search.ATTEMPTS_ALLOWED,
        "verdict": word,
        "hits": [verdict.hit_json(rank, hit) for rank, hit in enumerate(hits, 1)],
        "coverage": covered,
    }


def rendered(result: Result, word: str, attempt: int, covered: dict[str, Any], budget: int) -> str:
    """The answer for an agent to read, at most `budget` tokens of 4 bytes, best first, the coverage last (a receipt first)."""
    room = budget * BYTES_A_TOKEN - 1
    if word == verdict.HITS:
        last = _coverage_line(covered)
        lines = _hits([hit for hit in result.hits if hit.tier == STRONG], room - _size(last))
        loose = _hits([hit for hit in result.hits if hit.tier != STRONG], room - _size(last) - sum(map(_size, lines)) - _size(LOOSE))
        return "\n".join([*lines, *([LOOSE, *loose] if loose else []), last])
    if word == verdict.NO_PRIOR_WORK:
        head = _cut(_receipt(covered), min(room, RECEIPT_TOKENS * BYTES_A_TOKEN))
    else:
        more = search.ATTEMPTS_ALLOWED - attempt
        head = _cut(
            f"no close match (search {attempt} of {search.ATTEMPTS_ALLOWED}; try other words, {more} left). {_coverage_line(covered)}", room
        )
    loose = _hits(result.hits, room - _size(head) - _size(LOOSE))
    return "\n".join([head, *([LOOSE, *loose] if loose else [])])


LOOSE = "no close match; loosely related:"


def _receipt(covered: dict[str, Any]) -> str:
    """What was tried and where, behind the words `no prior work`."""
    return f"no prior work found by these words: {'; '.join(covered['tried'][:12]) or 'none'}. {_coverage_line(covered)}"


def _coverage_line(covered: dict[str, Any]) -> str:
    names = ", ".join(machine["name"] for machine in covered["machines"][:6]) or "this machine"
    withheld = ", ".join(f"{count} {name}" for name, count in covered["withheld"].items())
    hidden = f"; withheld: {withheld} (--include all)" if withheld else ""
    through = f", indexed through {covered['indexed_at'][:16]}Z" if covered["indexed_at"] else ""
    return f"searched {covered['sessions']} sessions and {covered['notes']} notes of {names}{through}{hidden}"


def _hits(hits: Sequence[Hit], room: int) -> list[str]:
    """Two lines a hit, a session's facts only at its first, as many as fit into `room` bytes."""
    lines: list[str] = []
    told: set[tuple[str, str]] = set()
    for hit in hits:
        name = hit.agent, hit.session
        head = f"ref: {hit.ref}" + ("" if name in told else _facts(hit))
        left = room - _size(head) - 24
        if left < _LEAST:
            break
        told.add(name)
        snippet = _cut("  " + hit.snippet, left)
        lines += [head, snippet]
        room -= _size(head) + _size(snippet)
    return lines


_LEAST = 60
"""Bytes of snippet below which a hit is not worth its header."""


def _facts(hit: Hit) -> str:
    place = hit.project + (f" ({hit.branch})" if hit.branch and hit.branch not in ("main", "master", "HEAD") else "")
    marks = [
        hit.time[:10],
        place,
        f"sub-agent of {hit.parent}" if hit.parent else "",
        hit.session_class if hit.session_class in WITHHELD else "",
        _cut(hit.title, 80),
    ]
    return "".join(f" | {mark}" for mark in marks if mark)


def _size(text: str) -> int:
    """Bytes of a line with its newline."""
    return len(text.encode("utf-8", "replace")) + 1


def _cut(text: str, size: int) -> str:
    """The text in at most `size` bytes."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    return data[: max(0, size - 3)].decode("utf-8", "ignore").rstrip() + "…"
