"""Values survive the disk exactly, and what this version does not know survives it too."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import Unavailable
from engine.domain.gates import Choice, Effect, Gate, Keys, KillHeld, Proceed, Structured
from engine.domain.projects import Agent
from engine.storage.layout import Layout
from engine.storage.records import from_dict, merged, to_dict
from engine.storage.store import Store

TEXT = st.text(max_size=20)
REPLIES = st.one_of(
    st.builds(Keys, st.lists(TEXT, max_size=3).map(tuple)),
    st.builds(Structured, TEXT, st.none() | TEXT),
    st.just(Proceed()),
    st.just(KillHeld()),
)
CHOICES = st.builds(Choice, TEXT, st.sampled_from(["approve", "reject", "always", "other"]), REPLIES)
EFFECTS = st.builds(
    Effect,
    st.sampled_from(["delete", "publish", "unknown"]),
    st.lists(TEXT, max_size=2).map(tuple),
    st.sampled_from(["project", "home", "unknown"]),
    st.sampled_from(["yes", "git", "no", "unknown"]),
)
GATES = st.builds(
    Gate,
    id=TEXT,
    agent_id=TEXT,
    project_id=TEXT,
    run_id=TEXT,
    prompt=TEXT,
    command=st.none() | TEXT,
    choices=st.lists(CHOICES, max_size=4).map(tuple),
    source=st.sampled_from(["regex", "hook", "acp", "codex", "supervisor"]),
    tier=st.sampled_from(["harmful", "routine"]),
    fingerprint=TEXT,
    raised_at=TEXT,
    cwd=TEXT,
    branch=st.none() | TEXT,
    effects=st.lists(EFFECTS, max_size=2).map(tuple),
    screen_only=st.none() | TEXT,
    handle=st.none() | TEXT,
    speakable=st.booleans(),
    may_have_begun=st.booleans(),
)

REFERENCE: dict[str, Any] = {
    "project": {
        "id": "proj_1",
        "name": "harbor",
        "cwd": "/src/harbor",
        "createdAt": "2025-11-02T10:00:00.000Z",
        "colour": "teal",
    },
    "agents": [
        {
            "id": "ag_1",
            "projectId": "proj_1",
            "name": "backend",
            "role": "api",
            "cli": "claude",
            "cwd": "/src/harbor",
            "status": "running",
            "pid": 4821,
            "flags": ["--verbose"],
            "avatar": {"hue": 3},
            "pendingGate": {
                "id": "gate_1",
                "agentId": "ag_1",
                "prompt": "Run rm -rf build?",
                "command": "rm -rf build",
                "choices": [{"label": "Yes", "sends": "1\r"}],
                "source": "regex",
                "note": {"kept": True},
            },
        },
        {"id": "ag_2", "projectId": "proj_1", "name": "web", "cli": "codex", "cwd": "/src/web", "status": "idle"},
    ],
    "pendingPlans": [
        {
            "id": "plan_1",
            "projectId": "proj_1",
            "description": "Ask for tests",
            "targetAgent": "ag_1",
            "targetProject": "proj_1",
            "proposedMessage": "run the tests",
            "createdAt": "2025-11-02T10:05:00.000Z",
            "score": 0.7,
        }
    ],
    "schema": {"by": "someone else"},
}


@settings(deadline=None)
@given(GATES)
def test_a_gate_comes_back_from_disk_exactly(gate: Gate) -> None:
    assert from_dict(Gate, json.loads(json.dumps(to_dict(gate)))) == gate


def test_absent_is_absent_and_keys_are_camel_case() -> None:
    agent = Agent(id="a", project_id="p", name="n", cli="codex", cwd="/", codex_thread_id="t", flags=("-x",))
    assert to_dict(agent) == {
        "id": "a",
        "projectId": "p",
        "name": "n",
        "cli": "codex",
        "cwd": "/",
        "codexThreadId": "t",
        "flags": ["-x"],
    }


def test_a_removed_field_goes_and_an_unknown_one_stays() -> None:
    raw = {"zeta": 1, "id": "a", "pid": 3, "name": "old"}
    agent = Agent(id="a", project_id="p", name="new", cli="codex", cwd="/")
    out = merged(raw, agent)
    assert out["zeta"] == 1 and out["name"] == "new" and "pid" not in out


def test_a_record_that_does_not_fit_names_the_field() -> None:
    with pytest.raises(Unavailable, match="stored agent can't be read: projectId"):
        from_dict(Agent, {"id": "a"})


@pytest.fixture
def foreign(store: Store, layout: Layout) -> Store:
    folder = layout.projects / "proj_1"
    folder.mkdir()
    (folder / "project.json").write_text(json.dumps(REFERENCE))
    return store


def stored(layout: Layout) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((layout.projects / "proj_1" / "project.json").read_text())
    return value


def test_a_folder_of_the_reference_shape_opens_as_it_is(foreign: Store, layout: Layout) -> None:
    assert foreign.recover() == []
    file = foreign.project_file("proj_1")
    assert [p.name for p in foreign.list_projects()] == ["harbor"]
    assert [a.name for a in file.agents] == ["backend", "web"]
    assert file.plan("plan_1").proposed_message == "run the tests"
    assert stored(layout) == REFERENCE  # opening writes nothing


def test_a_gate_that_lacks_the_newer_fields_is_taken_as_harmful(foreign: Store) -> None:
    (gate,) = foreign.project_file("proj_1").gates["ag_1"]
    assert (gate.tier, gate.project_id, gate.agent_id) == ("harmful", "proj_1", "ag_1")
    assert gate.choices == (Choice("Yes", "other", Keys(("1\r",))),)


def test_a_rewrite_keeps_every_unknown_key_at_every_level(foreign: Store, layout: Layout) -> None:
    from dataclasses import replace

    foreign.mutate_project("proj_1", lambda f: f.with_agent(replace(f.agent("ag_1"), name="api")))
    out = stored(layout)
    assert out["schema"] == REFERENCE["schema"] and out["project"] == REFERENCE["project"]
    agent = out["agents"][0]
    assert agent["name"] == "api" and agent["avatar"] == {"hue": 3} and agent["status"] == "running"
    assert agent["pendingGate"]["note"] == {"kept": True}
    assert out["agents"][1] == REFERENCE["agents"][1] | {"flags": []}
    assert out["pendingPlans"] == REFERENCE["pendingPlans"]


def test_unknown_keys_follow_their_record_by_id_when_the_order_changes(foreign: Store, layout: Layout) -> None:
    foreign.mutate_project("proj_1", lambda f: f.without_agent("ag_2").with_agent(f.agent("ag_2")))
    foreign.mutate_project("proj_1", lambda f: f.without_agent("ag_1"))
    assert [a["id"] for a in stored(layout)["agents"]] == ["ag_2"]
    assert "avatar" not in stored(layout)["agents"][0]


@settings(max_examples=20, deadline=None)
@given(gates=st.lists(GATES, max_size=3, unique_by=lambda g: g.id))
def test_open_gates_of_an_agent_come_back_head_first(
    tmp_path_factory: pytest.TempPathFactory, gates: list[Gate]
) -> None:
    root: Path = tmp_path_factory.mktemp("root")
    store = Store(Layout(root))
    store.prepare()
    project = store.create_project("harbor", "/src")
    agent = Agent(id="a-1", project_id=project.id, name="backend", cli="codex", cwd="/src")
    store.mutate_project(project.id, lambda f: f.with_agent(agent).with_gates("a-1", tuple(gates)))
    assert store.project_file(project.id).gates.get("a-1", ()) == tuple(gates)


@pytest.mark.parametrize("broken", [{"choices": "many"}, {"tier": "odd"}, {"effects": [{"kind": "x"}]}, {"prompt": 7}])
def test_a_gate_with_a_field_that_does_not_fit_still_opens(
    foreign: Store, layout: Layout, broken: dict[str, Any]
) -> None:
    raw = stored(layout)
    raw["agents"][0]["pendingGate"] |= broken
    (layout.projects / "proj_1" / "project.json").write_text(json.dumps(raw))
    (gate,) = foreign.project_file("proj_1").gates["ag_1"]
    assert gate.id == "gate_1" and gate.tier == "harmful"
