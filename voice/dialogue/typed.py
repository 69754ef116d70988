"""The same conversation without sound: for ``conduit ask`` and ``conduit hear``. It holds no consent."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.domain.wire import OrgSnapshot
from voice.dialogue import manager
from voice.dialogue.actions import Hands
from voice.dialogue.inputs import Input, Spoken
from voice.dialogue.phrasing import Words
from voice.dialogue.requests import Request, Say
from voice.dialogue.state import State
from voice.dialogue.world import World
from voice.understand.intents import Reading, Understanding, Understood

_ROUNDS = 6  # of requests that follow from answers to requests


@dataclass(slots=True)
class TypedDialogue:
    """One conversation over a snapshot. ``hands`` None: nothing is done, only said (a dry run)."""

    snapshot: OrgSnapshot
    understanding: Understanding
    language: Words
    hands: Hands | None = None
    aloud: bool = False
    state: State = field(default_factory=State)

    def answer(self, readings: Sequence[Reading]) -> tuple[Understood, str]:
        """What was understood and the whole reply; requests are done before it returns."""
        understood = self.understanding.understand(readings)
        if not readings or not readings[0].text.strip():
            return None, ""
        spoken = Spoken(readings[0].text, understood, readings[0].confidence, began_at=0.0)
        return understood, " ".join(self._render(say) for say in self._follow(spoken))

    def _follow(self, first: Input) -> list[Say]:
        inputs: list[Input] = [first]
        says: list[Say] = []
        for _ in range(_ROUNDS):
            if not inputs:
                break
            done = manager.step(self.state, inputs.pop(0), self._world(), self.language)
            self.state = done.state
            says.extend(done.says)
            if self.hands is None:
                if done.requests and not done.says:
                    says.append(Say("dry"))
                continue
            inputs.extend(self._do(self.hands, done.requests))
        return says

    def _do(self, hands: Hands, requests: Sequence[Request]) -> list[Input]:
        return [hands.do(request) for request in requests]

    def _world(self) -> World:
        undo = 0.0 if self.hands is not None else 3.0  # a dry run answers with what would be read back
        return World(self.snapshot, 0.0, self.understanding.understand_text, undo, by_voice=False)

    def _render(self, say: Say) -> str:
        return self.language.render(say, aloud=self.aloud)
