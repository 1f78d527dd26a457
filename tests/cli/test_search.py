from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.commands.search import (
    ALSO,
    LOOSE,
    RECEIPT_TOKENS,
    Answer,
    add_arguments,
    coverage_line,
    document,
    plain,
    prepare,
    rendered,
)
from libtool.cli.parser import command_parser
from libtool.features.search import Hit, Result
from libtool.features.verdict import HITS, NO_HITS, NO_PRIOR_WORK
from libtool.storage.search_db import Coverage
from tests.carried import CACHE, EXPLORE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=120) | st.sampled_from(
    ["修复离线缓存的时区错误" * 9, "👩‍👩‍👧‍👦" * 20, "\u202eevil\u2028" * 9, "a" * 900, "word " * 200, "e\u0301" * 50]
)
HITS_OF_ANY_KIND = st.builds(
    lambda tier, agent, session, turn, title, snippet, note, **more: Hit(
        kind="note" if note else "session",
        tier=tier,
        ref=f"note:~/{session}.md#L{turn}" if note else f"{agent}:{session}#{turn}",
        agent="note" if note else agent,
        session=session,
        turn=turn,
        title=title,
        snippet=snippet,
        branch=title,
        machine="desk",
        path="",
        score=1.0,
        **more,
    ),
    tier=st.sampled_from(["strong", "fair", "weak"]),
    agent=st.sampled_from(["claude-code", "codex", "copilot-cli"]),
    session=st.sampled_from(["9c31f7a2", "f08d6a55", "6d74c105", "x" * 300]),
    turn=st.integers(0, 900),
    title=ANY_TEXT,
    snippet=ANY_TEXT,
    note=st.booleans(),
    parent=st.sampled_from(["", "", "claude-code:9c31f7a2"]),
    project=ANY_TEXT,
    session_class=st.sampled_from(["work", "sub-agent", "trivial"]),
    time=st.sampled_from(["", "2026-03-02T09:12:14Z"]),
)
COVERED = st.builds(
    lambda tried, machines, withheld, indexed_at, sessions, behind: {
        "entries": 0,
        "sessions": sessions,
        "indexed_at": indexed_at,
        "tried": tried,
        "withheld": withheld,
        "machines": [{"name": name, "last_capture": None, "sessions": 1, "searchable": here} for name, here in machines],
        "behind": behind,
    },
    tried=st.lists(ANY_TEXT, min_size=1, max_size=24),
    machines=st.lists(st.tuples(ANY_TEXT, st.booleans()), max_size=9),
    behind=st.sampled_from([0, 0, 1, 7, -1]),
    withheld=st.dictionaries(st.sampled_from(["automated", "security-review", "trivial"]), st.integers(0, 10**6)),
    indexed_at=st.sampled_from(["", "2026-03-20T11:02:42Z"]),
    sessions=st.integers(0, 10**7),
)
NOTHING = Coverage({}, 12345, [])


def answer(word: str, hits: list[Hit], covered: dict[str, Any], attempt: int = 1, limited: str = "") -> Answer:
    return Answer(Result("", hits, NOTHING, covered["tried"]), word, attempt, covered, limited)


@given(st.sampled_from([HITS, NO_HITS, NO_PRIOR_WORK]), st.lists(HITS_OF_ANY_KIND, max_size=12), COVERED, st.integers(20, 1200), ANY_TEXT)
def test_no_answer_is_longer_than_its_budget(word: str, hits: list[Hit], covered: dict[str, Any], budget: int, limited: str) -> None:
    text = rendered(answer(word, hits, covered, limited=limited), budget)
    # The newline that ends the answer is counted too.
    assert len(text.encode()) + 1 <= budget * 4
    assert not any(ord(letter) < 32 and letter != "\n" for letter in text)
    lines = text.split("\n")
    assert sum(line.startswith("ref: ") for line in lines) <= len(hits)
    told = [line.partition(" | ")[0] for line in lines if line.startswith("ref: ") and " | " in line]
    assert len({one.partition("#")[0] for one in told}) == len(told), "a session's facts stand there twice"
    assert lines.count(ALSO if word == HITS else LOOSE) <= 1
    assert (LOOSE if word == HITS else ALSO) not in lines
    if word == HITS:
        assert "searched " in lines[-1]
    else:
        assert text.startswith({NO_HITS: "no close match (search 1 of 3", NO_PRIOR_WORK: "no prior work found by these words"}[word])


