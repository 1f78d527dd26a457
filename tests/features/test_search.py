from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.excerpt import SNIPPETS
from libtool.domain.rank import FAIR, STRONG, TIERS, WEAK
from libtool.errors import NotIndexed
from libtool.features import search
from libtool.features.search import LOOKED_AT
from libtool.storage.search_db import Filter, SearchDb
from tests.features.machine import OTHER, SID, Machine, rows, sid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.features.search import Hit, Result

SHOWN = ("trivial", "automated", "security-review")
"""The classes that a search leaves out by default."""
ASIDE = "The shelves were washed, dried in the yard and stacked by the door before anybody came back from lunch. "
FAR = ASIDE * 3
"""More words than a strong hit may have between its own."""


def find(machine: Machine, text: str, limit: int = 8, **chosen: Any) -> Result:
    return search.search(machine.config, text, Filter(**chosen), limit=limit)


def found(machine: Machine, text: str, limit: int = 8, **chosen: Any) -> list[tuple[str, str]]:
    """(session, tier) of each hit."""
    return [(hit.session, hit.tier) for hit in find(machine, text, limit, **chosen).hits]


def only(machine: Machine, text: str, **chosen: Any) -> Hit:
    """The one hit."""
    (hit,) = find(machine, text, **chosen).hits
    return hit


def say(machine: Machine, said: dict[str, str], **fields: Any) -> None:
    """A session for each id, with one answer, and index them."""
    for session, text in said.items():
        machine.write(session, [(f"Please look into the matter of {session[:8]} for me today.", text)], **fields)
    machine.index()


def crowd(machine: Machine, numbers: Iterable[int], text: str) -> None:
    """Many short sessions of a greeting, which are trivial; no two say the same."""
    for number in numbers:
        machine.write(sid(number), [("hi", f"{text} lot{number}")])


