from __future__ import annotations

import pytest

from libtool.adapters.typed import is_command, typed_records, utc
from libtool.domain.session import CALL, HUMAN, PLAN, RESULT, SUMMARY, Session


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02 03:04Z", "2026-01-02T03:04:00Z"),
        ("m 2026-01-02 03:04:05.678Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02 03:04:05+0130", "2026-01-02T01:34:05Z"),
        ("2026-01-02 03:04", "2026-01-02T03:04:00Z"),
        ("2026-13-02 03:04Z", ""),
        ("0001-01-01 00:00+1400", ""),
        ("yesterday", ""),
    ],
)
def test_times(text: str, moment: str) -> None:
    assert utc(text) == moment


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How often?", [(HUMAN, "How often?")]),
        ("<command-name>/review</command-name><command-args>pay</command-args>", [(HUMAN, "/review pay")]),
        ("<command-message>x</command-message><command-name>/clear</command-name>", []),
        ("<bash-input>ls</bash-input>", [(CALL, "")]),
        ("<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>", [(RESULT, "ok")]),
        ("<system-reminder>Be brief.</system-reminder>\n\nHow often?", [(HUMAN, "How often?")]),
        ("Caveat: The messages below were made by the user", []),
        ("[Image: source: /tmp/shot.png]", []),
        (
            "This session is being continued from a previous conversation\nOk.\nPlease continue the conversation from where we left it off",
            [(SUMMARY, "Ok.")],
        ),
        ("Implement the following plan:\n\nRetry twice.", [(HUMAN, "Implement the following plan:"), (PLAN, "Retry twice.")]),
    ],
)
def test_what_was_typed_is_told_from_what_the_agent_wrote(text: str, found: list[tuple[str, str]]) -> None:
    assert [(record.kind, record.text) for record in typed_records(Session("a", "s"), text, "")] == found
    assert is_command(text) == text.startswith("<command-")
