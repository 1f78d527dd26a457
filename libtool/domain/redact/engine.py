"""The redactor: triggers, rules at each trigger, the net for what is left, known logins; then spans become placeholders."""

from __future__ import annotations

import bisect
from functools import lru_cache
from itertools import accumulate

from libtool.domain.redact import blocks, codes, commands, fallback, labels, pairs, providers, tables, urls, wording, wrapped
from libtool.domain.redact.finding import Finding, Login
from libtool.domain.redact.folded import fold, may_fold
from libtool.domain.redact.json_text import apart, has_encoded, may_encode, scan_encoded
from libtool.domain.redact.json_value import redact_json
from libtool.domain.redact.known import PHRASE_KIND, Fingerprints, KnownLogins, spreads
from libtool.domain.redact.places import KIND, OPENING, PLACEHOLDER, merged, replaced
from libtool.domain.redact.repeats import Repeats, is_dense
from libtool.domain.redact.shape import shape
from libtool.domain.redact.triggers import Triggers, ascii_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
    "wording": wording.RULES,
    "fallback": fallback.RULES,
}
"""All rules, by the module that holds them, most specific first: the first rule names a span that several found."""

__all__ = ["GROUPS", "PLACEHOLDER", "Redactor"]

SEPARATOR = "\n\0\n"
"""Between texts that are looked at in one pass: no literal, token or line of a key goes over it."""
_KEY_LINES, _KNOWN, _SECOND = -1, -2, -3
_UNRULED = {_KEY_LINES: ("key-lines", "key"), _KNOWN: ("known", ""), _SECOND: ("long-tail", "token")}
"""Rule and kind of what no rule of the table finds."""
_ISSUED = len(providers.RULES)
"""Rules up to here are those of providers."""
_SHORT = 120
_REMEMBERED = 50_000


@lru_cache(maxsize=1)
def _table() -> tuple[Triggers, tuple[tuple[tuple[int, Rule], ...], ...], tuple[tuple[Rule, str], ...], int]:
    """The automaton, the rules of each literal, all rules with their groups, and the index where the fallback begins."""
    rules = tuple((rule, group) for group, members in GROUPS.items() for rule in members)
    literals = ascii_first(literal for rule, _ in rules for literal in rule.triggers)
    by_literal: dict[str, list[tuple[int, Rule]]] = {literal: [] for literal in literals}
    for index, (rule, _) in enumerate(rules):
        for literal in rule.triggers:
            by_literal[literal].append((index, rule))
    late = next(index for index, (_, group) in enumerate(rules) if group == "fallback")
    return Triggers(literals), tuple(map(tuple, by_literal.values())), rules, late


