"""From a pool of sentences to a digest: choose under a budget, sort into sections, write."""

from __future__ import annotations

import heapq
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain import condense
from libtool.domain.digest import answer, evidence
from libtool.domain.digest.collect import relative
from libtool.domain.digest.sentences import HEADING, tidy
from libtool.domain.digest.weigh import Weigher
from libtool.domain.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from libtool.domain.digest.collect import Candidate, Collector

ANSWER, POINTERS = "Answer", "Pointers"
CONTINUES, EDITED = "continues", "edited"
"""How a pointer begins that names the session whose history this one goes on with, or files."""
LIMIT = 2_000
"""Bytes of a rendered digest at most."""
TITLE_LIMIT, ITEM_LIMIT = 76, 565
"""Characters of the title; bytes of an item, which an entry allows 600 characters."""
POINTERS_LIMIT, WORK_LIMIT = 160, 220
"""Bytes of all pointers together; of a failure, or of the open tasks."""
_NAMED, _FILE = re.compile(r"[a-z][A-Z]|\w_\w|\w\(\)|\w/\w"), re.compile(r"\w/\w[\w/-]*\.\w|\w\.[a-z]{1,4}\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_CLOSED = ("?", "!", "\u3002", "\uff01", "\uff1f", ".)", '."')
"""How a text ends that needs no full stop."""
_PLAN = re.compile(r"^(?:Implementation )?Plan:\s*")
ALIKE = 0.8
"""The share of its weight that a sentence may have in common with another one that was chosen."""
_ENOUGH = 40
"""Bytes that are left over when a digest counts as full."""
_ORDER = (evidence.DECIDED, evidence.BLOCKER, evidence.SUPERSEDED, evidence.MEASURED, evidence.OPEN)


class Facts(NamedTuple):
    """What is known of the session beside its text."""

    agent: str
    id: str
    short_id: str
    """The tail of the id that items cite."""
    folder: str = ""
    """Where the session ran: paths are told relative to it."""
    continues: str = ""
    """REF of the session whose history this one began with; '' for none."""


class Item(NamedTuple):
    """One item of a section: its text on one line, the turn it comes from (0: none), the day of that turn or ''."""

    text: str
    turn: int
    date: str


class Digest(NamedTuple):
    """In the sections of an entry; a section without items is left out."""

    title: str
    answer: Item
    sections: dict[str, tuple[Item, ...]]
    pointers: tuple[Item, ...]


def compose(pool: Collector, facts: Facts) -> Digest | None:
    """The digest of what was collected; None when the session said nothing that could stand in one."""
    if not pool.candidates:
        return None
    candidates = _placed(pool, facts)
    weigher = Weigher(candidates, pool.counts, pool.acted, cite=len(f"- . ({facts.agent}:{facts.short_id}#12)"))
    return _Composer(pool, candidates, facts, weigher).fill()


def _placed(pool: Collector, facts: Facts) -> list[Candidate]:
    """The candidates, with the file that they are about: where only one was edited in a turn, it is what the model speaks of.

    A file that was edited is named by its path within the session's folder, as long as no other has its name.
    """
    places: dict[str, list[str]] = {}
    for path in pool.work.files:
        places.setdefault(path.rsplit("/", 1)[-1], []).append(relative(path, facts.folder))
    known = {name: paths[0] for name, paths in places.items() if len(paths) == 1}
    edited = {turn: relative(paths[0], facts.folder) for turn, paths in pool.work.turns.items() if len(paths) == 1}
    # Outside of the folder is a note or a draft, not what is worked on.
    alone = {turn: path for turn, path in edited.items() if not (facts.folder and path.startswith("/"))}
    folder = facts.folder.rstrip("/")
    # The folder's name may also stand within an address, or within another path.
    inside = re.compile(f"(?<![^\\s\"'`(\\[{{<=,;|]){re.escape(folder)}/" if folder else r"(?!)")
    placed = []
    for one in pool.candidates:
        about = alone[one.turn] if one.turn in alone and _is_of_it(one) else known.get(one.about, inside.sub("", one.about))
        text = inside.sub("", one.text)
        placed.append(one if text == one.text and about == one.about else one._replace(text=text, about=about))
    return placed


def _is_of_it(one: Candidate) -> bool:
    """Whether the model names something in a sentence, and no file with it."""
    return (
        one.code == condense.ASSISTANT
        and _NAMED.search(one.text) is not None
        and not _FILE.search(one.text)
        and not (_FILE.search(one.about) or _NAMED.search(one.about))
    )


def render(digest: Digest, facts: Facts) -> str:
    """The digest as markdown, at most LIMIT bytes when `compose` made it."""
    lines = [
        f"# {digest.title}",
        "",
        f"## {ANSWER}",
        "",
        _cited(digest.answer, facts) + (f" ({digest.answer.date})" if digest.answer.date else ""),
    ]
    for name, items in (*digest.sections.items(), (POINTERS, digest.pointers)):
        if items:
            lines += ["", f"## {name}", "", *(f"- {_cited(item, facts)}" for item in items)]
    return "\n".join(lines) + "\n"


