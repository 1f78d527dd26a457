"""Logins in rows: below a heading of a table's column, and in the list below a heading about logins."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import assigned_token, value_at
from libtool.domain.redact.guards import LABEL
from libtool.domain.redact.lines import LOGIN_WORDS, line_around
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import plausible, strength
from libtool.domain.redact.words import WAKING_PASSWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_ROWS = 60
"""Rows below a heading that are read."""
_ROW = lazy(r"[^\n]{0,400}(?:\n|\Z)")
_ALIGNED = "  "
_WORDS = lazy(r"\S+(?: \S+)*")
_CELL_END = lazy(r"[\w -]{0,24}+(?:\([^)\n]{0,20}\))?+[*_`\"' ]{0,6}+(?:[|│┃\t;,]|\r?\n|\Z)")
_BEFORE_KEY = frozenset({"api", "ess"})
_RULER = lazy(r"[\s|:+=│┃├┼┤─═╪╞╡└┴┘-]{3,}\Z")
_HEADER = lazy(
    r"[\s*_`\"']*(?i:(?P<pw>(?:\w+[ _-])?(?:password|passwd|pass|pw|pwd|passwort|kennwort|passphrase|contraseña|clave|mot de passe|"
    r"mdp|senha|wachtwoord|hasło|heslo|пароль|密码|密碼|パスワード|비밀번호|şifre|parola|lösenord|psk)s?)|"
    r"(?:\w+[ _-])?(?:secret|token|api[ _-]?key|access[ _-]?key|key|credentials?)s?)(?:[ _-]?\([^)]{0,20}\))?[\s*_`\"']*\Z"
)


def _table(text: str, start: int, end: int) -> Iterator[Span]:
    """The column below a password or token heading: Markdown, psql output, TSV, CSV."""
    # Cheapest first: most labels stand in no table.
    if _CELL_END.match(text, end, end + 60) is None:
        return
    low, high = line_around(text, start, end)
    if text[high : high + 1] != "\n":
        return
    header = text[low:high]
    separator = next((s for s in ("|", "│", "┃", "\t", ";", ",", _ALIGNED) if s in header.strip()), None)
    if separator is None:
        return
    if text[start - 1 : start].isalnum() and text[max(0, start - 3) : start].lower() not in _BEFORE_KEY:
        return
    cells = _cells(header, separator)
    column = next(number for number, cell in enumerate(cells) if start - low <= cell[1])
    heading = _HEADER.match(header[slice(*cells[column])])
    if (
        heading is None
        or len(cells) < 2
        or (separator in ",;" and not all(re.fullmatch(r"\s*[\"']?[\w -]{1,30}[\"']?\s*", header[a:b]) for a, b in cells))
    ):
        return
    at = high + 1
    for _ in range(MOST_ROWS):
        row = _ROW.match(text, at)
        if row is None or not row[0]:
            break
        line = row[0].rstrip("\n")
        if not _RULER.match(line):
            parts = _cells(line, separator)
            if len(parts) != len(cells):
                break
            a, b = parts[column]
            yield from _cell(text, at + a, at + b, password=heading["pw"] is not None)
        at = row.end()
    yield at, at


def _cells(line: str, separator: str) -> list[Span]:
    """Where the cells of a line are; blanks that align them separate as well, two or more of them."""
    if separator == _ALIGNED:
        return [match.span() for match in _WORDS.finditer(line)]
    ends = [match.start() for match in re.finditer(re.escape(separator), line)]
    return list(zip([0, *(end + 1 for end in ends)], [*ends, len(line)], strict=True))


def _cell(text: str, start: int, end: int, *, password: bool) -> Iterator[Span]:
    """The login in one cell of a column of passwords, or of tokens."""
    value = value_at(text, _PADDING.match(text, start, end).end())  # type: ignore[union-attr]  # matches the empty string too
    if value is None or value[1] > end:
        return
    found = text[value[0] : value[1]]
    if plausible(found) and (strength(found) >= 2 if password else len(found) >= 12 and assigned_token(found, quoted=False)):
        yield value[0], value[1]


_PADDING = lazy(r"[ \t*`\"']*")
_HEADLINE = lazy(r"[ \t]*(?:#{1,6}[^\n]*|[^\n]{0,60}:[*_]{0,2})[ \t]*\n")


def _below(text: str, start: int, end: int) -> Iterator[Span]:
    from libtool.domain.redact.pairs import by_word  # noqa: PLC0415 - most tables are read by columns

    low, high = line_around(text, start, end)
    if _HEADLINE.fullmatch(text, low, high + 1) is None:
        return
    at = high + 1
    for _ in range(MOST_ROWS):
        row = _ROW.match(text, at)
        if row is None or not row[0] or row[0].startswith("#") or _HEADLINE.fullmatch(row[0]):
            return
        yield from by_word(text, at, at)
        at = row.end()


RULES = (
    Rule(
        "login-list",
        "pw",
        LOGIN_WORDS,
        find=_below,
        far="lines",
        hits=("## Logins\n\n- jira: bob / «{a14}»\n- vpn: root / «{w6}{n4}»\n",),
        misses=("## Logins\n\n- see docs / manual\n",),
    ),
    Rule(
        "login-table",
        "pw",
        (*WAKING_PASSWORDS, "secret", "token", "key"),
        find=_table,
        guard=LABEL,
        far="lines",
        hits=(
            "| Host | User | Password |\n|---|---|---|\n| a | bob | «{w6}{n4}» |\n",
            "Host   User   Password\nnas    bob    «{w6}{n4}»\nvpn    eve    «{w5}.{n4}»\n",
        ),
        misses=(
            "Name  Password\na b\n",
            "| Name | Token |\n|---|---|\n| total | 4127 |\n",
        ),
    ),
)
