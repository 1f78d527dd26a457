from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.features.install import jsonc
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import UnusableError

CLAUDE = JsonHooks("claude-code/settings.json")
LIB = "/opt/it's here/bin/lib"
SPACE = st.sampled_from(["", " ", "\n", "\r\n", "\t", ' // a remark, [with] "signs"\n', "/* and\n* this */", " /**/ "])
NAMES = st.sampled_from(["a", "b\\n", "hooks", "Stop", "SessionStart", "//", "é"])


@st.composite
def texts(draw: st.DrawFn, depth: int = 0) -> str:
    """A JSON value with comments, trailing commas and any white space."""
    kind = draw(st.sampled_from("{" if depth == 0 else "{[s" if depth < 4 else "s"))
    if kind == "s":
        return draw(st.sampled_from(['"text // no comment"', "1", "-2.5e3", "true", "null", '"/* nor this"', '"\\u00e9"']))
    items = draw(st.lists(st.tuples(NAMES, SPACE, SPACE, texts(depth + 1), SPACE), max_size=3, unique_by=lambda item: item[0]))
    parts = [one + (f'"{name}":{two}' if kind == "{" else "") + value + three for name, one, two, value, three in items]
    end = draw(st.sampled_from([",", ""])) if items else ""
    return kind + ",".join(parts) + end + draw(SPACE) + {"{": "}", "[": "]"}[kind]


@given(texts(), SPACE)
def test_what_is_added_can_be_taken_out(text: str, space: str) -> None:
    text = space + text + "\n"
    root = jsonc.parse(text)
    before = root.python()
    longer = jsonc.added(text, root, '"ours": [{"a": 1}]', jsonc.style(text, root), 0)
    again = jsonc.parse(longer)
    assert isinstance(before, dict)
    assert again.python() == {**before, "ours": [{"a": 1}]}
    at = len(again.items) - 1
    shorter = jsonc.removed(longer, again, at)
    assert jsonc.parse(shorter).python() == before
    assert shorter == text or not root.items


@given(texts(), st.integers(0, 5))
def test_any_item_can_be_taken_out(text: str, number: int) -> None:
    root = jsonc.parse(text)
    if root.items:
        at = number % len(root.items)
        left = [(item.key, item.value.python()) for index, item in enumerate(root.items) if index != at]
        shorter = jsonc.parse(jsonc.removed(text, root, at))
        assert [(item.key, item.value.python()) for item in shorter.items] == left


@given(texts())
def test_hooks_go_in_and_out_of_any_settings(text: str) -> None:
    try:
        longer = CLAUDE.put(text.encode(), LIB)
    except UnusableError:
        hooks = jsonc.parse(text).get("hooks")
        assert hooks is not None
        assert hooks.kind != "{" or any(item.value.kind != "[" for item in hooks.items)
        return
    assert CLAUDE.holds(longer, LIB)
    assert CLAUDE.put(CLAUDE.take(longer), LIB) is not None
    left = jsonc.parse((CLAUDE.take(longer) or b"{}").decode()).python()
    before = jsonc.parse(text).python()
    assert isinstance(left, dict)
    assert isinstance(before, dict)
    # An empty list or object of hooks says nothing, and may be gone.
    known = before.get("hooks", {})
    assert {name: value for name, value in left.items() if name != "hooks"} == {n: v for n, v in before.items() if n != "hooks"}
    assert {name: value for name, value in left.get("hooks", {}).items() if value} == {n: v for n, v in known.items() if v}


def test_commands_are_quoted_for_the_shell_and_for_json() -> None:
    ((event, command), *_) = CLAUDE.commands(CLAUDE.put(None, LIB))
    word = "'/opt/it'\"'\"'s here/bin/lib'"
    assert (event, command) == ("SessionStart", f"[ ! -x {word} ] || {word} hook claude-code SessionStart")


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"hooks": {\n"Stop": {}}}', "line 2: `hooks.Stop` is no list"), ('{"hooks": 1}', "line 1: `hooks` is no object")],
)
def test_hooks_of_another_form_are_left_alone(text: str, message: str) -> None:
    with pytest.raises(UnusableError, match=message):
        CLAUDE.put(text.encode(), LIB)
    assert CLAUDE.take(text.encode()) == text.encode()


def test_what_is_no_command_of_ours_stays() -> None:
    prompt = {"type": "prompt", "prompt": "lib hook claude-code Stop"}
    mine = {"type": "command", "command": "/x/bin/lib hook claude-code Stop"}
    others = {"type": "command", "command": "/x/bin/lib hook qwen-code Stop"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [prompt, mine, others]}, 7], "x": 1, "y": [{"hooks": "no"}]}})
    left = json.loads(CLAUDE.take(text.encode()) or b"")
    assert left == {"hooks": {"Stop": [{"hooks": [prompt, others]}, 7], "x": 1, "y": [{"hooks": "no"}]}}
    assert not CLAUDE.holds(b" ", LIB)
    assert CLAUDE.take(b" ") == b" "


def test_a_file_of_ours_with_a_remark_is_kept() -> None:
    text = b"// mine\n" + CLAUDE.put(None, LIB)
    assert (CLAUDE.take(text) or b"").split() == [b"//", b"mine", b"{}"]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[1,, 2]", 1, "a value"),
        ("{\n1: 2}", 2, "a name"),
        ("", 1, "ends"),
        ('{"a" ', 1, "colon"),
        ("{", 1, "ends"),
        ('{"a": 1', 1, "ends"),
    ],
)
def test_what_is_no_json(text: str, line: int, what: str) -> None:
    with pytest.raises(jsonc.BrokenError, match=what) as caught:
        jsonc.parse(text)
    assert caught.value.line == line
