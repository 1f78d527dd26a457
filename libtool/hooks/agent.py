"""What agents call: `lib hook AGENT EVENT`, the payload on standard input or, from those that pass it so, as the last word.

The exit code is 0 whatever happens, since another one may block the agent; nothing is printed but what is meant for the agent. All that
takes time is done by a process of its own.
"""

from __future__ import annotations

import contextlib
import os
import sys

from libtool.domain.agent_event import COMPACTING, PROMPT, START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from libtool.config import Config
    from libtool.domain.agent_event import AgentEvent
    from libtool.hooks.agents.shape import Shape

GUARD = "LIB_HOOK"
"""Set for all that a hook starts: the hooks of an agent that was started in there do nothing."""
LARGEST = 4 << 20
"""Bytes of a payload that are looked at; what follows is read and dropped, so that the agent meets no broken pipe."""
MOST = 64 << 20
"""And how many are read at all."""
WAIT_SECONDS, WHOLE_SECONDS = 0.3, 0.02
"""For how long an agent that does not close its pipe may be silent before what it has said is taken for all; the shorter when that is a
whole object."""
HEAD = 64 << 10
"""Characters of a payload that cannot be parsed in which the facts are looked for all the same."""


class UnusableError(Exception):
    """The call cannot be made sense of; the text says why, without a word of the payload."""


def main(words: Sequence[str], environ: Mapping[str, str] = os.environ, source: int | None = 0) -> int:
    """One call, `words` being what follows `lib hook`; always 0. `source` is the descriptor of the payload."""
    try:
        if GUARD in environ:
            _drain(words, source)
        else:
            _main(words, environ, source)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - this is the boundary
        _complain(environ, f"unexpected {type(error).__name__}")
    return 0


def _main(words: Sequence[str], environ: Mapping[str, str], source: int | None) -> None:
    from libtool.hooks.agents.shape import UnknownEventError  # noqa: PLC0415 - the guard comes first
    from libtool.hooks.agents.table import shape_of  # noqa: PLC0415

    agent, name, given = (*words[:3], "", "", "")[:3]
    called = f"{agent} {name}".strip() or "nothing"
    shape = shape_of(agent)
    if shape is None:
        _drain(words, source)
        _complain(environ, f"{called}: no agent that lib knows")
        return
    try:
        event = shape.read(name, _payload(given.encode("utf-8", "surrogateescape") if given else _read(source)))
    except (UnusableError, UnknownEventError) as error:
        reason = str(error) if isinstance(error, UnusableError) else "an unknown event, or one of no session"
        _complain(environ, f"{called}: {reason}")
        return
    if event is not None:
        _act(shape, event, environ)


def _act(shape: Shape, event: AgentEvent, environ: Mapping[str, str]) -> None:
    if event.kind == COMPACTING:
        # A compaction may follow or not: there is nothing to note, only its prompt to be added to, where the agent takes that.
        if shape.prompt is not None and (asked := _asked(event, environ)):
            os.write(1, shape.prompt(asked).encode())
        return
    if event.kind == PROMPT:
        _note(event, environ)
        return
    if event.kind == START and shape.context is not None and (told := _context(event, environ)):
        os.write(1, shape.context(told).encode())
    # Who called is known only here: the process that works has no parent.
    from libtool.storage import processes  # noqa: PLC0415 - not for a phantom

    process = processes.agent()
    _detached(environ, lambda config, given: _happened(config, given, event, process))


def _note(event: AgentEvent, environ: Mapping[str, str]) -> None:
    """Which session the agent is in now: before it goes on, so that its tools find it."""
    from libtool.config import load  # noqa: PLC0415 - only some agents have this event
    from libtool.storage import current, processes  # noqa: PLC0415

    current.put(load(environ, os.path.expanduser("~")), processes.agent(), event.agent, event.session)


def _asked(event: AgentEvent, environ: Mapping[str, str]) -> str:
    """What the model is asked for that makes the summary anyway; nothing where there is no library for it to go to."""
    from libtool.config import load  # noqa: PLC0415 - compactions are rare
    from libtool.storage.library import is_library  # noqa: PLC0415

    config = load(environ, os.path.expanduser("~"))
    if not is_library(config.library):
        return ""
    from libtool.features import review_prompt  # noqa: PLC0415

    return review_prompt.text(config, event.folder) + "\n"


