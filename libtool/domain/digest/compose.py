"""From a pool of sentences to a digest: choose under a budget, sort into sections, write."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import condense
from libtool.domain.digest import evidence
from libtool.domain.digest.collect import relative
from libtool.domain.digest.sentences import HEADING, tidy
from libtool.domain.digest.weigh import Weigher
from libtool.domain.lazy import pattern
from libtool.domain.text import one_line

if TYPE_CHECKING:
    from libtool.domain.digest.collect import Candidate, Collector

ANSWER, POINTERS = "Answer", "Pointers"
LIMIT = 2_000
"""Bytes of a rendered digest at most."""
ANSWER_LIMIT, TITLE_LIMIT, ITEM_LIMIT = 330, 76, 560
"""Bytes: of the Answer; of the title (characters); of an item, which an entry allows 600 characters."""
POINTERS_LIMIT = 240
_PLAN = pattern(r"^(?:Implementation )?Plan:\s*")
FEWEST = 5
"""Words of a sentence that may be the Answer."""
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
    candidates = pool.candidates
    if not candidates:
        return None
    weigher = Weigher(candidates, pool.counts, pool.acted)
    return _Composer(pool, facts, weigher, _title(pool), _pointers(pool, facts)).fill()


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

    def __init__(self, pool: Collector, facts: Facts, weigher: Weigher, title: str, pointers: tuple[Item, ...]) -> None:
        self._pool = pool
        self._facts = facts
        self._weigher = weigher
        self._title = title
        self._static = [weigher.gain(at) for at in range(len(pool.candidates))]
        self._answer: list[int] = []
        self._pointers = pointers
        self._last_turn = pool.candidates[-1].turn
        self._cite = len(f" ({facts.agent}:{facts.short_id}#123)")
        self._sections: dict[str, dict[int, list[int]]] = {}
        """Section, turn, places of the sentences."""
        self._lines: dict[tuple[int, int], str] = {}
        """(segment, line) to the section that its first chosen part went to: the parts of a line stay together."""
        self._chosen: list[int] = []
        self._size = 0

    def fill(self) -> Digest:
        """Choose, and give the digest."""
        candidates = self._pool.candidates
        self._size = _size(render(self._digest(), self._facts)) + self._cite + len(" (2026-01-01)")
        self._add_work()
        gains = dict(enumerate(self._static))
        taken_texts = set()
        while gains and self._size < LIMIT - _ENOUGH:
            best = max(gains, key=lambda at: (gains[at], -at))
            if gains.pop(best) <= 0:
                break
            if candidates[best].text in taken_texts or not self._place(best):
                continue
            taken_texts.add(candidates[best].text)
            self._chosen.append(best)
            for at in self._weigher.take(best):
                if at in gains:
                    gains[at] = self._weigher.gain(at)
        return self._within()

    def _within(self) -> Digest:
        """The digest without the last chosen sentences that break the limit: how items are filled up is known only at the end."""
        candidates = self._pool.candidates
        self._answer = _answer(candidates, self._chosen, self._static)
        digest = self._digest()
        while len(self._chosen) > 1 and _size(render(digest, self._facts)) > LIMIT:
            last = next(at for at in reversed(self._chosen) if at not in self._answer)
            self._chosen.remove(last)
            for turns in self._sections.values():
                for turn, group in list(turns.items()):
                    if last in group:
                        group.remove(last)
                        if not group:
                            del turns[turn]
            digest = self._digest()
        return digest

    def _place(self, at: int) -> bool:
        """Put a sentence into its section and turn, if it fits."""
        one = self._pool.candidates[at]
        place = one.segment, one.line
        name = self._lines.get(place) or evidence.section(one, last_turn=self._last_turn)
        turns = self._sections.get(name)
        group = turns.get(one.turn, []) if turns else []
        cost = _size(one.text) + 2
        held = sum(_size(self._pool.candidates[other].text) + 2 for other in group)
        if held // ITEM_LIMIT != (held + cost) // ITEM_LIMIT or not group:
            cost += self._cite + 3
        if not turns:
            cost += len(f"\n## {name}\n\n")
        if self._size + cost > LIMIT:
            return False
        self._sections.setdefault(name, {}).setdefault(one.turn, []).append(at)
        self._lines[place] = name
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
            found.append((evidence.BLOCKER, self._item(one_line(f"`{command[:100]}` failed last: {line}", 220), turn)))
        if work.open_tasks:
            found.append((evidence.OPEN, self._item(one_line("tasks: " + "; ".join(work.open_tasks), 220), work.tasks_turn)))
        return found

    def _item(self, text: str, turn: int) -> Item:
        return Item(text, turn, self._pool.dates.get(turn, ""))

    def _digest(self) -> Digest:
        candidates = self._pool.candidates
        first = candidates[self._answer[0] if self._answer else 0]
        answer = self._item(_texts([candidates[at] for at in self._answer])[0] if self._answer else "", first.turn)
        sections: dict[str, tuple[Item, ...]] = {}
        for name in _ORDER:
            items = [
                self._item(text, turn)
                for turn, group in sorted(self._sections.get(name, {}).items())
                for text in _texts([candidates[at] for at in sorted(group) if at not in self._answer])
            ]
            items += [item for place, item in self._of_work() if place == name]
            if items:
                sections[name] = tuple(items)
        return Digest(self._title, answer, sections, self._pointers)


def _texts(sentences: list[Candidate]) -> list[str]:
    """Sentences of one turn as the texts of items, each as full as it may be."""
    items: list[str] = []
    last: Candidate | None = None
    for one in sentences:
        part = one.text.rstrip(".")
        if last is not None and _size(items[-1]) + _size(part) + 3 <= ITEM_LIMIT:
            together = (last.segment, last.line) == (one.segment, one.line)
            items[-1] += (": " if together and " " not in last.text else "; ") + part
        else:
            items.append(part)
        last = one
    return [f"{item}." for item in items]


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
    for text in (pool.title, plan, pool.prompt, pool.candidates[0].text):
        tidied = _PLAN.sub("", tidy(text))
        if tidied:
            return one_line(tidied, TITLE_LIMIT)
    return "Session"


def _answer(candidates: list[Candidate], chosen: list[int], gains: list[float]) -> list[int]:
    """Of the chosen sentences, the one that says best what came of it, with the chosen parts of its line."""
    if not chosen:
        return []
    model = (condense.ASSISTANT, condense.SUMMARY)
    spoken = [at for at in chosen if candidates[at].code in model and len(candidates[at].text.split()) >= FEWEST] or chosen
    turn = _main_turn(candidates, {candidates[at].turn for at in spoken})
    closing = max(candidates[at].segment for at in spoken if candidates[at].turn == turn)

    def worth(at: int) -> float:
        one = candidates[at]
        value = gains[at] * (1.5 if evidence.concludes(one.text) else 1.0) * (0.3 if one.kind == HEADING else 1.0)
        return value * (1.0 if one.segment == closing else 0.5 if one.turn == turn else 0.1)

    best = max(spoken, key=lambda at: (worth(at), at))
    place = candidates[best].segment, candidates[best].line
    whole = sorted(at for at in chosen if (candidates[at].segment, candidates[at].line) == place)
    return whole if sum(_size(candidates[at].text) for at in whole) <= ANSWER_LIMIT else [best]


def _main_turn(candidates: list[Candidate], spoken: set[int]) -> int:
    """The last turn with at least a third of the most work, counted in messages and calls; of those in which something was said."""
    first: dict[int, int] = {}
    for one in candidates:
        first.setdefault(one.turn, one.segment)
    starts = sorted(first.items(), key=lambda row: row[1])
    ends = [start for _, start in starts[1:]] + [candidates[-1].segment + 1]
    work = {turn: end - start for (turn, start), end in zip(starts, ends, strict=True) if turn in spoken}
    most = max(work.values())
    return [turn for turn, count in work.items() if count * 3 >= most][-1]


def _pointers(pool: Collector, facts: Facts) -> tuple[Item, ...]:
    """Commits, pull requests, and the files edited most, on one line each kind."""
    work = pool.work
    items = [Item(f"continues {facts.continues}", 0, "")] if facts.continues else []
    if work.commits:
        items.append(
            Item(
                "commits " + ", ".join(f"{digits} {one_line(subject, 60)}" for digits, subject, _ in work.commits[-2:]),
                work.commits[-1][2],
                "",
            )
        )
    items += [Item(url, turn, "") for url, turn in work.requests[-2:]]
    named = " ".join(one.text for one in pool.candidates)
    files = [relative(path, facts.folder) for path, _ in sorted(work.files.items(), key=lambda row: (-row[1], row[0]))]
    unnamed = [path for path in files if path.rsplit("/", 1)[-1] not in named][:5]
    if unnamed:
        items.append(Item("edited " + ", ".join(unnamed), 0, ""))
    kept, size = [], 0
    for item in items:
        size += _size(item.text)
        if size <= POINTERS_LIMIT:
            kept.append(item)
    return tuple(kept)
