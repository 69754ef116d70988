"""Sentence templates (hassil's language) compiled into a word automaton: states joined by words and lists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    RuleReference,
    TextChunk,
)
from hassil.parse_expression import parse_sentence

from engine.domain.errors import ConduitError
from voice.understand.fold import fold, words

_MAX_DEPTH = 24  # of rules inside rules
_BLANK = ("", "")  # the label of a blank between words


class GrammarError(ConduitError):
    """A sentence file that cannot be used: which file, which line of it, what is wrong."""

    status = 400


@dataclass(frozen=True, slots=True)
class WordArc:
    """Goes on to ``to`` over one folded word."""

    word: str
    to: int


@dataclass(frozen=True, slots=True)
class ListArc:
    """Goes on to ``to`` over a value of the list ``name``, which fills ``slot``."""

    name: str
    slot: str
    to: int


@dataclass(frozen=True, slots=True)
class Ending:
    """What a finished sentence means: the intent, and slots that the sentence itself fixes."""

    intent: str
    slots: tuple[tuple[str, object], ...] = ()


@dataclass(slots=True)
class Automaton:
    """States are numbers; state 0 is the start."""

    words: list[dict[str, tuple[int, ...]]] = field(default_factory=lambda: [{}])
    lists: list[list[ListArc]] = field(default_factory=lambda: [[]])
    endings: dict[int, tuple[Ending, ...]] = field(default_factory=dict)
    surface: dict[str, str] = field(default_factory=dict)  # how a folded word is written

    def new_state(self) -> int:
        self.words.append({})
        self.lists.append([])
        return len(self.words) - 1

    def join(self, state: int, word: str, to: int) -> None:
        """Let ``word`` lead from ``state`` to ``to``."""
        known = self.words[state].get(word, ())
        if to not in known:
            self.words[state][word] = (*known, to)

    def end(self, state: int, ending: Ending) -> None:
        """Let a sentence be whole at ``state``."""
        known = self.endings.get(state, ())
        if ending not in known:
            self.endings[state] = (*known, ending)


@dataclass(slots=True)
class _Fragments:
    """The template as written: arcs over pieces of text ('' costs nothing, ' ' ends a word) and lists."""

    arcs: list[list[tuple[str | ListReference, int]]] = field(default_factory=lambda: [[]])

    def new(self) -> int:
        self.arcs.append([])
        return len(self.arcs) - 1

    def add(self, start: int, label: str | ListReference, end: int | None = None) -> int:
        target = self.new() if end is None else end
        self.arcs[start].append((label, target))
        return target


def add_sentence(automaton: Automaton, template: str, rules: Mapping[str, str], ending: Ending) -> None:
    """Compile ``template`` into ``automaton``; sentences share beginnings."""
    fragments = _Fragments()
    final = _build(fragments, parse_sentence(template).expression, 0, rules, 0)
    _Weaver(automaton, fragments, final, ending).weave()


def _build(out: _Fragments, node: Expression, at: int, rules: Mapping[str, str], depth: int) -> int:
    """Add ``node`` behind state ``at``; returns the state behind it."""
    if depth > _MAX_DEPTH:
        raise GrammarError(f"Its rules name each other without end; look at {rules and ', '.join(sorted(rules))}.")
    if isinstance(node, TextChunk):
        return _text(out, node.original_text, at)
    if isinstance(node, ListReference):
        return out.add(at, node)
    if isinstance(node, RuleReference):
        if node.rule_name not in rules:
            raise GrammarError(f"It names the rule <{node.rule_name}>, which is not among its expansion_rules.")
        return _build(out, parse_sentence(rules[node.rule_name]).expression, at, rules, depth + 1)
    if isinstance(node, Permutation):
        return _permutation(out, node, at, rules, depth)
    if isinstance(node, Alternative):
        end = out.new()
        for item in node.items:
            out.add(_build(out, item, at, rules, depth + 1), "", end)
        return end
    assert isinstance(node, Group)
    for item in node.items:
        at = _build(out, item, at, rules, depth + 1)
    return at


def _permutation(out: _Fragments, node: Permutation, at: int, rules: Mapping[str, str], depth: int) -> int:
    if not node.items:
        return at
    end = out.new()
    for item, rest in node.iterate_permutations():
        behind = _build(out, item, at, rules, depth + 1)
        out.add(_permutation(out, rest, behind, rules, depth + 1), "", end)
    return end


def _text(out: _Fragments, text: str, at: int) -> int:
    pieces = text.split(" ")
    for index, piece in enumerate(pieces):
        if index:
            at = out.add(at, " ")
        if piece:
            at = out.add(at, piece)
    return at


@dataclass(slots=True)
class _Weaver:
    """Joins pieces between blanks into words, so that ``light[s] on`` and ``turn(ed|s)`` mean what they say."""

    automaton: Automaton
    fragments: _Fragments
    final: int
    ending: Ending
    states: dict[int, int] = field(default_factory=lambda: {0: 0})  # fragment state -> automaton state

    def weave(self) -> None:
        todo, done = [0], {0}
        while todo:
            at = todo.pop()
            for text, label, target in set(self._words_from(at, "")):
                self._join(at, text, label, target)
                if target not in done and target != self.final:
                    done.add(target)
                    todo.append(target)
        self.automaton.end(self._state(self.final), self.ending)

    def _state(self, fragment: int) -> int:
        if fragment not in self.states:
            self.states[fragment] = self.automaton.new_state()
        return self.states[fragment]

    def _join(self, at: int, text: str, label: tuple[str, str] | None, target: int) -> None:
        state, spoken = self._state(at), words(text)
        for written in text.split():
            self.automaton.surface.setdefault(fold(written), written)
        if label is None and not spoken:
            if at != 0:  # a sentence of no words means nothing
                self.automaton.end(state, self.ending)
            return
        for index, word in enumerate(spoken):
            ends_here = index == len(spoken) - 1 and label in (None, _BLANK)
            behind = self._state(target) if ends_here else self.automaton.new_state()
            self.automaton.join(state, word, behind)
            state = behind
        if label not in (None, _BLANK):
            assert label is not None
            self.automaton.lists[state].append(ListArc(label[0], label[1], self._state(target)))
        if label is None:
            self.automaton.end(state, self.ending)

    def _words_from(self, at: int, text: str) -> Iterator[tuple[str, tuple[str, str] | None, int]]:
        """Ways on from ``at`` to the next blank, list or end: (letters, list and slot, state behind).

        The label of a blank is a pair of nothing, that of the end None.
        """
        if at == self.final:
            yield text, None, at
        for label, target in self.fragments.arcs[at]:
            if isinstance(label, ListReference):
                yield text, (label.list_name, label.slot_name), target
            elif label != " ":
                yield from self._words_from(target, text + label)
            elif words(text):
                yield text, _BLANK, target
            else:
                yield from self._words_from(target, "")
