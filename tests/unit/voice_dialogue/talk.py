"""A conversation moved by hand: the pure manager, a snapshot, a clock that only tests move."""

from typing import Any

from voice.dialogue import manager, phrasing
from voice.dialogue.inputs import Dropped, Input, Opened, Played, Spoken, Tick
from voice.dialogue.requests import ReadAloud, Request, Say
from voice.dialogue.state import State
from voice.dialogue.world import World
from voice.understand.grammar import desk
from voice.understand.intents import Understanding
from voice.understand.roster import empty_snapshot, live_names

GRAMMAR = desk()
ENGLISH = phrasing.load("en")


def agent(name: str, project: str = "Apollo", **changed: Any) -> Any:
    view = {
        "id": f"a-{name}-{project}",
        "projectId": f"p-{project}",
        "projectName": project,
        "name": name,
        "role": None,
        "cli": "practice",
        "cwd": "/w",
        "status": "running",
        "livenessOnly": True,
        "frozen": False,
        "pid": 1,
        "sessionId": None,
        "sessionNumber": None,
        "pendingGate": None,
        "queuedGates": 0,
        "queuedMessages": 0,
        "exit": None,
    }
    return {**view, **changed}


def gate(name: str, project: str = "Apollo", **changed: Any) -> Any:
    view = {
        "id": f"g-{name}-{project}",
        "agentId": f"a-{name}-{project}",
        "agentName": name,
        "projectId": f"p-{project}",
        "projectName": project,
        "prompt": "Run rm -rf build? [y/N]",
        "command": "rm -rf build",
        "choices": [
            {"label": "Yes, proceed", "kind": "approve", "sends": "y"},
            {"label": "No", "kind": "reject", "sends": "n"},
        ],
        "source": "regex",
        "tier": "harmful",
        "screenOnly": None,
        "speakable": True,
        "mayHaveBegun": False,
        "effects": [{"kind": "delete", "targets": ["build"], "place": "project", "undo": "no"}],
        "cwd": "/w",
        "branch": None,
        "fingerprint": "f",
        "raisedAt": "2026-01-01T00:00:00Z",
        "head": True,
        "secretsMasked": False,
    }
    return {**view, **changed}


def plan(number: int, name: str = "codex", **changed: Any) -> Any:
    view = {
        "id": f"pl-{number}",
        "number": number,
        "projectId": "p-Apollo",
        "projectName": "Apollo",
        "description": "Run the tests",
        "targetAgent": f"a-{name}-Apollo",
        "targetAgentName": name,
        "targetProject": "p-Apollo",
        "proposedMessage": "please run pytest -q",
        "createdAt": "2026-01-01T00:00:00Z",
        "maybeSent": False,
    }
    return {**view, **changed}


class Talk:
    """One conversation; ``requests`` and ``said`` are what the last input led to."""

    def __init__(self, *, by_voice: bool = True, undo: float = 3.0) -> None:
        self.snapshot = empty_snapshot()
        for name in ("Apollo", "Zephyr"):
            self.snapshot["projects"].append(
                {"id": f"p-{name}", "name": name, "description": None, "cwd": "/w", "createdAt": ""}
            )
        self.snapshot["agents"] += [agent("backend"), agent("codex"), agent("kube-proxy", "Zephyr")]
        self.state = State()
        self.now = 100.0
        self.by_voice, self.undo = by_voice, undo
        self.requests: tuple[Request, ...] = ()
        self.says: tuple[Say, ...] = ()

    @property
    def said(self) -> str:
        return " ".join(ENGLISH.render(say) for say in self.says)

    def put(self, happened: Input) -> None:
        understanding = Understanding.of(GRAMMAR, live_names(self.snapshot))
        world = World(self.snapshot, self.now, understanding.understand_text, self.undo, self.by_voice)
        done = manager.step(self.state, happened, world, ENGLISH)
        self.state, self.requests, self.says = done.state, done.requests, done.says

    def hear(self, text: str, began_at: float | None = None) -> None:
        understanding = Understanding.of(GRAMMAR, live_names(self.snapshot))
        began = self.now if began_at is None else began_at
        self.put(Spoken(text, understanding.understand_text(text), 0.9, began))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.put(Tick())

    def play(self) -> None:
        """The last thing said is played to its end."""
        self.put(Played(self.says[-1].id))

    def cut_off(self) -> None:
        self.put(Dropped(self.says[-1].id))

    def of(self, kind: type) -> list[Any]:
        return [request for request in self.requests if isinstance(request, kind)]

    def open_reading(self, request: ReadAloud, word: str | None = "tango") -> None:
        text = "rm -rf build" if request.subject == "gate" else "please run pytest -q"
        reading: Any = {
            "readingId": f"r-{request.id}",
            "fingerprint": "f",
            "text": text,
            "word": word,
            "words": ["tango", "cedar"] if word else [],
            "refusals": ["no"] if word else [],
        }
        self.put(Opened(request, reading))

    def read_out(self, word: str | None = "tango") -> None:
        """From the request of the last step to the receipt."""
        from voice.dialogue.inputs import Done
        from voice.dialogue.requests import ConfirmPlayed

        self.open_reading(self.of(ReadAloud)[0], word)
        self.play()
        self.put(Done(self.of(ConfirmPlayed)[0], {"receipt": f"receipt-{self.state.counter}"}))
