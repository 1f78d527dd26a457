"""`lib logins review`: what was nearly taken for a login, for its owner to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.errors import UsageError
from libtool.features import login_enrol, login_review

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.login_review import Candidate

EXAMPLES = ("lib logins review", "lib logins review 3f2a9c1e --login", "lib logins review 3f2a9c1e --no")
NAMED = 20
"""How many are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fingerprint", nargs="?", default="", metavar="FP", help="the one to decide; without it all are listed")
    verdict = parser.add_mutually_exclusive_group()
    verdict.add_argument("--login", action="store_true", help="it is a login: look for it everywhere, and take it out of what is stored")
    verdict.add_argument("--no", action="store_true", help="it is none: do not list it again")
    parser.add_argument("--all", action="store_true", help=f"list all, not only the first {NAMED}")


def run(args: argparse.Namespace, context: Context) -> int:
    """List, or decide one."""
    if args.fingerprint:
        return _decide(args, context)
    if args.login or args.no:
        raise UsageError("which one?", hint="`lib logins review FP --login`; `lib logins review` lists them")
    found = login_review.review(context.config)
    if context.output.json:
        context.output.data({"candidates": [one._asdict() for one in found]})
        return 0
    shown = found if args.all else found[:NAMED]
    for one in shown:
        context.output.line(described(one))
    if len(found) > len(shown):
        context.output.line(f"and {len(found) - len(shown)} more (--all)")
    if found:
        context.output.line("look with `lib show REF`, then say `lib logins review FP --login` or `--no`")
    else:
        context.output.line("nothing to decide")
    return 0


def described(one: Candidate) -> str:
    """A candidate in one line."""
    why = "near a word about logins" if one.near else "random characters"
    return f"{one.fingerprint} | {one.shape} | {why} | ref: {one.ref}" + (
        f" and {plural(one.times - 1, 'more place')}" if one.times > 1 else ""
    )


def _decide(args: argparse.Namespace, context: Context) -> int:
    if not args.login and not args.no:
        raise UsageError("is it a login?", hint="say --login or --no")
    fingerprint, value = login_review.value_of(context.config, args.fingerprint)
    if args.no:
        login_review.dismiss(context.config, fingerprint)
        done = {"fingerprint": fingerprint, "login": False}
        text = f"{fingerprint}: no login"
    else:
        enrolled = login_enrol.enrol(context.config, value)
        done = {"fingerprint": fingerprint, "login": True, "changed": enrolled.changed, "wiped": enrolled.wiped}
        text = f"{fingerprint}: a login; taken out of {plural(enrolled.changed, 'place')}"
    if context.output.json:
        context.output.data(done)
    else:
        context.output.line(text)
    return 0
