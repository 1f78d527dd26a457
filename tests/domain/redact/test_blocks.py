"""Keys that arrive without one of their ends, or with nothing but lines."""

from __future__ import annotations

import pytest

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import example

KEY = bytes(32)


def lines(count: int, mark: str = "\n", indent: str = "") -> str:
    return mark.join(indent + example(f"{{B{64 if i + 1 < count else 40}}}")[0] for i in range(count))


def rest(text: str) -> str:
    """The text with placeholders shown as #."""
    redacted = Redactor(KEY).redact(text)
    out = redacted
    while "[REDACTED:" in out:
        start = out.index("[REDACTED:")
        out = out[:start] + "#" + out[out.index("]", start) + 1 :]
    return out


@pytest.mark.parametrize("mark", ["\n", "\\n", "\r\n"])
@pytest.mark.parametrize("indent", ["", "    ", "> ", "+"])
@pytest.mark.parametrize("kind", ["RSA ", "", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_a_whole_key(mark: str, indent: str, kind: str) -> None:
    key = f"-----BEGIN {kind}PRIVATE KEY-----{mark}{lines(3, mark, indent)}{mark}{indent}-----END {kind}PRIVATE KEY-----"
    assert rest(f"before {key}{mark}after") == f"before #{mark}after"


@pytest.mark.parametrize("mark", ["\n", "\\n"])
def test_a_key_without_its_end(mark: str) -> None:
    assert rest(f"x -----BEGIN RSA PRIVATE KEY-----{mark}{lines(3, mark)}") == "x #"
    assert rest(f"x -----BEGIN RSA PRIVATE KEY-----{mark}{lines(3, mark)}{mark}{mark}and then words") == f"x #{mark}{mark}and then words"


def test_a_key_that_is_cut_inside_a_line() -> None:
    assert rest("-----BEGIN PRIVATE KEY-----\n" + lines(2) + "\n" + "Ab3+") == "#"


@pytest.mark.parametrize("mark", ["\n", "\\n"])
def test_a_key_without_its_begin(mark: str) -> None:
    assert rest(f"the words{mark}{mark}{lines(3, mark)}{mark}-----END RSA PRIVATE KEY-----") == f"the words{mark}{mark}#"
    assert rest(f"{lines(3, mark)}{mark}-----END RSA PRIVATE KEY-----{mark}x") == f"#{mark}x"


def test_headers_and_checksums_belong_to_the_key() -> None:
    key = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n{lines(2)}\n=abcd\n-----END RSA PRIVATE KEY-----"
    assert rest(f"cut\n\n{key}\n") == "cut\n\n#\n" or rest(f"cut\n{key}\n") == "cut\n#\n"


@pytest.mark.parametrize("mark", ["\n", "\\n"])
def test_three_lines_of_key_with_neither_end(mark: str) -> None:
    assert rest(f"cut{mark}{lines(4, mark)}{mark}x y") == f"cut{mark}#{mark}x y"
    assert rest(lines(4, mark)) == "#"


@pytest.mark.parametrize(
    "text",
    [
        "one line\n" + lines(1) + "\nand words",
        "a certificate\n-----BEGIN CERTIFICATE-----\n" + lines(4) + "\n-----END CERTIFICATE-----\n",
        "-----BEGIN PUBLIC KEY-----\n" + lines(4) + "\n-----END PUBLIC KEY-----\n",
        lines(4) + "\n-----END CERTIFICATE-----\n",
        'the "Certificate":\n' + lines(4) + "\n",
        "\n".join(example("{x64}")[0] for _ in range(5)),
        "\n".join("a" * 70 for _ in range(5)),
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
        'between "-----BEGIN RSA PRIVATE KEY-----" and\n "-----END RSA PRIVATE KEY-----" lines',
        "-----END RSA PRIVATE KEY-----",
        "words that are here\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN SOMETHING-----",
        "---- BEGIN",
        "---- END",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    assert Redactor(KEY).redact(text) is text


def test_a_header_and_an_empty_line_before_a_key_without_its_end() -> None:
    assert rest("-----BEGIN RSA PRIVATE KEY-----\n\n" + lines(3) + "\n\nx y z") == "#\n\nx y z"
    assert rest("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + lines(3)) == "#"


def test_two_keys_one_without_end() -> None:
    first = "-----BEGIN RSA PRIVATE KEY-----\n" + lines(2)
    second = "-----BEGIN EC PRIVATE KEY-----\n" + lines(2) + "\n-----END EC PRIVATE KEY-----"
    assert rest(f"{first}\n\n{second}\n") == "#\n\n#\n"


def test_a_private_key_of_a_longer_margin_is_found_by_its_lines() -> None:
    text = "x\n" + lines(5) + "\n-----BEGIN CERTIFICATE-----\n"
    assert Redactor(KEY).redact(text) is text
    assert rest("PRIVATE\n\n" + lines(5) + "\n") == "PRIVATE\n\n#\n"
