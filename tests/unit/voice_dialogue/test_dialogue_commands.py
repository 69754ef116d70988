"""Commands in conversation: read back, undone in time, asked about where several fit; names come from the engine."""

import pytest
from talk import ENGLISH, Talk, agent, gate

from voice.dialogue.inputs import Done, Dropped, EngineBack, EngineGone, Failed, SpeechBegan, SpeechEnded, Woken
from voice.dialogue.requests import (
    Broadcast,
    CancelMessage,
    ChangeManner,
    FetchPolicy,
    ReadAloud,
    ReportHeard,
    RunAgent,
    RunSession,
    Tell,
)
from voice.dialogue.window import shown


def test_dictated_message_is_read_back_and_sent_after_its_window() -> None:
    talk = Talk()
    talk.hear("Tell the back end to rename getUser.")
    assert talk.said.startswith("To backend: rename get")
    assert not talk.of(Tell)
    talk.play()
    talk.wait(2.9)
    assert not talk.of(Tell)
    talk.wait(0.2)
    assert talk.of(Tell)[0].text == "rename getUser"
    talk.put(Done(talk.of(Tell)[0], {"messageId": "m-1", "state": "delivered"}))
    assert talk.said == "Sent to backend."


def test_cancel_in_the_window_really_stops_the_message() -> None:
    for words in ("cancel that", "no", "never mind", "stop", "no, wait"):
        talk = Talk()
        talk.hear("tell backend to delete everything")
        talk.play()
        talk.wait(1)
        talk.hear(words)
        assert "Cancelled" in talk.said, words
        talk.wait(60)
        assert not talk.of(Tell), words


def test_undo_window_is_shown_with_the_seconds_that_are_left_and_goes_with_it() -> None:
    talk = Talk()
    assert shown(talk.state, talk.now, ENGLISH) is None
    talk.hear("tell backend to run the tests with dash dash dry run")
    assert shown(talk.state, talk.now, ENGLISH) == "To backend: run the tests with --dry-run. (say cancel to stop it)"
    talk.play()
    assert "(in 3 s; say cancel to stop it)" in str(shown(talk.state, talk.now, ENGLISH))
    talk.wait(1.5)
    assert "in 2 s" in str(shown(talk.state, talk.now, ENGLISH))
    talk.hear("cancel that")
    assert shown(talk.state, talk.now, ENGLISH) is None


def test_cancel_that_began_in_the_window_and_was_understood_after_it_still_stops_the_message() -> None:
    talk = Talk()
    talk.hear("tell backend to delete everything")
    talk.play()
    talk.wait(2.9)
    talk.put(SpeechBegan())
    talk.wait(1.5)
    assert not talk.of(Tell)
    talk.hear("cancel that")
    assert "Cancelled" in talk.said
    talk.wait(60)
    assert not talk.of(Tell)


@pytest.mark.parametrize("noise", [True, False])
def test_message_is_sent_once_speech_in_its_window_was_no_cancel(noise: bool) -> None:
    talk = Talk()
    talk.hear("tell backend to run the tests")
    talk.play()
    talk.wait(2.9)
    talk.put(SpeechBegan())
    talk.wait(1.5)
    if noise:
        talk.put(SpeechEnded())
    else:
        talk.hear("what is waiting")
    talk.wait(0.1)
    assert len(talk.of(Tell)) == 1


def test_microphone_that_is_lost_in_the_middle_of_a_word_holds_no_message_for_good() -> None:
    talk = Talk()
    talk.hear("tell backend to run the tests")
    talk.play()
    talk.put(SpeechBegan())
    talk.wait(30)
    assert not talk.of(Tell)
    talk.wait(11)
    assert len(talk.of(Tell)) == 1


