"""The Answer of a digest: the sentence that says best what came of the session."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from libtool.domain import condense
from libtool.domain.digest import evidence
from libtool.domain.digest.sentences import HEADING, INTENT, INTRO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.domain.digest.collect import Candidate

LIMIT = 330
"""Bytes of the sentences together."""
FEWEST = 5
"""Words of a sentence that may be the Answer."""
_MODEL = (condense.ASSISTANT, condense.SUMMARY)
_OF_KIND = {HEADING: 0.3, INTENT: 0.15, INTRO: 0.3}
_ASIDE = re.compile(
    r"\b(?:unrelated|untracked|unstaged|pre-existing|pre-changes|remaining (?:files|modified|changes|untracked)|dirty|already modified|"
    r"staged|working tree|want me|let me know|if you|happy to|feel free|sorry|apolog|good question|you're right|makes sense)"
    r"|^(?:can|could|shall|should|would|do|did|does|is|are|may) (?:i|you|we|it|there)\b"
)
"""What is said beside the matter."""
_BARELY = re.compile(
    r"(?:all )?\d[\d,]* (?:\w+ )?tests?\b|(?:all|the)? ?tests? pass|lint|typecheck|committed as|commit (?:is|created|successful)"
)
"""That something passed, or was committed, says nothing of what it was."""
_INTENDS = re.compile(
    r"\bi(?:'|\u2019)(?:m|ll)\b|\b(?:i|we) (?:will|need to|should|plan to)\b|\bnext step|\byou can\b|\byou (?:will|need|may)\b"
)
_MIDWAY = re.compile(
    r"\bi (?:can )?(?:now )?(?:see|understand|notice)\b|\bnow i\b|\bclearly now\b|\bmore clearly\b|"
    r"^(?:looking at|let's|hmm|wait|perfect|great|excellent)\b|"
    r"\bi (?:misunderstood|missed|forgot)\b"
)
"""What is said on the way: that something became clear says nothing of what came of it."""
_EARLY = 3


def choose(candidates: Sequence[Candidate], gains: Sequence[float]) -> int:
    """The place of the best sentence; `gains` is what each is worth by itself, for each byte."""
    spoken = [at for at, one in enumerate(candidates) if one.code in _MODEL and len(one.text.split()) >= FEWEST]
    if not spoken:
        return max(range(len(candidates)), key=lambda at: (gains[at], at))
    turn = _main_turn(candidates, {candidates[at].turn for at in spoken})
    spoken = [at for at in spoken if candidates[at].turn == turn]
    closing = max(candidates[at].message for at in spoken)
    first = min(candidates[at].line for at in spoken if candidates[at].message == closing)

    def worth(at: int) -> float:
        one = candidates[at]
        text = one.text.lower()
        value = math.sqrt(gains[at] * len(one.text)) * _OF_KIND.get(one.kind, 1.0)
        value *= 1.6 if evidence.concludes(text) else 1.0
        value *= 0.3 if _ASIDE.search(text) or text.endswith("?") else 1.0
        value *= 0.5 if _BARELY.match(text) else 1.0
        value *= 0.6 if one.about else 1.0
        value *= 0.3 if _INTENDS.search(text) or _MIDWAY.search(text) else 1.0
        if one.message != closing:
            return value * 0.4
        return value * (1.4 if one.line - first < _EARLY else 1.0)

    return max(spoken, key=lambda at: (worth(at), at))


def goes_along(one: Candidate) -> bool:
    """Whether a sentence may stand beside the best one of its line."""
    text = one.text.lower()
    return one.kind != INTENT and not (text.endswith("?") or _ASIDE.search(text) or _MIDWAY.search(text))


def _main_turn(candidates: Sequence[Candidate], spoken: set[int]) -> int:
    """The last turn with at least a third of the most work, counted in messages and calls; of those in which something was said."""
    first: dict[int, int] = {}
    for one in candidates:
        first.setdefault(one.turn, one.message)
    starts = sorted(first.items(), key=lambda row: row[1])
    ends = [start for _, start in starts[1:]] + [candidates[-1].message + 1]
    work = {turn: end - start for (turn, start), end in zip(starts, ends, strict=True) if turn in spoken}
    most = max(work.values())
    return [turn for turn, count in work.items() if count * 3 >= most][-1]
