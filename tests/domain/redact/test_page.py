from __future__ import annotations

from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.page import HEADINGS, render
from libtool.domain.redact.words import PASSWORD_WORDS


def test_the_page_shows_every_rule_and_language() -> None:
    page = render("<!-- made -->")
    assert "<!-- made -->" in page
    for group, rules in GROUPS.items():
        assert f"## {HEADINGS[group]}\n" in page
        for rule in rules:
            assert f"| {rule.name}" in page
    for language in PASSWORD_WORDS:
        assert f"| {language} |" in page


def test_no_cell_breaks_its_table() -> None:
    rows = [line for line in render("").splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} == {5, 3}
