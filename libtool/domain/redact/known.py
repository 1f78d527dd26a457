"""A login that was found once is a login everywhere: candidates of a text, compared by keyed fingerprint.

Cost of fingerprints from earlier runs: one pass of a regular expression and a set difference, about 8 ms per MB; each token with a digit
or a symbol that was never met before costs one HMAC (1 µs) for each of its parts. Tokens met before are remembered (bounded), so a long
run pays for its vocabulary once. Cost of logins met in this run: one pass of an automaton, about 4 ms per MB.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from libtool.domain.redact.triggers import Finder, build
from libtool.domain.redact.values import strength

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.redact.rule import Span

REMEMBERED = 100_000
"""Tokens that are remembered as harmless, at most."""

_LONGEST = 200
_COARSE = re.compile(r"[!#-&(-;=?-_a-~]{6,200}+")
_LOGINLIKE = re.compile(r"[0-9!#$%&*+?^~]|[A-Z]{2}[a-z]|[a-z][A-Z][a-z]?[A-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_CUT = re.compile(r"[=:@,;()\[\]{}|/&?#\\]+")
_BLOCK = 64
_FEW = 8


class Fingerprints:
    """Keyed fingerprints: 48 bits of HMAC-SHA256 over the login, as 12 hexadecimal digits."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise ValueError("the key of fingerprints has 32 bytes")
        block = key.ljust(_BLOCK, b"\0")
        # hmac.new costs 2 µs a call; two prepared hashes copy in a tenth of that (RFC 2104).
        self._inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + b"login-v1\0")
        self._outer = hashlib.sha256(bytes(b ^ 0x5C for b in block))

    def of(self, login: str) -> str:
        """The fingerprint of a login, the same whatever rule found it."""
        inner = self._inner.copy()
        if not login.isascii():
            login = unicodedata.normalize("NFC", login)
        inner.update(login.encode("utf-8", "surrogatepass"))
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.hexdigest()[:12]


def spreads(login: str) -> bool:
    """Whether a login is looked for elsewhere too: not a dictionary word or a short number, which stand in innocent text."""
    return (
        6 <= len(login) < _LONGEST
        and strength(login) >= 2
        and _LOGINLIKE.search(login) is not None
        and _COARSE.fullmatch(login) is not None
    )


class KnownLogins:
    """The logins known so far, and the tokens known to be none of them.

    Those of earlier runs are known by fingerprint only, so every new token is hashed. Those met in this run are known by value, in memory
    alone, and cost one pass of an automaton. Both find the same: a login counts where it is a piece of a token (`_pieces`).
    """

    def __init__(self, fingerprints: Fingerprints, known: set[str]) -> None:
        self._fingerprint = fingerprints.of
        self._known = frozenset(known)
        self._harmless: set[str] = set()
        self._met: dict[str, None] = {}
        self._automaton: Finder | None = None
        self.any = bool(known)
        """Whether there is anything to look for."""

    def add(self, login: str, fingerprint: str) -> None:
        """Look for this login from now on."""
        if fingerprint not in self._known and login not in self._met:
            self._met[login] = None
            self.any = True
            self._automaton = None

    def spans(self, text: str) -> Iterator[Span]:
        """Where known logins stand in `text`; may overlap."""
        logins = self._by_value(text) if self._met else set()
        if self._known:
            logins |= self._by_fingerprint(text)
        for login in logins:
            at = text.find(login)
            while at >= 0:
                yield at, at + len(login)
                at = text.find(login, at + len(login))

    def _by_value(self, text: str) -> set[str]:
        if self._automaton is None:
            self._automaton = build([login.encode("utf-8", "surrogatepass") for login in self._met])
        hits = self._automaton.find_matches_as_indexes(text.encode("utf-8", "surrogatepass"), overlapping=True)
        if not hits:
            return set()
        names = list(self._met)
        found = {names[index] for index, _, _ in hits}
        logins: set[str] = set()
        # Each token once, and never each login with each token: a list of many logins would take for ever.
        for token in set(_COARSE.findall(text)):
            if len(token) < _LONGEST and (any(login in token for login in found) if len(found) <= _FEW else _LOGINLIKE.search(token)):
                logins |= found & _pieces(token)
        return logins

    def _by_fingerprint(self, text: str) -> set[str]:
        fresh = set(_COARSE.findall(text)).difference(self._harmless)
        logins: set[str] = set()
        for token in fresh:
            if _LOGINLIKE.search(token) is not None and len(token) < _LONGEST:
                logins.update(piece for piece in _pieces(token) if self._fingerprint(piece) in self._known)
        if len(self._harmless) > REMEMBERED:
            self._harmless.clear()
        self._harmless |= fresh if not logins else {token for token in fresh if not any(login in token for login in logins)}
        return logins


def _pieces(token: str) -> set[str]:
    """The parts of a token that may be a login by themselves: whole, without closing punctuation, between separators."""
    whole = token.strip(".,;:!?()[]{}*_")
    pieces = {token, token.rstrip(".,;:!?)]}"), whole}
    for mark in "=:":
        pieces.add(whole.partition(mark)[2])
        pieces.add(whole.rpartition(mark)[0])
    pieces.add(whole.rpartition("@")[0].rpartition(":")[2])
    pieces.update(_CUT.split(token))
    return {piece for piece in pieces if len(piece) >= 6 and _LOGINLIKE.search(piece) and _LETTER.search(piece)}
