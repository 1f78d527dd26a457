"""`lib search`: keywords in, the best lines of old sessions out, at most a budget of tokens."""

from __future__ import annotations

import time

from libtool.cli.budget import BYTES_A_TOKEN, cut, folded, room_of, size
from libtool.cli.wording import machine_elsewhere, plural
from libtool.domain.dates import bound, moment
from libtool.domain.rank import STRONG
from libtool.errors import NotIndexed, UsageError
from libtool.features import own_session, search, verdict
from libtool.storage.search_db import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.config import Config
    from libtool.features.search import Hit, Result

EXAMPLES = (
    'lib search "token rotation sidecar"',
    "lib search get_user_name --here --since 3m",
    "lib search '\"exact phrase\" +must -not prefix*' --json",
    "lib search flaky upload --include all --attempt 2",
)
WITHHELD = ("security-review", "automated", "trivial")
RECEIPT_TOKENS = 300
_VALUED = ("--limit", "--budget", "--project", "--agent", "--machine", "--since", "--until", "--include", "--attempt")
_SWITCHES = ("--json", "--quiet")
_NUMBERS = frozenset("123456789")
_PLAIN = ("--here", "--entries", "--sessions", "--notes", *_SWITCHES, "-h", "--help")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help='words (any of them), "a phrase", +must, -not, prefix*, identifiers, paths, an error message',
    )
    parser.add_argument("--limit", type="count", metavar="N", help="at most so many hits (default 8; 0: all)")
    parser.add_argument("--budget", type="count", metavar="N", help="print at most so many tokens, of 4 bytes (default 600; 0: all)")
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
    parser.add_argument(
        "--attempt", type="count", default=0, metavar="N", help="which search for this topic it is, from 1; the third ends it"
    )


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


class Plain:
    """The arguments of a search that nothing narrows: what agents are told to type. All else is as argparse would have it."""

    limit: int | None = None
    budget: int | None = None
    project = agent = machine = since = until = ""
    here = entries = sessions = notes = False
    include: Sequence[str] = ()

    def __init__(self, query: list[str], attempt: int, switches: Sequence[str]) -> None:
        self.query = query
        self.attempt = attempt
        self.json = "--json" in switches
        self.quiet = "--quiet" in switches


def plain(words: Sequence[str]) -> Plain | None:
    """What a command line asks for that gives nothing but words, switches and the attempt; None for any other."""
    options: list[str] = []
    query = prepare(words)
    while (word := query.pop(0)) != "--":
        options.append(word)
    rest = [word for word in options if word not in _SWITCHES]
    if rest and not (len(rest) == 2 and rest[0] == "--attempt" and rest[1] in _NUMBERS):
        return None
    return Plain(query, int(rest[1]) if rest else 0, options)


def quick(words: Sequence[str], context: Context) -> int | None:
    """The whole of a plain search: argparse takes as long as finding a rare word."""
    asked = plain(words)
    if asked is None:
        return None
    context.output.json = asked.json
    context.output.quiet = asked.quiet
    return run(asked, context)


def run(args: argparse.Namespace | Plain, context: Context) -> int:
    """Search, judge, print; exit code 0 with prior work, 1 without."""
    config = context.config
    text = " ".join(args.query)
    if not text.strip():
        raise UsageError("nothing to search for", hint='give some keywords: lib search "token rotation"')
    limit = config.search_limit if args.limit is None else args.limit
    budget = config.search_budget if args.budget is None else args.budget
    sid = own_session.find(config, context.environ)[1]
    withheld = _withheld(args.include)
    now = time.time()
    chosen = _filter(args, sid, withheld, now)
    try:
        answer = answered(config, text, chosen, limit=limit, attempt=args.attempt, caller=sid, now=now)
    except NotIndexed as error:
        if not context.output.json:
            raise
        empty = verdict.nothing_indexed(withheld)
        context.output.data(document(text, max(args.attempt, 1), verdict.NOT_INDEXED, [], empty))
        return error.exit_code
    if context.output.json:
        context.output.data(document(text, answer.attempt, answer.word, answer.result.hits, answer.covered))
    else:
        context.output.line(rendered(answer, budget))
    return 0 if answer.word == verdict.HITS else 1


class Answer:
    """A search, judged: its result, the verdict, which search of its row it is, what it covered, and what it was limited to."""

    __slots__ = ("attempt", "covered", "limited", "result", "today", "word")

    def __init__(self, result: Result, word: str, attempt: int, covered: dict[str, Any], limited: str = "", today: str = "") -> None:
        self.result = result
        self.today = today
        """YYYY-MM-DD, UTC."""
        self.limited = limited
        self.word = word
        self.attempt = attempt
        self.covered = covered


