"""The whole desk loop, nothing faked: sound card, recogniser, engine, voice, agent, browser."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import jellyfish
import psutil
import pytest
from playwright.sync_api import sync_playwright
from support.desk import Desk, until
from support.kills import own_processes
from support.person import Person
from support.soundcard import SoundCard
from support.voice_process import Voice

from engine.gates.consent.lexicon import lexicon

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]
WORDS = lexicon("en").words


@pytest.fixture
def minutes(desk: Desk) -> Iterator[None]:
    """What voice heard and said, printed when a test fails: without it nobody can tell whose ear it was."""
    stream = desk.client().events()
    lines: list[str] = []

    def take() -> None:
        for event in stream:
            data = event["data"]
            if event["type"] == "voice:state":
                lines.append(f"{event['ts']} {data['listening']}: heard {data['heard']!r}, said {data['said']!r}")
            else:
                lines.append(f"{event['ts']} {event['type']}")

    thread = threading.Thread(target=take)
    thread.start()
    yield
    stream.close()
    thread.join()
    print("\n".join(lines))
    log = desk.home / "logs" / "voice.log"
    print(log.read_text() if log.exists() else "no voice log")


@pytest.fixture
def card() -> Iterator[SoundCard]:
    with SoundCard() as card:
        yield card


@pytest.fixture
def desk(tmp_path: Path, card: SoundCard) -> Iterator[Desk]:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text("voice:\n  mode: open\n  model: base\n")
    with Desk(home) as desk:
        yield desk


def whole(person: Person, heard: str, *parts: str) -> str:
    """A reading with all of ``parts`` in it; asks for it again where sound had gaps, as people do."""
    for _ in range(2):
        if all(part in heard for part in parts):
            return heard
        since = person.now()
        person.say("read it again")
        heard = person.hear_until(since, r"word is \w+")
    assert all(part in heard for part in parts), heard
    return heard


def word_in(person: Person, heard: str) -> str:
    """The one-time word, as a listener takes it from the end of the reading; asks again for one with a gap in it."""
    for _ in range(3):
        said = re.findall(r"word is (\w+)", heard)
        assert said, f"no one-time word was heard in: {heard}"
        # A listener knows the words; the recogniser that hears for the test does not, and returns what it can spell.
        nearest = max(WORDS, key=lambda word: jellyfish.jaro_winkler_similarity(word, said[-1]))
        if jellyfish.jaro_winkler_similarity(nearest, said[-1]) > 0.8:
            return nearest
        since = person.now()
        person.say("read it again")
        heard = person.hear_until(since, r"word is \w+")
    raise AssertionError(f"none of the words was heard three times, at last in: {heard}")


def approve(person: Person, word: str, decided: Callable[[], bool]) -> None:
    """Say it until it is understood, as people do: the recogniser may mishear a carrier, and says so then."""
    for phrase in ("I approve", "approve the gate", "approve it"):
        person.ask(f"{phrase}, {word}")
        if decided():
            return
    raise AssertionError("three honest approvals were not understood")


def told_to_clean_up(person: Person, desk: Desk, agent: dict) -> tuple[float, dict]:
    """Say it until the agent asks, as people do who were not heard; (when it was said, the gate)."""
    for _ in range(3):
        person.card.speaker.wait_for_quiet(1.5)
        since = person.now()
        person.say("tell backend to clean up")
        try:
            return since, until(lambda: desk.agent(agent["projectId"], agent["id"])["pendingGate"], "a gate", limit=20)
        except AssertionError:
            continue
    raise AssertionError("three commands to clean up led to no gate")


def reject(person: Person, decided: Callable[[], bool]) -> None:
    """Refuse until it is understood; each of these works at once."""
    for phrase in ("reject it", "reject the gate", "no", "reject it"):
        person.ask(phrase)
        if decided():
            return
    raise AssertionError("four refusals were not understood")


def answered(person: Person, text: str, pattern: str) -> None:
    """Ask until the answer is understood, as people do: on a busy machine sound has gaps, and both ears mishear."""
    replies = []
    for _ in range(3):
        replies.append(person.ask(text))
        if re.search(pattern, replies[-1]):
            return
    raise AssertionError(f"{text!r} was answered with {replies}")


def ask_for_reading(person: Person, voice: Voice) -> float:
    """Ask until it is read, as people do, and return while it is read: when that began (boot seconds)."""

    def reads() -> bool:
        state = voice.state()
        return state["listening"] == "speaking" and "word is" in (state["said"] or "")

    for phrase in ("read the gate", "read it", "read the gate again"):
        said = person.say(phrase)
        try:
            until(reads, "the reading", limit=10)
        except AssertionError:
            person.card.speaker.wait_for_quiet(1.0)
            continue
        return said.ended_at
    raise AssertionError("three requests to read the gate were not understood")


def stopped(agent: dict) -> bool:
    pids = own_processes(agent)
    return bool(pids) and all(psutil.Process(pid).status() == psutil.STATUS_STOPPED for pid in pids)


def test_spoken_question_spoken_gate_spoken_answer(desk: Desk, card: SoundCard, minutes: None, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    agent = desk.practice(folder)
    project = agent["projectId"]
    voice = Voice(desk, card)
    person = Person(card)
    voice.start()
    try:
        # A spoken question is answered aloud.
        answered(person, "what is waiting", r"nothing|no gate|no one|nobody")

        # A spoken command changes what the agent does.
        since, gate = told_to_clean_up(person, desk, agent)
        assert stopped(agent)
        assert (folder / "build").is_dir()

        # The gate is announced, whole, with its word.
        heard = whole(person, person.hear_until(since, r"word is \w+"), "apollo", "build")
        first = word_in(person, heard)

        # A bare yes is not enough; it is said so.
        refused = person.ask("yes")
        assert still_open(desk, agent, gate), refused

        # The assistant's own reading, played back into the microphone, approves nothing.
        _, reading = card.speaker.samples_since(since)
        card.say(reading[: 16000 * 25])
        card.speaker.wait_for_quiet(2.5)  # it may answer to what it can't know as its own; people let it finish
        assert still_open(desk, agent, gate)

        # The right phrase before the end of a reading approves nothing.
        since = ask_for_reading(person, voice)
        person.say(f"I approve, {first}")
        heard = person.hear_until(since, r"word is \w+")
        assert still_open(desk, agent, gate), heard
        assert (folder / "build").is_dir()
        assert stopped(agent)

        # After the reading the right phrase with its word does, once.
        approve(person, word_in(person, heard), lambda: not still_open(desk, agent, gate))
        until(lambda: not (folder / "build").exists(), "the folder to be deleted", limit=30)
        line = until(lambda: audit(desk, project), "the audit line")[-1]
        assert (line["event"], line["via"]) == ("gate_approve", "voice")
        assert "approve" in line["authorisingPhrase"].lower()
        screen = desk.client().output(project_id=project, agent_id=agent["id"])["text"]
        assert screen.count("[y/N] y") == 1, screen

        # A rejection: the file stays.
        since, gate = told_to_clean_up(person, desk, agent)
        person.hear_until(since, r"word is \w+")
        reject(person, lambda: not desk.agent(project, agent["id"])["pendingGate"])
        assert (folder / "build").is_dir()
        assert audit(desk, project)[-1]["event"] == "gate_reject"
        assert audit(desk, project)[-1]["via"] == "voice"

        # A killed voice: engine and agent don't notice; started again, it goes on.
        before = own_processes(agent)
        voice.kill()
        assert own_processes(agent) == before
        voice.start()
        assert person.ask("what is waiting")

        # The page shows and resolves the next gate.
        until(lambda: inject(desk, agent, "clean up"), "the agent to take a message")
        until(lambda: desk.agent(project, agent["id"])["pendingGate"], "the third gate", limit=40)
        approve_on_page(desk)
        until(lambda: not (folder / "build").exists(), "the folder to be deleted", limit=30)
        assert audit(desk, project)[-1]["via"] == "web"
    finally:
        voice.stop()


def still_open(desk: Desk, agent: dict, gate: dict) -> bool:
    now = desk.agent(agent["projectId"], agent["id"])["pendingGate"]
    return now is not None and now["id"] == gate["id"]


def audit(desk: Desk, project: str) -> list[dict]:
    return list(desk.client().audit(project_id=project))


def inject(desk: Desk, agent: dict, text: str) -> bool:
    desk.client().inject(project=agent["projectId"], agent=agent["id"], message=text)
    return True


def approve_on_page(desk: Desk) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "the page's test needs Chromium"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        page = chromium.new_page()
        page.goto(desk.client().page_link())
        page.get_by_text("rm -rf build").first.wait_for(timeout=20_000)
        page.wait_for_timeout(800)  # the page ignores clicks in the moment in which its list has just moved
        page.get_by_role("button", name=re.compile("^Approve")).first.click()
        page.get_by_role("button", name=re.compile("^Approve")).first.wait_for(state="hidden", timeout=20_000)
        chromium.close()
