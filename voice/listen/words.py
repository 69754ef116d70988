"""The one-time word, checked on the sound: how likely each word of the list, and each refusal, makes what was said.

The recogniser spells an unusual word as it likes; asked instead how probable the same sentence is with each word in its
place, it picks the right one. The recogniser is given no prompt here. Figures: docs/decisions/words-on-the-sound.md.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from voice.frames import Samples
from voice.listen.transcribe import Recogniser

_APPROVAL = "I approve, {}."
_AGAINST: Sequence[str] = ("I don't approve, {}.", "I disapprove, {}.", "Don't approve, {}.", "I can't approve, {}.")
LEAD = 3.0
"""Natural-log lead over every other word, refusal and negation that a re-reading needs."""
FIT = 8.5
"""How much less likely (natural log) than the free reading a re-reading may be."""


@dataclass(frozen=True)
class WordHeard:
    """``text`` is what was said as the sound has it; ``scores`` are for the engine, which decides."""

    text: str
    confidence: float
    scores: Mapping[str, float]
    read_again: bool = False
    """The free reading had another spelling; the sound says it was the approval with a word of the list."""


def score_words(recogniser: Recogniser, speech: Samples, said: str, words: Iterable[str]) -> Mapping[str, float]:
    """Log-probability (natural, of the whole sentence) for each of ``words``, refusals among them.

    ``said`` is the transcript: what stands before its last words is kept as the frame of the sentence, so that only the
    word is compared. Blocking, about 15 ms a word.
    """
    wanted = list(dict.fromkeys(words))
    return _scores(recogniser, speech, _frame(said, wanted), wanted)


def hear_word(
    recogniser: Recogniser, speech: Samples, said: str, confidence: float, words: Sequence[str], refusals: Sequence[str]
) -> WordHeard:
    """Text, confidence and scores for an utterance that may be an approval with a one-time word; blocking, about 0.4 s.

    A free reading that holds one of ``words``, or a refusal, is left as it is. Otherwise the sound is read again as "I
    approve, <word>.": that reading stands only if its word leads all others and all refusals and negations by ``LEAD``,
    and is at most ``FIT`` less likely than the free reading.
    """
    wanted = list(dict.fromkeys([*words, *refusals]))
    frame = _frame(said, wanted)
    scores = _scores(recogniser, speech, frame, wanted)
    if frame != _APPROVAL or _holds(said, wanted):
        return WordHeard(said, confidence, scores)
    best = max(scores, key=lambda word: scores[word])
    against = [form.format(best) for form in _AGAINST]
    rivals = recogniser.word_scores(speech, [*against, said])
    others = max(*(score for word, score in scores.items() if word != best), *(rivals[text] for text in against))
    if best not in words or scores[best] - others < LEAD or scores[best] < rivals[said] - FIT:
        return WordHeard(said, confidence, scores)
    text = _APPROVAL.format(best)
    pieces = len(re.findall(r"[\w']+|[.,]", text))  # at most as many as tokens, so the mean is not flattered
    return WordHeard(text, math.exp(min(0.0, scores[best] / pieces)), scores, read_again=True)


def _scores(recogniser: Recogniser, speech: Samples, frame: str, words: Sequence[str]) -> Mapping[str, float]:
    texts = {word: frame.format(word) for word in words}
    scores = recogniser.word_scores(speech, list(texts.values()))
    return {word: scores[text] for word, text in texts.items()}


def _holds(said: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word.lower())}\b", said.lower()) for word in words)


def _frame(said: str, words: Sequence[str]) -> str:
    """The sentence that was said with a gap where the word stands; the plain approval when no word is in it."""
    plain = said.strip().rstrip(".!?").replace("{", "").replace("}", "")
    for word in words:
        if found := re.search(rf"\b{re.escape(word)}\b", plain, re.IGNORECASE):
            return f"{plain[: found.start()]}{{}}{plain[found.end() :]}."
    return _APPROVAL
