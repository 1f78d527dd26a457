from __future__ import annotations

from libtool.domain import condense
from libtool.domain.chunk import Segment
from libtool.domain.digest import LIMIT, Collector, Facts, compose, render
from libtool.domain.digest.compose import ITEM_LIMIT
from tests.domain.digest.talk import FACTS, Said, digest, rendered

A, H, C, F, R = condense.ASSISTANT, condense.HUMAN, condense.CALL, condense.FAILED, condense.RESULT
PROMPT: Said = (H, 1, "Fix the kiln, it cracks everything")


def test_nothing_said_is_no_digest() -> None:
    assert compose(Collector(), FACTS) is None


def test_a_whole_digest() -> None:
    said: list[Said] = [
        (condense.TITLE, 0, "Plan: Cool the kiln slowly"),
        (H, 1, "Why does the glaze crack? No, use the damper instead of the fan."),
        (A, 1, "We now use the damper instead of the fan."),
        (C, 1, "Edit /home/ada/kiln/src/cool.py"),
        (C, 1, "Edit /home/ada/kiln/src/shed.py"),
        (C, 1, "$ git commit -qam x"),
        (R, 1, "[main 4be91d7] Close the damper at 600 degrees"),
        (A, 1, "Fixed: `src/cool.py` closes the damper at 600 degrees.\nAll 31 tests pass in 4.2 s.\nThe wiki is not yet updated."),
        (C, 1, "TodoWrite [pending] update the wiki of the kiln"),
        (H, 2, "Open a request for it then."),
        (A, 2, "Opened https://github.com/ada/kiln/pull/7 for review by the potters."),
    ]
    assert (
        rendered(said)
        == """# Cool kiln slowly

## Answer

Fixed: src/cool.py closes damper at 600 degrees. (claude-code:2c3d4e5f#1) (2026-03-02)

## Decided

- Why does glaze crack? No, use damper instead of fan. (claude-code:2c3d4e5f#1)
- Open request for it then. Opened https://github.com/ada/kiln/pull/7 for review by potters. (claude-code:2c3d4e5f#2)

## Measured

- All 31 tests pass in 4.2 s. (claude-code:2c3d4e5f#1)

## Open

- Wiki is not yet updated. (claude-code:2c3d4e5f#1)
- tasks: update the wiki of the kiln (claude-code:2c3d4e5f#1)

## Pointers

- commits 4be91d7 Close the damper at 600 degrees (claude-code:2c3d4e5f#1)
- https://github.com/ada/kiln/pull/7 (claude-code:2c3d4e5f#2)
- edited src/shed.py
"""
    )


def test_a_failure_at_the_end_blocks_when_the_model_says_so_or_nothing() -> None:
    failed: list[Said] = [PROMPT, (A, 1, "Looking into what the kiln does at night."), (C, 1, "$ make fire"), (F, 1, "Error: no gas")]
    blocked = "`make fire` failed last: Error: no gas"
    assert [item.text for item in digest(failed).sections["Blocker"]] == [blocked]
    assert "Blocker" in digest([*failed, (A, 1, "The kiln is unable to fire without any gas.")]).sections
    assert "Blocker" not in digest([*failed, (A, 1, "That is how it should be, the kiln is fine.")]).sections
    assert "Blocker" not in digest([*failed, (H, 2, "never mind the gas, look at the shed"), (A, 2, "The shed is swept now.")]).sections


def test_the_title_is_the_plans_the_prompts_or_the_first_thing_said() -> None:
    plan: Said = (condense.PLAN, 1, "# Implementation Plan: Close the damper of the kiln\n\nIt is open too long at night.")
    assert digest([PROMPT, plan]).title == "Close damper of kiln"
    assert digest([PROMPT]).title == "Fix kiln, it cracks everything"
    assert digest([(A, 0, "The kiln was fixed at night.")]).title == "Kiln was fixed at night."
    assert digest([(condense.TITLE, 0, "***"), (H, 1, "**"), (A, 1, "The kiln was fixed at night.")]).title == "Kiln was fixed at night."


def test_where_one_file_was_edited_the_model_speaks_of_it() -> None:
    said: list[Said] = [
        PROMPT,
        (C, 1, "Edit /home/ada/kiln/cool.py"),
        (A, 1, "Removed `open_damper` from the loop.\nA plain sentence of words."),
    ]
    assert digest(said).answer.text == "cool.py: Removed open_damper from loop."
    assert digest([*said, (C, 1, "Edit /home/ada/kiln/fire.py")]).answer.text == "Removed open_damper from loop."


