"""Recognition by Whisper on CTranslate2, int8 on the CPU: sound of up to 30 s to a ranked list of readings.

Speech comes cut to what voice activity found, with 0.4 s around it, and is put into a context of 1000 mel frames
(10 s): that takes a third of the time of the whole context and gives the same words. A bad result is tried again in
the whole one.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.domain.errors import Unavailable
from voice import models
from voice.frames import NOTHING, PADDING, RATE, Hypothesis, Samples, Transcript
from voice.listen.prompt import check_examples, encode_prompt
from voice.listen.repeats import compression_ratio, repeats, without_repeat

SHORT_FRAMES = 1000
WHOLE_FRAMES = 3000
SHORT_SPEECH = 8.0
"""Longest speech, in seconds, that goes into the short context."""
HOP = 160
_LONGEST = 30 * RATE
_MAX_TOKENS = 120
_MAX_TOKENS_WHOLE = 220
_BAD_LOGPROB = -1.0
_BAD_COMPRESSION = 2.4


class Recogniser(Protocol):
    """Turns sound into words; blocking, one call at a time."""

    def transcribe(self, speech: Samples, examples: Sequence[str] = (), beam: int = 5) -> Transcript:
        """Readings of ``speech`` (``Utterance.speech``), best first, biased by example sentences."""
        ...

    def word_scores(self, speech: Samples, texts: Sequence[str]) -> Mapping[str, float]:
        """Log-probability of each whole text given the sound."""
        ...


@dataclass(frozen=True)
class _Try:
    hypotheses: tuple[Hypothesis, ...]
    no_speech_prob: float
    compression: float

    @property
    def bad(self) -> bool:
        """Whether the whole context should have a try."""
        best = self.hypotheses[0] if self.hypotheses else None
        return (
            best is None
            or not best.confidence
            or best.avg_logprob < _BAD_LOGPROB
            or self.compression > _BAD_COMPRESSION
        )


class WhisperRecogniser:
    """Faster-whisper's model, driven below its pipeline; thread safe by a lock, for words come one turn at a time."""

    def __init__(self, model: Any, name: str, language: str = "en") -> None:
        from faster_whisper.tokenizer import Tokenizer

        self.name = name
        self._model = model
        several = model.model.is_multilingual
        if not several and language != "en":
            raise Unavailable(
                f"The model {name} understands English only; set voice.model in config/settings.yaml to base."
            )
        self._tokens = Tokenizer(
            model.hf_tokenizer, several, task="transcribe" if several else None, language=language if several else None
        )
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        name: str = "tiny.en",
        settings: Mapping[str, str] | None = None,
        threads: int = 2,
        language: str = "en",
    ) -> "WhisperRecogniser":
        """Load by name in the manifest or by folder; half a second. Unavailable when it can't be had, or not for it."""
        from faster_whisper import WhisperModel

        folder: Path = models.find(name, settings)
        try:
            model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)
        except (RuntimeError, ValueError, OSError) as error:
            raise Unavailable(f"The recogniser could not load the model in {folder}: {error}.") from error
        return cls(model, name, language)

    def warm_up(self) -> None:
        """Recognise half a second of faint noise, so that the first turn is as fast as the others."""
        noise = np.random.default_rng(0).normal(0, 0.01, RATE // 2).astype(np.float32)
        with self._lock:
            self._attempt(self._encode(noise, SHORT_FRAMES, {}), (), 1, _MAX_TOKENS, {})

    def transcribe(self, speech: Samples, examples: Sequence[str] = (), beam: int = 5) -> Transcript:
        """See :class:`Recogniser`; ``timings_ms`` has ``encode`` and ``decode``; over 30 s the rest is left out."""
        check_examples(examples)
        if not len(speech):
            return NOTHING
        speech = speech[:_LONGEST]
        timings: dict[str, float] = {}
        with self._lock:
            best = self._best(speech, examples, beam, timings)
        return Transcript(
            best.hypotheses, best.no_speech_prob, best.compression, len(speech) / RATE, timings_ms=timings
        )

    def word_scores(self, speech: Samples, texts: Sequence[str]) -> dict[str, float]:
        """Natural logarithm of the probability of all tokens of each text, by teacher forcing on the same sound."""
        if not len(speech):
            return dict.fromkeys(texts, float("-inf"))
        speech = speech[:_LONGEST]
        with self._lock:
            encoded = self._encode(speech, _context(speech), {})
            return {text: self._score(encoded, text, len(speech)) for text in texts}

    def _best(self, speech: Samples, examples: Sequence[str], beam: int, timings: dict[str, float]) -> _Try:
        frames = _context(speech)
        first = self._attempt(self._encode(speech, frames, timings), examples, beam, _MAX_TOKENS, timings)
        if not first.bad:
            return first
        # A loop fed by the prompt repeats in any context, so the second try goes without one.
        again = self._attempt(self._encode(speech, WHOLE_FRAMES, timings), (), 5, _MAX_TOKENS_WHOLE, timings)
        return max(first, again, key=lambda one: one.hypotheses[0].confidence if one.hypotheses else -1.0)

    def _encode(self, speech: Samples, frames: int, timings: dict[str, float]) -> Any:
        begun = time.perf_counter()
        padded = np.zeros(frames * HOP, dtype=np.float32)
        padded[: len(speech)] = speech[: len(padded)]
        encoded = self._model.encode(self._model.feature_extractor(padded, padding=0))
        timings["encode"] = timings.get("encode", 0.0) + _since(begun)
        return encoded

    def _attempt(
        self, encoded: Any, examples: Sequence[str], beam: int, tokens: int, timings: dict[str, float]
    ) -> _Try:
        begun = time.perf_counter()
        prompt = self._prompt(examples)
        result = self._model.model.generate(
            encoded,
            [prompt],
            beam_size=beam,
            num_hypotheses=beam,
            max_length=min(448, len(prompt) + tokens),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        timings["decode"] = timings.get("decode", 0.0) + _since(begun)
        found = [self._hypothesis(ids, score) for ids, score in zip(result.sequences_ids, result.scores, strict=True)]
        ratio = compression_ratio(found[0].text) if found else 0.0
        return _Try(_distinct(found), float(result.no_speech_prob), ratio)

    def _prompt(self, examples: Sequence[str]) -> list[int]:
        earlier = encode_prompt(examples, self._tokens.encode)
        start = [*self._tokens.sot_sequence, self._tokens.no_timestamps]
        return [self._tokens.sot_prev, *earlier, *start] if earlier else start

    def _hypothesis(self, ids: list[int], score: float) -> Hypothesis:
        text = self._tokens.decode(ids).strip()
        mean = score * len(ids) / (len(ids) + 1)  # the score leaves the end mark out of the count
        once = without_repeat(text)
        loops = repeats(once)
        return Hypothesis(once, mean, 0.0 if loops else float(np.exp(min(0.0, mean))))

    def _score(self, encoded: Any, text: str, length: int) -> float:
        tokens = self._tokens.encode(" " + text.strip())
        result = self._model.model.align(encoded, self._tokens.sot_sequence, [tokens], max(1, length // HOP))[0]
        return float(np.sum(np.log(np.maximum(result.text_token_probs, 1e-12))))


def _context(speech: Samples) -> int:
    return SHORT_FRAMES if len(speech) <= (SHORT_SPEECH + 2 * PADDING) * RATE else WHOLE_FRAMES


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000.0


def _distinct(found: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Those with a text of their own that do not loop, best first; if all loop, the first alone."""
    kept: dict[str, Hypothesis] = {}
    for one in sorted(found, key=lambda one: -one.avg_logprob):
        if one.confidence:
            kept.setdefault(one.text, one)
    return tuple(kept.values()) or tuple(found[:1])
