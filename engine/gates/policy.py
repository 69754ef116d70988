"""Rules by which routine gates are answered in the user's name. Never harmful ones; each rule has an end. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from engine.domain.errors import BadRequest, Conflict
from engine.domain.gates import EffectKind, Gate, Place
from engine.gates.ports import ResolveRequest

# A question without effects ("Continue?") is matched only by a rule that says so.
RuleEffect = Literal[EffectKind, "none"]
# What the judge could not tell is never answered by a rule.
_UNRULED: frozenset[str] = frozenset({"unknown", "escape"})


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Rule(BaseModel):
    """One rule of ``policies:`` in config/settings.yaml: which project and agent, which effects where, until when."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: str = Field(min_length=1)  # name or id
    agent: str | None = None  # name or id; None: every agent of the project
    effects: Annotated[tuple[RuleEffect, ...], BeforeValidator(_listed)] = Field(min_length=1)
    places: Annotated[tuple[Place, ...], BeforeValidator(_listed)] = ("project",)
    expires: AwareDatetime

    def text(self) -> str:
        """The rule as a sentence."""
        who = f"{self.agent} of {self.project}" if self.agent else f"every agent of {self.project}"
        what, where = ", ".join(self.effects), ", ".join(self.places)
        return f"routine questions of {who} ({what}; in {where}) are approved until {self.expires.isoformat()}"

    def digest(self) -> str:
        """SHA-256 hex of what the rule allows; the confirmation of the user is kept under it."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()

    def covers(self, other: "Rule") -> bool:
        """Whether ``other`` allows nothing that this rule does not."""
        return (
            self.project == other.project
            and self.agent in {None, other.agent}
            and set(self.effects) >= set(other.effects)
            and set(self.places) >= set(other.places)
            and self.expires >= other.expires
        )


class Policy:
    """The rules in force: those of the settings that the user has confirmed; an unconfirmed one answers nothing."""

    def __init__(self, rules: Iterable[Rule], confirmed: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.confirmed = tuple(confirmed)
        self._in_force = tuple(rule for rule in self.rules if any(known.covers(rule) for known in self.confirmed))

    @property
    def unconfirmed(self) -> tuple[Rule, ...]:
        """Rules that wait for the user's confirmation; shown on the page, and in force for nothing."""
        return tuple(rule for rule in self.rules if rule not in self._in_force)

    def rule_for(self, gate: Gate, *, project: str, agent: str, now: datetime) -> Rule | None:
        """The rule that answers this gate now, or None: then it waits. ``project`` and ``agent`` are the names."""
        if gate.tier != "routine" or gate.screen_only or not gate.speakable or gate.source == "supervisor":
            return None
        projects, agents = {project, gate.project_id}, {agent, gate.agent_id}
        return next((rule for rule in self._in_force if _matches(rule, gate, projects, agents, now)), None)


def parse_rules(settings: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules of a settings mapping; raises BadRequest naming the rule and the field that is wrong."""
    listed = settings.get("policies") or []
    if not isinstance(listed, list):
        raise BadRequest("policies in config/settings.yaml has to be a list of rules.")
    return tuple(_rule(at, given) for at, given in enumerate(listed, start=1))


def confirm_change(old: Policy, rules: Iterable[Rule], *, confirmed: bool) -> Policy:
    """The policy after a change; a change that widens it raises Conflict with what it allows, until confirmed."""
    new = Policy(rules, old.confirmed)
    if new.unconfirmed and not confirmed:
        allowed = "; ".join(rule.text() for rule in new.unconfirmed)
        raise Conflict(f"This lets more be approved without asking: {allowed}. Confirm it to switch it on.")
    # Narrowing drops what was confirmed before, so that widening back asks again.
    return Policy(new.rules, new.rules)


def policy_request(gate: Gate, rule: Rule) -> ResolveRequest:
    """The decision that a rule takes; resolve checks again that the gate is routine, and audits it by policy."""
    return ResolveRequest(
        gate_id=gate.id,
        agent_id=gate.agent_id,
        decision="approve",
        via="policy",
        request_id=f"policy-{gate.id}",
        policy_rule=rule.text(),
    )


def _rule(at: int, given: object) -> Rule:
    try:
        rule = Rule.model_validate(given)
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "it"
        raise BadRequest(f"Rule {at} of policies in config/settings.yaml: {field}: {first['msg']}.") from fault
    if _UNRULED & set(rule.effects) or "unknown" in rule.places:
        known = ", ".join(sorted(set(get_args(EffectKind)) - _UNRULED))
        raise BadRequest(f"Rule {at} of policies: what is unknown always asks; effects can be none, {known}.")
    return rule


def _matches(rule: Rule, gate: Gate, projects: set[str], agents: set[str], now: datetime) -> bool:
    if rule.project not in projects or (rule.agent is not None and rule.agent not in agents) or now >= rule.expires:
        return False
    if not gate.effects:
        return "none" in rule.effects
    return all(effect.kind in rule.effects and effect.place in rule.places for effect in gate.effects)
