"""What is particular to Claude Code: two sources for one question, a person at its terminal, and a net that holds."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from agents.ground import LIMIT, Ground
from agents.install import binary
from support.desk import until

from engine.assembly.run import serve
from engine.client import Client
from engine.domain.errors import Conflict, Forbidden, Unauthorized
from engine.runtimes.claude_hooks.runtime import ClaudeRuntime
from engine.runtimes.claude_hooks.settings import BRIEF
from engine.runtimes.link import Link

pytestmark = [pytest.mark.agents, pytest.mark.system]

ALLOWED = ("--allowedTools", "Bash")


@pytest.fixture(autouse=True)
def _installed() -> None:
    if binary("claude") is None:
        pytest.skip("claude is not installed; run: python tests/agents/install.py claude")


@pytest.fixture
def ground() -> Iterator[Ground]:
    with Ground("claude") as ground:
        yield ground


@pytest.fixture
def allowed() -> Iterator[Ground]:
    """Its user lets every shell command through without a question."""
    with Ground("claude", flags=ALLOWED) as ground:
        yield ground


def audit(ground: Ground) -> list[dict[str, Any]]:
    return list(ground.desk.client().audit(project_id=ground.agent["projectId"]))


# one question, two sources


def test_dialog_and_hook_are_one_gate(ground: Ground) -> None:
    ground.start()
    for number in range(3):
        ground.build.mkdir(exist_ok=True)
        ground.tell(f"turn {number} SHELL{{rm -rf build}}")
        gate = ground.gate()
        assert gate["source"] == "hook"
        assert ground.view()["queuedGates"] == 0
        ground.decide(gate, "approve")
        ground.turns(2, f"turn {number}")
        ground.ready()
    assert [line["event"] for line in audit(ground)] == ["gate_approve"] * 3


def test_harmful_command_that_settings_allow_is_asked_about(allowed: Ground) -> None:
    allowed.start()
    allowed.tell("SHELL{echo fine > harmless.txt} SHELL{rm -rf build}")
    gate = allowed.gate()
    assert gate["command"] == "rm -rf build"
    assert (allowed.project / "harmless.txt").exists(), "a harmless command was asked about"
    assert allowed.build.is_dir()
    allowed.decide(gate, "reject")
    allowed.ready()
    assert allowed.build.is_dir()


def test_command_begun_with_permission_is_no_second_gate(allowed: Ground) -> None:
    allowed.start()
    allowed.tell("SHELL{rm -rf build}")
    allowed.decide(allowed.gate(), "approve")
    until(lambda: not allowed.build.exists(), "the folder to go")
    allowed.ready()
    assert [line["event"] for line in audit(allowed)] == ["gate_approve"]


# a person at the terminal


@pytest.mark.parametrize(("key", "stays"), [(b"1", False), (b"\x1b", True)])
async def test_answer_at_the_terminal_before_the_freeze_closes_the_gate_and_is_audited(
    monkeypatch: pytest.MonkeyPatch, key: bytes, stays: bool
) -> None:
    """The engine runs in here, so that a person can be quicker than its freeze every time."""
    with Ground("claude") as ground:
        ground.desk.stop()
        for name, value in ground.desk.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(ClaudeRuntime, "freeze", _outrun(key))
        ready = asyncio.Event()
        engine = asyncio.create_task(serve(ground.desk.home, 0, ready=ready))
        try:
            await ready.wait()
            await asyncio.to_thread(ground.start)
            await asyncio.to_thread(ground.tell, "SHELL{rm -rf build}")
            line = await asyncio.to_thread(until, lambda: _closed(ground), "the audit line", 25.0)
            await asyncio.to_thread(ground.ready)
            view = await asyncio.to_thread(ground.view)
            was_there = ground.build.exists()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await engine
    assert (line["via"], line["action"]) == ("terminal", "answered at the terminal")
    assert view["pendingGate"] is None
    assert not view["frozen"]
    assert was_there == stays


def _closed(ground: Ground) -> dict[str, Any] | None:
    return next((line for line in audit(ground) if line["event"] == "gate_closed"), None)


def _outrun(key: bytes) -> Callable[[ClaudeRuntime], Awaitable[int]]:
    freeze = ClaudeRuntime.freeze
    first: list[asyncio.Task[None]] = []

    async def answer(runtime: ClaudeRuntime) -> None:
        await _sees(runtime, True)
        await runtime._link.write(key)  # as one that was typed before the request came
        await _sees(runtime, False)

    async def slower(runtime: ClaudeRuntime) -> int:
        if not first:
            first.append(asyncio.create_task(answer(runtime)))
        await first[0]
        return await freeze(runtime)

    return slower


async def _sees(runtime: ClaudeRuntime, asked: bool) -> None:
    while bool(runtime._desk.questions()) != asked:
        await runtime._follower.settled(1.0)


# silent cases


def test_escape_at_the_terminal_is_seen_although_no_hook_tells(ground: Ground) -> None:
    ground.start()
    ground.tell("SLOW{60}")
    ground.said("word3")
    ground.desk.client().terminal_keys(**ground.who, data=b"\x1b")
    ground.ready()


# the engine comes back


def test_rejection_after_a_restart_is_typed_at_the_dialog_and_told(ground: Ground) -> None:
    ground.start()
    ground.tell("SHELL{rm -rf build}")
    gate = ground.gate()
    ground.desk.kill()
    ground.desk.start()
    done = ground.decide(gate, "custom", custom_input="rather keep it")
    assert "typed" in done["action"]
    ground.model.wait(lambda turns: any("rather keep it" in turn.request.history for turn in turns), "the words")
    ground.ready()
    assert ground.build.is_dir()
    assert [line["event"] for line in audit(ground)] == ["gate_custom"]


def test_orderly_restart_keeps_the_gate_and_the_hooks(ground: Ground) -> None:
    ground.start()
    ground.tell("SHELL{rm -rf build}")
    gate = ground.gate()
    ground.desk.stop()
    ground.desk.start()
    assert ground.gate()["id"] == gate["id"]
    ground.decide(gate, "approve")
    until(lambda: not ground.build.exists(), "the folder to go")
    ground.ready()
    ground.build.mkdir()
    ground.tell("next SHELL{rm -rf build}")
    again = ground.gate()
    ground.decide(again, "approve")
    until(lambda: not ground.build.exists(), "the folder to go again")
    assert [line["event"] for line in audit(ground)] == ["gate_approve"] * 2


# whatever fails, a harmful command that the settings allow is asked about


def test_engine_that_is_gone_lets_nothing_harmful_through(allowed: Ground) -> None:
    allowed.start()
    allowed.tell("THINK{2} SHELL{echo fine > harmless.txt} SHELL{rm -rf build}")
    allowed.turns(1)
    allowed.desk.kill()
    waits(allowed)
    assert (allowed.project / "harmless.txt").exists()
    allowed.desk.start()
    rejected_and_kept(allowed)


def test_unknown_token_lets_nothing_harmful_through(allowed: Ground) -> None:
    allowed.start()
    file = allowed.control / "hooks.json"
    allowed.desk.kill()
    file.unlink()
    allowed.desk.start()
    allowed.tell("SHELL{rm -rf build}")
    rejected_and_kept(allowed)


def test_engine_that_hangs_lets_nothing_harmful_through(allowed: Ground) -> None:
    allowed.start()
    allowed.tell("THINK{2} SHELL{rm -rf build}")
    allowed.turns(1)
    with hung(allowed):
        waits(allowed)
    rejected_and_kept(allowed)


async def test_agent_that_was_frozen_for_longer_than_its_hooks_wait_lets_nothing_harmful_through() -> None:
    with Ground("claude", flags=ALLOWED) as allowed:
        await asyncio.to_thread(allowed.start)
        control = await asyncio.to_thread(lambda: allowed.control)
        await asyncio.to_thread(allowed.tell, "THINK{2} SHELL{rm -rf build}")
        with hung(allowed):
            await asyncio.to_thread(until, lambda: _net_runs(allowed), "the hooks to call", LIMIT)
            link = await Link.connect(control)
            await link.ask("freeze")
            await asyncio.sleep(BRIEF + 2)  # the time is what is tested: the longest of the short timeouts has passed
            await link.ask("thaw")
            await link.close()
        await asyncio.to_thread(rejected_and_kept, allowed)


def waits(ground: Ground) -> None:
    """Until the CLI itself says that it waits for an answer."""

    def look() -> bool:
        words = [json.loads(file.read_text()) for file in (ground.base / "home/.claude/sessions").glob("*.json")]
        return any(word.get("status") == "waiting" for word in words)

    until(look, "the dialog", LIMIT)
    assert ground.build.is_dir()


def rejected_and_kept(ground: Ground) -> None:
    gate = ground.gate()
    assert "rm -rf build" in (gate["command"] or gate["prompt"])
    ground.decide(gate, "reject")
    until(lambda: ground.view()["pendingGate"] is None, "the gate to close")
    ground.said("What should Claude do instead" if gate["source"] == "regex" else "All done.")
    assert ground.build.is_dir()


@contextmanager
def hung(ground: Ground) -> Iterator[None]:
    """The engine stands still: it takes connections and answers none."""
    assert ground.desk.process is not None
    ground.desk.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        ground.desk.process.send_signal(signal.SIGCONT)


def _net_runs(ground: Ground) -> bool:
    return any("engine.gates.net" in " ".join(process.cmdline()) for process in ground.tree())


# what is given to the agent


def test_token_is_in_no_command_line_and_ends_with_the_attempt(ground: Ground) -> None:
    ground.start()
    token = json.loads((ground.control / "hooks.json").read_text())["token"]
    assert (ground.control / "hooks.json").stat().st_mode & 0o077 == 0
    assert not any(token in " ".join(process.cmdline()) for process in ground.tree())
    assert token not in (ground.control / "claude-settings.json").read_text()
    client = Client(ground.desk.client().base_url, token)
    with pytest.raises(Forbidden):
        client.snapshot()
    ground.desk.client().stop_agent(**ground.who)
    with pytest.raises(Unauthorized):
        client.snapshot()
    assert not (ground.control / "hooks.json").exists()


def test_first_start_asks_whether_the_folder_is_trusted() -> None:
    with Ground("claude", first_start=True) as ground:
        ground.begin()
        gate = ground.gate()
        assert "trust" in gate["prompt"].lower()
        assert gate["source"] == "regex"
        assert ground.view()["frozen"]
        until(lambda: _approve(ground), "the folder to be trusted", LIMIT)
        ground.ready()
        ground.tell("SAY{trusted now}")
        ground.said("trusted now")


def _approve(ground: Ground) -> bool:
    """A screen may be frozen while it is being drawn: what it asks in full is a gate of its own."""
    gate = ground.view()["pendingGate"]
    if gate is None:
        return ground.view()["status"] == "awaiting_input"
    with suppress(Conflict):
        ground.decide(gate, "approve")
    return False


def test_users_own_files_are_left_alone(ground: Ground) -> None:
    """The project's CLAUDE.md gets a section while the agent runs, and is as it was afterwards."""
    own = ground.project / "CLAUDE.md"
    own.write_bytes(b"# Mine\r\nno newline at the end")
    ground.start()
    ground.tell("SAY{nothing to see}")
    ground.said("nothing to see")
    assert not (ground.base / "home/.claude/settings.json").exists()
    assert not (ground.project / ".claude").exists()
    assert own.read_bytes().startswith(b"# Mine\r\nno newline at the end")
    ground.desk.client().stop_agent(**ground.who)
    until(lambda: own.read_bytes() == b"# Mine\r\nno newline at the end", "the section to go")
