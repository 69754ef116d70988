"""The holder's loop: one thread that drains, serves, reaps, and never waits for a client."""

import contextlib
import os
import selectors
import signal
import socket
import time
from pathlib import Path

from engine.runtimes import tree
from engine.runtimes.holder import peers
from engine.runtimes.holder.connection import Connection
from engine.runtimes.holder.feed import Feed
from engine.runtimes.holder.order import Order
from engine.runtimes.holder.protocol import EXIT, SOCKET, Message, write_atomically
from engine.runtimes.holder.requests import Requests

_FAREWELL = 5.0  # seconds that clients get to take the rest of the output
_LEFTOVER_GRACE = 2.0  # seconds for processes that outlive their agent


class Holder:
    """Owns one agent until it ends."""

    def __init__(self, order: Order, control: Path, feed: Feed, agent: int, alive: int) -> None:
        self._order = order
        self._control = control
        self._feed = feed
        self._agent = agent
        self._requests = Requests(order, feed, agent, self._collect, self._forget_input)
        self._alive = alive  # readable when the guard is gone
        self._code: int | None = None
        self._agent_ended = False
        self._ended = False
        self._connections: list[Connection] = []
        self._selector = selectors.DefaultSelector()
        self._listener = listen(control)

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
        while not self._requests.followed and time.monotonic() < deadline:
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

    def _forget_input(self) -> None:
        fd = self._feed.writable
        if fd is not None and fd in self._selector.get_map():
            self._selector.unregister(fd)

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
            connection.send(self._requests.answer(connection, request))

    def _drop(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            self._selector.unregister(connection.sock)
            connection.sock.close()

    # the end

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
        self._requests.end_tree(0.0 if self._requests.frozen else _LEFTOVER_GRACE)
        self._feed.drain(everything=True)
        self._ended = True
        write_atomically(self._control / EXIT, self._last_words())

    def _last_words(self) -> Message:
        code = self._code
        reason = self._requests.why or (
            f"ended by signal {-code}" if code is not None and code < 0 else f"exited with {code}"
        )
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
        self._requests.why = "its guard process was killed, so the agent was ended"
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
