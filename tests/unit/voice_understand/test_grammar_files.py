"""Sentence files as data: users' own beside ours, other grammars instead of ours, faults in one sentence."""

from pathlib import Path

import pytest

from voice.understand.automaton import GrammarError
from voice.understand.grammar import desk, load
from voice.understand.intents import Intent, Understanding
from voice.understand.numbers import NumberWords
from voice.understand.prompt import desk_examples, grammar_examples, tokens_of

NAMES = {"agents": ["backend"], "projects": ["Apollo"]}


def _file(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(text, "utf-8")
    return path


def test_users_own_sentences_mean_our_intents(tmp_path: Path) -> None:
    _file(
        tmp_path,
        'language: en\nintents:\n  agent.tell:\n    data:\n      - sentences: ["ship it"]\n'
        "        slots: {agent: backend, text: deploy to staging}\n",
    )
    own = Understanding.of(desk("en", tmp_path), NAMES)
    assert own.understand_text("Ship it!") == Intent(
        "agent.tell", {"agent": "backend", "text": "deploy to staging"}, 1.0
    )
    assert own.understand_text("what is waiting") == Intent("gate.list", {}, 1.0)


def test_grammar_of_word_parts_permutations_rules_and_ranges(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        'language: en\nnumbers: {cardinals: {five: 5}}\nexpansion_rules: {lamp: "[the] (light[s]|lamp)"}\n'
        'lists: {color: {values: [red, {in: "(navy|dark) blue", out: blue}]}}\n'
        'intents: {Light: {data: [{sentences: ["(turn|switch)[ed] on <lamp>[ in {color}]", '
        '"({color};[very] bright) <lamp>", "dim to {1..9:level}"]}]}}\n',
    )
    other = Understanding.of(load(path), {})
    for said, slots in (
        ("turn on the lights in navy blue", {"color": "blue"}),
        ("switched on lamp", {}),
        ("bright red light", {"color": "red"}),
        ("red very bright lamp", {"color": "red"}),
        ("dim to five", {"level": 5}),
    ):
        understood = other.understand_text(said)
        assert isinstance(understood, Intent), said
        assert (understood.name, understood.slots) == ("Light", slots)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("intents: [", "no YAML"),
        ("language: en\n", "no 'intents'"),
        ("intents: {A: {data: [{sentences: ['a <b>']}]}}", "<b>"),
        ("intents: {A: {data: [{sentences: ['a {b}']}]}}", "{b}"),
        ("intents: {A: {data: [{sentences: ['a (b']}]}}", "a (b"),
        ("intents: {A: {data: [{}]}}", "sentences"),
    ],
)
def test_broken_sentence_file_is_refused_in_one_sentence_that_names_it(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(GrammarError) as refused:
        load(_file(tmp_path, text))
    assert words in str(refused.value)


def test_missing_file_and_unknown_language_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match=r"missing\.yaml"):
        load(tmp_path / "missing.yaml")
    with pytest.raises(GrammarError, match="en"):
        desk("xx")


def test_prompt_covers_the_live_names_fits_and_holds_no_word_of_consent() -> None:
    names = {"agents": ["backend", "kube-proxy", "PaymentService", "approve"], "projects": ["Apollo", "Ledger API"]}
    examples = desk_examples(names, desk().prompt)
    text = " ".join(examples)
    for name in ("backend", "kube-proxy", "Payment Service", "Apollo", "Ledger API"):
        assert name in text
    assert "approve" not in text.lower()
    assert tokens_of(text) <= 223 + len(examples)


def test_prompt_of_any_grammar_says_every_value_of_its_lists(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "intents: {Order: {data: [{sentences: ['(give me|i want) [a] [{size}] {drink}']}]}}\n"
        "lists: {size: {values: [small, large]}, drink: {values: [tea, coffee, iced water]}}\n",
    )
    text = " ".join(grammar_examples(Understanding.of(load(path), {}))).lower()
    for value in ("small", "large", "tea", "coffee", "iced water", "give me", "i want"):
        assert value in text


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("twelve", 12),
        ("twenty five", 25),
        ("one hundred and two", 102),
        ("one oh two", 102),
        ("two thousand and five", 2005),
        ("three hundred", 300),
        ("second", 2),
        ("2nd", 2),
        ("42", 42),
        ("five twenty", None),
        ("twenty twenty", None),
        ("hello", None),
        ("", None),
    ],
)
def test_number_words_are_numbers(said: str, number: int | None) -> None:
    numbers: NumberWords = desk().numbers
    assert numbers.number(said.split()) == number
