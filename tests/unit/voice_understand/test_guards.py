"""Nothing but a plain approval is ever taken for one, whatever surrounds it and whatever the n-best list says."""

from hypothesis import given, settings
from hypothesis import strategies as st

from voice.understand.fold import words
from voice.understand.grammar import desk
from voice.understand.intents import AskWhich, Intent, Text, Understanding, Unfinished, UnknownName

DESK = Understanding.of(desk(), {"agents": ["backend", "codex", "api-gateway", "api_gateways"], "projects": ["Apollo"]})
APPROVING = {"gate.approve", "plan.approve"}
FORMS = {"approve", "accept", "allow", "permit"}
DENIALS = ["not", "don't", "never", "no", "nobody", "won't", "can't", "cannot", "without"]
DOUBTS = [
    "maybe",
    "perhaps",
    "if",
    "when",
    "should",
    "could",
    "would",
    "might",
    "why",
    "who",
    "later",
    "he said",
    "I think",
    "guess",
]
SENTENCES = [
    "approve it",
    "I approve",
    "approve the gate",
    "approve backend",
    "I approve the plan",
    "approve plan two",
    "I approve, tango",
]
VOCABULARY = [
    "approve",
    "I",
    "the",
    "gate",
    "plan",
    "it",
    "backend",
    "tango",
    "yes",
    "okay",
    "not",
    "never",
    "maybe",
    "tell",
    "to",
    "run",
    "two",
    "reject",
    "stop",
    "cancel",
    "please",
    "apollo",
    "read",
    "what",
    "is",
    "approval",
    "prove",
    "improve",
    "a",
    "for",
]


def _name(understood: object) -> str | None:
    return understood.name if isinstance(understood, Intent) else None


@given(st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join))
@settings(max_examples=400, deadline=None)
def test_text_without_an_approving_form_never_approves(text: str) -> None:
    name = _name(DESK.understand_text(text))
    if name in APPROVING:
        assert FORMS & set(words(text)), text
        assert not {"not", "never", "maybe", "what", "is", "reject", "stop", "cancel"} & set(words(text)), text


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_at_all_is_understood_or_not_but_never_an_approval_by_accident(text: str) -> None:
    assert _name(DESK.understand_text(text)) not in APPROVING or FORMS & set(words(text))


@given(st.sampled_from(SENTENCES), st.sampled_from(DENIALS + DOUBTS), st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_one_denying_or_doubting_word_anywhere_takes_the_approval_away(sentence: str, word: str, place: int) -> None:
    spoken = sentence.split()
    spoken.insert(min(place, len(spoken)), word)
    assert _name(DESK.understand_text(" ".join(spoken))) not in APPROVING


@given(st.sampled_from(SENTENCES))
@settings(max_examples=20, deadline=None)
def test_a_question_or_a_quotation_approves_nothing(sentence: str) -> None:
    assert _name(DESK.understand_text(sentence + "?")) not in APPROVING
    assert _name(DESK.understand_text(f'"{sentence}"')) not in APPROVING


def test_denial_in_any_transcript_of_the_list_takes_the_approval_away() -> None:
    readings = (Text("approve it", -0.2, 0.8), Text("don't approve it", -0.25, 0.78))
    assert _name(DESK.understand(readings)) not in APPROVING


def test_approval_in_a_worse_transcript_is_none() -> None:
    readings = (Text("improve it", -0.2, 0.8), Text("approve it", -0.21, 0.8))
    assert _name(DESK.understand(readings)) not in APPROVING


def test_denied_command_is_not_saved_by_a_worse_transcript_that_lost_the_denial() -> None:
    readings = (Text("don't stop backend", -0.2, 0.8), Text("stop backend", -0.21, 0.8))
    assert _name(DESK.understand(readings)) is None


def test_worse_transcript_helps_where_the_best_means_nothing() -> None:
    readings = (Text("tell pecan to run", -0.3, 0.7), Text("tell backend to run", -0.35, 0.7))
    understood = DESK.understand(readings)
    assert _name(understood) == "agent.tell"


def test_near_name_is_asked_about_and_never_acted_on() -> None:
    understood = DESK.understand_text("stop bagend")
    assert isinstance(understood, AskWhich)
    assert [candidate.slots["agent"] for candidate in understood.candidates] == ["backend"]


def test_exact_name_wins_over_one_that_sounds_alike() -> None:
    assert DESK.understand_text("stop api gateways") == Intent("agent.stop", {"agent": "api_gateways"}, 1.0)
    assert DESK.understand_text("stop A.P.I. gateway") == Intent("agent.stop", {"agent": "api-gateway"}, 1.0)


def test_unknown_name_is_named_back() -> None:
    assert DESK.understand_text("tell Paris to run") == UnknownName("agent", "Paris")


def test_command_that_breaks_off_is_unfinished_and_keeps_its_slots() -> None:
    assert DESK.understand_text("tell backend to") == Unfinished({"agent": "backend"})


def test_completeness_tells_whole_commands_from_open_and_dangling_ones() -> None:
    assert DESK.completeness("what is waiting") == "complete"
    assert DESK.completeness("tell backend to run the tests") == "open"
    assert DESK.completeness("tell backend to") == "dangling"
    assert DESK.completeness("tell backend to run it and") == "dangling"
    assert DESK.completeness("approve the gate for") == "dangling"
    assert DESK.completeness("blue skies") == "open"
