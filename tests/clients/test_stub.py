from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients import stub

TALK = stub.Talk("Which port?", "lib search port", "Port 7, because 8 is taken.")
SCHEMA = {
    "type": "OBJECT",
    "properties": {"score": {"type": "INTEGER"}, "why": {"type": "STRING"}, "kind": {"enum": ["easy", "hard"]}, "more": {"type": "array"}},
    "required": ["score", "why", "kind"],
}
SHELL = {"type": "object", "properties": {"cmd": {"type": "string"}, "tty": {"type": "boolean"}, "note": {}}, "required": ["cmd", "note"]}


@pytest.mark.parametrize(
    "body",
    [
        {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}},
        {"generationConfig": {"responseSchema": SCHEMA}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "choice", "schema": SCHEMA}}},
        {"text": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        {"output_config": {"effort": "high", "format": {"type": "json_schema", "schema": SCHEMA}}},
    ],
)
def test_json_is_given_where_a_schema_is_given(body: dict[str, Any]) -> None:
    assert json.loads(stub.next_step(body, TALK).text) == {"score": 50, "why": "says a word", "kind": "easy"}


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "Bash", "input_schema": SHELL},
        {"type": "function", "name": "exec_command", "parameters": SHELL},
        {"type": "function", "function": {"name": "bash", "parameters": SHELL}},
        {"functionDeclarations": [{"name": "run_shell_command", "parametersJsonSchema": SHELL}]},
    ],
)
def test_the_shell_is_called_once_and_then_it_answers(tool: dict[str, Any]) -> None:
    first = stub.next_step({"tools": [tool]}, TALK)
    assert (first.tool in stub.SHELLS, first.arguments) == (True, {"cmd": TALK.command, "note": "says a word"})
    back = {"tools": [tool], "messages": [{"role": "tool", "content": "port 7"}]}
    assert stub.next_step(back, TALK) == stub.Step(TALK.answer)


def test_what_offers_no_tool_wants_a_title() -> None:
    assert stub.next_step({"messages": [{"role": "user", "content": TALK.prompt}]}, TALK) == stub.Step("A title")