def test_a_file_outside_of_the_folder_is_not_what_the_model_speaks_of() -> None:
    said: list[Said] = [PROMPT, (C, 1, "Write /home/ada/notes/cone.md"), (A, 1, "Removed `open_damper` from the loop.")]
    assert digest(said).answer.text == "Removed open_damper from loop."
    assert digest(said, FACTS._replace(folder="")).answer.text == "/home/ada/notes/cone.md: Removed open_damper from loop."


def test_paths_are_told_from_the_folder() -> None:
    said: list[Said] = [PROMPT, (A, 1, "- /home/ada/kiln/src/cool.py: Removed it from /home/ada/kiln/src/loop.py, not from /home/ada/shed")]
    assert digest(said).answer.text == "src/cool.py: Removed it from src/loop.py, not from /home/ada/shed."
    assert digest(said, FACTS._replace(folder="")).answer.text.startswith("/home/ada/kiln/src/cool.py: ")


def test_only_a_path_that_begins_with_the_folder_is_told_from_it() -> None:
    said: list[Said] = [PROMPT, (A, 1, "Fixed /src/cool.py, and told of it in https://kiln.example/src/wiki.py and /srv/src/shed.py too.")]
    for folder in ("/src", "/src/"):
        text = digest(said, FACTS._replace(folder=folder)).answer.text
        assert text == "Fixed cool.py, and told of it in https://kiln.example/src/wiki.py and /srv/src/shed.py too."
    assert "https://kiln.example/src/wiki.py" in digest(said, FACTS._replace(folder="/")).answer.text


def test_a_turn_full_of_names_leaves_room_for_the_others() -> None:
    names = [f"{one}{other}" for one in "abcdefgh" for other in "klmnop"]
    rich = "\n".join(f"- Changed {name}_valve of {name}.py for good" for name in names)
    said: list[Said] = [PROMPT, (A, 1, rich)]
    for turn in range(2, 9):
        said += [
            (H, turn, f"And now, how is the glaze {names[turn]}?"),
            (A, turn, f"Glaze {names[turn]}_{names[turn + 9]} is fine now, by {names[turn]}_b."),
        ]
    told = digest(said)
    cited = {item.turn for items in told.sections.values() for item in items} | {told.answer.turn}
    assert len(cited) >= 6


def test_a_file_that_was_edited_is_named_by_its_path() -> None:
    said: list[Said] = [
        PROMPT,
        (C, 1, "Edit /home/ada/kiln/src/cool.py"),
        (C, 1, "Edit /home/ada/kiln/src/fire.py"),
        (A, 1, "- cool.py: Removed `open_damper`"),
    ]
    assert digest(said).answer.text == "src/cool.py: Removed open_damper."
    assert digest([*said, (C, 1, "Edit /home/ada/kiln/old/cool.py")]).answer.text == "cool.py: Removed open_damper."


def test_what_is_about_one_file_stands_together() -> None:
    said: list[Said] = [
        PROMPT,
        (
            A,
            1,
            """Fixed the kiln for good, it was the damper.
## fire.py
- raise_ceiling() goes to 1100
## cool.py
- close_damper() comes early""",
        ),
        (A, 1, "## fire.py\n- lower_ceiling() is gone?\n- wait_for_cone() is kept"),
    ]
    (item,) = digest(said).sections["Decided"]
    assert item.text == (
        "Fix kiln, it cracks everything. fire.py: raise_ceiling() goes to 1100; lower_ceiling() is gone?; wait_for_cone() is kept."
        " cool.py: close_damper() comes early."
    )


def test_a_lead_begins_with_a_capital() -> None:
    said: list[Said] = [PROMPT, (A, 1, "Fixed it.\nThe callers pass the flag on:\n- fire_kiln() does it\n- cool_kiln() does it")]
    assert digest(said).answer.text == "Callers pass flag on: cool_kiln() does it."


def test_what_is_closed_gets_no_full_stop() -> None:
    said: list[Said] = [
        PROMPT,
        (A, 1, "窑里的釉料已经裂开了。\n(The kiln_damper was fixed at night.)"),
        (A, 2, "关上阀门之后就修复了\uff1a\n- 釉料不再裂开"),
    ]
    text = rendered(said)
    assert ".)." not in text
    assert "\u3002." not in text
    assert "关上阀门之后就修复了: 釉料不再裂开." in text