def answered(config: Config, text: str, chosen: Filter, *, limit: int, attempt: int, caller: str, now: float) -> Answer:
    """Search and judge; raises NotIndexed."""
    return judged(config, search.search(config, text, chosen, limit=limit), chosen, attempt=attempt, caller=caller, now=now)


def judged(config: Config, result: Result, chosen: Filter, *, attempt: int, caller: str, now: float) -> Answer:
    """The verdict on what a search found; raises NotIndexed."""
    covered = verdict.coverage(config, result.coverage, chosen.classes, result.tried)
    searched = covered["sessions"] + result.coverage.notes + covered["entries"]
    word, number = verdict.judge(config, result, searched=searched, attempt=attempt, caller=caller, now=now)
    return Answer(result, word, number, covered, chosen.shown(), moment(now)[:10])


def _withheld(include: Sequence[str]) -> tuple[str, ...]:
    names = [name.strip() for given in include for name in given.split(",") if name.strip()]
    for name in names:
        if name not in (*WITHHELD, "current", "all", "work", "sub-agent"):
            raise UsageError(f"no such class: {name[:40]}", hint=f"write one of {', '.join(WITHHELD)}, current, all")
    return () if "all" in names else tuple(name for name in WITHHELD if name not in names)


def _filter(args: argparse.Namespace | Plain, current: str, withheld: tuple[str, ...], now: float) -> Filter:
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
        exclude="" if {"current", "all"} & set(args.include) else current,
    )


def document(text: str, attempt: int, word: str, hits: list[Hit], covered: dict[str, Any]) -> dict[str, Any]:
    """The answer as `--json` prints it."""
    return {
        "query": text,
        "attempt": attempt,
        "attempts_allowed": search.ATTEMPTS_ALLOWED,
        "verdict": word,
        "hits": [verdict.hit_json(rank, hit) for rank, hit in enumerate(hits, 1)],
        "coverage": covered,
    }


LOOSE = "no close match; loosely related:"
ALSO = "loosely related:"
NOTHING = "nothing was searched"
_LEAST = 60
"""Bytes of snippet below which a hit is not worth its header."""
_SHOWN_WORDS, _SHOWN_MACHINES, _NAME_LENGTH, _TITLE_BYTES, _LIMITED_BYTES = 12, 6, 40, 80, 160


