"""German consent holds the same conditions as English: each is seen to refuse, and there is one way through."""

import pytest
from gate_fakes import make_gate

from engine.domain.errors import ConsentRefused
from engine.domain.gates import Gate
from engine.gates.consent import VoiceSessions, gate_subject
from engine.gates.consent.readings import Reading
from engine.ports.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sessions(clock: FakeClock) -> VoiceSessions:
    return VoiceSessions(clock, "de")


def read(sessions: VoiceSessions, gate: Gate, session: str) -> tuple[Reading, str]:
    reading = sessions.reading(session, gate_subject(gate, ("backend",)))
    return reading, sessions.played(session, reading.id)


def scores(reading: Reading, *, best: str | None = None) -> dict[str, float]:
    """As the sound gives them: the word that was said far ahead of every other word and refusal."""
    said = best or reading.word
    return {word: -2.0 if word == said else -40.0 for word in (*reading.words, *reading.refusals)}


def refused(sessions: VoiceSessions, session: str, gate: Gate) -> str:
    with pytest.raises(ConsentRefused) as caught:
        sessions.approve(session, gate)
    assert "approve" not in str(caught.value)  # the sentence is German
    return caught.value.condition


def test_german_approval_with_its_word_approves_once(sessions: VoiceSessions) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read(sessions, gate, session)
    text = f"Ich genehmige, {reading.word}."
    assert sessions.heard(session, text, 0.9, receipt, scores(reading)).verdict == "approves"
    assert sessions.approve(session, gate) == text
    assert refused(sessions, session, gate) == "spent"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Ich genehmige nicht, {word}", "refuses"),
        ("Nein, ich genehmige, {word}", "refuses"),
        ("Ich genehmige, {word}, nein warte", "refuses"),
        ("Vielleicht genehmige ich, {word}", "neither"),
        ("Ich würde genehmigen, {word}", "neither"),
        ("Er sagt, ich genehmige, {word}", "neither"),
        ("Ich genehmige, {word}?", "neither"),
        ("Genehmige immer, {word}", "neither"),
        ("Ja", "neither"),
        ("{word}", "neither"),
        ("I approve, {word}", "neither"),
    ],
)
def test_german_words_that_are_no_plain_approval_approve_nothing(
    sessions: VoiceSessions, said: str, verdict: str
) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read(sessions, gate, session)
    text = said.format(word=reading.word)
    assert sessions.heard(session, text, 0.9, receipt, scores(reading)).verdict == verdict
    assert refused(sessions, session, gate) in ("not_said", "negated", "wrong_word", "unsure")


def test_german_approval_holds_every_condition(sessions: VoiceSessions, clock: FakeClock) -> None:
    gate, session = make_gate(), sessions.open()
    assert refused(sessions, session, gate) == "not_read"
    reading = sessions.reading(session, gate_subject(gate, ("backend",)))
    approval = f"Ich genehmige, {reading.word}"
    assert sessions.heard(session, approval, 0.9, None, scores(reading)).condition == "not_read"
    reading, receipt = read(sessions, gate, session)
    assert refused(sessions, session, gate) == "not_said"
    approval = f"Ich genehmige, {reading.word}"
    assert sessions.heard(session, approval, 0.1, receipt, scores(reading)).condition == "unsure"
    other = next(word for word in reading.words if word != reading.word)
    wrong = sessions.heard(session, f"Ich genehmige, {other}", 0.9, receipt, scores(reading, best=other))
    assert wrong.condition == "wrong_word"
    unlike = sessions.heard(session, approval, 0.9, receipt, scores(reading, best=other))
    assert unlike.verdict == "neither"  # the sound says another word than the transcript


def test_german_approval_goes_stale(sessions: VoiceSessions, clock: FakeClock) -> None:
    gate, session = make_gate(), sessions.open()
    reading, receipt = read(sessions, gate, session)
    clock.advance(60.1)
    late = sessions.heard(session, f"Ich genehmige, {reading.word}", 0.9, receipt, scores(reading))
    assert late.verdict == "neither"
    assert refused(sessions, session, gate) == "stale"
