"""The one-time word, checked on the sound: how likely each word of the list, and each refusal, makes what was said.

The recogniser spells an unusual word as it likes; asked instead how probable the same sentence is with each word in its
place, it picks the right one. The recogniser is given no prompt here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from voice.frames import Samples
from voice.listen.transcribe import Recogniser

_LEADS: Sequence[str] = ("I approve, {}.", "Approve the gate, {}.", "Approve it, {}.")


def score_words(recogniser: Recogniser, speech: Samples, said: str, words: Iterable[str]) -> Mapping[str, float]:
    """Log-probability (natural, of the whole sentence) for each of ``words``, refusals among them.

    ``said`` is the transcript: what stands before its last words is kept as the frame of the sentence, so that only the
    word is compared. Blocking, about 15 ms a word.
    """
    wanted = list(dict.fromkeys(words))
    frame = _frame(said, wanted)
    texts = {word: frame.format(word) for word in wanted}
    scores = recogniser.word_scores(speech, list(texts.values()))
    return {word: scores[text] for word, text in texts.items()}


def _frame(said: str, words: Sequence[str]) -> str:
    """The sentence that was said with a gap where the word stands."""
    plain = said.strip().rstrip(".!?").replace("{", "").replace("}", "")
    folded = plain.lower()
    for word in words:
        if found := re.search(rf"\b{re.escape(word.lower())}\b", folded):
            return f"{plain[: found.start()]}{{}}{plain[found.end() :]}."
    head, comma, _ = plain.rpartition(",")
    if comma and head:
        return f"{head}, {{}}."
    return _LEADS[0]
