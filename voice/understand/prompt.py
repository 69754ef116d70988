"""Example sentences for the recogniser: they cover the live names and the words of commands, never one of consent."""

from collections.abc import Iterable, Mapping, Sequence

from voice.deciding import deciding_word
from voice.understand.automaton import Automaton
from voice.understand.fold import split_camel, words
from voice.understand.intents import Understanding

_MOST_TOKENS = 223
_MOST_SENTENCES = 40
_LONGEST = 24  # words of one generated sentence


def tokens_of(text: str) -> int:
    """How many tokens Whisper needs at most for ``text``; a careful guess without its tables."""
    return sum(1 + len(word) // 4 for word in text.split()) + sum(not (c.isalnum() or c.isspace()) for c in text)


def desk_examples(names: Mapping[str, Sequence[str]], templates: Sequence[str]) -> list[str]:
    """``templates`` filled with the live names in turn, every name once before any comes twice."""
    spoken = {
        "agent": [_spoken(name) for name in names.get("agents", ())] or ["backend"],
        "project": [_spoken(name) for name in names.get("projects", ())] or ["the project"],
    }
    used = dict.fromkeys(spoken, 0)
    found: list[str] = []
    for index in range(len(templates) + 2 * _MOST_SENTENCES):
        template = templates[index % len(templates)]
        slots = [kind for kind in spoken if f"{{{kind}}}" in template]
        again = index >= len(templates)  # then only for names that were not said yet
        if again and not any(used[kind] < len(spoken[kind]) for kind in slots):
            continue
        found.append(template.format(**{kind: spoken[kind][used[kind] % len(spoken[kind])] for kind in slots}))
        used.update({kind: used[kind] + 1 for kind in slots})
    return fitting(found[:_MOST_SENTENCES])


def _spoken(name: str) -> str:
    """A name as a recogniser should write it."""
    return split_camel(name)


def fitting(sentences: Iterable[str]) -> list[str]:
    """As many sentences as fit, those with a word of consent left out."""
    kept: list[str] = []
    room = _MOST_TOKENS
    for sentence in sentences:
        cost = tokens_of(sentence)
        if cost <= room and deciding_word(sentence) is None:
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
    """Walks the automaton towards words that were not said yet."""

    def __init__(self, understanding: Understanding) -> None:
        self._automaton: Automaton = understanding.grammar.automaton
        examples = {name: tuple(entry.examples()) for name, entry in understanding.lists.items()}
        self._ways = [_ways(self._automaton, state, examples) for state in range(len(self._automaton.words))]
        self._ahead = _reachable(self._ways)
        self._said: set[str] = set()
        self._used: dict[tuple[int, str], int] = {}

    def sentence(self) -> tuple[str, bool]:
        """A sentence, and whether it says anything new."""
        said: list[str] = []
        state, fresh = 0, False
        while len(said) < _LONGEST:
            if state in self._automaton.endings and not self._ahead[state] - self._said:
                break
            if not self._ways[state]:
                break
            label, to = max(self._ways[state], key=lambda way: self._worth(state, *way))
            self._used[(state, label)] = self._used.get((state, label), 0) + 1
            fresh = fresh or not self._said.issuperset(words(label))
            self._said.update(words(label))
            said.append(label)
            state = to
        return " ".join(said), fresh

    def _worth(self, state: int, label: str, to: int) -> tuple[int, int, int]:
        fresh = len(set(words(label)) - self._said)
        return min(fresh, 1), len(self._ahead[to] - self._said), -self._used.get((state, label), 0)


def _ways(automaton: Automaton, state: int, examples: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """(words, next state) of every way on."""
    found = [
        (automaton.surface.get(word, word), to) for word, targets in automaton.words[state].items() for to in targets
    ]
    for arc in automaton.lists[state]:
        found.extend((value, arc.to) for value in examples.get(arc.name, ()))
    return found


def _reachable(ways: Sequence[Sequence[tuple[str, int]]]) -> list[frozenset[str]]:
    """The words that can still be said from each state on."""
    found: list[frozenset[str]] = [frozenset() for _ in ways]
    changed = True
    while changed:
        changed = False
        for state in range(len(ways) - 1, -1, -1):
            ahead = frozenset().union(*(found[to].union(words(label)) for label, to in ways[state]))
            if ahead != found[state]:
                found[state], changed = ahead, True
    return found
