from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.cursor import Cursor, _typed
from libtool.domain.session import ASSISTANT, HUMAN
from tests.adapters.reading import read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = Cursor()


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"role":"user","message":{"content":[]}}\n', True),
        (b'\xef\xbb\xbf{ "role" : "assistant" , "message" : {"content":"x"}}\n', True),
        (b'{"role":"user","message":{"content":[]},"sessionId":"x"}\n', False),
        (b'{"role":"user","content":"x"}\n', False),
        (b'{"type":"user","message":{"role":"user"}}\n', False),
        (b"user:\n<user_query>\nx\n</user_query>\n", True),
        (b"user:\r\nhello\r\n\r\nassistant:\r\nx\r\n", True),
        (b"user:\n  name: x\n", False),
        (b"# Title\n_Exported on 4. 8. 2025 10:24 from Cursor (1.3.9)_\n", True),
        (b"# Title\n\nExported from Cursor\n", False),
    ],
)
def test_known_by_content(head: bytes, known: bool) -> None:
    assert ADAPTER.sniff(head, "/x") is known


def test_no_files_beside() -> None:
    assert ADAPTER.side_files("/x.jsonl") == ()


@given(typed=st.text(st.characters(exclude_characters="<")).map(str.strip), context=st.text(st.characters(exclude_characters="<")))
def test_only_what_was_typed_is_taken(typed: str, context: str) -> None:
    blocks = f"<attached_files>\n{context}\n</attached_files>\n"
    assert _typed(f"{blocks}<user_query>\n{typed}\n</user_query>") == typed
    assert _typed(blocks + typed) == typed
    assert _typed(typed) == typed
    assert _typed(f"<user_query>{typed}") == typed


def test_a_row_with_pieces_missing(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [
        {"role": "user", "message": {"content": [{"type": "text", "text": 5}, {"type": "text"}]}},
        {"role": "assistant", "message": {"content": [{"type": "thinking"}, {"type": "tool_use"}]}},
        {"role": "user"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [record.kind for record in read(ADAPTER, path).records] == ["call"]


def test_an_export_without_a_title(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("# \n_Exported on 1/1/2025 from Cursor (1.0)_\n\n---\n\n**User**\n\n---\n\n**Cursor**\n\nyes\n")
    assert [(record.kind, record.text) for record in read(ADAPTER, path).records] == [(ASSISTANT, "yes")]


def test_words_before_the_first_speaker_are_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("\n[Tool call] x\n\nuser:\nhello\n")
    assert [(record.kind, record.text) for record in read(ADAPTER, path).records] == [(HUMAN, "hello")]


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(ADAPTER, update=update_golden)
