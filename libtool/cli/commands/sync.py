"""`lib sync`: bring this machine's library and its remote together."""

from __future__ import annotations

from libtool.features import sync_glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from libtool.cli.context import Context
    from libtool.cli.output import Output
    from libtool.features.sync_report import SyncReport

EXAMPLES = ("lib sync", "lib sync --no-push", "lib sync --json")
WORDS = ("--no-push", "--json", "--quiet")
NAMED = 5
"""How many changed topics are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--no-push", action="store_true", help="fetch and merge only; what is new here stays here")


def quick(words: Sequence[str], context: Context) -> int | None:
    """The whole of a sync with nothing to do, which is most of them: argparse takes longer than to see that."""
    if any(word not in WORDS for word in words) or sync_glance.unended(context.config):
        return None
    report = sync_glance.nothing_to_do(context.config, context.environ)
    if report is None:
        return None
    context.output.json = "--json" in words
    context.output.quiet = "--quiet" in words
    return _say(report, context.output)


def run(args: argparse.Namespace, context: Context) -> int:
    """Sync; says what came, what went and what changed here."""
    from libtool.features import sync  # noqa: PLC0415 - with dulwich; most syncs end in `quick`

    _sweep(context)
    _retry(context)
    return _say(sync.sync(context.config, context.environ, push=not args.no_push), context.output)


def _say(report: SyncReport, output: Output) -> int:
    if output.json:
        output.data(report.to_dict())
        return 0
    if not output.quiet or report.before != report.after or report.sent:
        output.line("\n".join(lines(report)))
    for note in report.notes:
        output.warn("lib: " + note.replace("\n", "\\n"))
    return 0


def _sweep(context: Context) -> None:
    """Close what ended without saying so, so that it goes out with this sync; whatever is wrong there is no reason not to sync."""
    if not sync_glance.unended(context.config):
        return
    import time  # noqa: PLC0415 - most syncs have nothing to sweep

    from libtool.errors import LibError  # noqa: PLC0415
    from libtool.features import unfinished  # noqa: PLC0415

    try:
        unfinished.sweep(context.config, context.environ, time.time(), everything=False)
    except LibError as error:
        context.output.warn(f"lib: {error.message}; synced without what sessions left since")


def _retry(context: Context) -> None:
    """Put into the library what waits for it, so that it goes out with this sync; what cannot be put there waits on."""
    from libtool.errors import LibError  # noqa: PLC0415 - not for a sync with nothing to do
    from libtool.features import review  # noqa: PLC0415

    try:
        review.retry(context.config, context.environ)
    except LibError as error:
        context.output.warn(f"lib: {error.message}; synced without the captures that wait")


def lines(report: SyncReport) -> Iterator[str]:
    """What a person reads."""
    if not report.remote:
        yield "the library has no remote: nothing to sync with (`lib init --remote URL` gives it one)"
        return
    if report.before == report.after and not report.sent and not report.pending:
        yield f"{report.remote}: nothing new on either side"
        return
    from libtool.cli.wording import on_one_line, plural  # noqa: PLC0415 - not for a sync with nothing to do

    done = [f"{plural(report.received, 'commit')} received"] if report.received else []
    done += ["merged"] if report.merged else []
    done += [f"{plural(report.sent, 'commit')} sent"] if report.sent else []
    done += [f"{plural(report.pending, 'commit')} not sent"] if report.pending else []
    yield f"{report.remote}: {', '.join(done) or 'up to date'}"
    if report.topics:
        named = ", ".join(map(on_one_line, report.topics[:NAMED]))
        rest = f" and {len(report.topics) - NAMED} more" if len(report.topics) > NAMED else ""
        yield f"entries changed here: {named}{rest}"
