"""`lib logins scrub`: take the logins out of the agents' own old transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.asking import agree
from libtool.cli.wording import on_one_line, plural
from libtool.domain.redact import Redactor
from libtool.errors import PartlyDone, UsageError
from libtool.features.reading import safe_name
from libtool.features.scrub import plan, work
from libtool.features.scrub.live import Watch
from libtool.storage import key, logins

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.scrub.plan import Item, Plan

EXAMPLES = (
    "lib logins scrub --dry-run",
    "lib logins scrub --session claude-code:3f2a9c1e",
    "lib logins scrub --agent codex --yes",
    "lib logins scrub --restore",
    "lib logins scrub --purge-backups",
)
NAMED = 20
"""How many files are named before the rest is counted; `--json` has them all."""
COVERED = (
    "covered: transcripts, sub-agents' too, and what agents keep beside them: prompt histories, saved tool outputs and pastes, plans and"
    " todos, checkpoints of talks, session logs and session databases"
)
NOT_COVERED = (
    "not covered: git histories that agents keep of your folders, databases of an editor (Cursor's state.vscdb), copies you or a backup"
    " program made, what was sent to a provider, and free space of the disk"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--agent", action="append", default=[], metavar="A", help="only this agent's files (may be repeated)")
    parser.add_argument("--session", default="", metavar="REF", help="only this session, with its sub-agents")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument(
        "--quiet-minutes", type="count", metavar="N", help="leave what changed in the last N minutes (logins.quiet_minutes)"
    )
    parser.add_argument("--restore", action="store_true", help="put the backups back, the logins with them")
    parser.add_argument("--purge-backups", action="store_true", help="delete the backups: they hold the logins")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, context: Context) -> int:
    """Look, ask, back up, scrub, tell."""
    if args.restore + args.purge_backups + args.dry_run > 1:
        raise UsageError("--dry-run, --restore and --purge-backups exclude one another", hint="see `lib logins scrub -h`")
    if (args.restore or args.purge_backups) and (args.agent or args.session):
        raise UsageError("--restore and --purge-backups are about all backups", hint="leave out --agent and --session")
    if args.purge_backups:
        return _purge(args, context)
    minutes = context.config.logins_quiet_minutes if args.quiet_minutes is None else args.quiet_minutes
    watch = Watch(60.0 * minutes)
    if args.restore:
        return _restore(args, context, watch)
    with context.output.meter("looking") as progress:
        found = plan.plan(context.config, context.environ, watch, agents=tuple(args.agent), session=args.session, progress=progress)
    items = found.items
    if not args.dry_run and found.ready:
        question = "\n".join([*_told(found, items, done=False), *_warning(watch), "Scrub these files now? [y/N]"])
        agree(args, context, question, hint="look with --dry-run, then say --yes")
        with context.output.meter("scrubbing") as progress:
            done = {one.target.real: one for one in work.execute(context.config, found, watch, progress)}
        items = [done.get(one.target.real, one) for one in items]
    _report(args, context, found, items, watch)
    return _code(args, items)


def _warning(watch: Watch) -> list[str]:
    lines = ["Each file is backed up first. The backups hold the logins until `lib logins scrub --purge-backups`."]
    if not watch.sees_open_files:
        lines.append("On this system lib cannot see which files are open: close your agents first.")
    return lines


def _report(args: argparse.Namespace, context: Context, found: Plan, items: list[Item], watch: Watch) -> None:
    output = context.output
    backups = work.backups_of(context.config)
    count, size = backups.size()
    if output.json:
        output.data(
            {
                "dry_run": args.dry_run,
                "files": [as_json(found.redactor, one, done=not args.dry_run) for one in items],
                "clean": found.clean,
                "not_rewritten": [
                    {"path": safe_name(one.path, found.redactor), "agent": one.agent, "why": why} for one, why in found.beside
                ],
                "sees_open_files": watch.sees_open_files,
                "backups": {"folder": backups.folder, "files": count, "bytes": size},
            }
        )
        return
    for line in _told(found, items, done=not args.dry_run):
        output.line(line)
    if count:
        output.line(f"backups in {backups.folder}: {count}; they hold the logins until `lib logins scrub --purge-backups`")
    if any(not one.why for one in items if one.logins) and not args.dry_run:
        output.line("what an agent still remembers was not changed: rotate these logins (`lib logins`); `lib index` reads the files anew")
    output.line(f"{COVERED}\n{NOT_COVERED}")


def as_json(redactor: Redactor, item: Item, *, done: bool) -> dict[str, Any]:
    """One file of the report."""
    return {
        "path": safe_name(item.target.path, redactor),
        "agent": item.target.agent,
        "transcript": item.target.transcript,
        "scrubbed": done and bool(item.logins) and item.why in ("", work.AGAIN),
        "why": item.why,
        "logins": sorted(item.logins),
        "occurrences": item.logins.total(),
        "bytes_before": item.before,
        "bytes_after": item.after,
        "left": item.left,
    }


def _told(found: Plan, items: list[Item], *, done: bool) -> list[str]:
    """The report as lines of text."""
    ready = [one for one in items if one.logins and not one.why]
    stays = [one for one in items if one.why]
    logins = {fingerprint for one in ready for fingerprint in one.logins}
    total = sum(one.logins.total() for one in ready)
    verb = "scrubbed" if done else "to be scrubbed"
    lines = [f"{verb}: {plural(len(ready), 'file')} | {plural(len(logins), 'login')} | {plural(total, 'occurrence')}"]
    lines += _some([f"  {_path(found, one)} | {_amount(one)}" for one in ready])
    if stays:
        lines.append(f"left as they are: {plural(len(stays), 'file')}")
        lines += _some([f"  {_path(found, one)} | {plural(len(one.logins), 'login')} | {one.why}" for one in stays])
    if found.beside:
        lines.append(f"never rewritten, and they hold logins: {plural(len(found.beside), 'file')}")
        lines += _some([f"  {on_one_line(safe_name(one.path, found.redactor))} | {why}" for one, why in found.beside])
    if kept := sum(one.left for one in items):
        lines.append(f"kept, since sessions need them: {plural(kept, 'id', 'ids or opaque texts')} that may hold a login")
    return [*lines, f"without logins: {plural(found.clean, 'file')}"]


def _amount(item: Item) -> str:
    sizes = f" | {item.before} to {item.after} bytes" if item.after else ""
    return f"{plural(len(item.logins), 'login')} | {plural(item.logins.total(), 'occurrence')}{sizes}"


def _path(found: Plan, item: Item) -> str:
    return on_one_line(safe_name(item.target.path, found.redactor))


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - NAMED
    return [*lines[:NAMED], *([f"  and {more} more (--json names them)"] if more > 0 else [])]


def _code(args: argparse.Namespace, items: list[Item]) -> int:
    """0; PartlyDone when a file that holds logins stays as it is."""
    stays = [one for one in items if one.why and (one.logins or one.unread)]
    if stays and not args.dry_run:
        raise PartlyDone(
            f"{plural(len(stays), 'file')} could not be scrubbed", hint="each is named above with the reason; run it again later"
        )
    return 0


def _purge(args: argparse.Namespace, context: Context) -> int:
    backups = work.backups_of(context.config)
    count, size = backups.size()
    if count:
        agree(args, context, f"Delete {plural(count, 'backup')} ({size} bytes)? What was scrubbed cannot be put back then. [y/N]")
    gone = work.purge(context.config)
    if context.output.json:
        context.output.data({"purged": gone, "bytes": size})
    else:
        context.output.line(f"purged: {plural(gone, 'backup')}")
    return 0


def _restore(args: argparse.Namespace, context: Context, watch: Watch) -> int:
    backups = work.backups_of(context.config)
    if count := backups.size()[0]:
        agree(args, context, f"Put {plural(count, 'backup')} back? The logins are then in these transcripts again. [y/N]")
    restored = work.restore(context.config, watch)
    if restored:
        # The name of a file may hold a login itself.
        redactor = Redactor(key.there(context.config) or bytes(key.SIZE), known=logins.known(context.config), learn=False)
        restored = [one._replace(path=safe_name(one.path, redactor)) for one in restored]
    stays = [one for one in restored if one.why]
    if context.output.json:
        context.output.data({"files": [one._asdict() for one in restored]})
    else:
        context.output.line(f"restored: {plural(len(restored) - len(stays), 'file')}")
        for one in stays:
            context.output.line(f"  {on_one_line(one.path)} | {one.why}")
    if stays:
        raise PartlyDone(f"{plural(len(stays), 'file')} could not be restored", hint="the backups stay")
    return 0
