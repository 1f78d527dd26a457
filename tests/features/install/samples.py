"""Settings files as people have them, in the shape of each agent's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from libtool.features.install.table import AGENTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from libtool.features.install.part import Agent, Place

GROUP = {"hooks": [{"type": "command", "command": "notify-send done", "timeout": 20}]}
OTHERS = {"model": "large", "hooks": {"Stop": [GROUP], "AfterAgent": [GROUP], "PreToolUse": [{"matcher": "Bash", **GROUP}]}, "env": {}}
JSON = {
    "nothing": b"",
    "blank": b" \n",
    "empty object": b"{}",
    "empty object and line end": b"{}\n",
    "empty hooks": b'{"hooks": {}}\n',
    "empty event": b'{"hooks": {"Stop": [], "AfterAgent": [ ]}}\n',
    "other settings": b'{\n  "model": "large"\n}\n',
    "no line end": b'{\n    "model": "large"\n}',
    "one line": b'{"model":"large","hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    "other hooks": json.dumps(OTHERS, indent=2).encode() + b"\n",
    "other hooks, one space": json.dumps(OTHERS, indent=1).encode(),
    "other hooks, tabs": json.dumps(OTHERS, indent="\t").encode() + b"\n",
    "CRLF": json.dumps(OTHERS, indent=2).replace("\n", "\r\n").encode() + b"\r\n",
    "BOM": b"\xef\xbb\xbf" + json.dumps(OTHERS, indent=2).encode() + b"\n",
    "comments": b"""// mine
{
  // which model
  "model": "large", // the dear one
  /* hooks */
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "true"}]}, // rings a bell
      // nothing more
    ],
    "Odd": [] // later
  } // end
}
// and that is all
""",
    "trailing commas": b'{\n  "hooks": {\n    "Stop": [\n      {"hooks": [],},\n    ],\n  },\n}\n',
    "strange names": '{"//": "no comment", "a\\"b": "/* nor this */", "ключ": "значение", "e": "\\ud83d\\ude00"}\n'.encode(),
    "twice": b'{"hooks": {"Stop": 1}, "hooks": {}}',
}
"""Name: bytes of a settings file that an agent can read."""
BROKEN = {
    "cut short": (b'{\n  "model": "large",\n  "hooks": {\n', "line 4: it ends too soon"),
    "no comma": (b'{\n  "a": 1\n  "b": 2\n}\n', "line 3: a comma or `}` is missing"),
    "single quotes": (b"{\n  'a': 1\n}\n", "line 2: a name in double quotes is missing"),
    "no value": (b'{"a": }', "line 1: a value is missing"),
    "no colon": (b'{"a" 1}', "line 1: a colon is missing"),
    "open comment": (b'{"a": 1}\n/* what', "line 2: a comment does not end"),
    "two": (b"{}\n{}", "line 2: there is more behind the end"),
    "a list": (b"[]", "it holds no JSON object"),
    "null": (b"null\n", "it holds no JSON object"),
    "not UTF-8": (b'{\n"a": "\xff"}', "line 2: not UTF-8"),
    "too deep": (b"[" * 200, "line 1: it is nested too deeply"),
    "hooks no object": (b'{\n "hooks": []\n}', "line 2: `hooks` is no object"),
}
"""Name: (bytes of a settings file that is left alone, what is said of it)."""
TOML = {
    "nothing": b"",
    "keys": b'model = "large"\n',
    "no line end": b'model = "large"',
    "comments": b"# mine\n\nmodel = 'large' # the dear one\n\n[features]\nhooks = true # on\n\n# end\n",
    "CRLF": b'model = "large"\r\n\r\n[tui]\r\nx = """a\r\nb"""\r\n',
    "own notify": b'notify = ["bell"]\n[features]\nhooks = true\n',
    "arrays of tables": b'[[a]]\nb = 1\n[[a]]\nb.c = 2\n[projects."/home/dev/x"]\ntrust_level = "trusted"\n',
}
BROKEN_TOML = {
    "no value": (b"a = 1\nb = \n", "no TOML: Invalid value (at line 2, column 5)"),
    "not UTF-8": (b"a = '\xff'", "line 1: not UTF-8"),
}


def places() -> Iterator[tuple[Agent, Place]]:
    """Each file that `lib install` changes or makes for an agent."""
    for agent in AGENTS.values():
        for place in agent.places:
            yield agent, place


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: bytes by path, None for a folder; lib's own data apart."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not name.startswith(".local"):
            found[name] = path.read_bytes() if path.is_file() else None
    return found
