"""Private keys in text form: whole blocks, also escaped for JSON, indented, cut at either end; JSON web tokens and password hashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.domain.redact.providers import issued
from libtool.domain.redact.rule import START, Rule, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 64 << 10
"""Longest block that is taken as one, in characters; an OpenSSH or PGP key is smaller."""

# A line break as it stands, or escaped once or more times; indentation, comment signs and quotes of source code around it.
_BREAK = r"(?:\\{0,8}[rn]|[ \t\r\n\"'`+>|#*,;]|//|\\)"
_BODY = re.compile(rf"(?:{_BREAK}{{1,60}}(?:[A-Za-z0-9+/=]{{4,}}|[A-Z][A-Za-z-]+: [^\n\\]{{1,80}})){{1,2000}}")
_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}")
_TAIL = re.compile(rf"(?:[A-Za-z0-9+/=]{{4,}}{_BREAK}{{1,60}}){{1,2000}}\Z")
_LINE = r"[ \t]{0,40}[A-Za-z0-9+/]{60,80}={0,2}"
_EOL = r"(?:\r?\n|\\r\\n|\\n)"
_INNER = (re.compile(rf"\n{_LINE}\r?\n"), re.compile(rf"\\n{_LINE}\\(?:r\\)?n"))
_RUN = re.compile(rf"{_LINE}{_EOL}(?:{_LINE}{_EOL}){{1,2000}}[ \t]{{0,40}}[A-Za-z0-9+/]{{1,80}}={{0,2}}")
_BEFORE = re.compile(rf"{_LINE}(?:\r|\\r)?\Z")
_MARK = re.compile(r"-----(?:BEGIN|END) ([A-Z0-9 ]{1,40})-----")
_PUTTY = re.compile(r"PuTTY-User-Key-File-\d: [^\n]{1,60}\n(?:[^\n]{0,200}\n){1,80}?Private-MAC: [0-9a-f]+")


def _block(text: str, start: int, _end: int) -> Iterator[Span]:
    begin = _BEGIN.match(text, start)
    if begin is None:
        return
    end = _END.search(text, begin.end(), begin.end() + LONGEST)
    again = _BEGIN.search(text, begin.end(), end.start() if end else begin.end() + LONGEST)
    if end is not None and again is None:
        if end.start() - begin.end() > 20 and "..." not in text[begin.end() : begin.end() + 40]:
            yield start, end.end()
        return
    body = _BODY.match(text, begin.end(), begin.end() + LONGEST)
    if body is not None and len(body[0]) > 40:
        yield start, body.end()


def _headless(text: str, start: int, _end: int) -> Iterator[Span]:
    end = _END.match(text, start)
    if end is None:
        return
    body = _TAIL.search(text, max(0, start - LONGEST, text.rfind("-----", 0, start)), start)
    if body is not None and len(body[0]) > 40:
        yield body.start(), end.end()


def key_lines(text: str) -> Iterator[Span]:
    """Runs of at least three lines of base64 with neither BEGIN nor END in sight: what is left of a key when its ends were cut off.

    Certificates and public keys keep their marks, or have them next to the run.
    """
    for inner in _INNER:
        upto = 0
        for seen in inner.finditer(text):
            if seen.start() < upto:
                continue
            first = _BEFORE.search(text, max(0, seen.start() - 140), seen.start())
            run = _RUN.match(text, first.start() if first else seen.start() + (1 if seen[0][0] == "\n" else 2))
            if run is not None:
                upto = run.end()
                if _is_key(text, run):
                    yield run.span()


def _is_key(text: str, run: re.Match[str]) -> bool:
    """Three lines or more, varied as key material is, and no mark of a certificate or public key at either end."""
    body = run[0]
    if body.count("\n") + body.count("\\n") < 2 or not all(re.search(one, body) for one in ("[+/]", "[0-9]", "[g-z]", "[A-Z]")):
        return False
    if (
        re.search("(?i)certificate|public", text[max(0, run.start() - 120) : run.start()])
        and "PRIVATE" not in text[max(0, run.start() - 120) : run.start()]
    ):
        return False
    before = list(_MARK.finditer(text, max(0, run.start() - 120), run.start()))
    behind = _MARK.search(text, run.end(), run.end() + 120)
    marks = [mark[1] for mark in (before[-1] if before else None, behind) if mark is not None]
    return not marks or any("PRIVATE" in mark for mark in marks)


def _putty(text: str, start: int, _end: int) -> Iterator[Span]:
    match = _PUTTY.match(text, start, start + LONGEST)
    if match is not None:
        yield match.span()


_PEM = "-----BEGIN RSA PRIVATE KEY-----\nMII{B61}\n{B64}\n{B30}==\n-----END RSA PRIVATE KEY-----"

RULES = (
    Rule(
        "private-key",
        "key",
        ("-----begin", "---- begin"),
        find=_block,
        hits=(f"cat id\n«{_PEM}»\n", f'{{"k":"«{_PEM}»\\n"}}'.replace("\n", "\\n"), "«-----BEGIN PRIVATE KEY-----\n{B64}\n{B64}»"),
        misses=(
            "-----BEGIN CERTIFICATE-----\nMII{B61}\n-----END CERTIFICATE-----",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        ),
    ),
    Rule(
        "private-key-tail",
        "key",
        ("-----end", "---- end"),
        find=_headless,
        hits=("cut\n\n«{B64}\n{B20}==\n-----END OPENSSH PRIVATE KEY-----»",),
        misses=("words before\n-----END PRIVATE KEY-----",),
    ),
    Rule(
        "putty-key",
        "key",
        ("putty-user-key-file-",),
        find=_putty,
        hits=("«PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n{B64}\nPrivate-MAC: {x64}»\n",),
        misses=("PuTTY-User-Key-File-3: is the format\n",),
    ),
    Rule(
        "jwt",
        "jwt",
        ("eyj",),
        r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%3D)|(?<=\[\dm)|(?<=\[\d\dm))(?P<v>eyJ[\w-]{10,}\.(?:eyJ)?[\w-]{10,}(?:\.[\w-]{8,}){0,3}\.?)(?![\w-])",
        issued,
        hits=("cookie «eyJ{a33}.eyJ{a40}.{u43}» set",),
        misses=("eyJhbGci...",),
        note="signed and encrypted tokens; a cut one too",
    ),
    Rule(
        "password-hash",
        "hash",
        (
            "$2a$",
            "$2b$",
            "$2y$",
            "$apr1$",
            "$1$",
            "$5$",
            "$6$",
            "$y$",
            "$argon2",
            "$7$",
            "$gy$",
            "{ssha",
            "{sha}",
            "pbkdf2_sha",
            "scrypt:",
            "pbkdf2:sha",
            "$pbkdf2",
        ),
        r"(?P<v>\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|[156])\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{20,90}|\$g?y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{30,}|"
        r"\$7\$[./A-Za-z0-9]{14,}\$[./A-Za-z0-9]{30,}|\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{20,}|\{S?SHA(?:\d+)?\}[A-Za-z0-9+/]{26,}={0,2}|"
        r"pbkdf2_sha\d+\$\d+\$[A-Za-z0-9]+\$[A-Za-z0-9+/]{40,}={0,2}|(?:scrypt|pbkdf2:sha\d+)(?::\d+)+\$[A-Za-z0-9]+\$[0-9a-f]{40,}|\$pbkdf2(?:-sha\d+)?\$\d+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{20,})",
        issued,
        hits=("alice:«$apr1$" + "{a8}${a22}»", "x «$2b$12$" + "{a53}»"),
        misses=("$2b$12$...", "costs $1$ or $5$"),
    ),
)
__all__ = ["LONGEST", "RULES", "START", "key_lines"]
