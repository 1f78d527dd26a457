"""Many texts at once: the same as one by one, and most of them never looked at."""

# ruff: noqa: RUF001 - letters of other alphabets are what is tested

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.domain.redact import Finding, Redactor, engine
from libtool.domain.redact.fingerprints import Fingerprints
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.rule import Rule, Span, example

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.redact.table import Awake

KEY = bytes(range(32))
SAMPLES = [example(hit)[0] for rules in GROUPS.values() for rule in rules for hit in rule.hits]
LOGIN = "kX9" + "vLq2Zr7T"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

texts = st.one_of(
    st.sampled_from(SAMPLES),
    st.sampled_from(
        ["plain", "", LOGIN, f"it is {LOGIN}", json.dumps({"a": f"x\npassword: {LOGIN}"}), "pa\u00adssword: Tiger4711", "\0\n\0"]
    ),
    st.text(st.characters(codec=None), max_size=30),
)


@given(st.lists(texts, max_size=8), st.booleans(), st.booleans())
@settings(max_examples=200)
def test_many_at_once_are_as_one_by_one(several: list[str], learn: bool, known: bool) -> None:
    logins = [Fingerprints(KEY).of(LOGIN)] if known else []
    one, many = Redactor(KEY, logins, learn=learn), Redactor(KEY, logins, learn=learn)
    assert many.redact_all(several) == [one.redact(text) for text in several]
    assert many.redact_known_all(several) == [one.redact_known(text) for text in several]


def test_what_holds_nothing_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    redactor = Redactor(KEY, learn=False)
    look = redactor.look

    def noted(text: str) -> list[Finding]:
        looked.append(text)
        return look(text)

    monkeypatch.setattr(redactor, "look", noted)
    long = "nothing of the kind, " * 20
    assert redactor.redact_all(["one", long, "password: Tiger4711"])[:2] == ["one", long]
    assert "one" not in looked
    assert long not in looked
    assert redactor.is_clean(long)
    assert redactor.prepare(["two", long])
    assert not redactor.prepare(["two", "the password is Tiger4711"])


def test_a_key_without_its_ends_is_found_among_others() -> None:
    lines = f"{BODY}\n{BODY[::-1]}+\n{BODY}/\n"
    assert Redactor(KEY).redact_all(["words", f"cut:\n{lines}\n"])[1].startswith("cut:\n[REDACTED:key-")


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_REMEMBERED", 2)
    redactor = Redactor(KEY)
    for number in range(6):
        assert redactor.prepare([f"text {number}"])
    assert len(redactor._clean) <= 3


def test_a_record_without_logins_is_given_back_and_one_that_is_too_deep_is_cut() -> None:
    redactor = Redactor(KEY)
    record = {"a": ["x", {"b": "y", "image": "data:image/png;base64,AAAA"}, 1, None], "signature": f"password: {LOGIN}"}
    assert redactor.redact_json(record) is record
    deep: object = "x"
    for _ in range(300):
        deep = [deep]
    assert redactor.redact_json(deep) != deep


def test_a_kind_may_come_with_what_is_known() -> None:
    fingerprint = Fingerprints(KEY).of(LOGIN)
    for known, kind in (
        ({fingerprint: "aws"}, "aws"),
        ({fingerprint: ""}, "known"),
        ({fingerprint: "No Kind!"}, "known"),
        ([fingerprint], "known"),
    ):
        assert Redactor(KEY, known).redact(f"all: {LOGIN}") == f"all: [REDACTED:{kind}-{fingerprint}]"
        assert Redactor(KEY, known).redact_known(f"all: {LOGIN}") == f"all: [REDACTED:{kind}-{fingerprint}]"


@pytest.mark.parametrize("phrase", ["pepper lantern cobalt meadow", "pepper-lantern-cobalt-meadow"])
def test_a_passphrase_is_found_again(phrase: str) -> None:
    redactor = Redactor(KEY)
    redactor.redact(f'passphrase: "{phrase}"')
    for text in (f"so {phrase} it was", f'"{phrase}"', f"word: {phrase}\n"):
        assert (phrase in redactor.redact(text)) == (" " not in phrase), text


def test_a_passphrase_of_an_earlier_run_is_found_where_it_is_marked_off() -> None:
    phrase = "pepper lantern cobalt meadow"
    known = {Fingerprints(KEY).of(phrase): "phrase"}
    for text in (f"`{phrase}`", f"{phrase}", f"a: {phrase}.\nb", f"x\n  {phrase}\ny"):
        assert phrase not in Redactor(KEY, known).redact(text), text
    assert Redactor(KEY, known).redact(f"x{phrase} or {phrase}y") == f"x{phrase} or {phrase}y"


