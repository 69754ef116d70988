"""An agent of the Agent Client Protocol behind its holder: prompts out, updates and questions in."""

import asyncio
import contextlib
import json
import logging
import re
from typing import Any

import acp
from acp import schema
from acp.client.connection import ClientSideConnection

from engine.domain.errors import Conflict, ConversationMissing, Unavailable
from engine.domain.gates import Question, Structured
from engine.ports.runtime import Activity, Answered, Asked, Conversation, Launch, Notice, Said, Signal, Told, Withdrawn
from engine.runtimes import catalog
from engine.runtimes.acp.questions import CANCELLED
from engine.runtimes.acp.transport import Lines
from engine.runtimes.acp.view import PERMISSION, UPDATE, Seen, View
from engine.runtimes.holder.protocol import write_atomically
from engine.runtimes.jsonlines import Json
from engine.runtimes.link import Link
from engine.runtimes.piped import PipedRuntime

PROMPT_FILE = "prompt.json"  # in the control folder: the prompt that was sent last
_PROMPT = "session/prompt"
_LOAD = "session/load"
_START_LIMIT = 90.0  # seconds for the first words: some start slowly on a busy machine
# What the agents say of a session that their store does not have (any more).
_MISSING = re.compile(r"(?i)invalid session identifier|no previous sessions|not found|no such session|service failure")
_log = logging.getLogger(__name__)
_FAILED: dict[str, str] = {
    "max_tokens": "its answer became too long",
    "max_turn_requests": "it asked its model too often in one turn",
    "refusal": "its model refused to go on",
}


