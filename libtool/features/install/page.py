"""docs/agents.md: what `lib install` puts where, from the table that it runs on."""

from __future__ import annotations

from libtool.features import own_session
from libtool.features.install import templates
from libtool.features.install.table import AGENTS

_HEAD = """# Agents

%s

`lib install` puts these into the folder of each agent that was used on the machine; `--project` into the project that you are in.
`lib install --uninstall` gives every file back byte for byte; one that was edited since loses only lib's part.

| agent | for you | in a project | skill |
|---|---|---|---|
"""
_SESSIONS = """
What `lib` knows in a session of each agent, and what the agent's model knows of the library without asking:

| agent | `lib capture` and `lib search` know the session they are run in by | topics of the project told at a session's start |
|---|---|---|
"""
_NEAREST = f"""
An agent that was started by another one has that one's variables too: the nearest agent counts, and where that cannot be told `lib capture`
asks for `--session`. A tool of your own can name a session by `{own_session.OURS}=<agent>:<id>`. `context = false` in the configuration has
no model told anything.
"""
_TEMPLATES = """
`.claude/skills` and `.agents/skills` are those of your home or of the project. Where Claude Code has the skill, opencode finds it there.

`@LIB@` is the launcher in lib's data folder, which alone knows where lib is installed. What is merged or written:
"""


def render(generated: str) -> str:
    """The page; `generated` is its remark that nobody should edit it."""
    rows = []
    for agent in AGENTS.values():
        folder = agent.folder("~", {})
        user = ", ".join(f"`{folder}/{place.user}`" for place in agent.places)
        project = ", ".join(f"`{place.project}`" for place in agent.places if place.project)
        rows.append(f"| {agent.name} | {user} | {project} | `{agent.skills[0]}/{templates.SKILL}` |\n")
    sessions = [f"| {agent.name} | {agent.known_by} | {agent.told} |\n" for agent in AGENTS.values()]
    parts = []
    for agent in AGENTS.values():
        todo = f"\nStill to do: {agent.todo}.\n" if agent.todo else ""
        for place in agent.places:
            kind = place.part.template.rpartition(".")[2]
            text = templates.text(place.part.template).rstrip("\n")
            parts.append(f"\n## {agent.name}: {place.user}\n{todo}\n```{kind}\n{text}\n```\n")
            todo = ""
    return _HEAD % generated + "".join(rows) + _SESSIONS + "".join(sessions) + _NEAREST + _TEMPLATES + "".join(parts)
