"""What every place is at which a rule finds anything: looked at before the rule itself is loaded, which most triggers do not survive."""

# ruff: noqa: RUF001 - dashes of prose are what is matched

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.rule import START

TOKEN = lazy(rf"{START}\S{{8}}")
"""A token of a provider begins as a word does, and has no blank in its first characters."""
CUT = lazy(r"[A-Za-z0-9_.+/=-]{8,400}+(?=(?:\\?\r?\n|\r)[ \t]{0,40}[A-Za-z0-9_+/=-]{2})")
"""What stands at the trigger of a token that a line end may cut: cheap to look for."""

JOINED_WORDS = (
    "store|key|user|db|root|admin|ssh|ftp|smtp|my|sql|new|old|ldap|bind|login|auth|app|server|wifi|web|mail|imap|http|proxy|vault|trust|pg"
)
"""What may stand before `pw` in one word with it."""
_PASS = (
    r"(?i:pass)(?:(?i:word|wd|phrase|code|wort|ord|wör|key)|(?i:e)?(?![a-zéß]))|"
    rf"(?:(?<![a-zß-ÿ])|(?=P)|(?=(?i:pwd))|{'|'.join(f'(?<=(?i:{word}))' for word in JOINED_WORDS.split('|'))})(?i:pwd?s?)(?![a-zéß])"
)
_WORDS = {
    "k": ("key", r"(?i:keys?)(?![a-z])"),
    "t": ("token", r"(?i:tokens?)(?![a-z])"),
    "c": ("cookie|cred", r"(?i:cookies?|cred(?:ential)?s?)(?![a-z])"),
    "s": ("secret", r"(?i:secrets?)(?:(?![a-z])|(?i:access|keys?|id|token))"),
    "a": ("auth", r"(?i:auth)(?:(?![a-z])|(?i:key|orization|token))"),
}
LABEL = lazy(rf"{_PASS}|{'|'.join(word for _, word in _WORDS.values())}|(?!(?i:pass|pw|key|token|secret|auth|cookie|cred))")
"""What every label is at least: the word ends, or goes on as one of those that are meant; not `passed`, `keyboard`."""
_LABEL_BY_LETTER = {letter: lazy(f"{word}|(?!(?i:{stems}))") for letter, (stems, word) in _WORDS.items()}
_LABEL_BY_LETTER["p"] = lazy(rf"{_PASS}|(?!(?i:pass|pw))")


def at(guard: re.Pattern[str] | None, literal: str) -> re.Pattern[str] | None:
    """What is left to be asked of a guard at a literal: of `LABEL` what begins with its letter, or nothing."""
    return _LABEL_BY_LETTER.get(literal[0]) if guard is LABEL else guard


SLASH = lazy(r"(?<=[\w.+@\\\-\"'`*]) / (?=\S)")
AT_HOST = lazy(r"@(?:(?:[a-z0-9-]+\.)+[a-z]{2,10}|\d{1,3}(?:\.\d{1,3}){3}|localhost)\b|@(?:tcp|unix)\(", re.IGNORECASE)
TYPED = lazy(
    r"(?i:send_?keys|send_?line|fill|type|type_?string|type_?write|set_?value|enter_?text|input_?text|"
    r"write|sendtext)\((?:[^()\n\"']{0,30},[ \t]*)?"
    r"b?\\?([\"'])(?P<v>[^\s\"'\\]{5,80})\\?\1"
)
DEVICES = tuple(
    (
        "router|nas|switch|printer|camera|fritzbox|fritz box|idrac|ilo|ipmi|bmc|pfsense|modem|access point|ap's|firewall|dvr|nvr|kvm|"
        "esxi|proxmox|synology|home assistant|homeassistant|raspberry|box|portainer|grafana|jenkins"
    ).split("|")
)
DEVICE = lazy(rf"(?<![^\W_])(?i:{'|'.join(map(re.escape, DEVICES))})(?![^\W_])")
PLAIN = lazy(
    r"(?i:pass(?:word|phrase|code|wort)|pwd?|kennwort)(?:[ \t]+(?:for|to|of|on|für|zu)[ \t]+(?:[\w.'-]{1,20}[ \t]*){1,4}?)?"
    r"(?:[ \t]*:[ \t]*|[ \t]*=[ \t]+|[ \t]+(?:is|ist|was)[ \t]+(?:(?:still|just|now|simply|noch|jetzt|einfach)[ \t]+)?)"
    r"(?P<v>[a-z]{5,20})(?=[ \t]*(?:[.!]?[ \t]*(?:\n|\Z)|,[ \t]+(?:all|but|don|no|and please|btw|in lower|ok)))"
)
BELOW = lazy(
    r"[^\n:;{}()\[\]=|]{0,60}+(?:\([^()\n]{0,40}\))?[*_`:]{0,3}[ \t]*\n(?:[ \t>*_-]{0,10}(?:[-=]{3,}[ \t]*)?"
    r"\n){0,3}[ \t>]*(?:[-*][ \t])?[`*]{0,2}(?P<v>[A-Za-z0-9_+/.~-]{20,300}+={0,2})"
    r"[`*]{0,2}[ \t]*(?:\n|\Z)"
)
HEREDOC = lazy(r"<<-?[ \t]*\\?[\"']?(?P<tag>[A-Za-z_]\w{0,20})[\"']?[^\n]{0,80}\n")
PRINTED = lazy(r"[^\n]{0,120}+(?<![:,{\[(=])\n(?:Out ?\[\d*\]: |=> )?[\"']?(?P<v>[^\s\"']{6,400}+)[\"']?(?=[ \t]*(?:\r?\n|\Z))")
ASKED = lazy(r"(?i:ask(?:s|ed)|prompt(?:s|ed)|wants)(?![A-Za-z])[^\n,:;.–—-]{0,42}+[,:;.–—-][ \t]")
TRIED = lazy(
    r"(?:(?<![A-Za-z])(?i:try(?:ing)?|tried|connect as)|(?<=(?i:log|ign) )(?i:in as)|(?<=(?i:log))(?i:in as))[ \t]+"
    r"[\"'`]?[A-Za-z][\w.+-]{1,30}(?:@[\w.-]{1,40})?[\"'`]?(?P<sep>:|[ \t]/[ \t]|[ \t](?:with|using|and|mit)[ \t])(?=[^\s/])"
)
COMMENTED = lazy(r"(?<=[ \t])(?i:api[ _-]?key|access key|secret|token|credential)s?(?![\w(=:.\"'])")
QUOTED = lazy(r"(?i:password|passwd|secret|api_?key|token)\\{0,3}[\"']\s*,")
