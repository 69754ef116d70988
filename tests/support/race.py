"""Two clients that race for one gate, by voice and on the page, and what must hold after every race."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from support.desk import Desk, until

from engine.client import Client
from engine.domain.errors import Conflict, Forbidden

GRACE = 1.5  # seconds that a spoken approval of something harmful waits for a late "no"
Decision = Literal["approve", "reject"]
_TOLD = {"approve": "approved", "reject": "rejected"}
# The one key that shows on the agent's screen, and the last that it prints then.
_ENDS = {
    "approve": ("y", "Done: build is gone.\r\n> "),
    "reject": ("n", "I left build alone. What should I do instead?\r\n> "),
}


@dataclass(frozen=True)
class Try:
    """What one client got: its decision was carried out, or the sentence and status with which it was refused."""

    via: str
    decision: Decision
    won: bool
    status: int = 200
    sentence: str = ""


@dataclass
class Outcome:
    """All races; every list has to stay empty."""

    races: int = 0
    winners: Counter[str] = field(default_factory=Counter)
    refusals: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def good(self) -> bool:
        return self.races > 0 and not self.wrong

    def figures(self) -> dict[str, Any]:
        return {
            "races": self.races,
            "winners": dict(self.winners),
            "refusals": {str(status): count for status, count in self.refusals.items()},
            "wrong": self.wrong[:10],
        }


def race(desk: Desk, agent: dict[str, Any], folder: Path, times: int, rng: random.Random) -> Outcome:
    """Raise a gate ``times`` times; a voice client with true consent and the page decide on it at one moment."""
    outcome = Outcome()
    voice, page, owner = desk.voice(), desk.client("web"), desk.client()
    for _ in range(times):
        start = len(_shown(desk, agent))
        owner.inject(project=agent["projectId"], agent=agent["id"], message="clean up")
        gate = desk.gate(agent["projectId"], agent["id"])
        tries = _both(consenting(voice, gate), deciding(page, gate, rng.choice(("approve", "reject"))), _lag(rng))
        _judge(desk, agent, gate, tries, folder, start, outcome)
    return outcome


def _lag(rng: random.Random) -> float:
    """Seconds by which the page comes after voice: at once, or about when voice is delivered."""
    return max(0.0, rng.gauss(GRACE, 0.03)) if rng.random() < 0.7 else rng.uniform(0, 0.02)


def consenting(voice: Client, gate: dict[str, Any]) -> Callable[[], Try]:
    """Give true consent to ``gate`` over the wire; the call that is left is the decision."""
    session = voice.voice_session()["id"]
    reading = voice.voice_reading(session=session, gate_id=gate["id"])
    receipt = voice.voice_played(session=session, reading_id=reading["readingId"])["receipt"]
    word = reading["word"]
    scores = {other: -9.0 for other in (*reading["words"], *reading["refusals"])} | {word or "": -1.0}
    words = f"I approve, {word}" if word else "I approve"
    heard = voice.voice_heard(session=session, text=words, confidence=0.9, receipt=receipt, word_scores=scores)
    assert heard["verdict"] == "approves", heard
    return lambda: _decide(voice, gate, "voice", "approve", voice_session=session)


def deciding(page: Client, gate: dict[str, Any], decision: Decision) -> Callable[[], Try]:
    return lambda: _decide(page, gate, "web", decision)


def _decide(client: Client, gate: dict[str, Any], via: str, decision: Decision, **more: str) -> Try:
    try:
        client.resolve(
            project_id=gate["projectId"], agent_id=gate["agentId"], gate_id=gate["id"], decision=decision, **more
        )
    except (Conflict, Forbidden) as refused:
        return Try(via, decision, False, refused.status, str(refused))
    return Try(via, decision, True)


def _both(voice: Callable[[], Try], page: Callable[[], Try], lag: float) -> list[Try]:
    tries: list[Try] = []
    together = threading.Barrier(2)

    def run(decide: Callable[[], Try], after: float) -> None:
        together.wait()
        time.sleep(after)
        tries.append(decide())

    threads = [threading.Thread(target=run, args=given) for given in ((voice, 0.0), (page, lag))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tries


def _judge(
    desk: Desk,
    agent: dict[str, Any],
    gate: dict[str, Any],
    tries: list[Try],
    folder: Path,
    start: int,
    outcome: Outcome,
) -> None:
    outcome.races += 1
    winners = [one for one in tries if one.won]
    if len(tries) != 2 or len(winners) != 1:
        outcome.wrong.append(f"{gate['id']}: not one winner and one loser: {tries}")
        return
    winner = winners[0]
    outcome.winners[f"{winner.via} {winner.decision}"] += 1
    for loser in tries:
        if not loser.won:
            outcome.refusals[loser.status] += 1
            if loser.status not in (403, 409) or _TOLD[winner.decision] not in loser.sentence:
                outcome.wrong.append(f"{gate['id']}: {winner} won, and the loser was told: {loser}")
    outcome.wrong += [f"{gate['id']}: {what}" for what in _traces(desk, agent, gate, winner, start)]
    if (folder / "build").exists() == (winner.decision == "approve"):
        outcome.wrong.append(f"{gate['id']}: the folder contradicts {winner.decision}")


def _traces(desk: Desk, agent: dict[str, Any], gate: dict[str, Any], winner: Try, start: int) -> list[str]:
    """What screen, audit and journal say of the decision, where it is not exactly one delivery."""
    key, last = _ENDS[winner.decision]
    shown = until(
        lambda: last in (text := _shown(desk, agent)[start:]) and text, f"the agent to be done with {gate['id']}"
    )
    found = []
    answers = (shown.count("[y/N] "), shown.count(f"[y/N] {key}\r\n"))
    if answers != (1, 1) or "answer y or n" in shown or "pretend" in shown:
        found.append(f"not one {key} on the screen: {shown!r}")
    lines = [line for line in desk.client().audit(project_id=agent["projectId"]) if line["gate"]["id"] == gate["id"]]
    if [(line["event"], line["via"]) for line in lines] != [(f"gate_{winner.decision}", winner.via)]:
        found.append(f"not one audit line of it: {lines}")
    delivered = [entry for entry in _journal(desk, agent) if entry == ("gate_delivered", gate["id"])]
    if len(delivered) != 1:
        found.append(f"{len(delivered)} deliveries in the journal")
    return found


def _shown(desk: Desk, agent: dict[str, Any]) -> str:
    """All that the agent has printed, from its recording."""
    folder = desk.home / "agents" / "runs" / agent["sessionId"] / "output"
    return b"".join(part.read_bytes() for part in sorted(folder.iterdir())).decode()


def _journal(desk: Desk, agent: dict[str, Any]) -> list[tuple[str, str]]:
    """Type and gate of each entry about a gate."""
    path = desk.home / "agents" / "runs" / agent["sessionId"] / "events.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [(entry["type"], entry["data"]["gate_id"]) for entry in entries if entry["type"].startswith("gate_")]
