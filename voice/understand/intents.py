"""Which intent was meant: n-best transcripts against the grammar with its live names (pure)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from voice.understand.dictation import written
from voice.understand.fold import tokens, words
from voice.understand.grammar import Grammar
from voice.understand.lists import Heard, SlotList, Value
from voice.understand.parse import Costs, Parse, Parser, Progress

Completeness = Literal["complete", "open", "dangling"]

_TOO_CLOSE = 0.05  # two meanings of one transcript
_TOO_CLOSE_BETWEEN = 0.12  # two meanings of two transcripts
_WEIGHT = 2.0  # of a unit of mean log-probability, in the parse's costs
_FREE = frozenset(("text", "reason"))  # slots that hold the user's own words
_READINGS = 5  # hypotheses looked at
_ONE_LINE = frozenset(("gate.answer",))  # a new line could be taken for the key that ends an answer


class Reading(Protocol):
    """One transcript of the n-best list, as the recogniser gives it."""

    @property
    def text(self) -> str: ...
    @property
    def avg_logprob(self) -> float: ...
    @property
    def confidence(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text as a transcript that is sure of itself."""

    text: str
    avg_logprob: float = 0.0
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Intent:
    """What the user wants; ``confidence`` from 0 to 1."""

    name: str
    slots: Mapping[str, Value]
    confidence: float

    @property
    def in_own_words(self) -> bool:
        """Whether part of it is what the user dictated: any words, of any number."""
        return not _FREE.isdisjoint(self.slots)


@dataclass(frozen=True, slots=True)
class AskWhich:
    """Several meanings are as likely, or a name was only near: ask, never guess."""

    candidates: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The words are the beginning of a command ("tell backend to"); ``slots`` is what they named already."""

    slots: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A command that names something which does not live; ``slot`` says what kind it would be."""

    slot: str
    said: str


Understood = Intent | AskWhich | Unfinished | UnknownName | None


@dataclass(frozen=True, slots=True)
class _Scored:
    parse: Parse
    score: float
    rank: int  # of the transcript; 0 is the best
    confidence: float


