"""``conduit up``: the engine in the background if none runs, the page, and voice in front until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING

import click

from engine.cli.background import running, start, stop, stop_agents
from engine.cli.connect import home
from engine.cli.engine import DEFAULT_PORT
from engine.cli.exits import FAILED, sentences
from engine.cli.practice import register
from engine.cli.show import plain
from engine.domain.errors import ConduitError

if TYPE_CHECKING:
    from engine.client import Client, EventStream

_VOICE_END_S = 10.0
_WORKS_WITHOUT = (
    'What works without listening: the page, conduit ask "...", conduit hear FILE, conduit status. '
    "Press Ctrl-C to leave."
)


@click.command()
@click.option(
    "--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535), help="For a new engine."
)
@click.option("--no-browser", is_flag=True, help="Print the page's link instead of opening it.")
@click.option("--no-voice", is_flag=True, help="Engine and page only; returns at once.")
@click.option("--stop-on-exit", is_flag=True, help="Ctrl-C also stops the agents and the engine.")
@click.argument("voice_arguments", nargs=-1, type=click.UNPROCESSED)
@sentences
def up(port: int, no_browser: bool, no_voice: bool, stop_on_exit: bool, voice_arguments: tuple[str, ...]) -> None:
    """Start everything; what follows "--" goes to conduit voice."""
    engine = running()
    click.echo("An engine runs already; attaching to it." if engine else "Starting the engine ...")
    engine = engine or start(port)
    if name := register(engine):
        click.echo(f'First run: the agent "{name}" is there to practise with. Say or type: tell {name} to clean up')
    _show_page(engine, no_browser)
    if no_voice:
        click.echo("Stop it with: conduit down")
        return
    _voice_in_front(engine, voice_arguments)
    if stop_on_exit:
        _stop_everything(engine)
    else:
        click.echo("\nVoice has stopped; the engine and its agents go on. Stop them with: conduit down")


def _show_page(engine: Client, no_browser: bool) -> None:
    link = engine.page_link()
    opened = not no_browser and _has_display() and webbrowser.open(link)
    click.echo(
        f"Page: {engine.base_url} (opened in your browser)" if opened else f"Page (opens once, within a minute): {link}"
    )


def _has_display() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _voice_in_front(engine: Client, arguments: tuple[str, ...]) -> None:
    """Run voice until it is interrupted; when it can't run, say so and stay until Ctrl-C."""
    over = threading.Event()
    before = {number: signal.signal(number, lambda *_: over.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        voice = subprocess.Popen([sys.executable, "-m", "voice", "--home", str(home()), "voice", *arguments])
        states = engine.events()
        watchers = [
            threading.Thread(target=_watch, args=(voice, over), name="voice watcher", daemon=True),
            threading.Thread(target=_tell_trouble, args=(states,), name="voice state watcher", daemon=True),
        ]
        for watcher in watchers:
            watcher.start()
        over.wait()
        _end(voice)
        states.close()
        for watcher in watchers:
            watcher.join(_VOICE_END_S)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(voice: subprocess.Popen[bytes], over: threading.Event) -> None:
    """Voice that ends by itself without a fault ends ``up``; with one, the rest goes on until Ctrl-C."""
    code = voice.wait()
    if code == 0:
        over.set()
    elif not over.is_set():
        how = (
            f"crashed ({signal.Signals(-code).name})"
            if code < 0
            else f"ended with exit code {code}, its reason is above"
        )
        click.echo(f"Voice has {how}. Start it again with: conduit voice. {_WORKS_WITHOUT}", err=True)


def _tell_trouble(states: EventStream) -> None:
    """Say once, for each reason, why it does not listen and what works meanwhile."""
    told = ""
    try:
        for event in states:
            note = event["data"].get("note") if event["type"] == "voice:state" else None
            if note and note != told and event["data"].get("listening") in ("off", "trouble"):
                click.echo(plain(f"It does not listen: {note} {_WORKS_WITHOUT}"), err=True)
            told = note or told
    except ConduitError as error:
        click.echo(plain(error), err=True)


def _end(voice: subprocess.Popen[bytes]) -> None:
    if voice.poll() is None:
        voice.send_signal(signal.SIGINT)
    try:
        voice.wait(_VOICE_END_S)
    except subprocess.TimeoutExpired:
        voice.kill()
        voice.wait()


def _stop_everything(engine: Client) -> None:
    problems = stop_agents(engine)
    if problems:
        click.echo(plain("Not every agent could be stopped, so the engine goes on. " + " ".join(problems)), err=True)
        sys.exit(FAILED)
    stop(engine)
    click.echo("\nVoice, agents and engine have stopped.")
