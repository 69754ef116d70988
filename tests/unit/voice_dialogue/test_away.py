"""What happened while the user was away, told in under 20 seconds: the most urgent first, the rest by counts."""

from typing import Any

import pytest
from talk import Talk, agent, gate, plan

from voice.dialogue import phrasing
from voice.dialogue.inputs import Happened

MOST_WORDS = 40  # about 17 seconds of speech at the usual speed; measured by scripts/bench/away


def happen(talk: Talk, kind: str, data: dict[str, Any]) -> None:
    talk.put(Happened({"id": 1, "type": kind, "ts": "", "data": data}))


def stops(talk: Talk, name: str, state: str, number: int = 1) -> None:
    found = agent(name, status="stopped")
    run: Any = {"agentId": found["id"], "number": number, "state": state, "agentName": name}
    talk.snapshot["sessions"].append(run)
    happen(talk, "agent:status", {"agent": found})


def test_open_question_comes_first_then_failures_plans_what_is_done_and_counts() -> None:
    talk = Talk()
    happen(talk, "groupchat:message", {"projectId": "p", "entry": {"role": "agent", "sender": "x", "text": "hi"}})
    happen(talk, "gate:resolved", {"gate": gate("codex")})
    stops(talk, "docs", "finished")
    stops(talk, "nemo", "failed", 2)
    talk.snapshot["gates"].append(gate("backend"))
    talk.snapshot["plans"].append(plan(1))
    talk.hear("what happened while I was away")
    assert talk.said == (
        "Backend waits for an answer. Nemo failed. One plan waits. Docs is done. "
        "One decision made and one line in the chat."
    )


def test_long_history_is_told_in_under_twenty_seconds() -> None:
    talk = Talk()
    for number in range(60):
        name = f"PaymentService{chr(65 + number % 26)}"
        happen(talk, "gate:resolved", {"gate": gate(name)})
        happen(talk, "plan:resolved", {"decision": "approve"})
        happen(talk, "groupchat:message", {"projectId": "p", "entry": {"role": "agent", "sender": name, "text": "x"}})
        stops(talk, f"{name}{number}", ("failed", "finished", "halted")[number % 3], number)
        talk.snapshot["gates"].append(gate(f"{name}{number}"))
        talk.snapshot["plans"].append(plan(number))
    talk.hear("what happened while I was away")
    (say,) = talk.says
    for language in phrasing.languages():
        said = phrasing.load(language).render(say)
        assert len(said.split()) <= MOST_WORDS, said
        assert "60" in said and "20" in said, said
    assert "60" in phrasing.load("en").render(say).split(".")[0]  # what waits comes first


def test_what_was_told_is_not_told_again_and_repeat_says_it_once_more() -> None:
    talk = Talk()
    stops(talk, "docs", "failed")
    talk.hear("what did I miss")
    first = talk.said
    assert "Docs failed." in first
    talk.hear("repeat that")
    assert talk.said == first
    talk.hear("what did I miss")
    assert talk.said == "Nothing waits for you. Nothing else happened."


def test_agent_that_failed_and_is_done_by_now_counts_as_done_and_one_that_works_is_no_news() -> None:
    talk = Talk()
    stops(talk, "docs", "failed", 1)
    happen(talk, "agent:status", {"agent": agent("docs", status="running")})
    happen(talk, "agent:status", {"agent": agent("docs", status="awaiting_input")})
    happen(talk, "agent:status", {"agent": agent("codex", status="running")})
    talk.hear("what did I miss")
    assert talk.said == "Docs is done."


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("groupchat:message", {"entry": {"role": "user", "sender": "you", "text": "hello"}}),
        ("voice:state", {"listening": "off"}),
        ("org:changed", {"agent": {}}),
        ("agent:status", {}),
    ],
)
def test_own_words_and_housekeeping_are_no_news(kind: str, data: dict[str, Any]) -> None:
    talk = Talk()
    happen(talk, kind, data)
    talk.hear("what did I miss")
    assert talk.said == "Nothing waits for you. Nothing else happened."
