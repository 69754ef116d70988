"""Calls that end against their decision: hooks of a stand-in for Claude Code, sent with the attempt's token.

The real program can be made to take a key before its dialog is drawn, but not in every run; here every order is had.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.desk import Desk, until

from engine.domain.errors import ConduitError

pytestmark = pytest.mark.system

COMMAND = "sleep 600; rm -rf build"
PROGRAM = f"""#!{sys.executable}
import pathlib, subprocess, sys, time
if "--version" in sys.argv:
    print("2.1.0 (Claude Code)")
    sys.exit()
print("At your service", flush=True)
while True:
    if pathlib.Path("begin").exists():
        pathlib.Path("begin").unlink()
        subprocess.Popen(["sh", "-c", {COMMAND!r}], start_new_session=True)
    time.sleep(0.02)
"""


class Stand:
    """A stand-in agent on a real engine; ``send`` is one of its hooks."""

    def __init__(self, base: Path) -> None:
        bin_folder, self.project = base / "bin", base / "work"
        for folder in (bin_folder, self.project):
            folder.mkdir()
        (bin_folder / "claude").write_text(PROGRAM)
        (bin_folder / "claude").chmod(0o755)
        (base / "user").mkdir()
        path = f"{bin_folder}:/usr/bin:/bin"
        self.desk = Desk(base / "home", {"PATH": path, "HOME": str(base / "user")})
        self.replies: list[dict[str, Any]] = []
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        client = self.desk.client()
        made = client.create_project(name="Apollo", cwd=str(self.project))
        agent = client.create_agent(project_id=made["id"], name="backend", cli="claude")
        self.who = {"project_id": made["id"], "agent_id": agent["id"]}
        client.start_agent(**self.who)
        until(lambda: "At your service" in client.output(**self.who, lines=50)["text"], "the agent")

    def view(self) -> dict[str, Any]:
        return self.desk.agent(self.who["project_id"], self.who["agent_id"])

    def gate(self) -> dict[str, Any]:
        return self.desk.gate(self.who["project_id"], self.who["agent_id"])

    def hook(self, event: str, command: str = COMMAND) -> None:
        """One hook, answered before this returns."""
        run = str(self.view()["sessionId"])
        kept = json.loads((self.desk.home / "agents" / "runs" / run / "hooks.json").read_text())
        where = http.client.HTTPConnection("127.0.0.1", int(kept["address"].rpartition(":")[2]), timeout=60)
        body = {"session_id": "one", "tool_name": "Bash", "tool_input": {"command": command}}
        headers = {"Authorization": f"Bearer {kept['token']}", "Content-Type": "application/json"}
        where.request("POST", f"/org/hooks/{run}/{event}", json.dumps(body), headers)
        self.replies.append(json.loads(where.getresponse().read()))
        where.close()

    def asks(self, command: str = COMMAND) -> None:
        """A permission request, which waits."""
        thread = threading.Thread(target=self.hook, args=("PermissionRequest", command), daemon=True)
        self._threads.append(thread)
        thread.start()

    def answered(self) -> dict[str, Any]:
        """The reply to the latest request."""
        self._threads[-1].join(60)
        assert not self._threads[-1].is_alive()
        return self.replies[-1]

    def audit(self) -> list[dict[str, Any]]:
        return list(self.desk.client().audit(project_id=self.who["project_id"]))

    def chat(self) -> str:
        return "\n".join(line["text"] for line in self.desk.client().chat(project_id=self.who["project_id"]))

    def begun(self) -> list[int]:
        """Processes of the command, whatever their state."""
        running = [process.info for process in psutil.process_iter(["pid", "cmdline", "cwd"])]
        mine = [info for info in running if info["cmdline"] == ["sh", "-c", COMMAND]]
        return [info["pid"] for info in mine if info["cwd"] == str(self.project)]


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    with stand.desk:
        stand.start()
        yield stand


def test_refusal_ends_a_command_that_a_key_had_begun(stand: Stand) -> None:
    (stand.project / "begin").touch()
    until(stand.begun, "the command to begin")
    stand.asks()
    gate = stand.gate()
    done = stand.desk.client().resolve(**stand.who, gate_id=gate["id"], decision="reject")
    assert "ended the command" in done["action"]
    assert stand.answered()["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    assert not stand.begun()
    assert "ended the command" in stand.audit()[-1]["action"]


def test_approval_leaves_a_command_that_a_key_had_begun_alone(stand: Stand) -> None:
    (stand.project / "begin").touch()
    until(stand.begun, "the command to begin")
    stand.asks()
    stand.desk.client().resolve(**stand.who, gate_id=stand.gate()["id"], decision="approve")
    assert stand.answered()["hookSpecificOutput"]["decision"]["behavior"] == "allow"
    assert stand.begun()


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_call_that_ends_while_its_gate_is_open_closes_it_as_answered_at_the_terminal(stand: Stand, event: str) -> None:
    stand.asks()
    stand.gate()
    stand.hook(event)
    until(lambda: stand.view()["pendingGate"] is None, "the gate to close")
    line = stand.audit()[-1]
    assert (line["event"], line["via"], line["action"]) == ("gate_closed", "terminal", "answered at the terminal")
    assert not stand.view()["frozen"]


def test_refused_call_that_ran_all_the_same_is_told(stand: Stand) -> None:
    stand.asks()
    stand.desk.client().resolve(**stand.who, gate_id=stand.gate()["id"], decision="reject")
    stand.answered()
    assert "although you refused it" not in stand.chat()
    stand.hook("PostToolUse")
    until(
        lambda: f"It ran although you refused it, let through by a key at its terminal: {COMMAND}" in stand.chat(), "it"
    )
    stand.hook("PostToolUse")
    assert stand.chat().count("although you refused it") == 1


def test_end_of_an_approved_call_closes_no_gate_of_a_like_one(stand: Stand) -> None:
    stand.asks()
    stand.desk.client().resolve(**stand.who, gate_id=stand.gate()["id"], decision="approve")
    stand.answered()
    stand.asks()
    gate = stand.gate()
    stand.hook("PostToolUse")
    assert stand.gate()["id"] == gate["id"]
    assert "although you refused it" not in stand.chat()


def test_end_of_another_call_closes_no_gate(stand: Stand) -> None:
    stand.asks()
    gate = stand.gate()
    stand.hook("PostToolUse", "ls")
    assert stand.gate()["id"] == gate["id"]
    assert stand.view()["frozen"]


def test_keys_of_a_viewer_are_refused_while_permission_is_asked(stand: Stand) -> None:
    stand.asks()
    stand.gate()
    with pytest.raises(ConduitError, match="waits at gate"):
        stand.desk.client().terminal_keys(**stand.who, data=b"1")
