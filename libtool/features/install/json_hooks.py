"""Our hooks in a settings file of JSON that belongs to the user: beside what is there, comments and layout kept."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from libtool.features.install import jsonc, templates
from libtool.features.install.part import UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.features.install.jsonc import Value

_OURS = re.compile(r"""(?:^|[\s'"/])lib['"]? hook (?P<agent>[a-z-]+) [A-Za-z.]+$""")
_BLANK = b" \t\r\n\xef\xbb\xbf"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


class JsonHooks:
    """The hooks of one template in a file that may hold others."""

    is_whole = False
    nothing = b"{}\n"

    def __init__(self, template: str) -> None:
        self.template = template
        self._agent = template.partition("/")[0]

    def put(self, text: bytes | None, launcher: str) -> bytes:
        """See `Part`."""
        if text is None or not text.strip(_BLANK):
            return self._filled(launcher).encode()
        ours = self._ours(launcher)
        mark, plain = _decoded(text)
        for event, groups in cast("dict[str, list[object]]", ours.pop("hooks")).items():
            plain = _with_hook(plain, event, groups)
        root = jsonc.parse(plain)
        for name, value in ours.items():
            if root.get(name) is None:
                plain = jsonc.added(plain, root, _member(name, value), jsonc.style(plain, root), 0)
                root = jsonc.parse(plain)
        return (mark + plain).encode()

    def take(self, text: bytes, was: bytes | None = None) -> bytes | None:
        """See `Part`."""
        if not text.strip(_BLANK):
            return text
        mark, plain = _decoded(text)
        kept = _kept(was)
        found = False
        while (place := self._first(jsonc.parse(plain), kept)) is not None:
            plain = jsonc.removed(plain, *place)
            found = True
        left = jsonc.parse(plain)
        at = next((at for at, item in enumerate(left.items) if item.key == "version"), None)
        if found and at is not None and left.get("hooks") is None and not kept & {"version", "hooks"}:
            # Of the form of a file of hooks, which it no longer is.
            plain = jsonc.removed(plain, left, at)
        if found and not re.sub(r"\s", "", plain).removeprefix("{").removesuffix("}"):
            return None
        return (mark + plain).encode()

    def holds(self, text: bytes, launcher: str) -> bool:
        """See `Part`."""
        if not text.strip(_BLANK):
            return False
        root = jsonc.parse(_decoded(text)[1])
        wanted = cast("dict[str, list[object]]", self._ours(launcher)["hooks"])
        there = {event: [group.python() for group in groups] for event, groups in self._groups(root)}
        return there == wanted

    def commands(self, text: bytes) -> Iterator[tuple[str, str]]:
        """(event, command) of each of our hooks that a file holds."""
        for event, groups in self._groups(jsonc.parse(_decoded(text)[1])):
            for group in groups:
                yield from ((event, command) for command in _commands(group.python()))

    def _ours(self, launcher: str) -> dict[str, object]:
        """What the template says, for this launcher."""
        found: dict[str, object] = json.loads(self._filled(launcher))
        return found

    def _filled(self, launcher: str) -> str:
        return templates.text(self.template).replace("@LIB@", json.dumps(templates.guarded(launcher))[1:-1])

    def _groups(self, root: Value) -> Iterator[tuple[str, list[Value]]]:
        """(event, our groups) of a settings file, those that are mixed with others' hooks too."""
        hooks = root.get("hooks")
        for item in hooks.items if hooks is not None else ():
            ours = [one.value for one in item.value.items if any(map(self._is_ours, _commands(one.value.python())))]
            if ours:
                yield item.key, ours

    def _first(self, root: Value, kept: frozenset[str]) -> tuple[Value, int] | None:
        """The first (container, index) that is to be taken out; what held nothing but ours goes whole, but for what is to be kept."""
        hooks = root.get("hooks")
        if hooks is None:
            return None
        alone = [self._is_all_ours(item.value) for item in hooks.items]
        if alone and all(alone) and "hooks" not in kept:
            return root, next(at for at, item in enumerate(root.items) if item.value is hooks)
        for at, item in enumerate(hooks.items):
            if alone[at] and f"hooks.{item.key}" not in kept:
                return hooks, at
            for index, one in enumerate(item.value.items):
                if self._is_all_ours(one.value):
                    return item.value, index
                inner = one.value.get("hooks")
                for number, hook in enumerate(inner.items if inner is not None else ()):
                    if self._is_all_ours(hook.value):
                        return cast("Value", inner), number
        return None

    def _is_all_ours(self, value: Value) -> bool:
        """Whether there are commands in it, all of them ours, and nothing else that a person would miss."""
        commands = list(_commands(value.python()))
        return bool(commands) and all(map(self._is_ours, commands)) and all(map(_is_command, _hooks(value.python())))

    def _is_ours(self, command: str) -> bool:
        found = _OURS.search(command)
        return found is not None and found["agent"] == self._agent


def _kept(was: bytes | None) -> frozenset[str]:
    """What a file had before there was a part of ours, and keeps though it be empty: `version`, `hooks`, `hooks.<event>`."""
    root = jsonc.parse(_decoded(was)[1]) if was is not None and was.strip(_BLANK) else None
    hooks = root.get("hooks") if root is not None else None
    names = {item.key for item in root.items} & {"version", "hooks"} if root is not None else set()
    return frozenset(names.union(f"hooks.{item.key}" for item in (hooks.items if hooks is not None else ())))


def _hooks(value: object) -> Iterator[object]:
    """The single hooks in a group, an event's list of groups, or a hook itself."""
    if isinstance(value, list):
        for one in value:
            yield from _hooks(one)
    elif isinstance(value, dict) and isinstance(value.get("hooks"), list):
        yield from value["hooks"]
    else:
        yield value


def _is_command(hook: object) -> bool:
    return isinstance(hook, dict) and isinstance(hook.get("command", hook.get("bash")), str)


def _commands(value: object) -> Iterator[str]:
    """The commands of the hooks in a value."""
    for hook in _hooks(value):
        if isinstance(hook, dict):
            command = hook.get("command", hook.get("bash"))
            if isinstance(command, str):
                yield command


def _with_hook(text: str, event: str, groups: list[object]) -> str:
    """The text with our groups at the end of an event's list."""
    root = jsonc.parse(text)
    layout = jsonc.style(text, root)
    hooks = root.get("hooks")
    if hooks is None:
        return jsonc.added(text, root, _member("hooks", {event: groups}, layout), layout, 0)
    if hooks.kind != "{":
        raise _wrong(text, hooks, "`hooks` is no object")
    there = hooks.get(event)
    if there is None:
        return jsonc.added(text, hooks, _member(event, groups), layout, 1)
    if there.kind != "[":
        raise _wrong(text, there, f"`hooks.{event}` is no list")
    for group in groups:
        text = jsonc.added(text, there, json.dumps(group), layout, 2)
        there = cast("Value", cast("Value", jsonc.parse(text).get("hooks")).get(event))
    return text


def _member(name: str, value: object, layout: jsonc.Style | None = None) -> str:
    """`"name": value` as JSON; an object laid out with its members on lines of their own where `layout` is given."""
    if layout is None or not isinstance(value, dict):
        return f"{json.dumps(name)}: {json.dumps(value)}"
    inner = layout.newline + layout.step * 2
    members = ("," + inner).join(_member(key, one) for key, one in value.items())
    return f"{json.dumps(name)}: {{{inner}{members}{layout.newline}{layout.step}}}"


def _wrong(text: str, value: Value, what: str) -> UnusableError:
    line = text.count("\n", 0, value.start) + 1
    return UnusableError(f"line {line}: {what}", "put that right, then run the command again")


def _decoded(text: bytes) -> tuple[str, str]:
    """(byte order mark, the rest), once it is known that it can be parsed."""
    try:
        plain = text.decode()
        mark = _BOM if plain.startswith(_BOM) else ""
        root = jsonc.parse(plain.removeprefix(_BOM))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnusableError(f"line {line}: not UTF-8", "save it as UTF-8, then run the command again") from error
    except jsonc.BrokenError as error:
        hint = "mend that line, then run the command again; until then the agent cannot read the file either"
        raise UnusableError(f"line {error.line}: {error}", hint) from error
    if root.kind != "{":
        raise UnusableError("it holds no JSON object", "make it one, `{}` at least, then run the command again")
    return mark, plain.removeprefix(_BOM)
