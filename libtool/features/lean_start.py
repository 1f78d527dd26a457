"""How git's shims and the agents' launcher start lib: without the site module, 4 ms, as long as what is imported lies where it lay."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def boot(module: str) -> str:
    """The text for `python -I -S -c` that runs `program` of a module, given an `import_path` first. It ends with 127 without lib."""
    return _BOOT.replace("@MODULE@", module)


def import_path(names: Iterable[str]) -> str:
    """The folders that these packages lie in, a line each.

    Never an empty or a relative one: hooks are called in a work tree, and what lies there is not to be imported.
    """
    specs = [importlib.util.find_spec(name) for name in names]
    folders = [os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))) for spec in specs if spec and spec.origin]
    return "\n".join(dict.fromkeys(folder for folder in folders if "\n" not in folder)) or os.sep
