"""Content by its form."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from libtool.domain.redact import Redactor
from libtool.features.scrub.content import DOCUMENT, ROWS, TEXT, YAML, Cells, form_of, is_structure, scrubbed
from tests.features.scrub.staged import TOKEN, token

LOGIN = token("content")


def redactor() -> Redactor:
    return Redactor(bytes(32), learn=False)


@pytest.mark.parametrize(
    ("path", "form"), [("a.jsonl", ROWS), ("a.json", DOCUMENT), ("a.yaml", YAML), ("a.yml", YAML), ("a.md", TEXT), ("history", TEXT)]
)
def test_form_by_name(path: str, form: str) -> None:
    assert form_of(path) == form


def test_a_document_keeps_its_layout() -> None:
    data = json.dumps({"messages": [{"id": "a", "text": f"the token {LOGIN}"}]}, indent=2).replace("\n", "\r\n").encode() + b"\r\n"
    new = scrubbed(data, DOCUMENT, redactor())
    assert new.data.replace(new.data[new.data.index(b"[RED") : new.data.index(b"]", new.data.index(b"[RED")) + 1], LOGIN.encode()) == data
    assert (new.logins.total(), bool(new)) == (1, True)


def test_a_document_without_logins_is_the_same() -> None:
    new = scrubbed(b'\xff{"a": 1}', DOCUMENT, redactor())
    assert (new.data, bool(new)) == (b'\xff{"a": 1}', False)


@pytest.mark.parametrize("form", [YAML, TEXT])
def test_text(form: str) -> None:
    data = f"name: {LOGIN} it's\nnext: use {LOGIN}\n- {LOGIN}\n".encode()
    new = scrubbed(data, form, redactor())
    assert new.logins.total() == 3
    lines = new.data.decode().splitlines()
    quoted = [line.split("[RED")[0] for line in lines]
    assert quoted == (["name: '", "next: use ", "- '"] if form == YAML else ["name: ", "next: use ", "- "])
    assert lines[0].endswith("it''s'" if form == YAML else "it's")
    assert not scrubbed(new.data, form, redactor())


def test_yaml_without_logins_is_the_same() -> None:
    assert scrubbed(b"a: [REDACTED:x-0123456789ab]\n", YAML, redactor()).data == b"a: [REDACTED:x-0123456789ab]\n"


def test_binary_files_stay() -> None:
    text = f"token {LOGIN}"
    assert scrubbed(b"\0\xff" + text.encode(), TEXT, redactor()).data == b"\0\xff" + text.encode()
    assert scrubbed(b"\0" + text.encode(), TEXT, redactor()).logins.total() == 1
    wide = codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    assert LOGIN.encode("utf-16-le") not in scrubbed(wide, TEXT, redactor()).data


def test_only_the_rows_of_a_session() -> None:
    data = "".join(json.dumps({"s": one, "text": LOGIN}) + "\n" for one in ("one", "two")).encode()
    new = scrubbed(data, ROWS, redactor(), only=("two",)).data.splitlines()
    assert [LOGIN.encode() in line for line in new] == [True, False]


def test_cells() -> None:
    cells = Cells(redactor())
    assert cells.change("title", f"use {LOGIN}").startswith("use [REDACTED:")
    assert not TOKEN.search(cells.change("data", json.dumps({"text": LOGIN})))
    plain = "nothing here"
    assert cells.change("title", plain) is plain
    assert cells.change("directory", "password=" + "Kd8" + "#mPq2vLx").startswith("password=K")
    assert (cells.logins.total(), cells.left) == (2, 1)


@pytest.mark.parametrize(
    "key", "id ids uuid parentUuid leafUuid sessionId session_id tool_use_id toolUseID type timestamp cwd allUuids".split()
)
def test_keys_that_hold_a_session_together(key: str) -> None:
    assert is_structure(key)


@pytest.mark.parametrize("key", "text access_key_id client_id accessKeyId paid valid content name".split())
def test_keys_that_do_not(key: str) -> None:
    assert not is_structure(key)


def test_files_of_this_package_are_text() -> None:
    assert form_of(str(Path(__file__))) == TEXT
