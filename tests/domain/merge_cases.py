"""Entries that collide: a small world of titles, Answers and items, so that two versions often touch the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from libtool.domain.entry import Entry, render, tidy
from libtool.domain.schema import BLOCKER, DECIDED, LISTS, MEASURED, OPEN, POINTERS, SESSION, SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Iterable

FIRST_KEY, OTHER_KEY, THIRD_KEY = (f"[REDACTED:pw-{digit * 12}]" for digit in "159")
"""What three machines make of one login."""

TITLES = ("Rotate the staging tokens", "Rotate all tokens", "Tokens")
ANSWERS = (
    "Use the vault sidecar. (2026-10-03)",
    "Use the vault\nsidecar. (2026-10-03)",
    "Use the vault sidecar. (2026-10-05)",
    "Use a cron job. (2026-10-03)",
    "Use a cron job. (2026-10-05)\n\nIt runs at night.",
    f"Log in with {FIRST_KEY}. (2026-10-04)",
    f"Log in with {OTHER_KEY}. (2026-10-04)",
    "Cafe\N{COMBINING ACUTE ACCENT} first. (2026-10-04)",
    "Caf\N{LATIN SMALL LETTER E WITH ACUTE} first. (2026-10-04)",
)
_PROSE = (
    "2026-10-03: keep the sidecar. (claude-code:3f2a9c1e#41)",
    "2026-10-03: keep the\nsidecar. (claude-code:3f2a9c1e#41)",
    "2026-10-03: keep the cron job.",
    "2026-09-12: rotate by hand.",
    "2026-10-03: Use a cron job.",
    "2026-10-03: Use the vault sidecar.",
    "undated: ask the owner",
    "Nai\N{COMBINING DIAERESIS}ve names sort by their text.",
    "Na\N{LATIN SMALL LETTER I WITH DIAERESIS}ve names sort by their text.",
    *(f"2026-10-04: Log in with {key}." for key in (FIRST_KEY, OTHER_KEY, THIRD_KEY)),
    *(f"sign with {key} and {FIRST_KEY}" for key in (FIRST_KEY, OTHER_KEY)),
)
ITEMS = {
    DECIDED: _PROSE,
    BLOCKER: _PROSE[:4],
    SUPERSEDED: _PROSE,
    MEASURED: _PROSE[:6],
    OPEN: _PROSE[4:],
    POINTERS: (
        "acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44",
        'absent acme/api@9f3c2d1 "token cron"',
        "https://example.org/tokens",
        "[[other-topic]]",
    ),
    SESSION: (
        "claude-code:3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77 laptop 2026-10-03",
        "claude-code:3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77 desktop 2026-10-01",
        "codex:0199a8f2-1d2c-7000-8000-2f6f0d1c9a77 laptop 2026-10-04",
    ),
}


def entry(title: str = TITLES[0], answer: str = ANSWERS[0], **items: Iterable[str]) -> Entry:
    """An entry with these items, by the names of the sections in lower case, and one session."""
    sections = {section: tidy(section, items.get(section.lower(), ())) for section in LISTS}
    return Entry(title, answer, sections | {SESSION: sections[SESSION] or ITEMS[SESSION][:1]})


def written(title: str = TITLES[0], answer: str = ANSWERS[0], **items: Iterable[str]) -> bytes:
    """The bytes of `entry`."""
    return render(entry(title, answer, **items))


def subsets(section: str) -> st.SearchStrategy[set[str]]:
    """Some items of a section; Session has one at least."""
    return st.sets(st.sampled_from(ITEMS[section]), min_size=int(section == SESSION), max_size=4)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """Any valid entry of this world."""
    sections = {section.lower(): draw(subsets(section)) for section in LISTS}
    return entry(draw(st.sampled_from(TITLES)), draw(st.sampled_from(ANSWERS)), **sections)


@st.composite
def edited(draw: st.DrawFn, base: Entry) -> Entry:
    """A version of an entry in which a few things changed."""
    title, answer = base.title, base.answer
    items = {section: set(base.items[section]) for section in LISTS}
    for place in draw(st.lists(st.sampled_from(("title", "answer", *LISTS)), max_size=4)):
        if place == "title":
            title = draw(st.sampled_from(TITLES))
        elif place == "answer":
            answer = draw(st.sampled_from(ANSWERS))
        else:
            items[place] ^= draw(subsets(place))
    return entry(title, answer, **{section.lower(): found for section, found in items.items()})


@st.composite
def versions(draw: st.DrawFn) -> tuple[bytes | None, bytes, bytes]:
    """A base and two versions of it; in some the base is missing and the two are akin all the same."""
    base = draw(entries())
    sides = render(draw(edited(base))), render(draw(edited(base)))
    return (render(base) if draw(st.integers(0, 4)) else None, *sides)
