from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.codes import EXAMPLE
from libtool.domain.entry import render
from libtool.domain.index_md import _fast, build, line_of, lines_in, patched
from libtool.domain.mend import canonical
from libtool.domain.schema import INDEX_TOKENS
from tests.domain.strategies import entries, hostile

LINE = "- [staging-tokens](entries/staging-tokens.md): Use the vault sidecar; tokens rotate every 24 h."


def of(text: str) -> str:
    return line_of("staging-tokens", text.encode())


def test_the_line_of_the_example() -> None:
    assert of(EXAMPLE) == f"{LINE} · 1 open · 2026-10-03"
    assert _fast(EXAMPLE.encode()) is not None


def test_what_is_left_out_and_what_is_said() -> None:
    blocked = EXAMPLE.replace("## Blocker\n\nNone.", "## Blocker\n\n- 2026-10-07: no access. (codex:0199a8f2#7)")
    assert of(blocked) == f"{LINE} · 1 open · blocked · 2026-10-07"
    done = blocked.replace("- 2026-10-03: the old tokens in the wiki are not revoked yet. (claude-code:3f2a9c1e#60)", "None.")
    assert of(done) == f"{LINE} · blocked · 2026-10-07"


def test_dates_that_are_no_days_are_not_the_newest() -> None:
    assert of(EXAMPLE.replace("laptop 2026-10-03", "laptop 2026-13-01")).endswith(" · 2026-10-03")
    assert of(EXAMPLE.replace("2026-", "2026-99-")).endswith("1 open")


def test_without_a_sentence_the_title_stands() -> None:
    assert of(EXAMPLE.replace("Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)", "None.")).startswith(
        "- [staging-tokens](entries/staging-tokens.md): Rotate the staging API tokens · "
    )
    assert line_of("a-b", b"") == "- [a-b](entries/a-b.md): A b"


def test_headings_in_code_count_for_nothing() -> None:
    fenced = EXAMPLE.replace("## Decided\n", "```\n## Open\n\n- a\n- b\n```\n\n<!--\n## Blocker\n\n- c\n-->\n\n## Decided\n")
    assert of(fenced) == of(EXAMPLE)


@given(st.one_of(entries().map(render), hostile()))
def test_the_line_is_that_of_the_right_form(data: bytes) -> None:
    assert line_of("a", data) == line_of("a", canonical(data, topic="a")) == line_of("a", data, alone=True)
    assert "\n" not in line_of("a", data)


def test_the_header_counts_and_warns() -> None:
    assert build({}).decode().splitlines()[2] == "Generated from entries/ by lib: do not edit. 0 entries, 41 tokens."
    one = build({"a": "- [a](entries/a.md): x"})
    assert f"1 entry, {len(one) // 4} tokens." in one.decode()
    assert "lib topics" not in one.decode()
    many = build({f"t{number}": f"- [t{number}](entries/t{number}.md): {'word ' * 20}" for number in range(40)})
    assert len(many) // 4 > INDEX_TOKENS
    assert f"40 entries, {len(many) // 4} tokens.\nToo long to read whole: stop here, and let `lib topics KEYWORDS`" in many.decode()


@given(st.integers(0, 400))
def test_the_size_is_right_wherever_digits_are_added(extra: int) -> None:
    index = build({"a": "- [a](entries/a.md): " + "x" * (3000 + extra)})
    assert f"1 entry, {len(index) // 4} tokens." in index.decode()


TOPICS = st.sampled_from(("a", "a-b", "ab", "b", "b1", "ba"))
SENTENCES = st.sampled_from(("x", "Yes. \u00b7 2 open", "word " * 90))


@given(st.dictionaries(TOPICS, SENTENCES), st.dictionaries(TOPICS, st.none() | SENTENCES))
def test_a_patched_index_is_that_made_from_nothing(old: dict[str, str], changed: dict[str, str | None]) -> None:
    lines = {topic: f"- [{topic}](entries/{topic}.md): {sentence}" for topic, sentence in old.items()}
    changes = {topic: None if text is None else f"- [{topic}](entries/{topic}.md): {text}" for topic, text in changed.items()}
    before = build(lines)
    assert lines_in(before) == lines
    whole = {topic: line for topic, line in (lines | changes).items() if line is not None}
    assert patched(before, changes) == build(whole)


def test_an_index_that_somebody_edited_is_not_patched() -> None:
    index = build({"a": "- [a](entries/a.md): x"})
    assert lines_in(index) == {"a": "- [a](entries/a.md): x"}
    for other in (
        index + b"\n",
        index.replace(b"do not", b"do"),
        index.replace(b": x", b": y z"),
        b"\xff",
        b"",
        index.replace(b"\n", b"\r\n"),
    ):
        assert lines_in(other) is None


def test_what_only_careful_reading_finds() -> None:
    twice = EXAMPLE.replace("None.\n\n## Superseded", "- the\tproxy\n\n## Superseded").replace("## Pointers", "- x\n- x\n\n## Pointers", 1)
    twice = twice.replace("c1e#60)\n\n- x", "c1e#60)\n- x")
    assert _fast(twice.encode()) is None
    assert of(twice) == f"{LINE} · 2 open · blocked · 2026-10-03" == of(canonical(twice.encode(), topic="x").decode())
