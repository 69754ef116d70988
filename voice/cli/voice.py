"""``conduit voice``: ears and mouth in the foreground, until Ctrl-C."""

from __future__ import annotations

import asyncio
import logging
import signal
from typing import TYPE_CHECKING

import click

from engine.cli.exits import sentences

if TYPE_CHECKING:
    from voice.loop.sound import Loop


@click.command()
@click.option("--mode", type=click.Choice(("wake", "push", "open")), help="When it listens; else as in the settings.")
@click.option("--model", help="The recogniser's model; else as in the settings.")
@click.option("-v", "--verbose", is_flag=True, help="Show what it hears and does.")
@sentences
def voice(mode: str | None, model: str | None, verbose: bool) -> None:
    """Listen and speak. Agents and engine go on when it ends."""
    _log_to_file()
    console = logging.StreamHandler()
    console.setLevel(logging.INFO if verbose else logging.WARNING)
    logging.getLogger().addHandler(console)
    loop = _load(mode, model)
    loop.desk.notice = click.echo
    click.echo("Voice is ready. Any key silences it; Ctrl-C ends it; agents go on.")
    asyncio.run(_until_ended(loop))


def _log_to_file() -> None:
    """What happened, not what was said, goes to logs/voice.log; a log that can't be written stops nothing."""
    from engine.cli.connect import home
    from engine.storage.layout import Layout
    from engine.storage.log_file import LogFile

    path = Layout(home()).voice_log
    logging.raiseExceptions = False
    logging.getLogger().setLevel(logging.INFO)
    try:
        handler = LogFile(path)
    except OSError as error:
        click.echo(f"The log {path} can't be written ({error.strerror}); going on without it.", err=True)
        return
    logging.getLogger().addHandler(handler)


def _load(mode: str | None, model: str | None) -> Loop:
    from engine.cli.connect import home
    from voice.listen.transcribe import WhisperRecogniser
    from voice.loop.settings import load_settings
    from voice.loop.sound import Loop
    from voice.speak.synthesise import load_synthesiser

    chosen = {"mode": mode, "model": model}
    settings = load_settings(home()).model_copy(update={key: value for key, value in chosen.items() if value})
    click.echo(f"Loading the recogniser ({settings.model}) and the voice ({settings.voice}) ...")
    recogniser = WhisperRecogniser.load(settings.model, settings.models or None, language=settings.language)
    recogniser.warm_up()
    mouth = load_synthesiser(
        settings.voice, settings.speed, settings.volume, settings.models or None, settings.language
    )
    return Loop(home(), settings, recogniser, mouth)


async def _until_ended(loop: Loop) -> None:
    """Run until a signal; then everything is cancelled and awaited."""
    task = asyncio.create_task(loop.run(), name="voice")
    running = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        running.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        click.echo("Voice has ended.")
