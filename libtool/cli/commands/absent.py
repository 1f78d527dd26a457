"""`lib absent`: is it in the code, in any spelling? If not, since when, and what was searched to say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.budget import cut, folded, room_of, size
from libtool.cli.wording import plural
from libtool.errors import LibError
from libtool.features.absent import answer as absent
from libtool.features.absent import claim

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.absent.answer import Answer
    from libtool.features.absent.claim import Recorded
    from libtool.features.absent.history import History
    from libtool.features.absent.places import Place

EXAMPLES = (
    'lib absent "token cron"',
    'lib absent "retry policy, backoff" --repo ~/work/api',
    'lib absent "token cron" --record staging-tokens',
)
BUDGET = 300
_COMMIT, _SHOWN_NEAR, _NAMES_BYTES, _PATH_BYTES, _HEAD_BYTES = 12, 2, 240, 120, 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("keywords", nargs="+", metavar="KEYWORDS", help="a name, or the words of one; a comma divides several names")
    parser.add_argument("--repo", default=".", metavar="PATH", help="a folder of the repository to search (default: this one)")
    parser.add_argument("--record", default="", metavar="TOPIC", help="when it is absent, add the claim to the Pointers of this entry")
    parser.add_argument(
        "--history-seconds",
        type="count",
        default=absent.HISTORY_SECONDS,
        metavar="S",
        help=f"look through the history for at most so long (default {absent.HISTORY_SECONDS}; 0: not at all)",
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Search, print, record; exit code 1 when it is absent, 0 when it is there."""
    topic = args.record.removeprefix("entry:").removesuffix(".md")
    if args.record:
        claim.check(context.config, topic)
    found = absent.absent(context.config, context.environ, " ".join(args.keywords), args.repo, history_seconds=args.history_seconds)
    recorded, failure = None, None
    if args.record and found.absent:
        try:
            recorded = claim.record(context.config, context.environ, topic, found)
        except LibError as error:
            # What was found out took its time: it is told first.
            failure = error
    if context.output.json:
        context.output.data(as_json(found, recorded))
    else:
        context.output.line(rendered(found, BUDGET))
    if failure is not None:
        raise failure
    if recorded is not None:
        state = "was added to" if recorded.changed else "is already in"
        later = f", not committed: {recorded.uncommitted}" if recorded.uncommitted else ""
        context.output.note(f"  the claim {state} {recorded.path}{later}")
    elif args.record:
        context.output.warn("lib: nothing was recorded, since it is there")
    return 1 if found.absent else 0


def rendered(found: Answer, budget: int) -> str:
    """The answer for an agent to read, at most `budget` tokens of 4 bytes: the verdict, what was searched, then as many places as fit."""
    room = left = room_of(budget)
    commit = found.place.commit[:_COMMIT] or "no commit yet"
    what = cut(folded(found.keywords), _HEAD_BYTES)
    project = cut(folded(found.project), _PATH_BYTES)
    least = "at least " if found.tree.full else ""
    verdict = "absent" if found.absent else "present"
    head = f'{verdict}: "{what}" in {project}@{commit}' + ("" if found.absent else f": {least}{plural(found.found, 'place')}")
    tail = [_searched(found), f"not searched: {', '.join(unsearched(found))}", *_history(found.history)]
    left -= size(head) + sum(map(size, tail))
    lines: list[str] = []
    for line in _places(found):
        if sum(map(size, lines)) + size(line) > left:
            break
        lines.append(line)
    return cut("\n".join([head, *lines, *tail]), room)


def _places(found: Answer) -> list[str]:
    """The places of what is there; of what is not, a few that come near."""
    if not found.absent:
        return [_place_line(one) for one in found.tree.places]
    lines = []
    for what, count, places in (
        ("only inside longer words", found.inside, found.tree.inside),
        ("its words apart", len(found.near), found.near),
    ):
        if count:
            lines += [f"{what}: {plural(count, 'place')}", *map(_place_line, places[:_SHOWN_NEAR])]
    return lines


