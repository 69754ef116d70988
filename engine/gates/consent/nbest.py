"""Several readings of one sound: a further one can only take an approval away, never make one. Pure."""

from collections.abc import Iterable, Sequence

from engine.gates.consent.lexicon import Lexicon
from engine.gates.consent.sentence import classify

Reading = tuple[str, float]
"""What the recogniser wrote, word for word, and how sure it was."""


def denied(others: Sequence[Reading], lex: Lexicon, names: Iterable[str]) -> bool:
    """Whether any of the less likely readings refuses: then the sound may have been a refusal."""
    known = tuple(names)
    return any(classify(text, lex, known).kind == "refuses" for text, _ in others)
