"""Plans: proposed messages that go out only when the user approves them."""

import asyncio
from dataclasses import asdict
from typing import Literal

from engine.domain.chat import AuditLine
from engine.domain.errors import BadRequest, ConduitError
from engine.domain.gates import Via
from engine.domain.ids import new_id
from engine.domain.plans import Plan, PlanDecision
from engine.domain.wire import PlanResult, PlanView
from engine.ports.clock import stamp
from engine.service.messages import MessageService, check_message
from engine.service.office import Office
from engine.storage.project_file import ProjectFile, Resolving

LONGEST_DESCRIPTION = 2_000  # characters
Outcome = Literal["sent", "queued", "rejected"]


class PlanService:
    """See docs/architecture.md, "The wire". One lock a plan: two that decide at once can't both send."""

    def __init__(self, office: Office, messages: MessageService) -> None:
        self._office = office
        self._messages = messages
        self._locks: dict[str, asyncio.Lock] = {}

    async def list_plans(self, *, project_id: str) -> list[PlanView]:
        await self._office.file(project_id)
        return await self._office.plan_views(project_id)

    async def create_plan(self, *, project: str, agent: str, description: str, message: str) -> PlanView:
        """Propose a message; nothing is sent. A plan without its exact text is refused: nobody may approve a blank."""
        check_message(message)
        if not description.strip() or len(description) > LONGEST_DESCRIPTION:
            raise BadRequest(f"A plan needs a description of 1 to {LONGEST_DESCRIPTION} characters.")
        file, found = await self._office.find(project, agent)
        plan = Plan(
            id=new_id("pl"),
            project_id=file.project.id,
            description=description.strip(),
            target_agent=found.id,
            target_project=file.project.id,
            proposed_message=message,
            created_at=stamp(self._office.clock),
        )
        await asyncio.to_thread(self._office.store.add_plan, plan)
        view = await self._plan_view(plan)
        self._office.hub.publish("plan:created", {"plan": view})
        return view

    async def resolve_plan(
        self,
        *,
        project_id: str,
        plan_id: str,
        decision: PlanDecision,
        reason: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
        via: Via,
    ) -> PlanResult:
        """Send the plan's message verbatim, or record why not; the audit line and the removal are one step."""
        async with self._locks.setdefault(plan_id, asyncio.Lock()):
            file = await self._office.file(project_id)
            plan = file.plan(plan_id)
            if decision == "reject":
                self._office.consent.refuse(plan_id)
            phrase = self._spoken(plan, voice_session) if via == "voice" and decision == "approve" else None
            view = await self._plan_view(plan)
            state, action = await self._carry_out(file, plan, decision, request_id or new_id("m"), via)
            line = self._line(plan, decision, action, via, phrase, reason)
            await asyncio.to_thread(self._office.store.finish_plan, project_id, plan_id, line)
        self._locks.pop(plan_id, None)
        self._office.consent.forget(plan_id)
        told = {"plan": view, "decision": decision, "via": via, "state": state, "reason": reason}
        self._office.hub.publish("plan:resolved", told)
        return {"decision": decision, "state": state}

    async def recover(self) -> list[str]:
        """At the engine's start: finish what was decided; what may or may not have been sent says so."""
        notices = []
        for file in await self._office.files():
            for plan_id, state in file.resolving.items():
                notices.append(await self._recover(file, file.plan(plan_id), state))
        return notices

    async def _plan_view(self, plan: Plan) -> PlanView:
        return next(view for view in await self._office.plan_views(plan.project_id) if view["id"] == plan.id)

    def _spoken(self, plan: Plan, voice_session: str | None) -> str:
        return self._office.consent.approve_plan(voice_session, plan)

    async def _carry_out(
        self, file: ProjectFile, plan: Plan, decision: PlanDecision, request_id: str, via: Via
    ) -> tuple[Outcome, str]:
        """(state, what really reached the agent)."""
        store = self._office.store
        await asyncio.to_thread(store.mark_resolving, file.project.id, plan.id, decision, request_id)
        if decision == "reject":
            return "rejected", "nothing was sent"
        try:
            agent = file.agent(plan.target_agent)
            sent = await self._messages.send(agent, plan.proposed_message, _message_id(plan), via=via, sender="plan")
        except ConduitError:  # refused before anything was queued: the plan waits on
            await asyncio.to_thread(store.unmark_resolving, file.project.id, plan.id)
            raise
        return ("sent" if sent["state"] == "delivered" else "queued"), plan.proposed_message

    async def _recover(self, file: ProjectFile, plan: Plan, state: Resolving) -> str:
        """The message is queued on disk before it is typed, so its id tells whether the decision was carried out."""
        project_id = file.project.id
        done = state.decision == "reject" or await self._was_queued(file, plan)
        if not done:
            await asyncio.to_thread(self._office.store.unmark_resolving, project_id, plan.id)
            return f"Plan {plan.id} of {file.project.name} was being approved; nothing was sent, so it waits again."
        action = "nothing was sent" if state.decision == "reject" else plan.proposed_message
        line = self._line(plan, state.decision, action, "cli", None, "finished after the engine was restarted")
        await asyncio.to_thread(self._office.store.finish_plan, project_id, plan.id, line)
        return f"Plan {plan.id} of {file.project.name} had been decided; that is now recorded."

    async def _was_queued(self, file: ProjectFile, plan: Plan) -> bool:
        agent = next((agent for agent in file.agents if agent.id == plan.target_agent), None)
        if agent is None or agent.session_id is None:
            return False

        def look() -> bool:
            run = self._office.runs.get(agent.session_id or "")
            return self._office.runs.messages(run).get(_message_id(plan)) is not None

        return await asyncio.to_thread(look)

    def _line(
        self, plan: Plan, decision: PlanDecision, action: str, via: Via, phrase: str | None, reason: str | None
    ) -> AuditLine:
        return AuditLine(
            id=new_id("au"),
            timestamp=stamp(self._office.clock),
            event="plan_approve" if decision == "approve" else "plan_reject",
            decision=decision,
            action=action,
            via=via,
            plan_id=plan.id,
            plan=asdict(plan),
            authorising_phrase=phrase,
            reason=reason,
        )


def _message_id(plan: Plan) -> str:
    """One plan, one message: sent twice, it is still the same one."""
    return f"m-{plan.id.removeprefix('pl-')}"
