from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.review.block import Block
from libtool.domain.review.parse import LIMIT, read
from libtool.domain.schema import SECTIONS


def sections(text: str) -> list[dict[str, tuple[str, ...]]]:
    return [block.sections for block in read(text).blocks]


@pytest.mark.parametrize(
    ("text", "topic", "title"),
    [
        ("# Cache rules\n## Answer\nYes.", "", "Cache rules"),
        ("# cache-rules\n## Answer\nYes.", "cache-rules", ""),
        ("## `entries/cache-rules.md`\n## Answer\nYes.", "cache-rules", ""),
        ("Topic: cache rules\nAnswer: Yes.", "cache rules", ""),
        ("## Topic: cache rules\n### Answer\nYes.", "cache rules", ""),
        ("Topic: cache\n# Cache rules\n## Answer\nYes.", "cache", "Cache rules"),
        ("# Cache rules\nTopic: cache\n## Answer\nYes.", "cache", "Cache rules"),
        ("# Session summary\n## Answer\nYes.", "", ""),
        ("# Summary\n\n## Answer\nYes.", "", ""),
        ("# Topic 1\n## Answer\nYes.", "", ""),
        ("Topic: cache\n# Review\n## Answer\nYes.", "cache", ""),
        ("Cache rules\n===\n\nAnswer\n---\nYes.", "", "Cache rules"),
        ('{"topic": "cache", "title": "Cache rules", "answer": "Yes."}', "cache", "Cache rules"),
        ('{"cache": {"answer": "Yes."}}', "", "cache"),
        ('{"topic": "cache", "sections": {"Answer": "Yes."}}', "cache", ""),
        ("| Section | Content |\n|---|---|\n| Topic | cache |\n| Answer | Yes. |", "cache", ""),
        ("<topic>cache</topic><x>\n<answer>Yes.</answer>", "cache", ""),
    ],
)
def test_a_topic_is_found_where_it_stands(text: str, topic: str, title: str) -> None:
    assert read(text).blocks == [Block(topic, title, {"Answer": ("Yes.",)})]


@pytest.mark.parametrize(
    "text",
    [
        "## Answer\nYes.\n## Decided\n- a\n- b",
        "ANSWER\nYes.\n\nDECIDED\n* a\n* b",
        "**Answer**\n\nYes.\n\n**Decided**\n\n1) a\n2) b",
        "Answer: Yes.\nDecided:\n- a\n- b",
        "Decided: a\nDecided: b\nAnswer: Yes.",
        "> ## Answer\n> Yes.\n> ## Decided\n> - a\n> - b",
        "```\n## Answer\nYes.\n```\n\n```\n## Decided\n- a\n- b\n```",
        "~~~md\n## Answer\nYes.\n## Decided\n- a\n- b\n~~~\nBye.",
        "Answer\n======\nYes.\nDecided\n-------\n- a\n- b",
        "### 1. Answer:\nYes.\n### 2. Decided ###\n- [ ] a\n- b",
        "#Answer\nYes.\n#Decided\n- a\n- b",
        "## Answer: Yes.\n## Decided\n- a\n- b",
        "| Answer | Yes. |\n| Decided | a |\n| Decided | b |",
        '{"answer": "Yes.", "decided": ["a", {"text": "b"}, null, true, "none"]}',
        '[{"answer": ["Yes."], "decided": ["a", "b"',
        'Here: {"x": 1} and {"Answer": "Yes.", "Decided": ["a", "b"], "Open": "n/a"',
        "- **Answer**: Yes.\n- **Decided:**\n  - a\n  - b",
        "<answer>\nYes.\n</answer>\n<decided>\n- a\n- b\n</decided>\nBye.",
        "## Antwort\nYes.\n## Entscheidungen\n- a\n- b",
    ],
)
def test_one_thing_in_many_forms(text: str) -> None:
    found = {name: texts for one in sections(text) for name, texts in one.items() if texts}
    assert found == {"Answer": ("Yes.",), "Decided": ("a", "b")}


