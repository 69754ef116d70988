"""What an utterance does to a question: approves, refuses, or neither. Pure, and a whitelist: the whole must fit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.domain.errors import ConsentCondition
from engine.gates.consent.lexicon import Lexicon, lexicon
from engine.gates.consent.names import keys, spoken
from engine.gates.consent.template import Binding, matches
from engine.gates.consent.tokens import has_phrase, tokens

Kind = Literal["approves", "refuses", "neither"]
Thing = Literal["gate", "plan"]
Reason = Literal[
    "explicit",
    "refusal",
    "standing",
    "question",
    "quoted",
    "hedged",
    "third_person",
    "loop",
    "bare_yes",
    "dangling",
    "ambiguous",
    "odd",
    "echo",
    "other",
]

LONGEST_APPROVAL = 16  # tokens; no form of approval is longer, and matching stays cheap
# Marks that plain speech in one breath does not have: a question, a quotation, an aside, code.
_QUESTION = re.compile(r"[?？¿؟\u037e]")
_QUOTES = re.compile(r"[\"“”„«»‹›「」]")
_ODD = re.compile(r"[^\w\s.,!…'’‘`´ʼ_-]")
_CUT = re.compile(r"(\.\.+|…|-|—|–|,)\s*$")  # the recogniser's marks of a sentence that goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was said. ``name`` is a roster key, ``word`` a listed one-time word, ``voids`` takes back an approval."""

    kind: Kind
    reason: Reason
    condition: ConsentCondition | None = None
    name: str | None = None
    thing: Thing | None = None
    word: str | None = None
    voids: bool = False


def classify(text: str, language: str | Lexicon = "en", names: Iterable[str] = ()) -> Verdict:
    """Judge one utterance. ``names`` are those that a speaker may mention (agents, projects, plans)."""
    lex = lexicon(language) if isinstance(language, str) else language
    words = tokens(text)
    objection = _objection(text, words, lex)
    if objection is not None:
        return objection
    found = _approvals(words, lex, names)
    if len(found) == 1:
        return _approval(found.pop())
    if found:
        return Verdict(kind="neither", reason="ambiguous", condition="ambiguous")
    return Verdict(kind="neither", reason=_why_not(words, lex), condition="not_said")


def _objection(text: str, words: Sequence[str], lex: Lexicon) -> Verdict | None:
    """What forbids an approval whatever else was said."""
    if has_phrase(words, lex.standing):
        voids = has_phrase(words, lex.refusals)
        return Verdict(kind="neither", reason="standing", condition="not_said", voids=voids)
    if has_phrase(words, lex.refusals):
        return Verdict(kind="refuses", reason="refusal", condition="negated", voids=True)
    reason = _mark(text)
    if reason is None and _loops(words):
        reason = "loop"
    return Verdict(kind="neither", reason=reason, condition="not_said") if reason else None


def _mark(text: str) -> Reason | None:
    stripped = text.strip()
    if _QUESTION.search(stripped):
        return "question"
    if _QUOTES.search(stripped):
        return "quoted"
    if _CUT.search(stripped):
        return "dangling"
    return "odd" if _ODD.search(stripped) else None


def _loops(words: Sequence[str]) -> bool:
    """Whether a run of one to four tokens repeats at once, as recognisers do on noise."""
    return any(
        tuple(words[at : at + size]) == tuple(words[at + size : at + 2 * size])
        for size in range(1, 5)
        for at in range(len(words) - 2 * size + 1)
    )


def _approvals(words: Sequence[str], lex: Lexicon, names: Iterable[str]) -> set[frozenset[Binding]]:
    if not words or len(words) > LONGEST_APPROVAL:
        return set()
    roster = keys(names, lex.numbers)

    def fill(slot: str, rest: Sequence[str]) -> Iterator[tuple[int, str]]:
        if slot == "name":
            yield from spoken(rest, roster, lex.numbers)
        elif slot == "word":
            for form, word in lex.spellings.items():
                if tuple(rest[: len(form)]) == form:
                    yield len(form), word
        else:
            for form in lex.things[slot]:
                if tuple(rest[: len(form)]) == form:
                    yield len(form), slot

    return {frozenset(bound) for form in lex.approvals for bound in matches(form, words, fill)}


def _approval(bound: frozenset[Binding]) -> Verdict:
    slots = dict(bound)
    thing: Thing | None = "gate" if "gate" in slots else "plan" if "plan" in slots else None
    return Verdict(
        kind="approves", reason="explicit", name=slots.get("name"), thing=thing, word=slots.get("word"), voids=False
    )


def _why_not(words: Sequence[str], lex: Lexicon) -> Reason:
    """The likeliest reason, for the sentence to the user; it changes no decision."""
    lists: tuple[tuple[Reason, tuple[tuple[str, ...], ...]], ...] = (
        ("question", lex.questions),
        ("quoted", lex.quoting),
        ("hedged", lex.hedges),
        ("third_person", lex.third_person),
        ("bare_yes", lex.yes_words),
    )
    for reason, phrases in lists:
        if has_phrase(words, phrases):
            return reason
    return "other"
