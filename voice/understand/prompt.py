"""Example sentences for the recogniser: they cover the live names and the words of commands, never one of consent."""

from collections.abc import Iterable, Mapping, Sequence

from voice.understand.automaton import Automaton
from voice.understand.fold import split_camel, words
from voice.understand.intents import Understanding

_MOST_TOKENS = 223
_MOST_SENTENCES = 40
_LONGEST = 24  # words of one generated sentence
_CONSENT = frozenset(
    words(
        "approve approved approves approving approval accept accepts accepted allow allowed permit confirm confirmed "
        "grant granted agree agreed authorise authorize yes yeah yep reject rejected deny denied refuse refused decline"
    )
)


def tokens_of(text: str) -> int:
    """How many tokens Whisper needs at most for ``text``; a careful guess without its tables."""
    return sum(1 + len(word) // 4 for word in text.split()) + sum(not (c.isalnum() or c.isspace()) for c in text)


def desk_examples(names: Mapping[str, Sequence[str]], templates: Sequence[str]) -> list[str]:
    """``templates`` filled with the live names in turn, every name once before any comes twice."""
    spoken = {
        "agent": [_spoken(name) for name in names.get("agents", ())] or ["backend"],
        "project": [_spoken(name) for name in names.get("projects", ())] or ["the project"],
    }
    longest = max(len(spoken["agent"]), len(spoken["project"]), len(templates))
    found: list[str] = []
    for index in range(min(longest, _MOST_SENTENCES)):
        template = templates[index % len(templates)]
        found.append(template.format(**{kind: listed[index % len(listed)] for kind, listed in spoken.items()}))
    return fitting(found)


def _spoken(name: str) -> str:
    """A name as a recogniser should write it."""
    return split_camel(name)


def fitting(sentences: Iterable[str]) -> list[str]:
    """As many sentences as fit, those with a word of consent left out."""
    kept: list[str] = []
    room = _MOST_TOKENS
    for sentence in sentences:
        cost = tokens_of(sentence)
        if cost <= room and _CONSENT.isdisjoint(words(sentence)):
            kept.append(sentence)
            room -= cost
    return kept


def grammar_examples(understanding: Understanding) -> list[str]:
    """Sentences of any grammar, chosen so that together they say every word and value as early as they can."""
    walker = _Walker(understanding)
    found: list[str] = []
    for _ in range(_MOST_SENTENCES):
        sentence, fresh = walker.sentence()
        if not fresh:
            break
        found.append(sentence[:1].upper() + sentence[1:] + ".")
    return fitting(found)


class _Walker:
    """Walks the automaton along what was not said yet."""

    def __init__(self, understanding: Understanding) -> None:
        self._automaton: Automaton = understanding.grammar.automaton
        self._examples = {name: list(entry.examples()) for name, entry in understanding.lists.items()}
        self._said: dict[tuple[int, str], int] = {}
        self._values: dict[str, int] = {}
        self._distance = _distances(self._automaton)

    def sentence(self) -> tuple[str, bool]:
        """A sentence, and whether it says anything new."""
        said: list[str] = []
        state, fresh = 0, False
        while len(said) < _LONGEST:
            if state in self._automaton.endings and not self._worthwhile(state, len(said)):
                break
            way = self._choose(state)
            if way is None:
                break
            text, state, new = way
            fresh = fresh or new
            said.append(text)
        return " ".join(said), fresh

    def _ways(self, state: int) -> list[tuple[int, str, str, int]]:
        """(times used, kind, label, next state) of every way on."""
        ways = [
            (self._said.get((state, word), 0), "", word, to)
            for word, targets in self._automaton.words[state].items()
            for to in targets
        ]
        for arc in self._automaton.lists[state]:
            values = self._examples.get(arc.name, ())
            ways.extend((self._values.get(value, 0), arc.name, value, arc.to) for value in values)
        return ways

    def _worthwhile(self, state: int, length: int) -> bool:
        return length < _LONGEST // 2 and any(not used for used, *_ in self._ways(state))

    def _choose(self, state: int) -> tuple[str, int, bool] | None:
        ways = self._ways(state)
        if not ways:
            return None
        used, kind, label, to = min(ways, key=lambda way: (way[0], not way[1], self._distance[way[3]]))
        self._said[(state, label)] = self._said.get((state, label), 0) + 1
        if kind:
            self._values[label] = self._values.get(label, 0) + 1
        return label, to, not used


def _distances(automaton: Automaton) -> list[int]:
    """Steps from each state to the nearest end."""
    far = 10_000
    found = [0 if state in automaton.endings else far for state in range(len(automaton.words))]
    changed = True
    while changed:
        changed = False
        for state in range(len(found) - 1, -1, -1):
            ways = [to for targets in automaton.words[state].values() for to in targets]
            ways += [arc.to for arc in automaton.lists[state]]
            best = min((found[to] + 1 for to in ways), default=far)
            if best < found[state]:
                found[state], changed = best, True
    return found
