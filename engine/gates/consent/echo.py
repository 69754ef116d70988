"""Whether an utterance is the assistant's own voice come back. Pure."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from engine.gates.consent.tokens import tokens

CLOSE = 0.8  # share of the utterance's tokens that stand in runs of two or more in what was said


def is_echo(text: str, said: Iterable[str]) -> bool:
    """Whether ``text`` is close to one of the sentences just spoken."""
    words = tokens(text)
    return bool(words) and any(_share(words, tokens(sentence)) >= CLOSE for sentence in said)


def _share(words: tuple[str, ...], said: tuple[str, ...]) -> float:
    blocks = SequenceMatcher(None, words, said, autojunk=False).get_matching_blocks()
    shortest = min(2, len(words))
    return sum(block.size for block in blocks if block.size >= shortest) / len(words)
