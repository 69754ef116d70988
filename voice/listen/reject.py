"""Honest ears: why a transcript is not taken as the user's words; pure: every fault becomes a line in a test."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.frames import Rejection, Transcript, Utterance
from voice.listen.repeats import words

_INVENTION = re.compile(
    r"""
    thank(s|\ you)?(\ so|\ very)?(\ much)?\ for\ (watching|listening|viewing|your\ (attention|time|support)|joining).*
    | (thank\ you|thanks)(\ (so|very)\ much)?
    | (please\ |don't\ forget\ to\ |like\ and\ )*(subscribe|hit\ the\ bell|smash\ the\ like).*
    | (i'll\ |we'll\ |i\ will\ )?see\ (you|ya)\ (all\ |guys\ )?(in\ the\ next|next\ time|later|soon|again|then).*
    | (bye|goodbye|good\ bye)(\ (bye|everyone|everybody|guys|now))*
    | (sub(titles|titling)|captions?|captioning|transcri(bed|ption)|translat(ed|ion))\ (by|provided).*
    | .*\b(amara\ org|otter\ ai|opensubtitles|www\ )\b.*
    | (the\ end|you|so|oh|uh|um|hmm|mm|ah|music|applause|laughter|silence|beep|blank\ audio|foreign)
    | (music|applause|laughter|sighs?|coughs?|inaudible)(\ \w+)?
    | (we'll\ be|i'll\ be)\ right\ back.*
    | let's\ (get\ started|go\ to\ the\ next)(\ video)?
    | untertitel(ung|n)?(\ (der|des|von|im\ auftrag|aufgrund)\ .*)?
    | (vielen\ |herzlichen\ )?dank(e)?\ (fürs|für\ (das|die|ihre|eure))\ (zuschauen|zusehen|zuhören|aufmerksamkeit).*
    | (tschüss\ und\ )?bis\ (zum|zur|im)\ nächsten\ (mal|video|folge).*
    | copyright\ (wdr|zdf|swr|ndr|br|orf)\b.*
    | .*\ in\ (the|this|my|our)\ next\ (video|episode).*
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Limits:
    """Thresholds: probabilities 0..1, mean log-probabilities, dBFS, seconds; see docs/decisions/honest-ears.md."""

    no_speech: float = 0.75
    no_speech_if_unlikely: float = 0.25
    unlikely_if_no_speech: float = -0.55
    unlikely: float = -0.85
    compression: float = 2.4
    quiet_db: float = -62.0
    speech_seconds: float = 0.12
    words_a_second: float = 8.0


def reason_to_drop(
    transcript: Transcript,
    examples: Sequence[str] = (),
    utterance: Utterance | None = None,
    limits: Limits | None = None,
) -> Rejection | None:
    """Why ``transcript`` must not be acted on, or None; ``examples`` are what it was biased by."""
    allowed = limits or Limits()
    return (
        transcript.rejected
        or _sound(utterance, allowed)
        or _text(transcript, allowed)
        or _probabilities(transcript, allowed)
        or _bias(transcript, examples, allowed)
    )


def judged(transcript: Transcript, examples: Sequence[str] = (), utterance: Utterance | None = None) -> Transcript:
    """The same transcript with its rejection filled in."""
    return replace(transcript, rejected=reason_to_drop(transcript, examples, utterance))


def _sound(utterance: Utterance | None, limits: Limits) -> Rejection | None:
    if utterance is None:
        return None
    if utterance.speech_seconds < limits.speech_seconds:
        return "no_speech"
    return "too_quiet" if utterance.level_db < limits.quiet_db else None


def _text(transcript: Transcript, limits: Limits) -> Rejection | None:
    spoken = words(transcript.text)
    if not spoken:
        return "empty"
    if not transcript.confidence:
        return "repeated"
    if transcript.compression_ratio > limits.compression:
        return "compressible"
    return "invention" if is_invention(transcript.text) else None


def is_invention(text: str) -> bool:
    """Whether ``text`` is one of the things Whisper is known to hear in silence, whatever the spelling."""
    sentences = [" ".join(words(part)) for part in re.split(r"[.!?♪]+(?:\s|$)", text)]
    spoken = [sentence for sentence in sentences if sentence]
    return not spoken or all(_INVENTION.fullmatch(sentence) for sentence in spoken)


def _probabilities(transcript: Transcript, limits: Limits) -> Rejection | None:
    likely = transcript.hypotheses[0].avg_logprob
    if transcript.no_speech_prob > limits.no_speech:
        return "no_speech"
    if transcript.no_speech_prob > limits.no_speech_if_unlikely and likely < limits.unlikely_if_no_speech:
        return "no_speech"
    if transcript.seconds and len(words(transcript.text)) / transcript.seconds > limits.words_a_second:
        return "unlikely"
    return "unlikely" if likely < limits.unlikely else None


def _bias(transcript: Transcript, examples: Sequence[str], limits: Limits) -> Rejection | None:
    """A command is made of the examples' words too, so the bias alone proves nothing without doubt about the speech."""
    told = set(words(" ".join(examples)))
    heard = set(words(transcript.text))
    doubtful = transcript.no_speech_prob > limits.no_speech_if_unlikely
    return "only_bias" if doubtful and heard <= told else None
