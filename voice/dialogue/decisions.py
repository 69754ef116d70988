"""Gates and plans: reading them, and handing the user's decisions on. Never approves: the engine judges (pure)."""

from collections.abc import Callable, Mapping
from typing import Literal

from engine.domain.wire import GateView, PlanView
from voice.dialogue.commands import ask_which
from voice.dialogue.reading import gate_reading, plan_reading
from voice.dialogue.requests import ReadAloud, Request, ResolveGate, ResolvePlan, Say
from voice.dialogue.state import State
from voice.dialogue.world import Found, Step, World, gate_by_id, heads, plan_by_id
from voice.understand.intents import Intent


def gates_meant(state: State, world: World, intent: Intent) -> Found[GateView]:
    """The gates that an intent may mean: by the agent's name; else what "it" is; else the only one."""
    if "agent" in intent.slots:
        named = [g for g in heads(world) if g["agentName"] == intent.slots["agent"]]
        project = intent.slots.get("project")
        return Found(tuple(g for g in named if project in (None, g["projectName"])))
    if state.it is not None and state.it[0] == "gate":
        gate = gate_by_id(world, state.it[1])
        if gate is not None and gate["head"]:
            return Found((gate,))
    return Found(tuple(heads(world)))


def plans_meant(state: State, world: World, intent: Intent) -> Found[PlanView]:
    """The plans that an intent may mean: by number; else what "it" is; else the only one."""
    plans = world.snapshot["plans"]
    if "plan" in intent.slots:
        return Found(tuple(p for p in plans if p["number"] == intent.slots["plan"]))
    if state.it is not None and state.it[0] == "plan":
        plan = plan_by_id(world, state.it[1])
        if plan is not None:
            return Found((plan,))
    return Found(tuple(plans))


def _means_plan(state: State, world: World, intent: Intent) -> bool:
    """Whether "it" is a plan: one was read last, or there is nothing else."""
    if "agent" in intent.slots:
        return False
    if state.it is not None:
        return state.it[0] == "plan" and plan_by_id(world, state.it[1]) is not None
    return not heads(world) and bool(world.snapshot["plans"])


def gate(state: State, world: World, intent: Intent) -> Step:
    """Read, decide or answer a gate."""
    if intent.name != "gate.answer" and _means_plan(state, world, intent):
        return plan(state, world, Intent(intent.name.replace("gate.", "plan."), intent.slots, intent.confidence))
    found = gates_meant(state, world, intent)
    if not found.all:
        return Step(state, (), (_no_gate(world, intent),))
    if found.one is None:
        return ask_which(state, world, tuple(_for(intent, one) for one in found.all))
    return _on_gate(state, world, intent, found.one)


def _no_gate(world: World, intent: Intent) -> Say:
    if "agent" in intent.slots:
        return Say("gates.none_of", {"agent": intent.slots["agent"]})
    return Say("gates.none")


def _for(intent: Intent, one: GateView) -> Intent:
    slots = {**intent.slots, "agent": one["agentName"], "project": one["projectName"]}
    return Intent(intent.name, slots, intent.confidence)


def _on_gate(state: State, world: World, intent: Intent, one: GateView) -> Step:
    if intent.name == "gate.read" and not world.by_voice:
        return Step(state, (), (gate_reading(one, None, None),))
    if intent.name == "gate.read":
        return Step(state, (ReadAloud("gate", one["id"]),))
    if intent.name == "gate.approve" and not world.by_voice:
        return Step(state, (), (Say("ask.approve", {"id": one["id"], "agent": one["agentName"]}),))
    if intent.name == "gate.approve" and one["screenOnly"]:
        return Step(state, (), (Say("gate.screen_only", {"agent": one["agentName"]}),))
    if intent.name == "gate.answer" and not world.by_voice:
        return Step(state, (), (Say("ask.answer", {"id": one["id"], "agent": one["agentName"]}),))
    if intent.name == "gate.answer" and not one["speakable"]:
        return Step(state, (), (Say("gate.unspeakable", {"agent": one["agentName"]}),))
    return Step(state, (_resolve(state, one, intent),))


def _resolve(state: State, one: GateView, intent: Intent) -> Request:
    decisions: dict[str, Literal["approve", "reject", "custom"]] = {
        "gate.approve": "approve",
        "gate.reject": "reject",
        "gate.answer": "custom",
    }
    text = str(intent.slots["text"]) if intent.name == "gate.answer" else None
    return ResolveGate(one["projectId"], one["agentId"], one["agentName"], one["id"], decisions[intent.name], text)


def plan(state: State, world: World, intent: Intent) -> Step:
    """Read or decide a plan."""
    found = plans_meant(state, world, intent)
    if not found.all:
        numbered = "plan" in intent.slots
        say = Say("plans.no_such", {"number": intent.slots["plan"]}) if numbered else Say("plans.none")
        return Step(state, (), (say,))
    if found.one is None:
        each = (Intent(intent.name, {**intent.slots, "plan": p["number"]}, intent.confidence) for p in found.all)
        return ask_which(state, world, tuple(each))
    one = found.one
    if intent.name == "plan.read" and not world.by_voice:
        return Step(state, (), (plan_reading(one),))
    if intent.name == "plan.read":
        return Step(state, (ReadAloud("plan", one["id"]),))
    if intent.name == "plan.approve" and not world.by_voice:
        return Step(state, (), (Say("ask.approve", {"id": one["id"], "agent": one["targetAgentName"]}),))
    reason = intent.slots.get("reason")
    decision: Literal["approve", "reject"] = "approve" if intent.name == "plan.approve" else "reject"
    return Step(
        state,
        (
            ResolvePlan(
                one["projectId"],
                one["id"],
                one["number"],
                one["targetAgentName"],
                decision,
                None if reason is None else str(reason),
            ),
        ),
    )


DECISIONS: Mapping[str, Callable[[State, World, Intent], Step]] = {
    "gate.read": gate,
    "gate.approve": gate,
    "gate.reject": gate,
    "gate.answer": gate,
    "plan.read": plan,
    "plan.approve": plan,
    "plan.reject": plan,
}