@pytest.mark.parametrize("login", ["Straßen!7x4Q", "пароли42!Дом"])
def test_a_login_beyond_ascii_is_found_again(login: str) -> None:
    redactor = Redactor(KEY)
    redactor.redact(f'password: "{login}"')
    assert redactor.found[Fingerprints(KEY).of(login)].spreads
    assert login not in redactor.redact(f"all I have is {login}, you see")
    assert login not in Redactor(KEY, [Fingerprints(KEY).of(login)]).redact(f"all I have is {login}, you see")


def test_what_must_stay_stays_in_a_record_with_a_login() -> None:
    record = {"signature": f"password: {LOGIN}", "text": "the password is Tiger4711"}
    redacted = Redactor(KEY, learn=False).redact_json(record)
    assert isinstance(redacted, dict)
    assert redacted["signature"] == record["signature"]
    assert "Tiger4711" not in redacted["text"]


def test_findings_are_values() -> None:
    one, other = (Redactor(KEY).scan("the password is Tiger4711")[0] for _ in range(2))
    assert one == other
    assert len({one, other, one.at(0, 9)}) == 2
    assert "Tiger4711" not in repr(one)
    assert repr(one).startswith("Finding(")
    assert Redactor(KEY).fingerprint("Tiger4711") == one.fingerprint


def test_a_passphrase_is_no_part_of_longer_words() -> None:
    phrase = "pepper lantern cobalt meadow"
    redactor = Redactor(KEY)
    redactor.redact(f'passphrase: "{phrase}"')
    assert redactor.redact(f"x{phrase} and {phrase}s") == f"x{phrase} and {phrase}s"


HOSTILE = ("password ", "token: ", "pw=a1 ", "router admin ", "insert into t (password) values ", '{"a": "\\n', "key\n", "use x9 as pass ")


@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_the_text_is_at_most_twice_the_work(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    spans = Rule.spans

    def counted(rule: Rule, text: str, start: int, end: int) -> tuple[list[Span], int]:
        nonlocal asked
        asked += 1
        return spans(rule, text, start, end)

    monkeypatch.setattr(Rule, "spans", counted)
    work = []
    for times in (200, 400):
        asked = 0
        Redactor(KEY).scan(unit * times)
        work.append(asked)
    assert work[1] <= 2 * work[0] + 20


def test_a_plain_string_beside_a_blob_is_read_as_it_stands() -> None:
    line = json.dumps({"data": "x", "plain": "words", "text": "a\npassword: Tiger4711"})
    assert "Tiger4711" not in Redactor(KEY).redact(line)


def counted(redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are searched for triggers from now on."""
    searched: list[str] = []
    awake = redactor._awake

    def noted(text: str) -> list[Awake]:
        searched.append(text)
        return awake(text)

    monkeypatch.setattr(redactor, "_awake", noted)
    return searched


def test_an_encoded_string_does_not_undo_what_was_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = Redactor(KEY, learn=False)
    encoded = json.dumps({"a": 'x\n"password": Tiger4711'})
    long, said = "nothing of the kind, " * 20, "the password is Tiger4711"
    assert not redactor.prepare([encoded, long, said])
    searched = counted(redactor, monkeypatch)
    assert "[REDACTED:" in redactor.redact(encoded)
    assert redactor.is_clean(long)
    searched.clear()
    assert "[REDACTED:" in redactor.redact(said)
    assert said not in searched


def test_what_is_kept_for_encoded_strings_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_NESTED", 30)
    redactor = Redactor(KEY)
    long = "nothing of the kind, " * 20
    assert redactor.prepare([long])
    assert redactor.prepare(["y" * 20], inner=True)
    assert redactor.is_clean(long)
    assert redactor.prepare(["z" * 20], inner=True)
    assert not redactor.is_clean(long)


def test_a_login_that_is_learned_is_found_in_what_was_prepared() -> None:
    redactor = Redactor(KEY)
    said, bare, other, odd = f"password: {LOGIN}", f"{LOGIN} " * 30, f"{LOGIN} and the pw is Tiger4711x", f"\u200b {LOGIN} pa\u00adssword"
    redactor.prepare([said, bare, other, odd, "nothing"])
    assert redactor.is_clean(bare)
    redactor.redact(said)
    assert not redactor.is_clean(bare)
    assert redactor.is_clean("nothing")
    for text in (bare, other, odd):
        assert LOGIN not in redactor.redact(text)
