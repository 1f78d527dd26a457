from __future__ import annotations

import pytest

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import example
from libtool.domain.redact.values import is_id, is_name, is_placeholder, is_random, is_reference, is_wordy, plausible, strength


@pytest.mark.parametrize(
    "value",
    [
        "your-api-key",
        "<token>",
        "********",
        "changeme",
        "sk-...",
        "xxxxxxxx",
        "YOUR_API_KEY",
        "${X}",
        "[REDACTED]",
        "my_password",
        "{token}",
        "__PW__",
        "Password.",
        "Uint8Array",
        "a{x}b",
        "key=",
        "claude-code:0d1c9a77#52",
    ],
)
def test_placeholders(value: str) -> None:
    assert is_placeholder(value) or is_reference(value)
    assert not plausible(value)


@pytest.mark.parametrize(
    "value",
    [
        "$PW",
        "${{ secrets.X }}",
        "os.environ['X']",
        "vault.read(path)",
        "op://vault/item",
        "process.env.KEY",
        "data.aws.pw.value",
        "@./file",
        "!vault",
        "keypair[:32]",
        "&agent.Usage{",
        "tests.][81356]",
        "secretKeyRef",
    ],
)
def test_references(value: str) -> None:
    assert is_reference(value)


@pytest.mark.parametrize(
    "value",
    [
        "7f4a1214ab8f18ab2b0169fe0df3d9e1d657f8fc",
        "72ded6af-f6c7-43a8-acbd-28a5531211fc",
        "sha512-abc/def==",
        "toolu_015VfcW4Lo9XGpRmL3gSWzZD",
        "2026-05-17T15:21:28.437Z",
        "v1.2.3-rc.1",
        "10.0.0.1:22",
        "bob@example.org",
        "https://x.y/z",
        "src/app/main.py",
        "/usr/lib64/x",
        "C:\\Users\\bob",
        "README.md",
        "AES_256",
        "CVE-2018-0732",
    ],
)
def test_ids(value: str) -> None:
    assert is_id(value)
    assert strength(value) == 0


def test_base64_with_slashes_is_no_path() -> None:
    assert not is_id("J2jASbXq" + "skhn19Z7uKPG/z7/TJ74ALvK/RkC7Uyk")


@pytest.mark.parametrize("value", ["user_password", "getToken", "data.value", "getUserById", "HTTPServer", "naïveName", "parse_html5"])
def test_words(value: str) -> None:
    assert is_wordy(value)


@pytest.mark.parametrize("value", ["bIAIhfkvqEWIIYo", "x", "Tiger4821", "12", "a!b"])
def test_no_words(value: str) -> None:
    assert not is_wordy(value)


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("abc", 0, 0),
        ("summer", 1, 1),
        ("getToken", 1, 1),
        ("token2", 1, 1),
        ("sha256", 1, 1),
        ("rocket_river5", 2, 2),
        ("walnut5007", 2, 2),
        ("Summer&Winter", 3, 3),
        ("1234!567", 2, 2),
        ("12345", 0, 0),
        ("!!!!", 0, 0),
        ("lowercase-onlyword", 1, 1),
        ("**Overview", 1, 1),
        ("bIAIhfkvqEWIIYo", 2, 3),
        ("aBcdEfgh", 1, 2),
        ("xqzwvbnm", 1, 1),
        ("F@lc0n759", 3, 3),
    ],
)
def test_strength(value: str, least: int, most: int) -> None:
    assert least <= strength(value) <= most


def test_random_is_what_was_issued() -> None:
    assert is_random(example("{a32}")[0])
    assert not is_random("short1")
    assert not is_random("authentication-and-authorization")
    assert not is_random("a" * 20)


def test_names_of_code() -> None:
    assert is_name("ed25519.Ed25519PrivateKey")
    assert is_name("s3_disable_express_auth")
    assert not is_name("V.Nf!Vj")


def test_control_and_replacement_characters_are_no_login() -> None:
    assert not plausible("ab\x00cd12")
    assert not plausible("ab\ufffdcd12")
    assert not plausible("")


@pytest.mark.parametrize(
    "text",
    [
        "the login was decided in claude-code:3f2a9c1eXz#52, see it",
        "password (see codex:0199a3f2Qk7c1e#3) rotated",
        "creds in opencode:ses_4b7cAqZ3K9fe#12 and `pi:3f2a9c1e-77#52`",
        "login token: claude-code:3f2a9c1e07bd44c1#52",
        "- lib@825ff40 libtool/features/login_key.py",
        '- absent acme/api@9f3c2d1 "password token cron"',
        "- acme/api@9f3c2d1b deploy/password.yaml#L10-L44: the login",
        "the passwd digest:codex:0199a3f2Qk7c1e and entry:auth-rotation2 and note:/home/x/Notes9.md#L12",
    ],
)
def test_references_of_our_own_are_no_logins(text: str) -> None:
    redactor = Redactor(bytes(32))
    assert redactor.redact(text) == text
    assert not redactor.found


def test_what_only_looks_like_a_reference_is_one() -> None:
    login = "Tiger" + "4821x"
    for text in (
        f"ssh pi:{login}@nas.local",
        f"password: note:{login}",
        f"see codex:0199a3f2 password: {login}",
        f"password: {login}@9f3c2d1",
    ):
        assert login not in Redactor(bytes(32)).redact(text)
    issued = example("gh" + "p_{a36}")[0]
    assert issued not in Redactor(bytes(32)).redact(f"codex:{issued}")


def test_what_goes_on_as_a_placeholder_is_left_to_it() -> None:
    text = "the password there, kX9vLq2Zr[REDACTED:pw-3f2a9c1e07bd] was it"
    assert Redactor(bytes(32)).redact(text) == text
