from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from libtool.domain.fts import CJK, columns
from libtool.domain.porter import stem
from libtool.domain.query import MAX_LENGTH, MAX_TERMS, NAME, PHRASE, STOPWORDS, WORD, Query, Term, fold, is_name, parse, rarest, tokenize
from tests.domain.fts5 import COLUMNS, Table

ANY = st.text(st.characters(exclude_categories=[]))
SYNTAX = st.lists(
    st.sampled_from(
        [
            *("'", "*", "+", "-", "(", ")", "^", ":", "{", "}", ",", ".", "/", "\\", "_", " ", "\0", "\n", '"'),
            *("NEAR(", "AND", "OR", "NOT", "user:", "kiln", "loadKiln", "load_kiln", "the", "3f2a9c1e"),
            *("数据库", "。", "が", "한국", "🔥", "é", "e\u0301", "²", "Ⅷ", "ß", "İ", "\ud800"),
        ]
    ),
    max_size=40,
).map("".join)
LETTERS = [
    *((0x20, 0x17F), (0x1CD, 0x1DC), (0x218, 0x21B), (0x300, 0x331), (0x370, 0x3FF), (0x400, 0x45F), (0x5B0, 0x5EA), (0x620, 0x652)),
    *((0x905, 0x94D), (0xE01, 0xE4E), (0x1100, 0x1112), (0x1E00, 0x1EF9), (0x2010, 0x2027), (0x3001, 0x3020), (0x3041, 0x30FF)),
    *((0x4E00, 0x4E20), (0xAC00, 0xAC20), (0x1F300, 0x1F320), (0x1F600, 0x1F640), (0x20000, 0x20010)),
]
OLD = unicodedata.ucd_3_2_0
"""FTS5 has the tables of Unicode 6.1, Python newer ones. What was the same in 3.2 and now is the same in both."""


def settled(letter: str) -> bool:
    """Whether a character has been what it is since Unicode 3.2, and is not for private use."""
    kind = unicodedata.category(letter)
    return kind == OLD.category(letter) and kind not in ("Cn", "Co", "Cs")


ALPHABET = [chr(code) for first, last in LETTERS for code in range(first, last + 1) if settled(chr(code))]


@pytest.fixture(scope="module")
def words() -> Table:
    return Table("unicode61")


@pytest.fixture(scope="module")
def index() -> Table:
    return Table("porter unicode61", COLUMNS)


def expressions(query: Query) -> list[str]:
    """Every FTS5 expression that a search may make of a query."""
    terms, excluded = [term.match() for term in query.terms], " OR ".join(term.match() for term in query.excluded)
    if not terms:
        return []
    must = [term.match() for term in query.terms if term.must]
    found = [*terms, " OR ".join(terms), " AND ".join(terms)]
    if must:
        found.append(f"{' AND '.join(must)} AND ({' OR '.join(terms)})")
    return [*found, *(f"({match}) NOT ({excluded})" for match in found if excluded)]


def test_each_settled_character_folds_as_in_fts5(words: Table) -> None:
    letters = [chr(code) for code in range(0x10000) if settled(chr(code))]
    assert len(letters) > 40_000
    for letter, tokens in zip(letters, words.tokens(*(f"q{letter}q" for letter in letters)), strict=True):
        assert list(tokenize(f"q{letter}q")) == (tokens if not re.match(f"[{CJK}]", letter) else ["q", letter, "q"]), ascii(letter)


@given(st.lists(st.text(ALPHABET, max_size=40), min_size=1, max_size=20))
@example(["Einen Übermut, naïve café, cafe\u0301", "ЙОД ёж Ель", "がぎぐ パン", "한국어 텍스트", "हिन्दी", "tệp ắ", "ΑΣ ας", "İstanbul ß ẞ"])
def test_a_text_has_the_tokens_of_fts5(words: Table, texts: list[str]) -> None:
    paired = [" ".join(columns([("H", 1, text)], "", "")[:1]) for text in texts]
    assert [list(tokenize(text)) for text in texts] == words.tokens(*paired)


