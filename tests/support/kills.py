"""Kills of the engine and of holders at bad moments, and what must hold afterwards; for tests and the bench."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from support.desk import Desk, until
from support.soundcard import SoundCard
from support.voice_process import Voice

from engine.client import Client
from engine.domain.errors import ConduitError


@dataclass
class Outcome:
    """What was found over all kills of one kind; every list has to stay empty."""

    kills: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)  # agents that noticed, frozen ones that ran, files that went

    def good(self) -> bool:
        return self.kills > 0 and not (self.lost or self.unreadable or self.broken)

    def figures(self) -> dict[str, Any]:
        return {
            "kills": self.kills,
            "acknowledged": self.acknowledged,
            "lost": len(self.lost),
            "unreadable": len(self.unreadable),
            "broken": self.broken[:5],
        }


def unreadable_files(home: Path) -> list[str]:
    """JSON and JSONL files of a root that can't be read whole; what was set aside says so by its name."""
    bad = []
    for path in home.rglob("*.json*"):
        if path.suffix not in {".json", ".jsonl"}:
            continue
        try:
            text = path.read_text("utf-8")
            for part in [text] if path.suffix == ".json" else text.splitlines():
                json.loads(part)
        except (OSError, ValueError) as fault:
            bad.append(f"{path}: {fault}")
    return bad


class Writers:
    """Threads that change things through the API and remember what was acknowledged."""

    def __init__(self, desk: Desk, project: str, agent: str, threads: int = 3) -> None:
        self._desk = desk
        self._project = project
        self._agent = agent
        self._stop = threading.Event()
        self.chat: list[str] = []
        self.plans: list[str] = []
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(threads)]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        try:
            client = self._desk.client()
            while not self._stop.is_set():
                self._one(client, number)
        except ConduitError:  # the engine is gone: what it did not acknowledge may be lost
            return

    def _one(self, client: Client, number: int) -> None:
        if number == 0:
            plan = client.create_plan(
                project=self._project, agent=self._agent, description="a try", message="run the tests"
            )
            self.plans.append(plan["id"])
        else:
            self.chat.append(client.post_chat(project_id=self._project, text="a line")["id"])


def kill_engine_mid_write(desk: Desk, agent: dict[str, Any], times: int, rng: random.Random) -> Outcome:
    """Kill it while three threads write; restart; everything acknowledged is there, the agent never noticed."""
    outcome = Outcome()
    project = agent["projectId"]
    before = own_processes(agent)
    for _ in range(times):
        with Writers(desk, project, agent["id"]) as writers:
            time.sleep(rng.uniform(0.02, 0.4))
            desk.kill()
        outcome.kills += 1
        outcome.unreadable += [
            path for path in unreadable_files(desk.home) if ".jsonl" not in path
        ]  # a torn last line of a log is repaired at the start
        desk.start()
        _check_acknowledged(desk, project, writers, outcome)
        if own_processes(agent) != before or desk.agent(project, agent["id"])["status"] != "running":
            outcome.broken.append("the agent was not found again")
        outcome.unreadable += unreadable_files(desk.home)
    return outcome


def _check_acknowledged(desk: Desk, project: str, writers: Writers, outcome: Outcome) -> None:
    client = desk.client()
    outcome.acknowledged += len(writers.chat) + len(writers.plans)
    chat = {entry["id"] for entry in client.chat(project_id=project, limit=500)}
    plans = {plan["id"] for plan in client.list_plans(project_id=project)}
    outcome.lost += [item for item in writers.chat if item not in chat]
    outcome.lost += [item for item in writers.plans if item not in plans]
    for plan in plans:
        client.resolve_plan(project_id=project, plan_id=plan, decision="reject", reason="a try")


