"""The redactor: triggers, rules at each trigger, the net for what is left, known logins; then spans become placeholders."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from libtool.domain.redact import blocks, codes, commands, fallback, labels, pairs, providers, tables, urls, wrapped
from libtool.domain.redact.folded import fold
from libtool.domain.redact.json_text import apart, scan_lines
from libtool.domain.redact.json_value import redact_json
from libtool.domain.redact.known import Fingerprints, KnownLogins, spreads
from libtool.domain.redact.repeats import Repeats, is_dense
from libtool.domain.redact.shape import shape
from libtool.domain.redact.triggers import Triggers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from libtool.domain.redact.rule import Rule, Span
    from libtool.domain.redact.triggers import Hit

GROUPS: dict[str, tuple[Rule, ...]] = {
    "providers": providers.RULES,
    "blocks": blocks.RULES,
    "urls": urls.RULES,
    "commands": commands.RULES,
    "codes": codes.RULES,
    "labels": labels.RULES,
    "pairs": pairs.RULES,
    "tables": tables.RULES,
    "fallback": fallback.RULES,
}
"""All rules, by the module that holds them, most specific first: the first rule names a span that several found."""

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]{1,12}-[0-9a-f]{12}\]")
_LEAST = 3
_KEY_LINES, _KNOWN = -1, -2
_ISSUED = len(providers.RULES)
"""Rules up to here are those of providers."""
_LONG = 180
_SHORT = 120
_REMEMBERED = 50_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A login in a text: code points, its short kind, its fingerprint, the rule that found it."""

    start: int
    end: int
    kind: str
    fingerprint: str
    rule: str

    @property
    def placeholder(self) -> str:
        """What stands in its place."""
        return f"[REDACTED:{self.kind}-{self.fingerprint}]"


@dataclass(slots=True)
class Login:
    """What the ledger may know of a login that was met: never its value."""

    fingerprint: str
    kind: str
    rule: str
    count: int = 0
    spreads: bool = False
    """Whether it is distinctive enough to be looked for elsewhere: hand the fingerprints of these back as `known`."""
    shape: str = ""
    """How it looks (`shape.shape`)."""


@lru_cache(maxsize=1)
def _table() -> tuple[Triggers, tuple[tuple[tuple[int, Rule], ...], ...], tuple[tuple[Rule, str], ...], int]:
    """The automaton, the rules of each literal, all rules with their groups, and the index where the fallback begins."""
    rules = tuple((rule, group) for group, members in GROUPS.items() for rule in members)
    by_literal: dict[str, list[tuple[int, Rule]]] = {}
    for index, (rule, _) in enumerate(rules):
        for literal in rule.triggers:
            by_literal.setdefault(literal, []).append((index, rule))
    late = next(index for index, (_, group) in enumerate(rules) if group == "fallback")
    return Triggers(tuple(by_literal)), tuple(map(tuple, by_literal.values())), rules, late


