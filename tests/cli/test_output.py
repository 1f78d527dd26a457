from __future__ import annotations

import io
import json
import sys
import time
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.cli.output import STYLES, Output, printable, standard
from libtool.cli.progress import ERASE, REDRAW_SECONDS
from libtool.errors import LibError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Stream(io.TextIOWrapper):
    """Text over bytes that can be read back, a terminal or not."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def written(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


def streams(*, terminal: bool = False, encoding: str = "utf-8", environ: Mapping[str, str] | None = None) -> tuple[Output, Stream, Stream]:
    stdout, stderr = Stream(terminal=terminal, encoding=encoding), Stream(terminal=terminal, encoding=encoding)
    return Output(stdout, stderr, environ or {}), stdout, stderr


def acts_or_hides(character: str) -> bool:
    """Whether a terminal obeys a character, or an eye is misled by it: by Unicode's own tables."""
    bidi = unicodedata.bidirectional(character) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return bidi or (unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character not in "\n\t")


@given(st.text(st.characters()))
@example("\x1b[2J\x9b31m\x07\r\x00\x7f")
@example("\u202egnp.exe\u2066x\u2069\u200f\u061c")
@example("\U000e0041\ufeff\u2028")
@example("\ud800")
def test_nothing_that_acts_or_hides_is_printed(text: str) -> None:
    shown = printable(text)
    assert not any(acts_or_hides(character) for character in shown)
    assert printable(shown) == shown
    shown.encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text + "\n\t") == text + "\n\t"


def test_escapes_can_be_read() -> None:
    assert printable("a\x1bb\u202ec\U000e0041d") == "a\\x1bb\\u202ec\\U000e0041d"


@given(
    st.recursive(st.text(st.characters()) | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
@example(["\x1b\x7f\x9b\r", "\u202e\U000e0041\ud800é"])
def test_json_is_safe_and_gives_the_value_back(value: object) -> None:
    for encoding in ("utf-8", "ascii"):
        output, stdout, _ = streams(encoding=encoding)
        output.data(value)
        written = stdout.written
        assert not any(acts_or_hides(character) for character in written)
        assert written.count("\n") == 1
        assert json.loads(written) == value


def test_data_and_remarks_go_their_own_ways() -> None:
    output, stdout, stderr = streams()
    output.line("data")
    output.line()
    output.note("remark")
    output.quiet = True
    output.note("dropped")
    output.warn("warning")
    assert (stdout.written, stderr.written) == ("data\n\n", "remark\nwarning\n")


def test_a_remark_is_json_where_that_was_asked_for() -> None:
    output, _, stderr = streams()
    output.json = True
    output.warn("lib: cannot read \x1b")
    output.note("  why")
    assert [json.loads(line) for line in stderr.written.splitlines()] == [{"remark": "cannot read \x1b"}, {"remark": "why"}]


def test_a_failure_may_come_without_a_hint() -> None:
    output, stdout, stderr = streams()
    output.failure(LibError("not\x1b found"))
    assert (stdout.written, stderr.written) == ("", "lib: not\\x1b found\n")


def test_raw_bytes_keep_their_place_among_the_text() -> None:
    output, stdout, _ = streams()
    output.line("one")
    output.raw(b"\x1b\xff")
    output.flush()
    assert isinstance(stdout.buffer, io.BytesIO)
    assert stdout.buffer.getvalue() == b"one\n\x1b\xff"


@pytest.mark.parametrize(
    ("terminal", "environ", "coloured"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colours_are_for_terminals(*, terminal: bool, environ: dict[str, str], coloured: bool) -> None:
    output, stdout, _ = streams(terminal=terminal, environ=environ)
    output.styled("a\x1bb", "bold")
    assert stdout.written == (f"\x1b[{STYLES['bold']}ma\\x1bb\x1b[0m\n" if coloured else "a\\x1bb\n")


def test_what_an_encoding_lacks_is_escaped() -> None:
    output, stdout, stderr = streams(encoding="latin-1")
    output.line("é→")
    output.warn("日")
    assert (stdout.written, stderr.written) == ("é\\u2192\n", "\\u65e5\n")


def test_streams_that_were_closed_before_the_start_are_the_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output = standard({})
    output.line("data")
    output.warn("warning")
    output.flush()
    assert not output.colour


def test_progress_is_for_terminals() -> None:
    for output, stderr in (streams()[::2], silenced("quiet"), silenced("json")):
        with output.meter("reading") as draw:
            draw(1, 2)
        assert stderr.written == ""
    output, _, stderr = streams(terminal=True)
    with output.meter("rea\x1bding", "files") as draw:
        time.sleep(REDRAW_SECONDS)
        draw(1, 2)
    assert stderr.written.startswith(f"{ERASE}rea\\x1bding [")
    assert stderr.written.endswith(ERASE)


def silenced(switch: str) -> tuple[Output, Stream]:
    output, _, stderr = streams(terminal=True)
    setattr(output, switch, True)
    return output, stderr
