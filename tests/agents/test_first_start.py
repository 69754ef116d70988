"""Agents in a folder that they do not know yet, in a home without a user's file: what they ask first is the user's."""

from contextlib import suppress
from typing import Any

import pytest
from agents.ground import LIMIT, Ground
from agents.install import binary
from support.desk import until

from engine.domain.errors import Conflict

pytestmark = [pytest.mark.agents, pytest.mark.system]
MODEL = ("-m", "gemini-3.8-flash")


def installed(cli: str) -> str:
    program = binary(cli)
    if program is None:
        pytest.skip(f"{cli} is not installed; run: python tests/agents/install.py {cli}")
    return str(program)


@pytest.mark.parametrize(("cli", "flags"), [("gemini", MODEL), ("codex", ())])
def test_terminal_asks_whether_the_folder_is_trusted(cli: str, flags: tuple[str, ...]) -> None:
    with Ground(cli, command=[installed(cli), *flags], first_start=True) as ground:
        ground.begin()
        gate = ground.gate()
        assert "trust" in gate["prompt"].lower()
        assert gate["source"] == "regex"
        assert ground.view()["frozen"]
        assert ground.running() == []
        until(lambda: gone(ground, approved(ground)), "the question to go", LIMIT)
        assert ground.view()["status"] != "stopped"


@pytest.mark.parametrize(("cli", "flags"), [("gemini", MODEL), ("codex", ()), ("opencode", ())])
def test_protocol_asks_nothing_first_and_asks_before_it_deletes(cli: str, flags: tuple[str, ...]) -> None:
    installed(cli)
    with Ground(cli, flags=flags, first_start=True) as ground:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        gate = ground.gate()
        assert "rm -rf build" in (gate["command"] or gate["prompt"])
        assert (ground.build / "old.o").exists()
        ground.decide(gate, "reject")
        assert (ground.build / "old.o").exists()


def approved(ground: Ground) -> dict[str, Any] | None:
    """Approve what is asked. A screen may be frozen while it is drawn: the whole question is then a gate of its own."""
    gate: dict[str, Any] | None = ground.view()["pendingGate"]
    if gate is not None:
        with suppress(Conflict):
            ground.decide(gate, "approve")
    return gate


def gone(ground: Ground, gate: dict[str, Any] | None) -> bool:
    shown = ground.desk.client().output(**ground.who, lines=60)["text"]
    return gate is None and "Do you trust" not in shown
