"""Import rules that the contracts in pyproject.toml cannot say."""

from __future__ import annotations

import os
import tomllib
from typing import Any

import grimp
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "libtool.adapters"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("libtool", include_external_packages=True, cache_dir=None)


@pytest.fixture(scope="module")
def adapters(graph: grimp.ImportGraph) -> set[str]:
    """The modules that the registry imports: one an agent."""
    imported = graph.find_modules_directly_imported_by(f"{PACKAGE}.registry")
    return {module for module in imported if module.startswith(f"{PACKAGE}.")} - {f"{PACKAGE}.base"}


def contracts() -> list[dict[str, Any]]:
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return found


def family(module: str, adapters: set[str]) -> str:
    """The adapter that a module is part of, by its name (`codex_rows` of `codex`), or empty."""
    return next((adapter for adapter in adapters if module == adapter or module.startswith(f"{adapter}_")), "")


def test_the_contract_names_every_adapter_of_the_registry(adapters: set[str]) -> None:
    independent = next(contract["modules"] for contract in contracts() if contract["type"] == "independence")
    assert independent == sorted(adapters)


def test_no_part_of_an_adapter_is_imported_by_another_adapter(graph: grimp.ImportGraph, adapters: set[str]) -> None:
    wrong = [
        (importer, module)
        for module in graph.find_children(PACKAGE)
        if (owner := family(module, adapters))
        for importer in graph.find_modules_that_directly_import(module)
        if importer.startswith(PACKAGE) and importer != f"{PACKAGE}.registry" and family(importer, adapters) != owner
    ]
    assert wrong == []


def test_only_the_repository_knows_dulwich(graph: grimp.ImportGraph) -> None:
    # import-linter's `protected` refuses a module that does not exist, so this stands here.
    importers = graph.find_modules_that_directly_import("dulwich") if "dulwich" in graph.modules else set()
    assert importers <= {"libtool.storage.repo", "libtool.storage.repo_wire", "libtool.storage.repo_checkout"}


def test_no_module_is_longer_than_400_lines() -> None:
    long = []
    for folder, _, names in os.walk(os.path.join(ROOT, "libtool")):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    if (lines := sum(1 for _ in file)) > 400:
                        long.append((path, lines))
    assert long == []
