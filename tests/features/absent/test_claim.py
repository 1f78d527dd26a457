from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.domain.entry import parse
from libtool.domain.schema import READ_LIMIT
from libtool.errors import LibError, LibraryNotFound, UsageError
from libtool.features.absent import answer, claim
from tests.features.code import Code, environ
from tests.features.library import Library, entry

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.features.absent.answer import Answer
    from tests.features.machine import Machine


@pytest.fixture
def code(tmp_path: Path) -> Code:
    code = Code(tmp_path / "api")
    code.commit("Begin", jobs__py="tokens = 1\n")
    return code


def ask(machine: Machine, code: Code, words: str) -> Answer:
    return answer.absent(machine.config, environ(), words, str(code.folder), history_seconds=0.0)


def test_a_claim_goes_into_the_pointers_and_replaces_the_older_one(machine: Machine, code: Code) -> None:
    shelf = Library(machine)
    path = shelf.write("cron", entry("Cron", "No. (2026-03-02)", Pointers='- absent api@1234567 "token cron"\n- absent api@1234567 "x"'))
    found = ask(machine, code, ' "token  cron"')
    said = f'absent api@{found.place.commit[:12]} "token cron"'
    assert claim.record(machine.config, environ(), "cron", found)[:3] == (str(path), said, True)
    assert parse(path.read_bytes()).items["Pointers"] == ('absent api@1234567 "x"', said)
    assert claim.record(machine.config, environ(), "cron", found).changed is False
    other = claim.record(machine.config, environ(), "cron", ask(machine, code, "TokenCron"))
    assert parse(path.read_bytes()).items["Pointers"] == ('absent api@1234567 "x"', other.claim)
    # What is not spelled in letters alone is another name.
    more = claim.record(machine.config, environ(), "cron", ask(machine, code, "x++"))
    assert set(parse(path.read_bytes()).items["Pointers"]) == {'absent api@1234567 "x"', other.claim, more.claim}


def test_what_cannot_be_claimed(machine: Machine, code: Code, tmp_path: Path) -> None:
    shelf = Library(machine)
    path = shelf.write("cron", entry("Cron", "No. (2026-03-02)"))
    before = path.read_bytes()
    with pytest.raises(UsageError, match="it is there"):
        claim.record(machine.config, environ(), "cron", ask(machine, code, "token"))
    with pytest.raises(UsageError, match="no commit yet"):
        claim.record(machine.config, environ(), "cron", ask(machine, Code(tmp_path / "empty"), "token"))
    with pytest.raises(UsageError, match="hold a login"):
        claim.record(machine.config, environ(), "cron", ask(machine, code, "ghp_" + "q7Xw2Lm9" * 4 + "Zk4t"))
    with pytest.raises(LibError, match="no such entry"):
        claim.record(machine.config, environ(), "zebra", ask(machine, code, "zebra"))
    assert path.read_bytes() == before


def test_an_entry_in_another_form_is_left_alone(machine: Machine, code: Code) -> None:
    path = Library(machine).write("cron", "# Cron\n\nsome words\n")
    with pytest.raises(LibError, match="not in its one form, line") as caught:
        claim.record(machine.config, environ(), "cron", ask(machine, code, "zebra"))
    assert "lib check --fix" in caught.value.hint
    assert path.read_text() == "# Cron\n\nsome words\n"


def test_whether_an_entry_takes_a_claim_is_known_before(machine: Machine) -> None:
    shelf = Library(machine)
    shelf.write("cron", entry("Cron", "No. (2026-03-02)"))
    claim.check(machine.config, "cron")
    shelf.write("odd", "# Cron\n\nsome words\n")
    shelf.write("large", entry("Large", "No. (2026-03-02)", Open=f"- {'x' * READ_LIMIT}"))
    for topic, why in (
        ("odd", "not in its one form"),
        ("large", "larger than lib reads"),
        ("none", "no such entry"),
        ("../x", "no such entry"),
    ):
        with pytest.raises(UsageError, match=why):
            claim.check(machine.config, topic)


def test_what_others_wrote_meanwhile_is_kept(machine: Machine, code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Library(machine).write("cron", entry("Cron", "No. (2026-03-02)"))

    def wait(*_args: object) -> str:
        path.write_text(path.read_text().replace("No.", "Never."))
        return "somebody else held the lock"

    monkeypatch.setattr(claim, "_committed", wait)
    recorded = claim.record(machine.config, environ(), "cron", ask(machine, code, "zebra"))
    assert "Never." in path.read_text()
    assert recorded.claim in path.read_text()


def test_without_a_library(machine: Machine, code: Code) -> None:
    with pytest.raises(LibraryNotFound):
        claim.check(machine.config, "cron")
    with pytest.raises(LibraryNotFound):
        claim.record(machine.config, environ(), "cron", ask(machine, code, "zebra"))


def test_the_claim_is_a_commit_of_its_own(machine: Machine, code: Code, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    shelf = Library(machine)
    path = shelf.write("cron", entry("Cron", "No. (2026-03-02)"))
    other = shelf.write("glaze", entry("Glaze", "Ash. (2026-03-02)"))
    shelf.git("init", "-q", "-b", "main")
    shelf.git("add", "-A")
    shelf.git("commit", "-qm", "Begin")
    other.write_text("mine, unfinished")
    recorded = claim.record(machine.config, environ(), "cron", ask(machine, code, "token cron"))
    assert (recorded.changed, recorded.uncommitted) == (True, "")
    assert recorded.claim in path.read_text()
    assert shelf.git("log", "-1", "--format=%s").stdout == "Claim an absence in cron\n"
    assert shelf.git("status", "--porcelain").stdout == " M entries/glaze.md\n"
    shelf.git("switch", "-q", "--detach")
    assert claim.record(machine.config, environ(), "cron", ask(machine, code, "nothing")).uncommitted.startswith("HEAD is detached")
    shelf.git("checkout", "-q", "--", "entries/cron.md")
    shelf.git("switch", "-q", "main")
    path.write_text(path.read_text().replace("No.", "Never."))
    recorded = claim.record(machine.config, environ(), "cron", ask(machine, code, "zebra"))
    assert recorded.uncommitted == "the entry has changes that are not committed"
    assert "Never." in path.read_text()
    assert recorded.claim in path.read_text()
