"""What an entry of the library is made of: its sections, its limits, and the codes of all that can be wrong with one.

The format itself is told in docs/entry-format.md, which is generated from this table.
"""

from __future__ import annotations

ANSWER, DECIDED, BLOCKER, SUPERSEDED = "Answer", "Decided", "Blocker", "Superseded"
MEASURED, OPEN, POINTERS, SESSION = "Measured", "Open", "Pointers", "Session"
SECTIONS = (ANSWER, DECIDED, BLOCKER, SUPERSEDED, MEASURED, OPEN, POINTERS, SESSION)
"""The eight sections of an entry, in their order."""
LISTS = SECTIONS[1:]
"""The sections that hold a list of items; the Answer holds prose."""
NONE = "None."
"""What a section without items says."""

TOPIC_LIMIT = 80
"""Characters of a topic."""
ANSWER_LIMIT = 1200
"""Characters of an Answer."""
ITEM_LIMIT = 600
"""Characters of an item."""
ENTRY_LIMIT = 16_384
"""Bytes of an entry; a longer one is a warning."""
READ_LIMIT = 1_048_576
"""Bytes beyond which a file is no entry, and is not read."""
SENTENCE_LIMIT = 160
"""Characters of a sentence in INDEX.md."""
INDEX_TOKENS = 800
"""Tokens of INDEX.md above which it tells an agent not to read on."""

ENTRIES = "entries"
"""The folder of the entries in a library."""
INDEX = "INDEX.md"
LIBRARY_MARK = ".lib-library"
"""The file at the top of a folder that says: this is a library. It holds the number of the format."""
