"""Rules that answer in the user's name: routine only, narrow, with an end, and never wider than was confirmed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from gate_fakes import make_gate

from engine.domain.errors import BadRequest, Conflict
from engine.domain.gates import Effect
from engine.gates.policy import Policy, confirm_change, parse_rules, policy_request

NOW = datetime(2026, 1, 1, tzinfo=UTC)
INSTALL = Effect("install", ("left-pad",), "project", "yes")


def rules(**changes: Any) -> tuple[Any, ...]:
    given = {"project": "apollo", "agent": "backend", "effects": ["install"], "expires": "2026-01-02T00:00:00Z"}
    return parse_rules({"policies": [given | changes]})


def in_force(**changes: Any) -> Policy:
    return Policy(rules(**changes), rules(**changes))


def answered(policy: Policy, now: datetime = NOW, **changes: Any) -> bool:
    gate = make_gate(**({"tier": "routine", "effects": (INSTALL,)} | changes))
    return policy.rule_for(gate, project="apollo", agent="backend", now=now) is not None


def test_routine_gate_within_a_rule_is_answered() -> None:
    assert answered(in_force())
    assert answered(in_force(agent=None))
    assert answered(in_force(project="p-1", agent="a-1"))


@pytest.mark.parametrize(
    "changes",
    [
        {"tier": "harmful"},
        {"screen_only": "hidden characters"},
        {"speakable": False},
        {"source": "supervisor"},
        {"effects": ()},
        {"effects": (INSTALL, Effect("delete", ("x",), "project", "no"))},
        {"effects": (Effect("install", ("x",), "system", "no"),)},
    ],
)
def test_everything_else_waits_for_the_user(changes: dict[str, Any]) -> None:
    assert not answered(in_force(), **changes)


def test_rule_of_another_project_or_agent_does_not_answer() -> None:
    assert not answered(in_force(project="harbor"))
    assert not answered(in_force(agent="frontend"))


def test_rule_ends_when_it_says() -> None:
    assert answered(in_force(), NOW + timedelta(hours=23))
    assert not answered(in_force(), NOW + timedelta(days=1))


def test_question_without_effects_needs_a_rule_that_says_so() -> None:
    assert answered(in_force(effects=["none"]), effects=())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"expires": None}, "expires"),
        ({"expires": "2026-01-02T00:00:00"}, "expires"),
        ({"effects": []}, "effects"),
        ({"effects": ["unknown"]}, "always asks"),
        ({"effects": ["anything"]}, "effects"),
        ({"places": ["unknown"]}, "always asks"),
        ({"project": ""}, "project"),
        ({"tier": "harmful"}, "tier"),
    ],
)
def test_slip_in_a_rule_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        rules(**change)


def test_policies_that_are_no_list_are_refused() -> None:
    with pytest.raises(BadRequest, match="list"):
        parse_rules({"policies": {"project": "apollo"}})
    assert parse_rules({}) == ()


@pytest.mark.parametrize(
    "wider", [{"agent": None}, {"effects": ["install", "execute"]}, {"places": ["project", "temp"]},
              {"expires": "2027-01-01T00:00:00Z"}, {"project": "harbor"}],
)  # fmt: skip
def test_wider_rule_answers_nothing_until_it_is_confirmed(wider: dict[str, Any]) -> None:
    old = in_force()
    with pytest.raises(Conflict, match="Confirm it"):
        confirm_change(old, rules(**wider), confirmed=False)
    assert Policy(rules(**wider), old.confirmed).unconfirmed == rules(**wider)
    assert not confirm_change(old, rules(**wider), confirmed=True).unconfirmed


def test_rule_edited_into_the_settings_without_the_user_answers_nothing() -> None:
    assert not answered(Policy(rules(), ()))


def test_narrower_rule_is_in_force_at_once_and_widening_back_asks_again() -> None:
    narrowed = confirm_change(in_force(agent=None), rules(), confirmed=False)
    assert answered(narrowed)
    with pytest.raises(Conflict):
        confirm_change(narrowed, rules(agent=None), confirmed=False)


def test_answer_of_a_rule_says_which_rule() -> None:
    request = policy_request(make_gate(tier="routine"), rules()[0])
    assert (request.via, request.decision) == ("policy", "approve")
    assert "apollo" in (request.policy_rule or "")
