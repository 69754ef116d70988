"""The holder's loop: one thread that drains, serves, reaps, and never waits for a client."""

import base64
import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from engine.runtimes import tree
from engine.runtimes.holder import held, peers
from engine.runtimes.holder.connection import Connection
from engine.runtimes.holder.feed import Feed, Full
from engine.runtimes.holder.order import Order
from engine.runtimes.holder.protocol import EXIT, SOCKET, VERSION, Message, write_atomically

_FAREWELL = 5.0  # seconds that clients get to take the rest of the output
_LEFTOVER_GRACE = 2.0  # seconds for processes that outlive their agent


class Refused(Exception):
    """A request that cannot be done now; ``kind`` for programs, the text for people."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Holder:
    """Owns one agent until it ends."""

    def __init__(self, order: Order, control: Path, feed: Feed, agent: int, alive: int) -> None:
        self._order = order
        self._control = control
        self._feed = feed
        self._agent = agent
        self._alive = alive  # readable when the guard is gone
        self._rows, self._cols = order.rows, order.cols
        self._frozen = False
        self._leave: frozenset[tree.Name] = frozenset()
        self._code: int | None = None
        self._agent_ended = False
        self._ended = False
        self._followed = False
        self._why: str | None = None
        self._connections: list[Connection] = []
        self._selector = selectors.DefaultSelector()
        self._listener = listen(control)
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

    def run(self) -> None:
        """Serve until the agent has ended and its output has been taken."""
        wake_r, wake_w = socket.socketpair()
        wake_r.setblocking(False)
        wake_w.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_w.fileno(), warn_on_full_buffer=False)
        self._selector.register(wake_r, selectors.EVENT_READ)
        self._selector.register(self._listener, selectors.EVENT_READ)
        for fd in (self._alive, *self._feed.readable):
            self._selector.register(fd, selectors.EVENT_READ)
        self._reap()
        while not self._ended:
            self._turn(wake_r)
        deadline = time.monotonic() + _FAREWELL
        while not self._followed and time.monotonic() < deadline:
            self._turn(wake_r)  # an agent that ended at once: whoever started it has yet to connect
        self._say_goodbye()

    # one turn of the loop

    def _turn(self, wake: socket.socket) -> None:
        self._watch_writes()
        for key, events in self._selector.select(timeout=1.0):
            if key.fileobj is wake:
                wake.recv(4096)
            elif key.fileobj is self._listener:
                self._accept()
            elif key.fileobj == self._alive:
                self._guard_is_gone()
            elif isinstance(key.data, Connection):
                self._attend(key.data, events)
            elif not self._feed.open and key.fd != self._feed.writable:
                self._selector.unregister(key.fileobj)  # its end was read
        self._move_data()
        self._reap()

    def _move_data(self) -> None:
        self._feed.drain()
        self._feed.flush_queue()
        for connection in list(self._connections):
            connection.pump(self._feed.output)
            if connection.closing:
                self._drop(connection)

    def _watch_writes(self) -> None:
        for connection in self._connections:
            want = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.wants_to_write else 0)
            self._selector.modify(connection.sock, want, connection)
        self._watch_input()

    def _watch_input(self) -> None:
        """Ask for word of room only while something waits: a pipe without a reader would report for ever."""
        fd, waits = self._feed.writable, self._feed.wants_to_write
        if fd is None:
            return
        reads = selectors.EVENT_READ if fd in self._feed.readable and self._feed.open else 0
        wanted = reads | (selectors.EVENT_WRITE if waits else 0)
        known = self._selector.get_map().get(fd)
        if known is None and wanted:
            self._selector.register(fd, wanted)
        elif known is not None and not wanted:
            self._selector.unregister(fd)
        elif known is not None and known.events != wanted:
            self._selector.modify(fd, wanted)

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        sock.setblocking(False)
        connection = Connection(sock)
        sentence = peers.refusal(sock)
        if sentence is not None:
            connection.send({"error": sentence, "kind": "refused"})
            sock.close()
            return
        self._connections.append(connection)
        self._selector.register(sock, selectors.EVENT_READ, connection)

    def _attend(self, connection: Connection, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            connection.flush()
        if not events & selectors.EVENT_READ:
            return
        requests = connection.receive()
        if requests is None:
            self._drop(connection)
            return
        for request in requests:
            connection.send(self._answer(connection, request))

    def _answer(self, connection: Connection, request: Message) -> Message:
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

    def _drop(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            self._selector.unregister(connection.sock)
            connection.sock.close()

    # requests

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
            "frozen": self._frozen and tree.all_stopped(os.getpid()),
            "states": {str(pid): state for pid, state in tree.states(os.getpid()).items()},
            "fault": self._feed.output.fault,
        }

    def _write(self, _connection: Connection, request: Message) -> Message:
        if self._frozen:
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
        if not self._frozen:
            self._leave = tree.stopped_before(os.getpid())
        self._frozen = True
        found = tree.freeze(os.getpid())
        return {"pids": sorted(found.pids), "verified": found.verified}

    def _thaw(self) -> Message:
        self._feed.forget_typed()
        self._frozen = False
        return {"continued": tree.thaw(os.getpid(), self._leave)}

    def _kill(self, _connection: Connection, request: Message) -> Message:
        self._why = str(request.get("why") or "stopped")
        grace = 0.0 if self._frozen else float(request.get("grace", 3.0))
        return {"left": self._end_tree(grace)}

    def _kill_held(self, _connection: Connection, request: Message) -> Message:
        if not self._frozen:
            raise Refused("running", "The agent is not frozen: a command that runs cannot be told from it.")
        rows = held.of_command(os.getpid(), self._agent, request.get("command"))
        if not rows:
            raise Refused("nothing", "No process of the held command was found. Stop the agent to be sure.")
        tree.kill_these(rows)
        return {"pids": [row.pid for row in rows]}

    def _close_input(self, _connection: Connection, _request: Message) -> Message:
        fd = self._feed.writable
        if self._order.mode != "pipes":
            raise Refused("terminal", "Only pipes have an input to close; a terminal is left by its own keys.")
        if fd is not None and fd in self._selector.get_map():
            self._selector.unregister(fd)
        self._feed.close_input()
        return {}

    def _subscribe(self, connection: Connection, request: Message) -> Message:
        offset = int(request["offset"])
        self._followed = True
        connection.follow(max(0, min(offset, self._feed.output.end)))
        return {"offset": self._feed.output.end}

    # the end

    def _end_tree(self, grace: float) -> int:
        def meanwhile() -> None:
            self._feed.drain()  # an agent that cannot print its last words does not end
            self._collect()

        return tree.end(os.getpid(), grace, meanwhile) if grace > 0 else tree.kill(os.getpid(), reap=meanwhile)

    def _collect(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._agent:
                    self._code = os.waitstatus_to_exitcode(status)
                    self._agent_ended = True

    def _reap(self) -> None:
        self._collect()
        if not self._agent_ended or self._ended:
            return
        self._end_tree(0.0 if self._frozen else _LEFTOVER_GRACE)
        self._feed.drain(everything=True)
        self._ended = True
        write_atomically(self._control / EXIT, self._last_words())

    def _last_words(self) -> Message:
        code = self._code
        reason = self._why or (f"ended by signal {-code}" if code is not None and code < 0 else f"exited with {code}")
        return {"run": self._order.run_id, "code": code, "reason": reason, "offset": self._feed.output.end}

    def _say_goodbye(self) -> None:
        self._listener.close()
        (self._control / SOCKET).unlink(missing_ok=True)
        deadline = time.monotonic() + _FAREWELL
        waiting = list(self._connections)
        while waiting and time.monotonic() < deadline:
            for connection in list(waiting):
                connection.flush()
                if not connection.pump(self._feed.output):
                    connection.sock.setblocking(True)
                    connection.sock.settimeout(1.0)
                    connection.send({"frame": "exit", **self._last_words()})
                    waiting.remove(connection)
            if waiting:
                time.sleep(0.01)
        self._feed.close()

    def _guard_is_gone(self) -> None:
        self._why = "its guard process was killed, so the agent was ended"
        tree.kill(os.getpid(), reap=self._collect)
        self._agent_ended = True


def listen(control: Path) -> socket.socket:
    """The listening socket. The control folder is the working folder: a relative name fits any length of path."""
    os.chdir(control)
    Path(SOCKET).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(SOCKET)
    Path(SOCKET).chmod(0o600)
    listener.listen(8)
    listener.setblocking(False)
    return listener
