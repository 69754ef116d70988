"""Sentence files (hassil's language) to a grammar, and a grammar with the live names to something that understands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError
from hassil.sample import sample_expression

from voice.understand.automaton import Automaton, Ending, GrammarError, add_sentence
from voice.understand.dictation import Vocabulary, vocabulary
from voice.understand.fold import fold
from voice.understand.lists import (
    AnyName,
    Names,
    NumberRange,
    Phrases,
    SessionNumbers,
    SlotList,
    Wildcard,
    name,
    phrase,
)
from voice.understand.numbers import NumberWords
from voice.understand.parse import Costs

SENTENCES = Path(__file__).parent / "sentences"
_LIVING = ("agents", "projects")
_MOST_VALUES = 2000  # of one list, after its templates are written out


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences of one intent, and the slots that they fix."""

    intent: str
    sentences: tuple[str, ...]
    slots: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language's sentences as data; ``lists`` are those of the file, those of kind "names" still empty."""

    language: str
    groups: tuple[SentenceGroup, ...]
    rules: Mapping[str, str]
    lists: Mapping[str, Mapping[str, Any]]
    numbers: NumberWords
    symbols: Mapping[str, str]
    costs: Costs
    per_word: float
    ask_margin: float  # how readily two near meanings are asked about; 0: the nearer one is taken
    exact: frozenset[str]
    approving: frozenset[str]
    doubts: frozenset[str]
    dangling: frozenset[str]
    prompt: tuple[str, ...] = ()
    dictation: Vocabulary = field(default_factory=Vocabulary)
    automaton: Automaton = field(default_factory=Automaton)

    def slot_lists(self, live: Mapping[str, Sequence[str]]) -> dict[str, SlotList]:
        """The lists filled: ``live`` gives the names by kind ("agents", "projects", "words")."""
        return {key: self._list(key, spec, live) for key, spec in self.lists.items()}

    def unnamed(self) -> dict[str, SlotList]:
        """Lists that take any words where a live name would stand."""
        common = self.costs.small | self.costs.fixed | self.costs.fillers | self.dangling
        return {key: AnyName(common) for key, spec in self.lists.items() if spec.get("names") in _LIVING}

    def _list(self, key: str, spec: Mapping[str, Any], live: Mapping[str, Sequence[str]]) -> SlotList:
        if spec.get("wildcard"):
            return Wildcard(self.dangling)
        if "range" in spec:
            return NumberRange(int(spec["range"]["from"]), int(spec["range"]["to"]))
        if "sessions" in spec:
            return SessionNumbers(frozenset(fold(str(word)) for word in spec["sessions"]))
        if "names" in spec:
            entries = dict.fromkeys((*live.get(str(spec["names"]), ()), *spec.get("values", ())))
            return Names(tuple(name(entry, self.numbers, self.symbols) for entry in entries))
        return Phrases(tuple(_phrases(key, spec.get("values", ()))))


def _phrases(key: str, values: Iterable[Any]) -> Iterable[tuple[str, str | int]]:
    count = 0
    for value in values:
        spoken, meaning = (str(value["in"]), value.get("out")) if isinstance(value, Mapping) else (str(value), None)
        for text in sample_expression(parse_sentence(spoken).expression):
            plain = " ".join(str(text).split())
            count += 1
            if count > _MOST_VALUES:
                raise GrammarError(f"The list {key} has more than {_MOST_VALUES} values; use fewer alternatives in it.")
            yield phrase(plain, plain if meaning is None else meaning)


def load(*paths: Path) -> Grammar:
    """Read sentence files as one grammar; the first gives the language, later ones add sentences, lists and rules."""
    merged: dict[str, Any] = {}
    for path in paths:
        _merge(merged, _read(path))
    try:
        return _grammar(merged)
    except (ParseError, TypeError, ValueError, KeyError, AttributeError) as error:
        files = ", ".join(str(path) for path in paths)
        raise GrammarError(
            f"The sentences in {files} can't be used: {error!r}. See hassil's template language."
        ) from error


