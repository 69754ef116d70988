"""Writers killed with SIGKILL at random moments: all that they acknowledged is there, whole, and nothing twice."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.domain.projects import Project
from engine.storage.files import iter_jsonl
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store

KILLS = 20

WRITER = """
import sys
from pathlib import Path
from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.plans import Plan
from engine.domain.projects import Agent
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store

root, project, life = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
store, runs = Store(Layout(root)), Runs(Layout(root))
store.recover(); runs.recover()

def say(*words):
    print(*words, flush=True)

for n in range(10_000):
    name = f"{life}-{n}"
    store.append_chat(project, ChatEntry(id=name, ts="t", role="user", sender="me", text=name * 50))
    say("chat", name)
    agent = Agent(id=name, project_id=project, name=name, cli="c", cwd="/")
    store.mutate_project(project, lambda f: f.with_agent(agent))
    say("agent", name)
    store.add_plan(Plan(id=name, project_id=project, description="d", target_agent=name, target_project=project,
                        proposed_message="m", created_at="t"))
    say("plan", name)
    store.finish_plan(project, name, AuditLine(id=name, timestamp="t", event="plan_approve", decision="approve",
                                               action="sent", via="web", plan_id=name))
    say("audit", name)
    run = runs.create(project_id=project, agent_id=name, agent_name=name, cli="c")
    say("run", run.id)
    runs.update(run, state="finished", reason=name)
    say("finished", run.id)
    store.mutate_project(project, lambda f: f.without_agent(name))
    say("gone", name)
"""


def live_and_die(root: Path, project: Project, life: int, moment: float) -> list[tuple[str, str]]:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root), project.id, str(life)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    first = writer.stdout.readline()  # its start is over: now any moment counts
    time.sleep(moment)  # the moment of death is the input here, nothing waits for it
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    lines = [first, *rest.splitlines(keepends=True)]
    return [(line.split()[0], line.split()[1]) for line in lines if line.endswith("\n")]


@pytest.mark.timeout(180)
def test_nothing_acknowledged_is_lost_to_kill_9(store: Store, layout: Layout) -> None:
    project = store.create_project("harbor", "/src")
    dice, told = random.Random(7), []
    for life in range(KILLS):
        told += live_and_die(layout.root, project, life, dice.random() * 0.05)
    store.recover()
    runs = Runs(layout)
    runs.recover()
    check_project(store, project, told)
    check_runs(runs, told)
    assert not [p for p in layout.root.rglob("*.tmp") if p.parent == layout.project(project.id)]


def named(told: list[tuple[str, str]], kind: str) -> set[str]:
    return {name for what, name in told if what == kind}


def check_project(store: Store, project: Project, told: list[tuple[str, str]]) -> None:
    chat = [record["id"] for record in iter_jsonl(store.layout.groupchat(project.id))]
    audit = [record["id"] for record in iter_jsonl(store.layout.audit(project.id))]
    file = store.project_file(project.id)
    assert named(told, "chat") <= set(chat)
    assert named(told, "audit") <= set(audit)
    assert len(audit) == len(set(audit)), "a decision was audited twice"
    last_of_each_life = {name.partition("-")[0]: name for what, name in told if what == "agent"}
    missing = named(told, "agent") - named(told, "gone") - {a.id for a in file.agents}
    assert missing <= set(last_of_each_life.values())  # its removal was under way, not yet acknowledged
    assert not named(told, "gone") & {a.id for a in file.agents}, "an agent that was removed is back"
    waiting = {p.id for p in file.pending_plans}
    assert named(told, "plan") <= set(audit) | waiting
    assert not set(audit) & waiting, "a plan that was audited still waits"


def check_runs(runs: Runs, told: list[tuple[str, str]]) -> None:
    found = {run.id: run for run in runs.latest(10_000)}
    assert named(told, "run") <= found.keys()
    assert all(found[run_id].state == "finished" for run_id in named(told, "finished"))
    numbers = [run.number for run in found.values()]
    assert len(numbers) == len(set(numbers)), "a number was handed out twice"
    assert sorted(numbers) == [run.number for run in sorted(found.values(), key=lambda r: r.id)]
    assert [difference for run in found.values() for difference in runs.verify(run)] == []
