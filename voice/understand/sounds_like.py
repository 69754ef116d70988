"""How alike two spellings sound, from 0.0 (the same) to 1.0 (nothing in common)."""

from functools import lru_cache

import jellyfish

SAME_SOUND = 0.1  # another spelling of the same sound
_VOICING = str.maketrans("BDGVZJ", "PTKFSX")  # pairs that noise makes alike


@lru_cache(maxsize=16384)
def sound_key(text: str) -> str:
    """A phonetic key (metaphone) of the letters run together; digits stay as they are."""
    joined = text.replace(" ", "")
    letters = "".join(c for c in joined if not c.isdigit())
    digits = "".join(c for c in joined if c.isdigit())
    return str(jellyfish.metaphone(letters)) + digits


def _ratio(a: str, b: str) -> float:
    longest = max(len(a), len(b))
    return jellyfish.damerau_levenshtein_distance(a, b) / longest if longest else 0.0


@lru_cache(maxsize=65536)
def distance(a: str, b: str) -> float:
    """Distance of two folded spellings. Equal keys with half the letters alike are :data:`SAME_SOUND`."""
    if a == b:
        return 0.0
    key_a, key_b = sound_key(a), sound_key(b)
    if not key_a or not key_b:
        return 1.0
    letters = _ratio(a.replace(" ", ""), b.replace(" ", ""))
    if key_a == key_b and letters <= 0.5:
        return SAME_SOUND
    keys = (_ratio(key_a, key_b) + _ratio(key_a.translate(_VOICING), key_b.translate(_VOICING))) / 2
    return min(1.0, max(SAME_SOUND * 2, 0.6 * keys + 0.4 * letters))