@dataclass(frozen=True, slots=True)
class Understanding:
    """A grammar with the names that live now."""

    grammar: Grammar
    lists: Mapping[str, SlotList]

    @classmethod
    def of(cls, grammar: Grammar, live: Mapping[str, Sequence[str]]) -> "Understanding":
        """``live``: names by kind: "agents", "projects"."""
        return cls(grammar, grammar.slot_lists(live))

    def understand(self, readings: Sequence[Reading]) -> Understood:
        """The meaning of an utterance; best transcript first."""
        considered = self._considered(readings[:_READINGS])
        if not considered:
            return None
        scored = self._score(considered, edits=False) or self._score(considered, edits=True)
        scored = self._guarded(scored, considered)
        if not scored:
            return self._unfinished(considered[0]) or self._unknown(considered[0])
        return self._decide(scored)

    def understand_text(self, text: str) -> Understood:
        """The meaning of a typed line."""
        return self.understand((Text(text),))

    def completeness(self, text: str) -> Completeness:
        """How finished ``text`` is: a whole command, one that may go on, or one that must."""
        progress = self._progress(text)[1]
        ending = words(text)[-1:]
        if progress.whole and progress.ends_free and not self.grammar.dangling.isdisjoint(ending):
            return "dangling"
        if progress.whole:
            return "open" if progress.ends_free else "complete"
        return "dangling" if progress.more else "open"

    def _considered(self, readings: Sequence[Reading]) -> list[Reading]:
        """Readings with words; those that lost a denying word of the best one are disregarded."""
        spoken = [reading for reading in readings if words(reading.text)]
        denied = self._denials(spoken[0].text) if spoken else frozenset()
        return [reading for reading in spoken if denied <= self._denials(reading.text)]

    def _denials(self, text: str) -> frozenset[str]:
        return self.grammar.costs.fixed & frozenset(words(text))

    def _score(self, readings: Sequence[Reading], *, edits: bool) -> list[_Scored]:
        best = readings[0].avg_logprob
        found = []
        for rank, reading in enumerate(readings):
            for parse in self._parses(reading.text, edits=edits):
                score = parse.cost + _WEIGHT * max(0.0, best - reading.avg_logprob)
                found.append(_Scored(parse, score, rank, reading.confidence))
        return sorted(found, key=lambda scored: (scored.score, scored.rank))

    def _parses(self, text: str, *, edits: bool) -> list[Parse]:
        heard = Heard(text, tokens(text), self.grammar.numbers)
        parser = Parser(self.grammar.automaton, self.lists, self._costs(len(heard.tokens), edits))
        parser.run(heard, edits=edits)
        return [parse for parse in parser.parses() if not (parse.edits and parse.intent in self.grammar.exact)]

    def _costs(self, count: int, edits: bool) -> Costs:
        costs = self.grammar.costs
        return replace(costs, cap=min(costs.cap, count * self.grammar.per_word) if edits else 0.0)

    def _guarded(self, scored: list[_Scored], readings: Sequence[Reading]) -> list[_Scored]:
        """Approvals only from the best transcript, with no doubt in any: one negation outweighs them all."""
        doubted = any(self._doubtful(reading.text) for reading in readings)
        return [s for s in scored if s.parse.intent not in self.grammar.approving or (s.rank == 0 and not doubted)]

    def _doubtful(self, text: str) -> bool:
        return "?" in text or any(c in text for c in '"“”«»') or not self.grammar.doubts.isdisjoint(words(text))

    def _decide(self, scored: Sequence[_Scored]) -> Intent | AskWhich:
        first = scored[0]
        if first.parse.unsure:
            return AskWhich(self._distinct([s for s in scored if s.score - first.score < 0.3 and s.parse.unsure]))
        rivals = [s for s in scored[1:] if self._rivals(first, s)]
        return AskWhich(self._distinct([first, *rivals])) if rivals else self._intent(first)

    def _intent(self, scored: _Scored) -> Intent:
        confidence = min(1.0, scored.confidence) * math.exp(-scored.score)
        slots = _public(scored.parse.slots)
        if "text" in slots:  # what is sent is what is read back: signs are written before either
            lines = scored.parse.intent not in _ONE_LINE
            slots["text"] = written(str(slots["text"]), self.grammar.dictation, lines=lines)
        return Intent(scored.parse.intent, slots, round(confidence, 3))

    def _distinct(self, scored: Sequence[_Scored]) -> tuple[Intent, ...]:
        kept: dict[object, Intent] = {}
        for one in scored:
            kept.setdefault(_fixed(_meaning(one)), self._intent(one))
        return tuple(kept.values())[:6]

    def _rivals(self, first: _Scored, other: _Scored) -> bool:
        if other.parse.unsure or _meaning(first) == _meaning(other) or self._free(first) or self._free(other):
            return False
        margin = _TOO_CLOSE if other.rank == first.rank else _TOO_CLOSE_BETWEEN
        if first.rank == 0 and other.rank and not first.parse.edits and first.parse.cost < _TOO_CLOSE:
            return False  # the best transcript fits as it stands
        if first.parse.intent == other.parse.intent and other.parse.slots.items() <= first.parse.slots.items():
            return False  # the same, with less of it heard
        return other.score - first.score < margin * self.grammar.ask_margin

    def _free(self, scored: _Scored) -> bool:
        """Whether part of the meaning is the user's own words: then the cheaper reading stands."""
        return not _FREE.isdisjoint(scored.parse.slots)

    def _progress(self, text: str) -> tuple[Parser, Progress]:
        heard = Heard(text, tokens(text), self.grammar.numbers)
        parser = Parser(self.grammar.automaton, self.lists, self._costs(len(heard.tokens), edits=False))
        parser.run(heard, edits=False)
        return parser, parser.progress()

    def _unknown(self, reading: Reading) -> UnknownName | None:
        heard = Heard(reading.text, tokens(reading.text), self.grammar.numbers)
        unnamed = self.grammar.unnamed()
        parser = Parser(self.grammar.automaton, {**self.lists, **unnamed}, self._costs(len(heard.tokens), edits=False))
        parser.run(heard, edits=False)
        for parse in parser.parses():
            for slot in parse.slots:
                if slot in unnamed and parse.intent in self.grammar.exact - self.grammar.approving:
                    return UnknownName(slot, str(parse.slots[slot]))
        return None

    def _unfinished(self, reading: Reading) -> Unfinished | None:
        parser, progress = self._progress(reading.text)
        if progress.whole or not progress.more:
            return None
        return Unfinished(_public(parser.named()))


def _fixed(meaning: tuple[str, tuple[tuple[str, Value], ...]]) -> tuple[str, tuple[tuple[str, Value], ...]]:
    """A meaning without the user's own words."""
    return meaning[0], tuple((slot, value) for slot, value in meaning[1] if slot not in _FREE)


def _meaning(scored: _Scored) -> tuple[str, tuple[tuple[str, Value], ...]]:
    return scored.parse.intent, tuple(sorted(_public(scored.parse.slots).items()))


def _public(slots: Mapping[str, Value]) -> dict[str, Value]:
    return {slot: value for slot, value in slots.items() if not slot.startswith("_")}
