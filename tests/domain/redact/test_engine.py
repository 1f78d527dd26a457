"""The laws of the engine: idempotent, total, linear, the same object when there is nothing."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.domain.redact import Redactor, engine, table
from libtool.domain.redact.fingerprints import Fingerprints
from libtool.domain.redact.folded import fold
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.places import PLACEHOLDER
from libtool.domain.redact.rule import example

KEY = bytes(range(32))
SAMPLES = [example(hit)[0] for rules in GROUPS.values() for rule in rules for hit in rule.hits]
LOGINS = [text[a:b] for rules in GROUPS.values() for rule in rules for hit in rule.hits for text, spans in [example(hit)] for a, b in spans]
LABELS = [
    "password: ",
    "pw=",
    "the password is ",
    "token: ",
    "Passwort ",
    "密码\uff1a",
    "-u bob:",
    "://a:",
    "10.0.0.1 root ",
    "creds ",
    " / ",
    "\n",
    '"',
    "\\n",
    "PIN is ",
    "@host.local",
]

anything = st.text(st.characters(codec=None))
pieces = st.lists(st.one_of(st.sampled_from(SAMPLES), st.sampled_from(LOGINS), st.sampled_from(LABELS), anything), max_size=8)
hostile = pieces.map("".join)


@given(hostile)
@settings(max_examples=300)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = Redactor(KEY).redact(text)
    assert Redactor(KEY).redact(once) is once


@given(hostile)
@settings(max_examples=100)
def test_redacting_twice_changes_nothing_inside_json_and_markdown(text: str) -> None:
    for wrapped in (json.dumps({"content": text}), json.dumps(json.dumps([text])), f"- **{text}**\n> `{text}`\n```\n{text}\n```\n"):
        once = Redactor(KEY).redact(wrapped)
        assert Redactor(KEY).redact(once) is once


@given(
    st.recursive(
        st.one_of(hostile, st.none(), st.integers()),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(hostile, inner, max_size=4)),
        max_leaves=8,
    )
)
@settings(max_examples=100)
def test_redacting_a_json_value_twice_changes_nothing(value: object) -> None:
    once = Redactor(KEY).redact_json(value)
    assert Redactor(KEY).redact_json(once) is once


@given(hostile)
@settings(max_examples=200)
def test_findings_are_in_order_and_apart_and_outside_placeholders(text: str) -> None:
    redactor = Redactor(KEY)
    findings = redactor.scan(text)
    assert all(0 <= one.start < one.end <= len(text) for one in findings)
    assert all(before.end <= after.start for before, after in pairwise(findings))
    for one in findings:
        assert PLACEHOLDER.search(text, one.start, one.end) is None
        value = text[one.start : one.end]
        folded = fold(value)
        assert one.fingerprint in {Fingerprints(KEY).of(value), Fingerprints(KEY).of(folded.text if folded else value)}
        assert redactor.found[one.fingerprint].kind == one.kind


@given(hostile)
@settings(max_examples=100)
def test_text_outside_the_findings_stays(text: str) -> None:
    redactor = Redactor(KEY)
    findings = redactor.scan(text)
    kept, at = [], 0
    for one in findings:
        kept.append(text[at : one.start])
        at = one.end
    kept.append(text[at:])
    position = 0
    for part in PLACEHOLDER.split(Redactor(KEY).redact(text)):
        position = "".join(kept).find(part, position)
        assert position >= 0


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("around", ["{}", "é\ud800 {}", "\x00\x00\n{}", "日本語\n{}\n終", "\x1b[31m\n{}"])
def test_a_login_is_found_behind_whatever_stands_before_it(sample: str, around: str) -> None:
    text = around.format(sample)
    shift = text.index(sample)
    assert [(one.start - shift, one.end - shift) for one in Redactor(KEY).scan(text)] == [
        (one.start, one.end) for one in Redactor(KEY).scan(sample)
    ]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_logins_are_found_in_encoded_json(depth: int) -> None:
    inner = "Tiger" + "4821x"
    text = json.dumps({"password": inner, "note": "DB_PASS=" + inner + "9\nend"})
    for _ in range(depth):
        text = json.dumps({"stdout": text})
    assert inner not in Redactor(KEY).redact(text)


def test_nothing_found_is_the_same_object() -> None:
    text = "The password field is required; tokens: 4127."
    assert Redactor(KEY).redact(text) is text
    assert Redactor(KEY).scan(text) == []


def test_one_login_has_one_fingerprint_under_any_rule_and_kind() -> None:
    login = "Walnut" + "4821!"
    redactor = Redactor(KEY)
    out = redactor.redact(f"password: {login}\nPIN {login}\ncurl -u bob:{login} https://x\n")
    found = PLACEHOLDER.findall(out)
    assert len(found) == 3
    assert len(set(found)) == 1
    assert redactor.found[found[0][-13:-1]].count == 3


def test_fingerprints_depend_on_the_key_and_not_on_the_unicode_form() -> None:
    composed, apart = unicodedata.normalize("NFC", "pässwort1"), unicodedata.normalize("NFD", "pässwort1")
    assert Fingerprints(KEY).of(composed) == Fingerprints(KEY).of(apart)
    assert Fingerprints(KEY).of(composed) != Fingerprints(bytes(32)).of(composed)
    assert re.fullmatch("[0-9a-f]{12}", Fingerprints(KEY).of("\ud800"))
    with pytest.raises(ValueError, match="32 bytes"):
        Fingerprints(b"short")


def test_the_fingerprint_is_the_documented_hmac() -> None:
    assert Fingerprints(KEY).of("x") == hmac.new(KEY, b"login-v1\0x", hashlib.sha256).hexdigest()[:12]


def test_a_login_met_once_is_found_without_its_context() -> None:
    login = "kX9" + "vLq2Zr7T"
    redactor = Redactor(KEY)
    assert login not in redactor.redact(f"password: {login}")
    for context in ("{}", "see {}.", "a={}", "x:{},", "({})", '"{}"', "https://h/?k={}&b=1", "bob:{}@host"):
        assert login not in redactor.redact(context.format(login)), context
    later = Redactor(KEY, known={one.fingerprint for one in redactor.found.values() if one.spreads})
    assert login not in later.redact(f"all I have is {login}!")
    assert later.found[Fingerprints(KEY).of(login)].rule == "known"


def test_a_login_met_later_is_found_in_text_seen_before() -> None:
    login = "kX9" + "vLq2Zr7T"
    redactor = Redactor(KEY, known=["0" * 12])
    assert redactor.redact(f"first {login} alone").endswith("alone")
    redactor.redact(f"password: {login}")
    assert login not in redactor.redact(f"first {login} alone")


def test_a_weak_login_does_not_spread() -> None:
    redactor = Redactor(KEY)
    assert redactor.redact("pass=summer").startswith("pass=[REDACTED:")
    assert redactor.redact("the summer was hot") == "the summer was hot"
    assert not next(iter(redactor.found.values())).spreads


def test_allowed_fingerprints_are_left_alone() -> None:
    login = "Tiger" + "4821x"
    redactor = Redactor(KEY, allow=[Fingerprints(KEY).of(login)])
    text = f"password: {login}"
    assert redactor.redact(text) is text
    assert redactor.found == {}


def test_what_a_placeholder_leaves_of_a_key_goes_too() -> None:
    lines = [example("{B64}")[0] for _ in range(2)]
    text = "\n".join(("-----BEGIN PRIVATE KEY-----", lines[0], "[REDACTED:key-0123456789ab]", lines[1], "-----END PRIVATE KEY-----", "end"))
    out = Redactor(KEY).redact(text)
    assert PLACEHOLDER.sub("", out) == "\nend"
    assert out.count("[REDACTED:") == 3
    assert "[REDACTED:key-0123456789ab]" in out


def test_spans_that_touch_are_merged_and_named_by_the_longest() -> None:
    token = "gh" + "p_" + example("{a36}")[0]
    findings = Redactor(KEY).scan(f"GITHUB_TOKEN={token} and Authorization: Bearer {token}")
    assert [one.kind for one in findings] == ["github", "github"]


HOSTILE = {
    "labels": "password ",
    "labels with colons": "password: ",
    "no spaces": "password",
    "headings": "login:\n",
    "tables": "password|x\n",
    "begin": "-----BEGIN RSA PRIVATE KEY-----",
    "begin apart": "-----BEGIN RSA PRIVATE KEY-----" + "x y " * 500,
    "end": "-----END RSA PRIVATE KEY-----\n",
    "base64 lines": example("{B64}")[0] + "\n",
    "letters": "a",
    "sk": "sk-",
    "ghp": "gh" + "p_",
    "jwt": "ey" + "J",
    "jwt dashes": "-ey" + "J",
    "urls": "http://a:",
    "at": "a:b@",
    "cookies": "cookie=aaaaaaaa;",
    "equals": "=",
    "quotes": '"',
    "backslashes": "\\",
    "addresses": "10.0.0.1 ",
    "slashes": "root / ",
    "curl": "curl -u ",
    "camel": "aB",
    "camel words": "testFooBar",
    "totp": "totp ",
    "placeholders": "[REDACTED:pw-0123456789ab]",
    "found": "password: abc123xyz9[REDACTED:pw-0123456789ab] ",
    "parens": "password ((((",
    "stars": "password" + "*" * 30,
    "kanji": "密码",
    "emoji": "\U0001f600password",
    "lone surrogate": "\ud800token=",
}


WOKEN = {
    "ssid": ("ssid", " "),
    "hotspot": ("hotspot key", "\t"),
    "words": ("secret words", "A1"),
    "pass": ("wifi pass", "w"),
    "east": ("비밀 번호", " "),
    "jwt": ("&jwt=", "a"),
}
"""What wakes a rule once, and what follows it for as long as the text is."""


@pytest.mark.parametrize(
    ("head", "unit"),
    [*(("", unit) for unit in HOSTILE.values()), *WOKEN.values()],
    ids=[*HOSTILE.keys(), *(f"{one} once" for one in WOKEN)],
)
def test_the_worst_case_is_linear(head: str, unit: str) -> None:
    def cost(size: int) -> float:
        text = head + unit * (size // len(unit))
        start = time.process_time()
        Redactor(KEY).scan(text)
        return time.process_time() - start

    small = min(cost(10_000) for _ in range(3))
    # Eight times the text: quadratic work would be 64 times, at every try. A constant term covers a loaded machine.
    assert any(cost(80_000) < 20 * small + 0.05 for _ in range(3))


def test_the_table_is_built_once() -> None:
    assert table.table() is table.table()


def test_what_one_redactor_met_another_learns() -> None:
    login = "kX9" + "vLq2Zr7T"
    first, second = Redactor(KEY, learn=False), Redactor(KEY)
    assert login not in first.redact(f"password: {login}")
    assert login in first.redact(f"all I have is {login} here")
    second.learn(first.met)
    text = f"all I have is {login} here, and [REDACTED:pw-0123456789ab]"
    assert login not in second.redact(text)
    assert second.redact_known(text) == second.redact(text)
    assert second.redact_known(f"only {login}").startswith("only [REDACTED:known-")
    assert second.redact_known("nothing of it") == "nothing of it"


@pytest.mark.parametrize("texts", [("fix/{}", "fix/{}"), ("a=fix/{}", "fix/{}"), ("see x:fix/{},", "and fix/{}", "fix/{}")])
def test_a_known_login_is_found_again_in_the_same_surroundings(texts: tuple[str, ...]) -> None:
    login = "kX9" + "vLq2Zr7T"
    redactor = Redactor(KEY, known=[Fingerprints(KEY).of(login)], learn=False)
    for text in texts:
        assert login not in redactor.redact_known(text.format(login)), text


def test_what_is_remembered_as_harmless_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libtool.domain.redact.known.REMEMBERED", 3)
    login = "kX9" + "vLq2Zr7T"
    redactor = Redactor(KEY, known=[Fingerprints(KEY).of(login)])
    for start in "abc":
        words = " ".join(f"{start}word{i}x" for i in range(5))
        assert redactor.redact(words) is words
    assert login not in redactor.redact(f"it is {login}")


def test_a_login_that_a_bound_would_cut_goes_whole() -> None:
    for text in ("curl -u bob:{} https://x", "ssh bob@nas.local ({})", 'access_token: "{}"', "token={}", "authorization: Token {}"):
        token = example("{a62}")[0] * 60
        assert len(Redactor(KEY).redact(text.format(token))) < 100, text


def test_short_clean_texts_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_REMEMBERED", 2)
    redactor = Redactor(KEY)
    for text in ("one", "two", "three", "three", "four"):
        assert redactor.redact(text) is text
    for label in ("password", "kind", "text", "other", "other", "password"):
        assert redactor.is_label(label) == (label == "password")


def test_what_was_clean_is_looked_at_again_when_a_login_is_learned() -> None:
    login = "kX9" + "vLq2Zr7T"
    redactor = Redactor(KEY)
    assert redactor.redact(login) == login
    redactor.redact(f"password: {login}")
    assert redactor.redact(login) != login


def test_many_logins_that_come_again_are_all_found() -> None:
    logins = [f"Tg{number}k{example('{a5}')[0]}{number}Q!" for number in range(20)]
    redactor = Redactor(KEY)
    redactor.redact("".join(f"password: {login}\n" for login in logins))
    out = redactor.redact("\n".join(f"and {login}, plain words" for login in logins))
    assert [login for login in logins if login in out] == []
    assert out.count(", plain words") == 20
