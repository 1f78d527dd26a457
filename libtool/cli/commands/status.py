"""`lib status`: what is covered and fresh, and what could not be read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from libtool.cli.wording import machine_elsewhere, on_one_line, plural
from libtool.domain.classify import WITHHELD
from libtool.domain.dates import moment
from libtool.errors import NotIndexed
from libtool.features import status, verdict
from libtool.features.hook_log import CALLS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.status import Status

EXAMPLES = ("lib status", "lib status --all", "lib status --json")
NAMED = 5
"""How many files or record types are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--all", action="store_true", help=f"name every file and record type with a problem, not only {NAMED}")


def run(args: argparse.Namespace, context: Context) -> int:
    """Print what is known; exit code 14 when there is nothing to search."""
    output, config = context.output, context.config
    try:
        found = status.status(config, context.environ)
    except NotIndexed as error:
        if not output.json:
            raise
        output.data({"coverage": verdict.nothing_indexed(WITHHELD), "indexed": False})
        return error.exit_code
    if output.json:
        output.data(as_json(found))
    else:
        output.line("\n".join(lines(found, config.data_dir, named=0 if args.all else NAMED)))
        for text in found.alerts:
            output.warn(f"lib: {text}")
    if found.unusable:
        raise NotIndexed(found.unusable, hint="run `lib index`: it builds the search db from the store")
    return 0


def as_json(found: Status) -> dict[str, Any]:
    """The status as `--json` prints it."""
    return {
        **found._asdict(),
        "indexed": not found.unusable,
        "told": list(found.told),
        "alerts": list(found.alerts),
        "by_itself": {name: {**one._asdict(), "time": moment(one.time)} for name, one in found.by_itself.items()},
        "waiting": [dict(zip(("session", "topic", "reason", "since"), row, strict=True)) for row in found.waiting],
        "unreadable": [{"path": path, "reason": reason} for path, reason in found.unreadable],
        "remarks": [{"path": path, "remark": remark} for path, remark in found.remarks],
    }


def lines(found: Status, data_dir: str, *, named: int = NAMED) -> Iterator[str]:
    """What a person reads; `named` 0 names everything."""
    yield from agent_lines(found.agents, found.notes)
    withheld = {name: count for name, count in found.coverage["withheld"].items() if count}
    if withheld:
        yield f"withheld from a search unless --include asks for them: {_counts(withheld)}"
    yield from _library_lines(found)
    for machine in found.coverage["machines"]:
        newest = _minute(machine["last_capture"] or "") or "unknown time"
        if machine["searchable"]:
            yield f"machine {machine['name']}: {plural(machine['sessions'], 'session')}, the newest of {newest}"
        else:
            told = machine_elsewhere(machine, found.synced.get(machine["name"], ""), moment(time.time())[:10])
            yield f"machine {told}; its sessions cannot be searched here"
    fresh = f"{plural(found.changed, 'file')} new or changed since: run `lib index`" if found.changed else "nothing has changed since"
    yield f"indexed: {_minute(found.coverage['indexed_at']) or 'never to its end'}; {fresh}"
    yield f"data: {data_dir} ({', '.join(f'{name} {size / 1e6:.1f} MB' for name, size in found.sizes.items())})"
    yield f"logins replaced: {found.logins}"
    if found.digests_due:
        yield f"digests still to come: {found.digests_due}; each `lib index` makes some, the newest first"
    if found.waiting:
        yield f"captures that wait to be put into the library: {len(found.waiting)}; the next capture or `lib sync` tries again"
        yield from _some([f"  {topic or session}: {on_one_line(reason)}" for session, topic, reason, _ in found.waiting], named)
    yield from _by_itself(found)
    if found.missing:
        yield f"transcripts gone from disk, their sessions kept: {found.missing}"
    if found.forgotten:
        yield f"sessions forgotten: {found.forgotten}"
    yield from _problems(found, named)


def _library_lines(found: Status) -> Iterator[str]:
    """How much the library holds, and whether the search db has it; nothing where there is no library."""
    if found.coverage["entries"]:
        behind = found.coverage["behind"]
        stale = f"; {behind} changed and taken in by the next search or index" if behind > 0 else ""
        yield f"{plural(found.coverage['entries'], 'entry', 'entries')} in the library{stale}"


def _by_itself(found: Status) -> Iterator[str]:
    """How the last work ended that agent hooks started, and what was wrong with the last call that was; nothing where there were none."""
    for name, one in found.by_itself.items():
        if name == CALLS:
            yield f"an agent hook that made no sense: {_minute(moment(one.time))}: {one.text}"
            continue
        ended = "done" if one.ok else "failed"
        yield f"{name} by itself: {ended}, {_minute(moment(one.time))}" + (f": {one.text}" if one.text else "")


def agent_lines(agents: Mapping[str, Mapping[str, int]], notes: int) -> Iterator[str]:
    """A line an agent: how many sessions of which class."""
    width = max(map(len, (*agents, "notes")))
    for agent, counts in agents.items():
        yield f"{agent:{width}}  {plural(sum(counts.values()), 'session')} ({_counts(counts)})"
    yield f"{'notes':{width}}  {notes}"


def _problems(found: Status, named: int) -> Iterator[str]:
    """What could not be read or understood."""
    yield from found.told
    if found.unreadable:
        yield f"could not be read: {len(found.unreadable)}"
        yield from _some([f"  {on_one_line(path)}: {reason}" for path, reason in found.unreadable], named)
    for agent, names in found.unknown.items():
        yield f"records of {agent} of an unknown type, left out: {sum(names.values())}"
        yield from _some([f"  {name}: {count}" for name, count in names.items()], named)
    if found.damaged:
        yield f"damaged lines, left out: {_counts(found.damaged)}"
    if found.oversize:
        yield f"lines too long to read, left out: {found.oversize}"
    if found.remarks:
        yield "remarks:"
        yield from _some([f"  {on_one_line(path)}: {remark}" for path, remark in found.remarks], named)


def _some(rows: Sequence[str], named: int) -> Iterator[str]:
    yield from rows[: named or None]
    if named and len(rows) > named:
        yield f"  and {len(rows) - named} more (--all)"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _minute(time: str) -> str:
    """`2026-10-03T09:15Z` of a longer time; '' stays."""
    return f"{time[:16]}Z" if time else ""
