"""Gates and plans in conversation: read whole, reported, decided by the engine; rejecting works at once."""

import pytest
from talk import Talk, agent, gate, plan

from voice.dialogue.inputs import Done, Failed, Happened, SpeechBegan, SpeechEnded
from voice.dialogue.requests import ConfirmPlayed, ReadAloud, ReportHeard, ResolveGate, ResolvePlan, Silence


def opened(talk: Talk, *gates: dict) -> None:
    talk.snapshot["gates"] += gates
    talk.put(Happened({"id": 1, "type": "gate:triggered", "ts": "", "data": {"agentName": "backend"}}))


def test_new_gate_is_read_without_being_asked_with_effects_first_and_its_word_last() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    assert talk.requests == (ReadAloud("gate", "g-backend-Apollo"),)
    talk.open_reading(talk.of(ReadAloud)[0])
    said = talk.said
    assert said.index("backend in Apollo") < said.index("deletes build") < said.index("rm, dash r f, build")
    assert said.endswith("The word is tango.")
    assert not {"approve", "yes", "allow", "accept", "proceed"} & set(said.lower().replace(",", "").split())


def test_reading_that_was_cut_off_gives_no_receipt() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.open_reading(talk.of(ReadAloud)[0])
    talk.cut_off()
    assert not talk.of(ConfirmPlayed)
    talk.hear("I approve, tango")
    assert talk.of(ReportHeard)[0].receipt is None


def test_approval_is_reported_with_the_receipt_and_then_asked_of_the_engine() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.now += 1
    talk.hear("I approve, tango")
    report, resolve = talk.requests
    assert isinstance(report, ReportHeard) and report.receipt and set(report.score) == {"tango", "cedar", "no"}
    assert isinstance(resolve, ResolveGate) and resolve.decision == "approve" and resolve.gate_id == "g-backend-Apollo"
    talk.snapshot["gates"].clear()
    talk.put(Done(resolve, {}))
    assert talk.said == "Done. backend goes on."


def test_words_begun_before_the_receipt_are_reported_without_it() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    began = talk.now
    talk.now += 5
    talk.read_out()
    talk.hear("I approve, tango", began_at=began)
    assert talk.of(ReportHeard)[0].receipt is None


def test_bare_yes_and_talk_about_approving_resolve_nothing() -> None:
    for words in (
        "yes",
        "sure, but which folder is that?",
        "should I approve it?",
        "he said approve it",
        "maybe approve it",
    ):
        talk = Talk()
        opened(talk, gate("backend"))
        talk.read_out()
        talk.hear(words)
        assert not talk.of(ResolveGate), words
        talk.put(Done(talk.of(ReportHeard)[0], {"verdict": "neither"}))
        assert not talk.of(ResolveGate) and talk.said, words
        assert "approve" not in talk.said.lower()


@pytest.mark.parametrize("words", ["for heaven's sake leave that alone", "that does not read the gate"])
def test_negation_that_no_sentence_fits_holds_back_and_says_how_to_refuse(words: str) -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.hear(words)
    talk.put(Done(talk.of(ReportHeard)[0], {"verdict": "refuses"}))
    assert not talk.of(ResolveGate)
    assert "reject it" in talk.said


def test_rejecting_works_at_once_even_while_it_is_read() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.open_reading(talk.of(ReadAloud)[0])
    talk.hear("no")
    resolve = talk.of(ResolveGate)[0]
    assert resolve.decision == "reject"
    talk.snapshot["gates"].clear()
    talk.put(Done(resolve, {}))
    assert talk.of(Silence) and "Refused" in talk.said


def test_stop_while_reading_is_silence_and_decides_nothing() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.open_reading(talk.of(ReadAloud)[0])
    talk.hear("stop reading")
    assert talk.of(Silence) and not talk.of(ResolveGate)
    assert len(talk.snapshot["gates"]) == 1


def test_refusal_of_the_engine_is_said_by_its_condition() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.hear("I approve, pineapple")
    talk.put(Failed(talk.of(ResolveGate)[0], "engine's own words", "wrong_word"))
    assert talk.said == "That was not the word. Nothing was done."


