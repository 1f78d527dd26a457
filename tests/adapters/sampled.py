"""Human turns of the sample files that are not part of this repository: how many, and a digest of them.

`samples/<agent>.json` is written by `pytest --update-golden`, after every human turn of every file was checked by eye.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.domain.session import HUMAN
from tests.adapters.reading import SHARED, head, read, shared_files

if TYPE_CHECKING:
    from libtool.adapters.base import Adapter

KNOWN = Path(__file__).parent / "samples"
FOLDERS = ("samples/clients", "cases/eval/dev/transcripts")


def check_samples(adapter: Adapter, *, update: bool) -> None:
    """Compare the human turns of all sample files that the adapter knows with what was checked; skip where there are no samples."""
    if not SHARED.is_dir():
        pytest.skip("no sample data beside the repository")
    found = {}
    for name, path in shared_files(adapter.agent, *FOLDERS):
        if adapter.sniff(head(path), str(path)):
            result = read(adapter, path)
            assert not result.tally, name
            said = [record.text for record in result.records if record.kind == HUMAN]
            found[name] = [len(said), hashlib.sha256("\x1e".join(said).encode()).hexdigest()[:16]]
    golden = KNOWN / f"{adapter.agent}.json"
    if update:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))
