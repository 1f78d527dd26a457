from __future__ import annotations

import os
import stat
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool import config
from libtool.errors import UsageError
from libtool.storage import config_file

if TYPE_CHECKING:
    from pathlib import Path

OWN = """# mine
roots = ["~/code"]  # only these

[walk]
depth = 2 # not deep

# classes of bots
[classes]
"~/bots/*" = "automated"
"""
FINGERPRINT, OTHER = "3f2a9c1e07bd", "0123456789ab"


def loaded(path: Path) -> config.Config:
    return config.load({"LIB_CONFIG": str(path)}, "/home/ada")


def test_a_new_file_is_private_and_so_is_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    config_file.set_value(str(path), "machine", "desk")
    assert path.read_text() == 'machine = "desk"\n'
    assert (stat.S_IMODE(os.stat(path).st_mode), stat.S_IMODE(os.stat(path.parent).st_mode)) == (0o600, 0o700)


def test_what_the_user_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    path.chmod(0o640)
    config_file.set_value(str(path), "walk.depth", 5)
    config_file.set_value(str(path), "machine", "desk")
    config_file.set_value(str(path), "search.limit", 3)
    text = path.read_text()
    for line in ("# mine", 'roots = ["~/code"]  # only these', "depth = 5 # not deep", "# classes of bots", '"~/bots/*" = "automated"'):
        assert line in text
    assert (loaded(path).machine, loaded(path).walk_depth, loaded(path).search_limit) == ("desk", 5, 3)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_the_same_value_again_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    before = os.stat(path).st_ino
    config_file.set_value(str(path), "walk.depth", 2)
    config_file.set_value(str(path), "roots", ("~/code",))
    config_file.set_value(str(path), "classes", (("~/bots/*", "automated"),))
    assert os.stat(path).st_ino == before


def test_the_pairs_of_a_config_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config_file.set_value(str(path), "classes", (("codex:1", "work"), ("/x/*", "trivial")))
    assert loaded(path).classes == (("codex:1", "work"), ("/x/*", "trivial"))
    config_file.set_value(str(path), "notes.globs", ())
    assert tomllib.loads(path.read_text())["notes"] == {"globs": []}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("machin", "desk", "no setting `machin`"),
        ("machine", "a b", "`machine` must be letters"),
        ("walk.depth", 0, "a whole number"),
        ("logins.allow", ["xyz"], "a list of fingerprints"),
    ],
)
def test_a_wrong_key_or_value_is_refused(tmp_path: Path, key: str, value: object, said: str) -> None:
    path = tmp_path / "config.toml"
    with pytest.raises(UsageError, match=said):
        config_file.set_value(str(path), key, value)
    assert not path.exists()


@pytest.mark.parametrize(("content", "said"), [(b"= 1", "not valid TOML"), (b"\xff", "not valid TOML"), (b'walk = "far"', "is no table")])
def test_a_file_that_cannot_be_understood_is_left_alone(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        config_file.set_value(str(path), "walk.depth", 3)
    assert path.read_bytes() == content


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Is a directory"):
        config_file.set_value(str(tmp_path), "machine", "desk")


def test_a_list_grows_with_a_comment_for_each_item(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    assert config_file.add_to_list(str(path), "logins.allow", FINGERPRINT, "a test\nvector")
    assert not config_file.add_to_list(str(path), "logins.allow", FINGERPRINT, "again")
    assert config_file.add_to_list(str(path), "logins.allow", OTHER, "another")
    assert loaded(path).logins_allow == (FINGERPRINT, OTHER)
    assert f'"{FINGERPRINT}", # a test vector\n' in path.read_text()
    assert f'"{OTHER}", # another\n' in path.read_text()
    assert "again" not in path.read_text()


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_the_comment_the_file_can_be_read(tmp_path_factory: pytest.TempPathFactory, comment: str) -> None:
    path = tmp_path_factory.mktemp("any") / "config.toml"
    for one in (f"{comment}", f"bad \x1b[31m \x7f \x85 \udcff {comment}"):
        config_file.add_to_list(str(path), "logins.allow", FINGERPRINT, one)
        config_file.add_to_list(str(path), "logins.allow", OTHER, one)
        assert loaded(path).logins_allow == (FINGERPRINT, OTHER)
        assert path.read_text(encoding="utf-8").replace("\n", "").isprintable()
        path.unlink()


def test_a_value_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    with pytest.raises(UsageError, match="could not be read any more"):
        config_file.set_value(str(path), "library", "/home/\udcff")
    assert path.read_text() == OWN


def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    path.chmod(0o400)
    with pytest.raises(UsageError, match="is read-only"):
        config_file.add_to_list(str(path), "logins.allow", FINGERPRINT, "why")
    assert path.read_text() == OWN


def test_a_disk_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_source: str, _target: str) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "config.toml"
    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(UsageError, match="cannot be written"):
        config_file.set_value(str(path), "machine", "desk")
    assert os.listdir(tmp_path) == []


def test_a_list_on_one_line_grows_too(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'logins.allow = ["{FINGERPRINT}"]\n')
    assert config_file.add_to_list(str(path), "logins.allow", OTHER)
    assert path.read_text() == f'logins.allow = ["{FINGERPRINT}", "{OTHER}"]\n'
    assert config_file.add_to_list(str(path), "logins.allow", "a" * 12, "why")
    assert loaded(path).logins_allow == (FINGERPRINT, OTHER, "a" * 12)


def test_a_key_is_taken_out_with_its_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OWN)
    for key in ("walk.depth", "roots"):
        assert config_file.unset(str(path), key)
        assert not config_file.unset(str(path), key)
    assert not config_file.unset(str(path), "search.limit")
    assert tomllib.loads(path.read_text()) == {"classes": {"~/bots/*": "automated"}}
    assert "# mine" in path.read_text()


def test_a_table_with_more_in_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[walk]\ndepth = 2\nseconds = 1.0\n")
    assert config_file.unset(str(path), "walk.depth")
    assert tomllib.loads(path.read_text()) == {"walk": {"seconds": 1.0}}


@given(st.lists(st.sampled_from(["roots", "search.limit", "walk.depth", "logins.allow", "machine"]), max_size=12))
def test_whatever_the_order_the_file_says_what_was_set(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> None:
    path = tmp_path_factory.mktemp("config") / "config.toml"
    values = {"roots": ["/a"], "search.limit": 4, "walk.depth": 3, "logins.allow": [FINGERPRINT], "machine": "desk"}
    there: dict[str, object] = {}
    for key in keys:
        if key in there:
            del there[key]
            assert config_file.unset(str(path), key)
        else:
            there[key] = values[key]
            config_file.set_value(str(path), key, values[key])
    told = tomllib.loads(path.read_text()) if path.exists() else {}
    flat = {f"{name}.{inner}" if isinstance(value, dict) else name: value for name, value in told.items() for inner in (value or [""])}
    assert flat.keys() == there.keys()
