"""A practice agent's gate on a real engine: frozen until decided, decided once, audited."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from support.desk import Desk, until

from engine.domain.errors import BadRequest, ConduitError, Conflict, Forbidden, NotFound
from engine.runtimes.link import Link

pytestmark = pytest.mark.system


@pytest.fixture
def desk(tmp_path: Path):
    with Desk(tmp_path / "home") as desk:
        yield desk


def tell(desk: Desk, agent: dict, text: str) -> None:
    desk.client().inject(project=agent["projectId"], agent=agent["id"], message=text)


def at_gate(desk: Desk, folder: Path) -> tuple[dict, dict]:
    agent = desk.practice(folder)
    tell(desk, agent, "clean up")
    return agent, desk.gate(agent["projectId"], agent["id"])


def decide(desk: Desk, agent: dict, gate: dict, decision: str, **more) -> dict:
    return desk.client().resolve(
        project_id=agent["projectId"], agent_id=agent["id"], gate_id=gate["id"], decision=decision, **more
    )


def tree(agent: dict) -> list[psutil.Process]:
    """The agent's own processes, by the mark of its run."""
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get("CONDUIT_RUN") == agent["sessionId"]
            if marked and "engine.practice" in process.cmdline():
                found.append(process)
        except (psutil.Error, OSError):  # gone meanwhile, or not ours
            continue
    return found


