"""A thousand answers by mutation of twenty: nothing crashes, nothing is lost, no login comes through, nothing is obeyed."""

from __future__ import annotations

import datetime as dt
import random
import re

import pytest

from libtool.domain.entry import parse
from libtool.domain.index_md import line_of
from libtool.domain.mend import mend
from libtool.domain.redact import Redactor
from libtool.domain.review.entries import Source, apply
from libtool.domain.review.inert import MARK, speaks_to_agents
from libtool.domain.review.parse import read
from libtool.domain.schema import SESSION
from libtool.domain.text import clean
from libtool.domain.validate import problems
from tests.domain.review.answers import ANSWERS, INJECTIONS, Answer
from tests.domain.review.mutate import mutated

TODAY = dt.date(2026, 10, 4)
SOURCE = Source("claude-code", "3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77", "0d1c9a77", "laptop", "2026-10-03", 52, "acme/kiln@9f3c2d1")
LOGIN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = bytes(range(32))


def words(text: str) -> set[str]:
    """What must not get lost: words and numbers of some length, whatever stands between them."""
    return set(re.findall(r"[^\W_]{3,}", clean(text)))


def taken(text: str) -> tuple[str, str]:
    """(all entries that a redacted text gives, what no entry took), each entry checked."""
    said = Redactor(KEY).redact(clean(text))
    reading = read(said)
    entries = []
    for number, block in enumerate(reading.blocks):
        topic = f"topic-{number}"
        data = apply(None, block, SOURCE, topic, {topic}, TODAY).data
        # As features.review_landing has it: what the parts give together is looked through again.
        data = mend(Redactor(KEY).redact(data.decode()).encode(), topic=topic, today=TODAY)
        check(data, topic)
        assert apply(data, block, SOURCE, topic, {topic}, TODAY).data == data
        entries += [data.decode(), block.topic]
    return "\n".join(entries), reading.leftover


def check(data: bytes, topic: str) -> None:
    """It is right, names one session, and nothing in it is markup or an order."""
    found = [one for one in problems(data, topic, topics={topic}, today=TODAY, redactor=Redactor(KEY)) if not one.is_warning]
    assert found == [], data.decode()
    entry = parse(data)
    assert entry.items[SESSION] == (SOURCE.line,)
    text = data.decode()
    assert LOGIN not in text
    for line in (entry.title, *entry.answer.split("\n"), *(item for items in entry.items.values() for item in items)):
        assert MARK in line or not speaks_to_agents(line.replace("\\", "")), line
    plain = re.sub(r"(`+)[^`]+?\1", "0", text)
    assert not re.search(r"(?<!\\)<[A-Za-z/!]|(?<!\\)!\[|\[\[(?!topic-)", plain.replace("\\[[", "")), plain
    assert len(line_of(topic, data)) < 400


def dealt(answer: Answer, dice: random.Random) -> str:
    text = mutated(answer.text, dice)
    if dice.random() < 0.3:
        lines = text.split("\n")
        lines.insert(dice.randrange(len(lines)), f"- the deploy uses token={LOGIN}")
        text = "\n".join(lines)
    return text


def run(seeds: range) -> None:
    for seed in seeds:
        dice = random.Random(seed)  # noqa: S311 - the same answers each time
        text = dealt(ANSWERS[seed % len(ANSWERS)], dice)
        entries, leftover = taken(text)
        held = words(f"{entries}\n{leftover}")
        # Headings and keys are form, and stand for themselves in the entry.
        lost = {word for word in words(Redactor(KEY).redact(clean(text))) - held if word.casefold() not in FORM}
        assert lost == set(), (seed, lost, text, entries, leftover)


FORM = frozenset(
    "answer decided blocker superseded measured open pointers session topic none title topics section content summary antwort entschieden "
    "offen gemessen réponse décisions prochaines étapes respuesta decisiones pendiente ответ решено осталось 结论 决定 待办 回答 "
    "決定事項 未解決 markdown json bash text see".split()
)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_each_answer_is_taken_as_it_was_written(answer: Answer) -> None:
    assert len(read(answer.text).blocks) == answer.blocks
    entries, _ = taken(answer.text)
    assert [fact for fact in answer.facts if fact not in entries] == []


@pytest.mark.parametrize("said", INJECTIONS)
@pytest.mark.parametrize("section", ["Answer", "Decided", "Superseded", "Open", "Pointers"])
def test_no_order_in_an_answer_is_passed_on_as_one(said: str, section: str) -> None:
    entries, leftover = taken(f"# kiln\n\n## {section}\n- {said}\n\n## Measured\n- 3 ms\n")
    assert words(said) - words(f"{entries}\n{leftover}") <= {"Session", "Answer", "Topic"}


def test_answers_that_were_changed_on_their_way() -> None:
    run(range(100))


@pytest.mark.slow
def test_a_thousand_answers_that_were_changed_on_their_way() -> None:
    run(range(100, 1100))
