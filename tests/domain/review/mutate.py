"""What happens to the form of an answer on its way: each mutation keeps the words, or says which part it cut off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.domain.review.answers import INJECTIONS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Mutation = Callable[[str, random.Random], str]

_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


def levels(text: str, dice: random.Random) -> str:
    shift = dice.choice((-1, 1, 2))
    return _HEADING.sub(lambda found: "#" * min(6, max(1, len(found[1]) + shift)) + f" {found[2]}", text)


def bold(text: str, dice: random.Random) -> str:
    form = dice.choice(("**{}**", "**{}:**", "__{}__", "**{}**:"))
    return _HEADING.sub(lambda found: form.format(found[2]) if len(found[1]) > 1 else found[0], text)


def unfenced(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    fences = [at for at, line in enumerate(lines) if line.startswith("```")]
    if fences:
        del lines[dice.choice(fences)]
    return "\n".join(lines)


def fenced(text: str, dice: random.Random) -> str:
    mark = dice.choice(("```", "```markdown", "~~~", "````md"))
    return f"{mark}\n{text}\n{re.match('[`~]+', mark)[0]}\n"  # type: ignore[index]


def chatter(text: str, dice: random.Random) -> str:
    before = dice.choice(("Sure, here it is.", "Okay: the session dealt with several things.", "I have reviewed the conversation above."))
    return f"{before}\n\n{text}\n\n{dice.choice(('Hope this helps!', 'Anything else?'))}\n"


def quoted(text: str, _dice: random.Random) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def crlf(text: str, _dice: random.Random) -> str:
    return text.replace("\n", "\r\n")


def tight(text: str, _dice: random.Random) -> str:
    return re.sub(r"\n{2,}", "\n", text)


def marks(text: str, dice: random.Random) -> str:
    return re.sub(r"^(\s*)- ", rf"\g<1>{dice.choice(('* ', '+ ', '• ', '1. ', '– '))}", text, flags=re.MULTILINE)  # noqa: RUF001


def without_section(text: str, dice: random.Random) -> str:
    """One section fewer: its words are not there to be kept."""
    places = [found.start() for found in _HEADING.finditer(text)]
    if len(places) < 2:
        return text
    at = dice.randrange(len(places))
    return text[: places[at]] + (text[places[at + 1] :] if at + 1 < len(places) else "")


def truncated(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text) // 3, len(text))]


def emoji(text: str, dice: random.Random) -> str:
    return _HEADING.sub(lambda found: f"{found[1]} {dice.choice('✅📌🚧')} {found[2]}", text)


def numbered(text: str, _dice: random.Random) -> str:
    count = iter(range(1, 1000))
    return _HEADING.sub(lambda found: f"{found[1]} {next(count)}. {found[2]}" if len(found[1]) > 1 else found[0], text)


def injected(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    at = dice.randrange(len(lines) + 1)
    said = dice.choice(INJECTIONS)
    return "\n".join([*lines[:at], dice.choice((said, f"- {said}")), *lines[at:]])


def twice(text: str, _dice: random.Random) -> str:
    return f"{text}\n{text}"


def noise(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + "".join(dice.choice("#*_`<>[]{}|\n\t:-\x00\ufeff") for _ in range(dice.randrange(1, 9))) + text[at:]


KEEPING: tuple[Mutation, ...] = (levels, bold, unfenced, fenced, chatter, quoted, crlf, tight, marks, emoji, numbered, injected, twice)
CUTTING: tuple[Mutation, ...] = (without_section, truncated, noise)


def mutated(text: str, dice: random.Random) -> str:
    """One to three of them, after one another."""
    for mutation in dice.choices((*KEEPING, *CUTTING), k=dice.randrange(1, 4)):
        text = mutation(text, dice)
    return text
