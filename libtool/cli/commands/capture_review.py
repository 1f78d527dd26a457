"""`lib capture --review FILE|-`: what a reviewer wrote, into entries."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.errors import UsageError
from libtool.features import review, review_session
from libtool.features.review_landing import UPDATED

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.review import Outcome
    from libtool.features.review_landing import Result

LARGEST = 8 << 20
"""Bytes of a review."""


def run(args: argparse.Namespace, context: Context) -> int:
    """Put it into the library; exit 1 when nothing of it could be used."""
    today = datetime.now().astimezone().date()
    source = review_session.source_of(context.config, context.environ, args.session, today)
    text = _read(args.review, context)
    done = review.review(context.config, context.environ, text, source, topic=args.topic)
    show(done, f"{source.agent}:{source.sid}", context)
    return 1 if done.unusable else 0


def _read(name: str, context: Context) -> bytes:
    try:
        if name == "-":
            text = context.stdin.read(LARGEST + 1)
        else:
            with open(name, "rb") as file:
                text = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {name}: {error.strerror}", hint="name the file with the reviewer's answer, or - for standard input"
        ) from error
    if len(text) > LARGEST:
        raise UsageError(f"{name} is too large for a review", hint=f"at most {LARGEST >> 20} MB; `lib capture --import` takes notes")
    return text


def show(done: Outcome, session: str, context: Context) -> None:
    """Say what became of it."""
    output = context.output
    if output.json:
        output.data(as_json(done, session))
        return
    for result in done.results:
        output.line(_line(result, session))
        if result.suggestion:
            output.note(
                f"  it may belong to entry:{result.suggestion}; if so, merge the two by hand, or give --topic {result.suggestion} next time"
            )
    if done.repeated:
        output.line("nothing new: this review of the session is in the library already")
    elif not done.results and not done.unusable:
        output.line("nothing to record")
    if done.unusable:
        output.warn("lib: nothing in this review could be used; `lib capture --prompt` prints what to ask a reviewer for")
    if done.kept:
        output.note(f"what no entry took is kept in {done.kept}")


def _line(result: Result, session: str) -> str:
    of = "" if result.session == session else f" (of {result.session})"
    told = f"{result.state} entry:{result.topic}" if result.topic else result.state
    new = [plural(result.added, "new item")] if result.added else []
    new += ["another Answer"] if result.answered and result.state == UPDATED else []
    if new:
        told += f": {', '.join(new)}"
    return f"{told}{f': {result.reason}' if result.reason else ''}{of}"


def as_json(done: Outcome, session: str) -> dict[str, object]:
    """The outcome as `--json` prints it."""
    return {
        "session": session,
        "entries": [
            {
                "topic": result.topic or None,
                "state": result.state,
                "added": result.added,
                "answered": result.answered,
                "suggestion": result.suggestion or None,
                "reason": result.reason or None,
                "session": result.session,
            }
            for result in done.results
        ],
        "kept": done.kept or None,
        "unusable": done.unusable,
        "repeated": done.repeated,
    }
