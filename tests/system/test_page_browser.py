"""The page in a real browser: exact text, one click a decision, live without a reload, and no markup from agents."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit" / "api"))

from api_rig import OWNER, Rig, running
from fake_service import STARTED, agent, gate, plan
from playwright.sync_api import Browser, Page, expect, sync_playwright

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(BROWSER is None, reason="needs Chromium"),
]
ATTACKS = [
    "<img src=x onerror=\"document.body.dataset.owned='yes'\">",
    "<script>document.body.dataset.owned='yes'</script>",
    "\"><svg onload=document.body.dataset.owned='yes'>",
    "</pre><h1>Approved</h1><pre>",
    "javascript:document.body.dataset.owned='yes'",
    "{{constructor.constructor('document.body.dataset.owned=1')()}}",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@pytest.fixture
def rig() -> Iterator[Rig]:
    with running() as one:
        yield one


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    yield opened
    context.close()


def open_page(rig: Rig, page: Page) -> list[str]:
    """Open by a one-time link; the list fills with what the browser complains of."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(rig.client().page_link())
    expect(page.locator("#connection")).to_have_text("Live")
    return complaints


def settle(page: Page) -> None:
    """Past the moment in which a list that just moved takes no decision."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 550))")


def test_one_time_link_leaves_nothing_in_address_or_cookies(rig: Rig, page: Page) -> None:
    complaints = open_page(rig, page)
    assert page.url == f"{rig.url}/"
    assert page.evaluate("() => sessionStorage.getItem('conduit-token')") == OWNER
    assert page.evaluate("() => localStorage.length") == 0
    assert page.context.cookies() == []
    assert complaints == []
    page.reload()
    expect(page.locator("#connection")).to_have_text("Live")


def test_page_without_a_key_shows_nothing_and_says_what_to_do(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate()]
    page.goto(rig.url)
    expect(page.locator("#notice")).to_contain_text("conduit up")
    assert page.locator("[data-gate]").count() == 0
    page.goto(f"{rig.url}/#link=used-up")
    page.reload()
    expect(page.locator("#notice")).to_contain_text("conduit up")


def test_gate_appears_live_with_its_exact_text_and_is_approved_by_one_click(rig: Rig, page: Page) -> None:
    complaints = open_page(rig, page)
    expect(page.locator("#needs-none")).to_be_visible()
    rig.do(lambda: rig.service.raise_gate(gate(command="rm -rf  build/*   # two  spaces\n\techo done")))
    card = page.locator("[data-gate='g-1']")
    expect(card).to_be_visible()
    assert card.locator("pre.command").inner_text() == "rm -rf  build/*   # two  spaces\n\techo done"
    expect(card).to_contain_text("cannot be undone")
    expect(card).to_contain_text("2. Yes, and don't ask again")
    expect(page.locator("[data-agent='a-1'] .status")).to_have_text("Waits for you, frozen")
    expect(page.locator("[data-agent='a-1'] .tell")).to_be_disabled()
    settle(page)
    card.get_by_role("button", name="Approve").click()
    expect(card).to_have_count(0)
    (call,) = rig.service.named("resolve")
    assert (call["gate_id"], call["decision"], call["via"], call["custom_input"]) == ("g-1", "approve", "web", None)
    assert call["request_id"].startswith("web-")
    expect(page.locator("#audit")).to_contain_text("Approved")
    expect(page.locator("[data-agent='a-1'] .tell")).to_be_enabled()
    assert complaints == []


def test_gate_is_rejected_by_one_click(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate()]
    open_page(rig, page)
    settle(page)
    page.get_by_role("button", name="Reject: backend").click()
    expect(page.locator("[data-gate]")).to_have_count(0)
    assert [call["decision"] for call in rig.service.named("resolve")] == ["reject"]


def test_own_answer_is_sent_as_typed_and_survives_other_events(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate()]
    open_page(rig, page)
    box = page.get_by_label("Your own answer to backend")
    box.fill("use build/old ")
    snapshots = len(rig.service.named("snapshot"))
    rig.do(lambda: rig.service.raise_gate(gate("g-2", agentId="a-2", agentName="web")))
    expect(page.locator("[data-gate='g-2']")).to_be_visible()
    assert len(rig.service.named("snapshot")) > snapshots
    assert box.input_value() == "use build/old "
    expect(box).to_be_focused()
    settle(page)
    page.locator("[data-gate='g-1']").get_by_role("button", name="Send answer").click()
    expect(page.locator("[data-gate='g-1']")).to_have_count(0)
    (call,) = rig.service.named("resolve")
    assert (call["decision"], call["custom_input"]) == ("custom", "use build/old ")


def test_click_on_a_card_that_just_moved_decides_nothing(rig: Rig, page: Page) -> None:
    """Another card slides under the pointer when the one above goes: that click was not meant for it."""
    rig.service.gates = [gate(), gate("g-2", agentId="a-2", agentName="web")]
    open_page(rig, page)
    settle(page)
    page.evaluate(
        """() => new MutationObserver((_, me) => {
          if (document.querySelector("[data-gate='g-1']") === null) {
            me.disconnect();
            document.querySelector("[data-gate='g-2'] .approve").click();
          }
        }).observe(document.getElementById("gates"), { childList: true })"""
    )
    page.locator("[data-gate='g-1']").get_by_role("button", name="Reject").click()
    expect(page.locator("[data-gate='g-1']")).to_have_count(0)
    expect(page.locator("[data-gate='g-2'] .problem")).to_contain_text("moved just now")
    assert [call["gate_id"] for call in rig.service.named("resolve")] == ["g-1"]


def test_gate_behind_another_cannot_be_answered_yet(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate(), gate("g-2", head=False)]
    open_page(rig, page)
    second = page.locator("[data-gate='g-2']")
    for name in ("Approve", "Reject", "Send answer"):
        expect(second.get_by_role("button", name=name)).to_be_disabled()
    expect(second).to_contain_text("Another question of this agent comes first")


def test_gate_that_someone_else_decided_says_so(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate()]
    rig.service.decided = {"g-1": "reject"}
    open_page(rig, page)
    settle(page)
    page.get_by_role("button", name="Approve: backend").click()
    problem = page.locator("[data-gate='g-1'] .problem")
    expect(problem).to_contain_text("Someone was faster")
    expect(problem).to_contain_text("decision: reject")


def test_masked_text_is_shown_on_request_and_hidden_again(rig: Rig, page: Page) -> None:
    complaints = open_page(rig, page)
    rig.do(lambda: rig.service.raise_gate(gate(command="push --token ••••", secretsMasked=True)))
    card = page.locator('[data-gate="g-1"]')
    expect(card).not_to_contain_text("s3cr3t")
    card.get_by_role("button", name="Show what is hidden").click()
    expect(card.locator(".revealed")).to_contain_text("push --token s3cr3t")
    card.get_by_role("button", name="Hide it again").click()
    expect(card).not_to_contain_text("s3cr3t")
    assert [call["via"] for call in rig.service.named("reveal")] == ["web"]
    expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    assert not complaints


def test_text_without_a_secret_offers_nothing_to_show(rig: Rig, page: Page) -> None:
    open_page(rig, page)
    rig.do(lambda: rig.service.raise_gate(gate()))
    expect(page.locator('[data-gate="g-1"]')).to_be_visible()
    expect(page.get_by_role("button", name="Show what is hidden")).to_have_count(0)


def test_plan_is_shown_word_for_word_and_decided(rig: Rig, page: Page) -> None:
    rig.service.plans = [plan(), plan("pl-2", number=2, maybeSent=True, proposedMessage=ATTACKS[0])]
    open_page(rig, page)
    first, second = page.locator("[data-plan='pl-1']"), page.locator("[data-plan='pl-2']")
    assert first.locator("pre").inner_text() == "Add a test for /health.\nThen run the suite."
    expect(second).to_contain_text("may have been sent")
    settle(page)
    second.get_by_label("Reason for a rejection").fill("not now")
    second.get_by_role("button", name="Reject").click()
    expect(second).to_have_count(0)
    settle(page)
    first.get_by_role("button", name="Approve").click()
    expect(first).to_have_count(0)
    calls = [(call["plan_id"], call["decision"], call["reason"]) for call in rig.service.named("resolve_plan")]
    assert calls == [("pl-2", "reject", "not now"), ("pl-1", "approve", None)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_agent_text_never_becomes_markup(rig: Rig, page: Page, attack: str) -> None:
    rig.service.projects[0]["name"] = attack
    rig.service.agents = [agent(name=attack, role=attack, projectName=attack, exit=attack, status="stopped")]
    choices = [{"label": attack, "kind": "approve", "sends": attack}]
    effects = [{"kind": "delete", "targets": [attack], "place": attack, "undo": attack}]
    rig.service.gates = [
        gate(
            agentName=attack,
            projectName=attack,
            prompt=attack,
            command="true " + attack,
            choices=choices,
            effects=effects,
        )
        | {"cwd": attack, "branch": attack, "screenOnly": attack}
    ]
    rig.service.plans = [plan(description=attack, proposedMessage=attack, targetAgentName=attack)]
    rig.service.entries = [
        {"id": "c-1", "ts": STARTED, "role": "agent", "sender": attack, "text": attack, "classification": None}
    ]
    rig.service.lines = [
        {
            "id": "au-1",
            "timestamp": STARTED,
            "event": "gate_reject",
            "via": "web",
            "action": attack,
            "gate": gate(command=attack),
        }
    ]
    rig.service.voice.update(connected=True, listening="asleep", heard=attack, said=attack, timingsMs={attack: 5})
    complaints = open_page(rig, page)
    expect(page.locator("#chat .said")).to_have_text(attack)
    assert page.locator("[data-gate] pre.prompt").inner_text() == attack
    assert page.evaluate("() => document.body.dataset.owned") is None
    assert page.locator("main img, main svg, main script, main h1").count() == 0
    assert complaints == []


def test_hidden_characters_are_shown_by_their_numbers(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate(command="rm \u202egpj.exe\u202c a\u200bb \u0441p x\x1b[8m\rnext")]
    open_page(rig, page)
    command = page.locator("pre.command")
    shown = command.locator(".hidden-character").all_inner_texts()
    assert shown == ["U+202E", "U+202C", "U+200B", "U+001B", "U+000D"]
    assert command.locator(".odd-character").get_attribute("title") == "U+0441"


def test_status_is_honest_about_what_is_not_known(rig: Rig, page: Page) -> None:
    rig.service.agents = [
        agent("a-1", "alpha", livenessOnly=True),
        agent("a-2", "beta", frozen=True, pendingGate=gate(agentId="a-2")),
        agent("a-3", "gamma", status="stopped", exit="ended with status 1"),
        agent("a-4", "delta", status="idle", queuedMessages=2),
    ]
    open_page(rig, page)
    card = page.locator("[data-agent]")
    expect(card.nth(0)).to_contain_text("whether it works or waits is not")
    expect(card.nth(0).locator(".status")).to_have_text("Runs")
    expect(card.nth(1).locator(".status")).to_have_text("Waits for you, frozen")
    expect(card.nth(2)).to_contain_text("ended with status 1")
    expect(card.nth(3)).to_contain_text("2 messages queued")


def test_message_and_chat_are_sent_and_screen_is_shown(rig: Rig, page: Page) -> None:
    open_page(rig, page)
    page.get_by_label("Message to backend").fill("run the tests")
    page.keyboard.press("Enter")
    expect(page.locator("[data-agent] .sent")).to_contain_text("Queued")
    page.get_by_label("Message to the group").fill("<i>hello</i>")
    page.keyboard.press("Enter")
    expect(page.locator("#chat .said")).to_have_text("<i>hello</i>")
    page.get_by_role("button", name="Screen").click()
    expect(page.locator("pre.screen")).to_have_text("$ make test\n<b>ok</b>")
    assert rig.service.named("inject")[0]["message"] == "run the tests"


def test_voice_shows_what_it_heard_and_takes_talk_and_silence(rig: Rig, page: Page) -> None:
    open_page(rig, page)
    expect(page.get_by_role("button", name="Talk")).to_be_disabled()
    voice = rig.client("voice-" + "v" * 40, via="voice")
    voice.voice_state(
        connected=True,
        listening="listening",
        heard="status",
        said="All is well.",
        timingsMs={"vad": 200, "transcribe": 240},
    )
    expect(page.locator("#voice-heard")).to_have_text("status")
    expect(page.locator("#voice-said")).to_have_text("All is well.")
    expect(page.locator("#latency-bars li")).to_have_count(2)
    expect(page.locator("#latency-total")).to_have_text("440 ms")
    page.get_by_role("button", name="Talk").click()
    page.get_by_role("button", name="Silence").click()
    expect(page.locator("#voice-problem")).to_be_hidden()
    for _ in range(100):  # both are sent without a sign on the page
        if len(rig.service.named("voice_command")) == 2:
            break
        page.wait_for_timeout(50)
    assert [call["action"] for call in rig.service.named("voice_command")] == ["listen", "silence"]


def test_page_says_when_the_engine_is_gone_and_comes_back_by_itself(page: Page) -> None:
    with running() as first:
        port = first.port
        open_page(first, page)
    expect(page.locator("#connection")).to_contain_text("Disconnected")
    expect(page.locator("#notice")).to_contain_text("out of date")
    with running(port) as second:
        second.do(lambda: second.service.raise_gate(gate("g-9")))
        expect(page.locator("#connection")).to_have_text("Live")
        expect(page.locator("[data-gate='g-9']")).to_be_visible()
        page.goto("about:blank")


def test_everything_is_reached_by_keyboard_at_the_width_of_a_phone(rig: Rig, page: Page) -> None:
    rig.service.gates = [gate(command="curl " + "a" * 300)]
    page.set_viewport_size({"width": 360, "height": 740})
    open_page(rig, page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    settle(page)
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.getAttribute('aria-label') || ''"))
        if reached[-1] == "Reject: backend":
            break
    assert "Approve: backend" in reached
    page.keyboard.press("Enter")
    expect(page.locator("[data-gate]")).to_have_count(0)
    expect(page.locator("#needs")).to_be_focused()
    assert [call["decision"] for call in rig.service.named("resolve")] == ["reject"]
