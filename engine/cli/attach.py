"""``conduit attach``: an agent's real terminal; while a gate is open, the gate is shown and answered instead."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import threading
import tty
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.gates import told
from engine.cli.show import plain
from engine.domain.errors import BadRequest, ConduitError, Conflict, NotFound

if TYPE_CHECKING:
    from engine.client import Client
    from engine.domain.wire import AgentView, GateView

_DETACH = 0x1D  # Ctrl-]
_HELP = "approve + Enter, reject + Enter, or answer TEXT + Enter; Ctrl-] detaches"


@click.command()
@click.argument("agent")
@sentences
def attach(agent: str) -> None:
    """Show AGENT's terminal and type into it; Ctrl-] detaches."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadRequest("attach needs a terminal on both ends. For scripts there are: conduit tell, conduit gates.")
    engine = client("terminal")
    found = pick.agent(engine.snapshot(), agent)
    click.echo(plain(f"Attached to {found['projectName']}/{found['name']}. Ctrl-] detaches."))
    reason = Attached(engine, found).run()
    click.echo(f"\r\n{reason}")


class Attached:
    """One attachment: three sources (terminal output, events, keys), one writer to the screen."""

    def __init__(self, engine: Client, agent: AgentView) -> None:
        self._engine = engine
        self._where = {"project_id": agent["projectId"], "agent_id": agent["id"]}
        self._output = engine.terminal(project_id=agent["projectId"], agent_id=agent["id"])
        self._events = engine.events()
        self._screen = threading.Lock()
        self._gate: GateView | None = None
        self._line = b""  # what is typed as the answer to the gate ``_line_for``, and to no other
        self._line_for: str | None = None
        self._ended: str | None = None
        self._wake_r, self._wake_w = os.pipe()

    def run(self) -> str:
        """Until it is detached or the agent ends; returns why."""
        kept = termios.tcgetattr(0)
        threads = [threading.Thread(target=work, daemon=True) for work in (self._show_output, self._follow_gates)]
        before = signal.signal(signal.SIGWINCH, lambda *_: self._wake())
        try:
            tty.setraw(0)
            self._look_at_gate()
            self._tell_size()
            for thread in threads:
                thread.start()
            return self._read_keys()
        finally:
            signal.signal(signal.SIGWINCH, before)
            self._output.close()
            self._events.close()
            termios.tcsetattr(0, termios.TCSADRAIN, kept)
            for thread in threads:
                if thread.ident:
                    thread.join(2.0)

    # What comes from the engine, each in a thread of its own

    def _show_output(self) -> None:
        reason = "The agent has ended."
        try:
            for piece in self._output:
                self._print(piece)
        except ConduitError as error:
            reason = str(error)
        self._end(reason)

    def _follow_gates(self) -> None:
        try:
            for event in self._events:
                if event["type"] in ("gate:triggered", "gate:resolved", "stream:reset"):
                    self._look_at_gate()
        except ConduitError as error:
            self._end(str(error))

    def _look_at_gate(self) -> None:
        """Show the gate that is open now; keys typed before it was shown never answer it."""
        gate = self._engine.get_agent(**self._where)["pendingGate"]
        if gate is not None and (self._gate is None or gate["id"] != self._gate["id"]):
            with suppress(termios.error):
                termios.tcflush(0, termios.TCIFLUSH)
            self._print(_shown(gate))
        elif gate is None and self._gate is not None:
            self._print(b"\r\n[gate closed; you type to the agent again]\r\n")
        self._gate = gate

    # What the person types

    def _read_keys(self) -> str:
        while self._ended is None:
            ready, _, _ = select.select([0, self._wake_r], [], [])
            if self._wake_r in ready:
                os.read(self._wake_r, 4096)
                self._tell_size()
            if 0 not in ready:
                continue
            data = os.read(0, 4096)
            if not data or _DETACH in data:
                return "Detached; the agent goes on."
            self._typed(data)
        return self._ended

    def _typed(self, data: bytes) -> None:
        gate = self._gate  # read once: the other thread may replace it while this line is judged
        if gate is not None:
            self._edit(data, gate)
            return
        try:
            self._engine.terminal_keys(**self._where, data=data)
        except (BadRequest, Conflict):
            # A gate opened in between: the engine took nothing, and the gate is shown now.
            self._look_at_gate()
        except NotFound as error:
            self._end(str(error))

    def _edit(self, data: bytes, gate: GateView) -> None:
        """Collect the line that answers ``gate``; it never reaches the terminal itself."""
        if self._line_for != gate["id"]:
            self._line, self._line_for = b"", gate["id"]
        for code in data:
            if code in (0x0D, 0x0A):
                line, self._line = self._line.decode(errors="replace").strip(), b""
                self._print(b"\r\n")
                self._answer(line, gate)
                return  # what was typed after it answers nothing
            if code in (0x7F, 0x08):
                self._line = self._line[:-1]
            elif code >= 0x20:
                self._line += bytes([code])
        self._print(b"\r\x1b[Kgate> " + self._line)

    def _answer(self, line: str, gate: GateView) -> None:
        word, _, text = line.partition(" ")
        if line == "approve":
            self._resolve(gate, "approve", None)
        elif word == "reject":
            self._resolve(gate, "reject", text or None)
        elif word == "answer" and text.strip():
            self._resolve(gate, "custom", text)
        else:
            self._print(f"Nothing was sent. {_HELP}\r\n".encode())

    def _resolve(self, gate: GateView, decision: Literal["approve", "reject", "custom"], text: str | None) -> None:
        try:
            result = self._engine.resolve(
                **self._where, gate_id=gate["id"], decision=decision, custom_input=text, request_id=str(uuid4())
            )
            self._print(f"[{told(result)}]\r\n".encode())
        except ConduitError as error:
            self._print(f"[{plain(error)}]\r\n".encode())
        self._look_at_gate()

    # Small things

    def _print(self, data: bytes) -> None:
        with self._screen:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def _tell_size(self) -> None:
        size = os.get_terminal_size(1)
        with suppress(ConduitError):  # a terminal too small or an agent just gone: the picture is not worth a fault
            self._engine.terminal_size(**self._where, rows=size.lines, cols=size.columns)

    def _wake(self) -> None:
        os.write(self._wake_w, b"w")

    def _end(self, reason: str) -> None:
        self._ended = self._ended or reason
        self._wake()


def _shown(gate: GateView) -> bytes:
    lines = ["", "[gate] This waits for you; nothing that you type reaches the agent:"]
    lines += [f"  {plain(line)}" for line in gate["prompt"].splitlines()]
    if gate["command"]:
        lines.append(f"  command: {plain(gate['command'])}")
    lines += [f"  {_HELP}", "gate> "]
    return "\r\n".join(lines).encode()
