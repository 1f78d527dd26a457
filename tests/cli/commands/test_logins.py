from __future__ import annotations

import io
import json
import pathlib
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands import logins, logins_list
from libtool.cli.main import COMMANDS, parser_of
from libtool.domain.redact.rule import expand
from libtool.features import login_key
from libtool.features.login_ledger import Entry, Ledger
from libtool.storage import key, purge
from libtool.storage.store import Store
from tests.cli.terminal import typed

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program

LOGIN = expand("{w3}{n3}{w4}-Q{u9}")
ENTRY = Entry(
    "0123456789ab",
    "pw",
    "8 to 11 characters, digits",
    "",
    "",
    0,
    (),
    (),
    (),
    (),
    "",
    again=False,
    ignored=False,
    spreads=True,
    current=True,
)


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def fingerprint(lib: Program) -> str:
    return str(lib.json("logins")["logins"][0]["fingerprint"])


@pytest.mark.parametrize("verb", logins.VERBS)
def test_every_verb_has_help_with_examples(lib: Program, verb: str) -> None:
    code, out, err = lib("logins", verb, "-h")
    assert (code, err) == (0, "")
    assert f"usage: lib logins {verb}" in out
    assert "examples:\n  " in out
    assert f"`{verb}`: " in " ".join(lib("logins", "-h")[1].split())


def test_without_a_verb_it_is_the_list() -> None:
    for words in ([], ["--files"], ["list", "--files"]):
        assert logins.prepare(["--json", *words]) == ["--json", "--", "list", *words[words[:1] == ["list"] :]]
    assert logins.prepare(["-h"]) == ["-h"]
    parser, _ = parser_of("logins", COMMANDS)
    assert parser.parse_args(["--", "key", "export", "--to", "x"]).words == ["export", "--to", "x"]


@pytest.mark.usefixtures("indexed")
def test_both_ways_to_ask_for_json_are_heard(lib: Program) -> None:
    assert lib("logins", "--json")[1] == lib("--json", "logins", "list")[1] == lib("logins", "list", "--json")[1]


def test_a_long_list_is_cut_and_strangers_are_named() -> None:
    entries = tuple(ENTRY._replace(fingerprint=f"{number:012x}") for number in range(4))
    text = list(logins_list.lines(Ledger(entries, ("attic",), ()), named=3))
    assert len(text) == 6
    assert text[0] == "000000000000 pw | NOT ROTATED | never seen in a session | 8 to 11 characters, digits"
    assert text[3] == "and 1 more (--all)"
    assert text[5] == "made with another key, so not matched: what attic told (`lib logins key -h`)"
    assert len(list(logins_list.lines(Ledger(entries, (), ()), named=0))) == 5
    assert list(logins_list.lines(Ledger((), (), ()))) == ["no login was met"]
    days = ENTRY._replace(first="2026-03-01T09:00:30Z", last="2026-03-04T09:00:30Z", sessions=("a:b", "a:c"), machines=("desk", "attic"))
    assert logins_list.described(days) == (
        "0123456789ab pw | NOT ROTATED | in no file any more | seen 2026-03-01 to 2026-03-04 | 2 sessions, on desk, attic"
        " | 8 to 11 characters, digits"
    )


@pytest.mark.usefixtures("indexed")
def test_rotated_takes_several_dates_and_an_undo(lib: Program) -> None:
    name = fingerprint(lib)
    assert lib("logins", "rotated", name[:6], "--date", "2026-03-09")[1] == f"{name}: rotated on 2026-03-09\n"
    assert lib("logins", "rotated", name, "--undo")[1] == f"{name}: not rotated\n"
    told = lib.json("logins", "rotated", f"[REDACTED:token-{name}]", name)
    assert told["rotated"] == [name, name]
    assert len(told["when"]) == len("2026-03-09T10:00:00Z")
    assert lib("logins", "rotated", name, "--date", "soon")[0] == 2
    assert lib("logins", "rotated", name, "0" * 12, "--undo")[0] == 1
    assert lib.json("logins")["logins"][0]["rotated"] == told["when"]


@pytest.mark.usefixtures("indexed")
def test_a_day_to_come_is_no_day_of_a_rotation(lib: Program) -> None:
    """It would keep quiet about a login that is seen again until then."""
    name = fingerprint(lib)
    assert lib("logins", "rotated", name, "--date", "9998-01-01")[0] == 2
    assert lib("logins", "rotated", name, "--date", "today")[0] == 0


@pytest.mark.usefixtures("indexed")
def test_a_reason_is_asked_for_and_what_is_ignored_is_not_said_to_be_gone(lib: Program) -> None:
    name = fingerprint(lib)
    assert lib("logins", "ignore", name, "--why", " ")[0] == 2
    assert lib("logins", "ignore", name, "--why", "ours")[0] == 0
    lib("index")
    (line,) = [one for one in lib("logins")[1].splitlines() if one.startswith(name)]
    assert " | ignored | seen " in line


@pytest.mark.usefixtures("indexed")
def test_ignore_tells_as_json(lib: Program) -> None:
    name = fingerprint(lib)
    told = lib.json("logins", "ignore", name, "--why", "x")
    assert (told["ignored"], told["new"]) == (name, True)
    assert lib("logins", "ignore", name)[0] == 2


@pytest.mark.usefixtures("indexed")
def test_a_login_is_piped_in_and_never_printed(lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, LOGIN + "\r\n")
    code, out, err = lib("logins", "enrol")
    assert (code, err) == (0, "")
    assert ": enrolled; only this fingerprint of it is kept\nnothing in the store held it\n" in out
    piped(monkeypatch, LOGIN)
    assert not lib.json("logins", "enrol")["new"]
    piped(monkeypatch, LOGIN)
    assert ": was known already;" in lib("logins", "enrol")[1]
    for text, said in ((f"{LOGIN}\nmore", "more came"), ("", "no login"), ("\n", "no login"), ("kiln", "cannot be looked for")):
        piped(monkeypatch, text)
        code, out, err = lib("logins", "enrol")
        assert (code, out) == (2, "")
        assert said in err
        assert LOGIN not in err


