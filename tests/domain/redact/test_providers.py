"""Tokens that providers issue are random: none of them is taken for an example by what is in it by chance."""

from __future__ import annotations

import random
import re

import pytest

from libtool.domain.redact import providers
from libtool.domain.redact.providers import issued
from libtool.domain.redact.rule import _ALPHABETS, _FIELD, Rule


def missed(rule: Rule, count: int, seed: int) -> list[str]:
    """Random tokens in the form of the rule's example that it does not find whole."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    template = re.split("[«»]", rule.hits[0])[1]
    out = []
    for _ in range(count):
        token = _FIELD.sub(lambda match: "".join(rng.choices(_ALPHABETS[match[1]], k=int(match[2]))), template)
        text = f"with {token} now"
        places = (at.start() for literal in rule.triggers for at in re.finditer(f"(?={re.escape(literal)})", text.lower()))
        if not any((5, 5 + len(token)) in rule.spans(text, at, at)[0] for at in places):
            out.append(token)
    return out


@pytest.mark.parametrize("rule", providers.RULES, ids=lambda rule: rule.name)
def test_random_tokens_are_found(rule: Rule) -> None:
    assert missed(rule, 100, 1) == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", providers.RULES, ids=lambda rule: rule.name)
def test_no_random_token_of_many_is_missed(rule: Rule) -> None:
    assert missed(rule, 20_000, 2) == []


@pytest.mark.parametrize("word", ["YOur", "eXample", "my1key", "t0ken", "dummY", "Here"])
def test_a_word_inside_makes_no_example_of_a_token(word: str) -> None:
    body = "q7Zp2LvX9rKd4TnB8sWc1HfJ6gMa3Ye5Ub0"
    for at in (0, 9, 36 - len(word)):
        assert issued("gh" + "p_" + (body[:at] + word + body)[:36])


@pytest.mark.parametrize(
    "body",
    [
        "yourTokenHere1234567890abcdefghij",
        "your-api-key-goes-here",
        "x" * 36,
        "0" * 36,
        "abcdefghijklmnopqrstuvwxyz0123456789",
        "1234567890" * 3,
        "aB3...",
        "replace_with_your_token",
        "q7Zp2LvX9rKd" + "e" * 12,
    ],
)
def test_examples_are_none(body: str) -> None:
    assert not issued("gh" + "p_" + body)


def test_names_behind_a_vague_prefix_are_none() -> None:
    rule = next(rule for rule in providers.RULES if rule.name == "sk")
    assert rule.check is not None
    assert not rule.check("sk" + "-some-long-component-name-here")
    assert not rule.check("sk" + "-someLongComponentNameThere")
    assert rule.check("sk" + "-" + "VpprthnRDWAJAawwzPotXGUyyhXxLWvoildN")


def test_numbers_of_a_workspace_make_no_example() -> None:
    rule = next(rule for rule in providers.RULES if rule.name == "slack")
    assert rule.check is not None
    numbers, secret = "xoxb" + "-1234567890-1234567890123-", "oHwLMeaZqo9DZDNj" + "N1GTPdVK"
    assert rule.check(numbers + secret)
    assert rule.check(numbers.removesuffix("1234567890123-") + secret)
    assert not rule.check(numbers + "abcdefghijklmnopqrstuvwx")
    assert not rule.check(numbers + "x" * 24)
    assert not rule.check(numbers + "your-token")
