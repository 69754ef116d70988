"""The server: loopback only, one port, an orderly end, and the file by which clients find it."""

import asyncio
import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import uvicorn
from fastapi import FastAPI

from engine.api.events import IDS_A_LIFE, EventHub
from engine.domain.errors import BadRequest, ConduitError, Unavailable
from engine.storage.files import write_json
from engine.storage.layout import Layout

DEFAULT_PORT = 3200
_LOOPBACK = ("127.0.0.1", "::1")
_GRACE_S = 3


class _Uvicorn(uvicorn.Server):
    """Leaves the signals to the engine, which owns them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class ApiServer:
    """Serves the application from ``start`` to ``stop``; owns the task that does it."""

    def __init__(self, app: FastAPI, hub: EventHub, *, host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> None:
        if host not in _LOOPBACK:
            raise BadRequest(f"The engine serves this machine only: {host} is not a loopback address, 127.0.0.1 is.")
        self._host = host
        self._wanted = port
        self._hub = hub
        self._server = _Uvicorn(_config(app))
        self._task: asyncio.Task[None] | None = None
        self._socket: socket.socket | None = None

    @property
    def port(self) -> int:
        """The real port, once started."""
        return int(self._socket.getsockname()[1]) if self._socket else self._wanted

    async def start(self) -> int:
        """Listen; returns the port. Raises :class:`Unavailable` when it is taken."""
        self._socket = _bind(self._host, self._wanted)
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]), name="api-server")
        while not self._server.started:
            if self._task.done():
                self._task.result()
                raise Unavailable("The server ended while it started; the log says why.")
            await asyncio.sleep(0.005)
        return self.port

    async def wait(self) -> None:
        """Until the server ends, by :meth:`stop` or by a fault."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def stop(self) -> None:
        """End the streams, answer what is under way, stop listening."""
        self._hub.close()
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        if self._socket is not None:
            self._socket.close()


def _config(app: FastAPI) -> uvicorn.Config:
    # Addresses stay out of every log, however the program has set up logging.
    logging.getLogger("uvicorn.access").addFilter(_nothing)
    # proxy_headers would let a request claim another address, and so hide its process; h11 is strict about Host.
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=_GRACE_S,
    )


def _nothing(_: logging.LogRecord) -> bool:
    return False


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a restart need not wait for old connections
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise _taken(host, port, error) from error
    return listener


def _taken(host: str, port: int, error: OSError) -> ConduitError:
    return Unavailable(
        f"Port {port} on {host} cannot be used ({error.strerror}){_holder(port)}. "
        f"Stop that program, or choose another port: conduit up --port {port + 1 if port < 65535 else port - 1}."
    )


def _holder(port: int) -> str:
    """Who listens there, when the system tells."""
    try:
        for entry in psutil.net_connections(kind="tcp"):
            if entry.status == psutil.CONN_LISTEN and entry.laddr and entry.laddr.port == port and entry.pid:
                return f": {psutil.Process(entry.pid).name()} (process {entry.pid}) listens there"
    except (psutil.Error, OSError):
        return ""
    return ""


class Announcement:
    """``<root>/engine.json``: where this engine listens, and from where the next one counts its events."""

    def __init__(self, root: Path) -> None:
        self._path = Layout(root).engine_json

    def event_floor(self) -> int:
        """No event of an earlier engine had an id above this one."""
        try:
            return int(json.loads(self._path.read_text("utf-8"))["eventSeed"]) + IDS_A_LIFE
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(f"{self._path} cannot be read ({error}). Delete it and start again.") from error

    def tell(self, *, port: int, started_at: str, event_seed: int) -> None:
        """Write it: from now on clients find this engine."""
        self._write({"pid": os.getpid(), "port": port, "startedAt": started_at, "eventSeed": event_seed})

    def withdraw(self, *, event_seed: int) -> None:
        """No engine runs any more."""
        self._write({"pid": None, "port": None, "startedAt": None, "eventSeed": event_seed})

    def _write(self, body: dict[str, object]) -> None:
        write_json(self._path, body, private=True)
