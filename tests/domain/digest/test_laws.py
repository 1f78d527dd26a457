"""What holds for the digest of any session."""

from __future__ import annotations

import datetime as dt
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from libtool.domain import condense, mend
from libtool.domain.digest import LIMIT, body, compose, render
from libtool.domain.entry import parse
from libtool.domain.text import clean
from tests.domain.digest.talk import FACTS, Said, collected

SECTIONS = ("Answer", "Decided", "Blocker", "Superseded", "Measured", "Open", "Pointers", "Session")
LINES = st.sampled_from(
    [
        "# A heading about src/kiln/fire.py",
        "## Answer",
        "## Decided",
        "- close_damper() comes early at night",
        "  - raise_ceiling() goes to 1100 degrees",
        "1. The first of several steps is this",
        "The callers pass the flag on:",
        "```",
        "~~~ a fence of another kind is here",
        "<script> is what a page would run here",
        "<!-- a comment that is never closed",
        "| a table | of cells | is here |",
        "> a quoted line of somebody else",
        "[label]: https://example.com/somewhere",
        "    an indented line that may be code",
        "It works, but the shed is not yet swept.",
        "All 31 tests pass in 4.2 s. The damper is no longer open!",
        "Fixed (claude-code:3f2a9c1e#41) what entry:kiln-cooling says",
        "ref: codex:0199a8f2#7 | 2026-03-02 | kiln",
        "東京の窯は冷えるのが速すぎる。明日もう一度試します。",
        "2026-03-04T11:00:00Z a line of a log",
        "---",
        "===",
        "",
        "* * *",
        "\\## an escaped heading of the text",
        "&lt;b&gt; and <b>bold</b> and <https://example.com> of it",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=12).map("\n".join), st.text(max_size=200).map(clean))
CALLS = st.sampled_from(
    ["$ make test", "$ lib search kiln", "Edit /home/ada/kiln/fire.py", "Read entries/kiln.md", "TodoWrite [pending] # sweep; [done] <b>"]
)
RESULTS = st.sampled_from(["Error: # no gas", "[main 4be91d7] ## Decided <b>", "https://example.com/a/b/pull/7", "3 passed"])
SEGMENTS = st.one_of(
    st.tuples(st.sampled_from("HKQAPSTX"), TEXTS),
    st.tuples(st.just(condense.CALL), CALLS),
    st.tuples(st.sampled_from("RF"), RESULTS),
)


@st.composite
def sessions(draw: st.DrawFn) -> list[Said]:
    said: list[Said] = []
    turn = 0
    for code, text in draw(st.lists(SEGMENTS, max_size=25)):
        turn += code in "HK"
        said.append((code, turn, text))
    return said


def digest_of(said: list[Said], *, by_json: bool = False) -> str:
    made = compose(collected(said, by_json=by_json), FACTS)
    return render(made, FACTS) if made else ""


@given(sessions())
def test_turn_by_turn_gives_what_one_pass_gives(said: list[Said]) -> None:
    assert digest_of(said, by_json=True) == digest_of(said)


@given(sessions())
def test_it_is_short_and_on_clean_lines(said: list[Said]) -> None:
    text = digest_of(said)
    assert len(text.encode()) <= LIMIT
    assert not any(unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") for one in text if one not in "\n\u200c\u200d\u00ad")


@given(sessions())
def test_it_parses_as_the_sections_that_it_has(said: list[Said]) -> None:
    made = compose(collected(said), FACTS)
    if made is None:
        return
    text = render(made, FACTS)
    headings = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert headings == [name for name in SECTIONS if name in headings]
    entry = parse(mend.mend(text.encode(), topic="kiln", today=dt.date(2026, 10, 3)))
    assert entry.answer.startswith(made.answer.text[:3])
    for name in SECTIONS[1:-1]:
        items = made.sections.get(name, ()) if name != "Pointers" else made.pointers
        assert len(entry.items.get(name, ())) == len({item.text + str(item.turn) for item in items}), name


@given(sessions())
def test_what_the_library_was_asked_and_told_changes_nothing(said: list[Said]) -> None:
    asked: list[Said] = []
    for number, one in enumerate(said):
        asked.append(one)
        if number % 3 == 0 and one[0] in "RF":
            asked += [
                (condense.CALL, one[1], "$ lib search damper raise_ceiling"),
                (condense.RESULT, one[1], "ref: codex:0199a8f2#7 raise_ceiling"),
            ]
    assert digest_of(asked) == digest_of(said)


@given(sessions())
def test_what_is_kept_of_it_gives_the_same_text(said: list[Said]) -> None:
    made = compose(collected(said), FACTS)
    if made is not None:
        assert render(body.read(body.segments(made)), FACTS) == render(made, FACTS)
