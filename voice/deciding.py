"""Words that decide, of every language at once: a recogniser that is told of them would hear them too easily."""

from functools import cache

from engine.gates.consent.lexicon import languages, lexicon
from engine.gates.consent.tokens import has_phrase, tokens

Phrase = tuple[str, ...]


@cache
def deciding_words() -> frozenset[Phrase]:
    """From the files of consent."""
    return frozenset(phrase for code in languages() for phrase in lexicon(code).unprompted)


def deciding_word(text: str) -> str | None:
    """A word or phrase in ``text`` that decides, or None."""
    spoken = tokens(text)
    found = [phrase for phrase in deciding_words() if has_phrase(spoken, (phrase,))]
    return " ".join(min(found)) if found else None