def best(machine: Machine, match: str) -> list[str]:
    """The sessions of the chunks that the index itself would have looked at."""
    with SearchDb(machine.config.search_db, machine.config.store_db) as database:
        chunks = [chunk for chunk, _ in database.best(match, LOOKED_AT, None)]
        owners = database.owners(chunks, Filter())
        return [owners[chunk][2] for chunk in chunks]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The expressions that the index is asked to rank by, as they are asked."""
    seen: list[str] = []
    real = SearchDb.best

    def watched(self: SearchDb, match: str, limit: int, chosen: Filter | None) -> list[tuple[int, float]]:
        seen.append(match)
        return real(self, match, limit, chosen)

    monkeypatch.setattr(SearchDb, "best", watched)
    return seen


# What is left out, and when


@pytest.mark.parametrize("many", [LOOKED_AT + 15, 130])
def test_what_a_filter_holds_back_takes_no_room(machine: Machine, many: int) -> None:
    crowd(machine, range(many), "celadon celadon")
    say(machine, {SID: FAR * 3 + "One celadon cup. " + FAR}, gitBranch="fix", cwd="/home/ada/work/stove")
    assert SID not in best(machine, "celadon")
    assert found(machine, "celadon", classes=SHOWN) == [(SID, STRONG)]
    assert found(machine, "celadon", project="stove") == [(SID, STRONG)]
    assert found(machine, "celadon cup", project="stove", classes=SHOWN) == [(SID, STRONG)]
    assert len(found(machine, "celadon", limit=200)) >= LOOKED_AT


def test_filters_say_which_sessions(machine: Machine) -> None:
    say(machine, {SID: "The celadon cracked."})
    say(machine, {OTHER: "The celadon crawled."}, cwd="/home/ada/work/stove")
    machine.write(sid(3), [("hi", "hello celadon")])
    machine.index()
    assert {session for session, _ in found(machine, "celadon")} == {SID, OTHER, sid(3)}
    assert {session for session, _ in found(machine, "celadon", classes=SHOWN)} == {SID, OTHER}
    assert found(machine, "celadon", project="Stove") == [(OTHER, STRONG)]
    assert found(machine, "celadon", kinds=("note",)) == []
    assert found(machine, "celadon", agent="codex") == []
    assert found(machine, "celadon", before="2026-03-01") == []
    assert only(machine, "celadon", classes=("work",)).session_class == "trivial"


def test_the_session_that_asks_finds_neither_itself_nor_its_sub_agents(machine: Machine) -> None:
    turns = [("Why does the celadon crack?", "It shrinks."), ("And so?", "More silica.")]
    machine.write(SID, turns)
    machine.write(SID, [("Count the cups.", "Nine celadon cups.")], name=f"{SID}/subagents/agent-a77", agentId="a77", isSidechain=True)
    machine.write(OTHER, [("Was it the celadon?", "It was."), ("Good.", "Yes.")])
    machine.index()
    assert {session for session, _ in found(machine, "celadon")} == {SID, f"{SID}/a77", OTHER}
    assert found(machine, "celadon", exclude=SID) == [(OTHER, STRONG)]
    # What it shares with another session is that one's.
    machine.write(sid(4), [*turns, ("Which?", "The blue one.")])
    machine.index()
    assert found(machine, "silica", exclude=sid(4)) == [(SID, STRONG)]
    assert found(machine, "silica", exclude=SID) == [(sid(4), STRONG)]


# What is looked at


def test_what_holds_all_words_is_found_below_many_that_repeat_one(machine: Machine) -> None:
    crowd(machine, range(60), "celadon celadon celadon")
    crowd(machine, range(60, 120), "tenmoku tenmoku tenmoku")
    say(machine, {SID: FAR * 3 + "A tenmoku cup under celadon. " + FAR})
    assert SID not in best(machine, "celadon OR tenmoku")
    first, *others = found(machine, "celadon tenmoku")
    assert first == (SID, STRONG)
    assert {tier for _, tier in others} == {WEAK}
    assert found(machine, "celadon tenmoku -cup")[0][1] == WEAK


def test_common_words_that_meet_by_chance_are_no_prior_work(machine: Machine) -> None:
    crowd(machine, range(200), f"celadon {FAR} tenmoku")
    say(machine, {SID: f"{ASIDE} Tenmoku jars, a bowl, two cups, nine plates, and celadon. {ASIDE} An engobe for jars under celadon."})
    assert {tier for _, tier in found(machine, "celadon tenmoku")} == {FAIR}
    assert found(machine, "celadon engobe")[0] == (SID, STRONG)


def test_common_words_are_not_ranked_by_beside_rarer_ones(machine: Machine, monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> None:
    monkeypatch.setattr(search, "ROWS", 30)
    crowd(machine, range(40), "celadon tenmoku tenmoku")
    crowd(machine, range(40, 65), "engobe")
    say(machine, {SID: "An engobe under celadon.", OTHER: "Raku and engobe, apart."})
    cases = {
        # 27 chunks with engobe, 41 with celadon.
        "celadon engobe": ['"engobe"', '"celadon" AND "engobe"'],
        "celadon engobe raku": ['"engobe" OR "raku"', '"celadon" AND "engobe" AND "raku"'],
        # Both stand in more than is counted.
        "tenmoku celadon": ['"tenmoku"', '"tenmoku" AND "celadon"'],
        "celadon": ['"celadon"'],
        "raku": ['"raku"'],
        # What must be there narrows, and costs nothing more.
        "+celadon engobe": ['"celadon" AND ("engobe")', '"celadon" AND "engobe"'],
        "celadon -raku": ['("celadon") NOT ("raku")'],
        "celadon engobe -raku": ['("engobe") NOT ("raku")', '("celadon" AND "engobe") NOT ("raku")'],
    }
    for query, expressions in cases.items():
        asked.clear()
        find(machine, query)
        assert asked == expressions, query
    database = SearchDb(machine.config.search_db, machine.config.store_db)
    assert [database.count(word, 99) for word in ("celadon", "tenmoku", "engobe", "raku")] == [41, 40, 27, 1]
    database.close()
    assert found(machine, "celadon engobe")[0] == (SID, STRONG)


def test_no_chunk_is_asked_to_hold_very_many_words(machine: Machine, asked: list[str]) -> None:
    words = "celadon tenmoku engobe raku stoneware porcelain silica feldspar kaolin bentonite dolomite colemanite"
    say(machine, {SID: f"We have {words} and talc."})
    find(machine, words)
    assert len(asked) == 2
    find(machine, words + " talc")
    assert len(asked) == 3


# Words that nobody said


def test_a_misspelled_word_is_repaired_and_never_makes_a_strong_hit(machine: Machine) -> None:
    say(machine, {SID: "The celadon cracks. This celadon is thin.", OTHER: "A deployment of shelves, one deployment a day."})
    assert found(machine, "celadon cracks") == [(SID, STRONG)]
    result = find(machine, "celadom cracks")
    assert [(hit.session, hit.tier) for hit in result.hits] == [(SID, WEAK)]
    assert result.tried == ["celadom (unknown, read as celadon)", "cracks"]
    assert not result.has_strong
    assert "celadon" in result.hits[0].snippet
    # The stem of `deployment` would itself be stemmed further.
    assert found(machine, "deploymnet") == [(OTHER, WEAK)]
    assert find(machine, "deploymnet").tried == ["deploymnet (unknown, read as deploy)"]


@pytest.mark.parametrize("word", ["celd", "celad0m", "celadom*", "celadom-like", "celadom_like", "xyzzyxy", "целадон", "celadom" * 4])
def test_what_is_no_misspelled_word_is_unknown(machine: Machine, word: str) -> None:
    say(machine, {SID: "The celadon cracks. This celadon is thin."})
    result = find(machine, word)
    assert (result.hits, result.tried) == ([], [f"{word} (unknown)"])
    # Unknown words keep the others from being strong.
    assert found(machine, f"celadon {word}") == [(SID, WEAK)]


def test_a_repaired_word_counts_as_what_it_costs(machine: Machine, monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> None:
    monkeypatch.setattr(search, "ROWS", 30)
    crowd(machine, range(40), "celadon")
    say(machine, {SID: "A tenmoku cup."})
    find(machine, "celadom tenmoku")
    assert asked == ['"tenmoku"', '"celadon" AND "tenmoku"']


# What must, and must not, be there


def test_excluded_and_demanded_words(machine: Machine) -> None:
    say(machine, {SID: "The celadon cracks over silica.", OTHER: "The celadon crawls; see get_user_name."})
    assert {session for session, _ in found(machine, "celadon")} == {SID, OTHER}
    assert found(machine, "celadon -silica") == [(OTHER, STRONG)]
    assert found(machine, 'celadon -"over silica"') == [(OTHER, STRONG)]
    assert found(machine, "celadon -nowhere -silica") == [(OTHER, STRONG)]
    assert found(machine, "celadon +cracks") == [(SID, STRONG)]
    # A name alone makes a strong hit, but not where something demanded is missing.
    assert found(machine, "get_user_name celadon") == [(OTHER, STRONG), (SID, WEAK)]
    assert found(machine, "+cracks get_user_name") == [(SID, WEAK)]
    assert found(machine, "+cracks +get_user_name") == []


def test_what_is_demanded_and_unknown_is_nowhere(machine: Machine) -> None:
    say(machine, {SID: "The celadon cracks; this celadon calls get_user_name."})
    result = find(machine, "+xyzzyxy get_user_name")
    assert (result.hits, result.tried) == ([], ["xyzzyxy (unknown)", "get_user_name"])
    assert found(machine, "+celadom cracks") == [(SID, WEAK)]
    assert found(machine, "+celadom -celadon cracks") == []


@pytest.mark.parametrize("text", ["", "   ", "-silica", "-", "...", "🏺", '""', "* ( ) OR", "\x00"])
def test_a_text_without_a_word_finds_nothing(machine: Machine, text: str) -> None:
    say(machine, {SID: "The celadon cracks over silica."})
    result = find(machine, text)
    assert result.hits == []
    assert result.tried in ([], ["or (unknown)"])
    assert result.coverage.classes


def test_stopwords_are_words_where_there_are_no_others(machine: Machine) -> None:
    say(machine, {SID: "To be or not to be.", OTHER: "The celadon cracks."})
    assert found(machine, "to be or not to be") == [(SID, STRONG)]
    assert find(machine, "to be or not to be").tried == ["to", "be", "or", "not"]
    assert find(machine, "is the celadon there").tried == ["celadon"]


# Words of other shapes


@pytest.mark.parametrize("query", ["get_user_name", "getUserName", "GetUserName", "GET_USER_NAME", "getusername", "`getUserName()`"])
def test_a_name_is_found_in_every_case_style(machine: Machine, query: str) -> None:
    say(machine, {sid(1): "Ask getUserName() first.", sid(2): "Ask get_user_name first.", sid(3): "Ask GET_USER_NAME first.", SID: "name"})
    hits = {session for session, tier in found(machine, query) if tier == STRONG}
    assert hits == ({sid(1)} if query == "getusername" else {sid(1), sid(2), sid(3)})


def test_chinese_is_found_by_its_words(machine: Machine) -> None:
    say(machine, {SID: "修复离线缓存的时区错误。", OTHER: "天气很好。"})
    assert found(machine, "离线缓存") == [(SID, STRONG)]
    assert found(machine, "时区 缓存") == [(SID, STRONG)]
    assert found(machine, "下雨") == []
    assert only(machine, "时区错误").snippet.endswith("修复离线缓存的时区错误。")


def test_a_part_of_a_name_that_only_the_index_knows_is_weak(machine: Machine) -> None:
    say(machine, {SID: "Nothing but cups."}, gitBranch="celadon")
    say(machine, {OTHER: "One celadon cup."})
    assert found(machine, "celadon") == [(OTHER, STRONG), (SID, WEAK)]
    assert found(machine, "celadon xyzzyxy") == [(OTHER, WEAK), (SID, WEAK)]
    assert found(machine, "2026-03-01")[0][1] == WEAK


# Tiers and order


def test_tiers(machine: Machine) -> None:
    said = {
        sid(1): "A tenmoku cup under celadon.",
        sid(2): f"A tenmoku cup. {ASIDE * 2}. Some celadon.",
        sid(3): "Only celadon celadon celadon.",
    }
    say(machine, said)
    assert found(machine, "tenmoku celadon") == [(sid(1), STRONG), (sid(2), FAIR), (sid(3), WEAK)]
    assert found(machine, '"cup under"') == [(sid(1), STRONG)]


def test_of_equal_hits_the_one_whose_words_are_near_comes_first(machine: Machine) -> None:
    say(machine, {sid(1): f"A tenmoku cup. {FAR} Some celadon.", sid(2): f"Cup. {FAR} A tenmoku some celadon."})
    assert found(machine, "tenmoku celadon xyzzyxy") == [(sid(2), WEAK), (sid(1), WEAK)]


def test_the_name_of_the_project_need_not_be_repeated(machine: Machine) -> None:
    say(machine, {SID: "The celadon cracks."})
    say(machine, {OTHER: "Our celadon cracks too."}, cwd="/home/ada/work/stove")
    say(machine, {sid(3): "A kiln."}, cwd="/home/ada/work/wheel")
    assert found(machine, "kiln celadon cracks")[:2] == [(SID, STRONG), (OTHER, WEAK)]


def test_the_title_of_a_session_need_not_be_repeated(machine: Machine) -> None:
    far = ("And then?", "Nothing. " * 200)
    path = machine.write(SID, [("Why?", "The celadon cracks."), far])
    machine.append(path, json.dumps({"type": "custom-title", "customTitle": "Firing the tenmoku", "sessionId": SID}) + "\n")
    machine.write(OTHER, [("Why now?", "Our celadon cracks too."), far])
    machine.index()
    tiers = {hit.session: hit.tier for hit in find(machine, "tenmoku celadon cracks").hits if "celadon" in hit.snippet}
    assert tiers == {SID: STRONG, OTHER: WEAK}


def test_the_name_of_the_project_is_no_answer_by_itself(machine: Machine) -> None:
    say(machine, {SID: "Celadon it is.", OTHER: "Cups."}, cwd="/home/ada/work/kiln-celadon")
    assert {tier for _, tier in found(machine, "kiln celadon")} == {WEAK}


def test_a_note_gives_way_to_a_session(machine: Machine) -> None:
    folder = machine.home / "work" / "kiln"
    folder.mkdir(parents=True)
    path = folder / "HANDOFF.md"
    path.write_text("# Kiln\n\nCups.\n\n## Glaze\n\nThe celadon is done.\n")
    machine.index()
    note = only(machine, "celadon")
    assert (note.kind, note.agent, note.session_class) == ("note", "note", "work")
    assert (note.ref, note.turn, note.path) == (f"note:{note.session}#L5", 5, str(path))
    assert (note.session, note.parent) == (str(path), "")
    crowd(machine, range(9), "cups")
    say(machine, {SID: "The celadon is not yet done."})
    database = SearchDb(machine.config.search_db, machine.config.store_db)
    unweighed = {row[2]: dict(database.best("celadon", 9, None))[chunk] for chunk, row in database.owners([1, 11], Filter()).items()}
    database.close()
    scores = {hit.session: hit.score for hit in find(machine, "celadon").hits}
    assert scores == {SID: pytest.approx(unweighed[SID], abs=0.001), str(path): pytest.approx(0.9 * unweighed[str(path)], abs=0.001)}
    assert min(scores.values()) > 0.1
    assert only(machine, "celadon", kinds=("note",)).session == str(path)


# What a hit says


def test_a_hit_says_where_it_is_from(machine: Machine) -> None:
    path = machine.write(SID, [("Why does the glaze crack?", "It shrinks."), ("Which one?", "The celadon.")])
    machine.index()
    hit = only(machine, "celadon")
    assert (hit.ref, hit.kind, hit.agent, hit.session, hit.turn) == ("claude-code:2c3d4e5f#2", "session", "claude-code", SID, 2)
    assert (hit.project, hit.branch, hit.machine, hit.path) == ("kiln", "main", "bench", str(path))
    assert (hit.time, hit.parent, hit.session_class, hit.tier) == ("2026-03-01T09:00:00Z", "", "work", STRONG)
    assert hit.snippet.endswith("assistant: The celadon.")
    assert hit.score == round(hit.score, 3)


def test_a_ref_is_as_long_as_it_must_be(machine: Machine) -> None:
    say(machine, {sid(1): "The celadon cracks.", sid(2): "The celadon crawls.", OTHER: "The celadon shines."})
    refs = {hit.session: hit.ref for hit in find(machine, "celadon").hits}
    assert refs[OTHER] == "claude-code:3d4e5f60#1"
    assert refs[sid(1)] == f"claude-code:{sid(1)[4:]}#1"


def test_what_stands_before_the_first_prompt_has_no_turn(machine: Machine) -> None:
    path = machine.write(SID, [("Which one?", "The celadon.")])
    answer = path.read_text().splitlines(keepends=True)[1]
    path.write_text(answer)
    machine.index()
    assert only(machine, "celadon").ref == "claude-code:2c3d4e5f"


def test_a_sub_agent_names_its_parent_where_that_is_known(machine: Machine) -> None:
    child = {"agentId": "a77", "isSidechain": True}
    machine.write(SID, [("Count the cups.", "Nine celadon cups.")], name=f"{SID}/subagents/agent-a77", **child)
    machine.index()
    hit = only(machine, "celadon", classes=SHOWN)
    assert (hit.session, hit.parent, hit.session_class) == (f"{SID}/a77", "", "sub-agent")
    machine.write(SID, [("How many cups?", "I shall ask."), ("And?", "Nine.")])
    machine.index()
    assert only(machine, "celadon").parent == "claude-code:2c3d4e5f"


def test_what_a_fork_copied_is_shown_once(machine: Machine) -> None:
    turns = [("Why does the celadon crack?", ASIDE * 5 + "It shrinks more than the clay. " + ASIDE)]
    machine.write(SID, turns)
    copy = machine.write(OTHER, turns, forkedFrom={"sessionId": SID, "messageUuid": f"{SID[:8]}-a0"})
    machine.append(copy, rows(OTHER, [("Another way?", "Less heat.")], first=1))
    machine.index()
    assert machine.rows("SELECT count(*) FROM chunk") == [(2,)]
    assert found(machine, "celadon shrinks") == [(SID, FAIR)]
    assert found(machine, "celadon heat")[0] == (OTHER, FAIR)


def test_snippets_grow_shorter(machine: Machine) -> None:
    say(machine, {sid(number): f"celadon {number} {FAR * 4}" for number in range(9)})
    lengths = [len(hit.snippet) for hit in find(machine, "celadon", limit=9).hits]
    for size, allowed in zip(lengths, (*SNIPPETS, *SNIPPETS[-1:] * 3), strict=True):
        assert allowed - 45 < size <= allowed + 2


def test_one_strong_hit_leaves_the_loose_ones_less_room(machine: Machine) -> None:
    say(machine, {sid(number): f"celadon {number} {FAR * 4}" for number in range(3)} | {SID: f"A tenmoku under celadon. {FAR * 4}"})
    lengths = [len(hit.snippet) for hit in find(machine, "celadon tenmoku").hits]
    for size, allowed in zip(lengths, (700, 300, 220, 160), strict=True):
        assert allowed - 45 < size <= allowed + 2


def test_what_a_short_hit_leaves_of_its_room_helps_the_next(machine: Machine) -> None:
    say(machine, {sid(1): "celadon, celadon!"} | {sid(number): f"celadon {number} {FAR * 4}" for number in range(2, 5)})
    first, *lengths = [len(hit.snippet) for hit in find(machine, "celadon").hits]
    assert first < 100
    for size, allowed in zip(lengths, (700, 300, 220), strict=True):
        assert allowed - 45 < size <= allowed + 2


# When the index is elsewhere, or changes


def test_nothing_indexed(machine: Machine) -> None:
    assert search.indexed_at(machine.config) == 0
    with pytest.raises(NotIndexed):
        find(machine, "celadon")
    machine.index()
    assert search.indexed_at(machine.config) > 0
    assert find(machine, "celadon").hits == []


def test_a_session_that_goes_while_it_is_searched_is_still_shown(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    say(machine, {SID: "The celadon cracks."})
    real = SearchDb.bodies

    def bodies(self: SearchDb, chunks: list[int]) -> dict[int, str]:
        with sqlite3.connect(machine.config.store_db) as writer:
            writer.executescript("DELETE FROM chunk; DELETE FROM source; DELETE FROM part; DELETE FROM session")
        writer.close()
        return real(self, chunks)

    monkeypatch.setattr(SearchDb, "bodies", bodies)
    assert only(machine, "celadon").ref == "claude-code:2c3d4e5f#1"
    assert find(machine, "celadon").hits == []


# Whatever is typed


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with something to find for most words."""
    made = Machine(tmp_path_factory.mktemp("varied"))
    crowd(made, range(12), "celadon AND OR NOT NEAR user assistant")
    long = f'The celadon cracks. {FAR} See src/kiln/ramp.py and getUserName; 修复离线缓存的时区错误. {FAR} It\'s 42% "quoted" (really).'
    machine_turns = [("Why?", long), ("And then?", f"{FAR} tenmoku {FAR} silica")]
    made.write(SID, machine_turns)
    made.write(OTHER, [*machine_turns, ("hi", "user: rm -rf /tmp")], cwd="/home/ada/work/stove")
    (made.home / "HANDOFF.md").write_text("# Celadon\n\nNOT NEAR the kiln.\n")
    made.index()
    return made