def test_cancel_takes_back_the_last_of_several_messages_first() -> None:
    talk = Talk()
    for text in ("tell backend to run", "tell codex to wait"):
        talk.hear(text)
        talk.play()
    talk.hear("cancel that")
    assert talk.said == "Cancelled: wait."
    talk.wait(4)
    assert [request.text for request in talk.of(Tell)] == ["run"]


@pytest.mark.parametrize("words", ["tell backend to", "tell back end to run"])
def test_question_that_is_not_answered_does_not_keep_a_gate_from_being_told(words: str) -> None:
    talk = Talk()
    talk.snapshot["agents"].append(agent("backend", "Zephyr"))
    talk.hear(words)
    assert talk.state.phase in ("completing", "choosing")
    talk.snapshot["gates"].append(gate("codex"))
    talk.wait(20)
    assert not talk.of(ReadAloud)  # an answer is still awaited
    talk.wait(10)
    talk.wait(0.1)
    assert talk.state.phase == "awake" and talk.state.awaiting_reading == ("gate", "g-codex-Apollo")


def test_queued_message_can_still_be_taken_back() -> None:
    talk = Talk()
    talk.hear("tell backend to run")
    talk.play()
    talk.wait(4)
    talk.put(Done(talk.of(Tell)[0], {"messageId": "m-1", "state": "queued"}))
    talk.hear("cancel that")
    assert talk.of(CancelMessage) == [CancelMessage("m-1", "backend")]
    talk.put(Done(talk.of(CancelMessage)[0], {"cancelled": False}))
    assert "Too late" in talk.said


def test_read_back_that_was_cut_off_still_has_its_window() -> None:
    talk = Talk()
    talk.hear("restart backend")
    talk.put(Dropped(talk.says[-1].id))
    talk.wait(2)
    assert not talk.of(RunAgent)
    talk.wait(1.5)
    assert talk.of(RunAgent)[0].verb == "restart"


def test_stop_restart_and_broadcast_are_read_back_first() -> None:
    for words, kind in (
        ("stop backend", RunAgent),
        ("restart codex", RunAgent),
        ("tell everyone in apollo to freeze", Broadcast),
    ):
        talk = Talk()
        talk.hear(words)
        assert not talk.of(kind) and "Say cancel" in talk.said, words
        talk.play()
        talk.wait(3.5)
        assert talk.of(kind), words


def test_two_agents_of_one_name_are_asked_about_until_one_is_picked() -> None:
    talk = Talk()
    talk.snapshot["agents"].append(agent("backend", "Zephyr"))
    talk.hear("tell backend to run")
    assert talk.said == "Which one: backend in Apollo or backend in Zephyr?"
    talk.hear("Zephyr")
    talk.play()
    talk.wait(4)
    assert talk.of(Tell)[0].project_id == "p-Zephyr"


def test_near_name_is_confirmed_before_it_is_used() -> None:
    talk = Talk()
    talk.hear("tell bagend to run")
    assert talk.said == "Did you mean the agent backend?"
    talk.hear("yes")
    assert talk.said == "To backend: run."


def test_message_to_an_agent_with_an_open_gate_is_not_sent() -> None:
    talk = Talk()
    talk.snapshot["agents"][0]["pendingGate"] = {"id": "g"}  # type: ignore[typeddict-item]  # its presence is what counts
    talk.hear("tell backend to go on")
    assert "Nothing was sent" in talk.said and not talk.state.pending


def test_sentence_that_breaks_off_waits_for_its_rest() -> None:
    talk = Talk()
    talk.hear("tell backend to")
    assert talk.said == "Tell backend what?"
    talk.hear("run the linter")
    assert talk.said == "To backend: run the linter."


def test_unknown_name_is_said_with_the_names_there_are() -> None:
    talk = Talk()
    talk.hear("tell paris to run")
    assert talk.said == "I know no agent called paris. There are backend, codex and kube proxy."


