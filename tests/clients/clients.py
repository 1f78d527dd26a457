"""The clients: package, how each is told of the model server, how it is run without a terminal, which hooks then call lib."""

from __future__ import annotations

import json
from typing import NamedTuple

PORT = 8765
"""Free in a network namespace of one's own."""
SERVER = f"http://127.0.0.1:{PORT}"
KEY = "stub"


class Client(NamedTuple):
    """One client as it is run here."""

    agent: str
    package: str
    """With the version that was seen to work, so that a run does not depend on the day."""
    program: str
    words: tuple[str, ...]
    """Of its command line, before the prompt."""
    environ: dict[str, str]
    settings: dict[str, str]
    """Files below the home, as the person has them before `lib install`."""
    calls: tuple[str, ...]
    """Events that lib must be called with in such a run, once each."""
    is_told: bool = True
    """Whether the model is told of the library when a session starts."""


CODEX_CONFIG = f"""# mine
model = "stub-model"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "{SERVER}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
"""
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}
QWEN_SETTINGS = {"general": {"enableAutoUpdate": False}, "telemetry": {"enabled": False}, "privacy": {"usageStatisticsEnabled": False}}
OPENCODE_CONFIG = {
    # It would put this in by itself.
    "$schema": "https://opencode.ai/config.json",
    "model": "stub/stub-model",
    "small_model": "stub/stub-model",
    "autoupdate": False,
    "share": "disabled",
    "provider": {
        "stub": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "stub",
            "options": {"baseURL": f"{SERVER}/v1", "apiKey": KEY},
            "models": {"stub-model": {"name": "stub-model", "tool_call": True}},
        }
    },
}
PI_MODELS = {
    "providers": {
        "stub": {
            "baseUrl": f"{SERVER}/v1",
            "apiKey": KEY,
            "api": "openai-completions",
            "models": [{"id": "stub-model", "name": "stub-model", "contextWindow": 100_000, "maxTokens": 4000}],
        }
    }
}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


CLAUDE_CODE = Client(
    "claude-code",
    "@anthropic-ai/claude-code@2.1.332",
    "claude",
    ("--allowedTools", "Bash", "-p"),
    {
        "ANTHROPIC_BASE_URL": SERVER,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    },
    {".claude/settings.json": _json({"includeCoAuthoredBy": False})},
    ("SessionStart", "Stop", "SessionEnd"),
)
CODEX = Client(
    "codex",
    "@openai/codex@0.171.0",
    "codex",
    ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
    {"OPENAI_API_KEY": KEY},
    {".codex/config.toml": CODEX_CONFIG},
    ("SessionStart", "Stop", "SessionEnd", "notify"),
)
# As a person has it who has not trusted lib's hooks yet.
CODEX_UNTRUSTED = CODEX._replace(words=("exec", "--skip-git-repo-check"), calls=("notify",), is_told=False)
GEMINI_CLI = Client(
    "gemini-cli",
    "@google/gemini-cli@0.61.0",
    "gemini",
    ("--yolo", "--skip-trust", "-p"),
    {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": SERVER},
    {".gemini/settings.json": _json(GEMINI_SETTINGS)},
    ("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"),
    is_told=False,
)
QWEN_CODE = Client(
    "qwen-code",
    "@qwen-code/qwen-code@0.24.4",
    "qwen",
    ("--yolo", "--auth-type", "openai", "-p"),
    {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{SERVER}/v1", "OPENAI_MODEL": "stub-model"},
    {".qwen/settings.json": _json(QWEN_SETTINGS)},
    # In print mode it tells of no end of the session.
    ("SessionStart", "Stop"),
)
OPENCODE = Client(
    "opencode",
    "opencode-ai@1.18.33",
    "opencode",
    ("run",),
    {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"},
    # Without a network it would try for long to fetch what plugins are typed with.
    {".config/opencode/opencode.json": _json(OPENCODE_CONFIG), ".npmrc": "fetch-retries=0\n"},
    ("session.created", "session.idle"),
)
PI = Client(
    "pi",
    "@mariozechner/pi-coding-agent@0.73.1",
    "pi",
    ("--provider", "stub", "--model", "stub-model", "-p"),
    {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
    {".pi/agent/models.json": _json(PI_MODELS)},
    ("session_start", "agent_end", "session_shutdown"),
)
COPILOT_CLI = Client(
    "copilot-cli",
    "@github/copilot@1.0.102",
    "copilot",
    ("--allow-all-tools", "-p"),
    {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{SERVER}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "stub-model",
        "COPILOT_AUTO_UPDATE": "false",
    },
    {},
    ("sessionStart", "agentStop", "sessionEnd"),
)
CLIENTS = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "codex, hooks not trusted": CODEX_UNTRUSTED,
    "gemini-cli": GEMINI_CLI,
    "qwen-code": QWEN_CODE,
    "opencode": OPENCODE,
    "pi": PI,
    "copilot-cli": COPILOT_CLI,
}
