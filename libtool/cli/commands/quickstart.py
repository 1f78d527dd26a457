"""`lib quickstart`: index this machine, search for the first time, make a library, install; without transcripts, on carried ones."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING

from libtool.cli.asking import ask
from libtool.cli.budget import room_of
from libtool.cli.commands import show
from libtool.cli.commands.index import run_index
from libtool.cli.commands.init import lines as made
from libtool.cli.commands.search import WITHHELD, answered, document, rendered
from libtool.cli.commands.status import agent_lines
from libtool.cli.wording import plural
from libtool.errors import LibError
from libtool.features import init, quickstart, status
from libtool.features import show as opened
from libtool.features.install import work
from libtool.features.install.table import present
from libtool.storage.library import is_library
from libtool.storage.search_db import Filter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from libtool.cli.context import Context
    from libtool.config import Config

EXAMPLES = ("lib quickstart", 'lib quickstart --query "token rotation"', "lib quickstart --yes")
DEMO_LIMIT = 3
DEMO_QUERY = "timetable cache minutes"
SHOW_TOKENS = 250


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--query", default="", metavar="WORDS", help="what to search for; without it you are asked, or lib picks words")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="without asking, make a library and put hooks and the skill into agents",
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Say what happens, index, show what was found, search."""
    config, output = context.config, context.output
    _say(context, _introduction(config, context.environ))
    _index(context, config, context.environ)
    agents, notes, logins = status.counted(config)
    demonstration = not agents
    if demonstration:
        _say(context, _nothing_found(notes))
        with quickstart.demonstration(config) as demo:
            _index(context, demo, {})
            agents, notes, logins = status.counted(demo)
            _say(context, ["", *_found(agents, notes, logins)])
            found = _search(args.query, context, demo, demo=True)
        _say(context, ["", "Nothing of this demonstration is kept. When you have worked with an agent here, run `lib quickstart` again."])
    else:
        _say(context, ["", *_found(agents, notes, logins)])
        found = _search(args.query, context, config, demo=False)
    library = _library(context, config, is_wanted=args.yes)
    installed = _install(context, config, is_wanted=args.yes)
    if output.json:
        output.data(
            {
                "data_dir": config.data_dir,
                "library": library,
                "installed": installed,
                "demonstration": demonstration,
                "agents": agents,
                "notes": notes,
                "logins": logins,
                "search": found,
            }
        )
    return 0


def _say(context: Context, lines: Iterable[str]) -> None:
    """Lines for a reader; with `--json` the data comes at the end, in one piece."""
    if not context.output.json:
        context.output.line("\n".join(lines))
        context.output.flush()


def _introduction(config: Config, environ: Mapping[str, str]) -> Iterator[str]:
    there, missing = quickstart.places(config, environ)
    yield "lib reads what coding agents have left on this machine, and leaves it as it is."
    if there:
        yield "Transcripts: " + "; ".join(f"{agent} in {', '.join(folders)}" for agent, folders in there.items())
    if missing:
        yield f"Looked for, not here: {', '.join(missing)}"
    roots = ", ".join(quickstart.short(root, config.home) for root in config.roots)
    yield f"Notes and transcripts inside projects: below {roots}, {config.walk_depth} folders deep"
    yield f"What lib keeps: {quickstart.short(config.data_dir, config.home)}, for your eyes alone. Logins that it recognises are"
    yield "replaced before anything is written. Nothing leaves this machine."


def _nothing_found(notes: int) -> list[str]:
    also = f", only {plural(notes, 'note')}" if notes else ""
    return [
        "",
        f"No session of a coding agent was found on this machine{also}. To show what lib does with them, here are seven",
        "small ones that it carries: made up, in a folder that is removed at the end.",
    ]


def _found(agents: Mapping[str, Mapping[str, int]], notes: int, logins: int) -> Iterator[str]:
    yield "Found:"
    yield from (f"  {line}" for line in agent_lines(agents, notes))
    yield f"  logins replaced before anything was written: {logins}"