@given(ANY | SYNTAX | st.text(ALPHABET))
def test_folding_twice_changes_nothing_more_and_pairs_are_pairs(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    for token in tokenize(text):
        assert token == fold(token)
        assert not re.fullmatch(f"[{CJK}]{{3,}}", token)


@given(ANY | SYNTAX)
@example("数据。错误 。 foo。bar")
@example('"' * 4000)
@example("a" * 5000)
@example("a_b" * 2000)
@example(" ".join(f"w{number}*" for number in range(900)))
@example("-kiln")
@example('""* "*" +"" -"" + - * ""')
@example("NEAR(a b, 5) AND OR NOT a:b {user tool}: x ^y")
@example("\0")
def test_no_text_is_an_error_to_us_or_to_fts5(index: Table, text: str) -> None:
    query = parse(text)
    for expression in expressions(query):
        index.matches(expression)
    assert len(query.terms) <= MAX_TERMS
    assert len(query.excluded) <= MAX_TERMS
    for term in query.terms + query.excluded:
        assert term.spellings
        assert all(tokens and all(tokens) for tokens in term.spellings)
        assert term.kind in (WORD, PHRASE, NAME)
        assert term.shown
        assert repr(term).startswith("Term(")


def shape(term: Term) -> str:
    return ("+" if term.must else "") + term.kind + " " + term.match()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # plain words; stopwords only where there is nothing else
        ("sqlite locking", ['word "sqlite"', 'word "locking"']),
        ("How did we do the locking?", ['word "locking"']),
        ("to be or not to be", ['word "to"', 'word "be"', 'word "or"', 'word "not"']),
        ("Locking locked LOCKS", ['word "locking"']),
        ("", []),
        (" \t\n", []),
        ("?! ... --- ***", []),
        # operators of FTS5 are words
        ("kiln AND glaze", ['word "kiln"', 'word "glaze"']),
        ("NEAR(kiln glaze)", ['word "near"', 'word "kiln"', 'word "glaze"']),
        ("user:kiln", ['word "user"', 'word "kiln"']),
        ("glaze/pots.py:12:3", ['name "glaze pots py"']),
        # phrases
        ('"disk full" kiln', ['phrase "disk full"', 'word "kiln"']),
        ('"disk full', ['phrase "disk full"']),
        ('+"disk full"', ['+phrase "disk full"']),
        ('""', []),
        ('"the"', ['phrase "the"']),
        ('"log in" login', ['phrase "log in"', 'word "login"']),
        ('kiln "kiln"', ['phrase "kiln"']),
        ('+kiln "kiln"', ['+phrase "kiln"']),
        ('"kiln" +kiln', ['+phrase "kiln"']),
        # must
        ("+kiln glaze", ['+word "kiln"', 'word "glaze"']),
        ("kiln +kiln", ['+word "kiln"']),
        ("+the kiln", ['+word "the"', 'word "kiln"']),
        ("+5 + c++", ['word "5"', 'word "c"']),
        # prefixes
        ("kil*", ['word "kil" *']),
        ("configura*", ['word ("configura" * OR "configurator")']),
        ("deploy*", ['word ("deploy" * OR "deplo" *)']),
        ("kiln in*", ['word "kiln"', 'word "in" *']),
        ("in*", ['word "in" *']),
        ("a*", ['word "a"']),
        ("**bold**", ['word "bold" *']),
        ("src/kil*", ['word "src kil" *']),
        # identifiers find each other's spellings
        ("load_kiln", ['name ("load kiln" OR "loadkiln")']),
        ("loadKiln", ['name ("loadkiln" OR "load kiln")']),
        ("parseHTTPHeader", ['name ("parsehttpheader" OR "parse http header")']),
        ("load_kiln loadKiln", ['name ("load kiln" OR "loadkiln")']),
        ("MAX_RETRIES", ['name ("max retries" OR "maxretries")']),
        ("load-kiln", ['word ("load kiln" OR "loadkiln")']),
        ("on-call", ['word ("on call" OR "oncall")']),
        ("kiln on-call", ['word "kiln"', 'word ("on call" OR "oncall")']),
        ("up-to-date", ['word "up to date"']),
        ("kiln.fire()", ['name "kiln fire"']),
        ("src/kiln/fire.py", ['name "src kiln fire py"']),
        ("/srv/app/src/kiln/fire.py", ['name ("srv app src kiln fire py" OR "kiln fire py")']),
        ("C:\\kiln\\fire.py", ['name "c kiln fire py"']),
        ("std::vector", ['name ("std vector" OR "stdvector")']),
        ("naïve_bayesModel", ['name ("naive bayesmodel" OR "naive bayes model" OR "naivebayesmodel")']),
        ("3f2a9c1e", ['name "3f2a9c1e"']),
        ("deadbeef", ['word "deadbeef"']),
        ("1234567", ['word "1234567"']),
        # error messages
        ("TypeError: 'NoneType' object", ['name ("typeerror" OR "type error")', 'name ("nonetype" OR "none type")', 'word "object"']),
        ("ENOENT: no such file", ['word "enoent"', 'word "file"']),
        ("HTTP/1.1 502", ['name "http 1 1"', 'word "502"']),
        # CJK
        ("数据库错误", ['word "数据 据库 库错 错误"']),
        ("数据。错误", ['word "数据"', 'word "错误"']),
        ("修复bug", ['word "修复"', 'word "bug"']),
        ("がぞう", ['word "がぞ ぞう"']),
        ("한국어", ['word "한국 국어"']),
        ("库", ['word "库" *']),
        # dates, numbers, flags
        ("2026-10-03", ['word "2026 10 03"']),
        ("v1.2.3", ['word "v1 2 3"']),
        ("--dry-run", ['word ("dry run" OR "dryrun")']),
        ("--force -f", ['word "force"', 'word "f"']),
        ("#41", ['word "41"']),
        ("🔥 kiln 🔥", ['word "kiln"']),
        ("\0kil\0n\x1b[0m", ['word "kiln"']),
        ("Überlauf ÜBERLAUF", ['word "uberlauf"']),
    ],
)
def test_the_grammar(text: str, expected: list[str]) -> None:
    query = parse(text)
    assert [shape(term) for term in query.terms] == expected
    assert query.excluded == []


