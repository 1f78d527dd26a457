"""opencode (1.18.33 was seen): our plugin passes on what it gets."""

from __future__ import annotations

from libtool.hooks.agents.shape import Shape, as_it_is

_INSIDE = ("", "input.", "event.properties.", "input.event.properties.")
"""Where a plugin's argument has the facts, as it is called by opencode and as it is passed on."""

SHAPE = Shape(
    "opencode",
    {
        "session.created": "start",
        "session.idle": "turn",
        "session.error": "turn",
        "session.compacted": "compacted",
        "session.deleted": "end",
        "session.compacting": "compacting",
        "experimental.session.compacting": "compacting",
        **dict.fromkeys(
            (
                "plugin.init catalog.updated chat.message chat.system.transform file.edited file.watcher.updated integration.updated"
                " message.updated message.removed message.part.updated message.part.removed plugin.added reference.updated session.diff"
                " session.status session.updated shell.env tool.execute.before tool.execute.after permission.updated permission.replied"
                " todo.updated server.connected lsp.updated lsp.client.diagnostics"
            ).split(),
            "",
        ),
    },
    {
        "event": ("event.type", "input.event.type"),
        "session": tuple(f"{inside}sessionID" for inside in _INSIDE),
        "folder": ("directory", "event.properties.info.directory", "input.event.properties.info.directory"),
    },
    prompt=as_it_is,
    context=as_it_is,
)
