"""What is approved without asking: shown, told, and switched on only as it was shown."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from engine.domain.errors import Conflict
from engine.ports.clock import FakeClock
from engine.service.office import Office
from engine.service.policy import PolicyService
from engine.storage.layout import Layout
from engine.storage.store import Store

SETTINGS = """# my settings
policies:
  - {project: Apollo, effects: [install, none], expires: "2999-01-02T03:04:00+00:00"}
  - {project: Apollo, agent: tests, effects: delete, places: temp, expires: "2999-01-02T03:04:00+00:00"}
theme: dark  # mine
"""


@pytest.fixture
def desk(tmp_path: Path) -> tuple[PolicyService, Path]:
    clock = FakeClock()
    store = Store(Layout(tmp_path), clock)
    store.layout.config.mkdir(parents=True, exist_ok=True)

    async def files() -> list[Any]:
        return []

    office = cast(Office, SimpleNamespace(store=store, clock=clock, files=files))
    return PolicyService(office), store.layout.settings


def run(work: Any) -> Any:
    return asyncio.run(work)


def test_without_rules_it_says_that_nothing_is_approved(desk: tuple[PolicyService, Path]) -> None:
    view = run(desk[0].policy())
    assert view["rules"] == []
    assert view["spoken"].startswith("I let nothing pass by myself")


def test_a_rule_counts_only_once_the_owner_confirmed_it(desk: tuple[PolicyService, Path]) -> None:
    service, path = desk
    path.write_text(SETTINGS)
    first, second = run(service.policy())["rules"]
    assert (first["confirmed"], second["confirmed"]) == (False, False)
    after = run(service.confirm_policy(digests=[first["digest"]], via="web"))
    assert [rule["inForce"] for rule in after["rules"]] == [True, False]
    assert "every agent of Apollo" in after["spoken"]
    assert "1 rule waits" in after["spoken"]
    assert "Harmful questions always wait" in after["spoken"]


def test_confirming_keeps_every_other_line_of_the_settings(desk: tuple[PolicyService, Path]) -> None:
    service, path = desk
    path.write_text(SETTINGS)
    for _ in range(2):
        waiting = [rule["digest"] for rule in run(service.policy())["rules"] if not rule["confirmed"]]
        run(service.confirm_policy(digests=waiting[:1], via="web"))
    text = path.read_text()
    assert text.startswith(SETTINGS.rstrip("\n"))
    assert len(yaml.safe_load(text)["confirmedPolicies"]) == 2
    assert text.count("confirmedPolicies:") == 1


def test_a_rule_that_changed_after_it_was_shown_is_not_confirmed(desk: tuple[PolicyService, Path]) -> None:
    service, path = desk
    path.write_text(SETTINGS)
    shown = run(service.policy())["rules"][1]["digest"]
    wider = SETTINGS.replace("places: temp", "places: [temp, home]")
    path.write_text(wider)
    with pytest.raises(Conflict):
        run(service.confirm_policy(digests=[shown], via="web"))
    assert path.read_text() == wider


def test_settings_that_cannot_be_read_allow_nothing_and_say_why(desk: tuple[PolicyService, Path]) -> None:
    service, path = desk
    path.write_text("policies: [{project: A")
    view = run(service.policy())
    assert view["rules"] == []
    assert view["fault"] in view["spoken"]
