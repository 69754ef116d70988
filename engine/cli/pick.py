"""Finds what a person named among what there is: by id, by name, by ``project/agent``; never by guessing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.errors import BadRequest, NotFound

if TYPE_CHECKING:
    from engine.domain.wire import AgentView, GateView, OrgSnapshot, PlanView, ProjectView


def project(snapshot: OrgSnapshot, named: str) -> ProjectView:
    """The project with this id or name."""
    found = [p for p in snapshot["projects"] if p["id"] == named] or [
        p for p in snapshot["projects"] if p["name"].casefold() == named.casefold()
    ]
    names = [p["name"] for p in snapshot["projects"]]
    if not found:
        raise NotFound(f"There is no project {named!r}. {_known(names, 'Add one with: conduit projects add NAME')}")
    if len(found) > 1:
        raise BadRequest(f"{named!r} fits several projects; use an id: {', '.join(p['id'] for p in found)}.")
    return found[0]


def agent(snapshot: OrgSnapshot, named: str) -> AgentView:
    """The agent with this id, name or ``project/name``."""
    found = [a for a in snapshot["agents"] if a["id"] == named] or [a for a in snapshot["agents"] if _fits(a, named)]
    full = [f"{a['projectName']}/{a['name']}" for a in snapshot["agents"]]
    if not found:
        raise NotFound(f"There is no agent {named!r}. {_known(full, 'Add one with: conduit agents add PROJECT NAME')}")
    if len(found) > 1:
        choices = ", ".join(f"{a['projectName']}/{a['name']} ({a['id']})" for a in found)
        raise BadRequest(f"{named!r} fits several agents; say which: {choices}.")
    return found[0]


def gate(snapshot: OrgSnapshot, gate_id: str) -> GateView:
    """The open gate with exactly this id; a decision names its gate."""
    for found in snapshot["gates"]:
        if found["id"] == gate_id:
            return found
    mine = [g for g in snapshot["gates"] if g["head"] and gate_id.casefold() in _names_of(g)]
    if mine:
        raise BadRequest(
            f"{gate_id} waits on {mine[0]['id']}: {_quoted(mine[0]['prompt'])}. Name that gate, so that it is the one "
            "you have seen."
        )
    raise NotFound(f"No gate {gate_id!r} is open. List them with: conduit gates")


def plan(snapshot: OrgSnapshot, named: str) -> PlanView:
    """The plan with this id."""
    for found in snapshot["plans"]:
        if found["id"] == named:
            return found
    raise NotFound(f"No plan {named!r} is waiting. List them with: conduit plans")


def _names_of(found: GateView) -> set[str]:
    name = found["agentName"].casefold()
    return {name, f"{found['projectName'].casefold()}/{name}", found["agentId"]}


def _fits(found: AgentView, named: str) -> bool:
    name = found["name"].casefold()
    return named.casefold() in (name, f"{found['projectName'].casefold()}/{name}")


def _known(names: list[str], otherwise: str) -> str:
    return f"There are: {', '.join(sorted(names))}." if names else f"There is none yet. {otherwise}"


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line[:80]}"'
