"""The frame that Gemini CLI and Qwen Code put around what a shell command printed, for the model.

Lines `Command:`, `Directory:`, `Output:` (older versions `Stdout:` and `Stderr:`), then `Error:`, `Exit Code:`, `Signal:`,
`Background PIDs:`, `Process Group PGID:`. The call names the command already, and a frame that repeats it would leave no room for what
was printed where a result is cut.
"""

from __future__ import annotations

import re

_HEAD = re.compile(r"Command: .*?\nDirectory: [^\n]*\n(?=Output: |Stdout: )", re.DOTALL)
_PRINTED = ("Output: ", "Stdout: ")
_LAST = re.compile(r"(?:Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*")
_NOTHING = (": (none)", ": (empty)", ": 0")


def shell_output(text: str) -> str:
    """What the command printed, and of the frame's last lines those that tell something; a text without the frame as it is."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    if not text.startswith(_PRINTED, start):
        return text
    begin, end = start + len(_PRINTED[0]), len(text)
    told: list[str] = []
    while end > begin and _LAST.fullmatch(text, line := max(text.rfind("\n", begin, end) + 1, begin), end):
        if not text.startswith("Process Group PGID: ", line) and not text[line:end].endswith(_NOTHING):
            told.append(text[line:end])
        end = max(line - 1, begin)
    printed = text[begin:end]
    return "\n".join([*([] if printed == "(empty)" else [printed]), *reversed(told)])
