from __future__ import annotations

from libtool.features.sightings import Sighting, Sightings

ONE, TWO = "[REDACTED:pw-0123456789ab]", "[REDACTED:gh-app-ba9876543210]"


def test_what_was_replaced_is_noted_with_first_and_last_time() -> None:
    met = Sightings()
    met.note(0, "a x", f"a {ONE}", "2026-03-02T10:00:00Z")
    met.note(0, "x x y", f"{ONE} {ONE} {TWO}", "2026-03-01T10:00:00Z")
    met.note(0, "x", ONE, times=0)
    met.note(1, "y", TWO)
    assert met == {
        (0, "0123456789ab"): Sighting("2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z", 3),
        (0, "ba9876543210"): Sighting("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", 1),
        (1, "ba9876543210"): Sighting("", "", 1),
    }


def test_a_placeholder_that_somebody_pasted_is_no_login() -> None:
    met = Sightings()
    met.note(0, ONE, ONE)
    met.note(0, f"{ONE} y", f"{ONE} {TWO}")
    met.note(0, "a", "b")
    assert list(met) == [(0, "ba9876543210")]
