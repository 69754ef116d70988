"""Several readings of one sound: the approving one counts only if none of the others stands against it."""

import pytest
from gate_fakes import make_gate, read_out, scores

from engine.domain.errors import ConsentRefused
from engine.gates.consent import VoiceSessions
from engine.gates.consent.lexicon import lexicon
from engine.ports.clock import FakeClock


def judge(first: str, *others: str, confidence: float = 0.8) -> str | None:
    """The phrase of the approval, or None when nothing was approved; "{w}" stands for the one-time word."""
    sessions, gate = VoiceSessions(FakeClock()), make_gate()
    session = sessions.open()
    reading, receipt = read_out(sessions, session, gate)
    texts = [text.format(w=reading.word) for text in (first, *others)]
    readings = [(text, confidence) for text in texts[1:]]
    sessions.heard(session, texts[0], 0.8, receipt, scores(reading), readings)
    try:
        return sessions.approve(session, gate).replace(str(reading.word), "{w}")
    except ConsentRefused:
        return None


def test_approval_that_was_only_the_second_reading_counts_and_both_are_kept() -> None:
    assert judge("Approve it, Crocker Nile.", "Approve it, {w}.") == (
        "Approve it, {w}. (first read as: Approve it, Crocker Nile.)"
    )


def test_first_reading_that_approves_is_kept_as_it_was_written() -> None:
    assert judge("I approve, {w}.", "I prove, {w}.") == "I approve, {w}."


@pytest.mark.parametrize(
    "against",
    [
        "I don't approve, {w}.",
        "I disapprove, {w}.",
        "No, {w}.",
        "I improve {w}.",
        "He approves, {w}.",
        "I approved {w}.",
        "Should I approve {w}?",
        "Should I approve {w}",
        "Maybe I approve, {w}.",
        "Say I approve, {w}.",
        "Always approve, {w}.",
        "I remove the {w}.",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_reading_that_stands_against_it_anywhere_lets_nothing_through(against: str, place: int) -> None:
    readings = ["I proof {w}.", "I approve, {w}."]
    readings.insert(place, against)
    assert judge(*readings) is None


def test_readings_that_approve_with_different_words_let_nothing_through() -> None:
    for other in lexicon("en").words:
        phrase = judge("I prove it.", "I approve, {w}.", f"I approve, {other}.")
        assert phrase is None or f"approve, {other}" not in phrase
    assert judge("I prove it.", "I approve, {w}.", "I approve it.") is None


def test_second_reading_that_is_unsure_lets_nothing_through() -> None:
    assert judge("I prove it.", "I approve, {w}.", confidence=0.3) is None