def test_a_login_is_typed_twice(indexed: Config, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [LOGIN, LOGIN, LOGIN, "another"]
    monkeypatch.setattr("getpass.getpass", lambda _prompt: said.pop(0))
    with typed(monkeypatch, ""):
        assert lib("logins", "enrol")[0] == 0
        assert "not the same" in lib("logins", "enrol")[2]
    assert key.there(indexed) is not None


def test_no_standard_input_at_all_is_said(lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert lib("logins", "enrol")[0] == 2


def test_what_a_reader_keeps_is_said(indexed: Config, lib: Program, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    path.write_text(path.read_text().replace("jitter", LOGIN))
    assert lib("index")[0] == 0
    monkeypatch.setattr(purge, "WAIT_SECONDS", 0.1)
    reader = Store.for_reading(indexed.store_db)
    reader.db.execute("BEGIN")
    reader.db.execute("SELECT count(*) FROM session").fetchone()
    piped(monkeypatch, LOGIN)
    out = lib("logins", "enrol")[1]
    reader.close()
    assert "taken out of " in out
    assert "the next `lib index` wipes the last traces" in out


def test_review_lists_and_decides(indexed: Config, lib: Program, home: Path) -> None:
    assert indexed
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    path.write_text(path.read_text().replace("jitter", " ".join(expand(f"Q{{n1}}{{a{30 + number}}}") for number in range(22))))
    lib("index")
    found = lib.json("logins", "review")["candidates"]
    assert len(found) == 22
    out = lib("logins", "review")[1].splitlines()
    assert (len(out), out[20]) == (22, "and 2 more (--all)")
    assert len(lib("logins", "review", "--all")[1].splitlines()) == 23
    one, two, three, four, *_ = (each["fingerprint"] for each in found)
    assert lib("logins", "review", one, "--no")[1] == f"{one}: no login\n"
    assert lib.json("logins", "review", two, "--no") == {"fingerprint": two, "login": False}
    assert lib("logins", "review", three, "--login")[1].startswith(f"{three}: a login; taken out of ")
    assert lib.json("logins", "review", four, "--login")["login"]
    assert len(lib.json("logins", "review")["candidates"]) == 18
    for words in ((one,), ("--no",), (one, "--no", "--login")):
        assert lib("logins", "review", *words)[0] == 2


def test_several_places_of_a_candidate_are_counted(indexed: Config, lib: Program, home: Path) -> None:
    assert indexed
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    path.write_text(path.read_text().replace("jitter", "{0} and {0}".format(expand("Q{n1}{a30}"))))
    lib("index")
    assert " more place" in lib("logins", "review")[1]


def test_the_key_goes_to_another_machine(indexed: Config, lib: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "key.txt"
    assert lib.json("logins", "key", "export", "--to", str(target)) == {"file": str(target)}
    before = key.load(indexed)
    assert lib.json("logins", "key", "rotate", "--yes")["behind"] == 1
    assert key.load(indexed) != before
    with typed(monkeypatch, "n\n"):
        assert lib("logins", "key", "import", str(target))[0] == 1
    with typed(monkeypatch, "y\n"):
        assert lib("logins", "key", "import", str(target))[1].startswith("the imported key is in use\n")
    assert key.load(indexed) == before
    piped(monkeypatch, target.read_text())
    assert lib.json("logins", "key", "import", "-") == {"changed": False, "tag": "", "behind": 0}
    for words in (
        ("import",),
        ("import", str(tmp_path / "none")),
        ("import", str(tmp_path)),
        ("rotate", "x"),
        ("import", "x", "--to", "y"),
        ("export", "x"),
    ):
        assert lib("logins", "key", *words)[0] == 2


def test_a_key_on_the_command_line_is_not_repeated(lib: Program) -> None:
    written = key.written(bytes(range(32)))
    code, out, err = lib("logins", "key", "import", written)
    assert (code, out) == (2, "")
    assert written[:40] not in err


def test_what_enrolling_must_tell_is_told(indexed: Config, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    (pathlib.Path(indexed.key_file)).unlink()
    piped(monkeypatch, LOGIN)
    assert "another one than before" in lib("logins", "enrol")[2]


def test_a_first_key_is_imported_without_a_question(staged: Config, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, key.written(bytes(range(32))))
    assert lib("logins", "key", "import", "-")[0] == 0
    assert login_key.is_in_use(staged, bytes(range(32)))


def test_the_key_is_printed_at_a_terminal_after_a_warning(indexed: Config, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lib("logins", "key", "export")[0] == 2
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _self: True)
    with typed(monkeypatch, "n\n"):
        assert key.load(indexed).hex() not in "".join(map(str, lib("logins", "key", "export")))
    with typed(monkeypatch, "y\n"):
        code, out, err = lib("logins", "key", "export")
    assert (code, key.parsed(out.splitlines()[-1])) == (0, key.load(indexed))
    assert "can test guesses" in err


@pytest.mark.parametrize("words", [("frob",), ("key",), ("rotated",), ("list", "--nothing")])
def test_an_error_of_a_verb_comes_in_the_form_that_was_asked_for(lib: Program, words: tuple[str, ...]) -> None:
    code, out, said = lib("logins", *words, "--json")
    assert (code, out, json.loads(said)["code"]) == (2, "", 2)


def test_help_says_that_the_verb_may_be_left_out(lib: Program) -> None:
    assert "[VERB] [WORD ...]" in lib("logins", "-h")[1]