def test_unknown_word_is_refused_by_the_engines_condition() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    talk.hear("I approve, cedar")
    assert not talk.of(ResolveGate)
    talk.put(Done(talk.of(ReportHeard)[0], {"verdict": "neither", "condition": "wrong_word"}))
    assert talk.said == "That was not the word. Nothing was done."


def test_screen_only_gate_says_so_and_can_be_rejected() -> None:
    talk = Talk()
    opened(talk, gate("backend", screenOnly="it touches your home folder"))
    talk.read_out()
    talk.hear("approve it")
    assert not talk.of(ResolveGate) and "only on a screen" in talk.said
    talk.hear("reject it")
    assert talk.of(ResolveGate)[0].decision == "reject"


def test_several_gates_are_announced_as_one_sentence() -> None:
    talk = Talk()
    talk.put(SpeechBegan())
    opened(talk, gate("backend"), gate("codex"), gate("kube-proxy", "Zephyr"))
    assert not talk.says and not talk.requests
    talk.put(SpeechEnded())
    assert talk.said == "Three agents are waiting: backend, codex and kube proxy."


def test_several_gates_and_no_name_are_asked_about() -> None:
    talk = Talk()
    opened(talk, gate("backend"), gate("codex"))
    talk.hear("reject it")
    assert not talk.of(ResolveGate) and talk.said.startswith("Which one")
    talk.hear("the second one")
    assert talk.of(ResolveGate)[0].gate_id == "g-codex-Apollo"


def test_exact_name_wins_over_what_was_read_last() -> None:
    talk = Talk()
    talk.snapshot["agents"] += [agent("B-04"), agent("AB-04")]
    opened(talk, gate("B-04"), gate("AB-04"))
    talk.hear("read the gate of A B four")
    talk.read_out()
    talk.hear("approve b oh four")
    assert talk.of(ResolveGate)[0].agent == "B-04"


def test_nothing_is_announced_for_ten_seconds_after_a_reading_nor_while_quiet_is_on() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.read_out()
    opened(talk, gate("codex"))
    talk.wait(9)
    assert not talk.requests
    talk.wait(2)
    assert talk.requests == (ReadAloud("gate", "g-codex-Apollo"),)
    talk = Talk()
    talk.hear("be quiet for ten minutes")
    opened(talk, gate("backend"))
    talk.wait(599)
    assert not talk.requests
    talk.wait(2)
    assert talk.of(ReadAloud)


def test_gate_decided_elsewhere_ends_its_reading() -> None:
    talk = Talk()
    opened(talk, gate("backend"))
    talk.open_reading(talk.of(ReadAloud)[0])
    talk.snapshot["gates"].clear()
    talk.put(Happened({"id": 2, "type": "gate:resolved", "ts": "", "data": {}}))
    assert talk.of(Silence) and "decided already" in talk.said


def test_plan_is_read_with_its_exact_message_and_it_means_the_plan() -> None:
    talk = Talk()
    talk.snapshot["plans"].append(plan(1))
    talk.hear("read plan one")
    talk.read_out(word=None)
    assert talk.state.it == ("plan", "pl-1")
    talk.hear("approve it")
    assert talk.of(ResolvePlan)[0].decision == "approve"
    talk.hear("reject the plan because it is too early")
    assert talk.of(ResolvePlan)[0].reason == "it is too early"
    talk.hear("reject plan four")
    assert not talk.of(ResolvePlan) and "no plan" in talk.said


def test_keyboard_neither_approves_nor_answers_and_names_the_command_that_does() -> None:
    talk = Talk(by_voice=False)
    talk.snapshot["gates"].append(gate("backend"))
    talk.hear("approve it")
    assert not talk.requests and "conduit approve g-backend-Apollo" in talk.said
    talk.hear("answer backend with yes")
    assert not talk.requests and "conduit answer g-backend-Apollo" in talk.said
