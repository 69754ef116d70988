"""One-time words: choosing one that nothing else sounds like, and checking it on the sound. Pure."""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Literal

from engine.gates.consent.tokens import fold, tokens

# By how much (natural log) the expected word has to lead every other word and refusal on the same sound. Scores are
# total log-probabilities of the whole sentence with each candidate in the word's place; see
# docs/decisions/consent-thresholds.md.
WORD_MARGIN = 2.0

Check = Literal["ok", "unsure", "wrong"]

# Sounds that recognisers take for each other share a letter; vowels and breath fall away.
_SOUND_ALIKE = str.maketrans(
    {**dict.fromkeys("cqgj", "k"), "z": "s", "d": "t", "b": "p", "v": "f", "m": "n", **dict.fromkeys("aeiouyhw", None)}
)


def sound(token: str) -> str:
    """The consonants of a word, alike ones merged: ``cedar`` and ``seeder`` differ by their first letter only."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", fold(token)) if c.isascii() and c.isalpha())
    for pair, single in (("ph", "f"), ("ck", "k"), ("ce", "se"), ("ci", "si"), ("x", "ks")):
        bare = bare.replace(pair, single)
    merged = bare.translate(_SOUND_ALIKE)
    return "".join(c for at, c in enumerate(merged) if at == 0 or merged[at - 1] != c)


def choose(
    words: Sequence[str], *, live: Iterable[str], avoid: Iterable[str], recent: Sequence[str], rng: Random
) -> str | None:
    """A word that is not live, in no text of ``avoid`` (letters or sound), least recently used; None if none is."""
    taken = set(live)
    seen = list(dict.fromkeys(avoid))
    free = [word for word in words if word not in taken and not any(_in(word, text) for text in seen)]
    if not free:
        return None
    oldest = min(_last_use(word, recent) for word in free)
    return rng.choice([word for word in free if _last_use(word, recent) == oldest])


def verify(word: str, scores: Mapping[str, float] | None, rivals: Iterable[str]) -> Check:
    """Whether the sound says ``word``: it has to lead each of ``rivals`` (words and refusals) by the margin."""
    others = [rival for rival in rivals if rival != word]
    if scores is None or any(not _valid(scores.get(key)) for key in (word, *others)):
        return "unsure"
    lead = scores[word] - max(scores[rival] for rival in others)
    if lead >= WORD_MARGIN:
        return "ok"
    return "wrong" if lead <= -WORD_MARGIN else "unsure"


def _valid(score: float | None) -> bool:
    return score is not None and math.isfinite(score) and score <= 0.0


def _in(word: str, text: str) -> bool:
    found = tokens(text)
    if "".join(tokens(word)) in "".join(found):
        return True
    wanted = sound(word)
    return any(sound(token) == wanted for token in found)


def _last_use(word: str, recent: Sequence[str]) -> int:
    """-1 for never; else the place of its latest use, later is greater."""
    return max((at for at, used in enumerate(recent) if used == word), default=-1)
