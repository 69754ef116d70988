"""One client of the holder: lines in, lines out, and a subscription that follows the recording."""

import base64
import json
import socket

from engine.runtimes.holder.protocol import FRAME, LINE_LIMIT, Message, encode
from engine.runtimes.recording import Recording

_UNSENT_LIMIT = 256 * 1024  # bytes; beyond it the subscription waits, the recording does not


class Connection:
    """Non-blocking. A slow client delays nobody: it is served from the disk when it reads again."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.greeted = False
        self.closing = False
        self._in = bytearray()
        self._out = bytearray()
        self._follows: int | None = None

    @property
    def wants_to_write(self) -> bool:
        return bool(self._out)

    def receive(self) -> list[Message] | None:
        """Whole requests that arrived; None when the client left or broke the framing."""
        try:
            data = self.sock.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            return None
        self._in += data
        if not data or len(self._in) > LINE_LIMIT:
            return None
        *lines, rest = self._in.split(b"\n")
        self._in = bytearray(rest)
        return _parse(lines)

    def send(self, message: Message) -> None:
        """Queue one message."""
        self._out += encode(message)
        self.flush()

    def follow(self, offset: int) -> None:
        """Stream output from ``offset`` on."""
        self._follows = offset

    def pump(self, output: Recording) -> bool:
        """Send output as far as the client takes it; True when there is more for it."""
        while self._follows is not None and self._follows < output.end and len(self._out) < _UNSENT_LIMIT:
            start, data = output.read(self._follows, FRAME)
            if not data:
                return False
            if start != self._follows:
                self.send({"frame": "gap", "from": self._follows, "to": start})
            self.send({"frame": "output", "offset": start, "data": base64.b64encode(data).decode()})
            self._follows = start + len(data)
        return self._follows is not None and self._follows < output.end

    def flush(self) -> None:
        """Hand on what the socket takes now."""
        try:
            while self._out:
                del self._out[: self.sock.send(self._out)]
        except BlockingIOError:
            return
        except OSError:
            self._out.clear()
            self.closing = True


def _parse(lines: list[bytearray]) -> list[Message] | None:
    try:
        messages = [json.loads(line) for line in lines if line.strip()]
    except ValueError:
        return None
    return messages if all(isinstance(message, dict) for message in messages) else None
