"""What people say, and what it means: one table over every intent, its slots, its denials, hedges and questions."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from voice.understand.grammar import desk
from voice.understand.intents import Intent, Understanding

TABLE = yaml.safe_load((Path(__file__).parents[2] / "data" / "utterances.yaml").read_text("utf-8"))


def _cases() -> list[tuple[str, str | None, dict[str, Any]]]:
    found = []
    for meaning, utterances in TABLE["cases"].items():
        name, *pairs = (part.strip() for part in meaning.split(";"))
        slots = {slot: int(v) if v.isdigit() else v for slot, v in (pair.split("=", 1) for pair in pairs)}
        found += [(utterance, None if name == "none" else name, slots) for utterance in utterances]
    return found


CASES = _cases()
DESK = Understanding.of(desk(), {"agents": TABLE["agents"], "projects": TABLE["projects"]})


def test_the_table_covers_every_intent_of_the_contract() -> None:
    known = {group.intent for group in DESK.grammar.groups}
    assert known == {name for _, name, _ in CASES if name}
    assert len(CASES) >= 300


@pytest.mark.parametrize(("utterance", "name", "slots"), CASES, ids=[case[0][:60] for case in CASES])
def test_utterance_means_what_people_mean(utterance: str, name: str | None, slots: dict[str, Any]) -> None:
    understood = DESK.understand_text(utterance)
    if name is None:
        assert not isinstance(understood, Intent)
        return
    assert isinstance(understood, Intent), understood
    assert (understood.name, dict(understood.slots)) == (name, slots)
    assert understood.confidence > 0.5
