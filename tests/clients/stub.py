"""A model server on loopback with one script: a call of the client's shell tool, then an answer. As a program it also runs the client.

It speaks what the clients speak, streamed or whole: Anthropic's messages, OpenAI's responses and chat completions, Gemini's
generateContent. Shapes after the vendors' public API references. A request that wants JSON of a given schema (gemini-cli's choice of
a model is one, and is tried again for two minutes) gets that. What was asked is recorded, a JSON object a line: `{"path", "body"}`.
"""

from __future__ import annotations

import fcntl
import http.server
import json
import socket
import struct
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHELLS = ("Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash")
"""The clients' names of the tool that runs a command."""
AFTER_A_TOOL = ('"tool_result"', '"function_call_output"', '"role": "tool"', '"functionResponse"')
"""What stands in a request that hands a tool's result back."""


SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40
"""From linux/sockios.h and net/if.h."""


class Talk(NamedTuple):
    """One session: what the person asks, what the model then runs in the shell, and what it says."""

    prompt: str
    command: str
    answer: str


class Step(NamedTuple):
    """What the model does next: call this tool, or say a text when there is none."""

    text: str
    tool: str = ""
    arguments: Mapping[str, Any] = {}


def tools_in(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Name and schema of the arguments of each tool that a request offers, in whichever shape."""
    for group in body.get("tools") or ():
        for tool in group.get("functionDeclarations") or (group,):
            inner = tool.get("function") or tool
            schema = inner.get("parameters") or inner.get("parametersJsonSchema") or inner.get("input_schema") or {}
            yield str(inner.get("name", "")), schema


def wanted_schema(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of the JSON that a request wants for an answer, in whichever shape; empty when it wants a text."""
    gemini = body.get("generationConfig") or {}
    formats = (
        (body.get("response_format") or {}).get("json_schema") or {},
        (body.get("text") or {}).get("format") or {},
        (body.get("output_config") or {}).get("format") or {},
    )
    schemas = (gemini.get("responseJsonSchema"), gemini.get("responseSchema"), *(one.get("schema") for one in formats))
    return next((schema for schema in schemas if schema), {})


def value_of(schema: Mapping[str, Any]) -> Any:
    """The plainest value that a schema allows."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "string")).lower()
    if kind == "object":
        properties = schema.get("properties") or {}
        return {name: value_of(properties.get(name) or {}) for name in schema.get("required") or properties}
    return {"boolean": False, "number": 50, "integer": 50, "array": []}.get(kind, "says a word")


def arguments_of(schema: Mapping[str, Any], command: str) -> dict[str, Any]:
    """The command and whatever else the tool insists on."""
    given: dict[str, Any] = value_of({"type": "object", "required": [], **schema})
    for name, one in (schema.get("properties") or {}).items():
        if name in ("command", "cmd"):
            given[name] = ["sh", "-c", command] if one.get("type") == "array" else command
    return given


def next_step(body: Mapping[str, Any], talk: Talk) -> Step:
    """JSON where that is wanted, a title where no tool is offered; else the shell tool, and the answer when something came back from it."""
    schema = wanted_schema(body)
    if schema:
        return Step(json.dumps(value_of(schema)))
    offered = dict(tools_in(body))
    if not offered:
        return Step("A title")
    name = next((shell for shell in SHELLS if shell in offered), "")
    if not name or hands_back(body):
        return Step(talk.answer)
    return Step("", name, arguments_of(offered[name], talk.command))


def hands_back(body: Mapping[str, Any]) -> bool:
    """Whether a request holds what a tool gave."""
    text = json.dumps(body)
    return any(mark in text for mark in AFTER_A_TOOL)


def anthropic(step: Step) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The events of a stream of /v1/messages, and the whole message."""
    usage = {"input_tokens": 10, "output_tokens": 5}
    head: dict[str, Any] = {
        "id": "msg_stub",
        "type": "message",
        "role": "assistant",
        "model": "claude-stub",
        "stop_sequence": None,
        "usage": usage,
    }
    empty: dict[str, Any] = {"type": "text", "text": ""}
    block: dict[str, Any] = {"type": "text", "text": step.text}
    delta: dict[str, Any] = {"type": "text_delta", "text": step.text}
    if step.tool:
        block = {"type": "tool_use", "id": "toolu_stub", "name": step.tool, "input": dict(step.arguments)}
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    reason = "tool_use" if step.tool else "end_turn"
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return events, {**head, "content": [block], "stop_reason": reason}


def responses(step: Step) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The events of a stream of /v1/responses, and the whole response."""
    said = {"type": "output_text", "text": step.text}
    item: dict[str, Any] = {"type": "message", "id": "msg_stub", "role": "assistant", "content": [said]}
    if step.tool:
        item = {
            "type": "function_call",
            "id": "fc_stub",
            "call_id": "call_stub",
            "name": step.tool,
            "arguments": json.dumps(step.arguments),
        }
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None, "total_tokens": 15}
    whole = {"id": "resp_stub", "object": "response", "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_stub"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return events, whole


def completions(step: Step) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The chunks of a stream of /v1/chat/completions, and the whole completion."""
    head: dict[str, Any] = {"id": "chatcmpl-stub", "created": 1, "model": "stub"}
    said: dict[str, Any] = {"role": "assistant", "content": step.text}
    if step.tool:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        said = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": "call_stub", "type": "function", "function": function}],
        }
    reason = "tool_calls" if step.tool else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    chunk: dict[str, Any] = {**head, "object": "chat.completion.chunk"}
    events: list[dict[str, Any]] = [
        {**chunk, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    whole = {**head, "object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": reason}], "usage": usage}
    return events, whole


