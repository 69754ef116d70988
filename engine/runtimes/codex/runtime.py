"""Codex behind its holder: requests out, answers and questions in."""

import asyncio
import secrets
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from engine.domain.errors import Conflict, ConversationMissing, Unavailable
from engine.domain.gates import Question, Structured
from engine.ports.runtime import Activity, Answered, Asked, Conversation, Launch, Notice, Said, Told, Withdrawn
from engine.runtimes.codex.view import Seen, View
from engine.runtimes.jsonlines import Json
from engine.runtimes.link import Link
from engine.runtimes.piped import PipedRuntime

_START_LIMIT = 60.0  # seconds for the first words, on a busy machine
_ANSWER_LIMIT = 30.0  # seconds for the answer to a request
_TAKEN_LIMIT = 15.0  # seconds until an approval is seen to be taken
_TAKEN_BEFORE = 3.0  # seconds for the same, of an answer that an earlier engine has written


class Refused(Unavailable):
    """The app-server answered a request with an error."""


class CodexRuntime(PipedRuntime):
    """Implements :class:`engine.ports.runtime.Runtime` for ``codex app-server``."""

    title = "Codex"

    def __init__(self, launch: Launch, link: Link, *, said_from: int = 0, live_from: int = 0) -> None:
        super().__init__(launch, link, said_from=said_from, live_from=live_from)
        self._view = View(str(launch.cwd), thread=launch.resume)
        self._mark = secrets.token_hex(4)  # of this engine's requests: those of an earlier one are not ours to hear
        self._number = 0
        self._requests: dict[str, asyncio.Future[Any]] = {}
        self._answering: dict[str, asyncio.Event] = {}
        self._retry_told = False

    async def open(self, thread: Json) -> None:
        """Greet, and start the thread or go on with the one of the launch; ConversationMissing when it is gone."""
        client = {"name": "conduit", "title": "Conduit", "version": _version()}
        await self._ask("initialize", {"clientInfo": client}, _START_LIMIT)
        await self._send({"method": "initialized"})
        if self.launch.resume is None:
            found = await self._ask("thread/start", thread, _START_LIMIT)
        else:
            found = await self._resume(self.launch.resume, thread)
        self._view.thread = str(found["thread"]["id"])
        self._tell(Conversation(self._view.thread))
        self._tell(Activity("ready"))

    async def tell(self, text: str) -> Told:
        """Begin a turn; ``not_ready`` while one runs, because it would be steered instead."""
        async with self._lock:
            view = self._view
            if self.over or view.thread is None or view.working or view.pending:
                return "not_ready"
            view.working = True
            try:
                await self._ask("turn/start", {"threadId": view.thread, "input": [{"type": "text", "text": text}]})
            except Refused as fault:  # nothing was begun
                view.working = False
                self._tell(Notice(f"Codex does not take the message: {fault}"))
                return "not_ready"
            return "delivered"

    async def interrupt(self) -> None:
        """End the present turn; harmless when there is none."""
        if self._view.turn is not None:
            await self._ask("turn/interrupt", {"threadId": self._view.thread, "turnId": self._view.turn})

    # answers

    async def _deliver(self, reply: Structured, question: Question) -> Answered:
        pending = self._view.pending.get(question.handle or "")
        if pending is None or question.handle is None:
            raise Conflict("Codex does not wait for this answer any more, so nothing was sent.")
        taken = self._answering[question.handle] = asyncio.Event()
        try:
            untold = await self._steer(reply.message)
            await self._send({"id": pending.id, "result": {"decision": reply.option}})
            gone = await _within(taken, _TAKEN_LIMIT)
        finally:
            self._answering.pop(question.handle, None)
        said = f", and told it: {reply.message}" if reply.message and not untold else ""
        return Answered(f"answered {reply.option}{said}", gone, {"untold": untold} if untold else {})

    async def was_answered(self, handle: str) -> bool:
        """Whether Codex has confirmed the answer to a request: in its recorded output, or within moments."""
        taken = self._answering[handle] = asyncio.Event()
        try:
            await self.caught_up()
            if handle in self._view.pending and not await self.frozen():
                await _within(taken, _TAKEN_BEFORE)
        finally:
            self._answering.pop(handle, None)
        return handle in self._view.resolved

    async def _steer(self, message: str | None) -> str | None:
        """Put the user's words into the turn before its question is answered; what could not be put there."""
        if not message or self._view.turn is None:
            return message
        given = [{"type": "text", "text": message}]
        try:
            await self._ask("turn/start", {"threadId": self._view.thread, "input": given})
        except Refused:
            return message
        return None

    # lines

    def _take(self, message: Json) -> None:
        if "method" not in message:
            self._response(message)
            return
        seen = self._view.see(message)
        if seen.growing:
            self._scroll.growing(seen.growing)
        for signal in seen.signals:
            if isinstance(signal, Said):
                self._scroll.add(signal.text)
        if self._live:
            self._news(seen)
        elif self._scroll.offset > self._said_from:  # what an earlier engine did not write down any more
            for signal in seen.signals:
                if isinstance(signal, Said):
                    self._tell(signal)

    def _news(self, seen: Seen) -> None:
        self._wait(seen.wait)
        for signal in seen.signals:
            if not isinstance(signal, Notice) or self._worth(signal):
                self._tell(signal)
        if seen.asked is not None:
            self._tell(Asked(seen.asked.question))
        if seen.resolved is not None:
            self._settled(seen.resolved)
        if seen.unknown is not None:
            self._refuse(seen.unknown)

    def _caught_up(self) -> None:
        view = self._view
        if view.thread is not None:
            self._tell(Conversation(view.thread))
        if not view.pending:
            self._tell(Activity("working" if view.working else "ready"))
        for pending in view.pending.values():
            self._tell(Asked(pending.question))
        if view.working and not view.pending:
            self._patience.begin()

    def _settled(self, handle: str) -> None:
        taken = self._answering.get(handle)
        if taken is not None:
            taken.set()
            self._tell(Activity("working"))
        else:
            self._tell(Withdrawn(handle, "withdrawn"))

    def _worth(self, notice: Notice) -> bool:
        """Trouble with the model is told once a turn, although it is tried again every few seconds."""
        if "tries again" not in notice.text:
            return True
        first, self._retry_told = not self._retry_told, True
        self._patience.end()
        return first

    def _wait(self, wait: str | None) -> None:
        match wait:
            case "turn":
                self._retry_told = False
                self._patience.begin()
            case "model":
                self._patience.heard()
            case "other":
                self._patience.pause()
            case "over":
                self._patience.end()
            case _:
                pass

    def _model_is_silent(self) -> None:
        self._retry_told = True
        self._tell(Notice(self._silence()))

    def _refuse(self, request: Json) -> None:
        """A request that nobody here understands gets an error: silence would hold the turn, a guess might harm."""
        method = str(request["method"])
        self._tell(Notice(f"Codex asked for {method}, which Conduit can't answer; it was refused."))
        error = {"code": -32601, "message": f"Conduit does not answer {method}."}
        self._send_soon({"id": request["id"], "error": error})

    # requests

    async def _resume(self, thread: str, options: Json) -> Json:
        given = {**options, "threadId": thread}
        try:
            return await self._ask("thread/resume", given, _START_LIMIT)
        except Refused as fault:
            if "no rollout" in str(fault) or "not found" in str(fault):
                raise ConversationMissing(self.title, thread) from fault
            raise

    async def _ask(self, method: str, params: Json, limit: float = _ANSWER_LIMIT) -> Json:
        """One request; :class:`Refused` with the server's words, Unavailable when it ends or stays silent."""
        self._number += 1
        name = f"{self._mark}.{self._number}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._requests[name] = answer
        try:
            if self.over:
                raise Unavailable(f"Codex has ended: {self._last_words().reason}.")
            await self._send({"method": method, "id": name, "params": params})
            async with asyncio.timeout(limit):
                return dict(await answer)
        except TimeoutError as error:
            raise Unavailable(f"Codex did not answer {method} within {limit:.0f} s.") from error
        finally:
            self._requests.pop(name, None)

    def _response(self, message: Json) -> None:
        answer = self._requests.get(str(message.get("id")))
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(Refused(str(message["error"].get("message"))))
        else:
            answer.set_result(message.get("result") or {})

    def _over(self) -> None:
        for answer in self._requests.values():
            if not answer.done():
                answer.set_exception(Unavailable(f"Codex has ended: {self._last_words().reason}."))


async def _within(event: asyncio.Event, limit: float) -> bool:
    try:
        async with asyncio.timeout(limit):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _version() -> str:
    try:
        return version("conduit-voice")
    except PackageNotFoundError:
        return "0"