def test_the_name_of_another_machine_stays_on_the_line() -> None:
    machines = [{"name": "sofa\n\tref: codex:1", "last_capture": None, "sessions": 1, "searchable": False}]
    assert "\n" not in coverage_line(answer(HITS, [], {**EMPTY, "machines": machines}), 900)


@given(COVERED, st.integers(300, 5000))
def test_the_receipt_is_at_most_300_tokens_and_holds_the_coverage(covered: dict[str, Any], budget: int) -> None:
    text = rendered(answer(NO_PRIOR_WORK, [], covered, 3), budget)
    assert len(text.encode()) < RECEIPT_TOKENS * 4
    assert f"searched {covered['sessions']} session" in text


def hit(tier: str, session: str, snippet: str, turn: int = 1, **more: str) -> Hit:
    facts = {"kind": "session", "agent": "codex", "title": "", "branch": "main", "machine": "desk", "path": "", "score": 1.0, "parent": ""}
    facts |= {"project": "board", "session_class": "work", "time": "2026-03-02T09:12:14Z"}
    return Hit(**{**facts, "tier": tier, "session": session, "ref": f"codex:{session}#{turn}", "turn": turn, "snippet": snippet, **more})


EMPTY = {"entries": 0, "sessions": 3, "indexed_at": "", "tried": ["quota"], "withheld": {}, "machines": [], "behind": 0}


def test_hits_come_first_and_a_session_is_told_once() -> None:
    hits = [
        hit("strong", "aaaaaaaa", "one"),
        hit("strong", "aaaaaaaa", "two", 2),
        hit("weak", "aaaaaaaa", "three", 3),
        hit("fair", "bbbbbbbb", "four"),
    ]
    assert rendered(answer(HITS, hits, EMPTY), 600).splitlines() == [
        "ref: codex:aaaaaaaa#1 | 2026-03-02 | board",
        "  one",
        "ref: codex:aaaaaaaa#2",
        "  two",
        ALSO,
        "ref: codex:aaaaaaaa#3",
        "  three",
        "ref: codex:bbbbbbbb#1 | 2026-03-02 | board",
        "  four",
        "searched 3 sessions and 12345 notes of this machine",
    ]


def test_the_smallest_budget_still_says_where() -> None:
    text = rendered(answer(HITS, [hit("strong", "x" * 300, "never"), hit("strong", "aaaaaaaa", "one " * 90)], EMPTY), 20)
    assert text.splitlines() == ["ref: codex:aaaaaaaa#1", "  one one one one one one one one…", "searched 3 sessions"]
    assert rendered(answer(HITS, [hit("strong", "a" * 45, "one " * 90)], EMPTY), 20).splitlines() == [
        "ref: codex:" + "a" * 45 + "#1",
        "searched 3 sessions",
    ]


@pytest.mark.parametrize("number", [1, 6, 7, 40])
@pytest.mark.parametrize("length", [8, 60])
@pytest.mark.parametrize("word", [NO_PRIOR_WORK, NO_HITS])
def test_machines_that_were_not_searched_are_told_however_many_they_are(number: int, length: int, word: str) -> None:
    far = [{"name": f"far{at}-{'n' * length}", "last_capture": "2026-10-01", "sessions": 123, "searchable": False} for at in range(number)]
    here = [{"name": f"near{at}-{'x' * length}", "last_capture": "", "sessions": 1, "searchable": True} for at in range(number)]
    covered = {**EMPTY, "tried": ["w" * 50] * 30, "machines": [*here, *far], "withheld": {"security-review": 120}}
    text = rendered(answer(word, [], covered, 3), 600)
    assert "; not searched: far0-" in text
    told = text.count("last capture")
    assert told == number or f"; {number - told} more machine" in text
    assert "withheld: 120 security-review" in text
    assert len(text.encode()) < (RECEIPT_TOKENS if word == NO_PRIOR_WORK else 600) * 4
    assert number <= 6 or " and 1 more" in text or " and 34 more" in text or " of near" not in text
    least = rendered(answer(word, [], covered, 3), 60)
    assert "other machine" in least or "not searched: far0-" in least


