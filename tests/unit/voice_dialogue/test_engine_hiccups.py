"""Calls that fail for a moment, and an engine that is the same one or another: what was read counts, or it does not."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.fake_engine import GATE, FakeEngine, snapshot
from talk import Talk, gate
from test_dialogue_gates import opened

from engine.client import Client
from engine.domain.errors import ConduitError, Forbidden, NotFound, Unavailable
from voice.dialogue import phrasing
from voice.dialogue.actions import Hands
from voice.dialogue.inputs import Done, EngineBack, EngineGone, Failed, Input, Opened
from voice.dialogue.requests import ConfirmPlayed, ReadAloud, ReportHeard, ResolveGate, Tell
from voice.loop.desk import Desk
from voice.loop.link import Link
from voice.loop.settings import VoiceSettings
from voice.loop.status import Status

HEARD = ReportHeard("I approve, tango", 0.9, "r-1.played")
RESOLVE = ResolveGate(GATE["projectId"], GATE["agentId"], "backend", GATE["id"], "approve")


class Shaky:
    """An engine whose calls fail as often as a test says; it counts sessions."""

    def __init__(self, *faults: ConduitError) -> None:
        self.faults = list(faults)
        self.sessions = 0
        self.heard_in: list[str] = []

    def _call(self, session: str) -> None:
        self.heard_in.append(session)
        if self.faults:
            raise self.faults.pop(0)

    def voice_session(self) -> dict[str, str]:
        self.sessions += 1
        return {"id": f"v-{self.sessions}"}

    def voice_heard(self, *, session: str, **_: Any) -> dict[str, Any]:
        self._call(session)
        return {"verdict": "approves"}

    def voice_reading(self, *, session: str, **_: Any) -> dict[str, Any]:
        self._call(session)
        return {"readingId": "r-1"}

    def voice_played(self, *, session: str, **_: Any) -> dict[str, str]:
        self._call(session)
        return {"receipt": "r-1.played"}

    def inject(self, **_: Any) -> dict[str, str]:
        self._call("")
        return {"state": "sent"}


@pytest.mark.parametrize("fault", [Forbidden("No."), Unavailable("It broke.")])
@pytest.mark.parametrize("request_", [HEARD, ConfirmPlayed("r-1"), ReadAloud("gate", "g-1")])
def test_call_that_fails_once_is_made_again_in_the_same_session(fault: ConduitError, request_: Any) -> None:
    engine: Any = Shaky(fault)
    assert isinstance(Hands(engine).do(request_), Done | Opened)
    assert engine.heard_in == ["v-1", "v-1"]


def test_call_that_fails_twice_is_told_and_the_session_is_kept() -> None:
    engine: Any = Shaky(Forbidden("No."), Forbidden("No."))
    hands = Hands(engine)
    assert isinstance(hands.do(HEARD), Failed)
    assert isinstance(hands.do(HEARD), Done)
    assert engine.sessions == 1


def test_session_that_the_engine_does_not_know_is_begun_anew() -> None:
    engine: Any = Shaky(NotFound("This voice session is not known."))
    hands = Hands(engine)
    assert isinstance(hands.do(HEARD), Failed)
    assert isinstance(hands.do(HEARD), Done)
    assert engine.heard_in == ["v-1", "v-2"]


def test_message_that_failed_is_never_sent_twice() -> None:
    engine: Any = Shaky(Unavailable("It broke."))
    assert isinstance(Hands(engine).do(Tell("p", "a", "backend", "clean up")), Failed)
    assert engine.heard_in == [""]


def test_receipts_count_after_a_gap_with_the_same_engine_and_not_with_another() -> None:
    for afresh in (False, True):
        talk = Talk()
        opened(talk, gate("backend"))
        talk.read_out()
        talk.put(EngineGone())
        talk.put(EngineBack(afresh=afresh))
        talk.wait(11)
        assert bool(talk.of(ReadAloud)) is afresh  # another engine's gate is read anew
        talk.now += 1
        talk.hear("I approve, tango")
        assert bool(talk.of(ReportHeard)[0].receipt) is not afresh


def test_line_that_broke_for_a_moment_is_not_mentioned_and_reads_nothing_twice() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.put(EngineBack(afresh=False))
    assert not talk.says and not talk.requests
    assert talk.state.phase == "deciding"


@pytest.mark.parametrize("words", ["I approve, tango", "stop", "hold your horses"])
def test_words_after_a_reading_that_the_engine_never_got_are_said_to_be_lost(words: str) -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.now += 1
    talk.hear(words)
    requests, said = [*talk.of(ReportHeard), *talk.of(ResolveGate)], talk.said
    for request in requests:
        talk.put(Failed(request, "The engine did not answer in time."))
        said += talk.said
    assert said.count("The engine did not answer in time.") == 1


async def test_approval_that_could_not_be_reported_resolves_nothing_and_is_said(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    engine.answers["POST /api/voice/sessions"] = (200, {"id": "v-1"})
    engine.answers["POST /api/voice/sessions/v-1/heard"] = (403, {"error": "This caller is not known."})
    engine.answers["PUT /api/voice/state"] = (200, {})
    with engine.serving():
        desk = Desk(
            tmp_path,
            VoiceSettings(),
            phrasing.load("en"),
            mouth=lambda say, text: None,
            silence=lambda: None,
            manner=lambda change: None,
            listen=lambda: None,
        )
        desk.link.client = Client.from_home(tmp_path, kind="voice")
        lane = asyncio.create_task(desk._carry_out(desk._lanes[0]))
        desk._request((HEARD, RESOLVE))
        answers: list[Input] = [await desk._inbox.get(), await desk._inbox.get()]
        lane.cancel()
        await asyncio.gather(lane, return_exceptions=True)
    assert [type(answer) for answer in answers] == [Failed, Failed]
    assert [call for call, _ in engine.asked].count("POST /api/voice/sessions/v-1/heard") == 2
    assert not any("resolve" in call for call, _ in engine.asked)


async def test_events_that_break_off_are_taken_up_again_without_calling_the_engine_gone(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    engine.answers["GET /org/snapshot"] = (200, snapshot())
    engine.answers["GET /api/events"] = (200, "")  # ends at once
    told: asyncio.Queue[Input] = asyncio.Queue()
    with engine.serving():
        async with asyncio.timeout(20), Link(tmp_path, told.put_nowait, lambda _: None):
            assert [await told.get() for _ in range(3)] == [EngineBack(), EngineBack(False), EngineBack(False)]
            health = engine.answers["GET /api/health"][1]
            engine.answers["GET /api/health"] = (200, {**health, "startedAt": "later"})
            while (back := await told.get()) != EngineBack(afresh=True):
                assert back in (EngineBack(afresh=False), EngineGone())


async def test_voice_that_speaks_for_long_goes_on_telling_that_it_is_there(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    engine.answers["PUT /api/voice/state"] = (200, {})
    with engine.serving():
        link = Link(tmp_path, lambda _: None, lambda _: None)
        link.client = Client.from_home(tmp_path, kind="voice")
        task = asyncio.create_task(Status(link, "open", sign_of_life=0.01).run())
        async with asyncio.timeout(20):
            while [call for call, _ in engine.asked].count("PUT /api/voice/state") < 3:  # noqa: ASYNC110 - a server without events
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
