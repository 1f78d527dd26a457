"""docs/entry-format.md: the format in words, and the table of codes."""

from __future__ import annotations

import difflib

from libtool.domain.codes import CODES, EXAMPLE
from libtool.domain.decode import CONTROL, UNSEEN
from libtool.domain.schema import ANSWER_LIMIT, ENTRY_LIMIT, INDEX_TOKENS, ITEM_LIMIT, SENTENCE_LIMIT, TOPIC_LIMIT

_HEAD = f"""# The format of an entry

{{generated}}

An entry is one topic: `entries/<topic>.md`. The topic is a slug `[a-z0-9]+(-[a-z0-9]+)*` of at most {TOPIC_LIMIT} characters;
entries/ is flat. UTF-8, lines end with LF, CommonMark: a `## x` inside a code fence or an HTML block is no heading.

```markdown
{EXAMPLE}```

- One title `# ...`, first; then exactly the eight sections, in this order, each once. Deeper headings are free inside the Answer
  only.
- **Answer**: prose. Its first sentence is the line in INDEX.md; its first paragraph ends with its date. The other sections hold a
  list of items, or `None.`
- An item may begin with its date `YYYY-MM-DD:` and may end with the session it comes from, `(<agent>:<id>[#turn])`. Further lines
  of an item are indented by two. Dates are real days, at most one ahead.
- Items stand in order: without a date first, then by date, then by text; in Session by the date at the end, in Pointers the claims
  of absence last. The same item stands once in a section: the same text without wrapping, in Unicode's form C.
- **Pointers**: `<project>@<commit> <path>[#L1-L2]`, a URL, a session reference `<agent>:<id>[#turn]`, `[[topic]]`, or a claim that
  something is not there: `absent <project>@<commit> "<keywords>"`.
- **Session**: at least one `<agent>:<session id> <machine> <YYYY-MM-DD>`; `lib check --fix` makes it of a REF, as `lib search` prints it.

`lib check` reports all problems of a file as `path:line: CODE message`. `lib check --fix`, and the git hook before each commit,
mend what needs no person. They never drop a word: what has no place (text before the sections, an unknown section) becomes an item
of Open. An Answer that was replaced since the last commit becomes an item of Superseded, and the new one gets its date.

## INDEX.md

Generated: one line for each entry, sorted by topic; the same entries give the same bytes on each machine. Its header says how large
it is; above {INDEX_TOKENS} tokens (of 4 bytes) it tells an agent to use `lib topics KEYWORDS` instead of reading on.

```
- [topic](entries/topic.md): <first sentence of the Answer, at most {SENTENCE_LIMIT} characters> · <n> open · blocked · <newest date>
```

`· <n> open` is left out when nothing is open, `· blocked` when Blocker says `None.`, the date when there is none. The newest date
is that of the Answer, of an item or of a session. Links in the sentence are written as their words, and tags with a backslash.

## Codes

`E` is an error, `W` a warning: it does not make `lib check` fail. Limits: Answer {ANSWER_LIMIT:,} characters, item {ITEM_LIMIT},
entry {ENTRY_LIMIT:,} bytes. An example is a change to the entry above that breaks the rule and no other.

"""
_LONGEST = 90


def render(generated: str) -> str:
    """The page; `generated` is the remark that says where it comes from."""
    lines = [_HEAD.format(generated=generated)]
    for name, code in CODES.items():
        lines += [f"### {name}", "", f"{code.meaning[0].upper()}{code.meaning[1:]}.", "", f"To mend it: {code.mend}.", ""]
        if code.old:
            lines += ["```diff", *_difference(EXAMPLE, EXAMPLE.replace(code.old, code.new, 1)), "```", ""]
        else:
            lines += [f"For example: {code.new}.", ""]
    return "\n".join(lines)


def _difference(old: str, new: str) -> list[str]:
    """The lines that differ, long ones cut, what cannot be seen as its name."""
    found = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=1)
    return [_visible(line) for line in found if not line.startswith(("---", "+++", "@@"))][:12]


def _visible(line: str) -> str:
    for pattern in (CONTROL, UNSEEN):
        line = pattern.sub(lambda match: f"<U+{ord(match[0]):04X}>", line)
    line = line.replace("\r", "<U+000D>")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