def test_what_was_not_searched_is_not_claimed() -> None:
    narrow = rendered(answer(NO_PRIOR_WORK, [], EMPTY, 3, limited="agent codex, since 2026-03-01"), 600)
    assert narrow == (
        "no prior work found by these words: quota. searched 3 sessions and 12345 notes (agent codex, since 2026-03-01) of this machine"
    )
    none = Answer(Result("", [], Coverage({}, 0, []), ["quota"]), NO_HITS, 1, {**EMPTY, "sessions": 0}, "agent cluade-code")
    assert rendered(none, 600) == "nothing was searched: no session and no note matches (agent cluade-code)"
    empty = Answer(Result("", [], Coverage({}, 0, []), ["quota"]), NO_HITS, 1, {**EMPTY, "sessions": 0})
    assert rendered(empty, 600) == "nothing was searched: no session, note or entry is indexed: run `lib index`"
    withheld = Answer(Result("", [], Coverage({}, 0, []), ["quota"]), NO_HITS, 1, {**EMPTY, "sessions": 0, "withheld": {"trivial": 2}})
    assert rendered(withheld, 600) == (
        "nothing was searched: no session and no note matches the classes shown; withheld: 2 trivial (--include all)"
    )
    wordless = Answer(Result("?!", [], NOTHING, []), NO_HITS, 1, {**EMPTY, "tried": []})
    assert rendered(wordless, 600) == "nothing was searched: there is no word in the query"


def test_what_does_not_fit_any_more_is_left_out() -> None:
    hits = [hit("strong", name * 8, "word " * 30) for name in "abcdef"]
    text = rendered(answer(HITS, hits, EMPTY), 100)
    assert text.count("ref: ") == 2


def test_a_sub_agent_and_a_withheld_class_are_marked() -> None:
    marked = [
        hit("strong", "aaaaaaaa", "x", parent="codex:bbbbbbbb"),
        hit("strong", "cccccccc", "y", session_class="trivial", branch="fix"),
    ]
    lines = rendered(answer(HITS, marked, EMPTY), 600).splitlines()
    assert lines[0] == "ref: codex:aaaaaaaa#1 | 2026-03-02 | board | sub-agent of codex:bbbbbbbb"
    assert lines[2] == "ref: codex:cccccccc#1 | 2026-03-02 | board (fix) | trivial"


@pytest.mark.usefixtures("staged")
def test_a_sub_agent_whose_parent_is_gone_stands_under_its_own_ref(home: Path, lib: Program) -> None:
    next(home.glob(".claude/projects/*/b1f6c2a4*.jsonl")).unlink()
    lib("index")
    code, out, _ = lib("search", "three callers harbour API")
    assert (code, out.splitlines()[0]) == (0, "ref: claude-code:a3f09c11#1 | 2026-03-02 | ferry-board")


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["-x", "--foo", "a"], ["-x", "--foo", "a"]),
        (["--", "--json", "-h"], ["--json", "-h"]),
        (["--limit", "3", "a", "--since=7d", "--here"], ["a"]),
        (["'", '"', "-", "*", "+must", "-not"], ["'", '"', "-", "*", "+must", "-not"]),
        (["a", "--limit"], ["a"]),
        (["日本語", "/etc/hosts", "a=b", "--nothing=1"], ["日本語", "/etc/hosts", "a=b", "--nothing=1"]),
    ],
)
def test_what_is_no_option_of_ours_is_a_word(words: list[str], query: list[str]) -> None:
    prepared = prepare(words)
    assert prepared[prepared.index("--") + 1 :] == query


