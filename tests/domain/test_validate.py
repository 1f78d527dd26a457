from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.codes import CODES, EXAMPLE
from libtool.domain.entry import Entry, render
from libtool.domain.entry_reader import read
from libtool.domain.mend import mend
from libtool.domain.outline import outline
from libtool.domain.validate import Problem, problems
from tests.domain.strategies import TODAY, entries, hostile, right


def of(text: str | bytes, topic: str = "x") -> list[Problem]:
    data = text if isinstance(text, bytes) else text.encode()
    return problems(data, topic, topics={"other"}, today=TODAY)


def codes(text: str | bytes) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in of(text)]


@given(entries())
def test_a_right_entry_has_no_problem_but_length(entry: Entry) -> None:
    assert [one for one in problems(render(entry), "x", topics=None, today=TODAY) if not one.is_warning] == []


FORM = ("E103", "E401", "E402", "E403", "E404", "E702", "E703", "E704", "E705")


@given(hostile())
def test_both_readers_find_the_same_headings_in_whatever_is_not_complained_of(data: bytes) -> None:
    for text in (data, mend(data, topic="x", today=TODAY)):
        form = [
            one for one in of(text) if one.code[:2] == "E2" or one.code in ("E103", "E401", "E402", "E403", "E404", "E702", "E703", "E704")
        ]
        if not form:
            assert right(text)
            lines = text.decode().removesuffix("\n").split("\n")
            assert outline(text.decode()) == read(lines).headings


@given(hostile())
def test_what_mends_is_what_is_said_to_mend(data: bytes) -> None:
    left = [one for one in problems(mend(data, topic="x", today=TODAY), "x", topics=None, today=TODAY) if one.fixable]
    assert left == []


HIDDEN = [
    "```\n## Decided\n```",
    "~~~~ md\n## Decided\n~~~\n~~~~",
    "<!--\n## Decided\n-->",
    "<!-- x --> y",
    "<div>\n## Decided\n</div>",
    "<x-y>\n## Decided\n</x-y>",
    "<script>\n\n## Decided\n\n</script>",
    "<pre>\n\n## Decided\n</pre>",
    "<?php\n\n## Decided\n?>",
    "<!DOCTYPE\n## Decided\n>",
    "<![CDATA[\n\n## Decided\n]]>",
    "> ## Decided",
    "- ## Decided",
    "- a\n\n  ## Decided",
    "- a\n\n  ```\n  ## Decided\n  ```",
    "1. a\n\n   ```\n   ## Decided\n\n   ```",
    "    ## Decided",
    "para\n    ## Decided",
    "\\## Decided",
    "`` ## Decided ``",
    "#hash",
    "####### seven",
    "a\n<x-y>\nb",
    "### Deeper\n\ntext",
    "| a |\n|---|\n| b |",
    "***",
]


@pytest.mark.parametrize("block", HIDDEN)
def test_what_is_no_heading_may_stand_in_an_answer(block: str) -> None:
    text = EXAMPLE.replace("## Decided\n", f"{block}\n\n## Decided\n")
    assert codes(text) == []
    assert mend(text.encode(), topic="x", today=TODAY) == text.encode()


