from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.pi import Pi, _needless, _typed
from tests.adapters.reading import read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

HEADER = {"type": "session", "version": 3, "id": "p1", "timestamp": "2026-05-04T09:00:00Z", "cwd": "/srv/boat"}


def test_places_follow_the_environment() -> None:
    adapter = Pi()
    assert [place.root for place in adapter.places("/home/x", {})] == ["/home/x/.pi/agent"]
    moved = adapter.places("/home/x", {"PI_CODING_AGENT_DIR": "/srv/pi", "PI_CODING_AGENT_SESSION_DIR": "/srv/s"})
    assert [(place.root, place.patterns) for place in moved] == [("/srv/pi", ("sessions/*/*.jsonl",)), ("/srv/s", ("*.jsonl", "*/*.jsonl"))]
    assert adapter.side_files("/srv/s/x.jsonl") == ()


@pytest.mark.parametrize("change", [{"type": "x"}, {"id": 1}, {"timestamp": None}, {"cwd": []}])
def test_only_a_whole_header_is_known(change: dict[str, object]) -> None:
    adapter = Pi()
    assert adapter.sniff(json.dumps(HEADER).encode(), "")
    assert not adapter.sniff(json.dumps(HEADER | change).encode(), "")


def test_a_file_without_its_header_is_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "2026-05-04_p7.jsonl"
    path.write_text('{"type":"message","message":{"role":"user","content":"hello"}}\n')
    [record] = read(Pi(), path).records
    assert (record.session.id, record.text) == ("p7", "hello")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("2026-01-02T03-04-05-678Z_ab-12.jsonl", "ab-12"),
        ("C:\\s\\2026-01-02_a_b.jsonl", "a_b"),
        ("ghx_2b.jsonl", "ghx_2b"),
        ("2026-01-02_", "2026-01-02_"),
    ],
)
def test_an_id_is_a_part_of_a_name_only_behind_a_time(tmp_path: Path, name: str, wanted: str) -> None:
    path = tmp_path / "x.jsonl"
    said = {"type": "message", "timestamp": "2026-01-02T03:04:05Z", "message": {"role": "user", "content": "hi"}}
    path.write_text(json.dumps({"type": "session", "id": "i", "parentSession": name}) + "\n" + json.dumps(said))
    assert read(Pi(), path).records[0].session.forked_from == wanted


def test_what_is_dropped_unparsed_holds_nothing_wanted() -> None:
    assert _needless(b'{"type": "custom_message","content":"x"}\n')
    assert not _needless(b'{"type":"custom_message","content":"x"}{"type":"message"}\n')
    assert not _needless(b'{"type":"custom_message","conte')
    assert not _needless(b'{"type":"custom_message","conte{"type":"message"}\n')
    assert not _needless(b'{"type":"message","message":{"role":"user","content":"\\"type\\":\\"custom\\""}}\n')


@given(st.text(), st.text().filter(lambda text: text.strip()))
def test_a_skills_body_never_stands_for_what_was_typed(body: str, typed: str) -> None:
    body = body.replace("</skill>", "")
    assert _typed(f'<skill name="a-b" location="/x/SKILL.md">\n{body}\n</skill>\n\n{typed}') == f"/skill:a-b {typed.strip()}"


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(Pi(), update=update_golden)
