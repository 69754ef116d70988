"""Domain values as camelCase JSON objects and back; what a file holds beyond them is kept."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import Unavailable
from engine.domain.gates import Choice, Edit, Effect, Gate, Keys, KillHeld, Proceed, Reply, Structured
from engine.domain.plans import Plan
from engine.domain.projects import Agent, Project
from engine.domain.runs import Run

Raw = dict[str, Any]
Record = Project | Agent | Plan | Gate | ChatEntry | AuditLine | Run
T = TypeVar("T", Project, Agent, Plan, Gate, ChatEntry, AuditLine, Run)

# What a gate from a folder of another version may lack. It is harmful until someone knows better.
_GATE_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "agent_id": "",
        "project_id": "",
        "run_id": "",
        "prompt": "",
        "command": None,
        "choices": (),
        "source": "regex",
        "tier": "harmful",
        "fingerprint": "",
        "raised_at": "1970-01-01T00:00:00.000Z",
    }
)


_CLASSES: tuple[type[Any], ...] = (Project, Agent, Plan, Gate, ChatEntry, AuditLine, Run, Choice)
_KEYS: Mapping[type[Any], Mapping[str, str]] = {c: {to_camel(f.name): f.name for f in fields(c)} for c in _CLASSES}
_ADAPTERS: Mapping[type[Any], TypeAdapter[Any]] = {c: TypeAdapter(c) for c in _CLASSES}


def known_keys(cls: type[Any]) -> Mapping[str, str]:
    """Names on disk to names in the dataclass."""
    return _KEYS[cls]


def to_dict(value: Record) -> Raw:
    """The object as it stands on disk: camelCase, absent instead of null, replies tagged with their type."""
    raw: Raw = {}
    for key, name in known_keys(type(value)).items():
        content = getattr(value, name)
        if content is not None:
            raw[key] = _plain(content)
    return raw


def merged(raw: Raw, value: Record) -> Raw:
    """``value`` written over ``raw``: unknown keys stay as they were, in their order."""
    known, new = known_keys(type(value)), to_dict(value)
    kept = {key: new.get(key, content) for key, content in raw.items() if key not in known or key in new}
    return kept | new


def from_dict(cls: type[T], raw: Raw) -> T:
    """The value of a raw object. Raises :class:`Unavailable` that names the field which does not fit."""
    values = {name: raw[key] for key, name in known_keys(cls).items() if key in raw}
    if cls is Gate:
        values = {"command": None, **_gate_values(values)}  # null is absent on disk
    try:
        value: T = _ADAPTERS[cls].validate_python(values)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(to_camel(str(part)) for part in first["loc"])
        raise Unavailable(f"A stored {cls.__name__.lower()} can't be read: {where}: {first['msg']}.") from fault
    return value


def tolerant_gate(raw: Raw, project_id: str, agent_id: str) -> Gate:
    """A gate from whatever another version wrote: fields that are missing or don't fit get their careful default."""
    base = {**_GATE_DEFAULTS, "id": "g-unknown", "project_id": project_id, "agent_id": agent_id}
    found = _gate_values({name: raw[key] for key, name in known_keys(Gate).items() if raw.get(key) is not None})
    try:
        gate: Gate = _ADAPTERS[Gate].validate_python({**base, **found})
    except ValidationError as fault:
        bad = {str(error["loc"][0]) for error in fault.errors()}
        gate = _ADAPTERS[Gate].validate_python({**base, **{n: c for n, c in found.items() if n not in bad}})
    return gate


def _plain(content: object) -> object:
    match content:
        case Choice():
            return {"label": content.label, "kind": content.kind, "reply": reply_to_dict(content.reply)}
        case Effect():
            return {
                "kind": content.kind,
                "targets": list(content.targets),
                "place": content.place,
                "undo": content.undo,
            }
        case Edit():
            return {"path": content.path, "kind": content.kind, "diff": content.diff}
        case tuple():
            return [_plain(part) for part in content]
        case _:
            return content


def reply_to_dict(reply: Reply) -> Raw:
    """A reply with its type: two of the four have no fields of their own."""
    match reply:
        case Keys():
            return {"type": "keys", "writes": list(reply.writes)}
        case Structured(option=option, message=None):
            return {"type": "structured", "option": option}
        case Structured():
            return {"type": "structured", "option": reply.option, "message": reply.message}
        case Proceed():
            return {"type": "proceed"}
        case KillHeld():
            return {"type": "killHeld"}


def reply_from_dict(raw: Raw) -> Reply:
    """Raises ValueError for a type that this version does not know."""
    match raw:
        case {"type": "keys", "writes": list(writes)} if all(isinstance(write, str) for write in writes):
            return Keys(tuple(writes))
        case {"type": "structured", "option": str(option)}:
            message = raw.get("message")
            return Structured(option, message if isinstance(message, str) else None)
        case {"type": "proceed"}:
            return Proceed()
        case {"type": "killHeld"}:
            return KillHeld()
        case _:
            raise ValueError(f"unknown reply {raw.get('type')!r}")


def _gate_values(values: Raw) -> Raw:
    """Choices with their replies made; a choice whose reply is unknown is dropped, since it could not be sent."""
    choices = values.get("choices")
    if not isinstance(choices, list):
        return values
    made = [choice for raw in choices if isinstance(raw, dict) and (choice := _choice(raw)) is not None]
    return {**values, "choices": tuple(made)}


def _choice(raw: Raw) -> Choice | None:
    try:
        if "reply" not in raw and isinstance(raw.get("sends"), str):  # the older shape: label, and what it sends
            return Choice(str(raw.get("label", "")), "other", Keys((raw["sends"],)))
        choice: Choice = _ADAPTERS[Choice].validate_python({**raw, "reply": reply_from_dict(raw["reply"])})
    except (KeyError, ValueError, AttributeError):
        return None
    return choice