def rendered(answer: Answer, budget: int) -> str:
    """The answer for an agent to read, at most `budget` tokens of 4 bytes (0: all), best first, the coverage last (a receipt first)."""
    room = room_of(budget)
    hits = answer.result.hits
    if answer.word == verdict.HITS:
        last = coverage_line(answer, room // 3)
        told: set[tuple[str, str]] = set()
        lines = _hits([hit for hit in hits if hit.tier == STRONG], room - size(last), told)
        loose = [hit for hit in hits if hit.tier != STRONG]
        return cut("\n".join([*lines, *_loose(ALSO, loose, room - size(last) - sum(map(size, lines)), told), last]), room)
    if answer.word == verdict.NO_PRIOR_WORK:
        head = _receipt(answer, min(room, RECEIPT_TOKENS * BYTES_A_TOKEN))
    else:
        number, allowed = answer.attempt, search.ATTEMPTS_ALLOWED
        left = max(0, allowed - number)
        head = f"no close match (search {number} of {allowed}; try other words, {left} left)."
        covered = coverage_line(answer, max(0, room - size(head)))
        # Where nothing was looked through, other words are no use.
        head = cut(covered if covered.startswith(NOTHING) else f"{head} {covered}", room)
    return cut("\n".join([head, *_loose(LOOSE, hits, room - size(head), set())]), room)


def _receipt(answer: Answer, room: int) -> str:
    """What was tried and where, behind the words `no prior work`; the words tried give way to the coverage."""
    head = "no prior work found by these words: "
    words = folded("; ".join(answer.covered["tried"][:_SHOWN_WORDS])) or "none"
    covered = coverage_line(answer, max(0, room - size(head) - min(size(words), room // 3) - 2))
    return cut(f"{head}{cut(words, max(0, room - size(head) - size(covered) - 2))}. {covered}", room)


def coverage_line(answer: Answer, room: int) -> str:
    """What was searched, in the longest form that `room` bytes hold; the shortest one when none fits."""
    covered = answer.covered
    here = [machine for machine in covered["machines"] if machine["searchable"]]
    names = ", ".join(cut(folded(machine["name"]), _NAME_LENGTH) for machine in here[:_SHOWN_MACHINES]) or "this machine"
    names += f" and {len(here) - _SHOWN_MACHINES} more" if len(here) > _SHOWN_MACHINES else ""
    elsewhere = _elsewhere(covered["machines"], {name: day for name, _, _, day in answer.result.coverage.others}, answer.today)
    withheld = ", ".join(f"{count} {name}" for name, count in covered["withheld"].items() if count)
    hidden = f"; withheld: {withheld} (--include all)" if withheld else ""
    through = f", indexed through {covered['indexed_at'][:16]}Z" if covered["indexed_at"] else ""
    notes = answer.result.coverage.notes
    limited = f" ({cut(folded(answer.limited), _LIMITED_BYTES)})" if answer.limited else ""
    if not covered["tried"]:
        return cut(f"{NOTHING}: there is no word in the query", room)
    if not covered["sessions"] and not notes and not covered["entries"]:
        none = "no entry" if answer.limited.partition(",")[0] == "entries" else "no session and no note"
        there = f"{none} matches{limited or ' the classes shown'}"
        what = there if limited or hidden else "no session, note or entry is indexed: run `lib index`"
        said = f"{NOTHING}: {what}{hidden}{_stale(covered['behind'])}"
        return next((f"{said}{other}" for other in elsewhere if size(said + other) <= room), cut(said, room))
    entries = f"{plural(covered['entries'], 'entry', 'entries')}, " if covered["entries"] else ""
    stale = _stale(covered["behind"])
    short = f"searched {entries}{plural(covered['sessions'], 'session')}{limited}{stale}"
    plain = f"searched {entries}{plural(covered['sessions'], 'session')} and {plural(notes, 'note')}{limited}"
    # How many machines were not searched is told before which were: else a no would speak for them too.
    forms = [f"{plain}{of}{through}{hidden}{stale}{other}" for other in elsewhere for of in (f" of {names}", "")]
    forms += [f"{plain}{hidden}{stale}{elsewhere[-1]}", f"{plain}{stale}{elsewhere[-1]}", f"{short}{elsewhere[-1]}"]
    return next((form for form in forms if size(form) <= room), short)


def _stale(behind: int) -> str:
    """That the library is not searched as it lies there; '' when it is."""
    if not behind:
        return ""
    what = "an unknown part" if behind < 0 else plural(behind, "changed entry", "changed entries")
    return f"; of the library {what} could not be taken in: `lib index`"


def _elsewhere(machines: Sequence[dict[str, Any]], synced: Mapping[str, str], today: str) -> list[str]:
    """The machines whose sessions are not searched here, and how old that knowledge is: fewer and fewer of them, then their number."""
    told = [folded(machine_elsewhere(machine, synced.get(machine["name"], ""), today)) for machine in machines if not machine["searchable"]]
    if not told:
        return [""]
    shown = [count for count in range(_SHOWN_MACHINES, 0, -1) if count <= len(told)]
    more = [f"; {len(told) - count} more machines" * (count < len(told)) for count in shown]
    listed = [f"; not searched: {'; '.join(told[:count])}{rest}" for count, rest in zip(shown, more, strict=True)]
    return [*listed, f"; not searched: {plural(len(told), 'other machine')}"]


def _loose(heading: str, hits: Sequence[Hit], room: int, told: set[tuple[str, str]]) -> list[str]:
    """Hits that are no prior work, under their heading."""
    lines = _hits(hits, room - size(heading), told)
    return [heading, *lines] if lines else []


def _hits(hits: Sequence[Hit], room: int, told: set[tuple[str, str]]) -> list[str]:
    """Two lines a hit, as many as fit into `room` bytes; of the first at least its REF. Facts only for a session that is not yet `told`."""
    lines: list[str] = []
    for hit in hits:
        name = hit.agent or hit.kind, hit.session
        head = f"ref: {folded(hit.ref)}" + ("" if name in told else _facts(hit))
        if room - size(head) < _LEAST:
            if lines:
                break
            head = f"ref: {folded(hit.ref)}"
        left = room - size(head)
        if left < 0:
            continue
        told.add(name)
        snippet = cut("  " + folded(hit.snippet), left - 1)
        lines += [head, snippet] if snippet.strip(" …") else [head]
        room = left - size(snippet)
    return lines


def _facts(hit: Hit) -> str:
    place = hit.project + (f" ({hit.branch})" if hit.branch and hit.branch not in ("main", "master", "HEAD") else "")
    marks = [
        hit.time[:10],
        place,
        f"sub-agent of {hit.parent}" if hit.parent else "",
        hit.session_class if hit.session_class in WITHHELD else "",
        cut(hit.title, _TITLE_BYTES),
        f"checked: {hit.checked}" if hit.checked else "",
    ]
    return "".join(f" | {folded(mark)}" for mark in marks if mark)
