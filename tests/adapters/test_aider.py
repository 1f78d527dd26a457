from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.aider import Aider
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT
from tests.adapters.reading import read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = Aider()
START = "# aider chat started at 2026-01-02 03:04:05"


def test_known_by_content() -> None:
    assert ADAPTER.sniff(f"\n{START}\n".encode(), "/x.md")
    assert not ADAPTER.sniff(f"see: {START}\n".encode(), "/x.md")
    assert ADAPTER.places("/h", {}) == []
    assert ADAPTER.side_files("/x.md") == ()


lines = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")).map(str.strip)
prompts = (
    st.lists(lines, min_size=1, max_size=4)
    .map("\n".join)
    .map(str.strip)
    .filter(lambda text: bool(text) and text[0] not in "/!" and text != "<blank>" and "(Y)es/(N)o" not in text)
)


@given(said=st.lists(prompts, min_size=1, max_size=4))
def test_prompts_come_back_as_they_were_typed(tmp_path_factory: pytest.TempPathFactory, said: list[str]) -> None:
    path = tmp_path_factory.mktemp("shop") / ".aider.chat.history.md"
    blocks = ("\n" + "".join(f"#### {line}  \n" for line in text.split("\n")) for text in said)
    path.write_text(f"{START}\n" + "\nAn answer.\n".join(blocks), encoding="utf-8")
    assert [record.text for record in read(ADAPTER, path).records if record.kind == HUMAN] == said


def test_runs_of_the_same_second_have_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "shop" / ".aider.chat.history.md"
    path.parent.mkdir()
    path.write_text(f"{START}\n\n#### a  \n\n{START}\n\n#### b  \n\n{START}\n\n#### c  \n")
    ids = [record.session.id for record in read(ADAPTER, path).records]
    assert ids == ["shop-20260102T030405", "shop-20260102T030405-2", "shop-20260102T030405-3"]


def test_what_a_run_used_and_cost_is_told_once_unless_nothing_was_done(tmp_path: Path) -> None:
    path = tmp_path / "shop" / ".aider.chat.history.md"
    path.parent.mkdir()
    banner = f"{START}\n> Aider v0.84.0  \n> Main model: acme/large with diff edit format  \n"
    costs = [f"> Tokens: 3k sent, 2{n} received. Cost: $0.01 message, $0.0{n} session.  \n" for n in (1, 2)]
    path.write_text(banner + banner + "\n#### a  \n\nb\n\n" + costs[0] + "\nc\n\n" + costs[1])
    assert [(record.kind, record.text) for record in read(ADAPTER, path).records] == [
        (HUMAN, "a"),
        (ASSISTANT, "b"),
        (ASSISTANT, "c"),
        (RESULT, "Main model: acme/large with diff edit format\nTokens: 3k sent, 22 received. Cost: $0.01 message, $0.02 session."),
    ]


def test_a_commit_that_was_taken_back_is_told(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(f"{START}\n\n#### /tokens  \n\n#### /undo  \n> Removed: abc1234 keep bees  \n")
    assert [(record.kind, record.tool) for record in read(ADAPTER, path).records] == [(CALL, "/undo")]


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(ADAPTER, update=update_golden)
