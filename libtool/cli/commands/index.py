"""`lib index`: bring INDEX.md and the search db up to date with every entry, transcript and note of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.adapters.registry import ADAPTERS
from libtool.cli.budget import BYTES_A_TOKEN
from libtool.cli.wording import on_one_line, plural
from libtool.errors import LibraryNotFound, PartlyDone, UsageError
from libtool.features import index, index_md
from libtool.features.reading import NOT_RECOGNISED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.config import Config

EXAMPLES = ("lib index", "lib index --md", "lib index --agent claude-code", "lib index ~/work/acme-api")
NAMED = 5
"""How many unreadable files are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these transcripts, or those below these folders")
    parser.add_argument("--agent", action="append", default=[], metavar="A", help=f"only this agent's: {', '.join(ADAPTERS)}")
    parser.add_argument("--md", action="store_true", help="only INDEX.md of the library")
    parser.add_argument("--db", action="store_true", help="only the search db")


def run(args: argparse.Namespace, context: Context) -> int:
    """Index; exit code 4 when something could not be read."""
    for agent in args.agent:
        if agent not in ADAPTERS:
            raise UsageError(f"no such agent: {agent[:40]}", hint=f"the agents are: {', '.join(ADAPTERS)}")
    only_md, only_db = args.md and not args.db, args.db and not args.md
    if only_md:
        return report_md(index_md.write(context.config), context)
    done = run_index(context, agents=args.agent, paths=args.paths)
    # Asked for some transcripts only, nobody asked for the library; and without a library, the search db is all there is.
    beside = None if only_db or (not args.md and (args.agent or args.paths)) else write_md(context, required=args.md)
    return report(done, context, beside)


def write_md(context: Context, *, required: bool) -> index_md.Written | None:
    """Bring INDEX.md up to date; None where there is no library. Raises LibraryNotFound then if it is `required`."""
    try:
        return index_md.write(context.config)
    except LibraryNotFound:
        if required:
            raise
        return None


def report_md(written: index_md.Written, context: Context) -> int:
    """Print what became of INDEX.md."""
    if context.output.json:
        context.output.data({"index_md": written._asdict()})
    else:
        context.output.line(told_of(written))
    return 0


def told_of(written: index_md.Written) -> str:
    """INDEX.md in a line."""
    return f"INDEX.md: {plural(written.entries, 'entry', 'entries')}, {written.bytes // BYTES_A_TOKEN} tokens" + (
        "; written" if written.changed else ""
    )


def run_index(
    context: Context,
    *,
    agents: Sequence[str] = (),
    paths: Sequence[str] = (),
    rebuild: bool = False,
    config: Config | None = None,
    environ: Mapping[str, str] | None = None,
) -> index.IndexReport:
    """Run with a progress bar on a terminal; `config` and `environ` default to the context's."""
    with context.output.meter("indexing") as draw:
        return index.run(
            config or context.config,
            context.environ if environ is None else environ,
            agents=agents,
            paths=paths,
            rebuild=rebuild,
            progress=lambda state: draw(state.done, state.total),
            waiting=lambda text: context.output.note(f"lib: {text}"),
        )


def report(done: index.IndexReport, context: Context, beside: index_md.Written | None = None) -> int:
    """Print what a run did, `beside` what became of INDEX.md; PartlyDone's exit code when a file could not be read."""
    output = context.output
    if output.json:
        output.data({**as_json(done), "index_md": beside._asdict() if beside else None})
    else:
        output.line(
            f"{plural(done.files, 'transcript or note', 'transcripts and notes')}, {done.read} new or changed: {done.bytes / 1e6:.1f} MB, "
            f"{plural(done.records, 'record')}, {plural(done.rows, 'row')} written"
            + (f"; {done.missing} gone from disk but still searchable" if done.missing else "")
        )
        if beside:
            output.line(told_of(beside))
    for text in done.told:
        output.warn(f"lib: {text}")
    unknown = [path for path, reason in done.unreadable if reason.startswith(NOT_RECOGNISED)]
    unreadable = [(path, reason) for path, reason in done.unreadable if not reason.startswith(NOT_RECOGNISED)]
    for path, reason in unreadable[:NAMED]:
        output.warn(f"lib: cannot read {on_one_line(path)}: {reason}")
    if len(unreadable) > NAMED:
        output.warn(f"lib: and {len(unreadable) - NAMED} more; `lib status` names them")
    if unknown:
        told = f"{plural(len(unknown), 'file')}, in agents' folders or pointed at, with content that is not recognised"
        output.warn(f"lib: {told}; `lib status` names {'it' if len(unknown) == 1 else 'them'}")
    return PartlyDone.exit_code if done.unreadable else 0


def as_json(done: index.IndexReport) -> dict[str, Any]:
    """The report as `--json` prints it."""
    return {
        **done._asdict(),
        "unreadable": [{"path": path, "reason": reason} for path, reason in done.unreadable],
        "told": list(done.told),
    }