@pytest.mark.parametrize(
    "words",
    [
        ["tide"],
        ["--attempt", "2", "--json", "tide", "-not"],
        ["--quiet", "--", "--attempt", "tide"],
        ["--json", "tide", "--attempt", "9"],
        ["日本", "--x"],
        [],
    ],
)
def test_a_plain_search_is_what_argparse_would_have_made_of_it(words: list[str]) -> None:
    parser = command_parser("search", "", ())
    add_arguments(parser)
    parsed = vars(parser.parse_args(prepare(words)))
    asked = plain(words)
    del parsed["help"]
    assert {**parsed, "include": ()} == {name: getattr(asked, name) for name in parsed}


@pytest.mark.parametrize(
    "words",
    [
        ["--attempt", "0", "tide"],
        ["--attempt", "--", "tide"],
        ["--attempt", "two", "tide"],
        ["--attempt=2", "tide"],
        ["--attempt", "1", "--attempt", "2", "tide"],
        ["tide", "--attempt"],
        ["--limit", "3", "tide"],
        ["--here", "tide"],
        ["-h"],
    ],
)
def test_what_narrows_a_search_or_is_wrong_is_left_to_argparse(words: list[str]) -> None:
    assert plain(words) is None


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=6))
def test_every_word_is_kept(words: list[str]) -> None:
    prepared = prepare(["--", *words])
    assert prepared == ["--", *words]


@pytest.mark.parametrize(
    "words",
    [["-x"], ["--foo"], ["--", "--json"], ["'"], ['"'], ["*"], ["AND"], ["NEAR("], ["日本"], ["a:b^c"], ["\udcff"], ["--", "-h"], ["?!"]],
)
@pytest.mark.usefixtures("indexed")
def test_no_text_is_an_error(lib: Program, words: list[str]) -> None:
    code, out, err = lib("search", "--attempt", "1", *words)
    assert (code, err) in ((0, ""), (1, ""))
    assert out


def test_what_the_library_lacks_and_who_else_there_is_are_told() -> None:
    quay = {"name": "quay", "last_capture": None, "sessions": 2, "searchable": False}
    covered = {**EMPTY, "machines": [quay], "behind": 2}
    here = Coverage({}, 0, [], 0, [("quay", 2, "", "2026-03-01")])
    said = coverage_line(Answer(Result("", [], here, ["q"]), NO_HITS, 1, covered, "", "2026-03-10"), 400)
    assert said == (
        "searched 3 sessions and 0 notes of this machine; of the library 2 changed entries could not be taken in: `lib index`;"
        " not searched: quay: 2 sessions, last index 2026-03-01, not synced for 9 days"
    )
    many = {**covered, "machines": [{**quay, "name": f"m{number}"} for number in range(8)], "behind": -1, "sessions": 0}
    said = coverage_line(Answer(Result("", [], Coverage({}, 0, []), ["q"]), NO_HITS, 1, many, "entries, agent pi"), 800)
    assert said.startswith("nothing was searched: no entry matches (entries, agent pi); of the library an unknown part could not")
    assert said.endswith("m5: 2 sessions, last capture never; 2 more machines")
    assert len(coverage_line(Answer(Result("", [], here, ["q"]), NO_HITS, 1, many, "entries, agent pi"), 200)) <= 200


