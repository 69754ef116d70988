"""Compares a root's files with what was acknowledged. Reads plain files only: it uses nothing of what it judges."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.crash.acks import Op, Records

LIVE = {"starting", "working", "waiting", "idle"}


@dataclass
class Found:
    """Every list has to stay empty."""

    lost: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    resurrected: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    in_doubt: int = 0  # messages that are said to be in doubt: neither lost nor typed twice

    def good(self) -> bool:
        return not (self.lost or self.unreadable or self.resurrected or self.doubled)

    def counts(self) -> dict[str, int]:
        return {name: len(getattr(self, name)) for name in ("lost", "unreadable", "resurrected", "doubled")}


@dataclass
class Truth:
    """What has to be there (acknowledged before the files were read), and what may be (begun until after)."""

    acked: set[str]
    ops: list[Op]

    def must(self, *kinds: str) -> list[Op]:
        return [op for op in self.ops if op.kind in kinds and op.op in self.acked]

    def begun(self, kind: str, key: str) -> set[Any]:
        return {op.begin[key] for op in self.ops if op.kind == kind}

    def accepted(self, first: str, first_key: str, later: str, key: str, identity: str, value: str) -> set[Any]:
        """The values that an entity may have: the last acknowledged one, and any that was begun after it."""
        made = [op for op in self.ops if op.kind == first and op.ack and op.ack.get(first_key) == identity]
        changes = [op for op in self.ops if op.kind == later and op.begin[key] == identity]
        values: list[Any] = [made[0].begin.get(value)] if made else []
        for op in changes:
            if op.op in self.acked:
                values = []
            values.append(op.begin[value])
        return set(values)


def verify(keep: Path, records: Records, *, final: bool) -> Found:
    """Judge the root as it lies there now; others may be working on it unless ``final``."""
    records.refresh()
    acked = {op.op for op in records.ops.values() if op.ack is not None}
    disk = Disk(keep / "root")
    disk.read()
    records.refresh()
    truth = Truth(acked, list(records.ops.values()))
    found = Found(unreadable=disk.unreadable)
    for check in (_projects, _chat, _agents, _plans, _gates, _runs, _documents):
        check(truth, disk, found)
    _messages(truth, disk, found, keep, final=final)
    if final:
        found.lost += disk.journal_differences()
    return found


class Disk:
    """The files of a root as plain values."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unreadable: list[str] = []
        self.projects: dict[str, dict[str, Any]] = {}
        self.chat: dict[str, Counter[str]] = {}
        self.audit: dict[str, list[dict[str, Any]]] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.tombstones: dict[str, dict[str, Any]] = {}
        self.documents: dict[str, dict[str, Any]] = {}

    def read(self) -> None:
        for folder in (self.root / "projects").iterdir():
            if folder.name.startswith(".") or not folder.is_dir():
                continue
            value = self.json(folder / "project.json")
            if value is not None:
                self.projects[folder.name] = value
                self.chat[folder.name] = Counter(str(line.get("id")) for line in self.lines(folder / "groupchat.jsonl"))
                self.audit[folder.name] = self.lines(folder / "audit.jsonl")
        for path in (self.root / "agents" / "runs").glob("*/run.json"):
            value = self.json(path)
            if value is not None:
                self.runs[path.parent.name] = value
        for path in (self.root / "agents" / "tombstones").glob("*.json"):
            self.tombstones[path.stem] = self.json(path) or {}
        for path in self.root.glob("workspaces/*/documents/*/document.json"):
            self.documents[path.parent.name] = self.json(path) or {}
        for path in [*self.root.glob("*.json"), *self.root.glob("agents/runs/*/messages.json")]:
            self.json(path)

    def json(self, path: Path) -> dict[str, Any] | None:
        """None when it is not there, which others have to judge."""
        try:
            value = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as fault:
            self.unreadable.append(f"{path}: {fault}")
            return None
        return value if isinstance(value, dict) else {}

    def lines(self, path: Path) -> list[dict[str, Any]]:
        """Whole lines; one that is being written has no newline yet."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return []
        records = []
        for line in data[: data.rfind(b"\n") + 1].splitlines():
            try:
                records.append(json.loads(line))
            except ValueError as fault:
                self.unreadable.append(f"{path}: {fault}")
        return records

    def journal_differences(self) -> list[str]:
        """Sessions whose run.json is not what their journal tells."""
        different = []
        for run_id, stored in self.runs.items():
            told: dict[str, Any] = {}
            for line in self.lines(self.root / "agents" / "runs" / run_id / "events.jsonl"):
                if line.get("runId") == run_id and line.get("type") in ("run.created", "run.changed"):
                    told.update(line["data"])
            if told.get("state") != stored.get("state"):
                different.append(f"session {run_id} is {stored.get('state')}, its journal says {told.get('state')}")
        return different


def _projects(truth: Truth, disk: Disk, found: Found) -> None:
    going = truth.begun("project.delete", "project")
    for op in truth.must("project.create"):
        project = op.ack["project"] if op.ack else ""
        if project in going:
            continue
        names = truth.accepted("project.create", "project", "project.rename", "project", project, "name")
        if project not in disk.projects:
            found.lost.append(f"project {project}")
        elif disk.projects[project]["project"]["name"] not in names:
            found.lost.append(f"project {project} is named {disk.projects[project]['project']['name']}, not {names}")
    for op in truth.must("project.delete"):
        if (disk.root / "projects" / op.begin["project"]).exists():
            found.resurrected.append(f"project {op.begin['project']}")


def _chat(truth: Truth, disk: Disk, found: Found) -> None:
    going = truth.begun("project.delete", "project")
    for op in truth.must("chat"):
        if op.begin["project"] not in going and op.ack:
            times = disk.chat.get(op.begin["project"], Counter())[op.ack["id"]]
            _once(f"chat line {op.ack['id']}", times, found)


def _agents(truth: Truth, disk: Disk, found: Found) -> None:
    going = truth.begun("project.delete", "project")
    leaving = truth.begun("agent.delete", "agent")
    for op in truth.must("agent.create"):
        agent = op.ack["agent"] if op.ack else ""
        if op.begin["project"] in going or agent in leaving:
            continue
        there = {each["id"]: each for each in disk.projects.get(op.begin["project"], {}).get("agents", [])}
        roles = truth.accepted("agent.create", "agent", "agent.update", "agent", agent, "role")
        if agent not in there:
            found.lost.append(f"agent {agent}")
        elif there[agent].get("role") not in roles:
            found.lost.append(f"agent {agent} has the role {there[agent].get('role')}, not {roles}")
    for op in truth.must("agent.delete"):
        there = {each["id"]: each for each in disk.projects.get(op.begin["project"], {}).get("agents", [])}
        if op.begin["agent"] in there:
            found.resurrected.append(f"agent {op.begin['agent']}")


def _plans(truth: Truth, disk: Disk, found: Found) -> None:
    resolving = truth.begun("plan.reject", "plan")
    for op in truth.must("plan.create"):
        plan, project = op.ack["plan"] if op.ack else "", op.begin["project"]
        waiting = plan in {each["id"] for each in disk.projects.get(project, {}).get("pendingPlans", [])}
        audited = _audits(disk, project, plan)
        if not waiting and not audited:
            found.lost.append(f"plan {plan}")
        if audited > 1:
            found.doubled.append(f"the decision on plan {plan}, {audited} times")
        if audited and plan not in resolving:
            found.doubled.append(f"plan {plan} was decided by nobody")
    for op in truth.must("plan.reject"):
        plan, project = op.begin["plan"], op.begin["project"]
        _once(f"the decision on plan {plan}", _audits(disk, project, plan), found)
        if plan in {each["id"] for each in disk.projects.get(project, {}).get("pendingPlans", [])}:
            found.resurrected.append(f"plan {plan}")


def _audits(disk: Disk, project: str, plan: str) -> int:
    return sum(1 for line in disk.audit.get(project, []) if line.get("planId") == plan)


def _gates(truth: Truth, disk: Disk, found: Found) -> None:
    decided: Counter[str] = Counter()
    for lines in disk.audit.values():
        decided.update(str((line.get("gate") or {}).get("id")) for line in lines if "gate" in line)
    acknowledged = {op.begin["gate"] for op in truth.must("gate")}
    for gate in truth.begun("gate", "gate"):
        if decided[gate] > 1:
            found.doubled.append(f"the decision on gate {gate}, {decided[gate]} times")
        if gate in acknowledged and not decided[gate]:
            found.lost.append(f"the decision on gate {gate}")


def _runs(truth: Truth, disk: Disk, found: Found) -> None:
    leaving = truth.begun("run.delete", "run")
    for op in truth.must("run.create"):
        run = op.ack["run"] if op.ack else ""
        if run in leaving:
            continue
        states = truth.accepted("run.create", "run", "run.update", "run", run, "state")
        if states & LIVE:
            states.add("process_lost")  # an engine that starts finds no process behind it
        if run not in disk.runs:
            found.lost.append(f"session {run}")
        elif disk.runs[run]["state"] not in states:
            found.lost.append(f"session {run} is {disk.runs[run]['state']}, not {states}")
    _ended_runs(truth, disk, found)


def _ended_runs(truth: Truth, disk: Disk, found: Found) -> None:
    for op in truth.must("session"):
        if op.ack and op.ack["run"] not in disk.runs:
            found.lost.append(f"session {op.ack['run']}")
    for op in truth.must("run.delete"):
        if op.begin["run"] not in disk.tombstones:
            found.lost.append(f"the tombstone of session {op.begin['run']}")
        if (disk.root / "agents" / "runs" / op.begin["run"]).exists():
            found.resurrected.append(f"session {op.begin['run']}")
    carried = {run_id: value.get("number") for run_id, value in {**disk.runs, **disk.tombstones}.items()}
    for number, times in Counter(carried.values()).items():
        if times > 1:
            found.doubled.append(f"the session number {number}")


def _documents(truth: Truth, disk: Disk, found: Found) -> None:
    for op in truth.must("document"):
        document, version = (op.ack["document"], op.ack["version"]) if op.ack else ("", 0)
        told = {each["version"]: each for each in disk.documents.get(document, {}).get("versions", [])}
        if version not in told or told[version]["sha256"] != op.begin["sha256"]:
            found.lost.append(f"version {version} of document {document}")
            continue
        places = disk.root.glob(f"workspaces/*/documents/{document}/v{version}/{told[version]['file']}")
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in places]
        if digests != [op.begin["sha256"]]:
            found.lost.append(f"the bytes of version {version} of document {document}")


def _messages(truth: Truth, disk: Disk, found: Found, keep: Path, *, final: bool) -> None:
    path = keep / "said.txt"
    said = path.read_text() if path.exists() else ""
    arrived = Counter(line.removeprefix("say ") for line in said.splitlines())
    doubtful = _in_doubt(disk)
    for message in truth.begun("message", "message"):
        if arrived[message] > 1:
            found.doubled.append(f"message {message}, {arrived[message]} times")
    acked = {op.begin["message"]: op.ack["state"] for op in truth.must("message") if op.ack}
    for message, state in acked.items():
        if not arrived[message] and message in doubtful:
            found.in_doubt += 1
        elif not arrived[message] and (final or state == "delivered"):
            found.lost.append(f"message {message}")


def _in_doubt(disk: Disk) -> set[str]:
    """Messages of which the journals say that they may have been typed, and are not typed again."""
    return {
        str(line["data"].get("messageId"))
        for path in disk.root.glob("agents/runs/*/events.jsonl")
        for line in disk.lines(path)
        if line.get("type") == "message.in_doubt"
    }


def _once(what: str, times: int, found: Found) -> None:
    if times == 0:
        found.lost.append(what)
    elif times > 1:
        found.doubled.append(f"{what}, {times} times")
