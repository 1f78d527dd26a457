from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.config import SESSION_CLASSES
from libtool.domain.classify import AUTOMATED, PROMPT_KEPT, RULES, SECURITY_REVIEW, SUB_AGENT, TRIVIAL, WITHHELD, WORK, Facts, classify


def facts(prompt: str, *, turns: int = 1, calls: int = 5, said: int = 1000, origin: str = "cli", cwd: str = "/code/api") -> Facts:
    return Facts(
        origin=origin,
        cwd=cwd,
        first_prompt=prompt,
        human_turns=turns,
        model_characters=said,
        tool_calls=calls,
    )


def task(prompt: str, origin: str = "", parent: str = "") -> Facts:
    return Facts(origin=origin, subagent=True, first_prompt=prompt, task_turns=1, model_characters=500, tool_calls=3, parent_class=parent)


ROLE = "You are a senior security engineer conducting a focused security review of the changes on this branch."
JUDGE = "You are an impartial judge. Compare the two answers below."
EXAMPLES = [
    # Work: whatever a person asked for, on a terminal or through a pipe.
    (facts("Implement the following plan:\n\n# Plan: keep the lock"), WORK),
    (facts("can you review the changes in the local branch?", turns=9), WORK),
    (facts("review PR 170"), WORK),
    (facts("/pr-review 170"), WORK),
    (facts("/review 12", origin="sdk-cli"), WORK),
    (facts("why does the login page answer 500?", calls=0), WORK),
    (facts("Fix the findings of the security review in upload.py"), WORK),
    (facts("Write a /security-review command for our agents"), WORK),
    (facts("Review the terraform module for the security group of the database"), WORK),
    (facts("You are a security engineer. Help me build the audit log of the admin page.", turns=6), WORK),
    (facts("/security-review", turns=4), WORK),
    (facts(ROLE, turns=3), WORK),
    (facts("Add a rate limiter to the API and write tests", origin="sdk-cli"), WORK),
    (facts("Migrate the tests to pytest, keep the fixtures", origin="exec"), WORK),
    (facts("You are an expert in Rust. Make the parser in src/ streaming.", origin="sdk-cli", calls=40), WORK),
    (facts("Edit. Set the port to 8443", origin="sdk-cli", calls=3), WORK),
    (facts("Respond only with JSON from the /health route from now on, change the handler", turns=3), WORK),
    (facts("Generate a name for the new session table", calls=2, turns=2), WORK),
    (facts("what is the flag that turns the cache off?", calls=0, said=600), WORK),
    (facts("Use Postgres, not MySQL, for the ledger: the team knows it. Note that.", calls=0, said=12), WORK),
    (facts("which port does staging use?", calls=0, said=5), WORK),
    (facts("登录错误来自缓存 以后不要缓存它", calls=0, said=5), WORK),
    (facts("test", calls=3), WORK),
    (facts("summarize the sessions table and add an index", calls=8), WORK),
    (facts("编写树组件的测试案例", calls=20, turns=2), WORK),
    (facts("修复", calls=4), WORK),
    # Sub-agents of what is withheld.
    (task("Look at every handler and judge its inputs", parent=SECURITY_REVIEW), SECURITY_REVIEW),
    (task("Read the transcript", parent=AUTOMATED), AUTOMATED),
    (task("Count the kilns", parent=TRIVIAL), SUB_AGENT),
    (task("Count the kilns", parent=WORK), SUB_AGENT),
    # Security reviews, asked for by a command, a hook, a pipeline or a parent agent.
    (facts("/security-review"), SECURITY_REVIEW),
    (facts("/security-review the upload handler", origin="sdk-cli", turns=2), SECURITY_REVIEW),
    (facts("/team:security-audit"), SECURITY_REVIEW),
    (facts(ROLE), SECURITY_REVIEW),
    (facts(ROLE, origin="sdk-cli", turns=3), SECURITY_REVIEW),
    (facts("You are a security reviewer. Look at the diff."), SECURITY_REVIEW),
    (facts("You are an expert application security auditor.\n\nRead the code below.", origin="sdk-py"), SECURITY_REVIEW),
    (facts("You are a security analyst.\nFind vulnerabilities in this change.", origin="exec"), SECURITY_REVIEW),
    (facts("Perform a thorough security review of the staged changes", origin="exec"), SECURITY_REVIEW),
    (facts("please run a security audit on src/"), SECURITY_REVIEW),
    (facts("Review the following diff for security vulnerabilities:\n\n+x", origin="sdk-ts"), SECURITY_REVIEW),
    (facts("Audit this repository for common vulnerabilities"), SECURITY_REVIEW),
    (facts("# Security Review: pull request 12", origin="sdk-cli"), SECURITY_REVIEW),
    (task("You are a security reviewer. Check upload.py"), SECURITY_REVIEW),
    (task("Look at the changes", origin="security-reviewer"), SECURITY_REVIEW),
    (facts("Check it", origin="security_code_review"), SECURITY_REVIEW),
    # Sub-agents.
    (task("Count the files"), SUB_AGENT),
    (task("hi"), SUB_AGENT),
    (facts("Review the diff against main", origin="review", turns=0), SUB_AGENT),
    (task("You are a code reviewer. Answer only with JSON", origin="sdk-cli"), SUB_AGENT),
    # Automated: a program speaks, or nobody does.
    (facts(JUDGE, origin="sdk-cli"), AUTOMATED),
    (facts("You are a code reviewer bot for merge requests.", origin="exec"), AUTOMATED),
    (facts("Classify the issue. Respond only with valid JSON.", origin="sdk-py", calls=0), AUTOMATED),
    (facts("Is this flaky? Only answer yes or no.", origin="exec", calls=0), AUTOMATED),
    (facts("You are a session reviewer. Read the transcript below."), AUTOMATED),
    (facts("You are a Claude-Mem, a tool that observes.", calls=0), AUTOMATED),
    (facts("Generate a short title for this conversation:\n\nhello", calls=0), AUTOMATED),
    (facts("Summarize the following chat transcript", calls=0), AUTOMATED),
    (facts('<scheduled-task name="nightly">Run the report</scheduled-task>'), AUTOMATED),
    (facts("Automation: nightly dependency check", origin="sdk-cli"), AUTOMATED),
    (facts("Consolidate", cwd="/home/dev/.codex/memories_v2"), AUTOMATED),
    (facts("Consolidate", origin="memory_consolidation"), AUTOMATED),
    (facts("", turns=0), AUTOMATED),
    # Trivial: nothing to find there.
    (Facts(), TRIVIAL),
    (facts("hi", calls=0, said=900), TRIVIAL),
    (facts("\n Hello Claude!\n", calls=0), TRIVIAL),
    (facts("which model are you?", calls=0, said=300), TRIVIAL),
    (facts("say ok", calls=0, said=2), TRIVIAL),
    (facts("What is this repo doing?", calls=0, said=0), TRIVIAL),
    (facts("\ud800", calls=0, said=0), TRIVIAL),
    (facts("Kill me.", calls=0, said=0, origin="sdk-cli"), TRIVIAL),
]


