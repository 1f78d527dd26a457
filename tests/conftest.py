"""No test may reach the real home, git configuration or network."""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from libtool.features import index
from tests import carried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from libtool.config import Config

# A stranger's first run must not fail by chance; `pytest --hypothesis-profile=deep` looks for what this run cannot find.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("deep", max_examples=2000, deadline=None)
settings.load_profile("steady")

VARIABLES = tuple("LIB_ GIT_ XDG_ CLAUDE CODEX_ COPILOT_ CURSOR_ GEMINI_ OPENCODE PI_CODING_AGENT QWEN_".split())
"""How those of lib, git and the agents begin: an agent may be who runs the tests."""


# In the background of a script SIGINT is ignored, and would be in every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A throwaway home that HOME, XDG and git point to, and no variable of an agent or of lib.

    By a patch of its own: a test that undoes what it patched must not find itself in the real home.
    """
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        for name in list(os.environ):  # noqa: TID251 - the one place that cleans the environment for all tests
            if name.startswith(VARIABLES):
                patched.delenv(name)
        patched.setenv("HOME", str(path))
        patched.setenv("GIT_CONFIG_GLOBAL", str(path / ".gitconfig"))
        patched.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield path


def pytest_addoption(parser: pytest.Parser) -> None:
    """One switch for all golden files: rewrite them, then review the diff by eye."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing with them")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten in this run."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def unhurried() -> Iterator[None]:
    """Whatever the machine is busy with, a run makes all digests: what it leaves to the next one is tested on its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index, "DIGEST_SECONDS", 600.0)
        yield


@pytest.fixture
def staged(home: Path) -> Config:
    """A home with the sessions that the package carries, not yet indexed."""
    return carried.stage(home)


@pytest.fixture
def indexed(staged: Config) -> Config:
    """The same, indexed."""
    index.run(staged, {})
    return staged


@pytest.fixture
def lib(capsys: pytest.CaptureFixture[str]) -> carried.Program:
    """The program, run in this process."""
    return carried.Program(capsys)


def pytest_collection_finish() -> None:
    """Take what was collected out of the garbage collector's sight: at the end of a whole run one look at it takes half a second."""
    gc.collect()
    gc.freeze()
