"""Ten kills of each kind; `scripts/bench/kills` does more."""

import random
from pathlib import Path

import pytest
from support.desk import Desk
from support.kills import (
    kill_engine_at_gate,
    kill_engine_mid_write,
    kill_holder_at_gate,
    kill_voice_mid_sentence,
)
from support.soundcard import SoundCard

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]
TIMES = 10


def test_engine_killed_mid_write_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        outcome = kill_engine_mid_write(desk, agent, TIMES, random.Random(7))
    assert outcome.acknowledged > 0
    assert outcome.good(), outcome


def test_engine_killed_at_a_gate_leaves_it_frozen_and_open(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        outcome = kill_engine_at_gate(desk, agent, tmp_path / "work", TIMES)
    assert outcome.good(), outcome


def test_killed_holder_takes_its_tree_along_and_nothing_runs(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        outcome = kill_holder_at_gate(desk, agent, tmp_path / "work", TIMES)
    assert outcome.good(), outcome


def test_voice_killed_in_the_middle_of_a_reading_changes_nothing_and_reads_again(tmp_path: Path) -> None:
    with SoundCard() as card, Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        outcome = kill_voice_mid_sentence(desk, agent, card, TIMES)
    assert outcome.acknowledged == TIMES
    assert outcome.good(), outcome
