from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.variants import pattern
from libtool.features.absent import places
from libtool.features.absent.places import Place


def read(*lines: bytes) -> list[tuple[str, int, str]]:
    found = places.read(b"".join(lines), pattern(["token_cron"]))
    return [(one.path, one.line, one.kind) for one in found.places]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("def token_cron():", "defined"),
        ("class TOKEN_CRON {", "defined"),
        ("func (s *Server) token_cron() {", "defined"),
        ("#define TOKEN_CRON 1", "defined"),
        ("CREATE TABLE token_cron (", "defined"),
        ('data "job" "token_cron" {', "used"),
        ("token_cron = 1", "assigned"),
        ("token_cron: int", "assigned"),
        ('"token_cron": 1', "assigned"),
        ("token_cron := 1", "assigned"),
        ("if token_cron == 1", "used"),
        ("token_cron()", "used"),
    ],
)
def test_kinds(line: str, kind: str) -> None:
    assert read(b"x.py\0" + b"7:" + line.encode() + b"\n") == [("x.py", 7, kind)]


def test_old_and_new_git_divide_the_number_from_the_text_differently() -> None:
    assert read(b"x\x001:token_cron()\n", b"y\x002\0token_cron()\n") == [("x", 1, "used"), ("y", 2, "used")]


def test_a_text_file_may_be_named_like_a_binary_one() -> None:
    assert read(b"Binary file a\x001:token_cron matches\n", b"y\x002:token_cron\n") == [("Binary file a", 1, "used"), ("y", 2, "used")]


def test_a_line_that_was_cut_off_counts_and_what_is_none_is_passed_over() -> None:
    assert read(b"x\0nothing\n", b"y\x002:token_cron") == [("y", 2, "used")]
    assert read(b"a name without end") == []
    assert read(b"Binary file a matches\n") == [("a", 0, "binary file")]


def test_a_second_match_in_a_line_may_be_the_whole_word() -> None:
    assert read(b"x\x001:mytoken_cronx token_cron\n") == [("x", 1, "used")]


def test_all_expressions_must_match() -> None:
    out = b"x\x001:a token and a cron\ny\x002:a token\nz\x003:tokenize a cron\n"
    found = places.read(out, pattern(["token"]), pattern(["cron"]))
    assert [one.path for one in found.places] == ["x"]
    assert [one.path for one in found.inside] == ["y", "z"]


def test_git_may_fold_a_letter_that_we_do_not() -> None:
    found = places.read(b"x\x001:nothing of it\n", pattern(["token"]))
    assert (found.places, found.inside) == ([], [])


@given(st.binary(max_size=200))
def test_anything_is_understood_somehow(out: bytes) -> None:
    found = places.read(out, pattern(["a"]))
    assert all(one.line >= 0 for one in [*found.places, *found.inside])


def test_tests_and_documents_come_last() -> None:
    found = [
        Place("tests/x.py", 1, "", "defined"),
        Place("docs/x", 1, "", "used"),
        Place("x.py", 2, "", "used"),
        Place("x.py", 1, "", "used"),
    ]
    assert [(one.path, one.line) for one in places.ordered([*found, *found])] == [
        ("x.py", 1),
        ("x.py", 2),
        ("tests/x.py", 1),
        ("docs/x", 1),
    ]


def test_names_of_files() -> None:
    whole, inside = places.in_names(["a/token_cron.py", "mytoken_cronic", "x"], pattern(["token_cron"]))
    assert ([one.path for one in whole], [one.path for one in inside]) == (["a/token_cron.py"], ["mytoken_cronic"])
