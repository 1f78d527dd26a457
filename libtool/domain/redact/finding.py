"""What is found: a login's place in a text, its kind and fingerprint; and what may be kept of a login that was met.

Without `dataclasses` and `typing`: they cost 9 ms of a cold start, and `lib redact` is a filter that people pipe small texts through.
"""

from __future__ import annotations


class Finding:
    """A login in a text: code points, its short kind, its fingerprint, the rule that found it."""

    __slots__ = ("end", "fingerprint", "kind", "rule", "start")

    def __init__(self, start: int, end: int, kind: str, fingerprint: str, rule: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        self.fingerprint = fingerprint
        self.rule = rule

    @property
    def placeholder(self) -> str:
        """What stands in its place."""
        return f"[REDACTED:{self.kind}-{self.fingerprint}]"

    def at(self, start: int, end: int) -> Finding:
        """The same login at another place."""
        return Finding(start, end, self.kind, self.fingerprint, self.rule)

    def _facts(self) -> tuple[int, int, str, str, str]:
        return self.start, self.end, self.kind, self.fingerprint, self.rule

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def __repr__(self) -> str:
        return f"Finding{self._facts()}"


class Login:
    """What the ledger may know of a login that was met: never its value."""

    __slots__ = ("count", "fingerprint", "kind", "rule", "shape", "spreads")

    def __init__(self, fingerprint: str, kind: str, rule: str, *, spreads: bool = False, shape: str = "") -> None:
        self.fingerprint = fingerprint
        self.kind = kind
        self.rule = rule
        self.count = 0
        self.spreads = spreads
        """Whether it is distinctive enough to be looked for elsewhere: hand the fingerprints of these back as `known`."""
        self.shape = shape
        """How it looks (`shape.shape`)."""
