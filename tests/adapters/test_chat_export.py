from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.chat_export import ChatExport
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, THINKING
from tests.adapters.reading import head, read

if TYPE_CHECKING:
    from collections.abc import Iterator

ADAPTER = ChatExport()
ROOT = Path(__file__).parents[2]
TURNS = [("How often?", "Twice."), ("And the delay?", "One second.")]


def chat(user: str, model: str, turns: list[tuple[str, str]] = TURNS, between: str = "\n\n") -> str:
    return between.join(f"{user}\n\n{asked}{between}{model}\n\n{said}" for asked, said in turns) + "\n"


def known(text: str, path: str = "/p/chat.md") -> bool:
    return ADAPTER.sniff(text.encode(), path)


def records(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "chat.md"
    path.write_text(text, encoding="utf-8")
    return [(record.kind, record.text) for record in read(ADAPTER, path).records]


@pytest.mark.parametrize(
    ("user", "model"),
    [
        ("## User", "## Assistant"),
        ("# Human:", "# Claude"),
        ("### **You**", "### **ChatGPT**"),
        ("## 👤 User", "## 🤖🔧 Assistant"),
        ("### User (2026-09-21 14:13)", "### Assistant [14:14]"),
        ("## User - 2026-09-21 14:13", "## GPT-5.1 \N{EM DASH} 2026-09-21 14:14"),
        ("**User:**", "**Assistant:**"),
        ("**Human**:", "**Claude Code**:"),
        ("**User**", "**Gemini**"),
        ("**🧑 You:**", "**🤖 AI (o9):**"),
    ],
)
def test_known_by_headings_that_alternate(tmp_path: Path, user: str, model: str) -> None:
    said = [(kind, text) for turn in TURNS for kind, text in zip((HUMAN, ASSISTANT), turn, strict=True)]
    for text in (
        chat(user, model),
        chat(user, model, between="\n\n---\n\n"),
        chat(user, model, between="\n\n***\n"),
        "# A talk\n\nof Monday\n\n" + chat(user, model),
    ):
        assert known(text)
        assert [record for record in records(tmp_path, text) if record[0] != "title"] == said
    assert known(chat(user, model).replace("\n", "\r\n"), "/p/CHAT.MD")
    assert not known(chat(user, model), "/p/chat.py")
    assert not known(chat(user, model) + "\0")


@pytest.mark.parametrize(
    "text",
    [
        chat("## User", "## Assistant", TURNS[:1]),
        "# Roles\n\n## User\n\nmay read.\n\n## Admin\n\nmay write.\n\n## Assistant\n\nhelps.\n",
        "# API\n\n## Messages\n\nA few-shot prompt:\n\n" + chat("## User", "## Assistant"),
        "```\n" + chat("## User", "## Assistant") + "```\n",
        "".join(f"line {at}\n" for at in range(16)) + chat("**User:**", "**Assistant:**"),
        chat("**User** accounts are old:", "**Assistant** plans are new:"),
        chat("**Users:**", "**Assistants:**"),
        chat("## User guide", "## Assistant guide"),
        chat("## User", "**Assistant:**"),
        chat("##### User", "##### Assistant"),
        chat("- **User:**", "- **Assistant:**"),
        chat("> ## User", "> ## Assistant"),
        "## User\n\n" * 9,
        "",
    ],
)
def test_a_text_about_users_and_assistants_is_no_chat(tmp_path: Path, text: str) -> None:
    assert not known(text)
    assert records(tmp_path, text) == []


@pytest.mark.parametrize(
    "name",
    [
        "# Claude Conversation Log",
        "# Claude Code Conversation",
        "*Exported from Claude Code on 9/21/2026*",
        "**Session ID:** `3f2a9c1e-7b44`",
    ],
)
def test_one_turn_is_enough_where_an_exporter_names_itself(name: str) -> None:
    assert known(f"{name}\n\n" + chat("## User", "## Assistant", TURNS[:1]))
    assert not known(f"{name}\n\n## User\n\nIs anybody there?\n")


def markdown_files() -> Iterator[Path]:
    roots = [sysconfig.get_paths()["purelib"], *(str(ROOT / name) for name in ("docs", "entries", "tests/cli", "bench", "libtool"))]
    for root in roots:
        for folder, _, names in os.walk(root):
            yield from (Path(folder) / name for name in names if name.lower().endswith((".md", ".markdown")))
    yield from ROOT.glob("*.md")


def test_no_markdown_of_other_packages_or_of_this_one_is_a_chat() -> None:
    files = list(markdown_files())
    assert len(files) > 20
    assert [str(path) for path in files if ADAPTER.sniff(head(path), str(path))] == []


def test_a_fence_that_is_never_closed_hides_no_message(tmp_path: Path) -> None:
    text = chat("## User", "## Assistant", [("```\nWhat is this?", "A fence."), *TURNS])
    assert [kind for kind, _ in records(tmp_path, text)] == [HUMAN, ASSISTANT] * 3


def test_a_stamp_behind_a_rule_tells_a_message_whatever_became_of_the_fences(tmp_path: Path) -> None:
    turns = [("What is this?", "```\n```\ncut off\n```"), *TURNS]
    text = chat("**[2026-09-21 14:13:20]**\n\n### User", "**[2026-09-21 14:13:25]**\n\n### Assistant", turns, "\n\n---\n\n")
    assert [kind for kind, _ in records(tmp_path, text)] == [HUMAN, ASSISTANT] * 3


def test_a_heading_of_a_tool_ends_what_was_typed(tmp_path: Path) -> None:
    text = chat("## 👤 User", "## 🔧 Tool Use", [("Go on.", "<details>\n<summary>Bash</summary>\nls\n</details>"), *TURNS])
    assert records(tmp_path, text)[:2] == [(HUMAN, "Go on."), (CALL, "")]


def test_a_heading_of_the_other_style_is_what_somebody_said(tmp_path: Path) -> None:
    text = chat("## User", "## Assistant", [("Mend this page:\n\n### User\n\n**Assistant:** hello", "Done."), *TURNS])
    assert records(tmp_path, text)[0] == (HUMAN, "Mend this page:\n\n### User\n\n**Assistant:** hello")


@given(
    st.lists(st.tuples(*[st.text(st.characters(exclude_characters="#*<`~-[$\0\r", codec="utf-8"), min_size=1)] * 2), min_size=2, max_size=6)
)
def test_what_was_written_is_read(turns: list[tuple[str, str]]) -> None:
    said = [(asked.strip() or "x", told.strip() or "y") for asked, told in turns]
    assert known(chat("## User", "## Assistant", said))


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ('🔧 Using tool: Bash\nInput: {"command": "ls"}', [(CALL, "")]),
        ('🔧 **Tool Use: Bash** (ID: toolu_1)\n```json\n{"command": "ls"}\n```\nOk.', [(CALL, ""), (ASSISTANT, "Ok.")]),
        ("<!-- msg_01 -->\nTwo.", [(ASSISTANT, "Two.")]),
        ('```json\n{"type": "thinking"}\n```', [(THINKING, "")]),
        ('```json\n{\n "type": "tool_result", "content": "2 failing"}\n```\n\nTwo.', [(RESULT, "2 failing"), (ASSISTANT, "Two.")]),
        ('```json\n{"type": "tool_use", "name": [' + "[" * 9999, [(ASSISTANT, "")]),
        ("<details>\n<summary>Output</summary>\nok\n</details>\n<details>\nmore", [(RESULT, "ok"), (ASSISTANT, "<details>\nmore")]),
        ("<details>\n<summary>Bash</summary>\n<details>\n</details>\n</details>", [(CALL, ""), (ASSISTANT, "</details>")]),
    ],
)
def test_tools_are_told_from_prose(tmp_path: Path, block: str, found: list[tuple[str, str]]) -> None:
    text = chat("## User", "## Assistant", [("Go on.", block), *TURNS])
    got = records(tmp_path, text)[1 : 1 + len(found)]
    assert [kind for kind, _ in got] == [kind for kind, _ in found]
    assert all(text in ("", read_text) for (_, read_text), (_, text) in zip(got, found, strict=True))


def test_many_open_tags_take_no_time_that_grows_with_their_square(tmp_path: Path) -> None:
    text = chat("## User", "## Assistant", [("Go on.", "<details>\n" * 40_000), *TURNS])
    assert records(tmp_path, text)[1][0] == ASSISTANT


def test_a_file_in_no_folder_of_chats_tells_no_project(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text("# Chat\n\n" + chat("## User", "## Assistant (acme-4)"), encoding="utf-8")
    session = read(ADAPTER, path).records[0].session
    assert (session.cwd, session.title, session.model, session.started) == ("", "", "acme-4", "")
