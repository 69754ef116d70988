"""Where a test of a real CLI happens: a private home, a project, a scripted model and an engine, all of its own."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from agents import homes
from agents.install import cache
from agents.model_server import ModelServer
from support.desk import Desk, until

from engine.domain.errors import ConduitError
from engine.runtimes import processes

LIMIT = 90.0  # seconds that slow CLIs on a busy machine are given


def _described(process: psutil.Process, row: processes.Process) -> str:
    with contextlib.suppress(psutil.Error):  # gone meanwhile
        threads = [f"{thread.id}:{_thread_state(row.pid, thread.id)}" for thread in process.threads()]
        above = [parent.pid for parent in process.parents()]
        return f"{row.pid} below {above} {row.state} {threads} {' '.join(process.cmdline())}"
    return f"{row.pid} gone"


def _thread_state(pid: int, thread: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/task/{thread}/stat").read_text()
    except OSError:
        return "gone"
    return stat.rpartition(")")[2].split()[0]


class Watch:
    """Collects the agent's statuses from the event stream while it is entered."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._statuses: list[str] = []
        self._stream = ground.desk.client().events()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """The thread ends with the engine."""

    def statuses(self) -> list[str]:
        """What was told so far, in order, without repeats."""
        seen = list(self._statuses)
        return [status for number, status in enumerate(seen) if number == 0 or seen[number - 1] != status]

    def _read(self) -> None:
        with contextlib.suppress(ConduitError, OSError):  # the engine ends before its stream's reader
            for event in self._stream:
                if event["type"] == "agent:status" and event["data"]["agent"]["id"] == self._ground.agent["id"]:
                    self._statuses.append(event["data"]["agent"]["status"])


class Ground:
    """One CLI on an engine of its own. Not below the temporary folder: some CLIs treat that one differently."""

    def __init__(
        self,
        cli: str,
        *,
        flags: tuple[str, ...] = (),
        command: list[str] | None = None,
        program: str | None = None,  # whose home and binary it needs, where the catalog's entry is named otherwise
        env: dict[str, str] | None = None,
        first_start: bool = False,
    ) -> None:
        self.cli = cli
        self.program = program or cli
        self.env = env or {}
        self.first_start = first_start
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
        home = self.base / "home"
        env = homes.seed(self.program, home, self.project, self.model.url, first_start=self.first_start)
        self.desk = Desk(self.base / "conduit", {**env, **self.env, "PATH": homes.path(self.program)})
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
        self.begin()
        self.ready()
        return self.view()

    def begin(self) -> None:
        """Make and start the agent, whatever it asks first."""
        client = self.desk.client()
        made = client.create_project(name="Apollo", cwd=str(self.project))
        agent = client.create_agent(
            project_id=made["id"], name="backend", cli=self.cli, flags=list(self.flags), command=self.command
        )
        self.agent = dict(agent)
        client.start_agent(project_id=made["id"], agent_id=agent["id"])

    @property
    def control(self) -> Path:
        """The folder of the agent's latest run."""
        return self.base / "conduit" / "agents" / "runs" / str(self.view()["sessionId"])

    def resume(self) -> None:
        """Go on with the last conversation."""
        self._let_a_minute_pass()
        self.desk.client().start_agent(**self.who, resume=True)

    def _let_a_minute_pass(self) -> None:
        """Gemini names a conversation's file by the minute and can't go on with it in the same one: make it older."""
        for path in (self.base / "home").glob(".gemini/tmp/*/chats/session-*"):
            _, year, month, rest = path.name.split("-", 3)
            path.rename(path.with_name(f"session-{int(year) - 1}-{month}-{rest}"))

    @property
    def who(self) -> dict[str, str]:
        return {"project_id": self.agent["projectId"], "agent_id": self.agent["id"]}

    def view(self) -> dict[str, Any]:
        return self.desk.agent(self.agent["projectId"], self.agent["id"])

    def tell(self, text: str) -> dict[str, Any]:
        return dict(self.desk.client().inject(project=self.agent["projectId"], agent=self.agent["id"], message=text))

    def ready(self) -> dict[str, Any]:
        """Wait until it waits for a message, with no gate open."""

        def look() -> dict[str, Any] | None:
            view = self.view()
            return view if view["status"] in ("awaiting_input", "idle") and view["pendingGate"] is None else None

        return until(look, f"{self.cli} to be ready", LIMIT)

    def gate(self) -> dict[str, Any]:
        return until(lambda: self.view()["pendingGate"], f"a gate of {self.cli}", LIMIT)

    def decide(self, gate: dict[str, Any], decision: Any, **more: Any) -> dict[str, Any]:
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

    def tree(self) -> list[psutil.Process]:
        """Every process of this ground's agents, by the mark of their runs; asks no engine."""
        found = []
        for process in psutil.process_iter():
            try:
                env = process.environ()
                ours = "CONDUIT_RUN" in env and env.get("HOME") == str(self.base / "home")
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except (psutil.Error, OSError):  # gone meanwhile, or not ours
                continue
        return found

    def running(self) -> list[str]:
        """Every process of the tree that could run on, as a line to print; empty when all is frozen.

        Besides the stopped ones, a parent in vfork stands still: it waits in the kernel for a child that is stopped.
        """
        rows = [(process, row) for process in self.tree() if (row := processes.read(process.pid)) is not None]
        return [_described(process, row) for process, row in rows if not processes.is_stopped(row)]

    def commands(self) -> str:
        """The command lines of the tree."""
        found = []
        for process in self.tree():
            with contextlib.suppress(psutil.Error):  # gone meanwhile
                found.append(" ".join(process.cmdline()))
        return "\n".join(found)

    def transcript(self) -> str:
        """The transcript of the latest session, as it is on disk."""
        run = self.view()["sessionId"]
        lines = (self.base / "conduit" / "agents" / "runs" / run / "transcript.jsonl").read_text().splitlines()
        return "".join(f"{json.loads(line)['text']}\n" for line in lines)

    def forget(self, *patterns: str) -> None:
        """Delete the CLI's own saved conversations."""
        for path in [found for pattern in patterns for found in (self.base / "home").glob(pattern)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def watching(self) -> Watch:
        """The event stream, read by a thread."""
        return Watch(self)

    def chat(self, test: Callable[[str], bool], what: str, limit: float = LIMIT) -> str:
        """Wait for a line in the project's chat."""

        def look() -> str | None:
            lines = self.desk.client().chat(project_id=self.agent["projectId"])
            return next((line["text"] for line in lines if test(line["text"])), None)

        return until(look, what, limit)