class Redactor:
    """Finds and replaces logins. One instance a run: it learns the logins it meets and finds them again without their context.

    `key` are the 32 bytes of the fingerprints; `known` are fingerprints of logins found before or enrolled by the user; `allow` those
    of texts that look like logins and are none. With `learn` False
    what is found is not looked for in later texts: several redactors at once then give the same as one.
    """

    def __init__(self, key: bytes, known: Iterable[str] = (), *, allow: Iterable[str] = (), learn: bool = True) -> None:
        self._allow = frozenset(allow)
        self._triggers, self._by_literal, self._rules, self._late = _table()
        self._fingerprints = Fingerprints(key)
        self._known = KnownLogins(self._fingerprints, set(known) - self._allow)
        self.found: dict[str, Login] = {}
        self.met: dict[str, str] = {}
        """Value to fingerprint of the logins that spread: in memory alone, for `learn` of another redactor."""
        self._learns = learn
        self._clean: set[str] = set()
        self._labels: dict[str, bool] = {}

    def fingerprint(self, login: str) -> str:
        """The fingerprint that a login has under this key."""
        return self._fingerprints.of(login)

    def learn(self, met: Mapping[str, str]) -> None:
        """Look for these logins from now on, wherever they stand: what another redactor `met`."""
        for value, fingerprint in met.items():
            self._known.add(value, fingerprint)
        self._clean.clear()

    def redact_known(self, text: str) -> str:
        """The text without the logins known so far; no rule is asked. For text that another redactor has been through."""
        spans = [(start, end, _KNOWN) for start, end in self._known.spans(text)]
        if not spans:
            return text
        merged = _merge(spans)
        if "[REDACTED:" in text:
            merged = list(_outside(text, merged))
        return _replaced(text, [self._finding(text, *span) for span in merged])

    def redact(self, text: str) -> str:
        """The text with a placeholder for each login; the same object when it holds none.

        Replacing changes what stands around the rest, so it is repeated until nothing is found: redacting twice changes nothing.
        """
        short = len(text) <= _SHORT
        # Names, ids and times come again and again.
        if short and text in self._clean:
            return text
        while findings := self.scan(text):
            text = _replaced(text, findings)
        if short:
            if len(self._clean) >= _REMEMBERED:
                self._clean.clear()
            self._clean.add(text)
        return text

    def is_label(self, label: str) -> bool:
        """Whether a key may say that the value under it is a login."""
        known = self._labels.get(label)
        if known is None:
            known = bool(self._triggers.hits(label + '":'))
            if len(self._labels) < _REMEMBERED:
                self._labels[label] = known
        return known

    def redact_within(self, before: str, text: str, after: str) -> str:
        """The text without its logins, found with what stands before and after it: `text` may be a value, `before` its label."""
        low = len(before)
        while True:
            high = low + len(text)
            inside = [one for one in self.scan(before + text + after) if one.start < high and one.end > low]
            if not inside:
                return text
            # A span over the edge begins or ends with the text.
            text = _replaced(text, [replace(one, start=max(one.start - low, 0), end=min(one.end, high) - low) for one in inside])

    def redact_json(self, value: object) -> object:
        """A parsed JSON value without its logins: decoded strings and keys; byte-exact parts (signatures, image data) stay."""
        return redact_json(self, value)

    def scan(self, text: str) -> list[Finding]:
        """The logins of a text in order, merged where they touch; none inside a placeholder. JSON in the text is decoded too."""
        findings = self.look(text)
        if "\\" in text and '"' in text:
            inside, _ = scan_lines(self, text)
            return apart(inside + findings) if inside else findings
        return findings

    def look(self, text: str) -> list[Finding]:
        """Like `scan`, of the text as it stands, and as an eye reads it."""
        findings = self._look(text)
        if text.isascii() or (folded := fold(text)) is None:
            return findings
        read = [replace(one, start=a, end=b) for one in self._look(folded.text) for a, b in [folded.back(one.start, one.end)]]
        return apart(read + findings)

    def _look(self, text: str) -> list[Finding]:
        spans = self._spans(text)
        if not spans:
            return []
        merged = _merge(spans)
        if "[REDACTED:" in text:
            merged = list(_outside(text, merged))
        findings = [self._finding(text, *span) for span in merged]
        return [finding for finding in findings if finding.fingerprint not in self._allow] if self._allow else findings

    def _spans(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, rule) of everything found."""
        hits = self._triggers.hits(text)
        spans = self._at_triggers(text, hits) if hits else []
        if len(text) > _LONG and ("\n" in text or "\\n" in text):
            spans += [(a, b, _KEY_LINES) for a, b in blocks.key_lines(text)]
        if self._known.any:
            spans += [(a, b, _KNOWN) for a, b in self._known.spans(text)]
        return spans

    def _at_triggers(self, text: str, hits: list[Hit]) -> list[tuple[int, int, int]]:
        """What the rules find at their triggers; then what the fallback finds on the lines where they found nothing."""
        spans: list[tuple[int, int, int]] = []
        late: list[Hit] = []
        # Rule to the place up to which it has dealt with the text: what it found or refused is not looked at again.
        done: dict[int, int] = {}
        may_be_cut = wrapped.CUT.match if "\n" in text or "\r" in text else None
        repeats = Repeats(text) if is_dense(text, hits) else None
        for literal, start, end in hits:
            for index, rule in self._by_literal[literal]:
                if may_be_cut is not None and index < _ISSUED and may_be_cut(text, start) and (cut := wrapped.token(rule, text, start)):
                    spans.append((*cut, index))
                if repeats is None and rule.probe is not None and rule.probe(text, start) is None:
                    continue
                if done.get(index, 0) > start:
                    continue
                if index >= self._late:
                    late.append((index, start, end))
                    continue
                found, upto = repeats.spans(index, rule, start, end) if repeats else rule.spans(text, start, end)
                if upto > end:
                    done[index] = upto
                spans += [(a, b, index) for a, b in found]
        return spans + self._fallback(text, late, spans) if late else spans

    def _fallback(self, text: str, hits: list[Hit], spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """What the fallback finds; on a line where something was found, only what is certain."""
        taken = [(a, b) for a, b, _ in spans]
        if "[REDACTED:" in text:
            # What was found before counts as well, or a second run would find more.
            taken += (match.span() for match in PLACEHOLDER.finditer(text))
        taken.sort()
        out: list[tuple[int, int, int]] = []
        upto = 0
        for index, start, end in hits:
            if start < upto:
                continue
            found, upto = self._rules[index][0].spans(text, start, end)
            place = bisect.bisect(taken, (start, end)) if found else 0
            if found and any(_same_line(text, one, start, end) for one in taken[max(place - 1, 0) : place + 1]):
                found = [(a, b) for a, b in found if fallback.is_certain(text[a:b])]
            out += [(a, b, index) for a, b in found]
        return out

    def _finding(self, text: str, start: int, end: int, index: int) -> Finding:
        """Name a span, and remember its login."""
        value = text[start:end]
        fingerprint = self._fingerprints.of(value)
        login = self.found.get(fingerprint)
        if login is None and fingerprint in self._allow:
            return Finding(start, end, "", fingerprint, "")
        if login is None:
            rule, kind = self._name(index)
            prefixes = self._rules[index][0].triggers if 0 <= index < _ISSUED else ()
            login = self.found[fingerprint] = Login(fingerprint, kind, rule, spreads=spreads(value), shape=shape(value, prefixes))
            if login.spreads:
                self.met[value] = fingerprint
                if self._learns:
                    self._known.add(value, fingerprint)
                    self._clean.clear()
        login.count += 1
        return Finding(start, end, login.kind, fingerprint, login.rule)

    def _name(self, index: int) -> tuple[str, str]:
        if index < 0:
            return ("key-lines", "key") if index == _KEY_LINES else ("known", "known")
        rule = self._rules[index][0]
        return rule.name, rule.kind


def _replaced(text: str, findings: list[Finding]) -> str:
    """The text with the placeholder of each finding in its place."""
    out: list[str] = []
    at = 0
    for finding in findings:
        out += (text[at : finding.start], finding.placeholder)
        at = finding.end
    return "".join((*out, text[at:]))


def _same_line(text: str, span: Span, start: int, end: int) -> bool:
    """Whether a span and a trigger stand on one line, near enough for the fallback to see both."""
    low, high = (span[1], start) if span[1] < start else (end, span[0])
    return high - low <= fallback.REACH and "\n" not in text[low:high]


def _merge(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Spans in order; those that overlap become one, named by the longest (then by the most specific rule)."""
    merged: list[tuple[int, int, int]] = []
    for start, end, index in sorted(spans):
        if merged and start < merged[-1][1]:
            low, high, first = merged[-1]
            longer = end - start > high - low
            merged[-1] = (low, max(high, end), index if longer and index >= 0 else first)
        else:
            merged.append((start, end, index))
    return merged


def _outside(text: str, spans: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Spans without the placeholders in them; what is left of a span is kept when it may be a part of a login."""
    placeholders = [match.span() for match in PLACEHOLDER.finditer(text)]
    place = 0
    for start, end, index in spans:
        while place < len(placeholders) and placeholders[place][1] <= start:
            place += 1
        at, near = start, place
        while near < len(placeholders) and placeholders[near][0] < end:
            low, high = placeholders[near]
            if _is_rest(text[at:low]):
                yield at, low, index
            at, near = high, near + 1
        if at == start or _is_rest(text[at:end]):
            yield at, end, index


def _is_rest(text: str) -> bool:
    """Whether what a placeholder leaves of a span may be a part of a login."""
    return len(text) >= _LEAST and any(map(str.isalnum, text))
