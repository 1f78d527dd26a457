from __future__ import annotations

import errno
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING

import pytest

from libtool import __version__
from libtool.cli.context import Context
from libtool.cli.main import COMMANDS, main, overview, parser_of
from libtool.cli.output import Output, standard
from libtool.config import APP
from libtool.errors import OutputLost
from tests.cli.echo_command import FOREIGN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

ECHO = {"echo": ("tests.cli.echo_command", "say words"), "eclair": ("tests.cli.no_such_module", "never loaded")}
RUN = "import sys; from libtool.cli.main import main; sys.exit(main(sys.argv[1:], {'echo': ('tests.cli.echo_command', 'say words')}))"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words, ECHO)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_command_runs_and_its_code_comes_back(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    code, out, err = run(capsys, "echo", "one", "two")
    assert (code, out) == (0, "one two\n")
    assert err == f"data in {home}/.local/share/{APP}/data\n"
    assert run(capsys, "echo")[0] == 1


def test_quiet_drops_remarks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "echo", "--quiet", "x") == (0, "x\n", "")


@pytest.mark.parametrize("words", [("echo", "x", "--json"), ("--json", "echo", "x"), ("--quiet", "--json", "echo", "x")])
def test_json_may_stand_before_or_behind_the_command(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, _ = run(capsys, *words)
    assert (code, json.loads(out)) == (0, {"words": ["x"]})


def test_a_word_after_two_dashes_is_no_switch(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "echo", "--", "--json")[1] == "--json\n"


def test_a_command_may_see_the_words_before_argparse(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "echo", "-odd", "-words")[1] == "-odd -words\n"


def test_standard_input_is_bytes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO("é".encode())))
    assert run(capsys, "echo", "--stdin")[1] == "é\n"


def test_an_expected_failure_is_a_message_a_hint_and_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "echo", "--fail", "expected")
    assert (code, out, err) == (10, "", "lib: no library at /x\n  run `lib init`\n")


def test_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "echo", "--fail", "expected", "--json")
    assert (code, out) == (10, "")
    assert json.loads(err) == {"error": "no library at /x", "hint": "run `lib init`", "code": 10}


@pytest.mark.parametrize(
    "words", [("echo", "--nonsense"), ("echo", "--times", "many"), ("echo", "--tim", "2"), ("echo", "--fail", "softly")]
)
def test_a_wrong_command_line_is_usage(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err.endswith("  see `lib echo -h`\n")
    code, _, err = run(capsys, *words, "--json")
    assert (code, json.loads(err)["code"]) == (2, 2)


def test_an_unknown_command_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ehco") == (2, "", "lib: unknown command `ehco`\n  did you mean `lib echo`?\n")
    assert run(capsys, "xyz", "--json")[2] == '{"error": "unknown command `xyz`", "hint": "`lib -h` lists the commands", "code": 2}\n'


def test_a_wrong_configuration_is_usage(capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "lib.toml").write_text("colour = 1")
    monkeypatch.setenv("LIB_CONFIG", str(home / "lib.toml"))
    code, _, err = run(capsys, "echo", "x")
    assert code == 2
    assert "unknown key `colour`" in err


@pytest.mark.parametrize(
    ("way", "told", "logged"),
    [
        ("bug", "RuntimeError", ["RuntimeError"]),
        ("chain", "KeyError", ["KeyError", "ValueError"]),
        ("disk", "OSError (No space left on device)", ["OSError (No space left on device)"]),
        ("file", "FileNotFoundError (No such file or directory)", ["FileNotFoundError (No such file or directory)"]),
    ],
)
def test_a_bug_leaves_a_log_without_private_text(
    capsys: pytest.CaptureFixture[str], home: Path, way: str, told: str, logged: list[str]
) -> None:
    code, out, err = run(capsys, "echo", "--fail", way, "private words")
    logs = list((home / ".local/share" / APP / "data/logs").iterdir())
    text = logs[0].read_text()
    assert (code, out, len(logs)) == (3, "", 1)
    assert err.splitlines()[0] == f"lib: unexpected {told}"
    assert err.splitlines()[1].endswith(str(logs[0]))
    assert [line for line in text.splitlines()[4:] if not line.startswith(" ")] == logged
    assert "  tests.cli.echo_command:" in text
    assert "command echo" in text
    assert f"lib {__version__}" in text
    assert not any(private in text for private in (FOREIGN, "private words", str(home), os.sep + "tests"))
    assert FOREIGN not in err
    assert logs[0].stat().st_mode & 0o777 == 0o600


def test_a_bug_is_told_as_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(run(capsys, "--json", "echo", "--fail", "bug")[2])["code"] == 3


def test_a_bug_without_a_place_for_its_log(capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("LIB_DATA_DIR", str(home / "file"))
    code, _, err = run(capsys, "echo", "--fail", "bug")
    assert code == 3
    assert "no log could be written: NotADirectoryError (Not a directory)" in err
    monkeypatch.setenv("LIB_CONFIG", str(home))
    assert "no log could be written: UsageError" in run(capsys, "echo", "--fail", "bug")[2]


def test_a_command_that_cannot_be_imported_is_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "eclair")
    assert code == 3
    assert "ModuleNotFoundError" in err


def test_an_interrupt_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "echo", "--fail", "interrupt") == (130, "", "lib: interrupted\n")