def _cited(item: Item, facts: Facts) -> str:
    return f"{item.text} ({facts.agent}:{facts.short_id}#{item.turn})" if item.turn else item.text


class _Composer:
    """Adds the sentence with the greatest gain as long as the rendered digest stays within LIMIT."""

    def __init__(self, pool: Collector, candidates: list[Candidate], facts: Facts, weigher: Weigher) -> None:
        self._pool = pool
        self._candidates = candidates
        self._facts = facts
        self._weigher = weigher
        self._title = _title(pool)
        self._static = [weigher.gain(at) for at in range(len(candidates))]
        self._answer: list[int] = []
        self._pointers = _pointers(pool, facts)
        self._last_turn = candidates[-1].turn
        self._cite = len(f" ({facts.agent}:{facts.short_id}#123)")
        self._sections: dict[str, dict[int, list[int]]] = {}
        """Section, turn, places of the sentences."""
        self._names: dict[int, str] = {}
        """Place of a sentence to its section."""
        self._lines: dict[tuple[int, int], str] = {}
        """(message, line) to the section that its first chosen part went to: the parts of a line stay together."""
        self._chosen: list[int] = []
        self._raised: list[int] = []
        """Places of sentences that have become worth more by what was chosen."""
        self._size = 0

    def fill(self) -> Digest:
        """Choose, and give the digest."""
        self._add_answer()
        self._size = _size(render(self._digest(), self._facts)) + len(" (2026-01-01)")
        self._add_work()
        for at in _greatest(self._static, self._weigher.gain, self._raised):
            if self._size >= LIMIT - _ENOUGH:
                break
            if at not in self._answer and not self._weigher.is_like_one(at, ALIKE) and self._place(at):
                self._chosen.append(at)
                self._raised += self._weigher.take(at)
        return self._within()

    def _add_answer(self) -> None:
        """The best sentence, with the others of its line."""
        candidates = self._candidates
        best = answer.choose(candidates, self._static)
        place = candidates[best].message, candidates[best].line
        whole = [at for at, one in enumerate(candidates) if (one.message, one.line) == place and (at == best or answer.goes_along(one))]
        self._answer = whole if sum(_size(candidates[at].text) for at in whole) <= answer.LIMIT else [best]
        for at in self._answer:
            self._raised += self._weigher.take(at)

    def _within(self) -> Digest:
        """The digest without the last chosen sentences that break the limit: how items are filled up is known only at the end."""
        digest = self._digest()
        while self._chosen and _size(render(digest, self._facts)) > LIMIT:
            self._chosen.pop()
            digest = self._digest()
        return digest

    def _place(self, at: int) -> bool:
        """Put a sentence into its section and turn, if it fits."""
        one = self._candidates[at]
        place = one.message, one.line
        name = self._lines.get(place) or evidence.section(one, last_turn=self._last_turn)
        turns = self._sections.get(name)
        group = turns.get(one.turn, []) if turns else []
        cost = _size(one.text) + 2
        if one.about and all(self._candidates[other].about != one.about for other in group):
            cost += _size(one.about) + 2
        held = sum(_size(self._candidates[other].text) + 2 for other in group)
        if held // ITEM_LIMIT != (held + cost) // ITEM_LIMIT or not group:
            cost += self._cite + 3
        if not turns:
            cost += len(f"\n## {name}\n\n")
        if self._size + cost > LIMIT:
            return False
        self._sections.setdefault(name, {}).setdefault(one.turn, []).append(at)
        self._lines[place] = self._names[at] = name
        self._size += cost
        return True

    def _add_work(self) -> None:
        """Room for the open tasks and the last failure, which no sentence says."""
        for _, item in self._of_work():
            self._size += _size(item.text) + 3 + self._cite + len("\n## Blocker\n\n")

    def _of_work(self) -> list[tuple[str, Item]]:
        work = self._pool.work
        found = []
        if work.failed and work.failed[2] >= self._last_turn and (not work.said_since or _admits(work.said_since)):
            command, line, turn = work.failed
            found.append((evidence.BLOCKER, self._item(_cut(f"`{one_line(command, 100)}` failed last: {line}", WORK_LIMIT), turn)))
        if work.open_tasks:
            found.append((evidence.OPEN, self._item(_cut("tasks: " + "; ".join(work.open_tasks), WORK_LIMIT), work.tasks_turn)))
        return found

    def _item(self, text: str, turn: int) -> Item:
        return Item(text, turn, self._pool.dates.get(turn, ""))

    def _digest(self) -> Digest:
        candidates = self._candidates
        best = self._item(_cut(_texts([candidates[at] for at in self._answer])[0], ITEM_LIMIT), candidates[self._answer[0]].turn)
        groups: dict[str, dict[int, list[Candidate]]] = {}
        for at in sorted(self._chosen):
            groups.setdefault(self._names[at], {}).setdefault(candidates[at].turn, []).append(candidates[at])
        sections: dict[str, tuple[Item, ...]] = {}
        for name in _ORDER:
            items = [self._item(text, turn) for turn, group in sorted(groups.get(name, {}).items()) for text in _texts(group)]
            items += [item for place, item in self._of_work() if place == name]
            if items:
                sections[name] = tuple(items)
        return Digest(self._title, best, sections, self._pointers)


