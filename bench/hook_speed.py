"""What `lib hook` costs the agent at the end of a turn, and the process that nobody waits for: a session of 50 MB that grew by 20 KB.

    python bench/hook_speed.py [MB] [runs]

Whole processes, on a home of its own with the session already indexed. `bare` is `python -c pass`. The worker's figures are of the same
work done in the foreground, so that its time and memory can be measured.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SID = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f"
HOOK = [sys.executable, "-c", "from libtool.cli.main import program; program()", "hook"]
WORKER = """
import os, sys, time
from libtool.config import load
from libtool.domain.agent_event import AgentEvent
from libtool.features import capture
config = load(os.environ, os.environ["HOME"])
event = AgentEvent("claude-code", "turn", sys.argv[1], path=sys.argv[2])
capture.happened(capture.Job(config, os.environ, time.time), event, "")
"""


def turn(number: int, size: int) -> str:
    """Rows of one turn of about `size` bytes, most of it what tools gave back, as in real sessions."""
    shared = {"sessionId": SID, "cwd": "/home/ada/work/kiln", "version": "2.1.332", "entrypoint": "cli", "isSidechain": False}
    when = f"2026-03-{1 + number // 1440 % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z"
    words = f"layer {number} of the kiln holds at {900 + number % 300} degrees for {number % 17} minutes; we keep the slow ramp. "
    call = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Bash",
        "input": {"command": f"make kiln-{number} && cat log/{number}.txt"},
    }
    output = f"row {number} 0x{number:08x} ok\n" * ((size - 2500) // 26)
    rows = [
        {"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": f"How hot is layer {number}? Decide."}},
        {
            "type": "assistant",
            "uuid": f"c{number}",
            "message": {"id": f"m{number}", "role": "assistant", "model": "opus", "content": [call]},
        },
        {
            "type": "user",
            "uuid": f"r{number}",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output}]},
        },
        {
            "type": "assistant",
            "uuid": f"a{number}",
            "message": {"id": f"n{number}", "role": "assistant", "model": "opus", "content": [{"type": "text", "text": words * 8}]},
        },
    ]
    return "".join(json.dumps({**row, **shared, "timestamp": when}) + "\n" for row in rows)


def timed(words: list[str], environ: dict[str, str], stdin: bytes = b"") -> float:
    begun = time.perf_counter()
    subprocess.run(words, env=environ, input=stdin, check=True, capture_output=True)
    return (time.perf_counter() - begun) * 1000


def settle(data: str) -> None:
    """Wait until nobody works any more."""
    folder = os.path.join(data, "events")
    while any(name.endswith((".mark", ".taken")) for name in os.listdir(folder)) or os.path.exists(
        os.path.join(data, "writer.lock.holder")
    ):
        time.sleep(0.02)


def computed() -> float:
    """Processor time, in ms, of all processes that were waited for: on a busy machine comparable where wall clock is not."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as home:
        data = os.path.join(home, "data")
        environ = {"HOME": home, "LIB_DATA_DIR": data, "PATH": os.defpath, "PYTHONPATH": os.getcwd()}
        path = os.path.join(home, ".claude", "projects", "-home-ada-work-kiln", f"{SID}.jsonl")
        os.makedirs(os.path.dirname(path))
        size = number = 0
        with open(path, "w", encoding="utf-8") as file:
            while size < megabytes << 20:
                size += file.write(turn(number, 20_000))
                number += 1
        payload = json.dumps({"session_id": SID, "transcript_path": path, "cwd": "/home/ada", "hook_event_name": "Stop"}).encode()
        first = timed([sys.executable, "-c", WORKER, SID, path], environ)
        print(f"first reading of {size / 1e6:.0f} MB, {number} turns: {first:.0f} ms")
        bare = statistics.median(timed([sys.executable, "-c", "pass"], environ) for _ in range(runs))
        hooks, works, computing = [], [], []
        for _ in range(runs):
            with open(path, "a", encoding="utf-8") as file:
                file.write(turn(number := number + 1, 20_000))
            before = computed()
            hooks.append(timed([*HOOK, "claude-code", "Stop"], environ, payload))
            computing.append(computed() - before)
            time.sleep(0.3)
            settle(data)
            with open(path, "a", encoding="utf-8") as file:
                file.write(turn(number := number + 1, 20_000))
            works.append(timed([sys.executable, "-c", WORKER, SID, path], environ))
        idle = statistics.median(timed([*HOOK, "claude-code", "PreToolUse"], environ, payload) for _ in range(runs))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"bare python {bare:.0f} ms; hook, on the agent's path: median {statistics.median(hooks):.0f}, worst {max(hooks):.0f} ms, "
        f"computing {statistics.median(computing):.0f} ms; ",
        end="",
    )
    print(f"an event with nothing to do {idle:.0f} ms")
    print(
        f"worker, nobody waits: median {statistics.median(works):.0f}, worst {max(works):.0f} ms; most memory of any process {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
