from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.features.install.part import UnusableError
from libtool.features.install.toml_keys import TomlKeys, has_prompt, others_notify

PLAIN = TomlKeys("codex/config.toml")
ASKING = TomlKeys("codex/config.toml", 'What was "decided"?\nSay it.\x7f')
LIB = '/opt/"quoted"/bin/lib'
LINES = st.sampled_from(
    [
        "# a remark",
        "",
        'model = "large"',
        "[features]",
        "hooks = true",
        "[[list]]",
        'text = """\n# lib: end\n"""',
        "notify = ['bell']",
        "a.b = 1 # c",
    ]
)


def can_be_read(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


TEXTS = st.builds(lambda lines, end: end.join(lines) + end, st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n"])).filter(
    can_be_read
)


@given(TEXTS, st.sampled_from([PLAIN, ASKING]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_keys_go_in_and_out_of_any_configuration(text: str, part: TomlKeys, mark: bytes) -> None:
    before = mark + text.encode()
    longer = part.put(before, LIB)
    assert part.holds(longer, LIB)
    assert (part.take(longer) or b"").strip(mark) == (before if text.strip() or longer == before else b"").strip(mark)
    now = tomllib.loads(longer.decode("utf-8-sig"))
    old = tomllib.loads(text)
    assert {key: now[key] for key in old} == old
    assert now["notify"] == old.get("notify", [LIB, "hook", "codex", "notify"])
    assert has_prompt(longer) == (part is ASKING)
    assert others_notify(longer) == ("notify" in old)


def test_an_older_block_is_not_ours_as_it_should_be() -> None:
    old = PLAIN.put(b"a = 1\n", "/old/bin/lib")
    assert not PLAIN.holds(old, LIB)
    assert PLAIN.put(PLAIN.take(old), LIB) == PLAIN.put(b"a = 1\n", LIB)
    assert not ASKING.holds(PLAIN.put(b"", LIB), LIB)


def test_a_configuration_that_cannot_be_read() -> None:
    with pytest.raises(UnusableError, match="no TOML"):
        PLAIN.put(b"a = \n", LIB)
    assert not others_notify(b"a = \n")
