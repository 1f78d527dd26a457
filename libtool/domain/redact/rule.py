"""What a rule is: one row with the literals that wake it, the pattern that bounds the login, and examples."""

from __future__ import annotations

import re
from functools import cached_property

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CUT = 60
"""Characters from which on a login may have been cut: patterns of context rules are bounded, so that each trigger costs a bounded time."""

LEFT = 90
"""Characters before a trigger that may belong to the login."""

START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbfv])|(?<=\\u00[0-9a-fA-F]{2})|(?<=%[0-9A-F]{2})|(?<=\[\dm)|(?<=\[\d\dm))"
"""Where a word may begin: also behind an escape of JSON or of a URL, and behind a terminal colour."""

END = r"(?![A-Za-z0-9])"

Span = tuple[int, int]
"""Start and end of a login in a text, in code points."""


class Rule:
    """One kind of login.

    `triggers` are lower-case literals, found in the text without regard to (ASCII) case. At each, `pattern` is matched from the start of
    the trigger, and group `v` (or `v1`, `v2`) is the login. `check` may
    still refuse a value. `left` is what of the login stands before the trigger. A rule that is more than a pattern has `find`:
    (text, start, end of the trigger) to spans. `far` tells whether it looks further than a line or a few hundred characters: `lines`
    below its own, `always`, or not. `guard` is a pattern that matches at every trigger where the rule can find anything: rules with the
    same guard share one look at it, which most triggers do not survive.
    `hits` and `misses` are templates (`expand`), a login in `hits` stands between « and ».
    """

    def __init__(  # noqa: PLR0913 - a row of a table
        self,
        name: str,
        kind: str,
        triggers: tuple[str, ...],
        pattern: str = "",
        check: Callable[[str], bool] | None = None,
        *,
        find: Callable[[str, int, int], Iterator[Span]] | None = None,
        left: str = "",
        hits: tuple[str, ...] = (),
        misses: tuple[str, ...] = (),
        note: str = "",
        far: str = "",
        guard: re.Pattern[str] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.triggers = triggers
        self.pattern = pattern
        self.check = check
        self.find = find
        self.left = left
        self.hits = hits
        self.misses = misses
        self.note = note
        self.far = far
        self.guard = guard

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern; compiled at its first use, because most rules never meet their trigger."""
        return re.compile(self.pattern)

    @cached_property
    def before(self) -> re.Pattern[str]:
        """`left`, ending where the trigger starts."""
        return re.compile(f"(?:{self.left})\\Z")

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups that hold a login."""
        return tuple(name for name in self.compiled.groupindex if name[0] == "v")

    @cached_property
    def probe(self) -> Callable[[str, int], re.Match[str] | None] | None:
        """What decides fastest that there is nothing at a trigger; None for a rule that is more than a pattern."""
        return self.compiled.match if self.find is None else None

    def spans(self, text: str, start: int, end: int) -> tuple[list[Span], int]:
        """Logins of this rule at a trigger, and up to where the text is dealt with (same rule: triggers before that are skipped)."""
        if self.find is not None:
            found = list(self.find(text, start, end))
            if not found:
                return found, end
            found = [(a, grow(text, a, b)) for a, b in found]
            return [(a, b) for a, b in found if a < b], max(b for _, b in found)
        match = self.compiled.match(text, start)
        if match is None:
            return [], end
        found = [(match.start(name), grow(text, *match.span(name))) for name in self.groups if match.start(name) >= 0]
        if self.left:
            left = self.before.search(text, max(0, start - LEFT), start)
            found = [(left.start(), b) for _, b in found] if left else []
        if self.check is not None:
            found = [(a, b) for a, b in found if self.check(text[a:b])]
        return found, match.end()


_RUN = lazy(r"[A-Za-z0-9_+/=~-]*")


def grow(text: str, start: int, end: int) -> int:
    """The end of a login; a long one that a pattern's bound has cut takes the rest of its run of token characters too."""
    return end if end - start < CUT else _RUN.match(text, end).end()  # type: ignore[union-attr]  # matches the empty string too


_FIELD = lazy(r"\{([a-zA-Z]+)(\d+)\}")
_ALPHABETS = {
    "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "x": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "n": "0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "B": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "w": "abcdefghijklmnopqrstuvwxyz",
}


def expand(template: str) -> str:
    """Fill the fields of an example: `{a36}` is 36 letters and digits, always the same for the same template.

    Letters of fields: a and u letters and digits, l lower case, U upper case, x X hexadecimal, n digits, b base32, B base64, w words.
    So no file of the repository holds text of a token's shape.
    """
    return _FIELD.sub(lambda m: _characters(_ALPHABETS[m[1]], int(m[2]), template + str(m.start())), template)


def _characters(alphabet: str, count: int, seed: str) -> str:
    import hashlib  # noqa: PLC0415 - only examples need it

    size = len(alphabet)
    number = int.from_bytes(hashlib.shake_128(seed.encode()).digest(count + 8), "big")
    out = []
    for _ in range(count):
        number, index = divmod(number, size)
        out.append(alphabet[index])
    return "".join(out)


def example(template: str) -> tuple[str, list[Span]]:
    """An expanded example without its marks, and the spans between « and »."""
    text, spans, start = "", [], 0
    for piece in re.split("([«»])", expand(template)):
        if piece == "«":
            start = len(text)
        elif piece == "»":
            spans.append((start, len(text)))
        else:
            text += piece
    return text, spans
