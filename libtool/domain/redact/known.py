"""A login that was found once is a login everywhere: candidates of a text, compared by keyed fingerprint.

Cost of fingerprints from earlier runs: a pass that takes tokens, and a look whether each was met before; one with a digit or a symbol that
was not costs one HMAC (1 µs) for each of its parts. Tokens met before are remembered (bounded), so a long run pays for its vocabulary
once: 24 ms per MB in all while most words are new. Cost of logins met in this run: one pass of an automaton, about 4 ms per MB.

A passphrase (four words or more) known from an earlier run is found where it is marked off: in quotes, behind a colon or an equals sign up
to the end of its line, or on a line of its own. One met in this run is found everywhere.
"""

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes are what is matched

from __future__ import annotations

import re
from itertools import chain, filterfalse

from libtool.domain.lazy import lazy
from libtool.domain.redact.triggers import GrowingFinder
from libtool.domain.redact.values import strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from libtool.domain.redact.fingerprints import Fingerprints
    from libtool.domain.redact.rule import Span
    from libtool.domain.redact.triggers import Finder

REMEMBERED = 200_000
"""Tokens that are remembered as harmless, at most."""

PHRASE_KIND = "phrase"
"""Kind of a passphrase: those of earlier runs are looked for only where one of this kind is known."""
_LONGEST = 200
_COARSE = re.compile(r"[!#-&(-;=?-_a-~]{6,200}+")
_FOREIGN = lazy(r"[^\s\"'<>`\0“”„«»「」『』‘’]{6,80}+")
_PHRASE = r"[^\W\d_]{3,12}(?:[ -][^\W\d_]{3,12}){3,11}"
_WORDS = lazy(_PHRASE)
_MARKED_OFF = lazy(rf"(?m)(?:^[ \t]*|[\"'`“„«]|[:=：＝][ \t]*)({_PHRASE})(?=[\"'`”“»]|[ \t]*\.?[ \t]*$)")
_MARKS = "0-9!#$%&*+?^~"
_CAMEL = "(?:[^\\nA-Z]*+[A-Z])+?(?:[A-Z][a-z]|(?<=[a-z][A-Z])[a-z]?[A-Z])"
_LIKE = rf"(?:[^\n{_MARKS}]*+[{_MARKS}]|{_CAMEL})"
"""From the start of a line on: anything that words do not have, a digit, a mark, capitals inside."""
_is_loginlike = re.compile(_LIKE).match
_CUT = re.compile(r"[=:@,;()\[\]{}|/&?#\\：＝，。；、]+")
_PLAIN = re.compile(r"[A-Za-z0-9-]+")
_EDGES = ".,;:!?()[]{}*_。，；"
_ID = (
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?|"
    r"(?:toolu|srvtoolu|msg|req|call|resp)_[A-Za-z0-9]+"
)
"""Public ids that no login ever looks like (`values.is_id`), and that transcripts are full of."""
_TOKEN_LINE = re.compile(rf"\n((?!(?:{_ID})(?![^\n])){_LIKE}[^\n]*+)")
_PIECE_LINE = re.compile(rf"\n((?=[^\n]{{6}})(?=[^\n]*?[^\W\d_]){_LIKE}[^\n]*+)")
_PHRASES_FROM = 20
_FEW = 8


def spreads(login: str) -> bool:
    """Whether a login is looked for elsewhere too: not a dictionary word or a short number, which stand in innocent text."""
    if not 6 <= len(login) < _LONGEST:
        return False
    if " " in login:
        return _WORDS.fullmatch(login) is not None and len(login) >= _PHRASES_FROM
    token = _COARSE if login.isascii() else _FOREIGN
    return strength(login) >= 2 and _is_loginlike(login) is not None and token.fullmatch(login) is not None


