"""Each condition of a spoken approval, seen to refuse; and the one way through."""

import asyncio
from dataclasses import replace

import pytest
from gate_fakes import make_gate, read_out, say, scores

from engine.domain.errors import ConsentRefused, NotFound, Unavailable
from engine.domain.gates import Gate
from engine.domain.plans import Plan
from engine.gates.consent import VoiceSessions, gate_subject, plan_subject
from engine.gates.consent.lexicon import lexicon
from engine.gates.consent.session import APPROVAL_CONFIDENCE, MOST_SESSIONS
from engine.ports.clock import FakeClock

PLAN = Plan(
    id="pl-1",
    project_id="p-1",
    description="Run the tests",
    target_agent="a-1",
    target_project="p-1",
    proposed_message="run the tests",
    created_at="2026-01-01T00:00:00.000Z",
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sessions(clock: FakeClock) -> VoiceSessions:
    return VoiceSessions(clock)


def condition(sessions: VoiceSessions, session: str | None, gate: Gate) -> str:
    """The condition of the refusal; fails when it is approved."""
    with pytest.raises(ConsentRefused) as refused:
        sessions.approve(session, gate)
    assert str(refused.value)
    return refused.value.condition


def test_harmful_gate_read_out_and_approved_with_its_word_is_approved_once(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    assert reading.word in reading.words
    assert say(sessions, session, reading, receipt) == "approves"
    assert sessions.approve(session, gate) == f"I approve, {reading.word}."
    assert condition(sessions, session, gate) == "spent"


def test_routine_gate_needs_no_word(sessions: VoiceSessions) -> None:
    gate, session = make_gate(tier="routine"), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    assert reading.word is None
    assert sessions.heard(session, "I approve", 0.9, receipt).verdict == "approves"
    assert sessions.approve(session, gate) == "I approve"


@pytest.mark.parametrize("session", [None, "", "v-unknown"])
def test_without_a_session_nothing_was_read(sessions: VoiceSessions, session: str | None) -> None:
    assert condition(sessions, session, make_gate()) == "not_read"


def test_reading_that_was_not_played_to_its_end_is_not_read(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading = sessions.reading(session, gate_subject(gate, ("backend",)))
    heard = sessions.heard(session, f"I approve, {reading.word}", 0.9, None, scores(reading))
    assert heard.condition == "not_read"
    assert condition(sessions, session, gate) == "not_read"


def test_reading_older_than_a_minute_is_stale_at_the_words_and_at_the_decision(
    sessions: VoiceSessions, clock: FakeClock
) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    clock.advance(60.0)
    assert say(sessions, session, reading, receipt) == "approves"
    clock.advance(0.1)
    assert condition(sessions, session, gate) == "stale"
    assert say(sessions, session, reading, receipt) == "neither"


def test_silence_after_a_reading_is_not_said(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    read_out(sessions, session, gate)
    assert condition(sessions, session, gate) == "not_said"


@pytest.mark.parametrize("text", ["yes", "approve", "go ahead", "I approve it?", "he said I approve"])
def test_words_that_are_no_plain_approval_are_not_said(sessions: VoiceSessions, text: str) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    assert say(sessions, session, reading, receipt, f"{text}") == "neither"
    assert condition(sessions, session, gate) == "not_said"


def test_speech_that_began_before_the_end_of_the_reading_does_not_count(sessions: VoiceSessions) -> None:
    first, second, session = make_gate(), make_gate("g-0000000002"), sessions.open()
    _, earlier = read_out(sessions, session, first, "apollo")
    reading, _ = read_out(sessions, session, second, "backend")
    for receipt in (None, "", "made up", earlier):
        heard = sessions.heard(session, f"approve backend, {reading.word}", 0.9, receipt, scores(reading))
        assert (heard.verdict, heard.condition) == ("neither", "not_said")
    assert condition(sessions, session, second) == "not_said"


def test_refusal_takes_back_an_approval_that_was_not_used(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    assert say(sessions, session, reading, receipt, "no, wait") == "refuses"
    assert condition(sessions, session, gate) == "negated"


def test_refusal_counts_however_badly_it_was_heard(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    sessions.heard(session, "no", 0.01, None)
    assert condition(sessions, session, gate) == "negated"


def test_new_approval_after_a_refusal_counts_again(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt, "no, wait")
    say(sessions, session, reading, receipt)
    assert sessions.approve(session, gate)


def test_missing_word_is_said_so_and_costs_no_attempt(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    for _ in range(3):
        say(sessions, session, reading, receipt, "I approve it")
        assert condition(sessions, session, gate) == "wrong_word"
    assert say(sessions, session, reading, receipt) == "approves"


def test_two_wrong_words_end_the_reading(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    wrong = [word for word in reading.words if word != reading.word]
    for word in wrong[:2]:
        heard = sessions.heard(session, f"I approve, {word}", 0.95, receipt, scores(reading, word))
        assert heard.condition == "wrong_word"
    assert say(sessions, session, reading, receipt) == "neither"
    assert condition(sessions, session, gate) == "wrong_word"
    again, receipt = read_out(sessions, session, gate)
    assert again.word != reading.word
    assert say(sessions, session, again, receipt) == "approves"


def test_word_that_only_the_text_has_is_not_believed(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    text = f"I approve, {reading.word}"
    assert sessions.heard(session, text, 0.95, receipt, scores(reading, "stop")).condition == "wrong_word"
    assert sessions.heard(session, text, 0.95, receipt, scores(reading, lead=0.5)).condition == "unsure"
    assert sessions.heard(session, text, 0.95, receipt, None).condition == "unsure"
    assert condition(sessions, session, gate) == "unsure"


def test_wrong_word_takes_back_the_right_one_said_before(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    other = next(word for word in reading.words if word != reading.word)
    sessions.heard(session, f"I approve, {other}", 0.95, receipt, scores(reading, other))
    assert condition(sessions, session, gate) == "wrong_word"


def test_word_for_a_gate_that_has_none_belongs_to_something_else(sessions: VoiceSessions) -> None:
    gate, session = make_gate(tier="routine"), sessions.open()
    _, receipt = read_out(sessions, session, gate)
    assert sessions.heard(session, "I approve, tango", 0.95, receipt).condition == "wrong_word"


@pytest.mark.parametrize("confidence", [0.0, APPROVAL_CONFIDENCE - 0.01, float("nan"), float("inf"), 1.5, -1.0])
def test_badly_heard_approval_is_unsure(sessions: VoiceSessions, confidence: float) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    text = f"I approve, {reading.word}"
    assert sessions.heard(session, text, confidence, receipt, scores(reading)).condition == "unsure"
    assert condition(sessions, session, gate) == "unsure"


def test_two_live_readings_need_a_name(sessions: VoiceSessions) -> None:
    first, second, session = make_gate(), make_gate("g-0000000002"), sessions.open()
    one, _ = read_out(sessions, session, first, "apollo")
    two, receipt = read_out(sessions, session, second, "backend")
    assert {one.word, two.word} and one.word != two.word
    assert sessions.heard(session, f"I approve, {two.word}", 0.9, receipt, scores(two)).condition == "ambiguous"
    assert condition(sessions, session, first) == condition(sessions, session, second) == "ambiguous"
    assert sessions.heard(session, f"approve apollo, {one.word}", 0.9, receipt, scores(one)).subject_id == first.id
    assert condition(sessions, session, second) == "ambiguous"
    assert sessions.approve(session, first)


def test_name_of_two_read_gates_is_ambiguous(sessions: VoiceSessions) -> None:
    session = sessions.open()
    read_out(sessions, session, make_gate(tier="routine"), "backend", "apollo")
    _, receipt = read_out(sessions, session, make_gate("g-0000000002", tier="routine"), "backend", "lantern")
    assert sessions.heard(session, "approve backend", 0.9, receipt).condition == "ambiguous"
    assert sessions.heard(session, "approve lantern", 0.9, receipt).subject_id == "g-0000000002"


def test_gate_and_plan_of_one_agent_are_told_apart_by_saying_which(sessions: VoiceSessions) -> None:
    session = sessions.open()
    read_out(sessions, session, make_gate(tier="routine"), "backend")
    reading = sessions.reading(session, plan_subject(PLAN, ("backend",)))
    receipt = sessions.played(session, reading.id)
    assert sessions.heard(session, "approve backend", 0.9, receipt).condition == "ambiguous"
    assert sessions.heard(session, "approve the plan", 0.9, receipt).condition == "ambiguous"
    assert sessions.heard(session, "approve the plan for backend", 0.9, receipt).subject_id == PLAN.id
    assert sessions.heard(session, "approve the backend gate", 0.9, receipt).subject_id == "g-0000000001"


def test_approval_while_the_next_reading_has_begun_is_ambiguous(sessions: VoiceSessions) -> None:
    session, gate = sessions.open(), make_gate(tier="routine")
    _, receipt = read_out(sessions, session, gate)
    sessions.reading(session, gate_subject(make_gate("g-0000000002", tier="routine"), ("lantern",)))
    assert sessions.heard(session, "I approve", 0.9, receipt).condition == "ambiguous"
    assert sessions.heard(session, "approve backend", 0.9, receipt).verdict == "approves"


def test_gate_with_another_fingerprint_has_changed(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    assert condition(sessions, session, replace(gate, fingerprint="other")) == "changed"


@pytest.mark.parametrize("changes", [{"screen_only": "it deletes your home"}, {"speakable": False}])
def test_screen_only_gate_is_never_approved_by_voice(sessions: VoiceSessions, changes: dict[str, object]) -> None:
    gate, session = make_gate(**changes), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    assert condition(sessions, session, gate) == "screen_only"


def test_one_utterance_approves_one_gate(sessions: VoiceSessions) -> None:
    first, session = make_gate(tier="routine"), sessions.open()
    _, receipt = read_out(sessions, session, first)
    sessions.heard(session, "I approve", 0.9, receipt)
    second = make_gate("g-0000000002", tier="routine")
    read_out(sessions, session, second)
    assert condition(sessions, session, second) == "not_said"


def test_consent_never_crosses_sessions(sessions: VoiceSessions) -> None:
    gate, session, other = make_gate(), sessions.open(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    assert condition(sessions, other, gate) == "not_read"
    read_out(sessions, other, gate)
    assert sessions.heard(other, f"I approve, {reading.word}", 0.95, receipt, scores(reading)).verdict == "neither"
    assert condition(sessions, other, gate) == "not_said"


def test_reading_again_starts_over_with_a_fresh_word(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    again = sessions.reading(session, gate_subject(gate, ("backend",)))
    assert again.word != reading.word
    assert condition(sessions, session, gate) == "not_read"
    with pytest.raises(NotFound):
        sessions.played(session, reading.id)


def test_played_twice_gives_the_same_receipt_and_no_longer_window(sessions: VoiceSessions, clock: FakeClock) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    clock.advance(50)
    assert sessions.played(session, reading.id) == receipt
    clock.advance(11)
    assert condition(sessions, session, gate) == "stale"


def test_echo_of_the_reading_is_no_approval_but_a_refusal_in_it_still_is(sessions: VoiceSessions) -> None:
    gate, session = make_gate(tier="routine", prompt="Approve the gate? [y/N] no or yes", command=None), sessions.open()
    _, receipt = read_out(sessions, session, gate)
    assert sessions.heard(session, "approve the gate", 0.9, receipt).verdict == "neither"
    assert sessions.heard(session, "no", 0.9, receipt).verdict == "refuses"
    assert sessions.heard(session, "I approve", 0.9, receipt).verdict == "approves"


def test_word_is_in_no_name_or_open_text(sessions: VoiceSessions) -> None:
    session = sessions.open()
    words = list(sessions.reading(session, gate_subject(make_gate(), ("x",))).words)
    for at in range(200):
        gate = make_gate(f"g-{at}", prompt=f"{words[0]} and {words[1]}")
        reading = sessions.reading(session, gate_subject(gate, (words[2],)), avoid=[f"agent-{words[3]}"])
        assert reading.word not in words[:4]
        sessions.forget(gate.id)


def test_live_words_all_differ_and_running_out_is_said(sessions: VoiceSessions) -> None:
    """Of readings that can be approved at this moment, in whatever session, none loses its word to another."""
    count = len(lexicon("en").words)
    read = [read_out(sessions, sessions.open(), make_gate(f"g-{at}"))[0] for at in range(count)]
    assert len({reading.word for reading in read}) == count
    with pytest.raises(Unavailable, match="screen"):
        sessions.reading(sessions.open(), gate_subject(make_gate("g-one-more"), ("x",)))


def test_voices_that_died_in_the_middle_of_a_reading_take_no_word_along(sessions: VoiceSessions) -> None:
    gate = make_gate()
    opened = [sessions.open() for _ in range(MOST_SESSIONS - 1)]
    dead = [(session, sessions.reading(session, gate_subject(gate, ("x",)))) for session in opened]
    session = sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    assert say(sessions, session, reading, receipt) == "approves"
    assert sessions.approve(session, gate)
    forgotten_session, forgotten = dead[0]
    with pytest.raises(NotFound, match="ask for a new one"):
        sessions.played(forgotten_session, forgotten.id)


def test_reading_whose_word_was_given_away_approves_nothing(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    first = sessions.reading(session, gate_subject(gate, ("x",)))
    for _ in first.words:
        sessions.reading(sessions.open(), gate_subject(gate, ("x",)))
    heard = sessions.heard(session, f"I approve, {first.word}", 0.9, None, scores(first))
    assert heard.verdict != "approves"
    assert condition(sessions, session, gate) == "not_read"


def test_plan_needs_to_be_read_and_approved_but_no_word(sessions: VoiceSessions) -> None:
    session = sessions.open()
    with pytest.raises(ConsentRefused, match="not been read"):
        sessions.approve_plan(session, PLAN)
    reading = sessions.reading(session, plan_subject(PLAN, ("1",)))
    assert (reading.word, reading.subject.text) == (None, "run the tests")
    receipt = sessions.played(session, reading.id)
    assert sessions.heard(session, "approve the gate", 0.9, receipt).verdict == "neither"
    assert sessions.heard(session, "approve the plan", 0.9, receipt).verdict == "approves"
    with pytest.raises(ConsentRefused, match="changed"):
        sessions.approve_plan(session, replace(PLAN, proposed_message="rm everything"))
    assert sessions.approve_plan(session, PLAN) == "approve the plan"
    with pytest.raises(ConsentRefused, match="used already"):
        sessions.approve_plan(session, PLAN)


def test_plan_without_text_is_not_approved_by_voice(sessions: VoiceSessions) -> None:
    blank = replace(PLAN, proposed_message="  \n")
    with pytest.raises(ConsentRefused, match="no text"):
        sessions.reading(sessions.open(), plan_subject(blank, ("1",)))
    with pytest.raises(ConsentRefused, match="no text"):
        sessions.approve_plan("any", blank)


async def test_grace_lets_a_late_refusal_stop_it(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    sessions.approve(session, gate)
    waiting = asyncio.create_task(sessions.grace(session, gate))
    sessions.heard(session, "no, wait", 0.2, None)
    with pytest.raises(ConsentRefused) as refused:
        await waiting
    assert refused.value.condition == "negated"


async def test_grace_passes_when_nothing_is_said(sessions: VoiceSessions, clock: FakeClock) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    say(sessions, session, reading, receipt)
    sessions.approve(session, gate)
    before = clock.boot()
    await sessions.grace(session, gate)
    assert clock.boot() - before == 1.5


async def test_grace_without_an_approval_is_refused(sessions: VoiceSessions) -> None:
    with pytest.raises(ConsentRefused):
        await sessions.grace(sessions.open(), make_gate())


def test_oldest_session_is_forgotten_when_there_are_too_many(sessions: VoiceSessions) -> None:
    first = sessions.open()
    for _ in range(MOST_SESSIONS):
        sessions.open()
    with pytest.raises(NotFound):
        sessions.heard(first, "I approve", 0.9)


@pytest.mark.parametrize("text", ["y", "yes please", "two", "option two", "the second one", "1", "Y!", "always", "n"])
def test_spoken_text_that_picks_a_choice_is_refused(sessions: VoiceSessions, text: str) -> None:
    with pytest.raises(ConsentRefused):
        sessions.needs_approval(make_gate(), text)


def test_spoken_text_needs_approval_wherever_it_could_mean_yes(sessions: VoiceSessions) -> None:
    free = make_gate(choices=(), tier="routine")
    assert not sessions.needs_approval(free, "use the other folder")
    assert sessions.needs_approval(free, "yes")
    assert sessions.needs_approval(replace(free, tier="harmful"), "use the other folder")
    assert sessions.needs_approval(make_gate(tier="routine"), "use the other folder")


def test_gate_that_became_harmful_after_it_was_read_without_a_word_has_changed(sessions: VoiceSessions) -> None:
    gate, session = make_gate(tier="routine"), sessions.open()
    _, receipt = read_out(sessions, session, gate)
    sessions.heard(session, "I approve", 0.9, receipt)
    assert condition(sessions, session, replace(gate, tier="harmful")) == "changed"