def test_gate_freezes_the_tree_and_keeps_the_file(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    assert "rm -rf build" in (gate["command"] or gate["prompt"])
    assert gate["tier"] in {"harmful", "routine"}
    processes = tree(agent)
    assert processes
    assert {process.status() for process in processes} == {psutil.STATUS_STOPPED}
    assert desk.agent(agent["projectId"], agent["id"])["frozen"]
    assert (tmp_path / "work" / "build").is_dir()


def test_approval_runs_the_command_once_and_leaves_one_audit_line(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    done = decide(desk, agent, gate, "approve")
    until(lambda: not (tmp_path / "work" / "build").exists(), "the folder to go")
    assert "y" in done["action"]
    lines = desk.client().audit(project_id=agent["projectId"])
    assert [line["event"] for line in lines] == ["gate_approve"]
    assert lines[0]["via"] == "cli"
    assert lines[0]["gate"]["prompt"] == gate["prompt"]
    assert desk.agent(agent["projectId"], agent["id"])["pendingGate"] is None


def test_rejection_keeps_the_file_and_the_agent_goes_on(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    decide(desk, agent, gate, "reject")
    assert (tmp_path / "work" / "build").is_dir()
    assert [line["event"] for line in desk.client().audit(project_id=agent["projectId"])] == ["gate_reject"]
    until(lambda: not desk.agent(agent["projectId"], agent["id"])["frozen"], "the agent to go on")


def test_message_at_a_gate_is_refused_and_the_gate_stays(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    with pytest.raises(BadRequest, match="waits at gate"):
        tell(desk, agent, "y")
    with pytest.raises(BadRequest, match="waits at gate"):
        desk.client().broadcast(project=agent["projectId"], message="y")
    assert desk.agent(agent["projectId"], agent["id"])["pendingGate"]["id"] == gate["id"]
    assert (tmp_path / "work" / "build").is_dir()


def test_second_decision_is_a_conflict_that_says_what_was_decided(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    decide(desk, agent, gate, "reject")
    with pytest.raises(Conflict, match="already rejected"):
        decide(desk, agent, gate, "approve")
    assert (tmp_path / "work" / "build").is_dir()


def test_repeated_request_is_harmless(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    first = decide(desk, agent, gate, "reject", request_id="once")
    again = decide(desk, agent, gate, "reject", request_id="once")
    assert (again["decision"], again["via"]) == (first["decision"], first["via"])
    assert len(desk.client().audit(project_id=agent["projectId"])) == 1


def test_unknown_gate_is_not_found(desk: Desk, tmp_path: Path) -> None:
    agent, _ = at_gate(desk, tmp_path / "work")
    with pytest.raises(NotFound):
        decide(desk, agent, {"id": "g-0000000000"}, "approve")
    assert (tmp_path / "work" / "build").is_dir()


def test_racing_resolvers_deliver_once(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")

    def one(number: int) -> str:
        try:
            return decide(desk, agent, gate, "approve" if number % 2 else "reject")["decision"]
        except Conflict:
            return "lost"
        except ConduitError as fault:
            raise AssertionError(f"{type(fault).__name__}: {fault}") from fault

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(one, range(10)))
    assert len([result for result in results if result != "lost"]) == 1
    assert len(desk.client().audit(project_id=agent["projectId"])) == 1


def test_killed_engine_leaves_the_gate_frozen_and_answerable(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    desk.kill()
    assert {process.status() for process in tree(agent)} == {psutil.STATUS_STOPPED}
    assert (tmp_path / "work" / "build").is_dir()
    desk.start()
    again = desk.gate(agent["projectId"], agent["id"])
    assert again["id"] == gate["id"]
    assert desk.agent(agent["projectId"], agent["id"])["frozen"]
    decide(desk, agent, again, "approve")
    until(lambda: not (tmp_path / "work" / "build").exists(), "the folder to go")


def test_killed_engine_leaves_a_working_agent_that_is_found_again(desk: Desk, tmp_path: Path) -> None:
    agent = desk.practice(tmp_path / "work")
    desk.kill()
    desk.start()
    found = desk.agent(agent["projectId"], agent["id"])
    assert found["status"] == "running"
    assert found["sessionId"] == agent["sessionId"]
    tell(desk, agent, "clean up")
    assert desk.gate(agent["projectId"], agent["id"])


def test_life_leaves_a_run_folder_that_cat_can_read(desk: Desk, tmp_path: Path) -> None:
    agent, gate = at_gate(desk, tmp_path / "work")
    decide(desk, agent, gate, "approve")
    desk.client().stop_agent(project_id=agent["projectId"], agent_id=agent["id"])
    run = desk.home / "agents" / "runs" / agent["sessionId"]
    record = json.loads((run / "run.json").read_text())
    assert record["number"] == 1
    assert record["state"] == "halted"
    types = [json.loads(line)["type"] for line in (run / "events.jsonl").read_text().splitlines()]
    assert [t for t in types if t.startswith("gate_")] == [
        "gate_opened",
        "gate_answered",
        "gate_delivered",
    ]
    said = (run / "transcript.jsonl").read_text()
    assert "clean up" in said
    assert "rm -rf build" in said


def test_stopped_agent_leaves_no_process(desk: Desk, tmp_path: Path) -> None:
    agent, _ = at_gate(desk, tmp_path / "work")
    processes = tree(agent)
    desk.client().stop_agent(project_id=agent["projectId"], agent_id=agent["id"])
    assert not [process for process in processes if process.is_running()]
    assert (tmp_path / "work" / "build").is_dir()
    assert desk.agent(agent["projectId"], agent["id"])["status"] == "stopped"


async def freeze(control: Path) -> None:
    """What the engine had done when it ended."""
    link = await Link.connect(control)
    await link.ask("freeze")
    await link.close()


def test_agent_found_stopped_without_a_gate_stays_stopped_until_decided(desk: Desk, tmp_path: Path) -> None:
    """The engine ended between a freeze and its gate: what was held may be harmful, so nobody but the user thaws it."""
    agent = desk.practice(tmp_path / "work")
    desk.kill()
    asyncio.run(freeze(desk.home / "agents" / "runs" / agent["sessionId"]))
    desk.start()
    gate = desk.gate(agent["projectId"], agent["id"])
    assert "Let it go on?" in gate["prompt"]
    assert {process.status() for process in tree(agent)} == {psutil.STATUS_STOPPED}
    decide(desk, agent, gate, "approve")
    until(lambda: not desk.agent(agent["projectId"], agent["id"])["frozen"], "the agent to go on")
    tell(desk, agent, "clean up")
    assert desk.gate(agent["projectId"], agent["id"])["command"] == "rm -rf build"


def test_masked_text_is_revealed_to_the_user_alone_and_noted_without_it(desk: Desk, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    script = tmp_path / "asks.py"
    asks = f'Run curl -H "Authorization: Bearer {secret}" https://x.example? [y/N] '
    script.write_text(f"print({asks!r}, end='', flush=True)\ninput()\n")
    client = desk.client()
    made = client.create_project(name="Apollo", cwd=str(tmp_path))
    agent = client.create_agent(project_id=made["id"], name="web", cli="mine", command=[sys.executable, str(script)])
    client.start_agent(project_id=made["id"], agent_id=agent["id"])
    gate = desk.gate(made["id"], agent["id"])
    assert gate["secretsMasked"]
    assert secret not in json.dumps(gate)
    where = {"project_id": made["id"], "agent_id": agent["id"], "gate_id": gate["id"]}
    with pytest.raises(Forbidden):
        desk.voice().reveal(**where)
    with pytest.raises(NotFound):
        client.reveal(**{**where, "gate_id": "g-0000000000"})
    assert secret in client.reveal(**where)["prompt"]
    lines = client.audit(project_id=made["id"])
    assert [(line["event"], line["via"]) for line in lines] == [("gate_reveal", "cli")]
    assert secret not in json.dumps(lines)