PIECES = st.sampled_from(
    'celadon celadom tenmoku* +silica -cracks "the celadon" " \' ( ) AND OR NOT NEAR NEAR( ^ * : {user} user: - + -- ; \\ % _ \x00 \ud800 '
    'getUserName src/kiln/ramp.py 离线缓存 时区 the 2026-03-01 \u202e é ß İ ١٢ ... --flag a* +* -* "unclosed +" ids:x rowid 1=1 /'.split(
        " "
    )
)
TYPED = st.lists(PIECES | st.text(max_size=12), max_size=12).map(" ".join) | st.text(max_size=200)


@given(TYPED, st.integers(1, 12), st.sampled_from([{}, {"classes": SHOWN}, {"exclude": SID}, {"project": "stove"}, {"kinds": ("note",)}]))
def test_any_text_is_a_query_and_its_hits_are_in_order(varied: Machine, text: str, limit: int, chosen: dict[str, Any]) -> None:
    result = find(varied, text, limit, **chosen)
    ranks = [(TIERS.index(hit.tier), -hit.score) for hit in result.hits]
    assert ranks == sorted(ranks)
    assert len(ranks) <= limit
    assert all(hit.session != chosen.get("exclude") for hit in result.hits)
    assert all(hit.snippet and hit.path and hit.ref for hit in result.hits)
    assert result.hits == [] or result.tried


@pytest.mark.parametrize(
    "text", ["celadon " * 3000, '"' * 5000, " ".join(f"w{n}x" for n in range(900)), " ".join(f"cela{n}*" for n in range(60))]
)
def test_a_very_long_text_is_a_query(varied: Machine, text: str) -> None:
    assert len(find(varied, text).tried) <= 24