def test_items_that_look_like_labels_are_items() -> None:
    text = "## Answer\nYes.\n## Decided\n- **Result**: fast\n- Next: ship\n- Summary: none of it\n## Measured\n- Open: 3 files\n"
    assert sections(text) == [
        {"Answer": ("Yes.",), "Decided": ("**Result**: fast", "Next: ship", "Summary: none of it"), "Measured": ("Open: 3 files",)}
    ]


def test_a_bold_name_of_a_section_counts_among_headings_too() -> None:
    assert sections("## Answer\nYes.\n\n**Decided**\n- a\n- **Open**: b") == [{"Answer": ("Yes.",), "Decided": ("a", "**Open**: b")}]


def test_nested_items_go_on_with_theirs_and_wrapped_lines_too() -> None:
    text = "## Decided\n- a\n  goes on\n\n  - why\n- b\n\nalone\nand on\n"
    assert sections(text) == [{"Decided": ("a goes on; why", "b", "alone and on")}]


def test_code_stays_with_what_it_belongs_to() -> None:
    text = "## Answer\nRun it:\n```sh\nmake `x`\n\nmake y\n```\nThen wait.\n## Decided\n```\nalone\n```\n- a\n  ```\n  b\n  ```\n"
    assert sections(text) == [{"Answer": ("Run it: `make 'x'` `make y` Then wait.",), "Decided": ("`alone`", "a `b`")}]


def test_lists_and_tables_in_an_answer() -> None:
    text = "## Answer\nTwo ways:\n\n- one\n- two\n\n---\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert sections(text) == [{"Answer": ("Two ways:", "- one", "- two", "1; b: 2")}]


def test_another_answer_begins_another_block() -> None:
    assert sections("Answer: a\nDecided: b\nAnswer: c") == [{"Answer": ("a",), "Decided": ("b",)}, {"Answer": ("c",)}]
    assert sections("## Answer\na\n## Answer\nb") == [{"Answer": ("a", "b")}]


def test_what_is_no_section_is_kept_apart() -> None:
    found = read("# Kiln\n## Answer\nYes.\n## Lessons\n- one\n## Empty\n## Open\n- two")
    assert found.blocks == [Block("", "Kiln", {"Answer": ("Yes.",), "Open": ("two",)}, (("Lessons", ("one",)),))]
    assert found.leftover.strip() == "Empty"
    found = read("## Background\nOld.\n\n## Answer\nYes.")
    assert found.blocks == [Block("", "", {"Answer": ("Yes.",)}, (("Background", ("Old.",)),))]


def test_deeper_headings_in_a_section_are_no_topics() -> None:
    found = read("## Kiln\n### Answer\nYes.\n### Decided\n#### Reason\n- a\n#### Other\n### Open\n- b")
    assert [block.title for block in found.blocks] == ["Kiln"]
    assert found.blocks[0].extra == (("Reason", ("a",)),)


def test_what_belongs_to_no_block_is_left_over() -> None:
    found = read("Hello.\n# Only a title\nAnd a word.\n## Session\n- codex:1234567 x 2026-01-01\n")
    assert found.blocks == []
    assert [word in found.leftover for word in ("Hello", "And a word", "codex:1234567")] == [True] * 3
    assert "Lessons: one" in read("# T\n## Answer\n## Lessons\n- one").leftover
    assert read('{"answer": "Yes.", "extra": [1], "list": {"deep": ["x"]}}').blocks[0].extra == (("extra", ("1",)), ("list", ("deep: x",)))
    assert "unplaced" in read('{"note": "unplaced", "topics": [{"answer": "Yes."}, {"topic": "nothing of it"}]}').leftover


