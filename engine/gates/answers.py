"""Which reply a decision sends, found by the kind and label of the prompt's own choices. Pure."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace

from engine.domain.errors import BadRequest, Unavailable
from engine.domain.gates import Choice, ChoiceKind, Decision, Gate, Keys, Question, Reply, Structured

LONGEST_TEXT = 20_000  # characters of a person's own answer
ESCAPE = Keys(("\x1b",))


@dataclass(frozen=True, slots=True)
class Delivery:
    """What goes to the agent: ``reply`` now, ``message`` once the question is gone."""

    reply: Reply
    label: str  # the choice that it picks, for people
    message: str | None = None


def delivery(gate: Gate, decision: Decision, text: str | None, stop_message: str | None = None) -> Delivery:
    """The delivery of ``decision``; raises BadRequest where the gate has no such answer."""
    if decision == "approve":
        return _approval(gate)
    if decision == "reject":
        return _rejection(gate, clean(text) if text and clean(text) else stop_message)
    return _own_text(gate, _required(gate, text))


def clean(text: str) -> str:
    """Own text as it may be typed: no control, format or surrogate characters; line breaks become spaces."""
    kept = (" " if char in "\r\n\t\v\f\x85\u2028\u2029" else char for char in text)
    return "".join(char for char in kept if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co"}).strip()


def question_of(gate: Gate) -> Question:
    """The question that the runtime compares with its screen before it writes."""
    return Question(**{part.name: getattr(gate, part.name) for part in fields(Question)})


def is_stricter(seen: Gate, gate: Gate) -> bool:
    """Whether what is seen now asks for more care than what was shown, although it is the same command."""
    return (
        (seen.tier == "harmful" and gate.tier != "harmful")
        or (seen.screen_only is not None and gate.screen_only is None)
        or (gate.speakable and not seen.speakable)
    )


def strictest(seen: Gate, gate: Gate) -> Gate:
    """What is seen now, with no less care than before."""
    return replace(
        seen,
        tier="harmful" if "harmful" in {seen.tier, gate.tier} else seen.tier,
        screen_only=seen.screen_only or gate.screen_only,
        speakable=seen.speakable and gate.speakable,
    )


def takes_a_line(gate: Gate) -> bool:
    """Whether the prompt reads a line and Enter, so that own text is an answer rather than keys of a menu."""
    return all(_is_line(choice.reply) for choice in gate.choices)


def picks_choice(
    gate: Gate, text: str, *, words: Collection[str], leads: Collection[str], numbers: Mapping[str, str]
) -> bool:
    """Whether spoken text would be read by a prompt as one of its choices: a label, key, number or yes-word."""
    said = text.casefold().replace("'", "").replace("’", "")
    found = re.findall(r"[^\W_]+", said)
    while found and found[0] in leads:
        found = found[1:]
    if not found:
        return True
    labels = {tuple(re.findall(r"[^\W_]+", choice.label.casefold())) for choice in gate.choices}
    picked = tuple(found) in labels or found[0] in words or found[0] in numbers or found[0].isdigit()
    return picked or said.strip().startswith(_letters(gate))


def _letters(gate: Gate) -> tuple[str, ...]:
    """The keys of the choices; many programs look at the first letter of a line only."""
    replies = [choice.reply for choice in gate.choices]
    firsts = [reply.writes[0].casefold() for reply in replies if isinstance(reply, Keys) and reply.writes]
    return tuple(first for first in firsts if first.strip())


def _approval(gate: Gate) -> Delivery:
    found = _of_kind(gate, "approve")
    if not found:
        raise BadRequest(f"Gate {gate.id} has no answer that approves it; answer it with your own text, or reject it.")
    if len({choice.reply for choice in found}) > 1:
        labels = ", ".join(choice.label for choice in found)
        raise BadRequest(f"Gate {gate.id} has several answers that approve it ({labels}); pick one at its terminal.")
    return Delivery(found[0].reply, found[0].label)


def _rejection(gate: Gate, message: str | None) -> Delivery:
    found = _of_kind(gate, "reject")
    if not found and gate.handle is not None:
        raise Unavailable(f"Gate {gate.id} offers no way to say no; stop the agent to reject it.")
    if not found:
        return Delivery(ESCAPE, "Escape", message)
    return _with_message(found[0], message)


def _own_text(gate: Gate, text: str) -> Delivery:
    if gate.handle is None and takes_a_line(gate):
        return Delivery(Keys((text, "\r")), "own text")
    # Letters typed into a menu would pick entries: say the prompt's own No, then tell the agent.
    return _rejection(gate, text)


def _with_message(choice: Choice, message: str | None) -> Delivery:
    if isinstance(choice.reply, Structured):
        return Delivery(replace(choice.reply, message=message or choice.reply.message), choice.label)
    return Delivery(choice.reply, choice.label, message)


def _required(gate: Gate, text: str | None) -> str:
    cleaned = clean(text or "")
    if not cleaned:
        raise BadRequest(f"An own answer to gate {gate.id} needs text in customInput; control characters don't count.")
    if len(cleaned) > LONGEST_TEXT:
        raise BadRequest(f"The answer to gate {gate.id} is over {LONGEST_TEXT} characters; put it in a file instead.")
    return cleaned


def _of_kind(gate: Gate, kind: ChoiceKind) -> list[Choice]:
    return [choice for choice in gate.choices if choice.kind == kind]


def _is_line(reply: Reply) -> bool:
    if not isinstance(reply, Keys):
        return False
    return len(reply.writes) == 2 and reply.writes[0].isprintable() and reply.writes[1] in {"\r", "\n"}
