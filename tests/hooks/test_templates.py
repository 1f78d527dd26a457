"""The files in hooks/agent that `lib install` puts into agents' settings: they call only what there is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from libtool.domain.agent_event import END, START, TURN
from libtool.hooks.agents.table import AGENTS, shape_of

FOLDER = Path(__file__).parents[2] / "hooks" / "agent"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())
CALL = re.compile(r"@LIB@ hook ([a-z-]+) ([A-Za-z]+)")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node runs the plugins")
FAKE = """#!/bin/sh
printf '%s ' "$@" >>"$CALLS"
cat >>"$CALLS"
echo >>"$CALLS"
case $3 in session.compacting) printf 'say what was decided' ;; session.created | session_start) printf %s "$TOLD" ;; esac
exit 0
"""


def events_of(agent: str) -> dict[str, str]:
    shape = shape_of(agent)
    assert shape is not None
    return shape._events


def plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def test_every_agent_has_a_template() -> None:
    assert {path.parent.name for path in FILES} == set(AGENTS)
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 40 for path in FILES)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".json"], ids=lambda path: path.parent.name)
def test_settings_call_events_that_the_agent_has_and_we_work_at(path: Path) -> None:
    agent = path.parent.name
    hooks = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    kinds = set()
    for name, groups in hooks.items():
        ((called, event),) = CALL.findall(json.dumps(groups))
        assert (called, event) == (agent, name)
        kinds.add(events_of(agent)[plain(name)])
    assert kinds >= {START, TURN, END}
    assert "" not in kinds


def test_qwen_gives_hooks_seconds_in_every_version() -> None:
    # Qwen Code 0.15 takes a timeout for milliseconds, 0.24 one below 1000 for seconds: with 5 the earlier one kills each hook unheard.
    hooks = json.loads((FOLDER / "qwen-code" / "settings.json").read_text(encoding="utf-8"))["hooks"]
    assert {hook["timeout"] for groups in hooks.values() for group in groups for hook in group["hooks"]} == {5000}


def test_codex_is_also_told_of_by_notify() -> None:
    config = tomllib.loads((FOLDER / "codex" / "config.toml").read_text(encoding="utf-8"))
    assert config == {"notify": ["@LIB@", "hook", "codex", "notify"]}


def run(tmp_path: Path, template: str, script: str, told: str = "") -> list[tuple[str, object]]:
    """(event, payload) of each call that a plugin makes when a script drives it."""
    lib = tmp_path / "lib"
    lib.write_text(FAKE, encoding="utf-8")
    lib.chmod(0o700)
    source = (FOLDER / template).read_text(encoding="utf-8")
    (tmp_path / "plugin.mjs").write_text(source.replace("@LIB@", str(lib)), encoding="utf-8")
    (tmp_path / "drive.mjs").write_text(script, encoding="utf-8")
    calls = tmp_path / "calls"
    environ = {"CALLS": str(calls), "PATH": os.environ["PATH"], "TOLD": told}  # noqa: TID251
    subprocess.run(["node", "drive.mjs"], cwd=tmp_path, env=environ, check=True, capture_output=True, timeout=60)
    found = []
    for line in calls.read_text(encoding="utf-8").splitlines():
        _, agent, event, payload = line.split(" ", 3)
        assert template.startswith(f"{agent}/")
        found.append((event, json.loads(payload)))
    return found


@needs_node
def test_the_plugin_of_opencode_passes_events_on_and_adds_to_a_compaction(tmp_path: Path) -> None:
    script = """
    import { LibSessions } from "./plugin.mjs";
    const plugin = await LibSessions({ directory: "/srv" });
    await plugin.event({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } });
    await plugin.event({ event: { type: "message.updated", properties: { sessionID: "ses_1" } } });
    await plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    await plugin.event({ event: { type: "session.idle" } });
    const output = { context: [] };
    await plugin["experimental.session.compacting"]({ sessionID: "ses_1" }, output);
    if (output.context.join() !== "say what was decided") process.exit(1);
    """
    calls = run(tmp_path, "opencode/lib.js", script)
    told = {"sessionID": "ses_1", "directory": "/srv"}
    assert calls == [("session.created", told), ("session.idle", told), ("session.compacting", told)]
    shape = shape_of("opencode")
    assert shape is not None
    event = shape.read("session.idle", told)
    assert event is not None
    assert (event.kind, event.session, event.folder) == (TURN, "ses_1", "/srv")


@needs_node
@pytest.mark.parametrize(("told", "system"), [("the topics", ["first", "the topics"]), ("", ["first"])])
def test_the_plugin_of_opencode_tells_the_model_and_the_tools(tmp_path: Path, told: str, system: list[str]) -> None:
    script = """
    import { strict as assert } from "node:assert";
    import { LibSessions } from "./plugin.mjs";
    const plugin = await LibSessions({ directory: "/srv" });
    const asked = async (input) => {
      const output = { system: ["first"] };
      await plugin["experimental.chat.system.transform"](input, output);
      return output.system;
    };
    await plugin.event({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } });
    for (const id of ["ses_1", "ses_1", "ses_2", "ses_2"]) assert.deepEqual(await asked({ sessionID: id }), SYSTEM);
    assert.deepEqual(await asked({}), ["first"]);
    const output = { env: { PATH: "/bin" } };
    await plugin["shell.env"]({ cwd: "/srv", sessionID: "ses_2", callID: "call_1" }, output);
    assert.deepEqual(output.env, { PATH: "/bin", LIB_SESSION: "opencode:ses_2" });
    // A terminal of the person's is in no session.
    await plugin["shell.env"]({ cwd: "/srv" }, (output.env = {}, output));
    assert.deepEqual(output.env, {});
    """
    calls = run(tmp_path, "opencode/lib.js", script.replace("SYSTEM", json.dumps(system)), told)
    # Each session begins once, also one that goes on and is not created.
    assert calls == [("session.created", {"sessionID": name, "directory": "/srv"}) for name in ("ses_1", "ses_2")]


@needs_node
@pytest.mark.parametrize(("told", "answer"), [("the topics", {"systemPrompt": "first\n\nthe topics"}), ("", None)])
def test_the_extension_of_pi_tells_the_model_and_the_tools(tmp_path: Path, told: str, answer: dict[str, str] | None) -> None:
    script = """
    import { strict as assert } from "node:assert";
    import extension from "./plugin.mjs";
    const handlers = {};
    extension({ on: (name, handler) => { handlers[name] = handler; } });
    const of = (file, id) => ({ cwd: "/srv", sessionManager: { getSessionFile: () => file, getSessionId: () => id } });
    await handlers.session_start({ type: "session_start" }, of("/s/1.jsonl", "one-session"));
    await handlers.agent_end({ type: "agent_end" }, of("/s/1.jsonl", "one-session"));
    const said = await handlers.before_agent_start({ systemPrompt: "first" });
    assert.deepEqual(said ?? null, ANSWER);
    for (const [file, id, variable] of [["/s/1.jsonl", "one", "pi:one"], ["/s/2.jsonl", "two", "pi:two"], [undefined, "three", ""]]) {
      assert.equal(await handlers.tool_call({ toolName: "bash" }, of(file, id)), undefined);
      assert.equal(process.env.LIB_SESSION, variable);
    }
    // As another version may call it: nothing may come of that, since an error would stop the tool.
    assert.equal(await handlers.before_agent_start({}), undefined);
    assert.equal(await handlers.tool_call({ toolName: "bash" }, {}), undefined);
    assert.equal(process.env.LIB_SESSION, "");
    """
    calls = run(tmp_path, "pi/lib.ts", script.replace("ANSWER", json.dumps(answer)), told)
    assert [name for name, _ in calls] == ["session_start", "agent_end"]


@needs_node
def test_the_extension_of_pi_passes_events_on(tmp_path: Path) -> None:
    script = """
    import extension from "./plugin.mjs";
    const handlers = {};
    extension({ on: (name, handler) => { handlers[name] = handler; } });
    const sessionManager = { getSessionFile: () => "/s/1.jsonl", getSessionId: () => "one-session" };
    const ctx = { cwd: "/srv", sessionManager };
    await handlers.session_start({ type: "session_start", reason: "startup" }, ctx);
    await handlers.agent_end({ type: "agent_end", messages: [{ role: "user", content: "not passed on" }] }, ctx);
    await handlers.session_compact({ compactionEntry: { summary: "We fire slowly.", details: {} } }, ctx);
    await handlers.session_shutdown({ reason: "quit" }, undefined);
    """
    calls = run(tmp_path, "pi/lib.ts", script)
    ctx = {"cwd": "/srv", "sessionFile": "/s/1.jsonl", "sessionId": "one-session"}
    assert calls == [
        ("session_start", {"event": {"type": "session_start", "reason": "startup"}, "ctx": ctx}),
        ("agent_end", {"event": {"type": "agent_end"}, "ctx": ctx}),
        ("session_compact", {"event": {"type": "session_compact", "compactionEntry": {"summary": "We fire slowly."}}, "ctx": ctx}),
        ("session_shutdown", {"event": {"type": "session_shutdown", "reason": "quit"}, "ctx": {}}),
    ]
    shape = shape_of("pi")
    assert shape is not None
    event = shape.read("session_compact", {"event": {"compactionEntry": {"summary": "We fire slowly."}}, "ctx": ctx})
    assert event is not None
    assert (event.path, event.summary) == ("/s/1.jsonl", "We fire slowly.")


@needs_node
@pytest.mark.parametrize("template", ["opencode/lib.js", "pi/lib.ts"])
def test_a_lib_that_is_gone_does_not_disturb_the_agent(tmp_path: Path, template: str) -> None:
    source = (FOLDER / template).read_text(encoding="utf-8").replace("@LIB@", "/nowhere/lib")
    (tmp_path / "plugin.mjs").write_text(source, encoding="utf-8")
    script = {
        "opencode/lib.js": """
        import { LibSessions } from "./plugin.mjs";
        const plugin = await LibSessions({ directory: "/srv" });
        await plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
        """,
        "pi/lib.ts": """
        import extension from "./plugin.mjs";
        const handlers = {};
        extension({ on: (name, handler) => { handlers[name] = handler; } });
        await handlers.agent_end({}, {});
        """,
    }[template]
    (tmp_path / "drive.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "drive.mjs"], cwd=tmp_path, check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("code", [126, 127])
def test_the_launcher_goes_on_to_another_lib_where_its_own_cannot_be_run(tmp_path: Path, code: int) -> None:
    launcher = (FOLDER.parent / "lib").read_text(encoding="utf-8")
    python, other, script = tmp_path / "python", tmp_path / "bin" / "lib", tmp_path / "lib"
    other.parent.mkdir()
    python.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
    values = {"PYTHON": str(python), "PATH": "/", "BOOT": "x", "ENVIRONMENT": ":"}
    script.write_text(re.sub("@([A-Z]+)@", lambda found: f"'{values[found[1]]}'", launcher), encoding="utf-8")
    other.write_text('#!/bin/sh\necho "other $*"\nexit 5\n', encoding="utf-8")
    for path in (python, other, script):
        path.chmod(0o700)
    environ = {"PATH": f"{other.parent}:{os.defpath}"}
    done = subprocess.run([script, "status"], env=environ, capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (5, "other status\n")
    done = subprocess.run([script, "status"], env={"PATH": os.defpath}, capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, "lib is gone" in done.stderr) == (code, True)
    done = subprocess.run([script, "hook", "pi", "x"], env={"PATH": os.defpath}, capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