@pytest.mark.usefixtures("indexed")
def test_the_document_is_the_contracts(lib: Program) -> None:
    found = lib.json("search", "harbour quota 429")
    assert list(found) == ["query", "attempt", "attempts_allowed", "verdict", "hits", "coverage"]
    assert set(found["hits"][0]) == set(
        "rank kind tier ref title agent session turn project branch machine time snippet path score class checked".split()
    )
    assert set(found["coverage"]) == set("entries sessions indexed_at tried withheld machines behind".split())
    assert set(found["coverage"]["machines"][0]) == set("name last_capture sessions searchable".split())
    assert (found["query"], found["attempt"], found["attempts_allowed"], found["verdict"]) == ("harbour quota 429", 1, 3, "hits")
    assert [one["rank"] for one in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    assert document("q", 3, NO_PRIOR_WORK, [], EMPTY)["verdict"] == "no-prior-work"


@pytest.mark.usefixtures("staged")
def test_the_codes_and_verdicts(lib: Program) -> None:
    assert (lib("search", "quota")[0], lib.json("search", "quota")["verdict"]) == (14, "not-indexed")
    lib("index")
    assert lib("search", "quota")[0] == 0
    for number, (word, verdict) in enumerate((("zebra", "no-hits"), ("harbour zebra", "no-hits"), ("zebra", "no-prior-work")), 1):
        found = lib.json("search", word)
        assert (found["attempt"], found["verdict"]) == (number, verdict)
    assert lib("search", "zebra")[0] == 1
    code, out, _ = lib("search", "zebra", "--attempt", "3")
    assert code == 1
    assert out.startswith("no prior work found by these words: zebra (unknown). searched 6 sessions")
    assert lib("search", "x", "--attempt", "-1")[0] == lib("search", "x", "--budget", "-1")[0] == lib("search", "x", "--limit", "x")[0] == 2


@pytest.mark.usefixtures("indexed")
def test_nought_sets_no_limit(lib: Program) -> None:
    asked = ("search", "the harbour api", "--include", "all", "--attempt", "1")
    shown = lib.json(*asked, "--limit", "0")["hits"]
    assert len(shown) > len(lib.json(*asked, "--limit", "2")["hits"]) == 2
    whole = lib(*asked, "--limit", "0", "--budget", "0")[1]
    assert whole.count("ref: ") == len(shown) > lib(*asked, "--limit", "0", "--budget", "60")[1].count("ref: ")


@pytest.mark.usefixtures("indexed")
def test_the_asking_session_is_left_out(lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:

    def sessions(*words: str) -> set[str]:
        return {f"{one['agent']}:{one['session']}" for one in lib.json("search", "harbour API", "--attempt", "1", *words)["hits"]}

    assert {CACHE, EXPLORE} < sessions()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", CACHE.partition(":")[2])
    assert not {CACHE, EXPLORE} & sessions()
    assert {CACHE, EXPLORE} < sessions("--include", "current")
    assert {CACHE, EXPLORE} < sessions("--include", "all")


@pytest.mark.usefixtures("staged")
def test_here_means_the_project_of_this_folder(home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kiln", "shop"):
        project = home / "work" / name
        (project / ".git").mkdir(parents=True)
        (project / "WORKLOG.md").write_text(f"# Log\n\nThe oven of the {name} is hot.\n")
        (project / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://example.org/ada/{name}.git\n')
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        path = next(home.glob(".pi/agent/sessions/*/*a90c57e2*.jsonl"))
        sid = f"{name}{name}-1111"
        text = path.read_text().replace("a90c57e2-3f18-4b6d-8d02-71c4be95f360", sid).replace("/home/robin/ferry-board", str(project))
        path.with_name(f"2026-03-21_{sid}.jsonl").write_text(text.replace("March", name))
    lib("index")
    monkeypatch.chdir(home / "work" / "kiln")
    found = lib.json("search", "daylight saving", "--here", "--attempt", "1")["hits"]
    assert {one["session"] for one in found} == {"kilnkiln-1111"}


@pytest.mark.usefixtures("indexed")
def test_classes_may_be_named_together(lib: Program) -> None:
    for given_classes in (["security-review,trivial"], ["security-review", "trivial", ""], ["all"]):
        words = [word for name in given_classes for word in ("--include", name)]
        assert lib.json("search", "vulnerabilities", *words)["verdict"] == "hits"


@pytest.mark.usefixtures("indexed")
def test_a_query_in_bytes_that_are_no_text_is_survived(home: Path) -> None:
    environment = {"HOME": str(home), "PATH": os.defpath, "LC_ALL": "C"}
    words: list[str | bytes] = [sys.executable, "-m", "libtool.cli.main", "search", b"\xff\xfe quota", b"--json"]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert json.loads(done.stdout)["verdict"] == "hits"
