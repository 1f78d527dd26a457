"""Lines of a private key whose BEGIN and END were cut off: no literal tells of them, so every text is asked for them."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.redact.rule import Span

_LINE = r"[ \t]{0,40}+[A-Za-z0-9+/]{60,80}+={0,2}"
_EOL = r"(?:\r?\n|\\r\\n|\\n)"
_LEAST = 180
"""Three lines of a key have more characters."""
_INNER = (lazy(rf"\n{_LINE}\r?\n"), lazy(rf"\\n{_LINE}\\(?:r\\)?n"))
_RUN = lazy(rf"{_LINE}{_EOL}(?:{_LINE}{_EOL}){{1,2000}}[ \t]{{0,40}}[A-Za-z0-9+/]{{1,80}}={{0,2}}")
_BEFORE = lazy(rf"{_LINE}(?:\r|\\r)?\Z")
_MARK = lazy(r"-----(?:BEGIN|END) ([A-Z0-9 ]{1,40})-----")


def may_hold_key(text: str) -> bool:
    """Whether `key_lines` may find something."""
    return len(text) > _LEAST and ("\n" in text or "\\n" in text) and any(inner.search(text) for inner in _INNER)


def key_lines(text: str) -> Iterator[Span]:
    """Runs of at least three lines of base64 with neither BEGIN nor END in sight: what is left of a key when its ends were cut off.

    Certificates and public keys keep their marks, or have them next to the run.
    """
    for inner in _INNER:
        upto = 0
        for seen in inner.finditer(text):
            if seen.start() < upto:
                continue
            first = _BEFORE.search(text, max(0, seen.start() - 140), seen.start())
            run = _RUN.match(text, first.start() if first else seen.start() + (1 if seen[0][0] == "\n" else 2))
            if run is not None:
                upto = run.end()
                if _is_key(text, run):
                    yield run.span()


def _is_key(text: str, run: re.Match[str]) -> bool:
    """Three lines or more, varied as key material is, and no mark of a certificate or public key at either end."""
    body = run[0]
    if body.count("\n") + body.count("\\n") < 2 or not all(re.search(one, body) for one in ("[+/]", "[0-9]", "[g-z]", "[A-Z]")):
        return False
    if (
        re.search("(?i)certificate|public", text[max(0, run.start() - 120) : run.start()])
        and "PRIVATE" not in text[max(0, run.start() - 120) : run.start()]
    ):
        return False
    before = list(_MARK.finditer(text, max(0, run.start() - 120), run.start()))
    behind = _MARK.search(text, run.end(), run.end() + 120)
    marks = [mark[1] for mark in (before[-1] if before else None, behind) if mark is not None]
    return not marks or any("PRIVATE" in mark for mark in marks)
