"""Entries and near-entries for property tests: `entries()` are right ones, `hostile()` are bytes that somebody may find in entries/."""

from __future__ import annotations

import datetime as dt

from hypothesis import strategies as st

from libtool.domain.entry import Entry, parse, render, tidy
from libtool.domain.schema import LISTS, POINTERS, SESSION

TODAY = dt.date(2026, 11, 30)
WORDS = "vault sidecar token cron cache ETag ändern 東京 p95 (see) `code` **bold** [[topic]] 3.5 e.g. U+FFFD x* _y_ #4 don't".split()
PLACEHOLDERS = [f"[REDACTED:pw-{digit * 12}]" for digit in "ab1"]


def dates() -> st.SearchStrategy[str]:
    """Real dates, few enough to meet again."""
    return st.dates(dt.date(2026, 10, 1), dt.date(2026, 10, 6)).map(dt.date.isoformat)


def phrases(most: int = 6) -> st.SearchStrategy[str]:
    """Some words on one line, none that begins a block of markdown."""
    return st.lists(st.sampled_from(WORDS + PLACEHOLDERS), min_size=1, max_size=most).map(lambda words: "The " + " ".join(words))


@st.composite
def answers(draw: st.DrawFn) -> str:
    """Prose of one paragraph or more, with fences and deeper headings, dated."""
    first = "\n".join(draw(st.lists(phrases(), min_size=1, max_size=2)))
    more = draw(
        st.lists(
            st.one_of(phrases(), st.just("```sh\n## Open\n\n\nmake  x\n```"), st.just("### Why\n\nBecause."), st.just("- a\n- b")),
            max_size=2,
        )
    )
    return "\n\n".join([f"{first}. ({draw(dates())})", *more])


@st.composite
def items(draw: st.DrawFn, section: str) -> str:
    """An item as it may stand in a section."""
    if section == SESSION:
        session, machine = draw(st.sampled_from(["3f2a9c1e-7b1d", "0199a8f2-aaaa"])), draw(st.sampled_from(["desk", "laptop"]))
        return f"claude-code:{session} {machine} {draw(dates())}"
    if section == POINTERS:
        return draw(
            st.sampled_from(
                [
                    "acme/api@9f3c2d1 deploy/a.yaml#L1-L4",
                    'absent acme/api@9f3c2d1 "token cron"',
                    "https://example.org/x",
                    "claude-code:3f2a9c1e#4",
                ]
            )
        )
    date = draw(st.one_of(st.just(""), dates().map(lambda text: text + ": ")))
    more = draw(st.sampled_from(["", "\nwrapped here", "\n\nsecond paragraph", "\n- nested\n- twice", "\n```\ncode\n\n  more\n```"]))
    source = draw(st.sampled_from(["", " (claude-code:3f2a9c1e#41)"]))
    return date + draw(phrases()) + more + ("" if more else source)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry that is right: `parse(render(entry))` gives it again, and `mend` changes nothing."""
    found = {name: tidy(name, draw(st.lists(items(name), max_size=3))) for name in LISTS}
    found[SESSION] = found[SESSION] or ("codex:0199a8f2-aaaa desk 2026-10-01",)
    return Entry(draw(phrases(3)), draw(answers()), found)


def hostile() -> st.SearchStrategy[bytes]:
    """Lines that markdown and git may read in more than one way, in any order, and right entries that some of them were put into."""
    line = st.one_of(st.sampled_from(LINES), phrases(3), st.text(max_size=8))
    loose = st.lists(line, max_size=12).map("\n".join)
    return st.one_of(
        st.binary(max_size=60),
        loose.map(lambda text: text.encode("utf-8", "replace")),
        st.tuples(entries(), loose, st.integers(0, 40)).map(lambda parts: _put(render(parts[0]), parts[1], parts[2])),
    )


def _put(data: bytes, text: str, at: int) -> bytes:
    lines = data.split(b"\n")
    lines[at:at] = text.encode("utf-8", "replace").split(b"\n")
    return b"\n".join(lines)


LINES = [
    *(f"## {name}" for name in ("Answer", "Decided", "Blocker", "Superseded", "Measured", "Open", "Pointers", "Session")),
    "",
    "",
    "# Title",
    "# Other title",
    "## Notes",
    "##Open",
    "## open ##",
    " ## Decided",
    "   ## Open",
    "    ## Open",
    "### Deeper",
    "#",
    "##",
    "```",
    "```sh",
    "~~~",
    "~~~~",
    "````",
    "  ```",
    "    ```",
    "``` `x`",
    "<!--",
    "-->",
    "<!-- x -->",
    "<div>",
    "</div>",
    "<b>",
    "<script>",
    "</script>",
    "<?php",
    "?>",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE",
    ">",
    "> ## Open",
    "> quoted",
    "> ```",
    "- item",
    "- 2026-10-03: dated",
    "* star",
    "+ plus",
    "1. one",
    "12) twelve",
    "-",
    "- ",
    "- -",
    "- ## Open",
    "- ```",
    "  more",
    "    code",
    "\ttab",
    "  \ttab",
    "- None.",
    "None.",
    "none",
    "---",
    "===",
    "-----",
    "***",
    "* * *",
    "--",
    "=",
    "Answer",
    "Open",
    "text  ",
    "text\\",
    "Old. (2026-10-01)",
    "New. (2026-10-02)",
    "<<<<<<< HEAD",
    "||||||| base",
    "=======",
    ">>>>>>> theirs",
    "\r",
    "a\rb",
    "a\x00b",
    "a\u202eb",
    "\ufefftext",
    "\u2028",
    "\xa0",
    "[x]: /url",
    "| a | b |",
    "|---|---|",
    "- [ ] task",
    "\x0c",
    "title: x",
    "Use it (2026-10-03).",
    "(2026-10-03)",
    "- (2026-10-03)",
    "# # #",
    "# a #",
]


def right(data: bytes) -> bool:
    """Whether the bytes are an entry in its one form."""
    try:
        parse(data)
    except ValueError:
        return False
    return True
