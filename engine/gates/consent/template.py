"""Forms of an utterance as data: ``a (b|c) [d] {slot} <part>``, matched whole against tokens. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_LEX = re.compile(r"\{\w+\}|<\w+>|[()\[\]|]|[^\s()\[\]|{}<>]+")
_DEEPEST = 8  # parts inside parts

Binding = tuple[str, str]  # slot, value


@dataclass(frozen=True, slots=True)
class Literal:
    """One token."""

    token: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A hole that the caller fills: it says which run of tokens fits, and what they mean."""

    name: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """One after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any one."""

    options: tuple["Node", ...]


Node = Literal | Slot | AllOf | OneOf
Fill = Callable[[str, Sequence[str]], Iterator[tuple[int, str]]]  # slot, rest of tokens -> (tokens taken, value)


def parse(form: str, parts: Mapping[str, str], depth: int = 0) -> Node:
    """Compile a form; raises ValueError with the form where it is malformed."""
    if depth > _DEEPEST:
        raise ValueError(f"parts refer to each other too deeply in {form!r}")
    lexed = _LEX.findall(form)
    node, rest = _choice(lexed, parts, depth)
    if rest:
        raise ValueError(f"unexpected {rest[0]!r} in {form!r}")
    return node


def matches(node: Node, words: Sequence[str], fill: Fill) -> set[tuple[Binding, ...]]:
    """Every way in which the whole of ``words`` has this form, as the bindings of its slots."""
    return {bound for taken, bound in _match(node, words, fill) if taken == len(words)}


def _choice(lexed: list[str], parts: Mapping[str, str], depth: int) -> tuple[Node, list[str]]:
    options: list[Node] = []
    while True:
        option, lexed = _sequence(lexed, parts, depth)
        options.append(option)
        if not lexed or lexed[0] != "|":
            return (options[0] if len(options) == 1 else OneOf(tuple(options))), lexed
        lexed = lexed[1:]


def _sequence(lexed: list[str], parts: Mapping[str, str], depth: int) -> tuple[Node, list[str]]:
    found: list[Node] = []
    while lexed and lexed[0] not in {"|", ")", "]"}:
        node, lexed = _one(lexed, parts, depth)
        found.append(node)
    return AllOf(tuple(found)), lexed


def _one(lexed: list[str], parts: Mapping[str, str], depth: int) -> tuple[Node, list[str]]:
    head, rest = lexed[0], lexed[1:]
    if head in {"(", "["}:
        inner, rest = _choice(rest, parts, depth)
        if not rest or rest[0] != {"(": ")", "[": "]"}[head]:
            raise ValueError(f"{head!r} is not closed")
        return (OneOf((inner, AllOf(()))) if head == "[" else inner), rest[1:]
    if head.startswith("{"):
        return Slot(head[1:-1]), rest
    if head.startswith("<"):
        if head[1:-1] not in parts:
            raise ValueError(f"there is no part {head}")
        return parse(parts[head[1:-1]], parts, depth + 1), rest
    return Literal(head), rest


def _match(node: Node, words: Sequence[str], fill: Fill) -> Iterator[tuple[int, tuple[Binding, ...]]]:
    match node:
        case Literal(token):
            if words and words[0] == token:
                yield 1, ()
        case Slot(name):
            for taken, value in fill(name, words):
                yield taken, ((name, value),)
        case OneOf(options):
            for option in options:
                yield from _match(option, words, fill)
        case AllOf(parts):
            yield from _in_turn(parts, words, fill)


def _in_turn(parts: tuple[Node, ...], words: Sequence[str], fill: Fill) -> Iterator[tuple[int, tuple[Binding, ...]]]:
    if not parts:
        yield 0, ()
        return
    for taken, bound in _match(parts[0], words, fill):
        for more, further in _in_turn(parts[1:], words[taken:], fill):
            yield taken + more, bound + further
