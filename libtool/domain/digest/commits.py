"""The message of a commit, out of the command line that made it: what was done and why, in the words of who did it."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"\bgit(?: -\S+(?: (?!commit\b)[^-\s]\S*)?)* commit\b")
_MESSAGE = re.compile(
    r"\s(?:-[a-z]*m|--message)[ =]?"
    r"(?:\"\$\(cat <<-?\s?['\"]?(?P<end>\w+)['\"]?\s(?P<here>.*?)(?:\s(?P=end)\b|$)|\"(?P<double>(?:[^\"\\]|\\.)*)|'(?P<single>[^']*))"
)
_TRAILER = re.compile(r"\s(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-[Bb]y: |\U0001f916|Generated with |Session: |…).*")
_ITEM = re.compile(r"\s[-*]\s(?=[A-Z`])")


def message(command: str) -> str:
    """The message that a command line, condensed to one line, commits with, its items on lines of their own; '' for no commit."""
    found = _COMMAND.search(command) if "commit" in command else None
    if found is None:
        return ""
    given = [match["here"] or match["double"] or match["single"] or "" for match in _MESSAGE.finditer(command, found.end())]
    return "\n".join(_ITEM.sub("\n- ", _TRAILER.sub("", f"{one} ")).strip(" …") for one in given)
