"""Makes a gate of a question: judged where it would run, with the fingerprint of all that it is about."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import yaml

from engine.domain.errors import BadRequest, ConduitError
from engine.domain.gates import Gate, Question, Resolution, Tier
from engine.domain.ids import new_id
from engine.domain.projects import Agent
from engine.domain.runs import Run
from engine.gates.answers import question_of
from engine.gates.fingerprint import fingerprint
from engine.gates.policy import Policy, parse_rules, policy_request
from engine.gates.ports import ResolveRequest
from engine.gates.sources.command import Judgement, RealSurroundings, Surroundings, judge, judge_edit
from engine.ports.clock import Clock, stamp
from engine.storage.layout import Layout
from engine.storage.store import Store

_log = logging.getLogger(__name__)
Answer = Callable[[ResolveRequest], Awaitable[Resolution]]


class Raiser:
    """Judges questions and re-judges gates; owns the tasks by which a policy answers."""

    def __init__(self, store: Store, layout: Layout, clock: Clock) -> None:
        self._store = store
        self._layout = layout
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()
        self.answer: Answer | None = None

    async def gate(self, agent: Agent, run: Run, question: Question) -> Gate:
        """The gate of a question that has just frozen its agent."""
        project = await asyncio.to_thread(self._store.project_file, agent.project_id)
        bare = Gate(
            id=new_id("g"),
            agent_id=agent.id,
            project_id=agent.project_id,
            run_id=run.id,
            prompt=question.prompt,
            command=question.command,
            choices=question.choices,
            source=question.source,
            tier=question.tier,
            fingerprint="",
            raised_at=stamp(self._clock),
            cwd=agent.cwd,
            effects=question.effects,
            screen_only=question.screen_only,
            handle=question.handle,
            speakable=question.speakable,
            may_have_begun=question.may_have_begun,
            edits=question.edits,
        )
        return await asyncio.to_thread(self._judged, bare, project.project.cwd)

    async def recheck(self, gate: Gate) -> Gate:
        """The same gate seen anew: what it would do now, and whether anything that it names has changed."""
        project = await asyncio.to_thread(self._store.project_file, gate.project_id)
        return await asyncio.to_thread(self._judged, gate, project.project.cwd)

    async def after_opening(self, gate: Gate) -> None:
        """Let the user's own rules answer a routine gate; anything unclear waits for the user."""
        if gate.tier != "routine" or self.answer is None:
            return
        file = await asyncio.to_thread(self._store.project_file, gate.project_id)
        policy = await asyncio.to_thread(self._policy)
        rule = policy.rule_for(
            gate, project=file.project.name, agent=file.agent(gate.agent_id).name, now=self._clock.wall()
        )
        if rule is not None:
            task = asyncio.create_task(self._by_policy(policy_request(gate, rule)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Wait for what a policy is answering."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _by_policy(self, request: ResolveRequest) -> None:
        if self.answer is None:
            return
        try:
            await self.answer(request)
        except ConduitError as fault:
            _log.warning("the policy could not answer gate %s, so it waits: %s", request.gate_id, fault)

    def _policy(self) -> Policy:
        """The rules that the user has confirmed; settings that can't be read answer nothing."""
        try:
            settings = _yaml(self._layout.settings)
            rules = parse_rules(settings)
            confirmed = parse_rules({"policies": settings.get("confirmedPolicies")})
        except (BadRequest, OSError, yaml.YAMLError) as fault:
            _log.error("no policy is in force: %s", fault)
            return Policy((), ())
        return Policy(rules, confirmed)

    def _judged(self, gate: Gate, project_folder: str) -> Gate:
        where = RealSurroundings(cwd=gate.cwd, project=project_folder, conduit_home=str(self._layout.root))
        judged = _judge(gate, where)
        branch = where.git_text(gate.cwd, "rev-parse", "--abbrev-ref", "HEAD") or None
        seen = replace(gate, branch=branch) if judged is None else _with(gate, judged, branch)
        return replace(seen, fingerprint=fingerprint(question_of(seen), where, branch))


def _judge(gate: Gate, where: Surroundings) -> Judgement | None:
    """The judge's word on the command, or on the worst of the edits; None when there is nothing to judge."""
    if gate.command is not None:
        return judge(gate.command, where)
    found = [judge_edit(edit.path, edit.kind, where, edit.diff) for edit in gate.edits]
    return min(found, key=lambda one: (one.tier != "harmful", one.screen_only is None), default=None)


def _with(gate: Gate, judged: Judgement, branch: str | None) -> Gate:
    """The judge's word on the command, who looks around where the source that saw it did not."""
    tier: Tier = "harmful" if judged.tier == "harmful" else "routine"
    return replace(
        gate,
        branch=branch,
        tier=tier,
        effects=judged.effects or gate.effects,
        screen_only=judged.screen_only or gate.screen_only,
    )


def _yaml(path: Any) -> dict[str, Any]:
    if not path.exists():
        return {}
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded if isinstance(loaded, dict) else {}
