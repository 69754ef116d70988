"""Two agents of one name: whatever is wanted of them, it is asked which one, and only the one picked is touched."""

import pytest
from talk import Talk, agent, gate

from voice.dialogue.requests import FetchOutput, ReadAloud, ResolveGate, RunAgent, Tell

COMMANDS = [
    ("tell backend to run the tests", Tell),
    ("stop backend", RunAgent),
    ("start backend", RunAgent),
    ("restart backend", RunAgent),
    ("what did backend say", FetchOutput),
    ("read the gate of backend", ReadAloud),
    ("reject backend", ResolveGate),
]
PICKS = ["Zephyr", "the one in Zephyr", "the second one", "number two", "backend in Zephyr", "the last one", "2"]


def two_backends() -> Talk:
    talk = Talk()
    talk.snapshot["agents"].append(agent("backend", "Zephyr"))
    talk.snapshot["gates"] += [gate("backend"), gate("backend", "Zephyr")]
    talk.hear("be quiet for an hour")
    return talk


@pytest.mark.parametrize(("words", "kind"), COMMANDS)
def test_command_for_one_of_two_is_asked_about_and_goes_to_the_one_picked(words: str, kind: type) -> None:
    talk = two_backends()
    talk.hear(words)
    assert talk.said == "Which one: backend in Apollo or backend in Zephyr?"
    assert not talk.of(kind)
    talk.hear("Zephyr")
    if not talk.of(kind):
        talk.play()
        talk.wait(4)
    (request,) = talk.of(kind)
    assert "Zephyr" in (getattr(request, "project_id", "") or request.id)


@pytest.mark.parametrize("pick", PICKS)
def test_one_of_two_is_picked_by_place_or_project(pick: str) -> None:
    talk = two_backends()
    talk.hear("restart backend")
    talk.hear(pick)
    assert talk.said.startswith("Restarting backend in Zephyr"), talk.said


@pytest.mark.parametrize("words", ["restart backend in Zephyr", "restart backend of project Zephyr"])
def test_project_said_with_the_name_is_not_asked_about(words: str) -> None:
    talk = two_backends()
    talk.hear(words)
    assert talk.said.startswith("Restarting backend in Zephyr")


def test_project_in_focus_decides_between_two_of_one_name() -> None:
    talk = two_backends()
    talk.hear("switch to Zephyr")
    talk.hear("restart backend")
    assert talk.said.startswith("Restarting backend in Zephyr")


@pytest.mark.parametrize("pick", ["yes", "maybe", "the third one", "neither"])
def test_answer_that_picks_none_touches_neither(pick: str) -> None:
    talk = two_backends()
    talk.hear("stop backend")
    talk.hear(pick)
    talk.wait(10)
    assert not talk.of(RunAgent) and not talk.state.pending
