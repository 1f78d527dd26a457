"""How git's shims and the agents' launcher start lib: without the site module, 4 ms, as long as what is imported lies where it lay."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BOOT = """import sys
sys.path += sys.argv.pop(1).split("\\n")
try:
    from @MODULE@ import program
except ImportError:
    import site
    site.main()
    try:
        from @MODULE@ import program
    except ImportError as error:
        sys.stderr.write(f"lib: {error}\\n")
        sys.exit(127)
program()"""


def filled(template: str, values: Mapping[str, str], python: str, module: str, imported: Iterable[str]) -> bytes:
    """A shim with `values` in the place of their @NAMES@, and what it takes to run `program` of a module.

    `python` is the interpreter, `imported` are the packages that the module needs. Without lib the shim's python ends with 127.
    """
    start = {"PYTHON": python, "PATH": _import_path(imported), "BOOT": _BOOT.replace("@MODULE@", module)}
    every = {**values, **{name: shlex.quote(value) for name, value in start.items()}}
    return re.sub("@([A-Z]+)@", lambda found: every[found[1]], template).encode("utf-8", "surrogateescape")


def _import_path(names: Iterable[str]) -> str:
    """The folders that these packages lie in, a line each.

    Never an empty or a relative one: hooks are called in a work tree, and what lies there is not to be imported.
    """
    specs = [importlib.util.find_spec(name) for name in names]
    folders = [os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))) for spec in specs if spec and spec.origin]
    return "\n".join(dict.fromkeys(folder for folder in folders if "\n" not in folder)) or os.sep