def _context(event: AgentEvent, environ: Mapping[str, str]) -> str:
    """The topics of the session's project; nothing where there is no library, or it cannot be told why."""
    from libtool.config import load  # noqa: PLC0415 - sessions start seldom
    from libtool.errors import LibError  # noqa: PLC0415
    from libtool.storage.library import is_library  # noqa: PLC0415

    try:
        config = load(environ, os.path.expanduser("~"))
    except LibError:
        # Who works later tells of it.
        return ""
    if not (config.context and is_library(config.library)):
        return ""
    from libtool.features import start_context  # noqa: PLC0415 - with SQLite

    return start_context.text(config, event.folder)


def _happened(config: Config, environ: Mapping[str, str], event: AgentEvent, process: str) -> None:
    import time  # noqa: PLC0415 - in the process that nobody waits for

    from libtool.features import capture  # noqa: PLC0415 - with all that it needs

    capture.happened(capture.Job(config, environ, time.time), event, process)


def _complain(environ: Mapping[str, str], text: str) -> None:
    def work(config: Config, _given: Mapping[str, str]) -> None:
        from libtool.features import hook_log  # noqa: PLC0415 - as above

        hook_log.misunderstood(config, text)

    # Where there is not even a process to be had, nobody can be told.
    try:
        _detached(environ, work)
    except OSError:
        return


def _detached(environ: Mapping[str, str], work: Callable[[Config, Mapping[str, str]], object]) -> None:
    from libtool.hooks import detached  # noqa: PLC0415

    def run() -> None:
        from libtool.config import load  # noqa: PLC0415 - a configuration file costs 14 ms

        given = {**environ, GUARD: "1"}
        os.environ[GUARD] = "1"
        config = load(given, os.path.expanduser("~"))
        # Who works for minutes must not hold the disk that the agent was called on.
        os.chdir("/")
        work(config, given)

    detached.start(run)


def _read(source: int | None) -> bytes:
    """What the agent says on standard input, up to LARGEST. Raises UnusableError."""
    import select  # noqa: PLC0415

    kept, size = bytearray(), 0
    try:
        if source is None or os.isatty(source):
            raise UnusableError("no payload")
        while size < MOST:
            if not select.select([source], [], [], WHOLE_SECONDS)[0] and (
                _is_whole(kept) or not select.select([source], [], [], WAIT_SECONDS)[0]
            ):
                break
            piece = os.read(source, 1 << 16)
            if not piece:
                break
            size += len(piece)
            kept += piece[: max(0, LARGEST - len(kept))]
    except (OSError, ValueError):
        raise UnusableError("standard input cannot be read") from None
    return bytes(kept)


def _is_whole(data: bytearray) -> bool:
    import json  # noqa: PLC0415

    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _drain(words: Sequence[str], source: int | None) -> None:
    """Read what nobody asks for: to an agent a pipe that breaks may be an error."""
    if not words[2:]:
        with contextlib.suppress(UnusableError):
            _read(source)


def _payload(data: bytes) -> Mapping[str, Any]:
    """The object in a payload; of one that is cut short or damaged the texts in its head. Raises UnusableError."""
    import json  # noqa: PLC0415 - 10 ms that a call which the guard ends need not pay

    text = data.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _texts_in(text[:HEAD])
    if not isinstance(value, dict) or not value:
        raise UnusableError("the payload is no JSON object")
    return value


def _texts_in(head: str) -> dict[str, str]:
    """What stands as `"name": "text"` in a piece of JSON, the first of each name."""
    import json  # noqa: PLC0415
    import re  # noqa: PLC0415 - json has it

    found: dict[str, str] = {}
    for name, text in re.findall(r'"([\w-]{1,40})"\s*:\s*("(?:[^"\\]|\\.){0,4096}")', head):
        try:
            found.setdefault(name, json.loads(text))
        except ValueError:
            continue
    return found


def program() -> None:
    """The whole process."""
    code = main(sys.argv[1:])
    os._exit(code)
