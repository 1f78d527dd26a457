"""docs/agents.md: what `lib install` puts where, from the table that it runs on."""

from __future__ import annotations

from libtool.features.install import templates
from libtool.features.install.table import AGENTS

_HEAD = """# Agents

%s

`lib install` puts these into the folder of each agent that was used on the machine; `--project` into the project that you are in.
`lib install --uninstall` gives every file back byte for byte; one that was edited since loses only lib's part.

| agent | for you | in a project | skill |
|---|---|---|---|
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
    parts = []
    for agent in AGENTS.values():
        todo = f"\nStill to do: {agent.todo}.\n" if agent.todo else ""
        for place in agent.places:
            kind = place.part.template.rpartition(".")[2]
            text = templates.text(place.part.template).rstrip("\n")
            parts.append(f"\n## {agent.name}: {place.user}\n{todo}\n```{kind}\n{text}\n```\n")
            todo = ""
    return _HEAD % generated + "".join(rows) + _TEMPLATES + "".join(parts)
