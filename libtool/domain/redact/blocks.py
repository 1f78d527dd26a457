"""Private keys in text form: whole blocks, also escaped for JSON, indented, cut at either end; JSON web tokens and password hashes."""

from __future__ import annotations

from libtool.domain.lazy import lazy
from libtool.domain.redact.providers import issued
from libtool.domain.redact.rule import Rule, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 64 << 10
"""Longest block that is taken as one, in characters; an OpenSSH or PGP key is smaller."""

# What stands around a line of a key in source code, diffs and quotes, then the line: base64, a header, a PGP checksum, nothing.
_EDGE = r"[ \t\r\"'`+>#|*,;\\]{0,24}"
_KEY_LINE = lazy(rf"{_EDGE}(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|=[A-Za-z0-9+/]{{4}}|[A-Z][A-Za-z-]{{1,30}}: [^\n\\]{{1,80}}|){_EDGE}")
_LAST_LINE = lazy(rf"{_EDGE}(?:[A-Za-z0-9+/]{{0,80}}={{0,2}}|=[A-Za-z0-9+/]{{4}}){_EDGE}")
_MATERIAL = lazy(r"[A-Za-z0-9+/]{16}")
_CUT_LINE = lazy(rf"{_EDGE}[A-Za-z0-9+/]{{1,80}}={{0,2}}(?=\Z|\r?\n|\\|[\"'`<])")
_BREAKS = ("\n", "\\n")
_BEGIN = lazy(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----")
_END = lazy(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}")
_PUTTY = lazy(r"PuTTY-User-Key-File-\d: [^\n]{1,60}\n(?:[^\n]{0,200}\n){1,80}?Private-MAC: [0-9a-f]+")


def _block(text: str, start: int, _end: int) -> Iterator[Span]:
    begin = _BEGIN.match(text, start)
    if begin is None:
        return
    limit = begin.end() + LONGEST
    again = text.find("-----BEGIN", begin.end(), limit)
    end = _END.search(text, begin.end(), again if again >= 0 else limit)
    stop = end.end() if end is not None else _body_end(text, begin.end(), limit)
    size = (end.start() if end is not None else stop) - begin.end()
    if size > 20 and "..." not in text[begin.end() : begin.end() + 40] and _MATERIAL.search(text, begin.end(), stop):
        yield start, stop


def _body_end(text: str, start: int, limit: int) -> int:
    """Where the lines of a key end that has lost its END line; `start` is behind its BEGIN line."""
    best = start
    for mark in _BREAKS:
        at = start + text.startswith("\r", start)
        seen = False
        while text.startswith(mark, at):
            low = at + len(mark)
            cut = text.find(mark, low, limit)
            line = _KEY_LINE.match(text, low, cut) if cut >= 0 else _CUT_LINE.match(text, low, limit)
            if line is None or (cut >= 0 and line.end() < cut):
                line = _CUT_LINE.match(text, low, limit) if seen else None
                cut = -1
            filled = line is not None and ":" not in line[0] and any(map(str.isalnum, line[0]))
            if line is None or (seen and not filled):
                break
            if filled:
                best, seen = max(best, line.end()), True
            if cut < 0:
                break
            at = cut
    return best


def _headless(text: str, start: int, _end: int) -> Iterator[Span]:
    end = _END.match(text, start)
    if end is None:
        return
    floor = max(0, start - LONGEST)
    body = min(_body_start(text, start, floor, mark) for mark in _BREAKS)
    if start - body > 40:
        yield body, end.end()


def _body_start(text: str, end: int, floor: int, mark: str) -> int:
    """Where the lines of a key begin that end at `end`, its BEGIN line lost."""
    best = at = end
    line = _LAST_LINE
    while at > floor:
        cut = text.rfind(mark, floor, at)
        low = cut + len(mark) if cut >= 0 else floor
        if line.fullmatch(text, low, at) is None:
            break
        if at > low:
            best = low
        if at < end and line is _LAST_LINE:
            line = _KEY_LINE
        at = max(cut, floor)
    return best


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
        far="always",
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
        far="always",
        hits=("cut\n\n«{B64}\n{B20}==\n-----END OPENSSH PRIVATE KEY-----»",),
        misses=("words before\n-----END PRIVATE KEY-----",),
    ),
    Rule(
        "putty-key",
        "key",
        ("putty-user-key-file-",),
        find=_putty,
        far="always",
        hits=("«PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n{B64}\nPrivate-MAC: {x64}»\n",),
        misses=("PuTTY-User-Key-File-3: is the format\n",),
    ),
    Rule(
        "jwt",
        "jwt",
        ("eyj",),
        r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%3D)|(?<=\[\dm)|"
        r"(?<=\[\d\dm))(?P<v>eyJ[\w-]{10,}\.(?:eyJ)?[\w-]{10,}(?:\.[\w-]{8,}){0,3}\.?)(?![\w-])",
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
        r"(?P<v>\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|[156])\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{20,90}|"
        r"\$g?y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{30,}|"
        r"\$7\$[./A-Za-z0-9]{14,}\$[./A-Za-z0-9]{30,}|\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{20,}|"
        r"\{S?SHA(?:\d+)?\}[A-Za-z0-9+/]{26,}={0,2}|"
        r"pbkdf2_sha\d+\$\d+\$[A-Za-z0-9]+\$[A-Za-z0-9+/]{40,}={0,2}|(?:scrypt|"
        r"pbkdf2:sha\d+)(?::\d+)+\$[A-Za-z0-9]+\$[0-9a-f]{40,}|\$pbkdf2(?:-sha\d+)?\$\d+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{20,})",
        issued,
        hits=("alice:«$apr1$" + "{a8}${a22}»", "x «$2b$12$" + "{a53}»"),
        misses=("$2b$12$...", "costs $1$ or $5$"),
    ),
)