class AcpRuntime(PipedRuntime):
    """Implements :class:`engine.ports.runtime.Runtime` for the Agent Client Protocol."""

    def __init__(self, launch: Launch, link: Link, *, said_from: int = 0, live_from: int = 0) -> None:
        super().__init__(launch, link, said_from=said_from, live_from=live_from)
        entry = catalog.load().find(launch.cli)
        self.title = entry.title if entry is not None else launch.cli
        self._view = View(self.title, str(launch.cwd), session=launch.resume)
        self._lines = Lines(self._write_line)
        nobody: Any = _Nobody()
        self._connection: Any = ClientSideConnection(nobody, self._lines)
        # The prompt that runs, and where the output stood when it was sent: what came before is not of its turn.
        self._prompt, self._prompt_at = _read_prompt(launch) if live_from else (None, 0)
        self._written = asyncio.Event()
        self._turn: asyncio.Task[None] | None = None
        self._replayed: list[Signal] = []
        self._loading = False

    async def open(self) -> None:
        """Greet, and start a session or go on with that of the launch; ConversationMissing when it is gone."""
        try:
            async with asyncio.timeout(_START_LIMIT):
                await self._greet()
        except TimeoutError as error:
            raise Unavailable(f"{self.title} did not say that it is ready within {_START_LIMIT:.0f} s.") from error
        except acp.RequestError as fault:
            raise Unavailable(f"{self.title} can't start a session: {_words(fault)}.") from fault
        except ConnectionError as fault:
            raise Unavailable(f"{self.title} has ended: {self._last_words().reason}.") from fault
        self._tell(Conversation(str(self._view.session)))
        self._tell(Activity("ready"))

    async def tell(self, text: str) -> Told:
        """Begin a turn; ``not_ready`` while one runs: some agents would drop it for the new one."""
        async with self._lock:
            if self.over or self._view.session is None or self._prompt is not None or self._view.pending:
                return "not_ready"
            self._view.turn_over()  # what came before is history that some agents go on telling after a load
            self._written.clear()
            self._prompt = "about to be sent"
            self._turn = asyncio.create_task(self._run_turn(text), name=f"turn of {self.launch.cli}")
            await self._sent(self._turn)
            return "delivered"

    async def interrupt(self) -> None:
        """End the present turn, and whatever it asks."""
        for name in list(self._view.pending):
            await self._write_outcome(name, CANCELLED)
            self._tell(Withdrawn(name, "withdrawn"))
        if self._prompt is not None:
            await self._connection.cancel(session_id=self._view.session)

    async def detach(self) -> None:
        """Let go; the agent goes on."""
        if self._turn is not None:
            self._turn.cancel()
            await asyncio.gather(self._turn, return_exceptions=True)
        await self._connection.close()
        await super().detach()

    # starting

    async def _greet(self) -> None:
        # The agents read and write files themselves: what they write is then under the holder, and freezes with it.
        abilities = schema.ClientCapabilities(
            fs=schema.FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        )
        greeting = await self._connection.initialize(
            protocol_version=acp.PROTOCOL_VERSION, client_capabilities=abilities
        )
        if self.launch.resume is None:
            made = await self._connection.new_session(cwd=str(self.launch.cwd), mcp_servers=[])
            self._view.session = made.session_id
        else:
            await self._load(self.launch.resume, greeting)

    async def _load(self, session: str, greeting: Any) -> None:
        if greeting.agent_capabilities is None or not greeting.agent_capabilities.load_session:
            raise Unavailable(f"{self.title} can't go on with an earlier session; start it without resuming.")
        self._loading = True
        try:
            await self._connection.load_session(cwd=str(self.launch.cwd), session_id=session, mcp_servers=[])
        except acp.RequestError as fault:
            _log.warning("%s can't load session %s: %s", self.title, session, _words(fault))
            if _MISSING.search(_words(fault)):
                raise ConversationMissing(self.title, session) from fault
            raise
        finally:
            self._loading = False
        self._view.turn_over()

    # one turn

    async def _run_turn(self, text: str) -> None:
        try:
            done = await self._connection.prompt(session_id=self._view.session, prompt=[acp.text_block(text)])
            self._turn_over(str(done.stop_reason))
        except acp.RequestError as fault:
            self._turn_over("error", _words(fault))
        except ConnectionError:  # the agent ended, which is told as such
            self._prompt = None

    async def _sent(self, turn: "asyncio.Task[None]") -> None:
        """Wait until the prompt is in the agent's pipe."""
        written = asyncio.create_task(self._written.wait())
        try:
            await asyncio.wait({turn, written}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            written.cancel()
        if not self._written.is_set():
            self._prompt = None
            self._patience.end()
            self._tell(Activity("ready"))
            await turn  # raises what went wrong
            raise Unavailable(f"{self.title} has ended.")

    def _turn_over(self, stop_reason: str, fault: str | None = None) -> None:
        self._prompt = None
        self._patience.end()
        seen = self._view.turn_over()
        self._news(seen)
        if fault is not None:
            self._tell(Notice(f"{self.title} could not finish its turn: {fault}"))
        elif stop_reason in _FAILED:
            self._tell(Notice(f"{self.title} ended its turn: {_FAILED[stop_reason]}."))
        elif stop_reason == "cancelled":
            self._tell(Said("tool", "Interrupted."))
        self._tell(Activity("ready"))

    # answers

    async def _deliver(self, reply: Structured, question: Question) -> Answered:
        name = question.handle or ""
        if name not in self._view.pending:
            raise Conflict(f"{self.title} does not wait for this answer any more, so nothing was sent.")
        self._tell(Activity("working"))  # before it is sent, for the same reason as a prompt
        await self._write_outcome(name, reply.option)
        shown = "cancelled" if reply.option == CANCELLED else reply.option
        # The protocol has no place for words beside an answer: they follow as a message.
        return Answered(f"answered {shown}", True, {"untold": reply.message} if reply.message else {})

    async def _write_outcome(self, name: str, option: str) -> None:
        outcome: Any = (
            schema.DeniedOutcome(outcome="cancelled")
            if option == CANCELLED
            else schema.AllowedOutcome(outcome="selected", option_id=option)
        )
        result = schema.RequestPermissionResponse(outcome=outcome)
        pending = self._view.pending[name]
        dumped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        await self._send({"jsonrpc": "2.0", "id": pending.id, "result": dumped})
        self._view.answer(name)

    # lines

    async def _write_line(self, message: Json) -> None:
        prompt = message.get("method") == _PROMPT
        if prompt:
            self._prompt = str(message["id"])
            note = {"id": self._prompt, "offset": self._scroll.offset}
            await asyncio.to_thread(write_atomically, self.launch.control / PROMPT_FILE, note)
            # Told before it is sent: a quick turn must not end before it begins.
            self._tell(Activity("working"))
            self._patience.begin()
        await self._send(message)
        if prompt:
            self._written.set()

    def _take(self, message: Json) -> None:
        if "method" not in message:
            self._response(message)
        elif message["method"] in (UPDATE, PERMISSION):
            self._forget_history()
            self._seen(self._view.see(message))
        elif "id" in message and self._live:
            self._refuse(message)

    def _forget_history(self) -> None:
        """In a replay: what came before the latest prompt and was not told is an older session's history."""
        if not self._live and 0 < self._prompt_at < self._scroll.offset:
            self._prompt_at = 0
            self._view.turn_over()

    def _response(self, message: Json) -> None:
        method = self._lines.answer(message)
        if method == _LOAD:  # what came before it is history, which was told long ago
            self._replayed.clear()
            self._view.turn_over()
        elif method == _PROMPT and self._live:
            result = message.get("result") or {}
            fault = message.get("error")
            self._turn_over(str(result.get("stopReason")), str(fault.get("message")) if fault else None)
        elif method == _PROMPT:
            self._seen(self._view.turn_over())
            self._prompt = None if str(message["id"]) == self._prompt else self._prompt

    def _seen(self, seen: Seen) -> None:
        if self._loading:
            return
        if seen.growing:
            self._scroll.growing(seen.growing)
        for signal in seen.signals:
            if isinstance(signal, Said):
                self._scroll.add(signal.text)
        if self._live:
            self._news(seen)
        elif self._scroll.offset > self._said_from:
            self._replayed += seen.signals

    def _news(self, seen: Seen) -> None:
        if seen.wait == "model":
            self._patience.heard()
        elif seen.wait == "other":
            self._patience.pause()
        for signal in seen.signals:
            self._tell(signal)
        for name in seen.resolved:
            self._tell(Withdrawn(name, "withdrawn"))
        if seen.asked is not None:
            self._tell(Asked(seen.asked.question))

    def _caught_up(self) -> None:
        for signal in self._replayed:
            self._tell(signal)
        self._replayed.clear()
        if self._view.session is not None:
            self._tell(Conversation(self._view.session))
        if not self._view.pending:
            self._tell(Activity("ready" if self._prompt is None else "working"))
        for pending in self._view.pending.values():
            self._tell(Asked(pending.question))
        if self._prompt is not None and not self._view.pending:
            self._patience.begin()

    def _refuse(self, request: Json) -> None:
        """A request that nobody here understands gets an error: silence would hold the turn, a guess might harm."""
        method = str(request["method"])
        self._tell(Notice(f"{self.title} asked for {method}, which Conduit can't answer; it was refused."))
        error = {"code": -32601, "message": f"Conduit does not answer {method}."}
        self._send_soon({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def _over(self) -> None:
        self._lines.over()

    def _model_is_silent(self) -> None:
        self._tell(Notice(self._silence()))


class _Nobody:
    """The client that the package asks for. Requests of the agent never reach it: they are answered here."""


def _read_prompt(launch: Launch) -> tuple[str | None, int]:
    with contextlib.suppress(OSError, ValueError, KeyError):  # none was sent yet
        found = json.loads((launch.control / PROMPT_FILE).read_text())
        return str(found["id"]), int(found["offset"])
    return None, 0


def _words(fault: acp.RequestError) -> str:
    data = fault.data
    more = data.get("details") if isinstance(data, dict) else data
    return f"{fault} ({more})" if more else str(fault)
