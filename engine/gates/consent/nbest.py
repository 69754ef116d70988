"""Several readings of one sound: a likely approval counts if no reading says otherwise. Pure."""

from collections.abc import Iterable, Sequence

from engine.gates.consent.lexicon import Lexicon
from engine.gates.consent.sentence import Verdict, classify
from engine.gates.consent.tokens import has_phrase, tokens

Reading = tuple[str, float]
"""What the recogniser wrote, word for word, and how sure it was."""

# What a reading may be beside an approving one of the same sound; a question, a "he says", a "maybe" may not.
_HARMLESS = frozenset({"explicit", "bare_yes", "other"})


def approving(first: str, others: Sequence[Reading], lex: Lexicon, names: Iterable[str]) -> Reading | None:
    """The likeliest of ``others`` that approves, where all that approve mean the same and none stands against it."""
    known = tuple(names)
    judged = [(reading, classify(reading[0], lex, known)) for reading in ((first, 0.0), *others)]
    if any(_against(reading[0], verdict, lex) for reading, verdict in judged):
        return None
    found = [(reading, verdict) for reading, verdict in judged if verdict.kind == "approves"]
    if len({(verdict.word, verdict.name, verdict.thing) for _, verdict in found}) != 1:
        return None
    return found[0][0]


def _against(text: str, verdict: Verdict, lex: Lexicon) -> bool:
    unlike = has_phrase(tokens(text), lex.sound_alikes)
    return unlike or verdict.voids or verdict.kind == "refuses" or verdict.reason not in _HARMLESS
