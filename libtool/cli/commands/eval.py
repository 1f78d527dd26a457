"""`lib eval FILE`: what each way of looking things up answers of a person's own questions, and what that costs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from libtool.cli.commands import search as search_command
from libtool.cli.commands import topics as topics_command
from libtool.cli.wording import plural
from libtool.errors import LibraryNotFound
from libtool.features import redact, search, topics, verdict
from libtool.features.evaluate.lookup import Lookup
from libtool.features.evaluate.questions import read
from libtool.features.evaluate.raw import Raw
from libtool.features.evaluate.score import Given, score
from libtool.storage.search_db import Filter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from libtool.cli.context import Context
    from libtool.config import Config
    from libtool.features.evaluate.hybrid import Embed
    from libtool.features.evaluate.questions import Question
    from libtool.features.evaluate.score import Score, SetUp

EXAMPLES = ("lib eval questions.jsonl", "lib eval questions.jsonl --hybrid", "lib eval questions.jsonl --answer-with 'claude -p' --json")
KEYWORD, ENTRIES, HYBRID = "keyword only", "entries + keyword", "entries + hybrid"
_COLUMNS = "{:18}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help="questions, JSONL: see docs/evaluation.md")
    parser.add_argument("--hybrid", action="store_true", help="compare with embeddings too; needs `lib-sessions[hybrid]`, takes minutes")
    parser.add_argument(
        "--answer-with",
        default=None,
        metavar="COMMAND",
        help="let this command answer from what each way found, and score it; costs what it costs",
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Print one table."""
    config, output = context.config, context.output
    questions = read(args.file)
    model = None
    if args.answer_with is not None:
        from libtool.features.evaluate.model import Model  # noqa: PLC0415 - on request

        model = Model(args.answer_with, context.environ, redact.redactor(config, redact.secret(config)[0]).redact)
    embed = None
    if args.hybrid:
        from libtool.features.evaluate.hybrid import load  # noqa: PLC0415 - on request

        embed = load()
    scores = []
    for one in _set_ups(context, questions, embed):
        with output.meter(one.name, "questions") as draw:
            scores.append(score(one, questions, clock=time.monotonic, model=model, progress=draw))
    if output.json:
        output.data({"questions": len(questions), "set_ups": [as_json(one, model is not None) for one in scores]})
    else:
        output.line("\n".join(lines(scores, questions, with_model=model is not None)))
    if model is not None and model.failures:
        output.warn(f"lib: the command of --answer-with failed {plural(model.failures, 'time')}; those answers are not counted as right")
    return 0


def _set_ups(context: Context, questions: Sequence[Question], embed: Embed | None) -> Iterator[SetUp]:
    config, output = context.config, context.output
    raw = Raw(config, context.environ)
    with output.meter("reading transcripts", "files") as draw:
        raw.look(questions, draw)
    yield raw
    sessions = Filter(classes=search_command.WITHHELD, kinds=("session", "note"))
    everything = Filter(classes=search_command.WITHHELD)
    yield Lookup(KEYWORD, _asking(config, sessions))
    yield Lookup(ENTRIES, _asking(config, everything))
    if embed is not None:
        from libtool.features.evaluate.hybrid import Vectors  # noqa: PLC0415 - on request

        vectors = Vectors(embed)
        with output.meter("embedding", "rows") as draw:
            vectors.fill(config, everything, draw)
        yield Lookup(HYBRID, _asking(config, everything), vectors.nearest)


def _asking(config: Config, chosen: Filter) -> Callable[[str, int, Sequence[int]], Given]:
    """What `lib search` prints for a query; where entries are searched too, behind what `lib topics` prints, which an agent reads first."""
    now = time.time()

    def ask(query: str, attempt: int, also: Sequence[int]) -> Given:
        result = search.search(config, query, chosen, limit=config.search_limit, also=also)
        answer = search_command.judged(config, result, chosen, attempt=attempt, caller="", now=now)
        printed = search_command.rendered(answer, config.search_budget)
        listed = "" if chosen.kinds or attempt > 1 else _topics(config, query)
        return Given(listed + printed + "\n", answer.word == verdict.HITS)

    return ask


def _topics(config: Config, query: str) -> str:
    """What `lib topics QUERY` prints; nothing where there is no library."""
    try:
        found = topics.topics(config, [query])
    except LibraryNotFound:
        return ""
    shown = topics_command.fitting(found.topics[: topics_command.LIMIT], topics_command.BUDGET)
    return "".join(f"{line}\n" for _, line in shown)


def as_json(score: Score, with_model: bool) -> dict[str, Any]:
    """A set-up's score as `--json` prints it; null what it cannot say, and the mean of nothing."""
    outcomes = [
        {
            "id": one.id,
            "negative": one.negative,
            "answered": one.answered,
            "denied": one.denied if score.can_deny else None,
            "tokens": one.tokens,
            "seconds": round(one.seconds, 4),
            **({"model_right": one.model} if with_model else {}),
        }
        for one in score.outcomes
    ]
    return {
        "set_up": score.name,
        "answerable": score.number(negative=False),
        "answered": score.number(negative=False, answered=True),
        "wrong_no": score.number(negative=False, denied=True) if score.can_deny else None,
        "negatives": score.number(negative=True),
        "denied": score.number(negative=True, denied=True) if score.can_deny else None,
        "tokens": _rounded(score.mean("tokens")),
        "tokens_negative": _rounded(score.mean("tokens", negative=True)),
        "seconds": _rounded(score.mean("seconds"), 4),
        **({"model_right": score.number(negative=False, model=True) + score.number(negative=True, model=True)} if with_model else {}),
        "questions": outcomes,
    }


def _rounded(value: float | None, digits: int = 0) -> float | None:
    return None if value is None else round(value, digits) if digits else round(value)


def lines(scores: Sequence[Score], questions: Sequence[Question], *, with_model: bool) -> Iterator[str]:
    """The table, and what each set-up missed."""
    answerable = sum(not question.is_negative for question in questions)
    negative = len(questions) - answerable
    last = "  model right" if with_model else ""
    yield _COLUMNS.format("set-up", "answered", "wrong no", "denied", "tokens", "for a no", "seconds") + last
    for one in scores:
        wrong = f"{one.number(negative=False, denied=True)}/{answerable}" if one.can_deny else "-"
        denied = f"{one.number(negative=True, denied=True)}/{negative}" if one.can_deny else "-"
        answered = f"{one.number(negative=False, answered=True)}/{answerable}"
        right = one.number(negative=False, model=True) + one.number(negative=True, model=True)
        model = f"  {f'{right}/{len(questions)}':>11}" if with_model else ""
        tokens, seconds = one.mean("tokens"), one.mean("seconds")
        cost = _number(tokens), _number(one.mean("tokens", negative=True)), "-" if seconds is None else f"{seconds:.3f}"
        yield _COLUMNS.format(one.name, answered, wrong, denied, *cost) + model
    for one in scores:
        missed = [outcome.id for outcome in one.outcomes if not outcome.negative and not outcome.answered]
        if missed:
            yield f"{one.name} missed: {', '.join(missed)}"


def _number(tokens: float | None) -> str:
    return "-" if tokens is None else f"{tokens:,.0f}"
