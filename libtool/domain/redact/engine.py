"""The redactor: triggers, rules at each trigger, the net for what is left, known logins; then spans become placeholders."""

from __future__ import annotations

import bisect
from functools import lru_cache
from itertools import accumulate

from libtool.domain.lazy import lazy
from libtool.domain.redact.finding import Finding, Login
from libtool.domain.redact.fingerprints import Fingerprints
from libtool.domain.redact.guards import CUT
from libtool.domain.redact.key_lines import key_lines, may_hold_key
from libtool.domain.redact.places import KIND, OPENING, PLACEHOLDER, merged, replaced
from libtool.domain.redact.table import ISSUED, LATE, Labels, rule_of, table
from libtool.domain.redact.triggers import SEPARATOR, hits_of, is_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from libtool.domain.redact.known import KnownLogins
    from libtool.domain.redact.places import Found
    from libtool.domain.redact.repeats import Repeats
    from libtool.domain.redact.rule import Rule, Span
    from libtool.domain.redact.table import Awake
    from libtool.domain.redact.triggers import Hit


__all__ = ["PLACEHOLDER", "Redactor"]

_KEY_LINES, _KNOWN, _SECOND = -1, -2, -3
_UNRULED = {_KEY_LINES: ("key-lines", "key"), _KNOWN: ("known", ""), _SECOND: ("long-tail", "token")}
"""Rule and kind of what no rule of the table finds."""
_DOUBTS = 8
"""Logins learned since texts were last prepared from which on what was clean is forgotten: to ask it for each costs more."""
_PLAIN = lazy(r"[ !#-\[\]-~]+")
"""What stands in JSON as it is."""
_SHORT = 120
_NESTED = 4 << 20
"""Characters of encoded strings in prepared texts, up to which what was prepared is kept."""
_REMEMBERED = 50_000


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
        self._triggers, self._by_literal = table()
        self._fingerprints = Fingerprints(key)
        self._fingerprint_of = lru_cache(maxsize=256)(self._fingerprints.of)
        kinds = known if isinstance(known, dict) else dict.fromkeys(known, "")
        self._logins: KnownLogins | None = None
        if kinds := {one: kind if KIND.fullmatch(kind) else "" for one, kind in kinds.items() if one not in self._allow}:
            self._look_for(kinds)
        self.found: dict[str, Login] = {}
        self.met: dict[str, str] = {}
        """Value to fingerprint of the logins that spread: in memory alone, for `learn` of another redactor."""
        self._learns = learn
        self._second = second
        self._clean: set[str] = set()
        self._passed: set[str] = set()
        self._ready: dict[str, list[Found]] = {}
        self._odd: dict[str, list[Awake]] = {}
        self._knowing: set[str] = set()
        self._doubts = self._nested = 0
        self.is_label = Labels(self._triggers, self._by_literal).__getitem__
        """Whether a key may say that the value under it is a login."""

    def _look_for(self, kinds: Mapping[str, str]) -> KnownLogins:
        """Begin to look for known logins: what it takes is loaded where there is one."""
        from libtool.domain.redact.known import KnownLogins  # noqa: PLC0415 - most texts that are short have none

        self._logins = KnownLogins(self._fingerprints, kinds)
        return self._logins

    def _add(self, value: str, fingerprint: str, kind: str = "") -> None:
        """Look for this login from now on."""
        (self._logins or self._look_for({})).add(value, fingerprint, kind)
        self._doubt(value)

    def _known_in(self, text: str) -> list[Found]:
        return [(start, end, _KNOWN) for start, end in self._logins.spans(text)] if self._logins else []

    def fingerprint(self, login: str) -> str:
        """The fingerprint that a login has under this key."""
        return self._fingerprints.of(login)

    def learn(self, met: Mapping[str, str], kinds: Mapping[str, str] | None = None) -> None:
        """Look for these logins from now on, wherever they stand: what another redactor `met`, and their kinds by fingerprint."""
        for value, fingerprint in met.items():
            self._add(value, fingerprint, kinds.get(fingerprint, "") if kinds else "")

    def _doubt(self, login: str) -> None:
        """What was clean before may hold a login that is known now: it is asked for that one; where there are many, forgotten."""
        self._doubts += 1
        if self._doubts > _DOUBTS or not _PLAIN.fullmatch(login):
            for memory in (self._clean, self._passed, self._ready, self._odd):
                memory.clear()
            self._doubts = 0
            return
        for texts in (self._clean, self._passed):
            if login in SEPARATOR.join(texts):
                texts.difference_update([text for text in texts if login in text])
        for ready in (self._ready, self._odd):
            for text in [text for text in ready if login in text]:
                del ready[text]

    def redact_known(self, text: str) -> str:
        """The text without the logins known so far; no rule is asked. For text that another redactor has been through."""
        spans = self._known_in(text)
        return replaced(text, [self._finding(text, *span) for span in merged(text, spans)]) if spans else text

    def redact_known_all(self, texts: Sequence[str]) -> list[str]:
        """`redact_known` of each of many texts, for the cost of one pass over them all where there is nothing to replace."""
        if not self._logins:
            return list(texts)
        ends = list(accumulate(len(text) + len(SEPARATOR) for text in texts))
        holding = {bisect.bisect(ends, start) for start, *_ in self._known_in(SEPARATOR.join(texts))}
        return [self.redact_known(text) if place in holding else text for place, text in enumerate(texts)]

    def prepare(self, texts: Iterable[str], *, inner: bool = False) -> bool:
        """Look at many texts in one pass: those in which nothing is found are remembered, so that `redact` gives them back at once.

        Returns whether all are such. The next call forgets them, and so does a login that is learned, where it stands in them.
        `inner`: they stand in a text that was prepared; what is known of the others is kept, as long as it is not too much.
        """
        every = set(texts)
        fresh = list(every - self._clean - self._passed)
        self._nested = self._nested + sum(map(len, fresh)) if inner else 0
        if not inner or self._nested > _NESTED:
            self._passed &= every
            self._forget()
        if not fresh:
            return True
        if len(self._clean) >= _REMEMBERED:
            self._clean.clear()
        suspects = self._suspects(fresh)
        passed = [text for text in fresh if text not in suspects]
        self._passed.update(passed)
        self._clean.update([text for text in passed if len(text) <= _SHORT])
        return not suspects

    def _forget(self) -> None:
        """What was prepared is done with."""
        self._ready.clear()
        self._odd.clear()
        self._knowing.clear()
        self._doubts = self._nested = 0

    def pass_over(self, text: str) -> None:
        """A text that `prepare` did not pass was looked at by `scan`, and holds nothing: until the next call it counts as passed."""
        self._passed.add(text)

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
        hits = hits_of(texts, ends, self._awake(whole))
        odd: set[str] = set()
        if self._second is not None:
            odd |= {texts[bisect.bisect(ends, start)] for start, _ in self._second(whole)}
        knowing = {texts[bisect.bisect(ends, start)] for start, *_ in self._known_in(whole)}
        self._knowing |= knowing
        odd |= knowing
        from libtool.domain.redact.folded import may_fold  # noqa: PLC0415 - one text alone seldom needs it
        from libtool.domain.redact.json_text import has_encoded  # noqa: PLC0415 - as above

        for is_one in (may_hold_key, may_fold, has_encoded):
            if is_one(whole):
                odd.update(text for text in texts if is_one(text))
        self._odd.update((text, hits.pop(text, [])) for text in odd)
        ready = {text: spans for text, mine in hits.items() if (spans := self._at_triggers(text, mine))}
        self._ready.update(ready)
        return odd.union(ready)

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
        from libtool.domain.redact.json_value import redact_json  # noqa: PLC0415 - plain text does without

        return redact_json(self, value)

    def scan(self, text: str) -> list[Finding]:
        """The logins of a text in order, merged where they touch; none inside a placeholder. JSON in the text is decoded too."""
        plain = text in self._ready
        findings = self.look(text)
        if plain or "\\" not in text or '"' not in text:
            return findings
        from libtool.domain.redact.json_text import apart, scan_encoded  # noqa: PLC0415 - plain text does without

        inside = scan_encoded(self, text)
        return apart(inside + findings) if inside else findings

    def look(self, text: str) -> list[Finding]:
        """Like `scan`, of the text as it stands, and as an eye reads it."""
        plain = text in self._ready
        findings = self._look(text)
        if plain or text.isascii():
            return findings
        from libtool.domain.redact.folded import fold  # noqa: PLC0415 - as above
        from libtool.domain.redact.json_text import apart  # noqa: PLC0415 - as above

        if (folded := fold(text)) is None:
            return findings
        read = [one.at(*folded.back(one.start, one.end)) for one in self._look(folded.text)]
        return apart(read + findings)

    def _look(self, text: str) -> list[Finding]:
        spans = self._spans(text)
        if not spans:
            return []
        from libtool.domain.redact.references import is_referred, may_refer  # noqa: PLC0415 - of no use in a text without logins

        refers = may_refer(text)
        found = (span for span in merged(text, spans) if not (refers and span[2] >= ISSUED and is_referred(text, *span[:2])))
        findings = [self._finding(text, *span) for span in found]
        return [finding for finding in findings if finding.fingerprint not in self._allow] if self._allow else findings

    def _spans(self, text: str) -> list[Found]:
        """Everything found, also what `prepare` found: that of a text for which nothing but its triggers speaks."""
        if (ready := self._ready.pop(text, None)) is not None:
            return ready
        hits = self._odd.pop(text, None)
        knows = hits is None or text in self._knowing
        hits = self._awake(text) if hits is None else hits
        spans = self._at_triggers(text, hits) if hits else []
        if may_hold_key(text):
            spans += [(a, b, _KEY_LINES) for a, b in key_lines(text)]
        if self._second is not None:
            spans += [(a, b, _SECOND) for a, b in self._second(text)]
        if knows:
            spans += self._known_in(text)
        return spans

    def _awake(self, text: str) -> list[Awake]:
        return self._by_literal.awake(text, self._triggers.hits(text))

    def _at_triggers(self, text: str, hits: list[Awake]) -> list[Found]:
        """What the rules find at their triggers; then what the fallback finds on the lines where they found nothing."""
        spans: list[Found] = []
        late: list[Hit] = []
        # Rule to the place up to which it has dealt with the text: what it found or refused is not looked at again.
        done: dict[int, int] = {}
        may_be_cut = "\n" in text or "\r" in text
        repeats = self._repeats(text) if is_dense(text, hits) else None
        for wake, start, end in hits:
            for index, rule in repeats.woken(wake, start, end) if repeats else wake.rules or wake.load():
                if may_be_cut and index < ISSUED and CUT.match(text, start) and (cut := _wrapped(rule, text, start)):
                    spans.append((*cut, index))
                if repeats is None and rule.probe is not None and rule.probe(text, start) is None:
                    continue
                if done.get(index, 0) > start:
                    continue
                if index >= LATE:
                    late.append((index, start, end))
                    continue
                found, upto = repeats.spans(index, rule, start, end) if repeats else rule.spans(text, start, end)
                if upto > end:
                    done[index] = upto
                spans += [(a, b, index) for a, b in found]
        return spans + self._fallback(text, late, spans, repeats) if late else spans

    def _repeats(self, text: str) -> Repeats:
        from libtool.domain.redact.repeats import Repeats  # noqa: PLC0415 - rare

        return Repeats(text)

    def _fallback(self, text: str, hits: list[Hit], spans: list[Found], repeats: Repeats | None) -> list[Found]:
        """What the fallback finds; on a line where something was found, only what is certain."""
        from libtool.domain.redact import fallback  # noqa: PLC0415 - loaded by its triggers

        taken = [(a, b) for a, b, _ in spans]
        if OPENING in text:
            # What was found before counts as well, or a second run would find more.
            taken += (match.span() for match in PLACEHOLDER.finditer(text))
        taken.sort()
        out: list[Found] = []
        upto = 0
        for index, start, end in hits:
            if start < upto:
                continue
            rule = rule_of(index)
            found, until = repeats.spans(index, rule, start, end) if repeats else rule.spans(text, start, end)
            if until > end:
                upto = until  # where nothing was seen, a word that begins before this one's end may still see something
            place = bisect.bisect(taken, (start, end)) if found else 0
            if found and any(_same_line(text, one, start, end, fallback.REACH) for one in taken[max(place - 1, 0) : place + 1]):
                found = [(a, b) for a, b in found if fallback.is_certain(text[a:b])]
            out += [(a, b, index) for a, b in found]
        return out

    def _finding(self, text: str, start: int, end: int, index: int) -> Finding:
        """Name a span, and remember its login."""
        value = text[start:end]
        fingerprint = self._fingerprint_of(value)
        login = self.found.get(fingerprint)
        if login is None and fingerprint in self._allow:
            return Finding(start, end, "", fingerprint, "")
        if login is None:
            from libtool.domain.redact.known import PHRASE_KIND, spreads  # noqa: PLC0415 - of no use in a text without logins
            from libtool.domain.redact.shape import shape  # noqa: PLC0415 - as above

            rule, kind = self._name(index, fingerprint)
            prefixes = rule_of(index).triggers if 0 <= index < ISSUED else ()
            wide = spreads(value)
            kind = PHRASE_KIND if wide and " " in value else kind
            login = self.found[fingerprint] = Login(fingerprint, kind, rule, spreads=wide, shape=shape(value, prefixes))
            if login.spreads:
                self.met[value] = fingerprint
                if self._learns:
                    self._add(value, fingerprint)
        login.count += 1
        return Finding(start, end, login.kind, fingerprint, login.rule)

    def _name(self, index: int, fingerprint: str) -> tuple[str, str]:
        if index < 0:
            rule_name, kind = _UNRULED[index]
            return rule_name, kind or (self._logins.kind(fingerprint) if self._logins else "")
        rule = rule_of(index)
        return rule.name, rule.kind


def _wrapped(rule: Rule, text: str, start: int) -> Span | None:
    """A token that a line end cuts."""
    from libtool.domain.redact.wrapped import token  # noqa: PLC0415 - rare

    return token(rule, text, start)


def _same_line(text: str, span: Span, start: int, end: int, reach: int) -> bool:
    """Whether a span and a trigger stand on one line, not further than `reach` apart."""
    low, high = (span[1], start) if span[1] < start else (end, span[0])
    return high - low <= reach and "\n" not in text[low:high]
