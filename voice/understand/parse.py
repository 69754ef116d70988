"""Tolerant parsing: the ways in which words fit the automaton, with what each misfit costs (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from voice.understand.automaton import Automaton
from voice.understand.lists import Heard, Match, SlotList, Value, Wildcard
from voice.understand.sounds_like import distance

_BEAM = 2.0  # partial parses that cost this much more than the best at their place are given up


@dataclass(frozen=True, slots=True)
class Costs:
    """What misfits cost. ``cap`` ends a parse; ``near`` is the distance up to which words may stand for each other."""

    cap: float = 1.0
    insert: float = 1.0
    insert_small: float = 0.4
    leave_out: float = 1.0
    leave_out_small: float = 0.4
    near: float = 0.45
    fillers: frozenset[str] = frozenset()  # cost nothing
    small: frozenset[str] = frozenset()  # words of little meaning
    fixed: frozenset[str] = frozenset()  # negations: never skipped, left out or taken for another


@dataclass(frozen=True, slots=True)
class Parse:
    """One reading of the words. ``edits`` is the part of ``cost`` that comes from words skipped, missing or changed."""

    intent: str
    slots: Mapping[str, Value]
    cost: float
    edits: float
    unsure: frozenset[str] = frozenset()  # slots whose value was only near


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the words lead without any misfit: a whole sentence, whether free text ends it, whether more may come."""

    whole: bool
    ends_free: bool
    more: bool


_Slots = tuple[tuple[str, Value], ...]


class _Key(NamedTuple):
    state: int
    slots: _Slots = ()
    unsure: frozenset[str] = frozenset()
    free: bool = False  # the last thing matched was the user's own words


@dataclass(slots=True)
class Parser:
    """Walks one utterance through one automaton."""

    automaton: Automaton
    lists: Mapping[str, SlotList]
    costs: Costs
    _found: dict[tuple[str, int], tuple[Match, ...]] = field(default_factory=dict)
    _chart: list[dict[_Key, tuple[float, float]]] = field(default_factory=list)

    def run(self, heard: Heard, *, edits: bool) -> None:
        """Fill the chart; ``edits`` allows misfits up to the cap."""
        self._found = {}
        self._chart = [{} for _ in range(len(heard.tokens) + 1)]
        self._chart[0][_Key(0)] = (0.0, 0.0)
        for at in range(len(heard.tokens) + 1):
            if edits:
                self._leave_out(at)
            self._prune(at)
            if at < len(heard.tokens):
                for key, cost in self._chart[at].items():
                    self._advance(heard, at, key, cost, edits)

    def parses(self) -> list[Parse]:
        """Whole readings, cheapest first, one for each meaning."""
        best: dict[tuple[str, _Slots], Parse] = {}
        for key, (cost, edits) in self._chart[-1].items():
            for ending in self.automaton.endings.get(key.state, ()):
                slots = dict(key.slots) | {k: v for k, v in ending.slots if isinstance(v, str | int)}
                meaning = (ending.intent, tuple(sorted(slots.items())))
                if meaning not in best or cost < best[meaning].cost:
                    best[meaning] = Parse(ending.intent, slots, cost, edits, key.unsure)
        return sorted(best.values(), key=lambda parse: parse.cost)

    def named(self) -> dict[str, Value]:
        """The slots that the words filled so far, by the cheapest way."""
        alive = sorted(self._chart[-1].items(), key=lambda item: (item[1][0], -len(item[0].slots)))
        return dict(alive[0][0].slots) if alive else {}

    def progress(self) -> Progress:
        """How far the last run (without edits) led."""
        alive = self._chart[-1]
        whole = [key for key in alive if key.state in self.automaton.endings]
        more = any(key.state and (self.automaton.words[key.state] or self.automaton.lists[key.state]) for key in alive)
        return Progress(bool(whole), bool(whole) and all(key.free for key in whole), more)

    def _put(self, at: int, key: _Key, cost: float, edits: float) -> None:
        known = self._chart[at].get(key)
        if cost <= self.costs.cap + 0.6 and (known is None or cost < known[0]):
            self._chart[at][key] = (cost, edits)

    def _prune(self, at: int) -> None:
        chart = self._chart[at]
        if chart:
            limit = min(cost for cost, _ in chart.values()) + _BEAM
            self._chart[at] = {k: c for k, c in chart.items() if c[0] <= limit and c[1] <= self.costs.cap}

    def _advance(self, heard: Heard, at: int, key: _Key, cost: tuple[float, float], edits: bool) -> None:
        word = heard.tokens[at].word
        total, edited = cost
        for to in self.automaton.words[key.state].get(word, ()):
            self._put(at + 1, _Key(to, key.slots, key.unsure), total, edited)
        for arc in self.automaton.lists[key.state]:
            for match in self._matches(heard, arc.name, at):
                unsure = key.unsure | {arc.slot} if match.unsure else key.unsure
                free = isinstance(self.lists.get(arc.name), Wildcard)
                slots = (*key.slots, (arc.slot, match.value))
                self._put(match.end, _Key(arc.to, slots, unsure, free), total + match.cost, edited)
        if word in self.costs.fillers and not key.free:
            self._put(at + 1, key, total, edited)
        if edits and word not in self.costs.fixed:
            self._misfit(at, key, word, total, edited)

    def _misfit(self, at: int, key: _Key, word: str, total: float, edited: float) -> None:
        skip = self.costs.insert_small if word in self.costs.small else self.costs.insert
        self._put(at + 1, key, total + skip, edited + skip)
        for other, targets in self.automaton.words[key.state].items():
            if other == word or other in self.costs.fixed:
                continue
            gap = distance(word, other)
            if gap <= self.costs.near:
                for to in targets:
                    self._put(at + 1, _Key(to, key.slots, key.unsure), total + 2 * gap, edited + 2 * gap)

    def _leave_out(self, at: int) -> None:
        """Go on over words of a sentence that were not said."""
        todo = list(self._chart[at].items())
        while todo:
            key, (total, edited) = todo.pop()
            for word, targets in self.automaton.words[key.state].items():
                if word in self.costs.fixed:
                    continue
                price = self.costs.leave_out_small if word in self.costs.small else self.costs.leave_out
                if edited + price > self.costs.cap:
                    continue
                for to in targets:
                    further = _Key(to, key.slots, key.unsure)
                    known = self._chart[at].get(further)
                    if known is None or total + price < known[0]:
                        self._chart[at][further] = (total + price, edited + price)
                        todo.append((further, (total + price, edited + price)))

    def _matches(self, heard: Heard, name: str, at: int) -> tuple[Match, ...]:
        found = self._found.get((name, at))
        if found is None:
            slot_list = self.lists.get(name)
            found = tuple(slot_list.matches(heard, at)) if slot_list else ()
            self._found[(name, at)] = found
        return found