@pytest.mark.parametrize(
    ("text", "terms", "excluded"),
    [
        ("kiln -glaze", ['word "kiln"'], ['word "glaze"']),
        ('kiln -"disk full"', ['word "kiln"'], ['phrase "disk full"']),
        ("kiln -load_kiln -the", ['word "kiln"'], ['name ("load kiln" OR "loadkiln")', 'word "the"']),
        ("-kiln", [], ['word "kiln"']),
        ("kiln -glaze* -glaze*", ['word "kiln"'], ['word "glaze" *']),
        ("kiln -ash", ['word "kiln"'], ['word "ash"']),
        ("rm -rf build", ['word "rm"', 'word "rf"', 'word "build"'], []),
        ("kiln -1 - -f", ['word "kiln"', 'word "1"', 'word "f"'], []),
    ],
)
def test_what_must_not_be_there(text: str, terms: list[str], excluded: list[str]) -> None:
    query = parse(text)
    assert ([shape(term) for term in query.terms], [shape(term) for term in query.excluded]) == (terms, excluded)


FOUND = [
    ("load_kiln", "calls loadKiln twice"),
    ("loadKiln", "calls load_kiln twice"),
    ("loadKiln", "calls load-kiln twice"),
    ("load-kiln", "calls loadKiln twice"),
    ("loadkiln", "calls LoadKiln twice"),
    ("kiln", "calls parseKilnHeader"),
    ("fire.py", "in src/kiln/fire.py line 3"),
    ("/home/ada/src/kiln/fire.py", "in ../src/kiln/fire.py line 3"),
    ("src\\kiln", "in src/kiln"),
    ("configura*", "the configuration of it"),
    ("migrati*", "we migrated it"),
    ("abus*", "by abusing it"),
    ("abusin*", "by abusing it"),
    ("copy*", "the copyright of it"),
    ("deploy*", "the deployment of it"),
    ("entr*", "two entries of it"),
    ("数据库", "修复数据库错误。"),
    ("库错", "修复数据库错误。"),
    ("库", "修复数据库错误。"),
    ("画像", "これは画像です"),
    ("がぞう", "これはがぞうです"),
    ("데이터", "데이터베이스"),
    ("йод", "ЙОД и ёж"),
    ("cafe", "un café"),
    ("café", "un cafe\u0301 noir"),
    ("ÜBERLAUF", "ein überlauf"),
    ("'NoneType' object is not subscriptable", "TypeError: 'NoneType' object is not subscriptable"),
    ("--dry-run", "pass --dry-run to it"),
    ("retries", "retry it"),
    ("2026-10-03", "on 2026-10-03 at"),
    ("3f2a9c1e", "commit 3f2a9c1e."),
]