SEEN = {
    "---\ntitle: x\n---\n\n" + EXAMPLE: [(1, "E209"), (3, "E207"), (5, "E201")],
    EXAMPLE.replace("## Open", "Open\n===="): [(23, "E207")],
    EXAMPLE.replace("# Rotate the staging API tokens", "Rotate the staging API tokens\n====="): [(1, "E207")],
    EXAMPLE.replace("# Rotate", " #  Rotate"): [(1, "E207")],
    EXAMPLE.replace("## Open", " ## Open"): [(23, "E207")],
    EXAMPLE.replace("## Open", "## open ##"): [(23, "E207")],
    EXAMPLE.replace("## Open", "##Open"): [(23, "E207")],
    EXAMPLE.replace("## Open", "## Open:"): [(23, "E207")],
    EXAMPLE.replace("24 h. (2026-10-03)\n", "24 h. (2026-10-03)\n-----\n"): [(6, "E207")],
    EXAMPLE.replace("24 h. (2026-10-03)\n", "24 h. (2026-10-03)  \n"): [(5, "E210")],
    EXAMPLE + "\n": [(35, "E210")],
    EXAMPLE.removesuffix("\n"): [(34, "E210")],
    EXAMPLE.replace("None.\n", "- None.\n"): [(13, "E210")],
    EXAMPLE.replace("None.\n", "none\n"): [(13, "E210")],
    EXAMPLE.replace("None.\n", "---\n"): [(11, "E402"), (13, "E401")],
    EXAMPLE.replace("None.\n", "```\n## Open\n```\n"): [(13, "E401")],
    EXAMPLE.replace("None.\n", "1. a\n2. b\n"): [(13, "E404"), (14, "E404")],
    EXAMPLE.replace("None.\n", "-   a\n    b\n"): [(13, "E404")],
    EXAMPLE.replace("None.\n", "- a\nlazy\n"): [(14, "E210")],
    EXAMPLE.replace("None.\n", "- a\n\n\n- b\n"): [(14, "E210")],
    EXAMPLE.replace("None.\n", "- a\n\tb\n"): [(14, "E210")],
    EXAMPLE.replace("None.\n", "-\n"): [(11, "E402")],
    "": [(1, "E201"), *[(1, "E203")] * 8, (1, "E601")],
}


@pytest.mark.parametrize("text", SEEN, ids=range(len(SEEN)))
def test_what_is_not_written_as_it_should_be(text: str) -> None:
    assert codes(text) == sorted(SEEN[text])


def test_the_message_tells_what_and_how() -> None:
    [one] = of(EXAMPLE.replace("laptop 2026-10-03", "laptop"))
    assert (one.line, one.message) == (
        34,
        "not a session; write `<agent>:<session id> <machine> <YYYY-MM-DD>`, or a REF as `lib search` prints it and then `lib check --fix`",
    )
    [one] = of(EXAMPLE.replace("## Blocker\n\nNone.\n\n", ""))
    assert one.message == "a section is missing (Blocker); `lib check --fix` does it: it adds `None.`"


def test_a_name_that_is_no_topic() -> None:
    assert [one.message.partition("(")[2][:25] for one in of(EXAMPLE, "Staging Tokens")] == ["`staging-tokens.md` would"]
    assert [one.code for one in of(EXAMPLE, "東京")] == ["E101"]


def test_bytes_that_are_no_text() -> None:
    assert [(one.line, one.code, one.fixable) for one in of(b"# A\n\xff")] == [(2, "E103", False)]
    assert [(one.line, one.code, one.fixable) for one in of("# A\n".encode("utf-16"))] == [(1, "E103", True)]


def test_a_date_one_day_ahead_is_right() -> None:
    assert codes(EXAMPLE.replace("laptop 2026-10-03", "laptop 2026-12-01")) == []
    assert codes(EXAMPLE.replace("laptop 2026-10-03", "laptop 2026-12-02")) == [(34, "E603")]


POINTERS = {
    "- acme/api@9f3c2d1 a b.py#L3": "",
    "- git@host.org:acme/api@9f3c2d1 a.py": "",
    "- 2026-10-03: acme/api@9f3c2d1 a.py (claude-code:3f2a9c1e#4)": "",
    "- https://example.org/a?b=c (codex:0199a8f2)": "",
    "- [docs](https://example.org)": "",
    "- <https://example.org>": "",
    "- claude-code:3f2a9c1e#41": "",
    "- [[other]]": "",
    "- acme/api@main a.py": "E501",
    "- acme/api a.py": "E501",
    "- claude-code:3f": "E501",
    '- absent acme/api@9f3c2d1 ""': "E503",
    "- absent acme/api@9f3c2d1 token": "E503",
    '- absent acme/api@9f3c2d1 "a" "b"': "E503",
}


@pytest.mark.parametrize("pointer", POINTERS)
def test_pointers(pointer: str) -> None:
    text = EXAMPLE.replace('- acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44\n- absent acme/api@9f3c2d1 "token cron"', pointer)
    assert [code for _, code in codes(text)] == [POINTERS[pointer]] * bool(POINTERS[pointer])


def test_every_code_is_used() -> None:
    assert {"E101", "E102", "E103", "E104", "E105"} == {name for name, code in CODES.items() if not code.old}


@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    assert of(text.encode("utf-8", "replace"))
