"""The stages of a reply: they add up, and belong to the reply alone."""

import pytest

from voice.loop.stages import Stages


def test_stages_add_up_to_the_time_from_speech_to_reply() -> None:
    stages = Stages()
    stages.heard(10.0, 10.35, {"recognise": 250.0, "encode": 100.0, "decode": 140.0, "wait": 50.0})
    stages.said("a", 10.36)
    told = stages.started("a", 10.5)
    assert told is not None
    assert told["total"] == pytest.approx(500.0)
    assert sum(told[name] for name in ("silence", "wait", "answer", "voice")) == pytest.approx(told["total"])
    assert told["recognise"] == 250.0


def test_only_the_first_sentence_after_a_turn_is_its_reply() -> None:
    stages = Stages()
    stages.heard(10.0, 10.3, {})
    stages.said("a", 10.31)
    stages.said("b", 10.32)
    assert stages.started("b", 11.0) is None
    assert stages.started("a", 10.4) is not None
    assert stages.started("a", 12.0) is None, "a sentence that is played anew is told of once"


def test_what_is_said_without_being_asked_has_no_stages() -> None:
    stages = Stages()
    stages.said("a", 5.0)
    assert stages.started("a", 5.1) is None
