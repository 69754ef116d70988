"""``conduit hear``: sound files, or lines of text, through the path that a spoken command takes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.exits import FAILED, sentences
from engine.domain.errors import BadRequest, ConduitError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from voice.dialogue.typed import TypedDialogue
    from voice.frames import Transcript
    from voice.understand.grammar import Grammar
    from voice.understand.intents import Reading, Understood

    Answer = Callable[[Sequence[Reading]], tuple[Understood, str]]


@click.command()
@click.option("--dry-run", is_flag=True, help="Do nothing; no engine is needed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line and nothing else (notes are left out).")
@click.option(
    "--text", "as_text", is_flag=True, help='FILE holds lines of text instead of sound ("-": standard input).'
)
@click.option("--sentences", "grammar", type=click.Path(path_type=Path), help="Another grammar than the desk's.")
@click.option("--model", help="The recogniser's model, by name or folder.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@sentences
def hear(
    dry_run: bool, as_json: bool, as_text: bool, grammar: Path | None, model: str | None, files: tuple[Path, ...]
) -> None:
    """Understand each FILE and print one JSON line for it. It never approves anything."""
    answer, examples = _understanding(grammar, dry_run)
    rows = _texts(files, answer) if as_text else _sounds(files, answer, examples, model)
    failed, silent = False, []
    for row in rows:
        if isinstance(row, ConduitError):
            failed = True
            click.echo(str(row), err=True)
        else:
            silent.append(not as_text and not row["speech"])
            click.echo(json.dumps(row, ensure_ascii=False))
    if silent and all(silent):
        failed = True
        click.echo("No speech was found; record it again, louder or closer to the microphone.", err=True)
    if failed:
        sys.exit(FAILED)


def _understanding(path: Path | None, dry_run: bool) -> tuple[Answer, list[str]]:
    """How a transcript is answered, and example sentences for the recogniser."""
    from voice.dialogue.state import State
    from voice.understand.grammar import load
    from voice.understand.intents import Understanding
    from voice.understand.prompt import desk_examples, grammar_examples
    from voice.understand.roster import live_names

    if path is not None:
        understanding = Understanding.of(load(path), {})
        return (lambda readings: (understanding.understand(readings), "")), grammar_examples(understanding)
    dialogue = _dialogue(dry_run)
    found = dialogue.understanding.grammar

    def answer(readings: Sequence[Reading]) -> tuple[Understood, str]:
        dialogue.state = State()  # each file stands for itself
        return dialogue.answer(readings)

    return answer, desk_examples(live_names(dialogue.snapshot), found.prompt)


def _dialogue(dry_run: bool) -> TypedDialogue:
    from engine.cli.connect import home
    from engine.cli.exits import NoEngine
    from engine.client import Client
    from engine.domain.errors import Unavailable
    from voice.dialogue import phrasing
    from voice.dialogue.actions import Hands
    from voice.dialogue.typed import TypedDialogue
    from voice.loop.settings import load_settings
    from voice.understand.grammar import desk
    from voice.understand.intents import Understanding
    from voice.understand.roster import live_names, snapshot_from_files

    language = load_settings(home()).language
    try:
        engine: Client | None = Client.from_home(home(), kind="voice")
    except Unavailable as error:
        if not dry_run:
            raise NoEngine(f"{error} Or use --dry-run, which does nothing and needs no engine.") from error
        engine = None
    snapshot = engine.snapshot() if engine is not None else snapshot_from_files(home())
    grammar: Grammar = desk(language, home() / "config" / "sentences")
    hands = None if dry_run or engine is None else Hands(engine, by_voice=False)
    understanding = Understanding.of(grammar, live_names(snapshot))
    return TypedDialogue(snapshot, understanding, phrasing.load(language), hands, aloud=True)


def _texts(files: tuple[Path, ...], answer: Answer) -> Iterator[dict[str, Any] | ConduitError]:
    from voice.understand.intents import Text

    for path in files:
        try:
            lines = _lines(path)
        except ConduitError as error:
            yield error
            continue
        for line in lines:
            begun = time.perf_counter()
            understood, reply = answer((Text(line),))
            timings = {"understand": _ms(begun)}
            yield _row(path, 0.0, line, understood, reply, timings)


def _lines(path: Path) -> list[str]:
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return raw.decode("utf-8").splitlines()
    except OSError as error:
        raise BadRequest(f"{path} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadRequest(f"{path} is no UTF-8 text; without --text it is taken as sound.") from error


def _sounds(
    files: tuple[Path, ...], answer: Answer, examples: Sequence[str], model: str | None
) -> Iterator[dict[str, Any] | ConduitError]:
    from engine.cli.connect import home
    from voice.cli.hearing import hear_file
    from voice.listen.transcribe import WhisperRecogniser
    from voice.listen.vad import Vad
    from voice.loop.settings import load_settings

    settings = load_settings(home())
    recogniser = WhisperRecogniser.load(model or settings.model, settings.models or None, language=settings.language)
    vad = Vad()
    for path in files:
        try:
            heard = hear_file(path, recogniser, vad, examples)
        except ConduitError as error:
            yield error
            continue
        begun = time.perf_counter()
        understood, reply = answer(_readings(heard.transcript))
        timings = {**heard.timings_ms, "understand": _ms(begun)}
        yield _row(path, heard.speech, heard.transcript.text, understood, reply, timings)


def _readings(transcript: Transcript) -> Sequence[Reading]:
    return () if transcript.rejected else transcript.hypotheses


def _row(
    path: Path, speech: float, transcript: str, understood: Understood, reply: str, timings: dict[str, float]
) -> dict[str, Any]:
    from voice.understand.intents import Intent

    meant = understood if isinstance(understood, Intent) else None
    return {
        "file": str(path),
        "speech": round(speech, 2),
        "transcript": transcript,
        "intent": meant.name if meant else None,
        "slots": dict(meant.slots) if meant else {},
        "confidence": meant.confidence if meant else 0.0,
        "reply": reply,
        "timings_ms": timings,
    }


def _ms(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000.0, 1)
