"""JSON as values and as text: context of keys and commands, exact parts, other bytes unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Finding, Redactor
from libtool.domain.redact.engine import PLACEHOLDER
from libtool.domain.redact.json_text import DEEPEST, apart, looks_like_json, scan_json
from libtool.domain.redact.json_value import DEEPEST as DEEPEST_VALUE
from libtool.domain.redact.rule import example

KEY = bytes(32)
LOGIN = "Tiger" + "4821x"
TOKEN = example("gh" + "p_{a36}")[0]


def redacted(value: object) -> object:
    return Redactor(KEY).redact_json(value)


def as_text(text: str) -> str:
    """The text with what `scan_json` finds replaced."""
    out, at = "", 0
    for one in scan_json(Redactor(KEY), text):
        out += text[at : one.start] + one.placeholder
        at = one.end
    return out + text[at:]


@pytest.mark.parametrize(
    "value",
    [
        {"password": "summer"},
        {"name": "DB_PASSWORD", "value": "wintertime"},
        {"Key": "ApiToken", "Value": example("{a32}")[0]},
        {"args": ["sshpass", "-p", LOGIN, "ssh", "a@b"]},
        ["mysql", "-uroot", "-p" + LOGIN],
        {"a": [{"b": {"c": f"the password is {LOGIN}"}}]},
        {f"key of {TOKEN}": 1},
        json.dumps({"password": LOGIN}),
        {"out": json.dumps({"out": json.dumps({"password": LOGIN})})},
    ],
)
def test_logins_in_values(value: object) -> None:
    text = json.dumps(redacted(value))
    assert PLACEHOLDER.search(text)
    for login in (LOGIN, TOKEN, "summer", "wintertime", example("{a32}")[0]):
        assert login not in text


def test_what_must_stay_byte_for_byte() -> None:
    blob = example("{B400}")[0]
    value = {
        "signature": "x " + TOKEN,
        "encrypted_content": TOKEN,
        "source": {"type": "base64", "data": blob + TOKEN},
        "url": "data:image/png;base64," + blob + TOKEN,
        "n": 1,
        "t": None,
        "l": [1, 2.5, True],
    }
    assert redacted(value) is value
    assert redacted({"type": "text", "data": TOKEN}) != {"type": "text", "data": TOKEN}


def test_what_is_clean_is_the_same_object() -> None:
    inner = {"a": ["b", "-c", 3], "long": "x " * 300, "quotes": "\"'`", "": "y"}
    value = {"dirty": TOKEN, "clean": inner}
    out = redacted(value)
    assert isinstance(out, dict)
    assert out["clean"] is inner
    assert redacted(inner) is inner


def test_what_lies_too_deep_is_dropped() -> None:
    value: object = TOKEN
    for _ in range(DEEPEST_VALUE + 5):
        value = [value]
    assert TOKEN not in json.dumps(redacted(value))
    assert "null" in json.dumps(redacted(value))


@pytest.mark.parametrize("line", ['{"a": 1}', " [1]\n", '"a \\n b"'])
def test_json_is_known_by_its_ends(line: str) -> None:
    assert looks_like_json(line)
    assert not looks_like_json("x" + line)
    assert not looks_like_json(line + "x")


@pytest.mark.parametrize(
    "encode", [json.dumps, lambda value: json.dumps(value, ensure_ascii=False), lambda value: json.dumps(value, indent=1)]
)
def test_every_other_byte_of_json_text_stays(encode: object) -> None:
    assert callable(encode)
    text = encode(
        {"é\U0001f600": ["a\tb", f"line\nDB_PASSWORD={LOGIN}\n\u2028é\U0001f600 end"], "signature": f"password: {LOGIN}", "n": 1e5}
    )
    out = as_text(text)
    place = out.index("[REDACTED:")
    assert out[:place] + LOGIN + out[out.index("]", place) + 1 :] == text
    assert json.loads(out)["signature"] == f"password: {LOGIN}"


def test_text_that_is_encoded_several_times() -> None:
    text = json.dumps({"x": f'password: "{LOGIN}"\nnext'})
    for _ in range(DEEPEST + 1):
        text = json.dumps({"y": text})
    out = as_text(text)
    assert LOGIN not in out
    json.loads(out)


def test_a_string_that_does_not_decode_is_read_as_it_stands() -> None:
    assert LOGIN not in as_text('{"x": "\\q password: ' + LOGIN + '"}')


def test_blobs_are_no_places_for_logins() -> None:
    text = '{"data": "' + example("{B300}")[0] + '", "b": "\\n"}'
    assert as_text(text) == text


@given(
    st.recursive(
        st.one_of(st.text(), st.just(f"\npassword: {LOGIN}\n"), st.integers()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
        max_leaves=6,
    )
)
def test_json_text_stays_json(value: object) -> None:
    text = json.dumps(value)
    out = as_text(text)
    json.loads(out)
    assert LOGIN not in out


def test_findings_that_overlap_become_one_named_by_the_first_given() -> None:
    def one(start: int, end: int, rule: str) -> Finding:
        return Finding(start, end, "pw", "0" * 12, rule)

    merged = apart([one(5, 9, "first"), one(1, 6, "second"), one(8, 12, "third"), one(20, 21, "apart")])
    assert [(f.start, f.end, f.rule) for f in merged] == [(1, 12, "first"), (20, 21, "apart")]
    assert [f.rule for f in apart([one(1, 6, "first"), one(5, 9, "second")])] == ["first"]