@pytest.mark.parametrize(
    "text", ["nothing", "Nothing.", "```\nnothing\n```", "# cache\n## Answer\nNone.", "## Answer\nn/a\n## Open\n-", "Answer: none"]
)
def test_a_review_may_say_that_there_is_nothing(text: str) -> None:
    found = read(text)
    assert (found.blocks, found.says_nothing) == ([], True)


@pytest.mark.parametrize(
    "text", ["", "  \n", "I could not do that.", "# Title", "{", "[" * 5000, '{"answer": ' + "[" * 3000 + "]" * 3000 + "}"]
)
def test_what_cannot_be_used_is_not_nothing(text: str) -> None:
    found = read(text)
    assert (found.blocks, found.says_nothing) == ([], False)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "a \\"quoted\\" word', 'a "quoted" word'),
        ('{"answer": "ends in a backslash \\', "ends in a backslash"),
        ('{"answer": "Yes.", "decided": ["a", {"b": ', "Yes."),
        ('{"answer": "Yes.", "dec', "Yes."),
    ],
)
def test_a_value_that_was_cut_off_is_closed(text: str, answer: str) -> None:
    assert sections(text)[0]["Answer"] == (answer,)


def test_no_is_an_answer_and_no_item() -> None:
    assert sections("## Answer\nNo.\n## Blocker\nNo.") == [{"Answer": ("No.",), "Blocker": ()}]


def test_a_value_may_be_too_deep() -> None:
    assert read('{"answer": "Yes.", "deep": ' + "[" * 700 + "1" + "]" * 700 + "}").blocks[:1] in ([], read("Answer: Yes.").blocks)
    assert [block.title for block in read('{"a": ' * 9 + '{"answer": "Yes."}' + "}" * 9).blocks] == ["a"]
    assert read('{"a": [[[[[[[{"answer": "Yes."}]]]]]]], "b": ' + "[" * 60 + "]" * 60 + "}").blocks[0].sections == {"Answer": ("Yes.",)}


def test_no_more_than_a_limit_is_read() -> None:
    assert read("## Answer\n" + "word " * LIMIT).leftover.startswith("word")


