"""Every phrase of a language can be said, none in or after a reading could consent, and moves obey their table."""

import re
from pathlib import Path

import pytest
from talk import ENGLISH, gate, plan

from voice.dialogue import phrasing, reading
from voice.dialogue.requests import Say
from voice.dialogue.state import MOVES, IllegalPhase, State
from voice.understand.fold import words

BEFORE_READINGS = {"help", "ask.approve"}  # said only where nothing was read


def test_no_phrase_in_or_after_a_reading_holds_a_word_of_consent() -> None:
    for key, phrase in ENGLISH.say.items():
        texts = [phrase] if isinstance(phrase, str) else list(phrase.values())
        for text in texts:
            spoken = set(words(re.sub(r"\{[a-z_]*\}", "", text)))
            assert key in BEFORE_READINGS or not spoken & ENGLISH.consent, (key, text)


def test_every_phrase_that_the_code_names_exists() -> None:
    root = Path(phrasing.__file__).parents[1]
    named = set()
    for path in root.rglob("*.py"):
        named |= set(re.findall(r'(?:Say|phrase)\(\s*"([a-z_.]+)"', path.read_text("utf-8")))
    composed = {"reading.gate", "reading.plan", "status.overview", "plans.list", "sessions.list", "away.summary"}
    assert named - composed <= set(ENGLISH.say)
    for condition in (
        "not_read",
        "stale",
        "not_said",
        "negated",
        "wrong_word",
        "unsure",
        "ambiguous",
        "changed",
        "closed",
        "spent",
        "screen_only",
    ):
        assert f"refused.{condition}" in ENGLISH.say


def test_choice_labels_with_words_of_consent_are_said_by_what_they_do() -> None:
    choices = [
        {"label": "Yes, and don't ask again", "kind": "always", "sends": ""},
        {"label": "Approve with comments", "kind": "other", "sends": ""},
        {"label": "Show the diff", "kind": "other", "sends": ""},
        {"label": "No", "kind": "reject", "sends": ""},
    ]
    said = ENGLISH.render(reading.gate_reading(gate("backend", choices=choices), None, None))
    assert not set(words(said)) & ENGLISH.consent
    assert "Show the diff" in said and "refusing" in said


def test_secret_and_hidden_and_begun_are_named_in_a_reading() -> None:
    view = gate("backend", secretsMasked=True, mayHaveBegun=True, screenOnly="a hidden character", speakable=False)
    said = ENGLISH.render(reading.gate_reading(view, None, None))
    for part in ("secret in it is not read", "may have begun", "only on a screen", "hidden character"):
        assert part in said


def test_plan_reading_holds_the_message_whole() -> None:
    said = ENGLISH.render(reading.plan_reading(plan(2, proposedMessage="first do this and then do that")))
    assert "Plan 2 for codex" in said and "first do this and then do that" in said


def test_exact_text_is_not_touched_where_it_is_read_on_a_screen() -> None:
    view = gate("backend", command="cd ..  &&  ls")
    assert "cd ..  &&  ls" in ENGLISH.render(reading.gate_reading(view, None, None), aloud=False)


def test_counts_are_words_aloud_and_figures_on_a_screen() -> None:
    say = Say("broadcast.sent", {"project": "Apollo", "count": 3})
    assert ENGLISH.render(say) == "Sent to three agents."
    assert ENGLISH.render(say, aloud=False) == "Sent to 3 agents."


def test_phase_that_the_table_lacks_is_refused_and_changes_nothing() -> None:
    state = State(phase="asleep")
    with pytest.raises(IllegalPhase):
        state.to("choosing")
    assert state.phase == "asleep"
    for phase, targets in MOVES.items():
        for target in targets:
            assert State(phase=phase).to(target).phase == target
