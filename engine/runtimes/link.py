"""An asyncio client of one holder: requests on one connection, output on another; neither waits for the other."""

import asyncio
import base64
import contextlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.errors import Conflict, Unavailable
from engine.ports.runtime import Output
from engine.runtimes.holder.protocol import EXIT, SOCKET, VERSION, Message, encode
from engine.runtimes.processes import LINUX

_LINE = 8 * 1024 * 1024  # bytes
_ANSWER_LIMIT = 30.0  # seconds; a holder that is silent for longer is lost


class LinkLost(Unavailable):
    """The holder does not answer any more; the agent's last words are in exit.json."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Output that is not kept any more: the next byte is at ``to``."""

    to: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The agent ended; ``code`` is None when nobody could collect it."""

    code: int | None
    reason: str


Frame = Output | Gap | Ended


class Link:
    """One holder, as the engine talks to it."""

    def __init__(self, control: Path, hello: Message, channel: "Channel") -> None:
        self._control = control
        self._channel = channel
        self.hello = hello

    @classmethod
    async def connect(cls, control: Path) -> "Link":
        """Greet a control folder's holder; :class:`LinkLost` when there is none, Unavailable for another version."""
        channel = await Channel.open(control)
        try:
            hello = await channel.ask("hello", version=VERSION)
        except BaseException:
            await channel.close()
            raise
        return cls(control, hello, channel)

    async def ask(self, op: str, **arguments: Any) -> Message:
        """One request; Conflict when the tree's state forbids it, LinkLost when the holder is gone."""
        return await self._channel.ask(op, **arguments)

    async def write(self, data: bytes) -> None:
        """Type bytes."""
        await self.ask("write", data=base64.b64encode(data).decode())

    async def frames(self, offset: int) -> AsyncIterator[Frame]:
        """Output from ``offset`` on, as it comes; ends after :class:`Ended`."""
        channel = await Channel.open(self._control)
        try:
            await channel.ask("hello", version=VERSION)
            await channel.ask("subscribe", offset=offset)
            async for message in channel.messages():
                frame = _frame(message)
                yield frame
                if isinstance(frame, Ended):
                    return
        except LinkLost:
            pass  # told below, as the end that it is
        finally:
            await channel.close()
        yield last_words(self._control)

    async def close(self) -> None:
        """Let go; the agent goes on."""
        await self._channel.close()


class Channel:
    """One connection, one question at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._lock = asyncio.Lock()
        self._number = 0
        self._early: list[Message] = []

    @classmethod
    async def open(cls, control: Path) -> "Channel":
        """Connect; :class:`LinkLost` when nobody listens."""
        try:
            with short_path(control) as path:
                reader, writer = await asyncio.open_unix_connection(path, limit=_LINE)
        except OSError as error:
            raise LinkLost(f"No holder answers in {control}: its agent is not running any more.") from error
        return cls(reader, writer)

    async def ask(self, op: str, **arguments: Any) -> Message:
        """One request and its answer. A caller who gives up leaves no answer for the next one to trip over."""
        async with self._lock:
            self._number += 1
            number = self._number
            try:
                self._writer.write(encode({"id": number, "op": op, **arguments}))
                await self._writer.drain()
                async with asyncio.timeout(_ANSWER_LIMIT):
                    return _checked(await self._answer(number))
            except (OSError, TimeoutError) as error:
                raise LinkLost("The agent's holder does not answer. Stop the agent and start it again.") from error

    async def messages(self) -> AsyncIterator[Message]:
        """What comes unasked."""
        while True:
            yield self._early.pop(0) if self._early else await self._next()

    async def close(self) -> None:
        """Close the connection."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _answer(self, number: int) -> Message:
        while True:
            message = await self._next()
            if message.get("id") == number or (message.get("kind") == "refused" and "id" not in message):
                return message
            if "frame" in message:
                self._early.append(message)

    async def _next(self) -> Message:
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise LinkLost("The agent's holder is gone.")
        message: Message = json.loads(line)
        return message


def last_words(control: Path) -> Ended:
    """How the latest agent of a control folder ended."""
    try:
        raw = json.loads((control / EXIT).read_text())
        return Ended(raw["code"], str(raw["reason"]))
    except (OSError, ValueError, KeyError):
        return Ended(None, "it and its holder are gone, and nobody saw how they ended")


@contextlib.contextmanager
def short_path(control: Path) -> Iterator[str]:
    """A name of the socket that fits the kernel's 108 bytes (macOS 104), however long the folder's own is."""
    if LINUX:
        fd = os.open(control, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield f"/proc/self/fd/{fd}/{SOCKET}"
        finally:
            os.close(fd)
        return
    with tempfile.TemporaryDirectory(prefix="cdt", dir="/tmp") as folder:  # untried
        link = Path(folder) / "c"
        link.symlink_to(control)
        yield str(link / SOCKET)


def _checked(message: Message) -> Message:
    if message.get("ok"):
        return message
    sentence = str(message.get("error"))
    if message.get("kind") in ("frozen", "running"):
        raise Conflict(sentence)
    raise Unavailable(sentence)


def _frame(message: Message) -> Frame:
    match message["frame"]:
        case "output":
            return Output(message["offset"], base64.b64decode(message["data"]))
        case "gap":
            return Gap(message["to"])
        case _:
            return Ended(message["code"], str(message["reason"]))
