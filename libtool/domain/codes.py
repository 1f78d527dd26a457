"""The codes of all that can be wrong with an entry: what each means, an example that breaks it, how to mend it.

Codes are stable: programs and people refer to them. A new rule takes a new number; a number is never used for something else.
"""

from __future__ import annotations

from libtool.domain.named import NamedTuple

EXAMPLE = """# Rotate the staging API tokens

## Answer

Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)

## Decided

- 2026-10-03: keep the sidecar, not a cron job; cron missed two rotations. (claude-code:3f2a9c1e#41)

## Blocker

None.

## Superseded

- 2026-09-12: rotate by hand every Monday. (codex:0199a8f2#7)

## Measured

- 2026-10-03: p95 of a token fetch 41 ms, n=200, laptop. (claude-code:3f2a9c1e#52)

## Open

- 2026-10-03: the old tokens in the wiki are not revoked yet. (claude-code:3f2a9c1e#60)

## Pointers

- acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44
- absent acme/api@9f3c2d1 "token cron"

## Session

- claude-code:3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77 laptop 2026-10-03
"""
"""A right entry: `entries/staging-tokens.md`, say."""


class Code(NamedTuple):
    """One rule. The example is EXAMPLE with `old` replaced by `new`; where `old` is '', `new` is a file name or tells what the file is."""

    meaning: str
    mend: str
    old: str
    new: str
    fixable: bool = False
    is_warning: bool = False


_BY_FIX = "`lib check --fix` does it"
_ANSWER = "Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)"
_DECIDED = "- 2026-10-03: keep the sidecar, not a cron job; cron missed two rotations. (claude-code:3f2a9c1e#41)"
_OPEN = "- 2026-10-03: the old tokens in the wiki are not revoked yet. (claude-code:3f2a9c1e#60)"
_POINTER = "- acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44"
_CLAIM = '- absent acme/api@9f3c2d1 "token cron"'
_SESSION = "- claude-code:3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77 laptop 2026-10-03"

