"""Claude Code behind its terminal: status and questions from its hooks, the screen where they are silent."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from engine.domain.errors import ConduitError, Conflict, Unavailable
from engine.domain.gates import Keys, Question, Reply, Structured
from engine.domain.sameness import one_question
from engine.ports.clock import Clock
from engine.ports.runtime import (
    Activity,
    Answered,
    Asked,
    Conversation,
    Exited,
    Launch,
    Notice,
    Reader,
    Screen,
    Settled,
    Signal,
    Withdrawn,
)
from engine.runtimes import answering, telling
from engine.runtimes.claude_hooks import payload as payloads
from engine.runtimes.claude_hooks.keeping import Kept
from engine.runtimes.claude_hooks.payload import Payload
from engine.runtimes.claude_hooks.pending import HookReply, Pending, PendingHooks
from engine.runtimes.claude_hooks.questions import ALLOW, question
from engine.runtimes.claude_hooks.verdicts import Verdicts
from engine.runtimes.claude_hooks.watch import SessionFile
from engine.runtimes.holder import held
from engine.runtimes.link import Link
from engine.runtimes.pty import PtyRuntime

_log = logging.getLogger(__name__)
_POLL = 0.4  # seconds between two looks at the session file
_LEAD = 0.6  # seconds that a dialog on the screen waits for its hook
_FADES = 3.0  # seconds that an answered dialog gets to leave the screen
_WRITE_LIMIT = 5.0  # seconds for a reply to reach its connection
_LOOKS = 20  # settled screens after which a dialog counts as still there, or as not there
_JUDGED = 200
_OLD_TEXT = 400_000  # bytes of a file that a diff is made against

AskWhy = Callable[[str, Mapping[str, Any], str], str | None]  # tool, its input, folder -> why to ask


class ClaudeRuntime(PtyRuntime):
    """Implements :class:`engine.ports.runtime.Runtime`; ``hook`` is called for every request of a hook."""

    def __init__(
        self,
        launch: Launch,
        link: Link,
        reader: Reader,
        clock: Clock,
        *,
        kept: Kept,
        ask_why: AskWhy,
        ended: Callable[[Launch], None],
        settle: float,
        read_from: int,
        live_from: int,
        interrupt_keys: tuple[str, ...],
        trouble: str | None = None,
    ) -> None:
        super().__init__(
            launch,
            link,
            reader,
            clock,
            settle=settle,
            read_from=read_from,
            live_from=live_from,
            interrupt_keys=interrupt_keys,
            liveness_only=False,
            trouble=trouble,
        )
        self._ask_why = ask_why
        self._ended = ended
        self._pending = PendingHooks(launch.run_id)
        self._file = SessionFile(Path(kept.config), int(link.hello["agent"]))
        self._word: str | None = None
        self._conversation = launch.resume or ""
        self._hooked = False  # whether any hook has called: before that, nothing on the screen waits for one
        self._judged: deque[str] = deque(maxlen=_JUDGED)  # commands that were judged before they could begin
        self._answered: deque[Question] = deque(maxlen=5)
        self._verdicts = Verdicts()
        self._leaving = False
        self._watch: asyncio.Task[None] | None = None

    def begin(self, replay_from: int = 0) -> None:
        super().begin(replay_from)
        self._watch = asyncio.create_task(self._watch_file(), name=f"session file of {self.launch.run_id}")

    async def detach(self) -> None:
        self.release()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        if self._follower.over:
            self._ended(self.launch)
        await super().detach()

    def release(self) -> None:
        """Let every open hook go without a decision: the engine ends, the dialogs stay."""
        self._leaving = True
        self._pending.release()

    async def signals(self) -> AsyncIterator[Signal]:
        """What happens, in order; ends after Exited."""
        async for signal in super().signals():
            if isinstance(signal, Exited):
                self.release()
                yield self._end(signal)
                return
            yield signal
            if isinstance(signal, Settled):
                self._compare(signal.screen)

    # hooks

    async def hook(self, event: str, body: Mapping[str, Any]) -> HookReply:
        """Answer one hook; cancelled when the CLI lets go of the connection."""
        payload = payloads.read(body)
        self._hooked = True
        self._note_conversation(payload.session_id)
        match event:
            case "PermissionRequest" if payload.tool_name not in payloads.INTERACTIVE:
                return await self._permission(payload)
            case "PreToolUse":
                return await self._before_tool(payload)
            case "PostToolUse" | "PostToolUseFailure":
                self._tool_ended(payload)
            case "StopFailure":
                self._follower.add(Notice(f"It could not go on: {payload.last_assistant_message[:500]}"))
        self._note_activity("idle" if event in ("Stop", "StopFailure") else "busy")
        return HookReply({})

    def _tool_ended(self, payload: Payload) -> None:
        """A call ran. If nobody here allowed it, a key that was typed ahead answered its dialog before it was drawn."""
        if self._verdicts.take_allowed(payload.call):
            return
        if self._verdicts.take_refused(payload.call):
            what = payload.tool_input.get("command") or payload.tool_name
            self._follower.add(Notice(f"It ran although you refused it, let through by a key at its terminal: {what}"))
            return
        for pending in self._pending:
            if pending.call == payload.call and not pending.reply.done():
                pending.reply.set_result(HookReply({}))
                self._withdraw(pending, "answered_at_terminal")
                return

    async def _before_tool(self, payload: Payload) -> HookReply:
        """Never holds: a harmful call is answered with ``ask`` at once, so that its dialog comes in any case."""
        self._judged.append("".join(str(payload.tool_input.get("command", "")).split()))
        folder = payload.cwd or str(self.launch.cwd)
        why = await asyncio.to_thread(self._ask_why, payload.tool_name, payload.tool_input, folder)
        return HookReply(payloads.ask(why) if why else {})

    async def _permission(self, payload: Payload) -> HookReply:
        handle = self._pending.handle()
        pending = self._pending.add(handle, payload.call, question(payload, handle, _old_text))
        try:
            self._follower.add(Asked(pending.question))
            # At once: whoever makes a gate of it may take their time. Not cancelled, so that it is before any thaw.
            await asyncio.shield(self.freeze())
            return await asyncio.shield(pending.reply)
        except asyncio.CancelledError:
            pending.closed = True
            await asyncio.shield(self._let_go(pending))
            raise
        finally:
            if pending.reply.done():
                self._pending.drop(pending)

    async def _let_go(self, pending: Pending) -> None:
        """The CLI closed the connection: someone answered its dialog, or it waited too long and the dialog stays."""
        if self._leaving or self._follower.over or pending.reply.done():
            return
        until = self._clock.boot() + _FADES
        while self._word_now() == "waiting" and self._on_screen(pending.question) is not None:
            if self._clock.boot() >= until:
                return  # it waits for keys; when the dialog goes, that is seen
            await self._clock.sleep(0.05)
        if self._pending.get(pending.handle) is pending:
            self._withdraw(pending, "answered_at_terminal")

    def _compare(self, screen: Screen) -> None:
        """A dialog that stood on the screen and is gone, unanswered by us: someone was quicker than the freeze."""
        live = self._desk.reader.questions(screen, self.launch.cli, str(self.launch.cwd))
        for pending in self._pending:
            if any(one_question(pending.question, shown) for shown in live):
                pending.seen = True
            elif pending.seen and not pending.reply.done():
                pending.reply.set_result(HookReply({}))
                self._withdraw(pending, "answered_at_terminal")

    def _withdraw(self, pending: Pending, why: Literal["answered_at_terminal", "withdrawn"]) -> None:
        self._pending.drop(pending)
        self._follower.add(Withdrawn(pending.handle, why))

    # one question, two sources

    async def leads(self, shown: Question) -> bool:
        """Whether a hook asks what this dialog on the screen asks, waiting a moment for it to call.

        The echo of a command is no news either when its hook has judged it: what is harmful has its dialog.
        """
        if not self._hooked:
            return False
        until = self._clock.boot() + (_FADES if self._was_answered(shown) else _LEAD)
        while not self._has_led(shown):
            if self._clock.boot() >= until:
                return False
            await self._clock.sleep(0.05)
        return True

    def _has_led(self, shown: Question) -> bool:
        if shown.may_have_begun:
            return self._was_judged(shown.command or "")
        asked = any(one_question(pending.question, shown) for pending in self._pending)
        return asked or self._on_screen(shown) is None  # an older screen showed it; nothing asks it now

    def _was_answered(self, shown: Question) -> bool:
        """Whether this may be a dialog that its hook has just answered, and that is about to go."""
        return any(one_question(question, shown) for question in self._answered)

    def _was_judged(self, command: str) -> bool:
        """The row of an echo may be cut with an ellipsis."""
        shown = "".join(command.split())
        return any(one == shown or (shown.endswith("…") and one.startswith(shown[:-1])) for one in self._judged)

    def _on_screen(self, asked: Question) -> Question | None:
        """The live question on the screen that is this one."""
        for shown in self._desk.questions():
            if shown == asked or one_question(asked, shown):
                return shown
        return None

    # answers

    async def write(self, data: bytes) -> None:
        """Raw keys of a person; Conflict from the moment a request comes, for its dialog would take them."""
        if any(not pending.reply.done() and not pending.closed for pending in self._pending):
            raise Conflict("The agent has just asked for permission: nothing is typed until that is decided.")
        await super().write(data)

    async def answer(self, reply: Reply, question: Question) -> Answered:
        """By the hook's open connection; by the dialog's own keys where that is gone (the engine was restarted)."""
        if not isinstance(reply, Structured):
            return await super().answer(reply, question)
        async with self._lock:
            pending = self._pending.get(question.handle)
            if pending is not None and pending.takes_reply:
                return await self._by_hook(pending, reply)
            return await self._by_keys(question, reply)

    async def _by_hook(self, pending: Pending, reply: Structured) -> Answered:
        behaviour: Literal["allow", "deny"] = "allow" if reply.option == ALLOW else "deny"
        self._answered.append(pending.question)
        self._verdicts.decide(pending.call, allowed=behaviour == "allow")
        ended = await self._end_begun(pending.question) if behaviour == "deny" else ""
        sends = HookReply(payloads.permission(behaviour, reply.message))
        pending.reply.set_result(sends)
        try:  # written while everything stands still, so that the CLI reads it before anyone can do anything else
            async with asyncio.timeout(_WRITE_LIMIT):
                await sends.sent.wait()
        except TimeoutError as fault:
            raise Unavailable("The answer could not be written to the agent's hook.") from fault
        self._tell_word("busy")  # it works from here on, until its file says otherwise
        await self.thaw()
        gone = await self._vanishes(pending.question)
        told = f": {reply.message}" if reply.message and behaviour == "deny" else ""
        return Answered(f"{ended}answered its hook with {behaviour}{told}", gone)

    async def _end_begun(self, refused: Question) -> str:
        """End a refused command that a key, typed ahead at the terminal, has begun; nothing else would stop it."""
        holder, agent = int(self._link.hello["pid"]), int(self._link.hello["agent"])
        if not await asyncio.to_thread(held.named, holder, agent, refused.command):
            return ""
        done = await self._link.ask("kill_held", command=refused.command)
        return f"ended the command, which a key at the terminal had begun ({len(done['pids'])} processes); "

    async def _vanishes(self, asked: Question) -> bool:
        for _ in range(_LOOKS):
            if not await self._desk.look() and self._follower.over:
                return True
            if self._on_screen(asked) is None and self._word_now() != "waiting":
                return True
        return self._on_screen(asked) is None

    async def _by_keys(self, asked: Question, reply: Structured) -> Answered:
        await self.thaw()
        try:
            shown = await self._find(asked)
        except BaseException:
            await asyncio.shield(self.freeze())
            raise
        kind = "approve" if reply.option == ALLOW else "reject"
        choice = next((choice for choice in shown.choices if choice.kind == kind), None)
        if choice is None or not isinstance(choice.reply, Keys):
            await self.freeze()
            raise Conflict(f"The dialog on the screen has no answer that would {kind} it. Answer it at the terminal.")
        self._tell_word("busy")
        done = await answering.press(self._desk, choice.reply, shown)
        if kind == "reject" and reply.message and done.gone:
            told = await telling.tell(self._desk, reply.message)
            return Answered(f"{done.action}; {'told it' if told == 'delivered' else 'could not tell it'}", done.gone)
        return done

    async def _find(self, asked: Question) -> Question:
        """The dialog of a hook that lost its connection; Conflict, and the gate closes, when it is not there."""
        for _ in range(_LOOKS):
            await self._desk.look()
            shown = self._on_screen(asked)
            if shown is not None:
                return shown
            if self._word_now() == "idle":
                break
        self._follower.add(Withdrawn(asked.handle or "", "answered_at_terminal"))
        raise Conflict("The agent does not ask this any more: its dialog is gone from the screen. Nothing was sent.")

    # status

    async def _watch_file(self) -> None:
        while not self._follower.over:
            seen = await asyncio.to_thread(self._file.read)
            if seen is not None:
                self._tell_word(seen.word)
            await self._clock.sleep(_POLL)

    def _note_activity(self, word: str) -> None:
        """A hook's word, where the CLI keeps no session file; else the file's, read at once."""
        self._tell_word(self._word_now() or word)

    def _word_now(self) -> str | None:
        seen = self._file.read()
        return None if seen is None else seen.word

    def _tell_word(self, word: str) -> None:
        if word == self._word:
            return
        self._word = word
        if word != "waiting":  # what it waits for is a question, which is told as such
            self._follower.add(Activity("working" if word == "busy" else "ready"))

    def _note_conversation(self, session_id: str) -> None:
        if session_id and session_id != self._conversation:
            self._conversation = session_id
            self._follower.add(Conversation(session_id))

    def _end(self, exited: Exited) -> Exited:
        missing = any("No conversation found with session ID" in line for line in self.screen().lines)
        if exited.code and missing:
            return Exited(exited.code, f"conversation_missing: {self.launch.resume} is not saved any more")
        return exited


def _old_text(path: str) -> str | None:
    """What a file holds now, for a diff; None when it is not there, or is no text of moderate size."""
    with contextlib.suppress(OSError, UnicodeDecodeError, ConduitError):
        file = Path(path)
        if file.is_file() and file.stat().st_size <= _OLD_TEXT:
            return file.read_text("utf-8")
    return None