@pytest.mark.parametrize(
    "words", [("echo", "-h"), ("echo", "--help"), ("help", "echo"), ("echo", "--quiet", "-h", "x"), ("help", "echo", "x")]
)
def test_help_of_a_command(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert out.startswith("usage: lib echo")
    assert "say words" in out
    assert "examples:\n  lib echo one two\n" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",), ("help",), ("--json",)])
def test_help_of_all(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, _ = run(capsys, *words)
    assert (code, out) == (0, overview(ECHO) + "\n")
    assert "  echo    say words\n" in out


def test_help_breaks_no_word_that_is_typed(lib: Program) -> None:
    for name in COMMANDS:
        assert not re.search(r"[a-z]-\n", lib("help", name)[1]), name


def test_help_of_a_verb(lib: Program) -> None:
    assert lib("help", "logins", "scrub") == lib("logins", "scrub", "-h")


def test_help_of_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "help", "ehco")[0] == 2


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[1] == f"lib {__version__}\n"
    assert json.loads(run(capsys, "--json", "--version")[1]) == {"version": __version__}


def test_the_processs_own_words_are_the_default(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["lib", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"lib {__version__}\n"


def test_an_empty_table_has_an_overview() -> None:
    assert "usage: lib COMMAND" in overview({})


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_a_parser_a_meaning_and_examples(name: str) -> None:
    parser, module = parser_of(name, COMMANDS)
    assert COMMANDS[name][1]
    assert not COMMANDS[name][1].endswith(".")
    assert all(example.startswith("lib ") or f"lib {name}" in example for example in module.EXAMPLES)
    assert module.EXAMPLES
    assert callable(module.run)
    assert all(action.help for action in parser._actions), "an argument without help"


def in_a_process(*words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"HOME": variables.pop("HOME", "/nonexistent"), "PATH": os.defpath, **variables}
    return subprocess.run([sys.executable, "-c", RUN, *words], env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("times", ["1", "100000"])
def test_a_reader_that_has_gone_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch, times: str) -> None:
    # With one line it is the last flush that fails, with many a write.
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["echo", "--quiet", "--times", times, "word"], ECHO) == 141
        stream.flush()
    assert home.exists()


@pytest.mark.parametrize("times", ["1", "100000"])
def test_the_interpreter_does_not_complain_about_it_either(home: Path, times: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-c", RUN, "echo", "--quiet", "--times", times, "word"]
    done = subprocess.run(words, env={"HOME": str(home)}, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize("times", ["1", "100000"])
@pytest.mark.parametrize("full", [("stdout",), ("stdout", "stderr")])
def test_a_full_disk_under_the_output_is_said_and_is_no_bug(home: Path, times: str, full: tuple[str, ...]) -> None:
    words = [sys.executable, "-c", RUN, "echo", "--quiet", "--times", times, "word"]
    with open("/dev/full", "w") as sink:
        streams = {name: sink if name in full else subprocess.PIPE for name in ("stdout", "stderr")}
        done = subprocess.run(words, env={"HOME": str(home)}, check=False, **streams)  # type: ignore[call-overload]
    assert done.returncode == 17
    if "stderr" not in full:
        assert done.stderr.decode().startswith("lib: the output cannot be written: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize("times", ["1", "100000"])
@pytest.mark.parametrize("full", [("stdout",), ("stdout", "stderr")])
def test_the_exit_code_says_so_from_inside_too(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, times: str, full: tuple[str, ...]
) -> None:
    # With one line it is the last flush that fails, with many a write.
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, open("/dev/full" if name in full else tmp_path / name, "w"))  # noqa: SIM115 - closed below
    code = main(["echo", "--quiet", "--times", times, "word"], ECHO)
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    assert code == 17
    if "stderr" not in full:
        assert (tmp_path / "stderr").read_text().startswith("lib: the output cannot be written: No space left on device\n")
    assert home.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_bytes_that_cannot_be_written_are_no_bug_either() -> None:
    with open("/dev/full", "w") as sink:
        output = Output(sink, sys.stderr, {})
        with pytest.raises(OutputLost):
            output.raw(b"x" * 1_000_000)
        output.abandon()


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_survived(home: Path, closed: int) -> None:
    words = " ".join(shlex.quote(word) for word in (sys.executable, "-c", RUN, "echo", "word"))
    done = subprocess.run(["sh", "-c", f"{words} {closed}>&-"], env={"HOME": str(home)}, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout == (b"" if closed == 1 else b"word\n")
    assert b"Traceback" not in done.stderr


def test_a_folder_that_was_deleted_is_no_bug(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["index", "."]) == 2
    assert "the folder you are in was deleted" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("place", ["", "below/it", "/proc/none"])
@pytest.mark.parametrize("words", ["index", "quickstart", "init", "install claude-code", "absent ferry"])
def test_a_data_dir_that_cannot_be_is_no_bug(home: Path, monkeypatch: pytest.MonkeyPatch, lib: Program, place: str, words: str) -> None:
    (home / "file").write_text("x")
    (home / "library" / "entries").mkdir(parents=True)
    (home / "library" / ".lib-library").write_text("1\n")
    for options in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(home / "library"), *identity, *options], check=True)
    monkeypatch.chdir(home / "library")
    monkeypatch.setenv("LIB_DATA_DIR", str(home / "file" / place))
    code, _, err = lib(*words.split())
    assert code == 16, err
    assert "cannot use the data dir" in err
    assert "LIB_DATA_DIR" in err


def test_what_else_the_system_refuses_is_a_bug(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIB_DATA_DIR", str(home / "data"))
    (home / "data").mkdir()
    context = Context({"LIB_DATA_DIR": str(home / "data")}, str(home), standard({}))
    missing = FileNotFoundError(errno.ENOENT, "no", str(home / "data" / "x"))
    assert context.unusable(missing) is None
    assert context.config.data_dir == str(home / "data")
    assert context.unusable(missing) is None
    assert context.unusable(PermissionError(errno.EACCES, "no", str(home))) is None
    assert context.unusable(PermissionError(errno.EACCES, "no")) is None
    found = context.unusable(PermissionError(errno.EACCES, "no", str(home / "data" / "x")))
    assert found is not None
    assert found.exit_code == 16


def test_a_stream_without_unicode_is_survived() -> None:
    done = in_a_process("echo", "--quiet", "é→日", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (0, b"\\xe9\\u2192\\u65e5\n")
    done = in_a_process("echo", "--quiet", "--json", "é→😀", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout) == {"words": ["é→😀"]}


def test_a_plain_locale_is_survived() -> None:
    for locale in ("C", "POSIX"):
        done = in_a_process("echo", "--quiet", "é", LC_ALL=locale)
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_module_is_a_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # Its end would be the end of the tests too.
    monkeypatch.setattr(os, "_exit", sys.exit)
    monkeypatch.setattr(sys, "argv", ["lib", "nonsense"])
    monkeypatch.delitem(sys.modules, "libtool.cli.main")
    with pytest.raises(SystemExit) as raised:
        runpy.run_module("libtool.cli.main", run_name="__main__")
    assert raised.value.code == 2
    assert "unknown command `nonsense`" in capsys.readouterr().err


def test_the_program_ends_with_everything_written_and_its_code(home: Path) -> None:
    path = home / "out"
    with path.open("wb") as file:
        words = [sys.executable, "-m", "libtool.cli.main", "-h"]
        assert subprocess.run(words, env={"HOME": str(home)}, stdout=file, check=False).returncode == 0
    assert path.read_text() == overview(COMMANDS) + "\n"
    assert subprocess.run([*words[:-1], "nonsense"], env={"HOME": str(home)}, capture_output=True, check=False).returncode == 2