def test_an_item_is_no_longer_than_an_entry_allows() -> None:
    lines = [f"The part {word}_{number} of kiln_{number} needs {word} clay." for number, word in enumerate("abcdefgh" * 8)]
    made = digest([PROMPT, (A, 1, "\n".join(lines))])
    items = [item for items in made.sections.values() for item in items]
    assert len(items) > 2
    assert all(len(item.text.encode()) <= ITEM_LIMIT for item in items)
    about = digest([PROMPT, (A, 1, "# src/kiln/fire.py\n" + "\n".join(lines))])
    assert all(item.text.startswith(("src/kiln/fire.py: ", "Fix kiln")) for item in about.sections["Decided"])


def test_a_digest_is_full_but_never_longer_than_its_limit() -> None:
    lines = [f"The part {word * 3}_{number} of kiln_{number} needs {word} clay." for number, word in enumerate("abcdefgh" * 30)]
    for facts in (FACTS, Facts("agent-of-a-long-name", "id", "a-tail-of-many-characters-0123456789")):
        for size in (20, 100, 240):
            said: list[Said] = [PROMPT, *((A, 1 + number % 5, line) for number, line in enumerate(lines[:size]))]
            text = rendered(sorted(said, key=lambda one: one[1]), facts)
            assert len(text.encode()) <= LIMIT
            assert size == 20 or len(text.encode()) > LIMIT - 400


def test_pointers_tell_what_it_continues_and_stay_short() -> None:
    facts = FACTS._replace(continues="claude-code:11112222")
    assert digest([PROMPT], facts).pointers[0].text == "continues claude-code:11112222"
    many: list[Said] = [PROMPT]
    for number in range(9):
        many.append((C, 1, f"Edit /home/ada/kiln/{'deep' * 9}/{number}.py"))
        many.append((R, 1, f"https://example.com/{'owner' * 5}/kiln/pull/{number}"))
    assert sum(len(item.text) for item in digest(many).pointers) <= 160


def test_the_commits_told_are_the_last_one_and_the_one_that_the_title_speaks_of() -> None:
    subjects = ["Sweep the shed", "Fix the kiln", "Paint the door", "Oil the door"]
    made: list[Said] = [(R, 1, f"[main abcdef{number}] {subject}") for number, subject in enumerate(subjects)]
    assert digest([PROMPT, *made]).pointers[0].text == "commits abcdef1 Fix the kiln, abcdef3 Oil the door"
    others: list[Said] = [made[0], made[2], made[3]]
    assert digest([PROMPT, *others]).pointers[0].text == "commits abcdef2 Paint the door, abcdef3 Oil the door"


def test_a_digest_without_a_date_or_turn_says_so_by_leaving_it_out() -> None:
    pool = Collector()
    pool.add(Segment(A, 0, "The kiln was fixed at night."))
    made = compose(pool, FACTS)
    assert made is not None
    assert render(made, FACTS) == "# Kiln was fixed at night.\n\n## Answer\n\nKiln was fixed at night.\n"


def test_what_breaks_the_limit_at_the_end_goes_last_chosen_first() -> None:
    folder = "/".join(["a-deep-folder"] * 9)
    lines = [f"- {word * 9}_{number}() needs {word} clay." for number, word in enumerate("abcdefgh" * 12)]
    said: list[Said] = [PROMPT, *((A, turn, f"## {folder}/kiln_{turn}.py\n" + "\n".join(lines[turn * 9 :])) for turn in range(1, 6))]
    assert LIMIT - 300 < len(rendered(said).encode()) <= LIMIT


def test_characters_of_many_bytes_break_no_limit() -> None:
    wide = "\U00020000"
    said: list[Said] = [
        (H, 1, f"a {wide * 400}"),
        (A, 1, f"The pots are {wide * 400}\n## {'f' * 200}.py\nFixed the pots: {wide * 300}"),
        (C, 1, "$ make " + wide * 300),
        (F, 1, wide * 300),
        (C, 1, f"TodoWrite [pending] {wide * 150}; [pending] {wide * 150}"),
    ]
    text = rendered(said)
    assert len(text.encode()) <= LIMIT
    assert text.count("\u2026") >= 2


def test_openers_alone_make_no_title() -> None:
    assert digest([(A, 1, "= now now now now now now")]).title == "Now now now now now now"


def test_a_sentence_that_does_not_fit_makes_room_for_a_shorter_one() -> None:
    lines = [
        f"The part {word}_{number} of the kiln needs {' '.join([word * 7] * number)} clay."
        for number, word in enumerate("abcdefghijklmnopqrstuvwxyz")
    ]
    text = rendered([PROMPT, *((A, number, line) for number, line in enumerate(lines, 1))])
    assert LIMIT - 200 < len(text.encode()) <= LIMIT
    assert "(claude-code:2c3d4e5f#3)" in text
