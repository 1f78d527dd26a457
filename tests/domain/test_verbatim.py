from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest

from libtool.domain.codes import EXAMPLE
from libtool.domain.index_md import line_of
from libtool.domain.mend import mend
from libtool.domain.verbatim import Verbatim
from tests.domain.strategies import TODAY

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: at the end of a whole run one takes longer than what is measured."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def end(text: str, at: int = 0, *, within: int = 0, paragraph: bool = False) -> tuple[int, str]:
    return Verbatim(text.split("\n")).end(at, within=within, paragraph=paragraph)


def test_where_blocks_end() -> None:
    assert end("```\na\n```\nb") == (3, "")
    assert end("~~~~\n~~~\n~~~~~\nb") == (3, "")
    assert end("``` a`b\n```") == (0, "")
    assert end("<!-- a --> b\nc") == (1, "")
    assert end("<!-- a\n\nb -->\nc") == (3, "")
    assert end("<SCRIPT>\n</script>\nc") == (2, "")
    assert end("<div>\na\n\nb") == (2, "")
    assert end("<x-y>\na\n\nb") == (2, "")
    assert end("<x-y>\na", paragraph=True) == (0, "")
    assert end("<div>\na", paragraph=True) == (2, "")
    assert end("text") == (0, "")


def test_a_list_item_ends_what_it_holds() -> None:
    assert end("  ```\n  a\n\nb\n```", within=2) == (3, "")
    assert end("  ```\n  a\n\n  ```\nb", within=2) == (4, "")
    assert end("  <div>\n  a\nb", within=2) == (2, "")


def test_what_nothing_closes_ends_before_the_next_section() -> None:
    assert end("```sh\na\n## Open\nb") == (2, "```")
    assert end("a\n<!--\nb", 1) == (3, "-->")
    assert end("  <?\n  b", within=2) == (2, "  ?>")
    assert end("<![CDATA[\nb")[1] == "]]>"
    assert end("<!X\nb")[1] == ">"
    assert end("<Pre>\nb")[1] == "</Pre>"


@pytest.mark.usefixtures("_uncollected")
def test_the_time_is_that_of_the_length() -> None:
    for line in ("<!--\n## Open", "```\n## Open\n~~~", "- \n## Open", "x\n---", "- a\n\n\n", "<div>\n\n", "# # # #", "a (2026-10-01)\n"):
        spent = []
        for count in (400, 3200):
            data = EXAMPLE.replace("## Decided", f"{line}\n" * count + "## Decided").encode()
            start = time.process_time()
            mend(data, topic="x", today=TODAY)
            spent.append(time.process_time() - start)
        assert spent[1] < 8 * 6 * max(spent[0], 0.005), line


@pytest.mark.usefixtures("_uncollected")
def test_a_hostile_line_costs_no_more() -> None:
    ticks = "".join("`" * count + "a" for count in range(1, 200))
    for text in ("# " * 20_000, f"## Answer\n{ticks}", "## Answer\n" + "a . " * 9000, "## Answer\n" + "[a](b " * 9000):
        start = time.process_time()
        line_of("x", text.encode())
        assert time.process_time() - start < 2
