"""Which section of an entry a sentence belongs to, by the words in it. A table of rules, the first that holds wins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.domain import condense

if TYPE_CHECKING:
    from libtool.domain.digest.collect import Candidate

DECIDED, BLOCKER, SUPERSEDED, MEASURED, OPEN = "Decided", "Blocker", "Superseded", "Measured", "Open"

_STILL = (
    r"\b(?:blocked (?:by|on)|is blocking|waiting (?:for|on)|still (?:fail|broken|crash|not work)|cannot proceed|can't proceed|unable to|"
    r"couldn't|could not (?:get|find|run|build|connect|reproduce)|no access to|permission denied|blockiert|bloqué|bloqueado)"
    r"|被阻塞|无法继续"
)
_LATER = (
    r"\b(?:todo|fixme|not yet|next steps?|follow[- ]?ups?|remain(?:s|ing)? (?:to|open|work|issue|task)|left (?:to|for|open|unfixed|"
    r"as is)|"
    r"still (?:needs?|to be|missing|has to|have to)|out of scope|future work|later on|deferred|postponed|unresolved|open questions?|"
    r"should (?:we|i)\b|want me to|would you like|needs? (?:a )?(?:manual|further|more)|untested|unverified|not (?:been )?(?:tested|"
    r"verified|"
    r"implemented|addressed|covered|handled|done)|haven't|hasn't|noch (?:nicht|offen)|offen|pas encore|à faire|pendiente|todavía no|"
    r"ainda não|"
    r"не сделано|ещё не)|尚未|待办|未完成|まだ|未対応|아직"
)
_INSTEAD = (
    r"\b(?:no longer|superseded|deprecated|formerly|reverted|abandoned|turned down|rejected|switched from|moved away from|"
    r"(?:us(?:e|es|ing)|chose|prefer|went with|decided|now|switch\w*|replac\w+)\b.{1,80}\b(?:instead of|rather than)|"
    r"statt(?:dessen)?|nicht mehr|au lieu de|ne plus|en lugar de|ya no|em vez de)\b|вместо|больше не|代替|不再|改为|の代わり|대신"
)
_AMOUNT = (
    r"(?<![\w.#:/-])\d[\d,._]*\s?(?:%|ms|\xb5s|us|ns|s|sec(?:onds?)?|min(?:utes?)?|h|hours?|x|\xd7|times|k?b/s|[kmgt]i?b(?:/s)?|bytes|"
    r"tokens?|rows?|lines?|"
    r"files?|tests?|cases|checks|assertions|requests?|req/s|ops|rps|qps|fps|errors?|failures?|warnings?|passed|passing|pass|failed)\b"
    r"|\b\d+ ?(?:/|of) ?\d+\b"
)
_BESIDE = (
    r"\b(?:test|tests|pass(?:ed|es|ing)?|fail(?:ed|ures?|ing|s)?|bench(?:mark)?\w*|measur\w+|latency|throughput|p50|p9\d|median|"
    r"mean|average|took|takes|faster|"
    r"slower|speed(?:up)?|memory|rss|size|coverage|score|accuracy|recall|precision|f1|loss|runs?|ran|elapsed|duration|cost|"
    r"down from|up from|reduc\w+|"
    r"gemessen|mesuré|medido|tests?)\b|测试|通过|ミリ秒|テスト"
)
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (BLOCKER, re.compile(_STILL)),
    (OPEN, re.compile(_LATER)),
    (SUPERSEDED, re.compile(_INSTEAD)),
)
_PERSON = (condense.HUMAN, condense.ANSWER)
_IS_AMOUNT, _IS_MEASURED = re.compile(_AMOUNT), re.compile(_BESIDE)
_CONCLUDES = re.compile(
    r"\b(?:fix(?:ed|es)?|implement(?:ed|s)?|complet(?:ed|e)|done|works?|working|root cause|caused by|because|the (?:problem|issue|"
    r"cause|reason|answer|fix|"
    r"solution)|turn(?:s|ed) out|conclusion|in short|summary|result(?:s|ed)?|resolved|decid(?:ed|e)|chose|recommend(?:ed|ation)?|"
    r"should|must|now|added|"
    r"changed|created|updated|removed|replaced|moved|committed|merged|released|gelöst|behoben|corrigé|terminé|resuelto|hecho)\b|修复|"
    r"完成|解决|原因|修正|完了"
)


def section(one: Candidate, *, last_turn: int) -> str:
    """The section for a chosen sentence; a blocker counts only where the session ended with it, else it was one for a while."""
    text = one.text.lower()
    for name, rule in _RULES:
        if rule.search(text):
            if name == BLOCKER and (one.code != condense.ASSISTANT or one.turn < last_turn):
                continue
            if one.code in _PERSON and (name == SUPERSEDED or (name == OPEN and one.turn < last_turn)):
                # What a person wants instead is decided, and what was open is done.
                continue
            return name
    if one.code in (condense.ASSISTANT, condense.SUMMARY) and _IS_AMOUNT.search(text) and _IS_MEASURED.search(text):
        return MEASURED
    return DECIDED


def concludes(text: str) -> bool:
    """Whether a sentence says what came of something."""
    return _CONCLUDES.search(text.lower()) is not None
