"""What every adapter owes, checked over every fixture `fixtures/<agent>/<case>/`.

`home/` holds files as they lie under a user's home, `expected.json` what reading them must give; `pytest --update-golden` rewrites
it (then review every record of the diff). A database lies in the fixture as text: `x.db.sql` becomes `x.db`.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libtool.adapters.base import SNIFF_BYTES, Place
from libtool.adapters.registry import ADAPTERS, detect
from tests.adapters.reading import Pass, cases, head, order, plain, read, shared_files, stage, transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.adapters.base import Adapter

MAX_STATE = 256 << 10
CASES = cases()
case_ids = [f"{case.parent.name}/{case.name}" for case in CASES]
every_case = pytest.mark.parametrize("case", CASES, ids=case_ids)


def adapter_of(case: Path) -> Adapter:
    return ADAPTERS[case.parent.name]


@pytest.fixture
def staged(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = stage(case, tmp_path)
    monkeypatch.setenv("HOME", str(home))
    return home


@every_case
def test_reads_what_is_expected(case: Path, staged: Path, update_golden: bool) -> None:
    adapter = adapter_of(case)
    files: dict[str, Any] = {}
    for name, root in transcripts(adapter, staged).items():
        result = read(adapter, staged / name, root)
        assert result.source.offset == result.source.size, "the reader did not say that it consumed the file"
        files[name] = {"sessions": plain(result.records), "tally": result.tally}
    assert files, "no transcript found and known"
    # Facts that a file's place tells (the project's folder) name the place in which it was staged.
    files = json.loads(json.dumps(files, ensure_ascii=False).replace(str(staged), "/home/dev"))
    golden = case / "expected.json"
    if update_golden:
        golden.write_text(json.dumps({"files": files}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(golden.read_text(encoding="utf-8"))["files"] == files


@every_case
def test_known_by_its_own_adapter_alone(case: Path, staged: Path) -> None:
    adapter = adapter_of(case)
    for name in transcripts(adapter, staged):
        data = head(staged / name)
        known = {agent for agent, other in ADAPTERS.items() if other.sniff(data, str(staged / name))}
        assert known <= {adapter.agent, "note"}
        assert detect(data, str(staged / name)) is adapter


@every_case
def test_resumed_reading_equals_one_pass(case: Path, staged: Path) -> None:
    adapter = adapter_of(case)
    for name, root in transcripts(adapter, staged).items():
        path = staged / name
        data = path.read_bytes()
        whole = read(adapter, path, root)
        if whole.state is None:
            continue
        assert len(json.dumps(whole.state)) < MAX_STATE
        for cut in line_ends(data):
            compare(whole, grown(adapter, path, root, data, [cut, len(data)]))
        third = len(data) // 3
        compare(whole, grown(adapter, path, root, data, [third, 2 * third, len(data)]))


@every_case
def test_a_cut_at_any_byte_is_survived_and_mended_by_the_next_run(case: Path, staged: Path) -> None:
    adapter = adapter_of(case)
    for name, root in transcripts(adapter, staged).items():
        path = staged / name
        data = path.read_bytes()
        whole = read(adapter, path, root)
        for cut in range(0, len(data), max(1, len(data) // 60)):
            if whole.state is None:
                path.write_bytes(data[:cut])
                read(adapter, path, root)
            else:
                compare(whole, grown(adapter, path, root, data, [cut, len(data)]))


@every_case
def test_odd_bytes_change_nothing_or_raise_nothing(case: Path, staged: Path) -> None:
    adapter = adapter_of(case)
    for name, root in transcripts(adapter, staged).items():
        path = staged / name
        data = path.read_bytes()
        whole = order(read(adapter, path, root).records)
        lines = data.splitlines(keepends=True)
        if name.endswith(".jsonl"):
            harmless = {
                "byte order mark": b"\xef\xbb\xbf" + data,
                "CRLF": data.replace(b"\n", b"\r\n"),
                "blank lines": b"\n\n".join(data.split(b"\n")),
                "glued lines": b"".join(line.rstrip(b"\n") if at % 2 else line for at, line in enumerate(lines)),
                "no last newline": data.rstrip(b"\n"),
                "NUL padding": data + b"\x00" * 512,
            }
            for what, odd in harmless.items():
                path.write_bytes(odd)
                assert order(read(adapter, path, root).records) == whole, what
        half = len(data) // 2
        for odd in (
            b"",
            data[:half] + b"\xff\xfe\x00\xed\xa0\x80" + data[half:],
            data.replace(b"e", b"\\ud83d", 40),
            b"[" * 200_000,
            b'{"a":' * 100_000,
        ):
            path.write_bytes(odd)
            read(adapter, path, root)


@every_case
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_wrong_types_anywhere_raise_nothing(case: Path, tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    adapter = adapter_of(case)
    home = stage(case, tmp_path_factory.mktemp("mutated"))
    chance = random.Random(seed)  # noqa: S311
    for name, root in transcripts(adapter, home).items():
        path = home / name
        if path.suffix in {".jsonl", ".json"}:
            path.write_bytes(mutated(path.read_bytes(), chance))
            read(adapter, path, root)


@pytest.mark.parametrize("agent", list(ADAPTERS))
def test_contract(agent: str, tmp_path: Path) -> None:
    adapter = ADAPTERS[agent]
    assert adapter.agent == agent
    assert isinstance(adapter.project_patterns, tuple)
    places = adapter.places(str(tmp_path), {})
    assert places or adapter.project_patterns
    for place in places:
        assert isinstance(place, Place)
        assert place.root.startswith(str(tmp_path))
        assert all(pattern and not pattern.startswith("/") for pattern in place.patterns)
    beside = adapter.side_files(str(tmp_path / "x"))
    assert isinstance(beside, tuple)
    with pytest.raises(OSError, match="absent"):
        read(adapter, tmp_path / "absent")


NOT_TRANSCRIPTS = (
    b"",
    b"\n",
    b"\x00" * 4096,
    bytes(range(256)) * 16,
    b"{}\n",
    b"[]",
    b"null\n",
    b'{"type": "x"}\n{"a": [1, 2]}\n',
    b'{"name": "left-pad", "version": "1.0.0", "type": "module", "messages": 3}',
    b'{"$schema": "x", "id": 1, "hooks": {"Stop": []}}\n',
    b"print('hello')\n",
    b'{"type":"' + b"a" * SNIFF_BYTES,
)


@pytest.mark.parametrize("data", NOT_TRANSCRIPTS, ids=range(len(NOT_TRANSCRIPTS)))
def test_nothing_else_is_known(data: bytes) -> None:
    for agent, adapter in ADAPTERS.items():
        assert not adapter.sniff(data, "/srv/x/data.jsonl"), agent


@pytest.mark.shared
def test_no_sample_is_known_by_two() -> None:
    for name, path in shared_files("", "samples/clients", "cases/eval/dev/transcripts", "cases/eval/dev/capture"):
        known = {agent for agent, adapter in ADAPTERS.items() if adapter.sniff(head(path), str(path))}
        assert len(known - {"note"}) <= 1, (name, known)


def test_every_agent_has_a_fixture() -> None:
    assert {case.parent.name for case in CASES} == set(ADAPTERS)


def line_ends(data: bytes) -> list[int]:
    return [at + 1 for at, byte in enumerate(data) if byte == 0x0A]


def grown(adapter: Adapter, path: Path, root: str, data: bytes, sizes: list[int]) -> list[Pass]:
    """Read the file as it grows to each of the sizes, each time from where the last reading ended."""
    start, state, passes = 0, None, []
    for size in sizes:
        path.write_bytes(data[:size])
        passes.append(read(adapter, path, root, start=start, state=state))
        start, state = passes[-1].source.offset, passes[-1].state
    return passes


def compare(whole: Pass, parts: list[Pass]) -> None:
    """Readings in steps give the records of one pass; the last step's sessions hold the facts of the whole."""
    assert [item for part in parts for item in order(part.records)] == order(whole.records)
    facts = {record.session.id: record.session.to_json() for record in whole.records}
    for record in parts[-1].records:
        assert record.session.to_json() == facts[record.session.id]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """JSON or JSON lines with a few values replaced by other types, or keys dropped."""
    out = []
    for line in [data] if not data.startswith(b"{") or b"}\n{" not in data else data.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            out.append(line)
            continue
        for _ in range(chance.choice((0, 1, 1, 3))):
            value = mutate(value, chance, chance.randint(0, 6))
        out.append(json.dumps(value).encode())
    return b"\n".join(out) + b"\n"


def mutate(value: Any, chance: random.Random, depth: int) -> Any:
    if depth and isinstance(value, dict) and value:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return value | {key: mutate(value[key], chance, depth - 1)}
    if depth and isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], mutate(value[at], chance, depth - 1), *value[at + 1 :]]
    other: tuple[Any, ...] = (
        None,
        True,
        0,
        -1.5,
        10**30,
        "",
        "\ud800",
        "x",
        [],
        [[]],
        {},
        [None, 3, {"type": "text"}],
        {"type": ["text"], "text": {}},
        {"a": {"b": []}},
    )
    return chance.choice(other)
