"""The conversation running: one inbox of inputs, one place that steps the manager, two lanes of requests."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engine.domain.errors import ConduitError
from engine.domain.wire import OrgSnapshot
from engine.ports.clock import Clock, SystemClock
from voice.dialogue import manager
from voice.dialogue.actions import Hands, Outcome, Scorer
from voice.dialogue.inputs import Done, EngineBack, EngineGone, Failed, Happened, Input, Spoken, Tick
from voice.dialogue.phrasing import Words
from voice.dialogue.requests import (
    ChangeManner,
    ConfirmPlayed,
    ReadAloud,
    ReportHeard,
    Request,
    ResolveGate,
    ResolvePlan,
    RunAgent,
    RunSession,
    Say,
    Silence,
    Tell,
)
from voice.dialogue.state import State
from voice.dialogue.window import shown
from voice.dialogue.world import World
from voice.loop.link import Link
from voice.loop.settings import VoiceSettings
from voice.loop.status import Status
from voice.understand.grammar import Grammar, desk
from voice.understand.intents import Intent, Understanding
from voice.understand.prompt import desk_examples
from voice.understand.roster import empty_snapshot, live_names

_log = logging.getLogger(__name__)
_TICK_S = 0.1
_CONSENT = (ReportHeard, ReadAloud, ConfirmPlayed, ResolveGate, ResolvePlan)
_CHANGES = (ResolveGate, ResolvePlan, Tell, RunAgent, RunSession)
_GONE = "The engine does not answer."
_Lane = asyncio.Queue[tuple[Request, ...]]


class Desk:
    """Everything but sound. ``mouth`` speaks a sentence under an id; ``silence`` stops it; ``manner`` changes it."""

    def __init__(
        self,
        home: Path,
        settings: VoiceSettings,
        language: Words,
        *,
        mouth: Callable[[Say, str], None],
        silence: Callable[[], None],
        manner: Callable[[ChangeManner], None],
        listen: Callable[[], None],
        score: Scorer | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.state = State(phase="asleep" if settings.mode == "wake" else "awake")
        self.link = Link(home, self.tell, self._fresh)
        self.status = Status(self.link, settings.mode)
        self._language = language
        self._mouth, self._silence, self._manner, self._listen, self._score = mouth, silence, manner, listen, score
        self._clock = clock or SystemClock()
        self._grammar: Grammar = desk(settings.language, home / "config" / "sentences")
        self._snapshot = empty_snapshot()
        self._names: Mapping[str, Sequence[str]] = {}
        self.understanding = Understanding.of(self._grammar, self._names)
        self._inbox: asyncio.Queue[Input] = asyncio.Queue()
        self._lanes: tuple[_Lane, _Lane] = (asyncio.Queue(), asyncio.Queue())
        self._hands: Hands | None = None
        self._windows: set[str] = set()  # undo windows that are open
        self.notice: Callable[[str], None] = _unseen
        """Takes a line for the terminal; never the log, for it holds what was dictated."""

    def tell(self, happened: Input) -> None:
        """Put an input into the inbox (from the loop's own thread)."""
        self._inbox.put_nowait(happened)

    def examples(self) -> list[str]:
        """Example sentences for the recogniser, for where the conversation stands; none when an answer is due."""
        if self.state.phase == "deciding":
            return []  # words that decide are recognised without bias
        return desk_examples(live_names(self._snapshot), self._grammar.prompt)

    async def run(self) -> None:
        """Until cancelled; every task is awaited."""
        async with self.link, asyncio.TaskGroup() as tasks:
            tasks.create_task(self.status.run(), name="voice-status")
            tasks.create_task(self._ticks(), name="voice-ticks")
            for lane in self._lanes:
                tasks.create_task(self._carry_out(lane), name="voice-requests")
            tasks.create_task(self._converse(), name="voice-conversation")

    async def _ticks(self) -> None:
        while True:
            await self._clock.sleep(_TICK_S)
            self.tell(Tick())

    async def _converse(self) -> None:
        while True:
            self._step(await self._inbox.get())

    def _step(self, happened: Input) -> None:
        self._notice(happened)
        world = World(self._snapshot, self._clock.boot(), self.understanding.understand_text, self.settings.undo)
        done = manager.step(self.state, happened, world, self._language)
        self.state = done.state
        self._show(shown(done.state, world.now, self._language))
        if not isinstance(happened, Tick):  # ten a second, and they bring no names
            self._learn_names()
        self._request(done.requests)
        for say in done.says:
            self._mouth(say, self._language.render(say))

    def _show(self, pending: str | None) -> None:
        """The undo window on the page second by second; in the terminal as it opens."""
        opened = {one.say_id for one in self.state.pending if one.due is not None}
        if pending is not None and opened - self._windows:
            self.notice(pending)
        self._windows = opened
        self.status.set(pending=pending)

    def _notice(self, happened: Input) -> None:
        if isinstance(happened, EngineGone | EngineBack):
            gone = isinstance(happened, EngineGone)
            _log.log(logging.WARNING if gone else logging.INFO, "the engine is %s", "gone" if gone else "there")
        if isinstance(happened, EngineBack):
            self._meet(happened)
        if isinstance(happened, Spoken):
            self.status.set(heard=happened.text)
            if isinstance(happened.understood, Intent):
                _log.info("understood %s", happened.understood.name)
        if isinstance(happened, Happened) and happened.event["type"] == "voice:command":
            self._command(happened.event["data"])

    def _command(self, data: Mapping[str, object]) -> None:
        """The page's button: listen now, or be silent."""
        if data.get("action") == "silence":
            self._silence()
        elif data.get("action") == "listen":
            self._listen()

    def _meet(self, back: EngineBack) -> None:
        """The same engine still knows what was read in this session; another one does not."""
        client = self.link.client
        if back.afresh or client is None or self._hands is None:
            self._hands = None
        else:
            self._hands.engine = client
        self.status.again()

    def _request(self, requests: Sequence[Request]) -> None:
        """Requests of one step stay together where they concern a decision: the first may forbid the next."""
        deciding: list[Request] = []
        for request in requests:
            if isinstance(request, Silence):
                self._silence()
            elif isinstance(request, ChangeManner):
                self._manner(request)
            elif isinstance(request, _CONSENT):
                deciding.append(request)
            else:
                self._lanes[1].put_nowait((request,))
        if deciding:
            self._lanes[0].put_nowait(tuple(deciding))

    async def _carry_out(self, lane: _Lane) -> None:
        """One request after the other: what was heard is reported before it is acted on."""
        while True:
            unheard: Failed | None = None
            for request in await lane.get():
                if unheard is not None and _decides(request):
                    _log.warning("%s left undone: the engine was not told what was said", type(request).__name__)
                    outcome: Outcome = Failed(request, unheard.sentence)
                else:
                    outcome = await self._outcome(request)
                    await self._look_again(request, outcome)
                if isinstance(request, ReportHeard) and isinstance(outcome, Failed):
                    unheard = outcome
                self.tell(outcome)

    async def _outcome(self, request: Request) -> Outcome:
        client = self.link.client
        if client is None:
            return Failed(request, _GONE)
        if self._hands is None:
            self._hands = Hands(client, self._score)
        outcome = await asyncio.to_thread(self._hands.do, request)
        failed = f": {outcome.sentence}" if isinstance(outcome, Failed) else ""
        _log.info("%s%s", type(request).__name__, failed)
        return outcome

    async def _look_again(self, request: Request, outcome: Outcome) -> None:
        """What was just done shows in the snapshot before it is said: the next command may build upon it."""
        client = self.link.client
        if client is None or not isinstance(request, _CHANGES) or not isinstance(outcome, Done):
            return
        try:
            self._fresh(await asyncio.to_thread(client.snapshot))
        except ConduitError as error:
            _log.info("The engine's state was not read again: %s", error)

    def _fresh(self, snapshot: OrgSnapshot) -> None:
        if snapshot["eventId"] < self._snapshot["eventId"]:
            return  # two threads ask for it: an older answer must not hide what a newer one showed
        self._snapshot = snapshot
        self._learn_names()

    def _learn_names(self) -> None:
        """Understand the names that live now, and the words of the reading that stands."""
        reading = self.state.reading
        names = {**live_names(self._snapshot), "words": reading.words if reading else ()}
        if names != self._names:
            self._names = names
            self.understanding = Understanding.of(self._grammar, names)


def _unseen(text: str) -> None:
    """There is no terminal."""


def _decides(request: Request) -> bool:
    """Whether it lets something happen; a refusal may always go through."""
    return isinstance(request, ResolveGate | ResolvePlan) and request.decision != "reject"
