"""One process of the random workload: everything it asks for is logged before, every acknowledgement after."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.crash.acks import AckLog, Records

from engine.client import Client
from engine.domain.chat import ChatEntry
from engine.domain.errors import BadRequest, ConduitError, Conflict, NotFound, Unavailable
from engine.domain.ids import new_id
from engine.domain.runs import RUN_MOVES, RunState
from engine.ports.clock import SystemClock, stamp
from engine.sessions.documents import Documents
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store

PAUSE = 0.005  # seconds between operations, so that engine and clients share the processors
MOST = 3  # projects, and agents of each, that one worker keeps


class Owned:
    """What this worker made and has not begun to remove, as its own log tells (also that of earlier lives)."""

    def __init__(self, folder: Path, worker: str) -> None:
        records = Records(folder)
        records.refresh()
        mine = [op for op in records.ops.values() if op.worker == worker]
        self.projects = self._left(mine, "project.create", "project.delete", "project")
        self.agents = {
            agent: place
            for agent, place in self._left(mine, "agent.create", "agent.delete", "agent").items()
            if place in self.projects
        }
        self.plans = self._left(mine, "plan.create", "plan.reject", "plan")
        self.runs = list(self._left(mine, "run.create", "run.delete", "run"))
        self.documents = {op.ack["document"]: op.begin["project"] for op in mine if op.kind == "document" and op.ack}

    @staticmethod
    def _left(mine: list[Any], made: str, gone: str, key: str) -> dict[str, str]:
        left = {op.ack[key]: op.begin.get("project", "") for op in mine if op.kind == made and op.ack}
        for op in mine:
            if op.kind == gone:
                left.pop(op.begin[key], None)
        return left


class Worker:
    """Works until it is killed. ``scene``: ids of the common project, its recorder and its gate agent."""

    pause = PAUSE

    def __init__(self, keep: Path, number: int, seed: int) -> None:
        self.name = f"worker{number}"
        self.keep = keep
        self.layout = Layout(keep / "root")
        self.rng = random.Random(seed)
        self.own = Owned(keep / "acks", self.name)
        self.log = AckLog(keep / "acks", self.name)
        self.scene: dict[str, str] = json.loads((keep / "scene.json").read_text())
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        """The engine that runs now; waits for one to answer."""
        while self._client is None:
            try:
                self._client = Client.from_home(self.layout.root)
            except Unavailable:
                time.sleep(0.02)
        return self._client

    def run(self, times: int | None = None) -> None:
        """Random operations, each logged; faults with a sentence are part of the game, anything else is not."""
        operations = self.operations()
        names, weights = list(operations), [weight for weight, _ in operations.values()]
        done = 0
        while times is None or done < times:
            done += 1
            name = self.rng.choices(names, weights)[0]
            operations[name][1]()
            time.sleep(self.pause)

    def operations(self) -> dict[str, tuple[int, Callable[[], None]]]:
        raise NotImplementedError

    def do(self, kind: str, call: Callable[[], dict[str, Any]], **fields: Any) -> dict[str, Any] | None:
        """Log, call, log: the acknowledgement's fields, or None when it was refused or cut off."""
        op = self.log.begin(kind, **fields)
        try:
            got = call()
        except (BadRequest, NotFound, Conflict) as fault:
            self.log.refused(op, str(fault))
        except ConduitError as fault:
            self._client = None
            self.log.refused(op, str(fault))
        else:
            self.log.ack(op, **got)
            return got
        return None

    def fresh(self) -> str:
        return f"{self.name}-{self.rng.randrange(10**12)}"

    def any_project(self) -> str:
        """One of its own, the common one, or somebody else's, which may be going away at this moment."""
        names = [entry.name for entry in self.layout.projects.glob("p-*") if entry.is_dir()]
        return self.rng.choice([*names, self.scene["project"]])


