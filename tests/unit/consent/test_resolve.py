"""One gate, one decision, one delivery: whoever asks, whatever breaks in between."""

import asyncio
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from gate_fakes import ALWAYS, NO, YES, MemoryBook, make_gate, read_out, say

from engine.domain.errors import BadRequest, ConduitError, Conflict, ConsentRefused, Forbidden, NotFound, Unavailable
from engine.domain.gates import Choice, Gate, Keys, KillHeld, Proceed, Structured
from engine.gates.consent import VoiceSessions
from engine.gates.ports import ResolveRequest
from engine.gates.resolve import STOP_MESSAGE, Resolver
from engine.ports.clock import FakeClock

DELIVERED = ["gate_opened", "gate_answered", "gate_delivered"]


class HeldClock(FakeClock):
    """A clock whose sleep says that it began, and can be held until the test lets it go."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeping = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    async def sleep(self, seconds: float) -> None:
        self.sleeping.set()
        await self.go.wait()
        await super().sleep(seconds)


class Desk:
    """A resolver with a book in memory and one open gate."""

    def __init__(self) -> None:
        self.clock = HeldClock()
        self.book = MemoryBook()
        self.sessions = VoiceSessions(self.clock, rng=Random(7))
        self.resolver = Resolver(self.book, self.clock, self.sessions)

    async def open(self, gate_id: str = "g-0000000001", **changes: Any) -> Gate:
        gate = make_gate(gate_id, **changes)
        await self.resolver.open(gate)
        return gate

    def spoken(self, gate: Gate) -> str:
        """A session in which the gate was read and approved."""
        session = self.sessions.open()
        reading, receipt = read_out(self.sessions, session, gate)
        text = "I approve" if reading.word is None else None
        assert say(self.sessions, session, reading, receipt, text) == "approves"
        return session

    async def resolve(self, gate: Gate, decision: Any = "approve", via: Any = "web", **more: Any) -> Any:
        request = ResolveRequest(gate_id=gate.id, agent_id=gate.agent_id, decision=decision, via=via, **more)
        return await self.resolver.resolve(request)


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_approval_writes_the_answer_once_and_in_the_order_that_survives_a_crash(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.order.clear()
    done = await desk.resolve(gate)
    assert desk.book.agent.replies == [YES.reply]
    assert (done.action, done.agent_name, done.decision, done.via) == ("typed y \r", "backend", "approve", "web")
    assert desk.book.order == ["gate_answered", "gate_delivered", "clear", "audit", "gate:resolved"]
    assert (desk.book.lines[0].event, desk.book.lines[0].action) == ("gate_approve", "typed y \r")
    assert desk.book.queue == []


async def test_nothing_is_written_before_the_journal_has_it(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.journal_fault = OSError("disk full")
    with pytest.raises(OSError, match="disk full"):
        await desk.resolve(gate)
    assert desk.book.agent.replies == []
    desk.book.journal_fault = None
    await desk.resolve(gate)
    assert desk.book.agent.replies == [YES.reply]


async def test_voice_approval_carries_the_words_into_the_audit(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    before = desk.clock.boot()
    done = await desk.resolve(gate, via="voice", voice_session=session)
    assert desk.clock.boot() - before == 1.5
    assert done.authorising_phrase == desk.book.lines[0].authorising_phrase
    assert (done.authorising_phrase or "").startswith("I approve, ")


async def test_routine_voice_approval_does_not_wait(desk: Desk) -> None:
    gate = await desk.open(tier="routine")
    before = desk.clock.boot()
    await desk.resolve(gate, via="voice", voice_session=desk.spoken(gate))
    assert desk.clock.boot() == before


async def test_voice_without_consent_delivers_nothing(desk: Desk) -> None:
    gate = await desk.open()
    for more in ({}, {"voice_session": "v-none"}, {"voice_session": desk.sessions.open()}):
        with pytest.raises(ConsentRefused) as refused:
            await desk.resolve(gate, via="voice", **more)
        assert refused.value.condition == "not_read"
    assert desk.book.of(gate.id) == ["gate_opened"]
    assert desk.book.agent.replies == []


@pytest.mark.parametrize("changes", [{"screen_only": "it targets your home folder"}, {"speakable": False}])
async def test_screen_only_gate_is_rejected_by_voice_but_approved_only_elsewhere(
    desk: Desk, changes: dict[str, Any]
) -> None:
    gate = await desk.open(**changes)
    with pytest.raises(ConsentRefused) as refused:
        await desk.resolve(gate, via="voice", voice_session=desk.spoken(gate))
    assert refused.value.condition == "screen_only"
    await desk.resolve(gate, "reject", "voice")
    other = await desk.open("g-0000000002", **changes)
    await desk.resolve(other)
    assert desk.book.agent.replies == [NO.reply, YES.reply]


async def test_no_wait_within_the_grace_stops_a_harmful_approval(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    desk.clock.go.clear()
    asked = asyncio.create_task(desk.resolve(gate, via="voice", voice_session=session))
    await desk.clock.sleeping.wait()
    desk.sessions.heard(session, "no, wait", 0.3)
    desk.clock.go.set()
    with pytest.raises(ConsentRefused) as refused:
        await asked
    assert refused.value.condition == "negated"
    assert desk.book.agent.replies == []
    assert desk.book.of(gate.id) == ["gate_opened"]


async def test_no_wait_in_the_last_moment_before_the_delivery_still_counts(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)

    def no_wait_after_the_grace() -> None:
        if desk.clock.sleeping.is_set():
            desk.sessions.heard(session, "no, wait", 0.3)

    desk.book.at_recheck = no_wait_after_the_grace
    with pytest.raises(ConsentRefused) as refused:
        await desk.resolve(gate, via="voice", voice_session=session)
    assert refused.value.condition == "negated"
    assert desk.book.agent.replies == []


async def test_rejection_by_any_way_within_the_grace_wins(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    desk.clock.go.clear()
    asked = asyncio.create_task(desk.resolve(gate, via="voice", voice_session=session))
    await desk.clock.sleeping.wait()
    await desk.resolve(gate, "reject")
    desk.clock.go.set()
    with pytest.raises(ConduitError):
        await asked
    assert desk.book.agent.replies == [NO.reply]
    assert len(desk.book.lines) == 1


async def test_approval_overtaken_by_a_rejection_in_the_making_hears_what_was_decided(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    desk.clock.go.clear()
    desk.book.agent.pause = asyncio.Event()
    approving = asyncio.create_task(desk.resolve(gate, via="voice", voice_session=session))
    await desk.clock.sleeping.wait()
    rejecting = asyncio.create_task(desk.resolve(gate, "reject"))
    await desk.book.agent.writing.wait()
    desk.clock.go.set()
    for _ in range(5):  # the approval ends its grace while the rejection is still being typed
        await asyncio.sleep(0)
    desk.book.agent.pause.set()
    with pytest.raises(Conflict, match="already rejected"):
        await approving
    await rejecting
    assert desk.book.agent.replies == [NO.reply]


async def test_rejection_picks_the_prompts_own_no_and_says_stop_once_it_is_gone(desk: Desk) -> None:
    gate = await desk.open()
    done = await desk.resolve(gate, "reject")
    assert desk.book.agent.replies == [NO.reply]
    assert desk.book.messages == [STOP_MESSAGE]
    assert "a message waits" in done.action


async def test_rejection_without_a_no_is_escape(desk: Desk) -> None:
    gate = await desk.open(choices=(YES, ALWAYS))
    await desk.resolve(gate, "reject", custom_input="use git clean")
    assert desk.book.agent.replies == [Keys(("\x1b",))]
    assert desk.book.messages == ["use git clean"]


async def test_rejection_of_a_held_command_kills_it_and_approval_lets_it_go(desk: Desk) -> None:
    held = (Choice("run it", "approve", Proceed()), Choice("don't", "reject", KillHeld()))
    await desk.resolve(await desk.open("g-0000000001", choices=held), "reject")
    await desk.resolve(await desk.open("g-0000000002", choices=held))
    assert desk.book.agent.replies == [KillHeld(), Proceed()]


async def test_structured_rejection_carries_its_reason_in_the_protocol(desk: Desk) -> None:
    choices = (
        Choice("Allow", "approve", Structured("allow_once")),
        Choice("Deny", "reject", Structured("reject_once")),
    )
    gate = await desk.open(choices=choices, source="acp", handle="h-1")
    await desk.resolve(gate, "reject", custom_input="too risky")
    assert desk.book.agent.replies == [Structured("reject_once", "too risky")]
    assert desk.book.messages == []


@pytest.mark.parametrize(
    "choices",
    [
        (Choice("Yes", "approve", Keys(("1",))), ALWAYS, Choice("No", "reject", Keys(("3",)))),
        (Choice("Yes", "approve", Keys(("2",))), Choice("No", "reject", Keys(("1",)))),
        (ALWAYS, Choice("Yes", "approve", Keys(("1",)))),
    ],
)
async def test_approval_is_found_by_kind_and_is_never_a_permanent_one(desk: Desk, choices: Any) -> None:
    gate = await desk.open(choices=choices)
    await desk.resolve(gate)
    assert desk.book.agent.replies == [next(choice.reply for choice in choices if choice.kind == "approve")]


async def test_gate_with_only_a_permanent_yes_can_not_be_approved(desk: Desk) -> None:
    gate = await desk.open(choices=(ALWAYS, NO))
    with pytest.raises(BadRequest, match="no answer that approves"):
        await desk.resolve(gate)
    assert desk.book.agent.replies == []


async def test_own_answer_is_typed_without_control_characters(desk: Desk) -> None:
    gate = await desk.open(choices=())
    await desk.resolve(gate, "custom", custom_input="main\x03\x1b[A\u202e\nbranch\r")
    assert desk.book.agent.replies == [Keys(("main[A branch", "\r"))]
    assert desk.book.lines[0].event == "gate_custom"


@pytest.mark.parametrize("text", [None, "", " \n", "\x1b\x03", "x" * 20_001])
async def test_own_answer_without_usable_text_is_refused(desk: Desk, text: str | None) -> None:
    gate = await desk.open(choices=())
    with pytest.raises(BadRequest):
        await desk.resolve(gate, "custom", custom_input=text)


async def test_own_answer_to_a_menu_says_no_and_then_tells_it(desk: Desk) -> None:
    gate = await desk.open(
        choices=(Choice("Yes", "approve", Keys(("1",))), ALWAYS, Choice("No", "reject", Keys(("3",))))
    )
    await desk.resolve(gate, "custom", custom_input="2 folders only")
    assert desk.book.agent.replies == [Keys(("3",))]
    assert desk.book.messages == ["2 folders only"]


async def test_own_answer_to_a_hook_types_no_keys(desk: Desk) -> None:
    choices = (Choice("Allow", "approve", Structured("allow")), Choice("Deny", "reject", Structured("deny")))
    gate = await desk.open(choices=choices, source="hook", handle="h-1")
    await desk.resolve(gate, "custom", custom_input="use make clean")
    assert desk.book.agent.replies == [Structured("deny", "use make clean")]


async def test_spoken_answer_that_picks_a_choice_is_refused_even_with_consent(desk: Desk) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    for text in ("yes", "y", "option one"):
        with pytest.raises(ConsentRefused):
            await desk.resolve(gate, "custom", "voice", custom_input=text, voice_session=session)
    assert desk.book.agent.replies == []


async def test_spoken_answer_needs_consent_where_there_are_choices_and_none_where_there_are_not(desk: Desk) -> None:
    gate = await desk.open()
    with pytest.raises(ConsentRefused):
        await desk.resolve(gate, "custom", "voice", custom_input="use the other folder")
    await desk.resolve(gate, "reject")
    free = await desk.open("g-0000000002", choices=(), tier="routine")
    await desk.resolve(free, "custom", "voice", custom_input="main")
    assert desk.book.agent.replies[-1] == Keys(("main", "\r"))


async def test_two_hundred_at_once_deliver_exactly_once(desk: Desk) -> None:
    ways = [("approve", "web"), ("reject", "cli"), ("approve", "voice"), ("custom", "terminal")]
    for number in range(20):
        gate = await desk.open(f"g-{number:010}", tier="routine")
        session = desk.spoken(gate)
        asked = [
            desk.resolve(gate, decision, via, custom_input="x", voice_session=session)
            for decision, via in Random(number).choices(ways, k=200)
        ]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert len([result for result in results if not isinstance(result, BaseException)]) == 1
        assert all(isinstance(result, ConduitError) for result in results if isinstance(result, BaseException))
        assert len(desk.book.agent.replies) == len(desk.book.lines) == number + 1
        assert desk.book.of(gate.id) == DELIVERED


async def test_loser_hears_what_was_decided_when_and_by_which_way(desk: Desk) -> None:
    gate = await desk.open()
    await desk.resolve(gate, "reject", "cli")
    with pytest.raises(Conflict, match=r"already rejected at .* by cli") as lost:
        await desk.resolve(gate)
    assert (lost.value.details["decision"], lost.value.details["via"]) == ("reject", "cli")
    assert lost.value.details["at"]


async def test_repeated_request_gives_the_same_result_and_one_delivery(desk: Desk) -> None:
    gate = await desk.open()
    first, second = await asyncio.gather(desk.resolve(gate, request_id="r-1"), desk.resolve(gate, request_id="r-1"))
    third = await desk.resolve(gate, request_id="r-1")
    assert first == second
    assert replace(first, action="") == replace(third, action="")
    assert len(desk.book.agent.replies) == len(desk.book.lines) == 1


async def test_request_id_of_another_decision_is_no_repeat(desk: Desk) -> None:
    gate = await desk.open()
    await desk.resolve(gate, request_id="r-1")
    with pytest.raises(Conflict):
        await desk.resolve(gate, "reject", request_id="r-1")


async def test_unknown_or_foreign_gate_is_not_found_and_touches_nothing(desk: Desk) -> None:
    gate = await desk.open()
    with pytest.raises(NotFound, match="ask again"):
        await desk.resolve(make_gate("g-17"))
    with pytest.raises(NotFound):
        await desk.resolve(replace(gate, agent_id="a-2"))
    with pytest.raises(BadRequest, match="gateId"):
        await desk.resolve(make_gate(""))
    assert desk.book.queue == [gate.id]


async def test_only_the_head_of_the_queue_is_answered(desk: Desk) -> None:
    first = await desk.open()
    second = await desk.open("g-0000000002")
    with pytest.raises(Conflict, match=first.id):
        await desk.resolve(second)
    await desk.resolve(first)
    assert desk.book.agent.freezes == 1  # the next question keeps it frozen
    await desk.resolve(second)
    assert len(desk.book.agent.replies) == 2


@pytest.mark.parametrize("via", ["web", "voice"])
async def test_gate_that_changed_is_asked_anew_and_nothing_is_sent(desk: Desk, via: str) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    desk.book.drift[gate.id] = "migrate.sh was rewritten"
    with pytest.raises(ConsentRefused if via == "voice" else Conflict, match="changed"):
        await desk.resolve(gate, via=via, voice_session=session)
    assert desk.book.agent.replies == []
    assert desk.book.of(gate.id) == ["gate_opened", "gate_closed"]
    new = desk.book.queue[0]
    assert (desk.book.of(new), desk.book.gates[new].fingerprint) == (["gate_opened"], "migrate.sh was rewritten")
    with pytest.raises(Conflict, match=new):
        await desk.resolve(gate)
    with pytest.raises(ConsentRefused, match="read"):
        await desk.resolve(desk.book.gates[new], via="voice", voice_session=session)


@pytest.mark.parametrize("seen", [{"tier": "harmful"}, {"screen_only": "it is a link to your home"}])
async def test_same_command_that_became_more_dangerous_is_asked_anew(desk: Desk, seen: dict[str, Any]) -> None:
    gate = await desk.open(tier="routine")
    desk.book.seen = seen
    with pytest.raises(Conflict, match="changed"):
        await desk.resolve(gate)
    assert desk.book.agent.replies == []
    new = desk.book.gates[desk.book.queue[0]]
    assert (new.tier, new.screen_only) == (seen.get("tier", "routine"), seen.get("screen_only"))
    desk.book.seen = {}
    await desk.resolve(new)
    assert len(desk.book.agent.replies) == 1


async def test_fault_after_the_delivery_is_completed_later_without_pressing_again(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.clear_fault = OSError("disk full")
    with pytest.raises(OSError, match="disk full"):
        await desk.resolve(gate, request_id="r-1")
    assert desk.book.queue == [gate.id]
    desk.book.clear_fault = None
    assert (await desk.resolve(gate, request_id="r-1")).decision == "approve"
    assert desk.book.queue == []
    assert len(desk.book.agent.replies) == len(desk.book.lines) == 1


async def test_unexpected_fault_in_a_runtime_leaves_a_gate_that_asks_again(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.agent.fault = RuntimeError("a slip in the runtime")
    with pytest.raises(RuntimeError):
        await desk.resolve(gate, request_id="r-1")
    desk.book.agent.fault = None
    with pytest.raises(Conflict, match="not certain"):
        await desk.resolve(gate)
    assert desk.book.agent.replies == []
    await desk.resolve(gate, "reject")
    assert desk.book.agent.replies == [NO.reply]


async def test_changed_gate_can_still_be_rejected(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.drift[gate.id] = "other"
    await desk.resolve(gate, "reject")
    assert desk.book.agent.replies == [NO.reply]


async def test_screen_that_shows_another_question_gets_nothing_and_the_gate_stays(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.agent.fault = Conflict("the screen shows another question")
    with pytest.raises(ConsentRefused) as refused:
        await desk.resolve(gate, via="voice", voice_session=desk.spoken(gate))
    assert refused.value.condition == "changed"
    assert desk.book.of(gate.id) == ["gate_opened", "gate_answered", "gate_reopened"]
    assert desk.book.agent.freezes == 1
    assert desk.book.queue == [gate.id]
    assert desk.book.lines == []


async def test_question_that_stays_is_open_again_and_says_so(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.agent.gone = False
    with pytest.raises(Conflict, match="still there"):
        await desk.resolve(gate)
    assert desk.book.queue == [gate.id]
    assert desk.book.events[-1][:2] == ("gate:triggered", gate.id)
    assert [line.reason is not None for line in desk.book.lines] == [True]
    desk.book.agent.gone = True
    await desk.resolve(gate, "reject")
    assert desk.book.of(gate.id)[-1] == "gate_delivered"


async def test_delivery_in_doubt_asks_again_and_the_same_request_presses_nothing(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.agent.fault = OSError("the holder went away")
    with pytest.raises(Unavailable, match="for certain"):
        await desk.resolve(gate, request_id="r-1")
    desk.book.agent.fault = None
    with pytest.raises(Conflict, match="not certain"):
        await desk.resolve(gate, request_id="r-1")
    assert desk.book.agent.replies == []
    await desk.resolve(gate, request_id="r-2")
    assert len(desk.book.agent.replies) == 1


async def test_agent_that_is_not_running_can_not_be_answered(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.alive = False
    with pytest.raises(Unavailable, match="not running"):
        await desk.resolve(gate)
    assert desk.book.of(gate.id) == ["gate_opened"]


async def test_caller_that_goes_away_does_not_leave_half_a_delivery(desk: Desk) -> None:
    gate = await desk.open()
    desk.book.agent.pause = asyncio.Event()
    asked = asyncio.create_task(desk.resolve(gate))
    await desk.book.agent.writing.wait()
    asked.cancel()
    desk.book.agent.pause.set()
    await desk.resolver.aclose()
    assert desk.book.of(gate.id) == DELIVERED
    assert len(desk.book.lines) == 1


async def test_policy_approves_routine_questions_and_nothing_else(desk: Desk) -> None:
    harmful = await desk.open()
    with pytest.raises(Forbidden, match="waits for its user"):
        await desk.resolve(harmful, via="policy")
    await desk.resolve(harmful, "reject")
    routine = await desk.open("g-0000000002", tier="routine")
    with pytest.raises(Forbidden):
        await desk.resolve(routine, "reject", "policy")
    await desk.resolve(routine, via="policy", policy_rule="tests of apollo")
    assert (desk.book.lines[-1].via, desk.book.lines[-1].reason) == ("policy", "tests of apollo")


@pytest.mark.parametrize(("reason", "audited"), [("process_lost", 0), ("answered_at_terminal", 1), ("withdrawn", 0)])
async def test_gate_that_nobody_resolved_closes_with_its_reason(desk: Desk, reason: Any, audited: int) -> None:
    gate = await desk.open()
    session = desk.spoken(gate)
    assert await desk.resolver.close(gate.agent_id, gate.id, reason)
    assert not await desk.resolver.close(gate.agent_id, gate.id, reason)
    assert desk.book.queue == []
    assert len(desk.book.lines) == audited
    with pytest.raises(Conflict, match="closed"):
        await desk.resolve(gate)
    with pytest.raises(ConsentRefused) as refused:
        await desk.resolve(gate, via="voice", voice_session=session)
    assert refused.value.condition == "closed"


async def restarted(desk: Desk, entries: int) -> Desk:
    """A new engine on a journal that was cut after ``entries`` lines of the gate."""
    again = Desk()
    again.book.gates = dict(desk.book.gates)
    again.book.entries = desk.book.entries[:entries]
    again.book.queue = ["g-0000000001"]
    return again


@pytest.mark.parametrize(
    ("entries", "alive", "step", "last"),
    [
        (1, True, "keep", "gate_opened"),
        (2, True, "ask_again", "gate_reopened"),
        (3, True, "finish", "gate_delivered"),
        (1, False, "close", "gate_closed"),
        (2, False, "close", "gate_closed"),
        (3, False, "finish", "gate_delivered"),
    ],
)
async def test_crash_at_any_line_never_presses_twice(
    desk: Desk, entries: int, alive: bool, step: str, last: str
) -> None:
    gate = await desk.open()
    await desk.resolve(gate, request_id="r-1")
    again = await restarted(desk, entries)
    again.book.lines = list(desk.book.lines) if entries == 3 else []
    again.book.alive = alive
    assert [done.step for done in await again.resolver.recover(gate.agent_id, alive=alive)] == [step]
    assert again.book.of(gate.id)[-1] == last
    assert again.book.agent.replies == []
    if step == "ask_again":
        with pytest.raises(Conflict, match="not certain"):
            await again.resolve(gate, request_id="r-1")
        assert again.book.agent.replies == []
    if step == "finish":
        assert again.book.queue == []
        assert len(again.book.lines) == 1
        assert (await again.resolve(gate, request_id="r-1")).decision == "approve"
        assert again.book.agent.replies == []
