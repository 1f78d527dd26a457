from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.digest.sentences import HEADING, INTENT, INTRO, ITEM, LONGEST, PLAIN, Reader, Sentence, tidy


def read(text: str) -> list[tuple[str, str]]:
    """(file or lead, sentence) of a message."""
    return [(one.about, one.text) for one in Reader().read(text)]


def kinds(text: str) -> list[str]:
    return [one.kind for one in Reader().read(text)]


def test_prose_comes_apart_at_its_sentences() -> None:
    text = "The kiln cools too fast. We close the damper at 600 degrees! Why does it crack?\n\nAnother paragraph stands here"
    assert [text for _, text in read(text)] == [
        "kiln cools too fast.",
        "We close damper at 600 degrees!",
        "Why does it crack?",
        "Another paragraph stands here",
    ]


def test_lines_are_of_a_kind() -> None:
    assert kinds(
        "## The whole cooling curve\n- a list item of words\n1. another one of words\nLet me look at the old damper\nA plain line of words"
    ) == [
        HEADING,
        ITEM,
        ITEM,
        INTENT,
        PLAIN,
    ]


def test_code_blocks_logs_and_code_are_no_prose() -> None:
    text = """Before the block stands this.
```python
inside = the_block.is_not("prose at all")
```
2026-03-04T11:00:00Z the kiln logs its own lines
[12:00:01] the kiln logs its own lines
$ rm -rf the old glaze folder
const glaze = kiln.fire(1000);
return await kiln.cool(
for pot in kiln.pots; do
fail_fast: false
npm run glaze --silent "$@"
  at fire (/home/ada/kiln/fire.js:10:3)
x => x.glaze and the like
<div>some markup that is pasted</div>
| --- | --- |
After it stands that."""
    assert [text for _, text in read(text)] == ["Before block stands this.", "After it stands that."]


def test_a_code_block_may_begin_in_one_piece_and_end_in_the_next() -> None:
    reader = Reader()
    assert reader.read("```\nsome words in the block") == []
    later = Reader(json.loads(json.dumps(reader.state())))
    assert [one.text for one in later.read("more words in the block\n```\nwords behind the block")] == ["words behind block"]


def test_what_stands_under_a_file_is_about_it() -> None:
    text = """### 1. `src/kiln/fire.py`
Raise the ceiling to 1100 degrees.

**File**: `src/kiln/cool.py` (lines 12-40)
- Close the damper earlier
- Wait for the second cone

## Others
Nothing of that is about a file.
- `src/kiln/log.py` - writes the curve to a file
  - keeps the last ten firings
- The potter reads it in the morning
src/kiln/glaze.py: holds the recipes of the glazes
| src/kiln/cone.py | knows the cones |"""
    assert read(text) == [
        ("src/kiln/fire.py", "Raise ceiling to 1100 degrees."),
        ("src/kiln/cool.py", "Close damper earlier"),
        ("src/kiln/cool.py", "Wait for second cone"),
        ("", "Nothing of that is about file."),
        ("src/kiln/log.py", "writes curve to file"),
        ("src/kiln/log.py", "keeps last ten firings"),
        ("", "potter reads it in morning"),
        ("src/kiln/glaze.py", "holds recipes of glazes"),
        ("src/kiln/cone.py", "knows cones"),
    ]


def test_a_sentence_that_names_its_file_needs_no_second_name() -> None:
    assert read("## src/kiln/fire.py\nThe ceiling in fire.py is 1100 degrees") == [("", "ceiling in fire.py is 1100 degrees")]


def test_a_line_with_a_colon_leads_the_list_below_it() -> None:
    text = """The flag is passed on by both callers:
- `src/kiln/fire.py`
- `src/kiln/cool.py` (line 54)
- The third one, in the shed
It ends here with a plain line."""
    lead = "flag is passed on by both callers"
    assert read(text) == [
        (lead, "src/kiln/fire.py"),
        (lead, "src/kiln/cool.py"),
        (lead, "third one, in shed"),
        ("", "It ends here with plain line."),
    ]


def test_a_list_is_about_the_file_that_its_lead_or_heading_names() -> None:
    text = """What was changed in `src/kiln/fire.py`:
1. Raised the ceiling to 1100

The damper of `cool.py` is new:
- Closes at 600 degrees
It ends here with a plain line.
## Step 2: look at `src/kiln/log.py`, too
Keeps the last ten firings
## Ask ada@kiln.org of it
Knows the cones by heart
## Between `fire.py` and `cool.py`
Hands over the last cone"""
    assert read(text) == [
        ("src/kiln/fire.py", "Raised ceiling to 1100"),
        ("", "damper of cool.py is new"),
        ("cool.py", "Closes at 600 degrees"),
        ("", "It ends here with plain line."),
        ("", "Step 2: look at src/kiln/log.py, too"),
        ("src/kiln/log.py", "Keeps last ten firings"),
        ("", "Ask ada@kiln.org of it"),
        ("", "Knows cones by heart"),
        ("", "Between fire.py and cool.py"),
        ("", "Hands over last cone"),
    ]


def test_an_item_may_lead_those_below_it() -> None:
    text = "- The damper has two states:\n  - open until the first cone\n- Another item of the list"
    assert read(text) == [("damper has two states", "open until first cone"), ("", "Another item of list")]


