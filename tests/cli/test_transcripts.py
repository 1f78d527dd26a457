"""The command line as a reader sees it: tests/cli/*.md hold commands and what they print, and `pytest --update-golden` writes them anew.

Each file begins in a home with the carried sessions, nothing indexed. In a `console` block, `~$ ` begins a command (`lib` runs in this
process, anything else in a shell there), `2> ` a line on stderr, `[exit N]` an exit code that is not 0.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.cli.main import COMMANDS, main

if TYPE_CHECKING:
    from libtool.config import Config

FILES = sorted(Path(__file__).parent.glob("*.md"))
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
VARYING = (
    (re.compile(r"20(?!26-0[0-9])\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z"), "NOW"),
    (re.compile(r"(\[REDACTED:[a-z-]+-)[0-9a-f]{12}\]"), r"\1FINGERPRINT]"),
    (re.compile(r"(?<= )[0-9a-f]{12} (?=\([a-z-]+\)$)", re.MULTILINE), "FINGERPRINT "),
    (re.compile(r"^[0-9a-f]{12}(?= [a-z-]+ \|)", re.MULTILINE), "FINGERPRINT"),
    (re.compile(r"\d+\.\d MB"), "N MB"),
    (re.compile(r"(?<=[ (])\d+\.\d s(?=\))"), "N s"),
    (re.compile(r'(?<="seconds": )[0-9.]+'), "N"),
    (re.compile(r"(?<=  )\d+\.\d{3}(?=$|  )", re.MULTILINE), "N"),
    (re.compile(r"(?<=not synced for )\d+(?= days)"), "N"),
    (re.compile(r'(?<=\.db": )\d+'), "N"),
    (re.compile(r"\d+(?= ms at most)"), "N"),
)
"""What differs from run to run. The carried sessions are of early 2026: other times are those of the test."""


def printed(command: str, home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, made the same on every machine and day."""
    if command.startswith("lib"):
        code = main(shlex.split(command)[1:])
        said = capsys.readouterr()
        out, err = said.out, said.err
    else:
        done = subprocess.run(["sh", "-c", command], cwd=home, capture_output=True, text=True, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    text = out + "".join(f"2> {line}\n" for line in err.splitlines()) + (f"[exit {code}]\n" if code else "")
    text = text.replace(str(home), "~")
    for pattern, instead in VARYING:
        text = pattern.sub(instead, text)
    return text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_printed(
    path: Path,
    home: Path,
    staged: Config,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    update_golden: bool,
) -> None:
    assert staged.home == str(home)
    monkeypatch.chdir(home)
    # As on a machine where git knows the person, and lib is installed for all shells.
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    program = tmp_path / "lib"
    program.symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")  # noqa: TID251
    (home / ".profile").write_text(f"PATH={tmp_path}:$PATH\n")
    text = path.read_text(encoding="utf-8")

    def again(block: re.Match[str]) -> str:
        commands = [line for line in block[0].splitlines() if line.startswith("~$ ")]
        return "".join(f"{command}\n{printed(command[3:], home, capsys)}" for command in commands)

    now = BLOCK.sub(again, text)
    if update_golden:
        path.write_text(now, encoding="utf-8")
    else:
        assert now == text


def test_every_command_is_shown() -> None:
    shown = "".join(path.read_text(encoding="utf-8") for path in FILES)
    assert [name for name in COMMANDS if f"~$ lib {name}" not in shown] == []


def test_no_transcript_holds_a_path_of_the_machine_it_was_written_on() -> None:
    for path in FILES:
        assert str(Path(__file__).parents[2]) not in path.read_text(encoding="utf-8")
        assert os.uname().nodename not in re.findall(r"(?<= of )[\w-]+", path.read_text(encoding="utf-8"))
