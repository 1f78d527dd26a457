"""Logins for http(s): from the URL, from git's helpers, from the files that git reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.storage.credentials import Credentials
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

WORD = "let" + "me" * 2
NO_GIT = "/nowhere"


def told(found: Credentials) -> tuple[str, str] | None:
    return (found.login.user, found.login.password) if found.login else None


def without_git(url: str, home: Path, **more: str) -> Credentials:
    return Credentials(url, str(home), {"PATH": NO_GIT, "HOME": str(home), **more})


def test_a_url_s_own_login_comes_first_and_is_not_shown(home: Path) -> None:
    found = without_git(f"https://ada:{WORD}%40@example.org/x", home)
    assert told(found) == ("ada", WORD + "@")
    assert WORD not in repr(found.login)
    assert not found.ask()
    found.approve()


@pytest.mark.parametrize("place", [".git-credentials", ".config/git/credentials"])
def test_stored_logins_are_found_without_git(home: Path, place: str) -> None:
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "https://other.example.org",
        f"https://eve:{WORD[::-1]}@example.org:8443",
        f"https://ada:{WORD}@example.org",
        "https://bob:x@example.org",
    ]
    path.write_text("\n".join(lines))
    found = without_git("https://example.org/x", home)
    assert told(found) is None
    assert found.ask()
    assert told(found) == ("ada", WORD)
    assert not found.ask()
    assert told(found) is None
    named = without_git("https://bob@example.org/x", home)
    assert named.ask()
    assert told(named) == ("bob", "x")


def test_a_netrc_is_read_without_git(home: Path) -> None:
    (home / ".git-credentials").write_text("https://other.example.org\n")
    (home / ".netrc").write_text(f"machine example.org login ada password {WORD}\n")
    (home / ".netrc").chmod(0o600)
    found = without_git("https://example.org/x", home)
    assert found.ask()
    assert told(found) == ("ada", WORD)
    assert not without_git("https://eve@example.org/x", home).ask()
    assert not without_git("https://elsewhere.org/x", home).ask()


def test_a_damaged_netrc_is_none(home: Path) -> None:
    (home / ".netrc").write_text("machine\n")
    assert not without_git("https://example.org/x", home).ask()


def helped(home: Path, url: str, says: str) -> Credentials:
    script = home / "helper"
    script.write_text(f'#!/bin/sh\ncat >>"{home}/asked.$1"\n[ "$1" = get ] && printf "{says}"\nexit 0\n')
    script.chmod(0o755)
    (home / ".gitconfig").write_text(f"[credential]\n\thelper = {script}\n\tuseHttpPath = true\n")
    return Credentials(url, str(home), environment(GIT_TERMINAL_PROMPT="0", GIT_ASKPASS="false"))


def test_git_s_helper_is_asked_once_and_told_how_it_went(home: Path) -> None:
    found = helped(home, "https://ada@[::1]:8443/team/x.git", f"password={WORD}\\n")
    assert found.ask()
    assert told(found) == ("ada", WORD)
    asked = (home / "asked.get").read_text()
    assert [line for line in ("host=[::1]:8443", "path=team/x.git", "username=ada") if line not in asked] == []
    found.approve()
    assert WORD in (home / "asked.store").read_text()
    assert not found.ask()
    assert WORD in (home / "asked.erase").read_text()


def test_a_helper_that_knows_nothing(home: Path) -> None:
    assert not helped(home, "https://example.org/", "").ask()


def test_a_user_name_cannot_forge_lines(home: Path) -> None:
    found = helped(home, "https://ada%0Ahost=evil.example.org@example.org/", f"username=ada\\npassword={WORD}\\n")
    found.ask()
    assert "evil" not in (home / "asked.get").read_text()
