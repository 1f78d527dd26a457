from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.storage import tombstones
from libtool.storage.store import Store

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = ("pi", "one-11aa"), ("codex", "two\n22bb")


def test_store_and_file_agree_whatever_is_lost(tmp_path: Path) -> None:
    file = tmp_path / tombstones.NAME
    store = Store(str(tmp_path / "store.db"))
    tombstones.agree(str(tmp_path), store)
    assert not file.exists()
    store.restore([ONE, TWO], ())
    tombstones.agree(str(tmp_path), store)
    assert tombstones.load(str(file)) == {ONE, TWO}
    assert file.stat().st_mode & 0o777 == 0o600
    written = file.stat().st_mtime_ns
    tombstones.agree(str(tmp_path), store)
    assert file.stat().st_mtime_ns == written
    store.close()
    (tmp_path / "store.db").unlink()
    again = Store(str(tmp_path / "store.db"))
    tombstones.agree(str(tmp_path), again)
    assert again.forgotten() == {ONE, TWO}
    again.close()


def test_a_spoilt_line_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / tombstones.NAME
    file.write_bytes(b'["pi", "one-11aa"]\n\xff\n7\n["a"]\n')
    assert tombstones.load(str(file)) == {ONE}
