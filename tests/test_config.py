from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import platformdirs.macos
import platformdirs.unix
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool import config
from libtool.config import APP, SETTINGS, SLUG, Config, absolute, default_folders, load, machine_name, written
from libtool.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
library = "~/notes/library"
data_dir = "data"
machine = "desk"
roots = ["~/code", "/srv/code"]
thinking = true
sync = "manual"

[walk]
depth = 2
seconds = 1

[notes]
globs = ["docs/**/*.md"]

[terminal]
globs = ["logs/*.md"]

[search]
limit = 3
budget = 200

[logins]
allow = ["3F2A9C1E07BD"]

[classes]
"claude-code:3f2a9c1e" = "work"
"~/bots/*" = "automated"
"/srv/ci" = "trivial"
"""


def written_file(home: Path, text: str) -> str:
    path = home / "lib.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def loaded(home: Path, text: str) -> Config:
    return load({"LIB_CONFIG": written_file(home, text)}, str(home))


def refused(home: Path, text: str) -> UsageError:
    with pytest.raises(UsageError) as raised:
        loaded(home, text)
    assert "lib.toml" in raised.value.message
    assert "\n" not in raised.value.message + raised.value.hint
    return raised.value


def test_without_a_file_everything_has_a_default() -> None:
    found = load({}, "/home/dev", platform="linux")
    assert found.library == "/home/dev/library"
    assert found.data_dir == f"/home/dev/.local/share/{APP}/data"
    assert found.config_file == f"/home/dev/.config/{APP}/config.toml"
    assert found.roots == ("/home/dev",)
    assert found.machine == machine_name(os.uname().nodename)
    assert (found.walk_depth, found.walk_seconds, found.search_limit, found.search_budget) == (4, 5.0, 8, 600)
    assert (found.thinking, found.sync, found.notes_globs, found.terminal_globs, found.classes, found.logins_allow) == (
        False,
        "auto",
        (),
        (),
        (),
        (),
    )


def test_the_ref_of_a_class_may_be_one_of_a_turn_and_a_folder_may_hold_any_sign(home: Path) -> None:
    found = loaded(home, '[classes]\n"claude-code:3f2a9c1e#41" = "work"\n"/srv/c#" = "work"')
    assert found.classes == (("claude-code:3f2a9c1e", "work"), ("/srv/c#", "work"))


def test_every_key_of_the_file(home: Path) -> None:
    found = loaded(home, WHOLE)
    assert found.library == f"{home}/notes/library"
    assert found.data_dir == f"{home}/data"
    assert (found.machine, found.thinking, found.sync) == ("desk", True, "manual")
    assert found.roots == (f"{home}/code", "/srv/code")
    assert (found.walk_depth, found.walk_seconds) == (2, 1.0)
    assert (found.notes_globs, found.terminal_globs) == (("docs/**/*.md",), ("logs/*.md",))
    assert (found.search_limit, found.search_budget) == (3, 200)
    assert found.logins_allow == ("3f2a9c1e07bd",)
    assert found.classes == (("claude-code:3f2a9c1e", "work"), (f"{home}/bots/*", "automated"), ("/srv/ci", "trivial"))


def test_the_environment_wins(home: Path) -> None:
    path = written_file(home, WHOLE)
    found = load({"LIB_CONFIG": path, "LIB_LIBRARY": "~/other", "LIB_DATA_DIR": "/var/lib-data"}, str(home))
    assert (found.library, found.data_dir) == (f"{home}/other", "/var/lib-data")


def test_an_empty_variable_is_none(home: Path) -> None:
    assert load({"LIB_CONFIG": "", "LIB_LIBRARY": "", "LIB_DATA_DIR": ""}, str(home)) == load({}, str(home))


def test_the_usual_place_of_the_file_is_read(home: Path) -> None:
    folder = home / "conf" / APP
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('machine = "there"')
    assert load({"XDG_CONFIG_HOME": str(home / "conf")}, str(home)).machine == "there"


def test_what_lib_keeps_lies_in_the_data_folder() -> None:
    found = load({"LIB_DATA_DIR": "/d"}, "/home/dev")
    assert [found.store_db, found.search_db, found.key_file, found.lock_file, found.logs] == [
        "/d/store.db",
        "/d/search.db",
        "/d/key",
        "/d/writer.lock",
        "/d/logs",
    ]


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ('librery = "x"', "librery", "library"),
        ("colour = 1", "colour", "the keys are: library"),
        ("[search]\nlimits = 8", "search.limits", "search.limit"),
        ("search = 8", "search", "search.limit = 8"),
        ("library = 1", "library", 'library = "~/notes/library"'),
        ('library = " "', "library", "library = "),
        ('machine = "my desk"', "machine", 'machine = "laptop"'),
        ("machine = 1", "machine", "machine = "),
        ('roots = "~"', "roots", "roots = ["),
        ("roots = [1]", "roots", "roots = ["),
        ('thinking = "yes"', "thinking", "thinking = true"),
        ('sync = "always"', "sync", 'sync = "manual"'),
        ("[walk]\ndepth = 0", "walk.depth", "walk.depth = 4"),
        ("[walk]\ndepth = true", "walk.depth", "walk.depth = 4"),
        ("[walk]\ndepth = 1.5", "walk.depth", "walk.depth = 4"),
        ("[walk]\nseconds = nan", "walk.seconds", "walk.seconds = 5.0"),
        ("[walk]\nseconds = inf", "walk.seconds", "walk.seconds = 5.0"),
        ("[walk]\nseconds = -1", "walk.seconds", "walk.seconds = 5.0"),
        ("[walk]\nseconds = true", "walk.seconds", "walk.seconds = 5.0"),
        ('[walk]\nseconds = "5"', "walk.seconds", "walk.seconds = 5.0"),
        ('[logins]\nallow = ["3f2a"]', "logins.allow", "logins.allow = "),
        ('[logins]\nallow = ["3f2a9c1e07bx"]', "logins.allow", "logins.allow = "),
        ('classes = "work"', "classes", 'classes."claude-code:'),
        ('[classes]\n"/srv" = "boring"', "classes", 'classes."claude-code:'),
        ('[classes]\n"bots" = "automated"', "classes", 'classes."claude-code:'),
        ('[classes]\n"/srv" = ["work"]', "classes", 'classes."claude-code:'),
        ('[classes]\n"claude-code:#3" = "work"', "classes", 'classes."claude-code:'),
        ('[classes]\n":3f2a9c1e" = "work"', "classes", 'classes."claude-code:'),
    ],
)
def test_a_wrong_file_is_refused_with_what_to_write(home: Path, text: str, key: str, hint: str) -> None:
    error = refused(home, text)
    assert f"`{key}`" in error.message
    assert hint in error.hint


def test_a_file_that_is_no_toml(home: Path) -> None:
    assert "not valid TOML" in refused(home, "roots = [").message
    (home / "lib.toml").write_bytes(b'machine = "\xff"')
    with pytest.raises(UsageError, match="not valid TOML"):
        load({"LIB_CONFIG": str(home / "lib.toml")}, str(home))


def test_a_folder_in_the_place_of_the_file(home: Path) -> None:
    with pytest.raises(UsageError, match="directory"):
        load({"LIB_CONFIG": str(home)}, str(home))


def test_what_a_hint_tells_to_write_is_accepted(home: Path) -> None:
    for setting in SETTINGS:
        assert getattr(loaded(home, written(setting)), setting.attribute) != setting.default or setting.key.startswith(("walk", "search"))


def test_the_examples_of_the_reference_are_accepted_together(home: Path) -> None:
    top = [setting.example for setting in SETTINGS if "." not in setting.key and setting.key != "classes"]
    groups = [written(setting) for setting in SETTINGS if "." in setting.key]
    classes = next(setting.example for setting in SETTINGS if setting.key == "classes")
    loaded(home, "\n".join([*top, *groups, "[classes]", classes]))


@pytest.mark.parametrize(
    "environ", [{}, {"XDG_DATA_HOME": "/x/data", "XDG_CONFIG_HOME": " /x/conf "}, {"XDG_DATA_HOME": "relative", "XDG_CONFIG_HOME": " "}]
)
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_default_folders_are_those_of_platformdirs(
    home: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], platform: str
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    kind = platformdirs.macos.MacOS if platform == "darwin" else platformdirs.unix.Unix
    theirs = kind(APP, appauthor=False)
    assert default_folders(environ, str(home), platform) == (theirs.user_data_dir, theirs.user_config_dir)


def test_a_configuration_cannot_be_changed_but_copied() -> None:
    found = load({}, "/home/dev")
    with pytest.raises(AttributeError, match="sync"):
        found.sync = "manual"
    changed = found.replace(sync="manual")
    assert (changed.sync, found.sync) == ("manual", "auto")
    assert changed != found
    assert len({found, load({}, "/home/dev"), changed}) == 2
    assert found != found.to_dict()


def test_every_setting_is_a_typed_attribute() -> None:
    assert set(Config.__annotations__) == set(Config.__slots__)


@given(st.text(max_size=40))
def test_any_host_makes_a_machine_name(host: str) -> None:
    name = machine_name(host)
    assert name
    assert SLUG.issuperset(name)
    assert machine_name(name.split(".")[0]) == name.split(".")[0]


def test_paths_become_absolute() -> None:
    assert absolute("~", "/home/dev") == "/home/dev"
    assert absolute("~x/y", "/home/dev", "/etc") == "/etc/~x/y"
    assert absolute("a/../b", "/home/dev", "/etc") == "/etc/b"
    assert absolute("b", "/home/dev") == os.path.join(os.getcwd(), "b")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
        max_leaves=5,
    )
)
def test_a_value_of_any_type_is_taken_or_refused(value: object) -> None:
    for setting in SETTINGS:
        try:
            taken = setting.kind.take(value, ("/home/dev", "/etc"))
        except ValueError:
            continue
        assert isinstance(taken, (str, bool, int, float, tuple))


def test_tomllib_is_what_hints_are_written_for() -> None:
    for setting in SETTINGS:
        assert tomllib.loads(config.written(setting))


@given(
    st.lists(
        st.sampled_from(
            ['a = "x"', 'b_c = "é ü"', "# note", "", 'a = "x\\n"', "a = 1", "[t]", 'd = "a"b"', "e='x'", 'f = "\tx"', 'g="y"', '"h" = "z"']
        )
    )
)
def test_a_plain_file_is_read_as_tomllib_reads_it(lines: list[str]) -> None:
    text = "\n".join(lines)
    plain = config._plain(text)
    if plain is not None:
        assert plain == tomllib.loads(text)


def test_what_lib_init_writes_is_plain() -> None:
    assert config._plain('# lib\nmachine = "desk"\nlibrary = "/home/a/lib"\n') == {"machine": "desk", "library": "/home/a/lib"}