def kill_engine_at_gate(desk: Desk, agent: dict[str, Any], folder: Path, times: int) -> Outcome:
    """Kill it while a gate is open: the tree stays stopped, the file stays, the same gate is there again."""
    outcome = Outcome()
    for _ in range(times):
        gate = _at_gate(desk, agent)
        desk.kill()
        outcome.kills += 1
        _frozen_and_whole(agent, folder, outcome, "while the engine was dead")
        desk.start()
        again = desk.gate(agent["projectId"], agent["id"])
        _frozen_and_whole(agent, folder, outcome, "after the restart")
        outcome.acknowledged += 1
        if again["id"] != gate["id"]:
            outcome.lost.append(gate["id"])
        desk.client().resolve(
            project_id=agent["projectId"], agent_id=agent["id"], gate_id=again["id"], decision="reject"
        )
        outcome.unreadable += unreadable_files(desk.home)
        if not (folder / "build").is_dir():
            outcome.broken.append("a rejected deletion happened")
    return outcome


def kill_holder_at_gate(desk: Desk, agent: dict[str, Any], folder: Path, times: int) -> Outcome:
    """Kill a holder whose agent is stopped at a gate: its tree dies, nothing of the command runs, and that is said."""
    outcome = Outcome()
    project, agent_id = agent["projectId"], agent["id"]
    for _ in range(times):
        living = desk.agent(project, agent_id)
        if living["status"] == "stopped":
            living = dict(desk.client().start_agent(project_id=project, agent_id=agent_id))
        _at_gate(desk, living)
        doomed = own_processes(living)
        holder_of(living).kill()
        outcome.kills += 1
        until(lambda living=living: desk.agent(project, agent_id)["status"] == "stopped", "the loss to be seen")
        if any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in doomed):
            outcome.broken.append("a process of the tree lived on")
        if not (folder / "build").is_dir():
            outcome.broken.append("the file was deleted")
        if desk.agent(project, agent_id)["pendingGate"] is not None:
            outcome.broken.append("a gate outlived its process")
        outcome.unreadable += unreadable_files(desk.home)
    return outcome


def kill_voice_mid_sentence(desk: Desk, agent: dict[str, Any], card: SoundCard, times: int) -> Outcome:
    """Kill voice while it reads a gate: the gate stays open and frozen, and a new voice reads the same one."""
    outcome = Outcome()
    gate = _at_gate(desk, agent)
    folder = Path(agent["cwd"])
    voice = Voice(desk, card, "--mode", "open", "--model", "tiny.en")
    try:
        for _ in range(times):
            before = own_processes(agent)
            voice.start(until_it=voice.reads)
            outcome.acknowledged += 1
            voice.kill()
            outcome.kills += 1
            _frozen_and_whole(agent, folder, outcome, "after voice was killed")
            if own_processes(agent) != before:
                outcome.broken.append("the agent noticed")
            if (still := desk.agent(agent["projectId"], agent["id"])["pendingGate"]) is None or still["id"] != gate[
                "id"
            ]:
                outcome.lost.append(gate["id"])
    finally:
        voice.stop()
    outcome.unreadable += unreadable_files(desk.home)
    return outcome


def own_processes(agent: dict[str, Any]) -> list[int]:
    """The practice agent's processes of this session, by the mark of its run."""
    return sorted(p.pid for p in _marked(agent["sessionId"]) if "engine.practice" in p.cmdline())


def holder_of(agent: dict[str, Any]) -> psutil.Process:
    """The holder proper: the parent of the agent."""
    return psutil.Process(psutil.Process(own_processes(agent)[0]).ppid())


def _marked(run_id: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("CONDUIT_RUN") == run_id:
                found.append(process)
        except (psutil.Error, OSError):  # gone meanwhile, or not ours
            continue
    return found


def _at_gate(desk: Desk, agent: dict[str, Any]) -> dict[str, Any]:
    client = desk.client()
    client.inject(project=agent["projectId"], agent=agent["id"], message="clean up")
    return desk.gate(agent["projectId"], agent["id"])


def _frozen_and_whole(agent: dict[str, Any], folder: Path, outcome: Outcome, when: str) -> None:
    states = {psutil.Process(pid).status() for pid in own_processes(agent)}
    if states != {psutil.STATUS_STOPPED}:
        outcome.broken.append(f"{when} the agent was {states}")
    if not (folder / "build").is_dir():
        outcome.broken.append(f"{when} the file was gone")