def _index(context: Context, config: Config, environ: Mapping[str, str]) -> None:
    """Index, and tell what could not be read; the first run may take a minute."""
    done = run_index(context, config=config, environ=environ)
    for text in done.told:
        context.output.warn(f"lib: {text}")
    if done.unreadable:
        names = "names it" if len(done.unreadable) == 1 else "names them"
        context.output.warn(f"lib: {plural(len(done.unreadable), 'file')} could not be read; `lib status` {names}")


def _search(query: str, context: Context, config: Config, *, demo: bool) -> dict[str, Any] | None:
    """The first search and the next commands; the search as JSON, None when there was nothing to search for."""
    words = query.strip() or _asked(context, DEMO_QUERY if demo else quickstart.keywords(config))
    if not words:
        _say(context, _next_commands("", is_library=is_library(config.library)))
        return None
    limit = DEMO_LIMIT if demo else config.search_limit
    answer = answered(config, words, Filter(classes=WITHHELD), limit=limit, attempt=1, caller="", now=time.time())
    _say(context, ["", f"$ lib search {shlex.quote(words)}", rendered(answer, config.search_budget)])
    best = answer.result.hits[0].ref if answer.result.hits else ""
    if demo and best:
        room = room_of(SHOW_TOKENS)
        _say(
            context,
            ["", f"$ lib show {best} --budget {SHOW_TOKENS}", show.rendered(opened.show(config, best, turns=None), config.machine, room)],
        )
    if not demo:
        _say(context, _next_commands(best, is_library=is_library(config.library)))
    return document(words, answer.attempt, answer.word, answer.result.hits, answer.covered)


def _asked(context: Context, words: str) -> str:
    """What the person types; `words` for a bare Enter, or where nobody can be asked."""
    picked = f" [Enter: {words}]" if words else ""
    return ask(context, f"\nWhat shall lib search for? A few keywords{picked}") or words


def _library(context: Context, config: Config, *, is_wanted: bool) -> str | None:
    """The library's folder; made when the person wants it, None when there is none."""
    if is_library(config.library):
        return config.library
    place = quickstart.short(config.library, config.home)
    question = f"\nMake a library in {place}, a git repository that keeps what sessions decide, for all your machines? [y, Enter: not now]"
    if not is_wanted and (ask(context, question) or "").lower() not in ("y", "yes"):
        return None
    try:
        done = init.run(config, context.environ, init.Wanted())
    except LibError as error:
        context.output.failure(error)
        return None
    _say(context, ["", *made(done, is_undone=False)])
    for remark in done.remarks:
        context.output.warn(f"lib: {remark}")
    return done.library


def _install(context: Context, config: Config, *, is_wanted: bool) -> list[str]:
    """The agents that hooks and the skill are installed for, now or before; offered where some agent has none."""
    there = [agent.name for agent in present(config.home, context.environ)]
    planned = work.install(config, context.environ, work.Wanted(), dry_run=True) if there else None
    if planned is None or not planned.changes:
        return there
    paths = ", ".join(quickstart.short(one.path, config.home) for one in planned.changes)
    question = f"\nPut hooks and a skill into {', '.join(there)}, so that they look here and note what they decide?"
    question += f"\nIt writes to {paths}; `lib install --dry-run` shows what [y, Enter: not now]"
    if not is_wanted and (ask(context, question) or "").lower() not in ("y", "yes"):
        return []
    done = work.install(config, context.environ, work.Wanted())
    _say(context, ["", *(f"{quickstart.short(one.path, config.home)}: {one.note or 'added to'}" for one in done.changes), *done.remarks])
    for problem in done.problems:
        context.output.warn(f"lib: {quickstart.short(problem.path, config.home)} was left alone: {problem.message}")
        context.output.warn(f"  {problem.hint}")
    return list(done.agents)


def _next_commands(best: str, *, is_library: bool) -> Iterator[str]:
    commands = {
        "lib search WORDS": "what did an old session decide about this?",
        **({f"lib show {best}": "the session behind a line"} if best else {}),
        "lib index": "take in what is new",
        **({} if is_library else {"lib init": "a library of what sessions decide, for all your machines"}),
        "lib install": "hooks and a skill for your agents: it shows what it changes",
        "lib status": "what is covered, and what could not be read",
    }
    width = max(map(len, commands))
    yield from ("", "Next:", *(f"  {command:{width}}  {meaning}" for command, meaning in commands.items()))
