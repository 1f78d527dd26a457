from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.errors import Unproved, UsageError
from libtool.features.absent import answer, near
from tests.features.code import Code, environ

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from libtool.features.absent.answer import Answer


@pytest.fixture
def settings(home: Path) -> Config:
    return config.load({"LIB_DATA_DIR": str(home / "data")}, str(home))


@pytest.fixture
def code(tmp_path: Path) -> Code:
    code = Code(tmp_path / "api")
    code.git("remote", "add", "origin", "https://git.example/Acme/Api.git")
    code.commit("Begin", jobs__py="def rotate(token): pass\nconcatenate()\n")
    return code


def ask(settings: Config, code: Code, words: str, seconds: float = 9.0) -> Answer:
    return answer.absent(settings, environ(), words, str(code.folder), history_seconds=seconds)


def test_absent_with_what_comes_near(settings: Config, code: Code) -> None:
    found = ask(settings, code, "tokenRotate")
    assert (found.absent, found.found, found.inside, found.project) == (True, 0, 0, "acme/api")
    assert [(one.path, one.line) for one in found.near] == [("jobs.py", 1)]
    assert found.history is not None
    assert found.history.commits == 1
    assert found.tried[:2] == ("tokenrotate", "token_rotate")
    bare = ask(settings, code, "tokenRotate", 0.0)
    assert (bare.near, bare.history) == ([], (None, 0, 0, "", 0.0))


def test_present_without_a_look_at_the_history(settings: Config, code: Code) -> None:
    found = ask(settings, code, "zebra, rotates")
    assert (found.absent, found.found, found.near, found.history) == (False, 1, [], None)
    assert ask(settings, code, "cat").inside == 1


def test_nothing_of_a_login_is_told(settings: Config, code: Code) -> None:
    login = "ghp_" + "q7Xw2Lm9" * 4 + "Zk4t"
    code.commit(f"Take {login} in", jobs__py=f"parcel_size = '{login}'\x1b[31m\u202e\n", **{f"{login}.txt": "parcel_size"})
    here = ask(settings, code, "parcel size")
    assert len(here.tree.places) == 2
    assert login not in str(here.tree)
    assert "\x1b" not in str([one.text for one in here.tree.places])
    code.git("rm", "-q", f"{login}.txt")
    code.commit(f"Drop {login}", jobs__py="")
    gone = ask(settings, code, "parcel size")
    assert gone.history is not None
    assert gone.history.trace is not None
    assert gone.history.trace.subject.startswith("Drop [REDACTED:")
    assert login not in str(gone)


@pytest.mark.parametrize("words", ["", " , ", "...", "\0", "a,b,c,d,e,f,g", "x" * 201])
def test_what_cannot_be_looked_for(words: str) -> None:
    with pytest.raises(UsageError):
        answer.names_of(words)


def test_without_git_nothing_is_proved(settings: Config, code: Code) -> None:
    with pytest.raises(Unproved, match="not on PATH"):
        answer.absent(settings, {"PATH": ""}, "x", str(code.folder))


def test_a_project_without_a_remote_is_called_as_its_folder(code: Code, tmp_path: Path) -> None:
    code.git("remote", "remove", "origin")
    assert answer.project_of(code.checkout()) == "api"
    assert answer.project_of(Code(tmp_path / 'my "odd" @name').checkout()) == "my--odd---name"
    assert answer.project_of(Code(tmp_path / "bare.git", "--bare").checkout()) == "bare"
    assert answer.project_of(code.checkout()._replace(top="/", git_dir="/")) == "repository"


def test_near_lines(code: Code) -> None:
    code.commit("More", near__py="cron for caches\nrefresh of policies\n", b__py="cache of cron\ncachet cron\n")
    reader = code.reader()
    assert [(one.path, one.line) for one in near.search(reader, ["cache cron", "policy refresh"])] == [
        ("b.py", 1),
        ("near.py", 1),
        ("near.py", 2),
    ]
    assert near.search(reader, ["cron", "at of in", "one two three four five"]) == []
