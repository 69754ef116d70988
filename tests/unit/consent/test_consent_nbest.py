"""Several readings of one sound: only the first can approve, and any of them can refuse."""

import pytest
from gate_fakes import make_gate, read_out, scores

from engine.domain.errors import ConsentRefused
from engine.gates.consent import VoiceSessions
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


@pytest.mark.parametrize("first", ["Approve it, Crocker Nile.", "I prove {w}.", "High approved {w}."])
def test_approval_that_was_only_a_later_reading_never_counts(first: str) -> None:
    assert judge(first, "I approve, {w}.") is None


def test_first_reading_that_approves_is_kept_as_it_was_written() -> None:
    assert judge("I approve, {w}.", "I prove, {w}.") == "I approve, {w}."


@pytest.mark.parametrize("against", ["I don't approve, {w}.", "I disapprove, {w}.", "No, {w}."])
@pytest.mark.parametrize("place", [0, 1])
def test_reading_that_refuses_takes_the_approval_away(against: str, place: int) -> None:
    later = ["I proof {w}."]
    later.insert(place, against)
    assert judge("I approve, {w}.", *later) is None
