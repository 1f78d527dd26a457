"""All that is wrong with one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date

    from libtool.domain.redact import Redactor


class Problem(NamedTuple):
    """One problem: line from 1, code of `schema.CODES`, what to say of it, whether it only warns, whether `mend` mends it."""

    line: int
    code: str
    message: str
    is_warning: bool
    fixable: bool


def problems(
    data: bytes, topic: str, *, topics: Container[str] | None, today: date, redactor: Redactor | None = None, merging: bool = False
) -> list[Problem]:
    """Every problem, by line. `topics` are those of the library (None: links are not looked up), `redactor` finds logins when given.

    With `merging`, links to topics that are gone and dates ahead only warn: no merge can help them.
    """
    raise NotImplementedError