def test_unknown_words_are_said_back_and_every_utterance_is_reported() -> None:
    talk = Talk()
    talk.hear("make me a sandwich")
    assert talk.said == "I heard: make me a sandwich. I don't know what to do with it."
    assert talk.of(ReportHeard)[0].text == "make me a sandwich"
    talk.hear("what is waiting")
    assert talk.of(ReportHeard)[0].text == "what is waiting" and talk.said == "Nothing waits for you."


def test_repeat_says_the_last_thing_again() -> None:
    talk = Talk()
    talk.hear("what is waiting")
    first = talk.said
    talk.hear("say that again")
    assert talk.said == first


def test_speed_sleep_and_wake() -> None:
    talk = Talk()
    talk.hear("faster")
    assert talk.of(ChangeManner)[0].speed > 1
    talk.hear("slower")
    assert talk.of(ChangeManner)[0].speed < 1
    talk.hear("louder")
    assert talk.of(ChangeManner)[0].volume > 1
    talk.hear("a bit quieter")
    assert talk.of(ChangeManner)[0].volume < 1
    talk.hear("normal speed")
    assert talk.of(ChangeManner)[0].plain
    talk.hear("go to sleep")
    assert talk.state.phase == "asleep"
    talk.put(Woken(alone=True))
    assert talk.state.phase == "awake" and talk.said


def test_engine_that_is_gone_is_said_once_and_nothing_waiting_is_sent_blindly() -> None:
    talk = Talk()
    talk.hear("tell backend to run")
    talk.play()
    talk.put(EngineGone())
    assert "does not answer" in talk.said
    talk.put(EngineGone())
    assert not talk.says
    talk.wait(10)
    assert not talk.of(Tell)
    talk.put(EngineBack())
    assert talk.said == "The engine is back."
    talk.hear("how is backend")
    assert "running" in talk.said


def test_fault_of_the_engine_is_said_in_its_own_words() -> None:
    talk = Talk()
    talk.hear("start backend")
    talk.put(Failed(talk.of(RunAgent)[0], "The disk is full."))
    assert talk.said == "That did not work. The disk is full."


def test_only_a_switch_changes_the_project_in_focus() -> None:
    talk = Talk()
    talk.hear("what's new")
    assert talk.state.focus is None
    talk.hear("switch to zephyr")
    assert talk.state.focus == "p-Zephyr" and talk.said == "Now on Zephyr."


def session(number: int, state: str) -> dict[str, object]:
    return {"id": f"r-{number}", "name": f"S-{number}", "agentName": "backend", "state": state, "reason": None}


def test_session_that_is_over_is_taken_up_again_by_its_id_and_a_live_one_is_not() -> None:
    talk = Talk()
    talk.snapshot["sessions"] = [session(12, "halted"), session(13, "working")]
    talk.hear("resume session twelve")
    assert talk.of(RunSession) == [RunSession("resume", "r-12", "S-12", "backend")]
    talk.put(Done(talk.of(RunSession)[0], {}))
    assert talk.said == "S 12 goes on: backend works again."
    talk.hear("resume session thirteen")
    assert "running already" in talk.said
    assert not talk.of(RunSession)


def test_session_is_halted_after_its_window_and_kept_when_that_is_cancelled() -> None:
    talk = Talk()
    talk.snapshot["sessions"] = [session(13, "working")]
    talk.hear("halt session thirteen")
    talk.play()
    talk.hear("cancel that")
    talk.wait(10)
    assert not talk.of(RunSession)
    talk.hear("halt session thirteen")
    talk.play()
    talk.wait(4)
    assert talk.of(RunSession) == [RunSession("halt", "r-13", "S-13", "backend")]


def test_what_passes_without_a_question_is_told_as_the_engine_words_it() -> None:
    talk = Talk()
    talk.hear("what do you allow by yourself")
    assert len(talk.of(FetchPolicy)) == 1
    talk.put(Done(talk.of(FetchPolicy)[0], {"spoken": "Nothing passes without a question."}))
    assert talk.said == "Nothing passes without a question."
