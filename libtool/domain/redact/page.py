"""docs/redaction.md, from the rule table."""

from __future__ import annotations

from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.words import PASSWORD_WORDS, TOKEN_WORDS

HEADINGS = {
    "providers": "Tokens of providers",
    "blocks": "Keys, web tokens and password hashes",
    "urls": "URLs, headers and cookies",
    "commands": "Arguments of commands",
    "codes": "Second factors, codes, and keys of things",
    "labels": "A label, then a value",
    "pairs": "User and login side by side",
    "tables": "Tables and lists",
    "wording": "Other wordings",
    "beside": "Named elsewhere than before it",
    "fallback": "The last net",
}
"""The heading of each group of rules."""

HEAD = """# What is redacted

{generated}

Everything that lib stores or prints of a transcript goes through one redactor. It looks for triggers (fixed words) in one pass, then tries
a small pattern at each; values that are placeholders, references, identifiers or ids are left alone. What is found becomes
`[REDACTED:<kind>-<fingerprint>]`. The fingerprint is 48 bits of HMAC-SHA256 under a key that never leaves the machine, so one login has
one fingerprint wherever it stands, and nobody without the key can test a guess against it.

What to expect: known token formats are found nearly always, wording that the rules know is found nearly always, and wording that nobody
thought of is found less often. No redactor finds everything: change a login that you gave to a chat. A login that was found
once is found again without its context, unless it is an ordinary word or a short number. `ignore` and `allow` comments of other tools
switch nothing off; only `logins.allow` in the configuration does, by fingerprint.

Text is read as an eye reads it: invisible characters inside words and full-width letters hide nothing, and a token of a provider that a
line end cuts is taken with its rest. In a session, a bare answer to a message that asks for a login (`What is the root password?`) is taken
when it looks like one; that needs the messages in order, so `lib redact` on a file does not do it.

What stays: what an agent must find byte for byte in its own files (signatures, encrypted content, image data), public keys and
certificates, commit ids, UUIDs, lock file hashes.

An example shows what the rule takes between « and »; `{{a36}}` stands for 36 random characters.
"""


def render(generated: str) -> str:
    """The page; `generated` is the remark that says where it comes from."""
    lines = [HEAD.format(generated=generated)]
    for group, rules in GROUPS.items():
        lines += [f"## {HEADINGS[group]}", "", "| rule | kind | takes, for example | leaves |", "|---|---|---|---|"]
        lines += [
            f"| {rule.name}{f'<br>{rule.note}' if rule.note else ''} | {rule.kind} | {_code(rule.hits)} | {_code(rule.misses)} |"
            for rule in rules
        ]
        lines.append("")
    lines += [
        "## Words",
        "",
        "Words for a password, by language; a table to extend (`libtool/domain/redact/words.py`).",
        "",
        "| language | words |",
        "|---|---|",
    ]
    lines += [f"| {language} | {', '.join(words)} |" for language, words in PASSWORD_WORDS.items()]
    lines += ["", f"Words for a token or key: {', '.join(TOKEN_WORDS)}.", ""]
    return "\n".join(lines)


def _code(examples: tuple[str, ...]) -> str:
    """Examples for one cell of a table."""
    return "<br>".join(f"<code>{_escaped(one)}</code>" for one in examples)


def _escaped(text: str) -> str:
    for plain, shown in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("|", "&#124;"),
        ("`", "&#96;"),
        ("*", "&#42;"),
        ("_", "&#95;"),
        ("\n", "⏎"),
        ("\\", "&#92;"),
    ):
        text = text.replace(plain, shown)
    return text
