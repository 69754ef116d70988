"""Runs one engine on one data root: recover, adopt, serve, and let go of the agents at the end."""

import asyncio
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.api.app import About, Access, create_app
from engine.api.server import DEFAULT_PORT, Announcement, ApiServer
from engine.assembly.build import Engine, build
from engine.assembly.language import spoken_language
from engine.domain.errors import ConduitError
from engine.ports.clock import stamp
from engine.service.voice import forget_silent_voice
from engine.sessions.seeding import seed
from engine.storage.layout import Layout
from engine.storage.log_file import LogFile

_log = logging.getLogger("engine")
_VOICE_SILENT_S = 15.0


def run(home: Path, port: int = DEFAULT_PORT) -> int:
    """Serve until SIGINT or SIGTERM. 0 at an orderly end, 1 with one sentence on standard error."""
    try:
        asyncio.run(serve(home, port))
    except ConduitError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


async def serve(home: Path, port: int, *, ready: asyncio.Event | None = None) -> None:
    """The engine's whole life. Agents outlive it; everything else that it started is ended and awaited."""
    layout = Layout(home)
    announcement = Announcement(home)
    engine = build_on(layout, announcement)
    with engine.runs.own(), _logging(layout):
        await _recover(engine)
        started = stamp(engine.clock)
        access = Access.of(engine.tokens, engine.clock, engine.runtimes.trees)
        about = About(version=_version(), home=str(home), started_at=started)
        app = create_app(engine.service, access, engine.hub, about, hook_desk=engine.hooks)
        server = ApiServer(app, engine.hub, port=port)
        await server.start()
        engine.hooks.listen(f"http://127.0.0.1:{server.port}")
        announcement.tell(port=server.port, started_at=started, event_seed=engine.hub.seed)
        watch = asyncio.create_task(forget_silent_voice(engine.office, _VOICE_SILENT_S), name="voice watch")
        engine.office.sessions.watch()
        if ready is not None:
            ready.set()
        try:
            await _until_told(server)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            engine.hooks.close()
            await server.stop()
            await engine.office.sessions.close()
            await engine.lives.close()
            announcement.withdraw(event_seed=engine.hub.seed)


def build_on(layout: Layout, announcement: Announcement) -> Engine:
    """Make the folders of a fresh root, then wire the engine on it."""
    from engine.storage.store import Store

    Store(layout).prepare()
    language = spoken_language(layout.settings)
    return build(layout.root, event_floor=announcement.event_floor(), language=language)


async def _recover(engine: Engine) -> None:
    """Mend what a crash left, find the agents that lived on, finish what was decided."""
    notices = await asyncio.to_thread(engine.store.recover)
    notices += await asyncio.to_thread(engine.runs.recover)
    notices += await asyncio.to_thread(seed, engine.layout)
    notices += await engine.lives.adopt_all()
    notices += await engine.service.recover()
    for notice in notices:
        _log.warning("%s", notice)


async def _until_told(server: ApiServer) -> None:
    """Wait for a signal, or for the server to fail."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    waits = [asyncio.create_task(told.wait()), asyncio.create_task(server.wait())]
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in waits:
            task.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


@contextmanager
def _logging(layout: Layout) -> Iterator[None]:
    """Warnings and errors go to logs/engine.log, rotated; a log that can't be written never ends the engine."""
    handler = LogFile(layout.engine_log)
    root = logging.getLogger()
    before, raising = root.level, logging.raiseExceptions
    logging.raiseExceptions = False
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        logging.raiseExceptions = raising
        handler.close()


def _version() -> str:
    from importlib.metadata import version

    return version("conduit-voice")
