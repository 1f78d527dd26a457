"""A whole lookup that ends in "no": the topics, three searches with their loosely related hits, the receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.features import index
from tests.features.library import entry

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program

MOST_TOKENS, BYTES_A_TOKEN = 2500, 4
FILLER = "the kiln was fired slowly while the glaze on the tall jars dried and nobody opened the door for hours "


def test_it_costs_at_most_2500_tokens(home: Path, staged: Config, lib: Program) -> None:
    entries = home / "library" / "entries"
    entries.mkdir(parents=True)
    for number in range(40):
        title = f"Kiln number {number} and the shelf it stands on"
        body = f"Shelf {number} holds the jars. {FILLER * 3}"
        (entries / f"kiln-{number}.md").write_text(entry(title, body, Decided=f"- {FILLER * 12} pyrometer {number}"), encoding="utf-8")
    index.run(staged, {})
    said = [lib("topics", "kiln")[1]]
    for attempt, query in enumerate(("glaze pyrometer quota", "jars timetable door", "shelf harbour pyrometer"), 1):
        code, answer, _ = lib("search", "--attempt", str(attempt), query)
        said.append(answer)
        assert (code, "loosely related" in answer) == (1, True)
    assert "no prior work" in said[-1]
    tokens = sum(len(one.encode()) for one in said) / BYTES_A_TOKEN
    # As much as there is room for is printed: nothing was left out for want of anything to say.
    assert MOST_TOKENS * 0.6 < tokens <= MOST_TOKENS


def test_a_session_that_its_owner_classed_is_withheld_counted_and_shown_on_request(home: Path, indexed: Config, lib: Program) -> None:
    assert lib("search", "harbour quota 429")[0] == 0
    with (home / ".config/lib-sessions/config.toml").open("a", encoding="utf-8") as file:
        file.write('\n[classes]\n"codex:f08d6a55" = "automated"\n')
    assert indexed.home == str(home)
    lib("index")
    found = lib.json("search", "harbour quota 429")
    assert [hit["ref"] for hit in found["hits"] if hit["agent"] == "codex"] == []
    assert found["coverage"]["withheld"]["automated"] == 1
    shown = lib.json("search", "harbour quota 429", "--include", "automated")
    assert {hit["class"] for hit in shown["hits"] if hit["agent"] == "codex"} == {"automated"}
