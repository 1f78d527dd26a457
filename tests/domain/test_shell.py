from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.shell import CLOSE, OPEN, PLAIN_DOLLAR, Shell, Stage

Plain = list[list[str]] | str


def plain(shell: Shell) -> list[Plain]:
    """The words of each stage of each pipeline that has any."""
    found: list[Plain] = []
    for item in shell.pipelines():
        if isinstance(item, str):
            found.append(item)
        elif words := [stage.words for stage in item if stage.words]:
            found.append(words)
    return found


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("a b|c |& d", [[["a", "b"], ["c"], ["d"]]]),
        ("a;b&&c||d&e\nf", [[["a"]], [["b"]], [["c"]], [["d"]], [["e"]], [["f"]]]),
        ("(a; b) c", [OPEN, [["a"]], [["b"]], CLOSE, [["c"]]]),
        ("a 'b  c' \"d 'e'\" f\\ g $'h'", [[["a", "b  c", "d 'e'", "f g", "h"]]]),
        ("a # b\nc#d", [[["a"]], [["c#d"]]]),
        ("a \\\n b", [[["a", "b"]]]),
        ("a ${b:-c d} '$e' \\$f \"\\$g $h\"", [[["a", "${b:-c d}", f"{PLAIN_DOLLAR}e", f"{PLAIN_DOLLAR}f", f"{PLAIN_DOLLAR}g $h"]]]),
        ('a "b\\\nc" \'d', [[["a", "bc", "d"]]]),
        ("a \\", [[["a", ""]]]),
    ],
)
def test_words(command: str, words: list[Plain]) -> None:
    assert plain(Shell(command)) == words


def stage(command: str) -> Stage:
    first = next(Shell(command).pipelines())
    assert isinstance(first, list)
    return first[0]


def test_redirections_are_no_words() -> None:
    assert stage("a < b > c 2> d &> e 2>&1 >&2 2>&- >> f g") == Stage(["a", "g"], ["b"], ["c", "d", "e", "f"])


def test_here_documents_are_no_commands() -> None:
    first = Shell("a <<'X' | b <<-Y\none 'two\nX\n\tthree\n\tY\nc d")
    assert [item for item in first.pipelines() if isinstance(item, list)] == [
        [Stage(["a"], body="one 'two\n"), Stage(["b"], body="\tthree\n")],
        [Stage(["c", "d"])],
    ]
    assert stage("a <<X").body == ""
    assert stage("a <<X\nnever closed").body == "never closed"
    assert stage("a <<< 'b c'") == Stage(["a"], body="b c")


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("a $(b c) `d` <(e)", ["b c", "d", "e"]),
        ('a "$(b "c)" \'d)\' \\) (e) $(f))g" h', ["b \"c)\" 'd)' \\) (e) $(f)"]),
        ('a "`b`" $(c `d)` e)', ["b", "c `d)` e"]),
        ("a $(b <<'X'\nit's (\nX\n) c", ["b <<'X'\nit's (\nX\n"]),
        ('a "$(b "it\'s (" <<X <<Y\n"\nX\n)"', ['b "it\'s (" <<X <<Y\n"\nX\n']),
        ("a $(b \n'c", ["b \n'c"]),
        ('a "$(b', ["b"]),
    ],
)
def test_substitutions(command: str, inner: list[str]) -> None:
    shell = Shell(command)
    words = plain(shell)
    assert shell.substitutions == inner
    assert f"\x00{len(inner) - 1}\x00" in str(words).replace("\\x00", "\x00")


@given(st.text("ab '\"\\`$(){}<>|&;\n#X0", max_size=60))
def test_nothing_is_refused_and_no_word_is_made_up(command: str) -> None:
    shell = Shell(command)
    for item in shell.pipelines():
        for one in item if isinstance(item, list) else ():
            for word in one.words:
                assert set(word) <= set(command) | set("\x00\x010123456789")
    assert all(inner in command for inner in shell.substitutions)
