"""The message queue of one session: in order, at most once by message id, and on disk before anything is typed."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from engine.domain.errors import NotFound, Unavailable
from engine.ports.clock import Clock, stamp
from engine.storage.files import locked, read_json, write_json

MessageState = Literal["queued", "delivering", "delivered", "in_doubt", "cancelled"]
IN_DOUBT = "message.in_doubt"  # the journal's line on a message that may have been typed
KEPT = 200  # delivered messages that stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to an agent. ``in_doubt``: the engine died while typing it; it is never typed again by itself."""

    id: str
    text: str
    sender: str
    via: str
    queued_at: str
    state: MessageState = "queued"
    delivered_at: str | None = None


_ADAPTER: TypeAdapter[Message] = TypeAdapter(Message)
_KEYS = {to_camel(name): name for name in Message.__dataclass_fields__}
Raw = dict[str, Any]
T = TypeVar("T")


class Messages:
    """``messages.json``: what waits in ``queued``, what is over in ``delivered`` (the latest 200)."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def enqueue(self, message_id: str, text: str, *, sender: str, via: str) -> Message:
        """Add a message at the end. The same id again gives the first one back: it is never sent a second time."""
        fresh = Message(id=message_id, text=text, sender=sender, via=via, queued_at=stamp(self._clock))

        def add(raw: Raw) -> Message:
            for present in _all(raw):
                if present.id == message_id:
                    return present
            raw["queued"].append(_dump(fresh))
            return fresh

        return self._change(add)

    def take(self) -> Message | None:
        """Mark the oldest waiting message as being typed, and return it. None while one is, or when none waits."""

        def begin(raw: Raw) -> Message | None:
            head = _load(raw["queued"][0]) if raw["queued"] else None
            if head is None or head.state != "queued":
                return None
            taken = replace(head, state="delivering")
            raw["queued"][0] |= _dump(taken)
            return taken

        return self._change(begin) if self.queued() else None

    def put_back(self, message_id: str) -> None:
        """It was not typed after all: it waits again, in its old place."""

        def back(raw: Raw) -> None:
            place, message = _find(raw, message_id)
            raw["queued"][place] |= _dump(replace(message, state="queued"))

        self._change(back)

    def mark_delivered(self, message_id: str) -> Message:
        """Raises NotFound when it does not wait (any more)."""
        return self._change(lambda raw: self._end(raw, message_id, "delivered"))

    def mark_in_doubt(self, message_id: str) -> Message:
        """Typing it failed half way: it may have arrived. It is never typed again, and what waits behind it goes on."""
        return self._change(lambda raw: self._end(raw, message_id, "in_doubt"))

    def cancel(self, message_id: str) -> bool:
        """True when it was still waiting and now never will be sent."""

        def drop(raw: Raw) -> bool:
            waiting = [m for m in map(_load, raw["queued"]) if m.id == message_id and m.state == "queued"]
            if waiting:
                self._end(raw, message_id, "cancelled")
            return bool(waiting)

        return self._change(drop) if self.get(message_id) else False

    def settle(self) -> list[Message]:
        """At the start of a life: what was being typed when the last one ended may have arrived: ``in_doubt``."""

        def doubt(raw: Raw) -> list[Message]:
            cut_off = [m.id for m in map(_load, raw["queued"]) if m.state == "delivering"]
            return [self._end(raw, message_id, "in_doubt") for message_id in cut_off]

        if not any(message.state == "delivering" for message in self.queued()):
            return []
        return self._change(doubt)

    def queued(self) -> list[Message]:
        """What waits, or is being typed, oldest first."""
        return [_load(entry) for entry in self._read()["queued"]]

    def delivered(self) -> list[Message]:
        """The latest that are over (delivered, cancelled, in doubt), oldest first."""
        return [_load(entry) for entry in self._read()["delivered"]]

    def get(self, message_id: str) -> Message | None:
        return next((message for message in _all(self._read()) if message.id == message_id), None)

    def _end(self, raw: Raw, message_id: str, state: MessageState) -> Message:
        place, message = _find(raw, message_id)
        entry = raw["queued"].pop(place)
        over = replace(message, state=state, delivered_at=stamp(self._clock) if state == "delivered" else None)
        raw["delivered"] = [*raw["delivered"], entry | _dump(over)][-KEPT:]
        return over

    def _read(self) -> Raw:
        try:
            raw = read_json(self._path).value
        except FileNotFoundError:
            if not self._path.parent.is_dir():
                raise NotFound(f"The session of {self._path} is gone.") from None
            raw = {}
        return {**raw, "queued": list(raw.get("queued", [])), "delivered": list(raw.get("delivered", []))}

    def _change(self, fn: Callable[[Raw], T]) -> T:
        with locked(self._path):
            raw = self._read()
            before = _copy(raw)
            result = fn(raw)
            if raw != before:
                write_json(self._path, raw)
        return result


def _copy(raw: Raw) -> Raw:
    return {**raw, "queued": [dict(e) for e in raw["queued"]], "delivered": list(raw["delivered"])}


def _all(raw: Raw) -> list[Message]:
    return [_load(entry) for entry in (*raw["queued"], *raw["delivered"])]


def _find(raw: Raw, message_id: str) -> tuple[int, Message]:
    for place, message in enumerate(map(_load, raw["queued"])):
        if message.id == message_id:
            return place, message
    raise NotFound(f"Message {message_id} does not wait (any more).")


def _dump(message: Message) -> Raw:
    return {to_camel(name): value for name, value in asdict(message).items() if value is not None}


def _load(entry: Raw) -> Message:
    defaults = {"sender": "", "via": "web", "queued_at": ""}
    try:
        return _ADAPTER.validate_python(defaults | {_KEYS[key]: value for key, value in entry.items() if key in _KEYS})
    except (ValidationError, AttributeError) as fault:
        raise Unavailable(f"A stored message can't be read: {fault}.") from fault