class ApiWorker(Worker):
    """Asks the engine, as page, voice and command do."""

    def operations(self) -> dict[str, tuple[int, Callable[[], None]]]:
        return {
            "chat": (30, self.chat),
            "project": (6, self.project),
            "rename": (4, self.rename),
            "remove": (4, self.remove),
            "agent": (10, self.agent),
            "change": (12, self.change),
            "plan": (12, self.plan),
            "reject": (10, self.reject),
            "document": (8, self.document),
            "message": (4, self.message),
        }

    def chat(self) -> None:
        project, text = self.any_project(), self.fresh()
        self.do("chat", lambda: {"id": self.client.post_chat(project_id=project, text=text)["id"]}, project=project)

    def project(self) -> None:
        if len(self.own.projects) >= MOST:
            return
        name = self.fresh()
        cwd = str(self.keep / "work")
        got = self.do(
            "project.create", lambda: {"project": self.client.create_project(name=name, cwd=cwd)["id"]}, name=name
        )
        if got:
            self.own.projects[got["project"]] = ""

    def rename(self) -> None:
        for project in self._one(list(self.own.projects)):
            name = self.fresh()

            def call(project: str = project, name: str = name) -> dict[str, Any]:
                self.client.update_project(project_id=project, name=name)
                return {}

            self.do("project.rename", call, project=project, name=name)

    def remove(self) -> None:
        for project in self._one(list(self.own.projects)):
            del self.own.projects[project]
            self.own.agents = {agent: place for agent, place in self.own.agents.items() if place != project}
            data = self.rng.random() < 0.5

            def call(project: str = project, data: bool = data) -> dict[str, Any]:
                self.client.delete_project(project_id=project, remove_data=data)
                return {}

            self.do("project.delete", call, project=project)

    def agent(self) -> None:
        for project in self._one(list(self.own.projects)):
            if sum(place == project for place in self.own.agents.values()) >= MOST:
                agent = next(agent for agent, place in self.own.agents.items() if place == project)
                del self.own.agents[agent]

                def gone(project: str = project, agent: str = agent) -> dict[str, Any]:
                    self.client.delete_agent(project_id=project, agent_id=agent)
                    return {}

                self.do("agent.delete", gone, project=project, agent=agent)
                return
            name = self.fresh()

            def made(project: str = project, name: str = name) -> dict[str, Any]:
                return {"agent": self.client.create_agent(project_id=project, name=name, cli="practice")["id"]}

            got = self.do("agent.create", made, project=project, name=name)
            if got:
                self.own.agents[got["agent"]] = project

    def change(self) -> None:
        for agent in self._one(list(self.own.agents)):
            project, role = self.own.agents[agent], self.fresh()

            def call(project: str = project, agent: str = agent, role: str = role) -> dict[str, Any]:
                self.client.update_agent(project_id=project, agent_id=agent, role=role)
                return {}

            self.do("agent.update", call, project=project, agent=agent, role=role)

    def plan(self) -> None:
        project, agent = self.scene["project"], self.scene["recorder"]
        text = self.fresh()

        def call() -> dict[str, Any]:
            return {
                "plan": self.client.create_plan(project=project, agent=agent, description="try", message=text)["id"]
            }

        got = self.do("plan.create", call, project=project)
        if got:
            self.own.plans[got["plan"]] = project

    def reject(self) -> None:
        for plan in self._one(list(self.own.plans)):
            project = self.own.plans.pop(plan)

            def call(project: str = project, plan: str = plan) -> dict[str, Any]:
                self.client.resolve_plan(project_id=project, plan_id=plan, decision="reject")
                return {}

            self.do("plan.reject", call, project=project, plan=plan)

    def document(self) -> None:
        project = self.scene["project"]
        known = [document for document, place in self.own.documents.items() if place == project]
        of = self.rng.choice(known) if known and self.rng.random() < 0.8 else None
        data = self.rng.randbytes(self.rng.randrange(1, 3_000))

        def call() -> dict[str, Any]:
            made = self.client.publish_document(
                project_id=project, file="report.bin", data=data, title=self.fresh(), document_id=of
            )
            return {"document": made["id"], "version": len(made["versions"])}

        got = self.do("document", call, project=project, of=of, sha256=hashlib.sha256(data).hexdigest())
        if got:
            self.own.documents[got["document"]] = project

    def message(self) -> None:
        """The same id is tried again when the engine died over it: it may arrive once only."""
        project, agent, identity = self.scene["project"], self.scene["recorder"], new_id("m")
        for _ in range(3):

            def call() -> dict[str, Any]:
                if self.client.get_agent(project_id=project, agent_id=agent)["queuedMessages"] > 10:
                    raise BadRequest("a longer queue would only grow longer")
                sent = self.client.inject(project=project, agent=agent, message=f"say {identity}", message_id=identity)
                return {"state": sent["state"]}

            if self.do("message", call, message=identity) or self._client is not None:
                return

    def _one(self, of: list[str]) -> list[str]:
        return [self.rng.choice(sorted(of))] if of else []