@pytest.mark.parametrize(
    ("known", "session_class"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else value.first_prompt[:30]
)
def test_examples(known: Facts, session_class: str) -> None:
    assert classify(known).session_class == session_class


def test_every_rule_decides_an_example() -> None:
    assert {classify(known).reason for known, _ in EXAMPLES} == {rule.reason for rule in RULES}


def test_the_classes_are_those_of_the_configuration() -> None:
    assert {rule.session_class for rule in RULES} == set(SESSION_CLASSES)
    assert WITHHELD.issubset(SESSION_CLASSES)


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ("claude-code:3f2a9c1e-7b1d", True),
        ("claude-code:9c1e-7b", True),
        ("claude-code:3f2a9", False),
        ("codex:3f2a9c1e-7b1d", False),
        ("/home/dev/bots", True),
        ("/home/dev/bots/", True),
        ("/home/*/bots/nightly", True),
        ("/home/dev/bot", False),
    ],
)
def test_the_configuration_wins(pattern: str, *, holds: bool) -> None:
    known = facts("hi", calls=0, cwd="/home/dev/bots/nightly")
    verdict = classify(known, [(pattern, WORK)], "claude-code:3f2a9c1e-7b1d")
    assert verdict.session_class == (WORK if holds else TRIVIAL)
    assert (pattern in verdict.reason) == holds


def test_a_short_id_counts_when_it_is_whole() -> None:
    assert classify(facts("hi", calls=0), [("pi:abc", WORK)], "pi:abc").session_class == WORK


@pytest.mark.parametrize(
    ("pattern", "said", "is_class"),
    [
        ("claude-code:3f2a9c1e-7b1d", WORK, SUB_AGENT),
        ("claude-code:3f2a9c1e-7b1d", AUTOMATED, AUTOMATED),
        ("claude-code:3f2a9c1e-7b1d/a8fea51c", WORK, WORK),
        ("claude-code:a8fea51c", WORK, WORK),
    ],
)
def test_what_is_said_of_a_parent_withholds_its_sub_agents_but_makes_them_no_work(pattern: str, said: str, is_class: str) -> None:
    assert classify(task("Count the kilns"), [(pattern, said)], "claude-code:3f2a9c1e-7b1d/a8fea51c").session_class == is_class


def test_an_unknown_folder_matches_no_pattern() -> None:
    assert classify(facts("hi", calls=0, cwd=""), [("/*", WORK)]).session_class == TRIVIAL


def test_the_first_override_that_matches_wins() -> None:
    overrides = [("/code/*", AUTOMATED), ("/code/api", WORK)]
    assert classify(facts("hi"), overrides).session_class == AUTOMATED


@given(st.builds(Facts, origin=st.text(max_size=20), first_prompt=st.text(), human_turns=st.integers(0, 3), tool_calls=st.integers(0, 3)))
def test_every_session_has_a_class(known: Facts) -> None:
    assert classify(known).session_class in SESSION_CLASSES


@pytest.mark.parametrize(
    "pattern",
    ["you are a very very ", "review for ", "respond only ", "/secur", "/security-", "security ", "-", "<", "give title ", "extract from "],
)
def test_no_prompt_takes_long(pattern: str) -> None:
    start = time.process_time()
    classify(facts(pattern * PROMPT_KEPT, origin="sdk-cli"))
    assert time.process_time() - start < 5
