"""What may be said of a login without saying anything of it: how long about, of what characters, and what its issuer puts before it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LENGTHS = (8, 12, 20, 40, 80, 200)
_LEFT = 12
"""Characters that must be left behind a public prefix."""


def shape(login: str, prefixes: Iterable[str] = ()) -> str:
    """`ghp_... 20 to 39 characters, upper and lower case, digits`.

    `prefixes` are what issuers put before every login of a kind (lower case); nothing else of the login is in it.
    """
    low = login.lower()
    public = max((one for one in prefixes if low.startswith(one) and len(one) + _LEFT <= len(login)), key=len, default="")
    return f"{login[: len(public)]}{'... ' if public else ''}{_length(len(login))}, {_alphabet(login[len(public) :])}"


def _length(size: int) -> str:
    """The class of a length: an exact one would help to guess."""
    if size < _LENGTHS[0]:
        return f"under {_LENGTHS[0]} characters"
    low = max(one for one in _LENGTHS if one <= size)
    high = min((one for one in _LENGTHS if one > size), default=0)
    return f"{low} to {high - 1} characters" if high else f"{low} characters or more"


def _alphabet(login: str) -> str:
    lower, upper, digit = (any(map(test, login)) for test in (str.islower, str.isupper, str.isdigit))
    cases = "upper and lower case" if lower and upper else "lower case" if lower else "upper case" if upper else ""
    other = any(not one.isalnum() for one in login)
    return ", ".join(filter(None, (cases, "digits" if digit else "", "symbols" if other else ""))) or "letters"
