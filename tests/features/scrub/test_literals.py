"""Logins out of JSON as it stands in a file: what is said changes where a login is, what is written elsewhere does not."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.features.scrub.literals import applied, decoded, edits, respelled, values
from tests.features.scrub.staged import TOKEN, token

KEY = bytes(range(32))
LOGIN = token("one")
TEXTS = st.text(max_size=12) | st.sampled_from(
    [LOGIN, f"my token is {LOGIN}, keep it", f"\ud83d{LOGIN}", f"é\n{LOGIN}\U0001f600 and {token('two')}"]
)
JSON = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def never(_key: str, _text: str) -> bool:
    return False


def cleaned(text: str) -> str:
    redactor = Redactor(KEY, learn=False)
    out, at = "", 0
    for place in values(text):
        inside = [one._replace(start=one.start - place.start, end=one.end - place.start) for one in edits(text, place, redactor, never)]
        out += text[at : place.start] + applied(text[place.start : place.end], inside)
        at = place.end
    return out + text[at:]


def spelled(value: Any, seed: int) -> str:
    """The value as JSON, each character of its strings in one of the ways in which it may be written."""
    choice = random.Random(seed)  # noqa: S311 - test data

    def string(match: re.Match[str]) -> str:
        out = []
        for letter in json.loads(match[0]):
            plain = json.dumps(letter, ensure_ascii=False)[1:-1]
            code = json.dumps(letter)[1:-1] if ord(letter) > 127 else f"\\u{ord(letter):04x}"
            ways = [plain, code, code.upper().replace("\\U", "\\u")] if not 0xD800 <= ord(letter) < 0xE000 else [code]
            out.append(choice.choice([*ways, "\\/"] if letter == "/" else ways))
        return '"' + "".join(out) + '"'

    blank = choice.choice(["", " ", "\n", " \t\r\n"])
    loose = re.sub(r'("(?:[^"\\]|\\.)*")|([,:{}\[\]])', lambda match: match[1] or match[2] + blank, json.dumps(value))
    return re.sub(r'"(?:[^"\\]|\\.)*"', string, loose)


@given(JSON.filter(lambda value: isinstance(value, (dict, list))), st.integers())
def test_what_is_said_is_what_the_redactor_makes_of_it(value: Any, seed: int) -> None:
    text = spelled(value, seed)
    value = json.loads(text)
    assert json.loads(cleaned(text)) == Redactor(KEY, learn=False).redact_json(value)


@given(JSON.filter(lambda value: isinstance(value, (dict, list))), st.integers())
def test_literals_without_a_login_keep_their_bytes(value: Any, seed: int) -> None:
    text = spelled(value, seed)
    new = cleaned(text)
    literal = re.compile(r'"(?:[^"\\]|\\.)*"')
    before, after = literal.findall(text), literal.findall(new)
    assert literal.sub("", text) == literal.sub("", new)
    assert [b for a, b in zip(before, after, strict=True) if not TOKEN.search(json.loads(a))] == [
        a for a in before if not TOKEN.search(json.loads(a))
    ]


@given(st.text(), st.integers(), st.text())
def test_a_literal_says_what_it_is_to_say(old: str, seed: int, new: str) -> None:
    raw = spelled([old], seed)
    raw = raw[raw.index('"') + 1 : raw.rindex('"')]
    assert decoded(respelled(raw, new)) == new


def test_a_literal_keeps_its_spelling_around_the_login() -> None:
    mark = "[REDACTED:x-0123456789ab]"
    assert respelled("\\u0061\\/x \\ud83d\\ude00 tail\\n", f"a/{mark} \U0001f600 {mark}\n") == f"\\u0061\\/{mark} \\ud83d\\ude00 {mark}\\n"
    assert respelled("plain secret", f"plain {mark}") == f"plain {mark}"
    assert respelled("same", "same") == "same"


@pytest.mark.parametrize(
    "new", ["b[REDACTED:x-0123456789ab]", "a[REDACTED:x-0123456789ab]q[REDACTED:x-0123456789ab]", "aa[REDACTED:x-0123456789ab]aa", "other"]
)
def test_a_text_that_is_made_otherwise_is_written_anew(new: str) -> None:
    assert decoded(respelled("a\\u0061a", new)) == new
    assert decoded(respelled("aaa", new)) == new


def test_values_glued_cut_and_marked() -> None:
    text = f'\ufeff{{"a": "{LOGIN}"}}{{"b": ["{LOGIN}"]}} cut {{"c": "{{"d": "{LOGIN}"}} [1] 7'
    assert [text[one.start : one.end] for one in values(text)] == [
        f'{{"a": "{LOGIN}"}}',
        f'{{"b": ["{LOGIN}"]}}',
        f'{{"d": "{LOGIN}"}}',
        "[1]",
    ]
    assert not TOKEN.search(cleaned(text))
    assert list(values('{"' * 1000)) == []
    assert list(values("")) == []


def test_a_key_that_comes_twice_hides_no_login() -> None:
    new = cleaned(f'{{"a": "{LOGIN}", "a": {{"x": 1}}, "b": "{LOGIN}", "b": "kept"}}')
    assert not TOKEN.search(new)
    assert json.loads(new) == {"a": {"x": 1}, "b": "kept"}
    assert cleaned('{"a": 1, "a": 2}') == '{"a": 1, "a": 2}'


def test_a_login_in_a_key() -> None:
    assert not TOKEN.search(cleaned(f'{{"\\u0078 {LOGIN}": 1}}'))
    assert cleaned(f'{{"\\u0078 {LOGIN}": 1}}').startswith('{"\\u0078 [REDACTED:')


def test_what_lies_deeper_than_the_redactor_looks() -> None:
    text = '{"a":' * 250 + f'["{LOGIN}", 1, null]' + "}" * 250
    new = cleaned(text)
    assert not TOKEN.search(new)
    assert new.replace("[REDACTED:", "").count("[") == 1
    assert new.startswith('{"a":' * 250)


def test_what_is_nested_too_deep_to_be_read_is_no_value() -> None:
    assert list(values("[" * 100_000 + "]" * 100_000)) == []
