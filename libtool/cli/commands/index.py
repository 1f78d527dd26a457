"""`lib index`: bring the search db up to date with every transcript and note of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.adapters.registry import ADAPTERS
from libtool.cli.wording import on_one_line, plural
from libtool.errors import PartlyDone, UsageError
from libtool.features import index
from libtool.features.reading import NOT_RECOGNISED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.config import Config

EXAMPLES = ("lib index", "lib index --agent claude-code", "lib index ~/work/acme-api")
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
    if args.md and not args.db:
        raise UsageError("there is no library yet, so no INDEX.md either", hint="`lib index` indexes the transcripts")
    return report(run_index(context, agents=args.agent, paths=args.paths), context)


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


def report(done: index.IndexReport, context: Context) -> int:
    """Print what a run did; PartlyDone's exit code when a file could not be read."""
    output = context.output
    if output.json:
        output.data(as_json(done))
    else:
        output.line(
            f"{plural(done.files, 'transcript or note', 'transcripts and notes')}, {done.read} new or changed: {done.bytes / 1e6:.1f} MB, "
            f"{plural(done.records, 'record')}, {plural(done.rows, 'row')} written"
            + (f"; {done.missing} gone from disk but still searchable" if done.missing else "")
        )
    for text in done.told:
        output.warn(f"lib: {text}")
    unknown = [path for path, reason in done.unreadable if reason.startswith(NOT_RECOGNISED)]
    unreadable = [(path, reason) for path, reason in done.unreadable if not reason.startswith(NOT_RECOGNISED)]
    for path, reason in unreadable[:NAMED]:
        output.warn(f"lib: cannot read {on_one_line(path)}: {reason}")
    if len(unreadable) > NAMED:
        output.warn(f"lib: and {len(unreadable) - NAMED} more; `lib status` names them")
    if unknown:
        verb, names = ("lies", "names it") if len(unknown) == 1 else ("lie", "names them")
        output.warn(f"lib: {plural(len(unknown), 'file')} whose content is not recognised {verb} in agents' folders; `lib status` {names}")
    return PartlyDone.exit_code if done.unreadable else 0


def as_json(done: index.IndexReport) -> dict[str, Any]:
    """The report as `--json` prints it."""
    return {
        **done._asdict(),
        "unreadable": [{"path": path, "reason": reason} for path, reason in done.unreadable],
        "told": list(done.told),
    }
