"""Sessions and documents on the page in a real browser: what may be done is offered, and deleting asks once more."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit" / "api"))

from api_rig import Rig
from fake_service import STARTED
from playwright.sync_api import Page, expect
from test_page_browser import ATTACKS, browser, open_page, page, pytestmark, rig

__all__ = ["browser", "page", "pytestmark", "rig"]  # fixtures and marks of the page's other tests


def run(number: int, state: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"run-{number}",
        "number": number,
        "name": f"S-{number}",
        "projectId": "p-1",
        "agentId": "a-1",
        "agentName": "backend",
        "cli": "claude",
        "state": state,
        "startedAt": STARTED,
        "endedAt": None,
        "exitCode": None,
        "reason": None,
        "control_path": "/tmp/c",
        "workspace_path": "/tmp/w",
        **changes,
    }


def buttons(page: Page, number: int) -> list[str]:
    """The labels of what can be done with a session."""
    return page.locator(f"[data-session='run-{number}'] button:visible").all_inner_texts()


def open_with(rig: Rig, page: Page, *runs: dict[str, Any]) -> list[str]:
    rig.do(lambda: rig.service.runs.extend(runs))
    complaints = open_page(rig, page)
    expect(page.locator("#sessions li")).to_have_count(len(runs))
    return complaints


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("working", ["Halt", "Cancel"]),
        ("idle", ["Halt", "Cancel"]),
        ("halted", ["Resume", "Archive", "Delete"]),
        ("process_lost", ["Resume", "Archive", "Delete"]),
        ("cancelled", ["Archive", "Delete"]),
    ],
)
def test_only_what_can_be_done_is_offered(rig: Rig, page: Page, state: str, offered: list[str]) -> None:
    complaints = open_with(rig, page, run(12, state, reason="because"))
    item = page.locator("[data-session='run-12']")
    expect(item).to_contain_text("S-12 backend")
    expect(item).to_contain_text(state.replace("_", " "))
    expect(item).to_contain_text("because")
    assert buttons(page, 12) == offered
    assert not complaints


@pytest.mark.parametrize(
    ("state", "label", "called"),
    [
        ("halted", "Resume", "resume_session"),
        ("working", "Halt", "halt_session"),
        ("working", "Cancel", "cancel_session"),
        ("finished", "Archive", "archive_session"),
    ],
)
def test_button_does_what_it_says_to_its_session_alone(
    rig: Rig, page: Page, state: str, label: str, called: str
) -> None:
    open_with(rig, page, run(11, state), run(12, state))
    page.get_by_role("button", name=f"{label} S-12").click()
    expect(page.locator("#sessions-problem")).to_be_hidden()
    page.wait_for_timeout(0)
    wait_for(page, rig, called)
    assert [call["session"] for call in rig.service.named(called)] == ["run-12"]


def test_deleting_asks_once_more_by_name(rig: Rig, page: Page) -> None:
    open_with(rig, page, run(12, "finished"))
    delete = page.locator("[data-session='run-12'] .delete")
    delete.click()
    expect(delete).to_have_text("Delete S-12 for good?")
    assert rig.service.named("delete_session") == []
    page.locator("#sessions-title").click()
    expect(delete).to_have_text("Delete")
    delete.click()
    delete.click()
    wait_for(page, rig, "delete_session")
    assert [call["session"] for call in rig.service.named("delete_session")] == ["run-12"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_of_sessions_and_documents_never_becomes_markup(rig: Rig, page: Page, attack: str) -> None:
    version = {"version": 1, "file": attack, "size": 3, "sha256": "0", "publishedAt": STARTED, "publishedBy": "cli"}
    rig.do(
        lambda: rig.service.published.append({"id": "d-1", "projectId": "p-1", "title": attack, "versions": [version]})
    )
    complaints = open_with(rig, page, run(12, "halted", agentName=attack, reason=attack))
    expect(page.locator("#documents li").first).to_contain_text(attack)
    expect(page.locator("[data-session='run-12'] .why")).to_have_text(attack)
    assert page.evaluate("() => document.body.dataset.owned") is None
    assert page.locator("#sessions img, #sessions script, #documents svg, #documents h1").count() == 0
    assert not complaints


def wait_for(page: Page, rig: Rig, called: str) -> None:
    for _ in range(200):
        if rig.service.named(called):
            return
        page.wait_for_timeout(25)