class KnownLogins:
    """The logins known so far, and the tokens known to be none of them.

    Those of earlier runs are known by fingerprint only, so every new token is hashed. Those met in this run are known by value, in memory
    alone, and cost one pass of an automaton. Both find the same: a login counts where it is a piece of a token (`_pieces`).
    """

    def __init__(self, fingerprints: Fingerprints, known: Mapping[str, str]) -> None:
        self._fingerprint = fingerprints.of
        self._known = known
        self._phrases = PHRASE_KIND in known.values()
        self._harmless: set[str] = set()
        """Tokens that hold no known login."""
        self._met: dict[str, None] = {}
        self._kinds: dict[str, str] = {}
        self._built: list[str] = []
        self._recent: list[str] = []
        self._automaton: Finder | None = None

    def add(self, login: str, fingerprint: str, kind: str = "") -> None:
        """Look for this login from now on."""
        if fingerprint not in self._known and login not in self._met:
            self._met[login] = None
            self._kinds.setdefault(fingerprint, kind)
            self._recent.append(login)

    def spans(self, text: str) -> Iterator[Span]:
        """Where known logins stand in `text`; may overlap."""
        logins = self._by_value(text) if self._met else set()
        if self._known:
            logins |= self._by_fingerprint(text)
        for login in logins:
            at = text.find(login)
            while at >= 0:
                end = at + len(login)
                # A phrase is no part of a longer word; a token's borders are those of its pieces.
                if " " not in login or not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                    yield at, end
                at = text.find(login, end)

    def kind(self, fingerprint: str) -> str:
        """The kind of a known login, or `known`."""
        return self._known.get(fingerprint, "") or self._kinds.get(fingerprint, "") or "known"

    def _by_value(self, text: str) -> set[str]:
        found = self._met_in(text)
        logins = {login for login in found if " " in login}
        found -= logins
        # Each token once, and never each login with each token: a list of many logins would take for ever.
        few = len(found) <= _FEW
        every = {token for token in _tokens(text) if len(token) < _LONGEST} if found else ()
        tokens = [one for one in every if (any(login in one for login in found) if few else _is_loginlike(one))]
        return logins.union(*(found.intersection(_pieces(token)) for token in tokens))

    def _met_in(self, text: str) -> set[str]:
        """The logins met in this run that stand in a text, in whatever surroundings."""
        if len(self._recent) > _FEW + len(self._built) // 4:
            # Seldom, since it costs more than to look for a few one by one: a text may give a thousand logins, one after the other.
            self._built, self._recent = list(self._met), []
            self._automaton = GrowingFinder([login.encode("utf-8", "surrogatepass") for login in self._built])
        found = {login for login in self._recent if login in text}
        if self._automaton is not None:
            hits = self._automaton.find_matches_as_indexes(text.encode("utf-8", "surrogatepass"), overlapping=True)
            found.update(self._built[index] for index, _, _ in hits)
        return found

    def _by_fingerprint(self, text: str) -> set[str]:
        fresh = set(filterfalse(self._harmless.__contains__, _tokens(text)))
        logins = {piece for piece in _candidates(fresh) if self._fingerprint(piece) in self._known} if fresh else set()
        if len(self._harmless) > REMEMBERED:
            self._harmless.clear()
        self._harmless |= fresh if not logins else {token for token in fresh if not any(login in token for login in logins)}
        if self._phrases:
            logins.update(phrase for phrase in _MARKED_OFF.findall(text) if self._fingerprint(phrase) in self._known)
        return logins


def _candidates(tokens: Iterable[str]) -> list[str]:
    """What may be a known login in tokens, by its looks."""
    # Lines of a joined text are matched in a tenth of the time that a call for each takes.
    tokens = [token for token in _TOKEN_LINE.findall("\n".join(("", *tokens))) if len(token) < _LONGEST]
    return _PIECE_LINE.findall("\n".join(("", *set(chain.from_iterable(map(_pieces, tokens)))))) if tokens else []


def _tokens(text: str) -> list[str]:
    """Runs of characters in which a login may be a piece."""
    tokens: list[str] = _COARSE.findall(text)
    if not text.isascii():
        lines = [line for line in text.split("\n") if not line.isascii()]
        words = [word for line in lines for word in line.split() if not word.isascii()]
        tokens += [token for token in _FOREIGN.findall("\n".join(words)) if not token.isascii()]
    return tokens


def _pieces(token: str) -> Sequence[str]:
    """The parts of a token that may be a login by themselves: whole, without closing punctuation, between separators."""
    if _PLAIN.fullmatch(token):
        return (token,)
    whole = token.strip(_EDGES)
    pieces = [token, token.rstrip(".,;:!?)]}"), whole]
    parts = _CUT.split(token)
    if len(parts) == 1:
        return pieces
    for mark in "=:":
        if mark in whole:
            pieces += (whole.partition(mark)[2], whole.rpartition(mark)[0])
    if "@" in whole:
        pieces.append(whole.rpartition("@")[0].rpartition(":")[2])
    return pieces + parts
