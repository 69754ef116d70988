"""``conduit speak``: text aloud, or into a WAV file."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from engine.cli.exits import FAILED, sentences
from engine.domain.errors import BadRequest

if TYPE_CHECKING:
    from voice.dialogue.phrasing import Kind
    from voice.loop.settings import VoiceSettings
    from voice.speak.synthesise import Synthesiser

_KINDS = ("prose", "command", "path", "markdown", "diff", "output", "json")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write a WAV file instead of speaking.")
@click.option(
    "--kind", type=click.Choice(_KINDS), default="prose", show_default=True, help="How to turn it into words."
)
@sentences
def speak(text: tuple[str, ...], output: Path | None, kind: str) -> None:
    """Say TEXT aloud ("-" reads it from standard input)."""
    from engine.cli.connect import home
    from voice.loop.settings import load_settings
    from voice.speak.synthesise import load_synthesiser
    from voice.speak.verbalise import verbalise

    raw = sys.stdin.read() if text == ("-",) else " ".join(text)
    settings = load_settings(home())
    spoken = verbalise(raw, kind=cast("Kind", kind), language=settings.language).text
    if not spoken.strip():
        raise BadRequest("There is nothing to say in that text.")
    voice = load_synthesiser(
        settings.voice, settings.speed, settings.volume, settings.models or None, settings.language
    )
    if output is not None:
        _write(voice, spoken, output)
    elif not asyncio.run(_play(voice, spoken, settings)):
        click.echo("It could not be played: no loudspeaker took it. Use -o FILE.wav, or see: conduit doctor", err=True)
        sys.exit(FAILED)


def _write(voice: Synthesiser, spoken: str, output: Path) -> None:
    import numpy as np

    from voice.audio.files import write_wav
    from voice.speak.synthesise import sentences as cut

    parts = [voice.sentence(part) for part in cut(spoken)]
    write_wav(output, np.concatenate([part.samples for part in parts]), parts[0].rate)


async def _play(voice: Synthesiser, spoken: str, settings: VoiceSettings) -> bool:
    from voice.audio.speaker import Speaker
    from voice.speak.queue import Say, SpeechQueue

    played: list[str] = []
    speaker = Speaker(settings.output)
    async with speaker, SpeechQueue(voice, speaker, on_played=lambda say_id, at: played.append(say_id)) as queue:
        queue.say(Say(spoken))
        await queue.idle()
    return bool(played)
