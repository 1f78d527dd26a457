"""Logins known by value or by fingerprint: found as pieces of tokens, by one pass however many there are, and cheap to learn."""

from __future__ import annotations

import json
import random
import string
from io import BytesIO
from typing import TYPE_CHECKING

from libtool.domain.redact import Redactor, table, triggers
from libtool.domain.redact.fingerprints import Fingerprints
from libtool.domain.redact.known import KnownLogins
from libtool.features import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

KEY = bytes(range(32))


def logins(count: int) -> list[str]:
    rng = random.Random(3)  # noqa: S311 - not for secrets
    return ["".join(rng.choices(string.ascii_letters + string.digits, k=12)) + "a1B" for _ in range(count)]


def test_a_login_met_is_a_piece_of_a_token_and_not_of_a_longer_word() -> None:
    (login,) = logins(1)
    met = KnownLogins(Fingerprints(KEY), {})
    met.add(login, Fingerprints(KEY).of(login))
    text = f"some other tokens, then user:{login}@host and x{login} or {login}"
    # Known to be in the text, it goes wherever it stands.
    assert len(list(met.spans(text))) == text.count(login)
    assert list(met.spans(f"only x{login}")) == []
    assert list(met.spans("nothing of it")) == []


def test_many_logins_are_learned_without_an_automaton_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    make = triggers.GrowingFinder

    def counted(literals: Sequence[bytes]) -> object:
        built.append(len(literals))
        return make(literals)

    monkeypatch.setattr("libtool.domain.redact.known.GrowingFinder", counted)
    secrets = logins(600)
    lines = [json.dumps({"text": f"the password of box {place} is {login}"}) for place, login in enumerate(secrets)]
    out: list[bytes] = []
    met = redact.stream(Redactor(KEY), BytesIO("\n".join(lines).encode()), out.append)
    assert len(met) == 600
    assert not [login for login in secrets if login.encode() in b"".join(out)]
    # What is built altogether stays in proportion to how many there are.
    assert sum(built) < 10 * len(secrets)


def test_what_was_clean_is_asked_for_a_new_login_alone() -> None:
    redactor = Redactor(KEY)
    first, *others = logins(12)
    texts = [f"nothing in text {place}" for place in range(50)]
    assert redactor.prepare(texts)
    redactor.redact(f"password: {first}")
    assert all(map(redactor.is_clean, texts))
    assert redactor.redact(f"see {first}") == f"see {Redactor(KEY).redact(f'password: {first}').removeprefix('password: ')}"
    for login in others:
        redactor.redact(f"password: {login}")
    # Too many to ask for one by one: all is looked at anew.
    assert redactor.redact(texts[0]) == texts[0]
    assert redactor.prepare(texts)


def test_a_batch_after_a_new_login_finds_it_in_what_was_clean() -> None:
    redactor = Redactor(KEY)
    (login,) = logins(1)
    texts = [f"it was {login} then", "and nothing here", "x" * 200]
    assert redactor.prepare(texts)
    redactor.redact(f"password: {login}")
    assert not redactor.prepare(texts)
    assert login not in "".join(redactor.redact_all(texts))


def test_the_kind_is_that_of_the_store_or_of_the_one_who_met_it() -> None:
    (login,) = logins(1)
    mark = Fingerprints(KEY).of(login)
    assert Redactor(KEY, {mark: "own"}).redact_known(login) == f"[REDACTED:own-{mark}]"
    redactor = Redactor(KEY, learn=False)
    redactor.learn({login: mark}, {mark: "pw"})
    assert redactor.redact_known_all(["x", login, "y"]) == ["x", f"[REDACTED:pw-{mark}]", "y"]
    assert Redactor(KEY).redact_known_all(["x"]) == ["x"]


def test_labels_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_REMEMBERED", 1)
    redactor = Redactor(KEY)
    assert [redactor.is_label(key) for key in ("password", "title", "password", "value", "path", "monkey")] == [
        True,
        False,
        True,
        True,
        False,
        True,
    ]


def test_a_heading_that_only_ends_as_a_label_heads_no_logins() -> None:
    (login,) = logins(1)
    text = f"| a | monkey |\n|---|---|\n| b | {login} |\n"
    assert Redactor(KEY).redact(text) == text
    assert login not in Redactor(KEY).redact(text.replace("monkey", "api key"))


def test_what_looks_like_a_pair_or_a_label_and_is_none() -> None:
    (login,) = logins(1)
    for text in (f"Zorb / {login}", f"    pass\n{login}\n"):
        assert Redactor(KEY).redact(text) == text


def test_public_ids_are_no_known_logins() -> None:
    login = "Walnut" + "4711x"
    known = KnownLogins(Fingerprints(KEY), {Fingerprints(KEY).of(login): ""})
    text = f"toolu_01AbCdEfGh2345 of 2026-10-03T10:00:00Z holds {login}, says req_9zYxWv"
    assert [text[a:b] for a, b in known.spans(text)] == [login]