class Redactor:
    """Finds and replaces logins. One instance a run: it learns the logins it meets and finds them again without their context.

    `key` are the 32 bytes of the fingerprints; `known` are fingerprints of logins found before or enrolled by the user,
    and may give each its kind, which its placeholder then says; `allow` are those of texts that look like logins and are none.
    `second` is another pass that is asked as well (`longtail`).
    With `learn` False what is found is not looked for in later texts: several redactors at once then give the same as one.
    """

    def __init__(
        self,
        key: bytes,
        known: Mapping[str, str] | Iterable[str] = (),
        *,
        allow: Iterable[str] = (),
        learn: bool = True,
        second: Callable[[str], list[Span]] | None = None,
    ) -> None:
        self._allow = frozenset(allow)
        self._triggers, self._by_literal, self._rules, self._late = _table()
        self._fingerprints = Fingerprints(key)
        kinds = known if isinstance(known, dict) else dict.fromkeys(known, "")
        self._known = KnownLogins(
            self._fingerprints, {one: kind if KIND.fullmatch(kind) else "" for one, kind in kinds.items() if one not in self._allow}
        )
        self.found: dict[str, Login] = {}
        self.met: dict[str, str] = {}
        """Value to fingerprint of the logins that spread: in memory alone, for `learn` of another redactor."""
        self._learns = learn
        self._second = second
        self._clean: set[str] = set()
        self._passed: set[str] = set()
        self._hits: dict[str, list[Hit]] = {}
        self._labels: dict[str, bool] = {}

    def fingerprint(self, login: str) -> str:
        """The fingerprint that a login has under this key."""
        return self._fingerprints.of(login)

    def learn(self, met: Mapping[str, str]) -> None:
        """Look for these logins from now on, wherever they stand: what another redactor `met`."""
        for value, fingerprint in met.items():
            self._known.add(value, fingerprint)
        self._forget_clean()

    def _forget_clean(self) -> None:
        """What was clean before may hold a login that is known now."""
        self._clean.clear()
        self._passed.clear()

    def redact_known(self, text: str) -> str:
        """The text without the logins known so far; no rule is asked. For text that another redactor has been through."""
        spans = [(start, end, _KNOWN) for start, end in self._known.spans(text)]
        return replaced(text, [self._finding(text, *span) for span in merged(text, spans)]) if spans else text

    def redact_known_all(self, texts: Sequence[str]) -> list[str]:
        """`redact_known` of each of many texts, for the cost of one pass over them all where there is nothing to replace."""
        if not self._known.any or not any(True for _ in self._known.spans(SEPARATOR.join(texts))):
            return list(texts)
        return [self.redact_known(text) for text in texts]

    def prepare(self, texts: Iterable[str]) -> bool:
        """Look at many texts in one pass: those in which nothing can be found are remembered, so that `redact` gives them back at once.

        Returns whether all are such. The next call forgets them, and so does a login that is learned.
        """
        fresh = list(set(texts) - self._clean)
        if len(self._clean) >= _REMEMBERED:
            self._clean.clear()
        suspects = self._suspects(fresh) if fresh else set()
        self._passed = {text for text in fresh if text not in suspects} if suspects else set(fresh)
        self._clean.update(text for text in self._passed if len(text) <= _SHORT)
        return not suspects

    def is_clean(self, text: str) -> bool:
        """Whether a text is known to hold no login."""
        return text in self._clean or text in self._passed

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """`redact` of each of many texts, in order; far cheaper than one by one where most are short and hold nothing."""
        if self.prepare(texts):
            return list(texts)
        return [self.redact(text) for text in texts]

    def _suspects(self, texts: Sequence[str]) -> set[str]:
        """Those of the texts in which something may be found, by one pass over all of them."""
        whole = SEPARATOR.join(texts)
        ends = list(accumulate(len(text) + len(SEPARATOR) for text in texts))
        self._hits = hits_of(texts, ends, self._triggers.hits(whole))
        suspects = set(self._hits)
        if self._second is not None:
            suspects |= {texts[bisect.bisect(ends, start)] for start, _ in self._second(whole)}
        if self._known.any:
            suspects |= {texts[bisect.bisect(ends, start)] for start, _ in self._known.spans(whole)}
        for may_hold, is_one in ((blocks.may_hold_key, blocks.may_hold_key), (may_fold, may_fold), (may_encode, has_encoded)):
            if may_hold(whole):
                suspects.update(text for text in texts if is_one(text))
        return suspects

    def redact(self, text: str) -> str:
        """The text with a placeholder for each login; the same object when it holds none.

        Replacing changes what stands around the rest, so it is repeated until nothing is found: redacting twice changes nothing.
        """
        # Names, ids and times come again and again.
        if text in self._clean or text in self._passed:
            return text
        while findings := self.scan(text):
            text = replaced(text, findings)
        if len(text) <= _SHORT:
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
            text = replaced(text, [one.at(max(one.start - low, 0), min(one.end, high) - low) for one in inside])

    def redact_json(self, value: object) -> object:
        """A parsed JSON value without its logins: decoded strings and keys; byte-exact parts (signatures, image data) stay."""
        return redact_json(self, value)

    def scan(self, text: str) -> list[Finding]:
        """The logins of a text in order, merged where they touch; none inside a placeholder. JSON in the text is decoded too."""
        findings = self.look(text)
        if has_encoded(text):
            inside = scan_encoded(self, text)
            return apart(inside + findings) if inside else findings
        return findings

    def look(self, text: str) -> list[Finding]:
        """Like `scan`, of the text as it stands, and as an eye reads it."""
        findings = self._look(text)
        if text.isascii() or (folded := fold(text)) is None:
            return findings
        read = [one.at(*folded.back(one.start, one.end)) for one in self._look(folded.text)]
        return apart(read + findings)

    def _look(self, text: str) -> list[Finding]:
        spans = self._spans(text)
        if not spans:
            return []
        findings = [self._finding(text, *span) for span in merged(text, spans)]
        return [finding for finding in findings if finding.fingerprint not in self._allow] if self._allow else findings

    def _spans(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, rule) of everything found."""
        hits = self._hits.pop(text, None) or self._triggers.hits(text)
        spans = self._at_triggers(text, hits) if hits else []
        if blocks.may_hold_key(text):
            spans += [(a, b, _KEY_LINES) for a, b in blocks.key_lines(text)]
        if self._second is not None:
            spans += [(a, b, _SECOND) for a, b in self._second(text)]
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
        if OPENING in text:
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
            rule, kind = self._name(index, fingerprint)
            prefixes = self._rules[index][0].triggers if 0 <= index < _ISSUED else ()
            wide = spreads(value)
            kind = PHRASE_KIND if wide and " " in value else kind
            login = self.found[fingerprint] = Login(fingerprint, kind, rule, spreads=wide, shape=shape(value, prefixes))
            if login.spreads:
                self.met[value] = fingerprint
                if self._learns:
                    self._known.add(value, fingerprint)
                    self._forget_clean()
        login.count += 1
        return Finding(start, end, login.kind, fingerprint, login.rule)

    def _name(self, index: int, fingerprint: str) -> tuple[str, str]:
        if index < 0:
            rule_name, kind = _UNRULED[index]
            return rule_name, kind or self._known.kind(fingerprint)
        rule = self._rules[index][0]
        return rule.name, rule.kind


def hits_of(texts: Sequence[str], ends: list[int], hits: list[Hit]) -> dict[str, list[Hit]]:
    """The hits in texts that were joined, by text and at their places in it; `ends` is where each ends, the separator included."""
    out: dict[str, list[Hit]] = {}
    base = limit = 0
    mine: list[Hit] = []
    for literal, start, end in hits:
        if start >= limit:
            place = bisect.bisect(ends, start)
            limit = ends[place]
            base = limit - len(texts[place]) - len(SEPARATOR)
            mine = out[texts[place]] = []
        mine.append((literal, start - base, end - base))
    return out


def _same_line(text: str, span: Span, start: int, end: int) -> bool:
    """Whether a span and a trigger stand on one line, near enough for the fallback to see both."""
    low, high = (span[1], start) if span[1] < start else (end, span[0])
    return high - low <= fallback.REACH and "\n" not in text[low:high]