CODES: dict[str, Code] = {
    "E101": Code(
        "the file's name is not a topic and `.md`: small letters and digits, words joined by single `-`, 80 characters at most",
        "rename it: `git mv` to the name that the message suggests",
        "",
        "entries/Staging Tokens.md",
    ),
    "E102": Code(
        "not a file: entries/ is flat, and holds no folders and no links", "move it out of entries/", "", "a symbolic link, a folder"
    ),
    "E103": Code("not UTF-8 text", "save it as UTF-8; `lib check --fix` converts UTF-16", "", "a file in UTF-16, an image", fixable=True),
    "E104": Code("far too large for an entry (over 1 MB): it is not even read", "move it out of entries/", "", "a log of 5 MB"),
    "E105": Code("cannot be read", "see to its permissions", "", "a file of mode 000"),
    "E201": Code(
        "the title is missing, or not first: `# Title` on the first line",
        f"write it; {_BY_FIX}, with the topic's words",
        "# Rotate the staging API tokens\n\n",
        "",
        fixable=True,
    ),
    "E202": Code("a second title", f"{_BY_FIX}: it becomes an item of Open", "## Answer\n", "# Tokens\n\n## Answer\n", fixable=True),
    "E203": Code("a section is missing", f"{_BY_FIX}: it adds `None.`", "## Blocker\n\nNone.\n\n", "", fixable=True),
    "E204": Code(
        "not one of the eight sections",
        f"{_BY_FIX}: it becomes an item of Open",
        "## Blocker\n",
        "## Notes\n\n- x\n\n## Blocker\n",
        fixable=True,
    ),
    "E205": Code(
        "a section stands twice",
        f"{_BY_FIX}: it joins them",
        "## Blocker\n\nNone.\n",
        "## Blocker\n\nNone.\n\n## Blocker\n\nNone.\n",
        fixable=True,
    ),
    "E206": Code(
        "sections are not in their order",
        _BY_FIX,
        f"## Decided\n\n{_DECIDED}\n\n## Blocker\n\nNone.\n",
        f"## Blocker\n\nNone.\n\n## Decided\n\n{_DECIDED}\n",
        fixable=True,
    ),
    "E207": Code(
        "a heading is not written plainly: `## Name` at the beginning of a line, nothing behind it, no underline",
        _BY_FIX,
        "## Open\n",
        "Open\n----\n",
        fixable=True,
    ),
    "E208": Code("a deeper heading outside of the Answer", f"make it an item; {_BY_FIX}", _OPEN, f"### Wiki\n\n{_OPEN}", fixable=True),
    "E209": Code(
        "text before the first section",
        f"move it; {_BY_FIX}: it becomes an item of Open",
        "## Answer\n",
        "Draft.\n\n## Answer\n",
        fixable=True,
    ),
    "E210": Code(
        "blank lines, indents or line ends are not in the one form: a blank line around headings, none between items, further lines of an "
        "item indented by two",
        _BY_FIX,
        "## Answer\n\n",
        "## Answer\n",
        fixable=True,
    ),
    "E211": Code(
        "a code fence or HTML block is not closed, so that what follows is no section to a reader of markdown",
        f"close it where it should end; {_BY_FIX} before the next section",
        _ANSWER,
        f"{_ANSWER}\n\n```sh\nmake rotate",
        fixable=True,
    ),
    "E212": Code(
        "from this heading on the text reads as code or HTML to some readers of markdown: something before it is open, or ends in doubt",
        "look at the fences and tags above it: put blank lines around them, or take them out",
        _ANSWER,
        f"{_ANSWER}\n\n- the proxy\n<div>\n<!-- later",
    ),
    "E301": Code("the Answer is empty, or holds no sentence", "write what a new chat must know, in a sentence or two", _ANSWER, "None."),
    "E302": Code(
        "the Answer's first paragraph does not end with its date, `(YYYY-MM-DD)`",
        f"{_BY_FIX}, with today's",
        " (2026-10-03)\n",
        "\n",
        fixable=True,
    ),
    "E303": Code(
        "the Answer's date is no day, or more than a day ahead", "write the day on which it was found", "h. (2026-10-03)", "h. (2026-02-30)"
    ),
    "E304": Code(
        "two Answers in one paragraph: a line before the last ends with a date",
        f"{_BY_FIX}: the newer stays, the other goes to Superseded",
        _ANSWER,
        f"Rotate by hand. (2026-10-01)\n{_ANSWER}",
        fixable=True,
    ),
    "E401": Code(
        "something else than a list stands in the section", f"make it an item; {_BY_FIX}", _OPEN, "Nothing that matters.", fixable=True
    ),
    "E402": Code("the section is empty", f"write `None.`; {_BY_FIX}", "None.\n\n", "", fixable=True),
    "E403": Code("`None.` beside items", f"take it out; {_BY_FIX}", _OPEN, f"None.\n\n{_OPEN}", fixable=True),
    "E404": Code("an item does not begin with `- ` at the beginning of the line", _BY_FIX, _OPEN, f"*{_OPEN[1:]}", fixable=True),
    "E405": Code("an item's date is no day, or more than a day ahead", "write the day it is about", "- 2026-09-12:", "- 2026-09-31:"),
    "E406": Code("the same item stands twice", f"{_BY_FIX}: one stays", _OPEN, f"{_OPEN}\n{_OPEN}", fixable=True),
    "E407": Code(
        "items are not in order: without a date first, then by date, then by text", _BY_FIX, _OPEN, f"{_OPEN}\n- Who owns it?", fixable=True
    ),
    "E408": Code(
        "what ends an item looks like a session reference and is none",
        "write `(<agent>:<at least 6 characters of the id>#<turn>)`",
        "(claude-code:3f2a9c1e#60)",
        "(claude-code:3f2a9c1e#sixty)",
    ),
    "E501": Code(
        "not a pointer: `<project>@<commit> <path>[#L1-L2]`, a URL, a session reference, `[[topic]]`, or a claim of absence",
        "write it so, or make it an item of another section",
        _POINTER,
        "- see the deploy folder",
    ),
    "E502": Code("a link to a topic that is not in the library", "correct the topic, or take it out", _POINTER, "- [[token-vault]]"),
    "E503": Code("a claim of absence that is incomplete", 'write `absent <project>@<commit> "<keywords>"`', _CLAIM, "- absent token cron"),
    "E601": Code("no session is named", "name the session that found it; `lib search` prints references", _SESSION, "None."),
    "E602": Code(
        "not a session",
        "write `<agent>:<session id> <machine> <YYYY-MM-DD>`, or a REF as `lib search` prints it and then `lib check --fix`",
        _SESSION,
        "- last Friday's chat",
    ),
    "E603": Code(
        "the session's date is no day, or more than a day ahead", "write the day of the session", "laptop 2026-10-03", "laptop 2026-13-03"
    ),
    "E701": Code("a login", "change that login, then replace it: `lib redact --in-place`", "sidecar;", "sidecar, password: «a password»;"),
    "E702": Code(
        "a conflict marker",
        f"settle the conflict; {_BY_FIX}, keeping both sides",
        _OPEN,
        f"{_OPEN}\n>>>>>>> theirs",
        fixable=True,
    ),
    "E703": Code("a control character", f"take it out; {_BY_FIX}", "sidecar;", "sidecar\x00;", fixable=True),
    "E704": Code("a carriage return: lines end with LF alone", _BY_FIX, "None.\n", "None.\r\n", fixable=True),
    "E705": Code(
        "a character that hides or turns text: bidirectional control, byte order mark, tag",
        f"take it out; {_BY_FIX}",
        "sidecar;",
        "side\u202ecar;",
        fixable=True,
    ),
    "W801": Code(
        "the Answer is long (over 1,200 characters): an agent reads it whole",
        "keep what a new chat must know; reasons go to Decided, figures to Measured",
        _ANSWER,
        f"Use the vault sidecar. (2026-10-03)\n\n{'It is long. ' * 110}".rstrip(),
        is_warning=True,
    ),
    "W802": Code(
        "an item is long (over 600 characters)",
        "make it two, or keep the finding and point to the session for the rest",
        _OPEN,
        f"- {'It is long. ' * 60}".rstrip(),
        is_warning=True,
    ),
    "W803": Code(
        "the entry is long (over 16 KB)",
        "move a part of it to a topic of its own and link it as `[[topic]]`; drop from Superseded what nobody will ask for",
        _OPEN,
        "\n".join(f"- {number}: {'it is long. ' * 40}".rstrip() for number in range(100, 140)),
        is_warning=True,
    ),
}
"""Every code. `fixable`: whether `lib check --fix` mends it."""
