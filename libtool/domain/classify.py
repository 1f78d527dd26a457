"""The class of a session: what is shown by default, and what is withheld (and counted).

A table of rules, the first that holds wins. To withhold a person's work costs more than to show a machine's, so a run without a
terminal (`claude -p`, `codex exec`) is work unless its prompt shows that a program wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from libtool.domain.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WORK, SUB_AGENT, SECURITY_REVIEW, AUTOMATED, TRIVIAL = "work", "sub-agent", "security-review", "automated", "trivial"
WITHHELD = frozenset({SECURITY_REVIEW, AUTOMATED, TRIVIAL})
"""Classes that a search leaves out, counts, and brings back on request."""

PROMPT_KEPT = 4000
WHOLE_REF_ID = 6
"""The fewest characters of an id that name a session."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules know of a session."""

    origin: str = ""
    """How the session was started, in the agent's word; a sub-agent's type where it has one."""
    subagent: bool = False
    cwd: str = ""
    first_prompt: str = ""
    """Of the person, or of the parent agent. Its first PROMPT_KEPT characters are looked at."""
    human_turns: int = 0
    task_turns: int = 0
    model_characters: int = 0
    tool_calls: int = 0
    parent_class: str = ""
    """Of the session that a sub-agent works for; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A class and why, in words for `lib show` and `lib status`."""

    session_class: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table."""

    session_class: str
    reason: str
    holds: Callable[[Facts], bool]


PROGRAM_ORIGINS = frozenset(
    {"sdk-cli", "sdk-ts", "sdk-py", "exec", "codex_exec", "print", "run", "mcp", "github-action", "claude-code-github-action", "ci"}
)
"""Origins without a person at a terminal; the person may be right behind it, so this alone decides nothing."""
SERVICE_ORIGINS = frozenset(
    {"compact", "memory_consolidation", "memory-consolidation", "scheduled", "cron", "automation", "hook", "heartbeat"}
)
"""Origins that no person starts."""
SUB_AGENT_ORIGINS = frozenset({"review", "subagent", "thread_spawn"})


def _any(*patterns: str) -> re.Pattern[str]:
    """One pattern out of several; case does not matter, and a dot is any character."""
    return lazy("|".join(patterns), re.IGNORECASE | re.DOTALL)


# Repetitions are bounded and the prompts are cut, so the time is bounded too. `_PLEASE` and `_ROLE` are beginnings of a prompt.
_PLEASE = r"^(?:please |can you |could you |now )?"
_ROLE = r"^you are (?:an? |the )?(?:[\w/,-]+ ){0,6}?"
_TALK = r"(?:conversation|session|chat|transcript)"
_SHAPE = r"(?:json|yaml|xml|yes|no|true|false|(?:one|a single) (?:word|line|number))\b"

SERVICE_FOLDERS = _any(r"/(?:\.codex/memories|memories_v2|\.claude-mem|observer-sessions)(?:/|$)")
_SECURITY_ORIGIN = _any(r"secur\w{0,5}[-_: ]{0,2}(?:code[-_: ]?)?(?:review|audit|scan)")
_SECURITY_PROMPT = _any(
    r"^/[\w:-]{0,40}secur[a-z]{0,5}[-_:](?:review|audit|scan)",
    r"^<security-review",
    _ROLE + r"security (?:code )?(?:reviewer|auditor|scanner)\b",
    _ROLE + r"security (?:[\w-]+ ){0,2}?(?:engineer|expert|analyst|researcher|specialist|agent|assistant)\b"
    r".{0,300}?\b(?:review|audit|vulnerabilit|assess|scan)",
    _PLEASE
    + r"(?:perform|conduct|run|do|carry out|complete|start) (?:[\w-]+ ){0,4}?security[- ](?:code[- ])?(?:review|audit|scan|assessment)\b",
    _PLEASE + r"(?:review|audit|check|analy[sz]e|scan|inspect|examine|assess)\b.{0,120}? for .{0,40}?"
    r"\b(?:security(?! groups?\b| teams?\b| pages?\b| modules?\b| tests?\b)|vulnerabilit)",
    r"^\W{0,5}security (?:code )?(?:review|audit|scan) ?(?:of|for|task|request|:)",
)
_SERVICE_PROMPT = _any(
    r"^<(?:scheduled-task|heartbeat|automation)\b",
    r"^\W{0,5}(?:automation(?: id)?:|heartbeat\b|\[automated\])",
    r"^(?:this is )?(?:an )?automated (?:run|execution) of a scheduled task",
    r"^you are (?:an? |the )?(?:[\w/,-]+ ){0,3}?(?:claude-mem\b|(?:memory|session|conversation|transcript|chat)[- ](?:[\w-]+ ){0,2}?"
    r"(?:agent|observer|reviewer|summari[sz]er|extractor|writer|consolidator|analy[sz]er)\b)",
    _PLEASE + r"(?:generate|write|create|suggest|summari[sz]e|give)\b.{0,60}?\b(?:title|name|summary|headline)\b.{0,40}?\b" + _TALK + r"\b",
    _PLEASE + r"(?:summari[sz]e|analy[sz]e|extract\b.{0,60}? from) (?:the |this )(?:following )?(?:[\w-]+ )?" + _TALK + r"\b",
)
_ROLE_OF_A_SERVICE = _any(
    _ROLE + r"(?:reviewer|classifier|grader|judge|evaluator|summari[sz]er|bot|extractor|triager|linter|monitor|watcher|dispatcher|router"
    r"|moderator|label+er)\b"
)
_FOR_A_PARSER = _any(
    r"\b(?:respond|reply|answer|return|output|print)\b[^.\n]{0,40}?\b(?:only|exactly|strictly|nothing but|valid)\b[^.\n]{0,60}?\b" + _SHAPE,
    r"\bonly (?:output|return|respond|reply|answer)\b[^.\n]{0,60}?\b" + _SHAPE,
)
_PROBE = _any(
    r"(?:(?:hi+|hey+|hello|yo|ping|test(?:ing)?|ok(?:ay)?|thanks?|thank you|exit|quit|bye|are you (?:there|working)"
    r"|(?:what|which) model are you|who are you)(?: (?:there|claude|codex|gemini|world))?\W{0,9})"
)
PROBE_BYTES = 40
"""The length of a prompt that says little, in UTF-8: a Chinese character says more than a letter."""
ANSWER_CHARACTERS = 200


def _by_program(facts: Facts) -> bool:
    return facts.origin in PROGRAM_ORIGINS


def _security_review(facts: Facts) -> bool:
    """A session that was asked for a security review and for nothing else: later turns of a person make it work."""
    return bool(_SECURITY_PROMPT.search(facts.first_prompt)) and (_by_program(facts) or facts.human_turns <= 1)


def _is_empty(facts: Facts) -> bool:
    return not (facts.human_turns or facts.task_turns or facts.tool_calls or facts.model_characters)


def _one_exchange(facts: Facts) -> bool:
    return facts.human_turns <= 1 and not facts.tool_calls


def _says_little(facts: Facts) -> bool:
    """A short prompt and a short answer; but the answer to a question may be a fact, however short."""
    short = len(facts.first_prompt.encode(errors="replace")) <= PROBE_BYTES and facts.model_characters <= ANSWER_CHARACTERS
    return short and not ("?" in facts.first_prompt and facts.model_characters)


RULES = (
    Rule(SECURITY_REVIEW, "a sub-agent or run of a security reviewer", lambda facts: bool(_SECURITY_ORIGIN.search(facts.origin))),
    Rule(SECURITY_REVIEW, "its only prompt asks for a security review", _security_review),
    Rule(AUTOMATED, "started by the agent's own service", lambda facts: facts.origin in SERVICE_ORIGINS),
    Rule(AUTOMATED, "runs in a folder of a memory service", lambda facts: bool(SERVICE_FOLDERS.search(facts.cwd))),
    Rule(
        AUTOMATED,
        "its only prompt is a service's: about a transcript, or on a schedule",
        lambda facts: facts.human_turns <= 1 and bool(_SERVICE_PROMPT.search(facts.first_prompt)),
    ),
    Rule(SECURITY_REVIEW, "a sub-agent of a security review", lambda facts: facts.subagent and facts.parent_class == SECURITY_REVIEW),
    Rule(AUTOMATED, "a sub-agent of an automated session", lambda facts: facts.subagent and facts.parent_class == AUTOMATED),
    Rule(SUB_AGENT, "a sub-agent's session", lambda facts: facts.subagent or facts.origin in SUB_AGENT_ORIGINS),
    Rule(
        AUTOMATED,
        "run by a program that gives the model a service's role",
        lambda facts: _by_program(facts) and bool(_ROLE_OF_A_SERVICE.search(facts.first_prompt)),
    ),
    Rule(
        AUTOMATED,
        "run by a program that wants an answer for a parser",
        lambda facts: _by_program(facts) and facts.human_turns <= 1 and bool(_FOR_A_PARSER.search(facts.first_prompt)),
    ),
    Rule(TRIVIAL, "nothing was said", _is_empty),
    Rule(AUTOMATED, "no turn of a person", lambda facts: not facts.human_turns),
    Rule(TRIVIAL, "one greeting or probe", lambda facts: _one_exchange(facts) and bool(_PROBE.fullmatch(facts.first_prompt))),
    Rule(
        TRIVIAL,
        "one short exchange without a tool call",
        lambda facts: _one_exchange(facts) and _says_little(facts),
    ),
    Rule(WORK, "a person's turns", lambda _: True),
)


def classify(facts: Facts, overrides: Iterable[tuple[str, str]] = (), ref: str = "") -> Verdict:
    """The class of the session `ref` (`agent:full id`); `overrides` are `Config.classes`, which win."""
    for key, session_class in overrides:
        if _names(key, facts.cwd, ref, with_parent=session_class in WITHHELD):
            return Verdict(session_class, f"the configuration says so for {key}")
    facts = replace(facts, first_prompt=facts.first_prompt[: 2 * PROMPT_KEPT].strip()[:PROMPT_KEPT])
    rule = next(rule for rule in RULES if rule.holds(facts))
    return Verdict(rule.session_class, rule.reason)


def _names(pattern: str, cwd: str, ref: str, *, with_parent: bool) -> bool:
    """Whether an override's key means this session: a folder pattern (also for what lies below), or a REF.

    The id of a sub-agent's session may begin with that of its parent: the parent's REF means it only `with_parent`: it is withheld with
    the parent, and otherwise stays what it is.
    """
    if pattern.startswith("/"):
        return bool(cwd) and (fnmatchcase(cwd, pattern) or fnmatchcase(cwd, pattern.rstrip("/") + "/*"))
    agent, _, part = pattern.partition(":")
    this_agent, _, this_id = ref.partition(":")
    if not with_parent and "/" not in part:
        this_id = this_id.rpartition("/")[2]
    return agent == this_agent and (part == this_id or (len(part) >= WHOLE_REF_ID and part in this_id))
