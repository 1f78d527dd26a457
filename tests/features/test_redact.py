"""Streams and files: any bytes, any length, in bounded memory."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool import config
from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import example
from libtool.errors import UsageError
from libtool.features import redact
from libtool.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from libtool.config import Config

KEY = bytes(32)
LOGIN = "Tiger" + "4821x"


def through(content: bytes) -> bytes:
    out: list[bytes] = []
    redact.stream(Redactor(KEY), BytesIO(content), out.append)
    return b"".join(out)


def kept(redacted: bytes) -> bytes:
    """The redacted bytes with the login where the placeholders are."""
    while (start := redacted.find(b"[REDACTED:")) >= 0:
        redacted = redacted[:start] + LOGIN.encode() + redacted[redacted.index(b"]", start) + 1 :]
    return redacted


@given(st.lists(st.one_of(st.binary(), st.just(b"\npassword: " + LOGIN.encode() + b"\n")), max_size=6))
@settings(max_examples=100)
def test_bytes_outside_of_logins_stay(parts: list[bytes]) -> None:
    content = b"".join(parts)
    once = through(content)
    assert LOGIN.encode() not in once or LOGIN.encode() not in content
    assert through(once) == once
    if b"[REDACTED:" not in content and once.count(b"[REDACTED:") == content.count(LOGIN.encode()):
        assert kept(once) == content


def test_binary_passes() -> None:
    content = bytes(range(256)) * 64
    assert through(content) == content


def test_the_line_of_each_login_is_told() -> None:
    met = redact.stream(Redactor(KEY), BytesIO(f"a\nb\npassword: {LOGIN}\n\nPIN: 4821\n".encode()), redact.nowhere)
    assert [(one.line, one.kind) for one in met] == [(3, "pw"), (5, "pin")]


class Endless(BytesIO):
    """`count` pieces, made as they are read."""

    def __init__(self, piece: bytes, count: int) -> None:
        super().__init__()
        self._pieces: Iterator[bytes] = iter([piece] * count)

    def read(self, _size: int | None = -1) -> bytes:
        return next(self._pieces, b"")


@pytest.mark.parametrize("newline", [b"\n", b" "])
def test_a_stream_of_any_length_needs_little_memory(newline: bytes) -> None:
    piece = (b"some words of a log that goes on" + newline) * 8000
    tracemalloc.start()
    size = 0

    def count(content: bytes) -> None:
        nonlocal size
        size += len(content)

    try:
        redact.stream(Redactor(KEY), Endless(piece, 160), count)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == len(piece) * 160
    assert peak < size * 2  # 42 MB in; a line without an end is held up to 8 MB, as text and while it is scanned
    assert newline != b"\n" or peak < 16 << 20


@pytest.mark.parametrize("offset", range(-60, 20, 7))
@pytest.mark.parametrize("newline", ["\n", " "])
def test_a_login_across_a_read_boundary_is_found(offset: int, newline: str) -> None:
    login = "password: " + LOGIN
    filler = ("word" + newline) * (redact.BLOCK // 5 + 1)
    content = filler[: redact.BLOCK + offset] + newline + login + newline + filler
    for source in (content, content[redact.MARGIN + 100 :]):
        out = through(source.encode())
        assert LOGIN.encode() not in out
        assert kept(out) == source.encode()


def test_a_key_across_a_cut_is_found() -> None:
    lines = "\n".join(example(f"{{B64}}{i}")[0][:64] for i in range(60))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\n"
    for shift in range(0, 5000, 900):
        filler = "word\n" * ((redact.BLOCK - redact.MARGIN - shift) // 5)
        out = through((filler + key + "word\n" * 40000).encode())
        assert out.count(b"[REDACTED:") == 1
        assert lines[100:140].encode() not in out


def test_a_login_longer_than_what_is_held_goes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "LONGEST", redact.BLOCK)
    token = "gh" + "p_" + example("{a64}")[0] * (redact.BLOCK // 20)
    out = through(b"x " + token.encode() + b" y")
    assert out.startswith(b"x [REDACTED:")
    assert out.endswith(b"] y")
    assert len(out) < 50


def test_json_lines_are_decoded_and_stay_json() -> None:
    rows = [{"content": f"run\nDB_PASSWORD={LOGIN}\n", "signature": f"password: {LOGIN}"}, {"a": f'{{"password": "{LOGIN}"}}'}, {"n": 1}]
    content = "".join(json.dumps(row) + "\n" for row in rows) + "{not json\n"
    out = through(content.encode())
    assert kept(out) == content.encode()
    parsed = [json.loads(line) for line in out.splitlines()[:3]]
    assert LOGIN not in parsed[0]["content"]
    assert LOGIN in parsed[0]["signature"]
    assert LOGIN not in parsed[1]["a"]


def test_in_place_keeps_the_mode_and_leaves_clean_files_alone(tmp_path: Path) -> None:
    dirty, clean = tmp_path / "dirty", tmp_path / "clean"
    dirty.write_bytes(b"\xffpassword: " + LOGIN.encode() + b"\r\n")
    clean.write_text("nothing")
    dirty.chmod(0o640)
    before = os.stat(clean)
    assert [one.kind for one in redact.in_place(Redactor(KEY), str(dirty))] == ["pw"]
    assert redact.in_place(Redactor(KEY), str(clean)) == []
    assert kept(dirty.read_bytes()) == b"\xffpassword: " + LOGIN.encode() + b"\r\n"
    assert b"[REDACTED:" in dirty.read_bytes()
    assert os.stat(dirty).st_mode & 0o777 == 0o640
    assert os.stat(clean).st_ino == before.st_ino
    assert sorted(os.listdir(tmp_path)) == ["clean", "dirty"]


def test_a_file_that_cannot_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text(f"password: {LOGIN}")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        redact.in_place(Redactor(KEY), str(path))
    assert path.read_text() == f"password: {LOGIN}"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        redact.copy(Redactor(KEY), str(tmp_path / "no"), redact.nowhere)


def test_spans_of_records() -> None:
    lines = [json.dumps({"id": 7, "text": f"é password: {LOGIN}"}), "", json.dumps({"id": "b", "text": "nothing"})]
    rows = list(redact.spans(Redactor(KEY), BytesIO("\n".join(lines).encode())))
    assert rows == [{"id": 7, "spans": [[12, 12 + len(LOGIN)]]}, {"id": "b", "spans": []}]


@pytest.mark.parametrize("line", ["nonsense", "[]", "1", '{"id": 1}', '{"text": "x"}', '{"id": 1, "text": 2}'])
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="line 1 "):
        list(redact.spans(Redactor(KEY), BytesIO(line.encode())))


def test_the_redactor_of_a_machine_knows_its_key_and_exceptions(tmp_path: Path) -> None:
    settings = config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    text = f"password: {LOGIN}"
    found = redact.redactor(settings, KEY).scan(text)
    assert [one.fingerprint for one in redact.bare(settings, KEY).scan(text)] == [found[0].fingerprint]
    allowing = settings.replace(logins_allow=(found[0].fingerprint,))
    assert redact.redactor(allowing, KEY).redact(text) is text
    assert redact.bare(allowing, KEY).redact(text) is text


def test_the_redactor_of_a_machine_knows_what_its_store_knows(indexed: Config) -> None:
    login = "kX9" + "vLq2Zr7T"
    secret, reason = redact.secret(indexed)
    assert reason == ""
    store = Store(indexed.store_db)
    store.begin()
    store.save_logins([(Redactor(secret).fingerprint(login), "pw", 1, "")])
    store.commit()
    store.close()
    assert login not in redact.redactor(indexed, secret).redact(f"all I have is {login}")


def test_a_line_full_of_logins_takes_no_longer_than_its_length() -> None:
    def cost(count: int) -> float:
        content = b"curl -u a:" * count
        start = time.process_time()
        through(content)
        return time.process_time() - start

    cost(100)
    # Eight times the text: eight times the cost, and sixty-four if each login looked at the whole line.
    assert cost(32_000) < 32 * cost(4_000) + 0.2


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("tail", [b"", b"\x00", b"\x00\xd8"])
def test_utf_16_is_read_and_written_back(codec: str, tail: bytes) -> None:
    content = f"\ufeffé one\r\npassword: {LOGIN}\r\n\U0001f600 end".encode(codec)
    out = through(content + tail)
    assert LOGIN.encode(codec) not in out
    assert out.endswith(tail)
    assert out.removesuffix(tail).decode(codec).startswith("\ufeffé one\r\npassword: [REDACTED:pw-")
    assert through(out) == out


@given(st.sampled_from([b"\xff\xfe", b"\xfe\xff"]), st.binary())
def test_bytes_behind_a_byte_order_mark_stay(mark: bytes, content: bytes) -> None:
    assert through(mark + content) == mark + content


def test_utf_16_across_read_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "BLOCK", 7)
    content = f"\ufeff\U0001f600\U0001f600\npassword: {LOGIN}\n".encode("utf-16-le")
    assert through(content).decode("utf-16-le").startswith("\ufeff\U0001f600\U0001f600\npassword: [REDACTED:")


def test_what_is_no_regular_file_is_refused_in_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/null", str(tmp_path)):
        with pytest.raises(UsageError, match="no regular file"):
            redact.in_place(Redactor(KEY), path)
    with pytest.raises(UsageError, match="cannot read"):
        redact.in_place(Redactor(KEY), str(tmp_path / "no"))


def test_a_file_with_other_names_is_refused_in_place(tmp_path: Path) -> None:
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("password: Tiger4711\n", encoding="utf-8")
    os.link(path, other)
    with pytest.raises(UsageError, match="2 names"):
        redact.in_place(Redactor(KEY), str(path))
    other.unlink()
    assert [one.kind for one in redact.in_place(Redactor(KEY), str(path))] == ["pw"]


def test_a_read_only_file_is_refused_and_said(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(f"password: {LOGIN}")
    path.chmod(0o444)
    with pytest.raises(UsageError, match="read-only"):
        redact.in_place(Redactor(KEY), str(path))
    assert path.read_text() == f"password: {LOGIN}"
    path.write_bytes(b"") if os.access(path, os.W_OK) else path.chmod(0o644)
    path.write_text("nothing")
    path.chmod(0o444)
    assert redact.in_place(Redactor(KEY), str(path)) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_in_place_keeps_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(f"password: {LOGIN}")
    path.chmod(0o2640)
    os.chown(path, 12345, 12346)
    path.chmod(0o2640)
    redact.in_place(Redactor(KEY), str(path))
    status = os.stat(path)
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 12346, 0o2640)


def test_without_a_place_for_a_key_it_is_of_this_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", read_only)
    secret, reason = redact.secret(settings)
    assert (len(secret), reason) == (32, f"Read-only file system: {settings.data_dir}")
    assert redact.secret(settings)[0] != secret
    monkeypatch.undo()
    kept, reason = redact.secret(settings)
    assert (redact.secret(settings)[0], reason) == (kept, "")
