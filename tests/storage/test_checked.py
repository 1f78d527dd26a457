from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.storage import checked, watermark
from libtool.storage.checked import STALE, Checks, Row
from tests.features.code import Code

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    (tmp_path / "library" / "entries").mkdir(parents=True)
    (tmp_path / "library" / "entries" / "cron.md").write_bytes(b"text")
    return config.load({"LIB_DATA_DIR": str(tmp_path / "data"), "LIB_LIBRARY": str(tmp_path / "library")}, str(tmp_path))


@pytest.fixture
def code(tmp_path: Path) -> Code:
    code = Code(tmp_path / "tab\tline\nnew")
    code.commit("Begin", a__py="a")
    return code


def row(code: Code, data: bytes = b"text") -> Row:
    folder = str(code.folder / ".git")
    return Row(checked.crc(data), "holds", [(folder, watermark.head(folder), code.git("rev-parse", "HEAD").strip())])


def test_a_check_holds_until_entry_or_repository_change(settings: Config, code: Code) -> None:
    checked.save(settings, {"cron": row(code)}, ["cron"])
    said = f"holds, at {code.git('rev-parse', 'HEAD')[:12]}"
    assert Checks(settings).told("cron") == said
    assert Checks(settings).told("cron", b"text") == said
    assert Checks(settings).told("cron", b"other") == said + STALE
    assert (Checks(settings).told("cro"), Checks(settings).told("zebra")) == ("", "")
    code.commit("More", b__py="b")
    assert Checks(settings).told("cron") == said + STALE
    checked.save(settings, {"cron": row(code)}, ["cron"])
    os.unlink(os.path.join(settings.library, "entries", "cron.md"))
    assert Checks(settings).told("cron").endswith(STALE)


def test_rows_of_other_entries_stay_and_those_of_none_go(settings: Config, code: Code) -> None:
    checked.save(settings, {"a": row(code), "b": row(code), "c": row(code)}, ["a", "b", "c"])
    checked.save(settings, {"b": None}, ["a", "b"])
    checks = Checks(settings)
    assert [bool(checks.told(topic)) for topic in ("a", "b", "c")] == [True, False, False]


def test_a_damaged_file_tells_nothing(settings: Config) -> None:
    os.makedirs(settings.data_dir)
    path = os.path.join(settings.data_dir, "checked")
    for line in ("cron", "cron\tzz\tholds\ta\tb\tc", "cron\t0\tholds\ta\tb", "cron\t0\tholds\t\\x\tb\tc", "cron\t0\tholds\t\xff\tb\tc"):
        with open(path, "w", encoding="latin-1") as file:
            file.write(line + "\n")
        assert Checks(settings).told("cron") == ""