def desk(language: str = "en", own: Path | None = None) -> Grammar:
    """The product's sentences of ``language`` with the user's own from the folder ``own`` (``*.yaml``)."""
    shipped = SENTENCES / f"{language}.yaml"
    if not shipped.is_file():
        known = ", ".join(sorted(path.stem for path in SENTENCES.glob("*.yaml")))
        raise GrammarError(f"There are no sentences for the language {language!r}; there are: {known}.")
    added = sorted(own.glob("*.yaml")) if own is not None and own.is_dir() else []
    return load(shipped, *added)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # a safe loader
    except OSError as error:
        raise GrammarError(f"The sentence file {path} can't be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise GrammarError(f"The sentence file {path} is no YAML: {error}.") from error
    if not isinstance(content, dict) or not isinstance(content.get("intents"), dict):
        raise GrammarError(f"The sentence file {path} has no 'intents'; it needs a table of intents with sentences.")
    return content


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        known = into.get(key)
        if isinstance(known, dict) and isinstance(value, Mapping):
            _merge(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            into[key] = [*known, *value]
        elif known is None or key != "language":
            into[key] = value


def _grammar(data: Mapping[str, Any]) -> Grammar:
    guards = data.get("guards", {})
    settings = data.get("settings", {})
    numbers = _numbers(data.get("numbers", {}))
    grammar = Grammar(
        language=str(data.get("language", "en")),
        groups=tuple(_groups(data["intents"])),
        rules={key: str(rule) for key, rule in data.get("expansion_rules", {}).items()},
        lists=data.get("lists", {}),
        numbers=numbers,
        symbols=data.get("symbols", {}),
        costs=_costs(settings, data),
        per_word=float(settings.get("per_word", 0.35)),
        ask_margin=float(settings.get("ask_margin", 1.0)),
        exact=frozenset(data.get("exact_intents", ())),
        approving=frozenset(data.get("approving_intents", ())),
        doubts=_folded((*guards.get("doubts", ()), *guards.get("negations", ()))),
        prompt=tuple(str(sentence) for sentence in data.get("prompt", ())),
        dangling=_folded(guards.get("dangling", ())),
        dictation=vocabulary(data.get("dictation", {}), numbers),
    )
    for group in grammar.groups:
        for sentence in group.sentences:
            _add(grammar, group, sentence)
    return replace(grammar, lists={**_inline_lists(grammar), **grammar.lists})


def _add(grammar: Grammar, group: SentenceGroup, sentence: str) -> None:
    try:
        add_sentence(grammar.automaton, sentence, grammar.rules, Ending(group.intent, group.slots))
    except (ParseError, GrammarError) as error:
        raise GrammarError(f"The sentence {sentence!r} of {group.intent} can't be used: {error}") from error


def _inline_lists(grammar: Grammar) -> dict[str, Mapping[str, Any]]:
    """Lists that sentences name without a file defining them: ``{1..9:count}`` as ranges; others are faults."""
    found: dict[str, Mapping[str, Any]] = {}
    for arcs in grammar.automaton.lists:
        for arc in arcs:
            first, dots, last = arc.name.partition("..")
            if dots:
                found[arc.name] = {"range": {"from": int(first), "to": int(last.partition(",")[0])}}
            elif arc.name not in grammar.lists:
                raise GrammarError(f"A sentence uses the list {{{arc.name}}}, which is not among its lists.")
    return found


def _groups(intents: Mapping[str, Any]) -> Iterable[SentenceGroup]:
    for intent, body in intents.items():
        for data in body["data"]:
            slots = tuple(dict(data.get("slots", {})).items())
            yield SentenceGroup(str(intent), tuple(str(sentence) for sentence in data["sentences"]), slots)


def _numbers(data: Mapping[str, Any]) -> NumberWords:
    return NumberWords(
        cardinals={fold(word): int(value) for word, value in data.get("cardinals", {}).items()},
        multipliers={fold(word): int(value) for word, value in data.get("multipliers", {}).items()},
        ordinals={fold(word): int(value) for word, value in data.get("ordinals", {}).items()},
        joiners=frozenset(fold(word) for word in data.get("joiners", ())),
        zeros=frozenset(fold(word) for word in data.get("zeros", ())),
        suffixes=tuple(fold(word) for word in data.get("suffixes", ())),
    )


def _costs(settings: Mapping[str, Any], data: Mapping[str, Any]) -> Costs:
    base = Costs()
    return Costs(
        cap=float(settings.get("cap", 4.0)),
        insert=float(settings.get("insert", base.insert)),
        leave_out=float(settings.get("leave_out", base.leave_out)),
        near=float(settings.get("near", base.near)),
        fillers=_folded(data.get("skip_words", ())),
        small=_folded(data.get("small_words", ())),
        fixed=_folded(data.get("guards", {}).get("negations", ())),
    )


def _folded(listed: Iterable[object]) -> frozenset[str]:
    return frozenset(fold(str(word)) for word in listed)
