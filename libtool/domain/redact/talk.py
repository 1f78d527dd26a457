"""A login given as a bare answer: the message before it is its label, as in `What is the root password?`, then the password alone.

One that asks or announces near its end is remembered by what it asks for, nothing else of it is kept; the next message's first lines are
then read as if they stood behind `the password is`.
"""

# ruff: noqa: RUF001 - full-width punctuation is what is matched

from __future__ import annotations

import re
from functools import lru_cache

from libtool.domain.lazy import lazy
from libtool.domain.redact.triggers import Triggers, ascii_first
from libtool.domain.redact.values import plausible, strength
from libtool.domain.redact.words import PASSWORD_STEMS, STOCK_ANSWERS
from libtool.domain.session import ANSWER, ASSISTANT, HUMAN, TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from libtool.domain.redact.engine import Redactor

PROSE = frozenset({HUMAN, ANSWER, ASSISTANT, TASK})
"""The kinds of records that ask and answer."""
PASSWORD, TOKEN, PIN = "password", "token", "pin"
REACH = 300
"""Characters at the end of a message in which it may ask."""
_LINES = 3
_LONGEST = 200
_FIRST_WORDS = 80

_STEMS = "|".join(re.escape(word) for word in PASSWORD_STEMS)
_ASKED = {
    PASSWORD: lazy(rf"(?i:(?<![a-z])(?:[a-z]{{2,6}})?pass(?:word|wd|phrase|code|wort)s?(?![a-z])|(?<![a-z])(?:{_STEMS})(?![a-zß-ÿ]))"),
    TOKEN: lazy(
        r"(?i:(?<![a-z])(?:tokens?|(?:api|access|secret|auth|private|encryption|licen[cs]e|deploy|client|signing|product|recovery|wpa|wi-?fi)"
        r"[ _-]?keys?|secrets?|credentials?|creds|login)(?![a-z])|令牌|密钥|トークン|토큰|токен|ключ|clé|schlüssel)"
    ),
    PIN: lazy(r"(?i:(?<![a-z])(?:pin|puk)(?:[ -]?code)?(?![a-z]))"),
}
_TOKENS = ("token", "key", "secret", "cred", "login", "clé", "schlüssel", "令牌", "密钥", "トークン", "토큰", "токен", "ключ")
_WAKING = {
    **dict.fromkeys(("pass", *(word.lower() if word.isascii() else word for word in PASSWORD_STEMS)), PASSWORD),
    **dict.fromkeys(_TOKENS, TOKEN),
    **dict.fromkeys(("pin", "puk"), PIN),
}
"""A literal that must stand in a text that asks for one, and for what it asks then."""
_OTHER = lazy(
    r"(?i:[ _-](?:limits?|counts?|length|size|budget|usage|types?|format|names?|fields?|polic(?:y|ies)|rules?|rotation|resets?|expir\w*|"
    r"ttl|lifetime|hash\w*|algorithm|function|managers?|prompt|files?|path|urls?|endpoints?|scopes?|permissions?|check|validation|strength|"
    r"storage|store|handling|class|column|header|parameters?|variables?|env\w*|flow|page|form|screen|based|per|window|costs?|price|"
    r"parser|stream|list|test\w*|issues?|bug|errors?|change|update|requirements?|setup|login|authentication|auth|button|dialog|input))(?![a-z])"
)
_REQUEST = lazy(
    r"(?i:(?<![a-z])(?:what(?:'s|’s|s)?|which|paste|send|give|share|provide|enter|type|tell|supply|need|want|have|got|know|remember|drop|put|"
    r"post|confirm|here(?:'s|’s)?|this is|comes|coming|following|below|next|wie|was|welche[sr]?|gib|schick\w*|nenn\w*|brauche|hier|cuál|"
    r"cual|envía\w*|dame|pega|necesito|aquí|quel(?:le)?|donne\w*|envoie\w*|colle\w*|voici|qual|manda\w*|какой|дай|пришли|вот)(?![a-z])|"
    r"是什么|请|輸入|输入|提供|告诉|何です|教えて|입력|알려)"
)
_QUESTION = lazy(r"(?i:(?<![a-z])(?:what(?:'s|’s|s)?|which|wie|quel(?:le)?|cuál|qual|какой)(?![a-z])[^?]{0,120}\?)")
_SENTENCE = lazy(r"(?<=[.!?。？！])[\s*_`\"')]+|\n+")
_ENDS = lazy(r"[:：?？][\s*_`\"')]*\Z")
_FENCE = lazy(r"(?:\s*(?:`{3}\w*\s*\n|>[ \t]*))*\s*")
_LEAD = lazy(
    r"(?i:(?:(?:sure|ok(?:ay)?|yes|yep|ja|oui|sí|hi|hey|well|of course|no problem|here(?:'s|’s| is| it is| you go| you are)?|hier|"
    r"it(?:'s|’s| is| was| should be)|that(?:'s|’s| is| would be)|this is(?: it)?|use|try|das ist|es ist|er ist|c'est|es|é|это|"
    r"the (?:\w+ ){0,2}(?:password|passphrase|token|key|pin)(?: is)?)(?![a-zà-ÿ])[\s,:;.!–—-]{1,3}){0,4})"
)
_ALONE = lazy(r"[*_`\"'“]{0,3}(?P<v>\S{4,200}?)[*_`\"'”]{0,3}[.]?\s*\Z")
_WORD = lazy(r"[a-zA-Z]{6,24}")
_DIGITS = lazy(r"\d{4,8}")
_PHRASE = lazy(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}")