@pytest.mark.parametrize(("text", "said"), FOUND)
def test_what_was_said_is_found(text: str, said: str) -> None:
    table = Table("porter unicode61", COLUMNS)
    row = table.add(*columns([("A", 1, said)], "", ""))
    table.add(*columns([("A", 1, "quite another matter")], "", ""))
    query = parse("+" + text if text[0].isalpha() and " " not in text else text)
    for expression in expressions(query):
        assert table.matches(expression) == [row]


@given(
    st.sampled_from(["configuration", "repository", "migrations", "authenticated", "deploying", "happily", "kilns", "sensibility"]),
    st.data(),
)
def test_a_prefix_finds_its_words(word: str, data: st.DataObject) -> None:
    prefix = word[: data.draw(st.integers(3, len(word)))]
    table = Table("porter unicode61", COLUMNS)
    row = table.add("", word, "", "")
    assert table.matches(parse(prefix + "*").terms[0].match()) == [row]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("load_kiln", True),
        ("_private", False),
        ("__init__", False),
        ("loadKiln", True),
        ("LoadKiln", True),
        ("HTTPServer", True),
        ("src/kiln", True),
        ("kiln.py", True),
        ("a.b.c", True),
        ("e.g", False),
        ("3.14", False),
        ("end.", False),
        ("std::vector", True),
        ("well-known", False),
        ("Kiln", False),
        ("KILN", False),
        ("a/", False),
        ("", False),
    ],
)
def test_what_is_a_name(word: str, *, expected: bool) -> None:
    assert is_name(word) is expected


def test_a_long_query_is_cut() -> None:
    query = parse(" ".join(f"word{number}" for number in range(5000)))
    assert len(query.terms) == MAX_TERMS
    assert len(query.text) <= MAX_LENGTH


def test_stopwords_are_as_words_are_folded() -> None:
    assert {fold(word) for word in STOPWORDS} == STOPWORDS


@given(st.text("abcdefg", min_size=1, max_size=12), st.sampled_from(["", "s", "ing", "ed"]))
def test_one_word_in_two_forms_is_one_term(word: str, ending: str) -> None:
    assume(not {word, word + ending} & STOPWORDS)
    terms = parse(f"{word} {word}{ending}").terms
    assert len(terms) == (1 if stem(word) == stem(word + ending) else 2)


@pytest.mark.parametrize("text", ['"' * 1_000_000, "A" * 1_000_000, "a." * 500_000, "a*" * 500_000, "漢" * 1_000_000, "+" * 1_000_000])
def test_hostile_queries_take_little_time(text: str) -> None:
    begun = time.process_time()
    parse(text)
    assert time.process_time() - begun < 2


@given(st.lists(st.integers(1, 50), max_size=8), st.integers(0, 120))
def test_the_rarest_terms_are_those_that_fit(counts: list[int], rows: int) -> None:
    terms = [Term(WORD, f"w{number}", [(f"w{number}",)]) for number in range(len(counts))]
    chosen = [terms.index(term) for term in rarest(terms, counts, rows)]
    assert chosen == sorted(chosen)
    assert bool(chosen) == bool(terms)
    assert len(chosen) < 2 or sum(counts[number] for number in chosen) <= rows
    left = [counts[number] for number in range(len(counts)) if number not in chosen]
    assert all(count >= max(counts[number] for number in chosen) for count in left)
    assert not left or sum(counts[number] for number in chosen) + min(left) > rows
