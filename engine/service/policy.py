"""What is approved without asking: the rules of config/settings.yaml, shown, told and switched on by the owner."""

import asyncio
from datetime import datetime
from typing import Any

import yaml

from engine.domain.chat import AuditLine
from engine.domain.errors import BadRequest, ConduitError, Conflict
from engine.domain.gates import Via
from engine.domain.ids import new_id
from engine.domain.wire import PolicyRuleView, PolicyView
from engine.gates.policy import Policy, Rule, confirm_change, parse_rules
from engine.ports.clock import stamp
from engine.service.office import Office
from engine.storage.files import write_text

_KEY = "confirmedPolicies"
_NOTE = "# Written by Conduit when you confirm a rule; a rule of policies: counts only if one of these covers it.\n"


class PolicyService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._policy_lock = asyncio.Lock()

    async def policy(self) -> PolicyView:
        """The rules as they are now, with the sentence that tells them; settings that can't be read allow nothing."""
        try:
            policy = _parsed(await asyncio.to_thread(self._settings_text))
        except BadRequest as fault:
            return {"rules": [], "spoken": f"I let nothing pass by myself. {fault}", "fault": str(fault)}
        now = self._office.clock.wall()
        return {
            "rules": [_view(rule, policy, now) for rule in policy.rules],
            "spoken": spoken(policy, now),
            "fault": None,
        }

    async def confirm_policy(self, *, digests: list[str], via: Via) -> PolicyView:
        """Switch on exactly the rules that were shown. Conflict when one of them has changed since."""
        async with self._policy_lock:
            text = await asyncio.to_thread(self._settings_text)
            old = _parsed(text)
            waiting = {rule.digest(): rule for rule in old.unconfirmed}
            if gone := [digest for digest in digests if digest not in waiting]:
                raise Conflict(f"{len(gone)} of these rules changed or are in force already. Look at them again.")
            asked = [waiting[digest] for digest in dict.fromkeys(digests)]
            # Rules that were not shown stay out: what is written is what was in force and what was confirmed now.
            kept = [rule for rule in old.rules if rule not in old.unconfirmed]
            new = confirm_change(Policy(kept, old.confirmed), [*kept, *asked], confirmed=True)
            await asyncio.to_thread(write_text, self._office.store.layout.settings, _with_confirmed(text, new))
            await self._audit_rules(asked, via)
        return await self.policy()

    def _settings_text(self) -> str:
        path = self._office.store.layout.settings
        try:
            return path.read_text(encoding="utf-8") if path.exists() else ""
        except (OSError, UnicodeDecodeError) as fault:
            raise BadRequest(f"{path} cannot be read ({fault}). Check the file and its owner.") from fault

    async def _audit_rules(self, rules: list[Rule], via: Via) -> None:
        """One audit line a rule, in the project that it names; a rule for a project to come has none yet."""
        known = {name: f.project.id for f in await self._office.files() for name in (f.project.id, f.project.name)}
        for rule in rules:
            if rule.project not in known:
                continue
            line = AuditLine(
                id=new_id("au"),
                timestamp=stamp(self._office.clock),
                event="policy_change",
                decision="approve",
                action="confirmed a rule",
                via=via,
                reason=rule.text(),
            )
            await asyncio.to_thread(self._office.store.append_audit, known[rule.project], line)


def spoken(policy: Policy, now: datetime) -> str:
    """The answer to "what do you allow by yourself?"."""
    live = [rule for rule in policy.rules if rule not in policy.unconfirmed and rule.expires > now]
    waiting = len([rule for rule in policy.unconfirmed if rule.expires > now])
    told = (
        " ".join(f"{_aloud(rule)}." for rule in live)
        if live
        else "I let nothing pass by myself: every question waits for you."
    )
    if live:
        told += " Harmful questions always wait for you."
    rules = "rule waits" if waiting == 1 else "rules wait"
    return f"{told} {waiting} {rules} for your confirmation on the page." if waiting else told


def _aloud(rule: Rule) -> str:
    who = f"{rule.agent} of {rule.project}" if rule.agent else f"every agent of {rule.project}"
    effects = [effect.replace("_", " ") for effect in rule.effects if effect != "none"]
    what = ", ".join(effects) or "plain questions"
    also = ", and plain questions" if effects and "none" in rule.effects else ""
    until = f"{rule.expires:%B} {rule.expires.day}, {rule.expires:%H:%M}"
    places = ", ".join(rule.places)
    return f"Until {until} routine questions of {who} pass without asking you: {what}{also}, only in: {places}"


def _view(rule: Rule, policy: Policy, now: datetime) -> PolicyRuleView:
    return {
        "digest": rule.digest(),
        "text": rule.text(),
        "project": rule.project,
        "agent": rule.agent,
        "effects": list(rule.effects),
        "places": list(rule.places),
        "expires": rule.expires.isoformat(),
        "confirmed": rule not in policy.unconfirmed,
        "inForce": rule not in policy.unconfirmed and rule.expires > now,
    }


def _parsed(text: str) -> Policy:
    try:
        settings = yaml.safe_load(text) or {}
    except yaml.YAMLError as fault:
        raise BadRequest(f"config/settings.yaml is no valid YAML: {fault}") from fault
    if not isinstance(settings, dict):
        raise BadRequest("config/settings.yaml has to be a mapping.")
    return Policy(parse_rules(settings), parse_rules({"policies": settings.get(_KEY)}))


def _with_confirmed(text: str, policy: Policy) -> str:
    """The settings with their confirmed rules exchanged; every other line, comments too, stays as it was written."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        inside = line.startswith(f"{_KEY}:") or (inside and (not line.strip() or line[0] in " \t-"))
        if not inside and line != _NOTE:
            kept.append(line)
    rules: list[dict[str, Any]] = [rule.model_dump(mode="json") for rule in policy.confirmed]
    head = "".join(kept).rstrip("\n")
    new = (head + "\n\n" if head else "") + _NOTE + yaml.safe_dump({_KEY: rules}, sort_keys=False, allow_unicode=True)
    if [rule.digest() for rule in _parsed(new).confirmed] != [rule.digest() for rule in policy.confirmed]:
        raise ConduitError("config/settings.yaml could not be changed safely. Nothing was confirmed.")
    return new