def gemini(step: Step) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The one event of a stream of streamGenerateContent, which is also the whole answer."""
    part: dict[str, Any] = {"text": step.text}
    if step.tool:
        part = {"functionCall": {"name": step.tool, "args": dict(step.arguments)}}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    whole = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}], "usageMetadata": usage}
    return [whole], whole


ROUTES = {"/messages": anthropic, "/responses": responses, "/chat/completions": completions, "enerateContent": gemini}
"""By how the path ends; `streamGenerateContent` and `generateContent` are one."""


class Handler(http.server.BaseHTTPRequestHandler):
    """One request; the connection ends with the answer."""

    records: str
    talk: Talk
    lock = threading.Lock()

    def do_GET(self) -> None:
        """Lists of models and the like: there are none."""
        self._answer(b'{"data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        """A turn of the model, or an empty object for what it does not know."""
        path = self.path.partition("?")[0]
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        except ValueError:
            body = {}
        with self.lock, open(self.records, "a", encoding="utf-8") as file:
            file.write(json.dumps({"path": path, "body": body}) + "\n")
        route = next((route for end, route in ROUTES.items() if path.endswith(end)), None)
        if route is None:
            self._answer(b'{"input_tokens": 10, "totalTokens": 10}', "application/json")
            return
        events, whole = route(next_step(body, self.talk))
        if not (body.get("stream") or "streamGenerateContent" in path):
            self._answer(json.dumps(whole).encode(), "application/json")
            return
        lines = [(f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events]
        end = "data: [DONE]\n\n" if route is completions else ""
        self._answer(("".join(lines) + end).encode(), "text/event-stream")

    def _answer(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Standard error is the client's."""


def raise_loopback() -> None:
    """In a new network namespace even loopback is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))


def main(words: list[str]) -> int:
    """`stub.py RECORDS PORT TALK PROGRAM ...`: serve, run the program with nothing on its standard input, end with its code.

    TALK is a Talk in JSON. Only for a network namespace of its own.
    """
    raise_loopback()
    Handler.records, Handler.talk = words[0], Talk(*json.loads(words[2]))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(words[1])), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.run(words[3:], stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
