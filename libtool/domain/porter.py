"""The Porter stemmer as FTS5's `porter` tokenizer applies it, so that Python sees a word of a chunk as the index does.

M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980) 130-137. A test compares every word with FTS5 itself.
"""

from __future__ import annotations

_SHORTEST, _LONGEST = 3, 64
"""Bytes: FTS5 leaves shorter and longer words as they are."""
_VOWELS = frozenset("aeiou")
_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3 = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_STEP_4 = tuple("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize".split())


def stem(word: str) -> str:
    """The stem of one folded (lower-case, no diacritics) token."""
    data = word.encode("utf-8", "replace")
    if not _SHORTEST <= len(data) <= _LONGEST:
        return word
    if len(data) != len(word):
        # FTS5 counts bytes. It may even cut a character in two (the double consonant before -ing): such a stem equals no other word's.
        return _stem(data.decode("latin-1")).encode("latin-1").decode("utf-8", "replace")
    return _stem(word)


def _stem(word: str) -> str:
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    word = _strip(word)
    return _last_e(word)


def _plural(word: str) -> str:
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mended(base) if _has_vowel(base) else word
    return word


def _mended(base: str) -> str:
    """Step 1b's second part: `hopp` to hop, `fil` to file, `conflat` to conflate."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) > 1 and base[-1] == base[-2] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _short(base) else base


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in table:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + instead if _measure(base) > 0 else word
    return word


def _strip(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if word[-4:-3] in ("s", "t") and _measure(word[:-3]) > 1 else word
    for ending in _STEP_4:
        if word.endswith(ending):
            return word[: -len(ending)] if _measure(word[: -len(ending)]) > 1 else word
    return word


def _last_e(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        size = _measure(base)
        if size > 1 or (size == 1 and not _short(base)):
            word = base
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _vowel(word: str, at: int) -> bool:
    return word[at] in _VOWELS or (word[at] == "y" and at > 0 and not _vowel(word, at - 1))


def _has_vowel(word: str) -> bool:
    return any(letter in _VOWELS or (letter == "y" and at > 0) for at, letter in enumerate(word))


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, before = 0, False
    for at in range(len(word)):
        now = _vowel(word, at)
        count += before and not now
        before = now
    return count


def _short(word: str) -> bool:
    """Ends consonant, vowel, consonant, the last not w, x or y."""
    end = len(word) - 1
    return end > 1 and not _vowel(word, end) and _vowel(word, end - 1) and not _vowel(word, end - 2) and word[end] not in "wxy"