def _greatest(bounds: Sequence[float], gain: Callable[[int], float], raised: list[int]) -> Iterator[int]:
    """Each place once, the one with the greatest gain of today first; of equals the first, none without gain.

    `bounds` are upper bounds of the gains, for all but those that `raised` names from time to time.
    """
    heap = [(-bound, at) for at, bound in enumerate(bounds)]
    heapq.heapify(heap)
    given: set[int] = set()
    while heap:
        while raised:
            heapq.heappush(heap, (-gain(raised[-1]), raised.pop()))
        _, at = heapq.heappop(heap)
        if at in given:
            continue
        now = gain(at)
        if heap and (-now, at) > heap[0]:
            heapq.heappush(heap, (-now, at))
        elif now > 0:
            given.add(at)
            yield at


def _texts(sentences: list[Candidate]) -> list[str]:
    """Sentences of one turn as the texts of items, each as full as it may be; what is about one file stands together."""
    items: list[str] = []
    for about, parts in _blocks(sentences):
        head = f"{about}: " if about else ""
        inside = False
        for part in parts:
            glue = "; " if inside else " " if items and items[-1].endswith(_CLOSED) else ". "
            text = part if inside else head + part if about else _capital(part)
            if items and _size(items[-1]) + _size(text) + 3 <= ITEM_LIMIT:
                items[-1] += glue + text
            else:
                items.append(text if not inside else head + part)
            inside = bool(about)
    return [item if item.endswith(_CLOSED) else f"{item}." for item in items]


def _blocks(sentences: list[Candidate]) -> list[tuple[str, list[str]]]:
    """(file, what is said of it) in order of first mention; ('', [sentence]) for a sentence about none."""
    blocks: list[tuple[str, list[str]]] = []
    places: dict[str, int] = {}
    for one in sentences:
        part = one.text.rstrip(".")
        if one.about and one.about in places:
            blocks[places[one.about]][1].append(part)
        else:
            if one.about:
                places[one.about] = len(blocks)
            blocks.append((one.about if _FILE.search(one.about) else _capital(one.about), [part]))
    return blocks


def _capital(text: str) -> str:
    """With a capital where the first word is a word and no name."""
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word.isalpha() and word.islower() else text


def _cut(text: str, limit: int) -> str:
    """As much of a text as fits into so many bytes."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: limit - 3].decode("utf-8", "ignore").rstrip() + "\u2026"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _admits(text: str) -> bool:
    """Whether the model says, after a failure, that it stays one."""
    lower = text.lower()
    return any(
        word in lower
        for word in ("still fail", "blocked", "unable", "couldn't", "could not", "cannot", "can't", "not resolved", "unresolved")
    )


def _title(pool: Collector) -> str:
    """What the agent called the session, else the plan's heading, else the first prompt."""
    plan = next((one.text for one in pool.candidates if one.code == condense.PLAN and one.kind == HEADING), "")
    tidied = (_PLAN.sub("", tidy(text)) for text in (pool.title, plan, pool.prompt))
    return one_line(_capital(next(filter(None, tidied), pool.candidates[0].text)), TITLE_LIMIT)


def _telling(commits: Sequence[Sequence[Any]], title: str) -> Sequence[Sequence[Any]]:
    """The last commit, and of those before it the one that did most of what the title says, the last of equals."""
    wanted = set(_WORD.findall(title.casefold()))
    earlier = sorted(commits[:-1], key=lambda commit: len(wanted.intersection(_WORD.findall(commit[1].casefold()))))
    return [*earlier[-1:], commits[-1]]


def _pointers(pool: Collector, facts: Facts) -> tuple[Item, ...]:
    """Commits, pull requests, and the files edited most, on one line each kind."""
    work = pool.work
    items = [Item(f"{CONTINUES} {facts.continues}", 0, "")] if facts.continues else []
    if work.commits:
        items.append(
            Item(
                "commits " + ", ".join(f"{digits} {one_line(subject, 60)}" for digits, subject, _ in _telling(work.commits, _title(pool))),
                work.commits[-1][2],
                "",
            )
        )
    items += [Item(url, turn, "") for url, turn in work.requests[-2:]]
    named = " ".join(one.text for one in pool.candidates)
    files = [relative(path, facts.folder) for path, _ in sorted(work.files.items(), key=lambda row: (-row[1], row[0]))]
    unnamed = [path for path in files if path.rsplit("/", 1)[-1] not in named][:5]
    if unnamed:
        items.append(Item(f"{EDITED} {', '.join(unnamed)}", 0, ""))
    kept, size = [], 0
    for item in items:
        size += _size(item.text)
        if size <= POINTERS_LIMIT:
            kept.append(item)
    return tuple(kept)
