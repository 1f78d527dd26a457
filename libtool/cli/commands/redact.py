"""`lib redact`: replace the logins in files or in what is piped through."""

from __future__ import annotations

from libtool.errors import PartlyDone, UsageError
from libtool.features import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from libtool.cli.context import Context
    from libtool.domain.redact import Redactor
    from libtool.features.redact import Met

EXAMPLES = (
    "pbpaste | lib redact",
    "lib redact --check .env notes/*.md",
    "lib redact --in-place worklog.md",
    "lib redact --check --json session.jsonl",
)
STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="files to redact, - for standard input (the default); content goes to stdout"
    )
    parser.add_argument(
        "--in-place", action="store_true", help="write each file back, as a whole, with its mode; one without logins is not touched"
    )
    parser.add_argument("--check", action="store_true", help="write nothing, say what would be replaced; exit code 1 when there is any")
    parser.add_argument(
        "--spans", action="store_true", help='JSONL {"id", "text"} in, {"id", "spans": [[start, end]]} out, each text by itself'
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Redact; exit code 1 for a check that finds a login."""
    if args.check + args.in_place + args.spans > 1:
        raise UsageError("--in-place, --check and --spans exclude one another", hint="see `lib redact -h`")
    paths = args.files or [STDIN]
    if args.in_place and STDIN in paths:
        raise UsageError("--in-place needs files", hint="name them: lib redact --in-place FILE ...")
    if args.spans:
        return _spans(paths, context)
    redactor = redact.redactor(context.config, _secret(context))
    found: list[tuple[str, list[Met]]] = []
    bad: list[str] = []
    for path in paths:
        try:
            found.append((path, _one(redactor, path, args, context)))
        except UsageError as error:
            if len(paths) == 1:
                raise
            context.output.warn(f"lib: {error.message}")
            bad.append(path)
    if args.check or args.in_place:
        _report(found, context, done=args.in_place)
    if bad:
        raise PartlyDone(f"{len(bad)} of {len(paths)} files could not be redacted: {', '.join(bad)}", hint="the others are done")
    return 1 if args.check and any(met for _, met in found) else 0


def _secret(context: Context) -> bytes:
    secret, reason = redact.secret(context.config)
    if reason:
        context.output.warn(f"lib: no key can be kept ({reason}): the fingerprints of this run match no others")
    return secret


def _one(redactor: Redactor, path: str, args: argparse.Namespace, context: Context) -> list[Met]:
    if args.in_place:
        return redact.in_place(redactor, path)
    write = redact.nowhere if args.check else context.output.raw
    return redact.stream(redactor, context.stdin, write) if path == STDIN else redact.copy(redactor, path, write)


def _report(found: list[tuple[str, list[Met]]], context: Context, *, done: bool) -> None:
    output = context.output
    if output.json:
        output.data({"files": [as_json(path, met, done=done) for path, met in found], "logins": sum(len(met) for _, met in found)})
        return
    for path, met in found:
        for one in met:
            output.line(f"{path}:{one.line}: {one.kind} {one.fingerprint} ({one.rule})")


def as_json(path: str, met: list[Met], *, done: bool) -> dict[str, Any]:
    """One file of the report."""
    return {"path": path, "redacted": done and bool(met), "logins": [one.to_json() for one in met]}


def _spans(paths: list[str], context: Context) -> int:
    # Each text by itself: what one holds must not change what is found in the next.
    redactor = redact.bare(context.config, _secret(context))
    for path in paths:
        with redact.opened(path) if path != STDIN else context.stdin as source:
            for row in redact.spans(redactor, source):
                context.output.data(row)
    return 0