_LITERALS = ascii_first(_WAKING)


@lru_cache(maxsize=1)
def _triggers() -> Triggers:
    return Triggers(_LITERALS)


def asks(text: str) -> str:
    """What login a message asks for or announces near its end: PASSWORD, TOKEN, PIN, with `?` behind for a direct question; else ''."""
    # Cheapest first, since every message is asked.
    hits = _triggers().hits(text[-REACH:])
    if not hits:
        return ""
    named = {_WAKING[_LITERALS[index]] for index, _, _ in hits}
    tail = text[_near_the_end(text) :]
    sentences = [one for one in _SENTENCE.split(tail) if one.strip()]
    for sentence in reversed(sentences[-2:]):
        for what, pattern in _ASKED.items():
            if what not in named:
                continue
            labels = [one for one in pattern.finditer(sentence) if not _OTHER.match(sentence, one.end())]
            if labels and (_ENDS.search(sentence) or _REQUEST.search(sentence)):
                return what + ("?" if _QUESTION.search(sentence + "?" * (sentence is sentences[-1])) else "")
    return ""


def _near_the_end(text: str) -> int:
    """Where the last two sentences begin, or somewhat before."""
    least = max(0, len(text) - REACH)
    at = len(text.rstrip())
    for _ in range(3):
        at = max(text.rfind(mark, least, at) for mark in (". ", "? ", "! ", "\n"))
        if at < 0:
            return least
    return at


class Talk:
    """Redacts the messages of the sessions of one file, in order. `asked` is what an earlier part of it left open: session id to what."""

    def __init__(self, redactor: Redactor, asked: Mapping[str, str] | None = None) -> None:
        self._redactor = redactor
        self._asked = dict(asked or {})

    @property
    def asked(self) -> dict[str, str]:
        """What the last message of each session asked for; holds no text of it."""
        return self._asked

    def prepare(self, texts: Iterable[str]) -> None:
        """Look at the texts of the next records in one pass."""
        self._redactor.prepare(texts)

    def redact(self, session: str, kind: str, text: str) -> str:
        """The text of a record of this session without its logins; applied to all records, in order."""
        text = self._redactor.redact(text)
        if kind not in PROSE or not text:
            return text
        asked = self._asked.pop(session, "")
        if kind == ANSWER:
            text, asked = self._answers(text, asked)
        else:
            text, asked = self._answer(text, asked) if asked else text, asks(text)
        if asked:
            self._asked[session] = asked
        return text

    def _answers(self, text: str, asked: str) -> tuple[str, str]:
        """A record that holds questions and answers, a line each."""
        lines = []
        for line in text.split("\n"):
            lines.append(self._line(line, asked, alone=False) if asked else line)
            if line.strip():
                asked = asks(line)
        return "\n".join(lines), asked

    def _answer(self, text: str, asked: str) -> str:
        """The text with the login that its first lines give to the one who asked."""
        begin = _FENCE.match(text).end()  # type: ignore[union-attr]  # matches the empty string too
        head, lines = text[:begin], text[begin:].split("\n")
        seen = 0
        for place, line in enumerate(lines[: 2 * _LINES]):
            if line.strip() and seen < _LINES:
                lines[place] = self._line(line, asked, alone=seen > 0)
                seen += 1
        return head + "\n".join(lines)

    def _line(self, line: str, asked: str, *, alone: bool) -> str:
        """One line of an answer; `alone`: only when nothing else stands on it."""
        lead = _LEAD.match(line.lstrip()).end() + len(line) - len(line.lstrip())  # type: ignore[union-attr]  # as above
        match = _ALONE.match(line, lead)
        value = match["v"] if match is not None else line[lead:].strip().rstrip(".")
        if self._is_login(value, asked, first=not alone):
            start = line.index(value, lead)
            return line[:start] + self._labelled(value, asked) + line[start + len(value) :]
        if alone:
            return line
        if len(line) > _LONGEST:
            first = line[: line.rfind(" ", 0, _FIRST_WORDS) + 1]
            return self._said(first, asked) + line[len(first) :] if first and strength(first.split()[0]) >= 3 else line
        return self._said(line, asked)

    def _said(self, line: str, asked: str) -> str:
        """A sentence as if it stood behind a label."""
        if asked.startswith(PIN):
            return line
        return self._redactor.redact_within(f"the {asked.rstrip('?')} is ", line, "")

    def _labelled(self, value: str, asked: str) -> str:
        """A value in quotes behind its label."""
        opening, closing = next(((mark, mark) for mark in "\"'`" if mark not in value), ("“", "”"))
        label = "PIN" if asked.startswith(PIN) else asked.rstrip("?")
        return self._redactor.redact_within(f"{label}: {opening}", value, closing)

    def _is_login(self, value: str, asked: str, *, first: bool) -> bool:
        """Whether what stands alone in an answer is what was asked for."""
        if not plausible(value):
            return False
        if asked.startswith(PIN):
            return first and _DIGITS.fullmatch(value) is not None
        if " " not in value and strength(value) >= 2:
            return True
        direct = first and asked == PASSWORD + "?"
        return direct and (
            (_WORD.fullmatch(value) is not None and value.lower() not in STOCK_ANSWERS) or _PHRASE.fullmatch(value) is not None
        )