@pytest.mark.parametrize("after", ["A plain line of words follows.", "```\ncode\n```"])
def test_a_lead_without_a_list_stands_alone(after: str) -> None:
    found = Reader().read(f"The flag is passed on like that:\n\n{after}")
    assert found[0] == Sentence("flag is passed on like that", INTRO, 2)


def test_a_lead_at_the_end_of_a_message_is_given_when_it_is_closed() -> None:
    reader = Reader()
    assert reader.read("The flag is passed on like that:") == []
    assert reader.close() == [Sentence("flag is passed on like that", INTRO, 0)]
    assert reader.close() == Reader().close() == []


def test_a_lead_that_says_nothing_leads_nothing() -> None:
    assert read("Here is the summary of changes:\n- The damper is closed at night") == [("", "damper is closed at night")]
    assert read("It is:\n- The damper is closed at night") == [("", "damper is closed at night")]
    assert read("one-two-three-four-five:\nThe damper is closed at night") == [("", "damper is closed at night")]


def test_a_lead_survives_the_border_of_two_pieces() -> None:
    reader = Reader()
    assert reader.read("The damper has two states:") == []
    assert [one.about for one in Reader(reader.state()).read("- open until the first cone")] == ["damper has two states"]


def test_what_the_library_told_is_left_out() -> None:
    text = """The damper is closed at 600 degrees. (claude-code:3f2a9c1e#41)
As entry:kiln-cooling says, it is slow.
See digest:codex:0199a8f2 for the rest of it.
ref: codex:0199a8f2#7 | 2026-03-02 | kiln
  a snippet of the hit goes on here
  and here, still quoted
What the model says itself stays."""
    assert [text for _, text in read(text)] == ["What model says itself stays."]


def test_what_says_nothing_is_left_out() -> None:
    assert read("ok\n12 34 56 78 90 12 34\nonename-without-blanks") == []
    assert [text for _, text in read("東京の窯は冷えるのが速すぎる。明日もう一度試します。")] == [
        "東京の窯は冷えるのが速すぎる。",
        "明日もう一度試します。",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Bold** and `code` of the [kiln](docs/kiln.md)", "Bold and code of kiln"),
        ("See [the docs](https://example.com/a) please", "See docs https://example.com/a please"),
        ("[](https://example.com/a) alone here", "https://example.com/a alone here"),
        ("Now, let me close the damper", "close damper"),
        ("Now that it is closed", "Now that it is closed"),
        ("kiln.py:120-130 and fire.py (line ~40, at the top) and cool.py at line 7", "kiln.py and fire.py and cool.py"),
        ("lines 96-102", ""),
        ("localhost.local:8080 and example.com:443 stay", "localhost.local:8080 and example.com:443 stay"),
        ("look ┃ │ cd /tmp", "look"),
        ("| one | two |", "one, two"),
        ("it makes 60 requests a minute of a kiln", "it makes 60 requests a minute of kiln"),
        ("\u2705 done with it", "done with it"),
        ("# 1. - heading in disguise", "heading in disguise"),
        ("[label]: https://example.com", "label]: https://example.com"),
        ("~/.config/kiln stays", "~/.config/kiln stays"),
        ("~~~ no fence", "no fence"),
        ("<script> no tag", "script> no tag"),
        ("\u0130stanbul keeps its the letters", "\u0130stanbul keeps its the letters"),
    ],
)
def test_a_sentence_is_tidied(text: str, expected: str) -> None:
    assert tidy(text) == expected


def test_a_long_sentence_ends_with_a_clause_or_a_word() -> None:
    clause = "the kiln " * 30 + "cools, " + "damper " * 40
    assert tidy(clause).endswith("cools")
    words = "kiln " * 100
    assert tidy(words).endswith("kiln")
    assert len(tidy(words)) <= LONGEST


@given(st.text())
def test_any_text_gives_single_lines_that_open_no_markup(text: str) -> None:
    for one in Reader().read(text):
        assert one.text == " ".join(one.text.split())
        assert len(one.text) <= LONGEST
        assert not one.text.startswith(("#", ">", "- ", "* ", "+ ", "|", "```", "~~~", "<", "="))


@given(
    st.lists(
        st.sampled_from(
            [
                "# src/a.py",
                "- item one of words",
                "The lead of it:",
                "  - deeper item of words",
                "```",
                "plain words here.",
                "ref: x",
                "  quoted words of it",
            ]
        )
    ),
    st.integers(0, 12),
)
def test_cut_at_any_line_a_message_gives_the_same(lines: list[str], at: int) -> None:
    whole = Reader().read("\n".join(lines))
    first = Reader()
    found = first.read("\n".join(lines[:at])) if lines[:at] else []
    if lines[at:]:
        found = found + Reader(first.state()).read("\n".join(lines[at:]))
    assert [(one.text, one.kind, one.about) for one in found] == [(one.text, one.kind, one.about) for one in whole]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("kiln.go: it decides (the first success wins", "kiln.go: it decides (the first success wins)"),
        ("success displaces the error).", "success displaces the error."),
        ("it decides (the first wins.", "it decides (the first wins)."),
        ("fire() calls cool()", "fire() calls cool()"),
        ("x (b (c", "x (b (c"),
    ],
)
def test_brackets_of_a_part_are_even(part: str, said: str) -> None:
    assert tidy(part).replace("the ", "") == said.replace("the ", "")
    assert tidy(tidy(part)) == tidy(part)


def test_a_part_of_the_greatest_length_stays_within_it() -> None:
    assert len(tidy("(" + "word " * 400)) <= LONGEST
