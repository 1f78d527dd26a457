from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.features import index

if TYPE_CHECKING:
    from tests.carried import Program


@pytest.mark.usefixtures("staged")
def test_what_is_still_to_come_is_said(lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(index, "DIGEST_SECONDS", -1.0)
        patched.setattr(index, "DIGEST_SHARE", 0.0)
        assert lib("index")[0] == 0
    code, out, _ = lib("drafts")
    assert code == 1
    assert out.startswith("0 drafts; ")
    assert out.endswith("; still to come: 5, `lib index` makes more\n")
    assert lib("index")[0] == 0
    code, out, _ = lib("drafts")
    assert code == 0
    assert "still to come" not in out
