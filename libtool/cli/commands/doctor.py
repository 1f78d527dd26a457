"""`lib doctor`: what is broken, and the one command that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.wording import on_one_line, plural
from libtool.features import doctor

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.doctor import Finding

EXAMPLES = ("lib doctor", "lib doctor --fix", "lib doctor --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--fix", action="store_true", help="run the mends that destroy nothing, then look again")


def run(args: argparse.Namespace, context: Context) -> int:
    """Say how everything is; exit 1 when something is not well."""
    config, environ, output = context.config, context.environ, context.output
    findings = doctor.examine(config, environ)
    mended = doctor.mend(config, environ, findings) if args.fix else []
    if mended:
        findings = doctor.examine(config, environ)
    broken = [found for found in findings if not found.ok]
    if output.json:
        done = [{"command": command, "failed": failed} for command, failed in mended]
        output.data({"ok": not broken, "findings": [found._asdict() for found in findings], "mended": done})
        return 1 if broken else 0
    for command, failed in mended:
        output.note(f"{command}: {failed or 'done'}")
    width = max(len(found.what) for found in findings)
    for found in findings:
        state, style = _state(found)
        output.styled(f"{state:3}  {found.what:{width}}  {on_one_line(found.text)}", style)
        if found.mend:
            output.line(f"{'':{width + 7}}{found.mend}")
    output.line("all is well" if not broken else plural(len(broken), "problem"))
    return 1 if broken else 0


def _state(found: Finding) -> tuple[str, str]:
    """A word for it, and its colour."""
    if not found.ok:
        return "bad", "red"
    return ("-", "dim") if found.mend else ("ok", "green")
