"""Lines that are records: judged by their decoded strings, in one pass, at their places; what is no record as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.domain.redact.json_text import each_string, placed
from libtool.domain.redact.json_value import DEEPEST, EXACT_KEYS
from libtool.domain.redact.places import replaced
from libtool.domain.redact.records import scan_text
from libtool.domain.redact.rule import example

KEY = bytes(range(32))
LOGIN = "Tiger" + "4821x"
TOKEN = example("gh" + "p_{a36}")[0]


def redacted(text: str, *, cut: bool = False) -> str:
    return replaced(text, scan_text(Redactor(KEY), text, cut=cut))


@pytest.mark.parametrize(
    "record",
    [
        {"password": "summer"},
        {"role": "user", "content": [{"type": "text", "text": f"line\nthe password is {LOGIN}\u00e9 \U0001f600 " + '"\\'}]},
        {"cmd": ["mysql", "-uroot", "-p" + LOGIN]},
        {"pair": ["password", "summer"], "other": ["a", "b"]},
        {"name": "DB_PASSWORD", "value": "summer"},
        {f"key {TOKEN}": 1},
        {"out": json.dumps({"a": json.dumps({"password": LOGIN})})},
        {"a": LOGIN, "b": f"password: {LOGIN}"},
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_record_is_redacted_at_its_places(record: dict[str, object], ascii_only: bool) -> None:
    line = json.dumps(record, ensure_ascii=ascii_only)
    out = redacted(f"first line\n{line}\r\nlast line\n")
    for login in (LOGIN, TOKEN, "summer") if "a" not in record else ():
        assert login not in out
    assert "[REDACTED:" in out
    assert out.startswith("first line\n{")
    assert out.endswith("}\r\nlast line\n")
    assert isinstance(json.loads(out.split("\n")[1]), dict)
    assert redacted(out) == out


@pytest.mark.parametrize("key", sorted(EXACT_KEYS))
def test_what_must_stay_does_also_when_another_string_goes(key: str) -> None:
    line = json.dumps({key: f"password: {LOGIN}", "x": [f"pw: {LOGIN}z", {key: TOKEN}, "end"]})
    out = json.loads(redacted(line))
    assert out[key] == f"password: {LOGIN}"
    assert out["x"][1][key] == TOKEN
    assert out["x"][0].startswith("pw: [REDACTED:")


def test_a_key_that_comes_twice_hides_nothing() -> None:
    line = f'{{"a": "password: {LOGIN}", "a": "x"}}'
    assert LOGIN not in redacted(line)
    assert LOGIN not in redacted(f'{{"a": {{"b": "password: {LOGIN}", "b": 1}}}}')


def test_what_nests_too_deep_or_does_not_parse_is_read_as_text() -> None:
    inner = f'"password: {LOGIN}"'
    for levels in (DEEPEST + 5, 3000):
        assert LOGIN not in redacted('{"a":' * levels + inner + "}" * levels)
    assert LOGIN not in redacted('{"a":' + "[" * (DEEPEST + 5) + inner + "]" * (DEEPEST + 5) + "}")
    # As many brackets, side by side.
    assert LOGIN not in redacted('{"a":[' + "[]," * DEEPEST + inner + "]}")
    assert LOGIN not in redacted(f"{{password: {LOGIN}}}")
    assert LOGIN not in redacted(f'{{"a": {inner}')


def test_a_last_line_that_goes_on_is_left_to_the_next_time() -> None:
    text = f'password: {LOGIN}\n{{"password": "{LOGIN}", "b'
    assert redacted(text).count(LOGIN) == 0
    assert redacted(text, cut=True).endswith(f'\n{{"password": "{LOGIN}", "b')
    assert redacted(f"{{}}\npassword: {LOGIN}", cut=True).count(LOGIN) == 0


def test_a_record_is_not_read_again_until_a_login_in_it_is_known() -> None:
    redactor = Redactor(KEY)
    word = "kT9" + "vX2mQ7zLp4"
    first, second = json.dumps({"a": f"see {word} there"}), json.dumps({"b": f"password: {word}"})
    assert scan_text(redactor, first) == []
    assert redactor.is_clean(first)
    found = scan_text(redactor, f"{first}\n{second}")
    assert len(found) == 1
    assert not redactor.is_clean(first)
    assert len(scan_text(redactor, f"{first}\n{second}")) == 2


def test_the_text_around_records_is_looked_at_as_it_stands() -> None:
    text = f'{{"a": 1}}\npassword:\n{LOGIN}\n{{"b": 2}}\n\npw: {LOGIN}9\n{{"c": 3}}'
    out = redacted(text)
    assert LOGIN not in out
    assert out.count("[REDACTED:") == 2
    assert redacted("") == ""


@given(st.text(), st.text(), st.integers(0, 3))
def test_places_are_those_of_the_encoded_string(before: str, behind: str, levels: int) -> None:
    value = before + LOGIN + behind
    line = json.dumps({"k": value}, ensure_ascii=levels % 2 == 0)
    ((start, end),) = [(a, b) for a, b, text in each_string(line) if text == value and a > 2]
    finding = Redactor(KEY).scan(f"password: {LOGIN}")[0].at(len(before), len(before) + len(LOGIN))
    (there,) = placed([finding], line, start, end)
    assert json.loads(f'"{line[there.start : there.end]}"', strict=False) == LOGIN


@given(
    st.lists(
        st.one_of(
            st.dictionaries(st.text(max_size=9), st.one_of(st.text(), st.just(f"password: {LOGIN}"), st.lists(st.text()))).map(json.dumps),
            st.text(alphabet='ab {}[]"\\:,\n'),
            st.just(f"the password is {LOGIN}"),
        ),
        max_size=6,
    )
)
def test_lines_of_all_kinds_lose_their_logins_and_nothing_more_the_second_time(lines: list[str]) -> None:
    text = "\n".join(lines)
    redactor = Redactor(KEY, learn=False)
    out = text
    while found := scan_text(redactor, out):
        out = replaced(out, found)
    assert f"password: {LOGIN}" not in out
    assert f"password is {LOGIN}" not in out
    assert scan_text(Redactor(KEY, learn=False), out) == []