@pytest.mark.parametrize(
    "unit",
    ["# x\n", "```x\n", "{", '{"answer"', "**", "|a|", "| ", "- ", "<answer>", "Answer:", "#" * 50, " " * 99 + "x", '["', "~~~\n```\n"],
)
def test_time_is_linear_in_the_length(unit: str) -> None:
    started = time.process_time()
    read(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 20


@given(st.text(alphabet=st.sampled_from("#*-:|`~>[]{}\"' \nANSWERanswerDecidedopen\u00e9\u7b54\u6848"), max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    for block in read(text).blocks:
        assert set(block.sections) <= set(SECTIONS)
        assert any(block.sections.values())


@pytest.mark.parametrize(
    "text",
    [
        "<analysis>\n## Answer\nA draft.\n</analysis>\n\n<summary>\n## Answer\nYes.\n## Decided\n- a\n</summary>\n",
        "<thinking>\nDecided: maybe b?</thinking>\nAnswer: Yes.\nDecided: a",
        "  <Analysis>\n## Answer\nA draft.\n<thinking>\n</Analysis>\n## Answer\nYes.\n## Decided\n- a",
        "## Answer\nYes.\n## Decided\n- a\n\n---\n\nI have also noted that it is slow.",
        "## Answer\nYes.\n\n***\n\n## Decided\n- a\n\nLet me know if you'd like changes!",
        "**Answer:** Yes.\n**Decided:** a\n\nThat covers everything.",
        "## Answer\nYes.\n\nI hope this helps.\n## Decided\n- a\n\nWould you like me to go on?",
        "<entry><answer>Yes.</answer><decided><item>a</item></decided></entry>",
        "<entries>\n<entry>\n  <answer>Yes.</answer>\n  <decided>\n    <li>a</li>\n  </decided>\n</entry>\n</entries>",
        "ANSWER\nYes.\n\nKEY DECISIONS\n* a",
        '{"answer": "Yes.", "decided": ["a"], "confidence": 0.9, "version": 2}',
    ],
)
def test_what_stands_around_a_review_is_no_part_of_it(text: str) -> None:
    assert [block._replace(topic="", title="") for block in read(text).blocks] == [Block("", "", {"Answer": ("Yes.",), "Decided": ("a",)})]


def test_what_a_model_thought_is_left_over_and_a_mention_of_its_tag_is_text() -> None:
    assert "A draft." in read("<analysis>\n## Answer\nA draft.\n</analysis>\nAnswer: Yes.").leftover
    text = "## Answer\nThe `<analysis>` part goes, up to </analysis>.\n## Decided\n- see\n<summary>\n- b\n"
    assert sections(text) == [{"Answer": ("The `<analysis>` part goes, up to </analysis>.",), "Decided": ("see", "b")}]
    assert sections("<thinking>\n## Answer\nNot closed.") == [{"Answer": ("Not closed.",)}]


def test_tags_of_a_page_are_text() -> None:
    assert sections("## Answer\nUse <li>a</li> in <title>.\n## Decided\n```\n<summary>\n---\nLet me know\n```\n- b") == [
        {"Answer": ("Use <li>a</li> in <title>.",), "Decided": ("`<summary>` `---` `Let me know`", "b")}
    ]


def test_the_head_of_a_table_is_said_in_each_row() -> None:
    text = (
        "## Measured\n| set | MRR | s |\n|---|---|---|\n| dev | .71 | |\n| kept back | .68 | 2 |\n| two | cells |\n\n| a | b |\n| c | d |\n"
    )
    assert sections(text) == [{"Measured": ("dev; MRR: .71", "kept back; MRR: .68; s: 2", "two; cells", "a; b", "c; d")}]


def test_a_number_is_no_part_of_a_title() -> None:
    text = "### 1. Ranking\n#### Answer\nBM25.\n### Topic 2: Snippets\n#### Answer\n32 tokens.\n### 3) cache-rules\n#### Answer\nNo.\n"
    assert [(block.topic, block.title) for block in read(text).blocks] == [("", "Ranking"), ("", "Snippets"), ("cache-rules", "")]
    assert read("Topic: cache\n## 3. Cache\n### Answer\nx\n## 404 pages\n### Answer\ny").blocks[0].title == "Cache"
    assert read("## 404 pages\n### Answer\ny").blocks[0].title == "404 pages"


def test_a_fence_may_begin_an_item() -> None:
    assert sections("## Decided\n- a\n- ```md\n  ## Answer\n  x\n  ```\n- b") == [{"Decided": ("a `## Answer` `x`", "b")}]


@pytest.mark.parametrize(
    "text",
    [
        "Nothing to record for this session.",
        "No decisions were made in this session.",
        "There were no new findings.",
        "There is nothing worth recording from this conversation",
        "## Answer\nNone.\n## Decided\n- No decisions were made.\n## Open\n- No open questions remain.\n- Nothing to report.",
    ],
)
def test_nothing_is_said_in_many_words(text: str) -> None:
    found = read(text)
    assert (found.blocks, found.says_nothing) == ([], True)


def test_that_there_is_no_such_thing_may_be_a_finding() -> None:
    assert sections("## Decided\n- No changes to the API\n- There is no retry\n- No questions in the form") == [
        {"Decided": ("No changes to the API", "There is no retry", "No questions in the form")}
    ]


def test_values_that_follow_each_other_are_all_read() -> None:
    found = read('First:\n{"topic": "a", "answer": "x"}\nand\n{"topic": "b", "answer": "y"}\n[1]\nBye.')
    assert [(block.topic, block.sections["Answer"]) for block in found.blocks] == [("a", ("x",)), ("b", ("y",))]
    assert [word in found.leftover for word in ("First:", "and", "Bye.")] == [True] * 3
    assert len(read('{"answer": "x"}\n' * 60).blocks) == 50