class GateWorker(ApiWorker):
    """Also brings an agent to its gate and decides, again with the same request when the engine died over it."""

    def operations(self) -> dict[str, tuple[int, Callable[[], None]]]:
        return {**super().operations(), "gate": (25, self.gate), "restart": (1, self.restart)}

    def gate(self) -> None:
        where = {"project_id": self.scene["project"], "agent_id": self.scene["gate"]}
        try:
            view = self.client.get_agent(**where)
            found = view["pendingGate"]
            if found is None:
                if view["status"] == "stopped":
                    self.client.start_agent(**where)
                elif view["queuedMessages"] == 0:
                    self.client.inject(project=where["project_id"], agent=where["agent_id"], message="clean up")
                return
        except ConduitError as fault:
            if isinstance(fault, Unavailable):
                self._client = None
            return
        decision = self.rng.choice(["approve", "reject"])
        request = new_id("m")
        for _ in range(3):

            def call() -> dict[str, Any]:
                done = self.client.resolve(**where, gate_id=found["id"], decision=decision, request_id=request)
                return {"action": done["action"]}

            fields = {"project": self.scene["project"], "gate": found["id"], "decision": decision}
            if self.do("gate", call, **fields) or self._client is not None:
                return

    def restart(self) -> None:
        """A session of its own each time: stopped and started by the user."""
        where = {"project_id": self.scene["project"], "agent_id": self.scene["gate"]}

        def call() -> dict[str, Any]:
            view = self.client.restart_agent(**where)
            return {"run": view["sessionId"]}

        self.do("session", call, project=self.scene["project"])


class StorageWorker(Worker):
    """Uses the storage layer itself, beside the engine: same files, same locks."""

    pause = PAUSE * 5  # else it would do most of all the work

    def __init__(self, keep: Path, number: int, seed: int) -> None:
        super().__init__(keep, number, seed)
        self.clock = SystemClock()
        self.store = Store(self.layout, self.clock)
        self.runs = Runs(self.layout, self.clock)
        self.documents = Documents(self.layout, self.clock)

    def operations(self) -> dict[str, tuple[int, Callable[[], None]]]:
        return {
            "chat": (20, self.chat),
            "run": (10, self.run_made),
            "move": (20, self.run_moved),
            "delete": (8, self.run_deleted),
            "document": (8, self.document),
        }

    def chat(self) -> None:
        project = self.any_project()
        entry = ChatEntry(id=new_id("c"), ts=stamp(self.clock), role="user", sender="me", text=self.fresh())

        def call() -> dict[str, Any]:
            self.store.append_chat(project, entry)
            return {"id": entry.id}

        self.do("chat", call, project=project)

    def run_made(self) -> None:
        if len(self.own.runs) >= MOST * 3:
            return

        def call() -> dict[str, Any]:
            run = self.runs.create(project_id=self.scene["project"], agent_id="a-none", agent_name="x", cli="practice")
            return {"run": run.id, "number": run.number}

        got = self.do("run.create", call, state="starting")
        if got:
            self.own.runs.append(got["run"])

    def run_moved(self) -> None:
        for run in [self.rng.choice(self.own.runs)] if self.own.runs else []:
            moves = sorted(RUN_MOVES[self.runs.get(run).state] - {"process_lost", "cancelled"})
            if not moves:
                return
            state = self.rng.choice(moves)

            def call(run: str = run, state: RunState = state) -> dict[str, Any]:
                self.runs.update(run, state=state, reason=state)
                return {}

            self.do("run.update", call, run=run, state=state)

    def run_deleted(self) -> None:
        for run in [self.rng.choice(self.own.runs)] if len(self.own.runs) > MOST else []:

            def call(run: str = run) -> dict[str, Any]:
                self.runs.delete(run)
                return {}

            before = self.log.begin("run.delete", run=run)
            try:
                call()
            except ConduitError as fault:  # refused while it is live: it stays ours
                self.log.refused(before, str(fault))
            else:
                self.log.ack(before)
                self.own.runs.remove(run)

    def document(self) -> None:
        project = self.scene["project"]
        of = self.rng.choice(sorted(self.own.documents)) if self.own.documents else None
        data = self.rng.randbytes(200)

        def call() -> dict[str, Any]:
            made = self.documents.publish(project, title="t", file="x.bin", data=data, by="me", document_id=of)
            return {"document": made.id, "version": len(made.versions)}

        got = self.do("document", call, project=project, of=of, sha256=hashlib.sha256(data).hexdigest())
        if got:
            self.own.documents[got["document"]] = project


def worker(keep: Path, number: int, seed: int) -> Worker:
    """0 decides gates, 3 uses the storage layer, the others ask the engine."""
    kinds: dict[int, type[Worker]] = {0: GateWorker, 3: StorageWorker}
    return kinds.get(number, ApiWorker)(keep, number, seed)
