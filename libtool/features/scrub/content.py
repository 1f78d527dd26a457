"""The bytes of a transcript or side file without its logins, by its form: rows of JSON, one JSON document, text."""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.json_value import EXACT_KEYS
from libtool.domain.redact.places import PLACEHOLDER
from libtool.features import redact
from libtool.features.scrub.literals import applied, edits, values

if TYPE_CHECKING:
    from libtool.domain.redact import Redactor

ROWS, DOCUMENT, YAML, TEXT, DATABASE = "rows", "document", "yaml", "text", "database"
_FORMS = {".jsonl": ROWS, ".json": DOCUMENT, ".yaml": YAML, ".yml": YAML, ".db": DATABASE, ".sqlite": DATABASE}
_STRUCTURE = re.compile(
    r"(?:.*_)?ids?|.*I[dD]s?|(?i:.*uuids?|.*timestamp|type|subtype|role|kind|version|projecthash)"
    r"|cwd|worktree|directory|workingDirectory|workspace_dir|git_?[rR]oot|rollout_path|parentSession|transcript_?[pP]ath|backupFileName"
)
_CREDENTIAL = re.compile(r"(?i)key|secret|token|access|passw|cred|client|account|tenant")
_ISSUED = frozenset(rule.name for rule in GROUPS["providers"])
_ISSUED_KINDS = {rule.kind for rule in GROUPS["providers"]}.difference(
    rule.kind for name, rules in GROUPS.items() if name != "providers" for rule in rules
)
_UNQUOTED = re.compile(r"^([ \t]*(?:- )?[\w.-]+:[ \t]+|[ \t]*- )(\[REDACTED:[^\r\n]*)", re.MULTILINE)


class Scrubbed(NamedTuple):
    """What was made of some content."""

    data: bytes
    logins: Counter[str]
    """Fingerprint to how often it was replaced."""
    left: int
    """Strings that stay although they look like logins: ids, and what an agent needs byte for byte."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.logins)


def form_of(path: str) -> str:
    """The form of a file, by its name."""
    return next((form for ending, form in _FORMS.items() if path.endswith(ending)), TEXT)


def scrubbed(data: bytes, form: str, redactor: Redactor, *, only: tuple[str, ...] = ()) -> Scrubbed:
    """The content without its logins. With `only`, of rows those alone that hold one of these texts (ids of sessions)."""
    if form == DOCUMENT:
        return _Strings(redactor).document(data)
    if form == ROWS:
        return _Strings(redactor).rows(data, tuple(one.encode() for one in only))
    return _text(data, redactor, yaml=form == YAML)


class Cells:
    """Takes logins out of the cells of a database, and counts."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._strings = _Strings(redactor)
        self.logins: Counter[str] = Counter()

    @property
    def left(self) -> int:
        """Strings that stay although they look like logins."""
        return self._strings.left

    def change(self, column: str, text: str) -> str:
        """The text of a cell without its logins; the same object when it holds none."""
        new = self._strings.text(text) if text.lstrip()[:1] in {"{", "["} else self._strings.single(column, text)
        if new is not text:
            self.logins += replaced(text, new)
        return new


class _Strings:
    """Takes logins out of JSON, with a memory of what it left."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.left = 0

    def document(self, data: bytes) -> Scrubbed:
        text = data.decode("utf-8", "surrogateescape")
        new = self.text(text)
        return Scrubbed(new.encode("utf-8", "surrogateescape"), replaced(text, new), self.left)

    def rows(self, data: bytes, only: tuple[bytes, ...]) -> Scrubbed:
        logins: Counter[str] = Counter()
        out = []
        for line in _lines(data):
            if only and not any(one in line for one in only):
                out.append(line)
                continue
            text = line.decode("utf-8", "surrogateescape")
            new = self.text(text)
            if new is not text:
                logins += replaced(text, new)
                line = new.encode("utf-8", "surrogateescape")  # noqa: PLW2901
            out.append(line)
        return Scrubbed(b"".join(out), logins, self.left)

    def text(self, text: str) -> str:
        """JSON values with text around them, until nothing is found any more; the same object when there is nothing."""
        left = self.left
        while (new := self._once(text)) != text:
            self.left, text = left, new
        return text

    def single(self, key: str, text: str) -> str:
        """A string under a key."""
        new = self._redactor.redact(text)
        return text if new is text or self._keeps(key, text) else new

    def _once(self, text: str) -> str:
        out: list[str] = []
        at = 0
        for value in values(text):
            out.append(self._loose(text[at : value.start]))
            inside = edits(text, value, self._redactor, self._keeps)
            moved = [one._replace(start=one.start - value.start, end=one.end - value.start) for one in inside]
            out.append(applied(text[value.start : value.end], moved))
            at = value.end
        out.append(self._loose(text[at:]))
        return "".join(out)

    def _loose(self, text: str) -> str:
        """What cannot be read as JSON is redacted as it stands."""
        return self._redactor.redact(text) if text.strip() else text

    def _keeps(self, key: str, text: str) -> bool:
        """Whether a string stays although it looks like a login: the agent needs it as it is. What a provider issued never stays."""
        keeps = key in EXACT_KEYS or (is_structure(key) and not is_issued(self._redactor, text))
        self.left += keeps
        return keeps


def is_structure(key: str) -> bool:
    """Whether what stands under a key holds the session together: ids, types, times, the folder it belongs to."""
    return _STRUCTURE.fullmatch(key) is not None and _CREDENTIAL.search(key) is None


def is_issued(redactor: Redactor, text: str) -> bool:
    """Whether a text holds a login in the form that its provider gave it, which is one wherever it stands."""
    return any(one.rule in _ISSUED or one.kind in _ISSUED_KINDS for one in redactor.scan(text))


def replaced(before: str, after: str) -> Counter[str]:
    """Fingerprints of the placeholders that one text has more often than the other."""
    return _marks(after) - _marks(before)


def _marks(text: str) -> Counter[str]:
    return Counter(mark[-13:-1] for mark in PLACEHOLDER.findall(text))


def _lines(data: bytes) -> list[bytes]:
    """Lines that end with a line feed alone."""
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [data.rpartition(b"\n")[2]]


def _text(data: bytes, redactor: Redactor, *, yaml: bool) -> Scrubbed:
    """A file of text, also UTF-16; what is neither stays."""
    logins: Counter[str] = Counter()
    if _is_binary(data):
        return Scrubbed(data, logins, 0)
    while True:
        out = io.BytesIO()
        met = redact.stream(redactor, io.BytesIO(data), out.write)
        if not met:
            break
        logins.update(one.fingerprint for one in met)
        data = out.getvalue()
    if yaml and logins:
        # Unquoted, a placeholder at the beginning of a value would be a list.
        text = data.decode("utf-8", "surrogateescape")
        data = _UNQUOTED.sub(lambda match: match[1] + "'" + match[2].replace("'", "''") + "'", text).encode("utf-8", "surrogateescape")
    return Scrubbed(data, logins, 0)


def _is_binary(data: bytes) -> bool:
    """Whether this is no text: NULs, and neither UTF-8 nor UTF-16 with its mark."""
    if b"\0" not in data or data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False
