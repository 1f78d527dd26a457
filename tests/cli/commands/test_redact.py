from __future__ import annotations

import json
import sys
from io import BytesIO, FileIO, TextIOWrapper
from typing import TYPE_CHECKING

import pytest

from libtool.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

LOGIN = "Tiger" + "4821x"
TEXT = f"a\npassword: {LOGIN}\n"


def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], stdin: bytes, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(FileIO(1, "wb", closefd=False), "utf-8"))
    monkeypatch.setattr(sys, "stderr", TextIOWrapper(FileIO(2, "wb", closefd=False), "utf-8"))
    code = main(["redact", *words])
    said = capfdbinary.readouterr()
    return code, said.out.decode("utf-8", "surrogateescape"), said.err.decode()


def test_stdin_to_stdout(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for words in ((), ("-",)):
        code, out, _ = run(monkeypatch, capfdbinary, b"\xff" + TEXT.encode(), *words)
        assert code == 0
        assert out.startswith("\udcffa\npassword: [REDACTED:pw-")


def test_files_to_stdout(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    (tmp_path / "one").write_text(TEXT)
    (tmp_path / "two").write_text("two\n")
    code, out, _ = run(monkeypatch, capfdbinary, b"", str(tmp_path / "one"), str(tmp_path / "two"))
    assert code == 0
    assert LOGIN not in out
    assert out.endswith("]\ntwo\n")
    assert (tmp_path / "one").read_text() == TEXT


def test_check_writes_nothing_and_says_where(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "one"
    path.write_text(TEXT)
    code, out, _ = run(monkeypatch, capfdbinary, b"", "--check", str(path))
    assert code == 1
    assert out.startswith(f"{path}:2: pw ")
    assert LOGIN not in out
    assert path.read_text() == TEXT
    assert run(monkeypatch, capfdbinary, b"nothing", "--check")[:2] == (0, "")


def test_check_as_json(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, out, _ = run(monkeypatch, capfdbinary, TEXT.encode(), "--check", "--json")
    report = json.loads(out)
    assert code == 1
    assert report["logins"] == 1
    (file,) = report["files"]
    assert (file["path"], file["redacted"]) == ("-", False)
    assert {"line": 2, "kind": "pw", "rule": "password-label"}.items() <= file["logins"][0].items()


def test_in_place(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text(TEXT)
    code, out, _ = run(monkeypatch, capfdbinary, b"", "--in-place", str(path), "--json")
    assert code == 0
    assert json.loads(out)["files"][0]["redacted"] is True
    assert LOGIN not in path.read_text()
    code, out, _ = run(monkeypatch, capfdbinary, b"", "--in-place", str(path), "--json")
    assert json.loads(out)["files"] == [{"path": str(path), "redacted": False, "logins": []}]


def test_spans_from_stdin_and_files(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    row = json.dumps({"id": "x", "text": TEXT}) + "\n"
    (tmp_path / "rows").write_text(row)
    for stdin, words in ((row.encode(), ()), (b"", (str(tmp_path / "rows"),))):
        code, out, _ = run(monkeypatch, capfdbinary, stdin, "--spans", *words)
        assert code == 0
        assert json.loads(out) == {"id": "x", "spans": [[12, 12 + len(LOGIN)]]}


@pytest.mark.parametrize("words", [("--check", "--in-place", "x"), ("--spans", "--check"), ("--in-place",), ("--in-place", "-")])
def test_what_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], words: tuple[str, ...]
) -> None:
    code, _, err = run(monkeypatch, capfdbinary, b"", *words)
    assert code == 2
    assert "--" in err


def test_a_missing_file_is_said(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    code, _, err = run(monkeypatch, capfdbinary, b"", str(tmp_path / "no"))
    assert code == 2
    assert "cannot read" in err


def test_a_bad_file_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    path, missing = tmp_path / "one", str(tmp_path / "no")
    for words in (("--in-place",), ("--check",), ()):
        path.write_text(TEXT)
        code, out, err = run(monkeypatch, capfdbinary, b"", *words, missing, str(path))
        assert code == 4
        assert f"1 of 2 files could not be redacted: {missing}" in err
        assert "No such file" in err
        assert LOGIN not in out
        assert (LOGIN in path.read_text()) == (words != ("--in-place",))


def test_a_closed_stdin_is_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (("redact",), ("redact", "--check"), ("redact", "--spans")):
        monkeypatch.setattr(sys, "stdin", None)
        assert main(words) == 2
        assert "standard input is closed" in capfd.readouterr().err


def test_without_a_key_that_can_be_kept_it_works_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("libtool.features.redact.secret", lambda _config: (bytes(32), "Read-only file system: /x"))
    code, out, err = run(monkeypatch, capfdbinary, TEXT.encode())
    assert code == 0
    assert "password: [REDACTED:pw-" in out
    assert "the fingerprints of this run match no others" in err
