"""What a holder's clients can ask for, and the state that the answers depend on."""

import base64
import os
from collections.abc import Callable

from engine.runtimes import tree
from engine.runtimes.holder import held
from engine.runtimes.holder.connection import Connection
from engine.runtimes.holder.feed import Feed, Full
from engine.runtimes.holder.order import Order
from engine.runtimes.holder.protocol import VERSION, Message


class Refused(Exception):
    """A request that cannot be done now; ``kind`` for programs, the text for people."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Requests:
    """Answers requests about one agent. ``collect`` reaps its dead; ``input_closing`` comes before its input closes."""

    def __init__(
        self,
        order: Order,
        feed: Feed,
        agent: int,
        collect: Callable[[], None],
        input_closing: Callable[[], None],
    ) -> None:
        self._order = order
        self._feed = feed
        self._agent = agent
        self._collect = collect
        self._input_closing = input_closing
        self._rows, self._cols = order.rows, order.cols
        self._leave: frozenset[tree.Name] = frozenset()
        self.frozen = False
        self.followed = False  # by anyone, ever
        self.why: str | None = None  # someone asked for the end
        self._ops: dict[str, Callable[[Connection, Message], Message]] = {
            "hello": self._hello,
            "status": lambda _c, _m: self._status(),
            "write": self._write,
            "resize": self._resize,
            "freeze": lambda _c, _m: self._freeze(),
            "thaw": lambda _c, _m: self._thaw(),
            "kill": self._kill,
            "kill_held": self._kill_held,
            "close_input": self._close_input,
            "subscribe": self._subscribe,
        }

    def answer(self, connection: Connection, request: Message) -> Message:
        """One request, whatever is wrong with it."""
        number = request.get("id")
        name = str(request.get("op"))
        try:
            if not connection.greeted and name != "hello":
                raise Refused("order", "Say hello first, with the version that you speak.")
            if name not in self._ops:
                raise Refused("unknown", f"This holder (version {VERSION}) does not know the request {name}.")
            return {"id": number, "ok": True, **self._ops[name](connection, request)}
        except Refused as error:
            return {"id": number, "error": str(error), "kind": error.kind, "version": VERSION}
        except (KeyError, ValueError, TypeError) as error:
            return {"id": number, "error": f"The request {name} is malformed: {error!r}.", "kind": "malformed"}

    def end_tree(self, grace: float) -> int:
        """End every process; how many are left. The output goes on being drained meanwhile."""

        def meanwhile() -> None:
            self._feed.drain()  # an agent that cannot print its last words does not end
            self._collect()

        return tree.end(os.getpid(), grace, meanwhile) if grace > 0 else tree.kill(os.getpid(), reap=meanwhile)

    def _hello(self, connection: Connection, request: Message) -> Message:
        theirs = request.get("version")
        if theirs != VERSION:
            raise Refused(
                "version",
                f"This agent's holder speaks version {VERSION} and the engine version {theirs}."
                " Restart the agent, or run the engine that started it.",
            )
        connection.greeted = True
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "guard": os.getppid(),
            "run": self._order.run_id,
            **self._status(),
        }

    def _status(self) -> Message:
        return {
            "agent": self._agent,
            "offset": self._feed.output.end,
            "rows": self._rows,
            "cols": self._cols,
            "mode": self._order.mode,
            "frozen": self.frozen and tree.all_stopped(os.getpid()),
            "states": {str(pid): state for pid, state in tree.states(os.getpid()).items()},
            "fault": self._feed.output.fault,
        }

    def _write(self, _connection: Connection, request: Message) -> Message:
        if self.frozen:
            raise Refused("frozen", "The agent is frozen: nothing is typed until its question is answered.")
        try:
            return {"waiting": self._feed.write(base64.b64decode(request["data"], validate=True))}
        except Full as error:
            raise Refused("full", str(error)) from error

    def _resize(self, _connection: Connection, request: Message) -> Message:
        rows, cols = int(request["rows"]), int(request["cols"])
        if not (1 <= rows <= 1000 and 1 <= cols <= 1000):
            raise ValueError("rows and cols must be 1..1000")
        self._rows, self._cols = rows, cols
        self._feed.resize(rows, cols)
        return {}

    def _freeze(self) -> Message:
        if not self.frozen:
            self._leave = tree.stopped_before(os.getpid())
        self.frozen = True
        found = tree.freeze(os.getpid())
        return {"pids": sorted(found.pids), "verified": found.verified}

    def _thaw(self) -> Message:
        self._feed.forget_typed()
        self.frozen = False
        return {"continued": tree.thaw(os.getpid(), self._leave)}

    def _kill(self, _connection: Connection, request: Message) -> Message:
        self.why = str(request.get("why") or "stopped")
        grace = 0.0 if self.frozen else float(request.get("grace", 3.0))
        return {"left": self.end_tree(grace)}

    def _kill_held(self, _connection: Connection, request: Message) -> Message:
        if not self.frozen:
            raise Refused("running", "The agent is not frozen: a command that runs cannot be told from it.")
        rows = held.of_command(os.getpid(), self._agent, request.get("command"))
        if not rows:
            raise Refused("nothing", "No process of the held command was found. Stop the agent to be sure.")
        tree.kill_these(rows)
        return {"pids": [row.pid for row in rows]}

    def _close_input(self, _connection: Connection, _request: Message) -> Message:
        if self._order.mode != "pipes":
            raise Refused("terminal", "Only pipes have an input to close; a terminal is left by its own keys.")
        self._input_closing()
        self._feed.close_input()
        return {}

    def _subscribe(self, connection: Connection, request: Message) -> Message:
        offset = int(request["offset"])
        self.followed = True
        connection.follow(max(0, min(offset, self._feed.output.end)))
        return {"offset": self._feed.output.end}
