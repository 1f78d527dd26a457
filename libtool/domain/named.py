"""`typing.NamedTuple` for modules of the git hooks and of searches: the same classes, without the 5 ms that importing typing takes."""

from __future__ import annotations

from collections import namedtuple

__all__ = ["NamedTuple"]

_OF_THE_CLASS = frozenset({"__annotations__", "__module__", "__qualname__"})

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Maker(type):
        """Makes of a class body with annotated fields a named tuple with these fields, their defaults and the body's methods."""

        def __new__(cls, name, bases, body):  # noqa: ANN001, ANN204 - type checkers see typing's
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024 - it is what typing makes too
            for key, value in body.items():
                if key not in _OF_THE_CLASS and key not in fields:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """What a class derives from to become a named tuple."""
