from __future__ import annotations

import os
import runpy
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from libtool.cli.docs import PAGES, cli_page, config_page, exit_codes_page, main
from libtool.cli.main import COMMANDS
from libtool.config import SETTINGS, VARIABLES

if TYPE_CHECKING:
    from pathlib import Path

ECHO = {"echo": ("tests.cli.echo_command", "say words"), "bare": ("tests.cli.bare_command", "do it")}
OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")


def test_our_own_pages_are_what_the_code_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["--check", OURS]), capsys.readouterr().out) == (0, "")


def test_pages_are_written_once_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "docs")
    assert main(["--check", folder]) == 1
    assert capsys.readouterr().out.count("md: stale, ") == len(PAGES)
    assert not os.path.exists(folder)
    assert main([folder]) == 0
    assert capsys.readouterr().out.count("md: written\n") == len(PAGES)
    assert main(["--check", folder]) == main([folder]) == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "docs" / "cli.md").write_text("edited")
    assert main(["--check", folder]) == 1
    assert (tmp_path / "docs" / "cli.md").read_text() == "edited"


def test_it_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["docs", str(tmp_path)])
    monkeypatch.delitem(sys.modules, "libtool.cli.docs")
    with pytest.raises(SystemExit) as raised:
        runpy.run_module("libtool.cli.docs", run_name="__main__")
    assert raised.value.code == 0
    assert sorted(os.listdir(tmp_path)) == sorted(PAGES)


def test_a_commands_arguments_are_all_there() -> None:
    page = cli_page(ECHO)
    for line in (
        "## lib echo",
        "Say words.",
        "- `[WORD ...]`: what to say",
        "- `--fail {expected,bug,chain,disk,file,interrupt}`: how to fail",
        "- `--times N`: how often (default: 1)",
        "- `--stdin`: say what stands on standard input",
        "lib echo one two",
    ):
        assert f"{line}\n" in page
    assert "## lib bare\n\nDo it.\n\n```sh\n```\n" in page
    assert "--json`:" not in page


def test_arguments_of_other_shapes() -> None:
    page = cli_page({"shapes": ("tests.cli.shapes_command", "take all sorts")})
    for line in ("- `ONE`: one", "- `[MAYBE]`: one or none", "- `SOME ...`: one or more", "- `-n, --number NUMBER`: a number"):
        assert f"{line}\n" in page


def test_every_command_is_in_the_reference() -> None:
    assert [line[7:] for line in cli_page().splitlines() if line.startswith("## lib ")] == list(COMMANDS)


def test_the_codes_are_those_of_the_contract() -> None:
    codes = [
        int(line.split("|")[1]) for line in exit_codes_page().splitlines() if line[:3].strip("| ").isdecimal() or line[2:3].isdecimal()
    ]
    assert codes == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16, 17, 18, 130, 141]


def test_every_setting_and_variable_is_in_the_reference() -> None:
    page = config_page()
    for name in [*(setting.key for setting in SETTINGS), *(name for name, _ in VARIABLES)]:
        assert f"| `{name}` |" in page
    example = tomllib.loads(page.partition("```toml")[2].partition("```")[0])
    assert set(example) == {setting.key.partition(".")[0] for setting in SETTINGS}
