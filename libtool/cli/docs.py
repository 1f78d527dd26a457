"""Write the references that are generated from the code: `python -m libtool.cli.docs [--check] [FOLDER]`.

`--check` writes nothing and ends with 1 when a page is not what the code says. FOLDER is `docs` unless given.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from libtool import errors
from libtool.cli.crash import UnexpectedError
from libtool.cli.main import COMMANDS, OTHER_CODES, parser_of
from libtool.cli.output import standard
from libtool.config import APP, SETTINGS, VARIABLES
from libtool.domain import format_page
from libtool.domain.redact import page
from libtool.features.install import page as agents
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from libtool.cli.main import Commands

GENERATED = "<!-- Generated from the code by `make docs`: do not edit. -->"

CLI_PAGE = f"""# Commands

{GENERATED}

Every command takes `--json` (data as JSON on stdout, errors as JSON on stderr), `--quiet` (no remarks on stderr) and `-h`.
Data goes to stdout, everything else to stderr. What the numbers at a command's end mean: [exit codes](exit-codes.md).

"""
EXIT_CODES_PAGE = f"""# Exit codes

{GENERATED}

Programs may rely on them. `lib hook` is different: it always ends with 0.

| code | meaning |
|---|---|
"""
CONFIG_PAGE = f"""# Configuration

{GENERATED}

lib needs none. What it reads:

## Environment

| variable | meaning |
|---|---|
%(variables)s

## The TOML file

`LIB_CONFIG`, else `~/.config/{APP}/config.toml` (Linux), else `~/Library/Application Support/{APP}/config.toml` (macOS).
An unknown key or a wrong value is refused, with what to write. Paths may begin with `~`; others are relative to the file's folder.

| key | value | default | meaning |
|---|---|---|---|
%(settings)s

By default the library lies in `~/library` and lib's own data in `~/.local/share/{APP}/data`
(macOS: below `~/Library/Application Support/{APP}`; `XDG_DATA_HOME` and `XDG_CONFIG_HOME` are followed).

All keys, as an example:

```toml
%(example)s
```
"""


def main(words: Sequence[str] | None = None) -> int:
    """Write or check the pages; 1 when a check finds one that is stale."""
    parser = argparse.ArgumentParser(prog="python -m libtool.cli.docs", description="Write the generated references.")
    parser.add_argument("folder", nargs="?", default="docs", metavar="FOLDER", help="where the pages lie (default: docs)")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 when a page is stale")
    args = parser.parse_args(words)
    output = standard(os.environ)
    stale = []
    for name, make in PAGES.items():
        path = os.path.join(args.folder, name)
        text = make()
        if _content(path) != text:
            stale.append(path)
            if not args.check:
                files.write(path, text.encode(), mode=0o644)
    for path in stale:
        output.line(f"{path}: stale, `make docs` writes it" if args.check else f"{path}: written")
    return 1 if stale and args.check else 0


def cli_page(commands: Commands = COMMANDS) -> str:
    """docs/cli.md."""
    return CLI_PAGE + "\n".join(line for name in commands for line in _command(name, commands))


def exit_codes_page() -> str:
    """docs/exit-codes.md."""
    families: list[type[errors.LibError]] = [errors.LibError, *errors.LibError.__subclasses__(), UnexpectedError]
    codes = dict(OTHER_CODES) | {family.exit_code: family.meaning for family in families}
    return EXIT_CODES_PAGE + "".join(f"| {code} | {meaning} |\n" for code, meaning in sorted(codes.items()))


def config_page() -> str:
    """docs/config.md."""
    variables = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in VARIABLES)
    settings = "\n".join(f"| `{one.key}` | {one.kind.expected} | {_default(one.default)} | {one.meaning} |" for one in SETTINGS)
    return CONFIG_PAGE % {"variables": variables, "settings": settings, "example": "\n".join(_example())}


def redaction_page() -> str:
    """docs/redaction.md."""
    return page.render(GENERATED)


def entry_format_page() -> str:
    """docs/entry-format.md."""
    return format_page.render(GENERATED)


def agents_page() -> str:
    """docs/agents.md."""
    return agents.render(GENERATED)


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "exit-codes.md": exit_codes_page,
    "config.md": config_page,
    "redaction.md": redaction_page,
    "entry-format.md": entry_format_page,
    "agents.md": agents_page,
}
"""Page: what makes its text."""


def _command(name: str, commands: Commands) -> Iterator[str]:
    """One command's part of the reference; not argparse's own help, whose form differs from Python to Python."""
    parser, module = parser_of(name, commands)
    actions = [action for action in parser._actions if action.dest not in ("json", "quiet", "help")]  # noqa: SLF001 - there is no other way
    meaning = commands[name][1]
    yield from (f"## lib {name}", "", f"{meaning[0].upper()}{meaning[1:]}.", "")
    for action in actions:
        yield f"- `{_spelling(action)}`: {action.help}"
    if actions:
        yield ""
    yield from ("```sh", *getattr(module, "EXAMPLES", ()), "```", "")


def _spelling(action: argparse.Action) -> str:
    """An argument as one types it."""
    value = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper())
    if not action.option_strings:
        dots = " ..." if action.nargs in ("*", "+") else ""
        return f"[{value}{dots}]" if action.nargs in ("*", "?") else f"{value}{dots}"
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {value}"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else ""


def _example() -> Iterator[str]:
    """Every setting's example, tables last as TOML wants it."""
    group = ""
    for setting in SETTINGS:
        table = setting.key.partition(".")[0]
        if ("." in setting.key or setting.key == "classes") and table != group:
            group = table
            yield from ("", f"[{table}]")
        yield from setting.example.split("\n")


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
