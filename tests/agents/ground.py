"""Where a test of a real CLI happens: a private home, a project, a scripted model and an engine, all of its own."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.desk import Desk, until

from agents import homes
from agents.install import cache
from agents.model_server import ModelServer

LIMIT = 90.0  # seconds that slow CLIs on a busy machine are given


class Ground:
    """One CLI on an engine of its own. Not below the temporary folder: some CLIs treat that one differently."""

    def __init__(self, cli: str, *, flags: tuple[str, ...] = (), command: list[str] | None = None) -> None:
        self.cli = cli
        self.flags = flags
        self.command = command
        self.base = cache() / "ground" / uuid.uuid4().hex[:12]
        self.project = self.base / "project"
        self.model = ModelServer()
        self.desk: Desk
        self.agent: dict[str, Any] = {}

    def __enter__(self) -> Ground:
        (self.project / "build").mkdir(parents=True)
        (self.project / "build" / "old.o").write_text("kept until someone decides\n")
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        self.model.up()
        env = homes.seed(self.cli, self.base / "home", self.project, self.model.url)
        self.desk = Desk(self.base / "conduit", {**env, "PATH": homes.path(self.cli)})
        self.desk.start()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self.desk.__exit__(*exc)
        finally:
            self.model.down()
            shutil.rmtree(self.base, ignore_errors=True)

    @property
    def build(self) -> Path:
        """What a test's command would delete."""
        return self.project / "build"

    def start(self) -> dict[str, Any]:
        """Make and start the agent; its view once it waits for a message."""
        client = self.desk.client()
        made = client.create_project(name="Apollo", cwd=str(self.project))
        agent = client.create_agent(
            project_id=made["id"], name="backend", cli=self.cli, flags=list(self.flags), command=self.command
        )
        self.agent = dict(agent)
        client.start_agent(project_id=made["id"], agent_id=agent["id"])
        self.ready()
        return self.view()

    @property
    def who(self) -> dict[str, str]:
        return {"project_id": self.agent["projectId"], "agent_id": self.agent["id"]}

    def view(self) -> dict[str, Any]:
        return self.desk.agent(self.agent["projectId"], self.agent["id"])

    def tell(self, text: str) -> dict[str, Any]:
        return dict(
            self.desk.client().inject(project=self.agent["projectId"], agent=self.agent["id"], message=text)
        )

    def ready(self) -> dict[str, Any]:
        """Wait until it waits for a message, with no gate open."""

        def look() -> dict[str, Any] | None:
            view = self.view()
            return view if view["status"] in ("awaiting_input", "idle") and view["pendingGate"] is None else None

        return until(look, f"{self.cli} to be ready", LIMIT)

    def gate(self) -> dict[str, Any]:
        return until(lambda: self.view()["pendingGate"], f"a gate of {self.cli}", LIMIT)

    def decide(self, gate: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
        return dict(self.desk.client().resolve(**self.who, gate_id=gate["id"], decision=decision, **more))

    def turns(self, count: int, containing: str = "") -> list[Any]:
        """Wait until the model was asked so often by turns whose prompt contains a text."""

        def look(turns: list[Any]) -> list[Any] | None:
            found = [turn for turn in turns if containing in turn.request.prompt]
            return found if len(found) >= count else None

        return list(self.model.wait(look, f"{count} requests of {self.cli}", LIMIT))

    def said(self, text: str, limit: float = LIMIT) -> str:
        """Wait until the transcript's end, as the engine shows it, contains a text."""

        def look() -> str | None:
            shown = self.desk.client().output(**self.who, lines=200)["text"]
            return shown if text in shown else None

        return until(look, f"{self.cli} to show {text!r}", limit)

    def chat(self, test: Callable[[str], bool], what: str, limit: float = LIMIT) -> str:
        """Wait for a line in the project's chat."""

        def look() -> str | None:
            lines = self.desk.client().chat(project_id=self.agent["projectId"])
            return next((line["text"] for line in lines if test(line["text"])), None)

        return until(look, what, limit)
