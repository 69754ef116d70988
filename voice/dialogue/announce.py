"""What is said without being asked: new gates and plans, by urgency, merged, never over the user (pure)."""

from dataclasses import replace

from voice.dialogue.requests import ReadAloud, Say
from voice.dialogue.state import State
from voice.dialogue.world import Step, World, heads

_TALKING = frozenset(("reading", "choosing", "completing", "undoable"))


def due(state: State, world: World) -> Step:
    """The announcement that may be made now, if any; what was decided meanwhile is not announced."""
    gates = [gate for gate in heads(world) if gate["id"] not in state.known]
    plans = [plan for plan in world.snapshot["plans"] if plan["id"] not in state.known]
    if not (gates or plans) or not _may_speak(state, world):
        return Step(state)
    known = state.known | {gate["id"] for gate in gates} | {plan["id"] for plan in plans}
    if len(gates) == 1 and not plans:
        return _read(replace(state, known=known), ReadAloud("gate", gates[0]["id"]))
    if len(plans) == 1 and not gates:
        return _read(replace(state, known=known), ReadAloud("plan", plans[0]["id"]))
    agents = list(dict.fromkeys(gate["agentName"] for gate in gates))
    say = Say("announce.many", {"agents": agents, "gates": len(gates), "plans": len(plans)}, urgency="gate")
    return Step(replace(state, known=known), (), (say,))


def _read(state: State, request: ReadAloud) -> Step:
    return Step(replace(state, awaiting_reading=(request.subject, request.id)), (request,))


def _may_speak(state: State, world: World) -> bool:
    return (
        world.by_voice
        and state.engine_up
        and not state.speaks(world.now)
        and state.awaiting_reading is None
        and state.phase not in _TALKING
        and world.now >= state.hold_until
        and world.now >= state.quiet_until
    )
