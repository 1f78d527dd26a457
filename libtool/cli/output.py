"""The only writer to the standard streams: data to stdout, everything else to stderr.

What is printed may come from transcripts, so control, bidirectional and invisible tag characters are shown as escapes, never sent raw:
a terminal obeys no transcript, and no reader is shown another text than an agent is.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, BinaryIO, TextIO

    from libtool.cli.progress import Meter
    from libtool.errors import LibError

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_RANGES = (
    (0x00, 0x09),  # C0, without tab and newline
    (0x0B, 0x20),
    (0x7F, 0xA0),  # DEL and C1
    (0x061C, 0x061D),  # bidirectional marks, embeddings, overrides and isolates
    (0x200E, 0x2010),
    (0x2028, 0x202F),  # with the line and paragraph separators
    (0x2066, 0x206A),
    (0xFEFF, 0xFF00),
    (0xE0000, 0xE0080),  # tags: ASCII that no eye sees
)
_RAW = frozenset(code for start, end in _RANGES for code in range(start, end))


class _Escapes(dict[int, str]):
    """For str.translate: what must not be sent raw as `escape` writes it; all else stays.

    A lone surrogate is escaped too: it cannot be encoded, or it becomes a raw byte.
    """

    def __init__(self, escape: Callable[[int], str]) -> None:
        super().__init__()
        self._escape = escape

    def __missing__(self, code: int) -> str:
        shown = self[code] = self._escape(code) if code in _RAW or 0xD800 <= code < 0xE000 else chr(code)
        return shown


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


_ESCAPES = _Escapes(_escape)
_JSON_ESCAPES = _Escapes(_json_escape)


def printable(text: str) -> str:
    """`text` with every character that could act on a terminal or hide from an eye as an escape; tabs and newlines stay."""
    # Most text is plain, and this test is 50 times as fast as translate.
    return text if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable() else text.translate(_ESCAPES)


class _Silent:
    """A meter that draws nothing."""

    def __enter__(self) -> Callable[[int, int], None]:
        return lambda _done, _total: None

    def __exit__(self, *_: object) -> None:
        pass


class Output:
    """Where a command's words go. `json` and `quiet` are set from the command line before the command runs."""

    def __init__(self, stdout: TextIO, stderr: TextIO, environ: Mapping[str, str]) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.json = False
        self.quiet = False
        self.colour = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb" and stdout.isatty()
        """Whether `styled` colours: on a terminal only, and never with NO_COLOR."""

    def line(self, text: str = "") -> None:
        """Data: `text`, which may hold several lines, and a newline."""
        _put(self._stdout, printable(text) + "\n")

    def styled(self, text: str, style: str) -> None:
        """A line of data in one of STYLES where colours are on."""
        plain = printable(text)
        _put(self._stdout, f"\x1b[{STYLES[style]}m{plain}\x1b[0m\n" if self.colour else plain + "\n")

    def data(self, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """A JSON document on one line of stdout."""
        _put(self._stdout, _json(value, self._stdout) + "\n")

    def raw(self, content: bytes) -> None:
        """Bytes on stdout as they are: only for what a person asked to have byte for byte (`lib redact`)."""
        try:
            self._stdout.flush()
            binary: BinaryIO = self._stdout.buffer
            binary.write(content)
        except OSError as error:
            raise _lost(error) from error

    def note(self, text: str) -> None:
        """A remark on stderr; `--quiet` drops it."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """A remark on stderr that `--quiet` does not drop; with `--json` the object `{"remark"}`: every line there can be parsed."""
        said = _json({"remark": text.strip().removeprefix("lib: ")}, self._stderr) if self.json else printable(text)
        _put(self._stderr, said + "\n")

    def failure(self, error: LibError) -> None:
        """An error on stderr: message and hint, or with `--json` the object `{"error", "hint", "code"}`."""
        if self.json:
            _put(self._stderr, _json({"error": error.message, "hint": error.hint, "code": error.exit_code}, self._stderr) + "\n")
            return
        self.warn(f"lib: {error.message}")
        if error.hint:
            self.warn(f"  {error.hint}")

    def meter(self, label: str, unit: str = "MB") -> Meter | _Silent:
        """For a `with`: a function to call with (done, total), which draws a bar on stderr, on a terminal only.

        `unit` is one of `progress.UNITS`; MB are given in bytes.
        """
        if self.quiet or self.json or not self._stderr.isatty():
            return _Silent()
        from libtool.cli.progress import Meter  # noqa: PLC0415 - only on a terminal

        return Meter(printable(label), unit, lambda text: _put(self._stderr, text, flush=True))

    def flush(self) -> None:
        """Send everything on; raises BrokenPipeError when the reader has gone, OutputLost when it cannot be written."""
        try:
            self._stdout.flush()
            self._stderr.flush()
        except OSError as error:
            raise _lost(error) from error

    def abandon(self, *, errors: bool = False) -> None:
        """After BrokenPipeError or OutputLost: let nothing more be written to stdout, or to stderr with `errors`.

        Otherwise the interpreter complains at its end.
        """
        import os  # noqa: PLC0415 - rare

        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, (self._stderr if errors else self._stdout).fileno())
        os.close(descriptor)


def standard(environ: Mapping[str, str]) -> Output:
    """The process's own streams; one that was closed before we started is as good as the void."""
    return Output(sys.stdout or _void(), sys.stderr or _void(), environ)


def _void() -> TextIO:
    import os  # noqa: PLC0415 - rare

    return open(os.devnull, "w", encoding="utf-8")


def _json(value: Any, stream: TextIO) -> str:  # noqa: ANN401
    """One line of JSON that `stream` can carry."""
    import json  # noqa: PLC0415 - 7 ms that the text output need not pay

    utf8 = (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(value, ensure_ascii=not utf8).translate(_JSON_ESCAPES)


def _put(stream: TextIO, text: str, *, flush: bool = False) -> None:
    """Write, with escapes for what the stream's encoding lacks."""
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError as error:
            stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
        if flush:
            stream.flush()
    except OSError as error:
        raise _lost(error) from error


def _lost(error: OSError) -> Exception:
    """What to raise when a stream cannot be written: BrokenPipeError stays itself."""
    if isinstance(error, BrokenPipeError):
        return error
    from libtool.errors import OutputLost  # noqa: PLC0415 - rare

    return OutputLost(f"the output cannot be written: {error.strerror}", hint="make room, or send it elsewhere")
