"""Twenty races of voice and page for one gate; `scripts/bench/race` runs more."""

import random
from pathlib import Path

import pytest
from support.desk import Desk
from support.race import race

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]
TIMES = 20


def test_voice_and_page_racing_for_a_gate_deliver_exactly_once(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        outcome = race(desk, agent, tmp_path / "work", TIMES, random.Random(7))
    assert outcome.races == TIMES
    assert outcome.good(), outcome