def _place_line(one: Place) -> str:
    return cut(f"  {place(one)}", _PATH_BYTES + _HEAD_BYTES)


def place(one: Place) -> str:
    """`src/cron.py:10 defined: def token_cron():`."""
    where = cut(folded(one.path), _PATH_BYTES) + (f":{one.line}" if one.line else "")
    only = "at HEAD" if one.at_head else "staged" if one.staged else ""
    kind = f"{one.kind} {only}, not in the work tree" if only else one.kind
    return f"{where} {kind}" + (f": {one.text}" if one.text else "")


def _searched(found: Answer) -> str:
    tree = found.tree
    extra = [f"{tree.changed} changed since, in both versions" * bool(tree.changed), f"{tree.untracked} untracked" * bool(tree.untracked)]
    more = "".join(f", {one}" for one in extra if one)
    names = cut(", ".join(found.tried), _NAMES_BYTES)
    cost = f"{tree.size / 1e6:.1f} MB, {found.tree_seconds:.1f} s"
    return f"searched {plural(tree.files, 'file')}{more} ({cost}) and their names for, in any case, singular and plural: {names}"


def _history(past: History | None) -> list[str]:
    """One line on the history; none where it was not looked at."""
    if past is None or not past.searched:
        return []
    reach = f"{past.searched} of {plural(past.commits, 'commit')}, back to {past.back_to} ({past.seconds:.1f} s)"
    if past.trace is None:
        return [f"history: not seen in {reach}"]
    trace = past.trace
    what = "last seen, inside a longer word," if trace.inside else "last seen"
    by = f"{trace.commit[:_COMMIT]} of {trace.date}: {trace.subject}"
    where = f"in {cut(folded(trace.path), _PATH_BYTES)}"
    if trace.still:
        return [f"history: {what} {where} at {by}; so at HEAD too, where it was not searched"]
    if trace.last in ("", trace.commit):
        return [f"history: {what} {where} at {by}; a merge took it away later"]
    return [f"history: {what} {where} at {trace.last[:_COMMIT]}; taken away by {by}"]


def unsearched(found: Answer) -> list[str]:
    """What the answer says nothing about."""
    past = found.history
    told = list(found.tree.unsearched)
    if past is None:
        told.append("the history, since it is there")
    elif found.place.commit and not past.complete:
        told.append(f"{past.commits - past.searched or 'more'} older commits" if past.searched else "the history")
    if past is not None and past.searched and past.trace is None:
        told.append("what merges alone changed")
    if found.place.shallow:
        told.append("the history beyond this shallow clone")
    return [*told, "other branches"]


def as_json(found: Answer, recorded: Recorded | None) -> dict[str, Any]:
    """The answer as `--json` prints it."""
    tree, past = found.tree, found.history
    return {
        "keywords": found.keywords,
        "absent": found.absent,
        "project": found.project,
        "repository": found.place.top,
        "commit": found.place.commit or None,
        "claim": claim.claim(found) or None,
        "names_tried": list(found.tried),
        "searched": {
            "files": tree.files,
            "bytes": tree.size,
            "changed": tree.changed,
            "untracked": tree.untracked,
            "seconds": round(found.tree_seconds, 3),
        },
        "places": [one._asdict() for one in tree.places],
        "found": found.found,
        "more": tree.full,
        "inside_longer_words": {"found": found.inside, "places": [one._asdict() for one in tree.inside]},
        "words_apart": [one._asdict() for one in found.near],
        "history": past and _history_json(past),
        "not_searched": unsearched(found),
        "recorded": recorded and {"path": recorded.path, "changed": recorded.changed, "committed": not recorded.uncommitted},
    }


def _history_json(past: History) -> dict[str, Any]:
    trace = past.trace and past.trace._asdict()
    return {**past._asdict(), "seconds": round(past.seconds, 3), "complete": past.complete, "trace": trace}
