"""``conduit ask``: the spoken dialogue by keyboard. It refuses to approve, and says what does."""

from __future__ import annotations

import sys

import click

from engine.cli.connect import client, home
from engine.cli.exits import FAILED, sentences
from engine.cli.show import as_json_text, json_option
from engine.domain.errors import BadRequest


@click.command()
@click.argument("text", nargs=-1, required=True)
@json_option
@sentences
def ask(text: tuple[str, ...], as_json: bool) -> None:
    """Say TEXT to the assistant and print its reply ("-" reads lines from standard input)."""
    from voice.dialogue import phrasing
    from voice.dialogue.actions import Hands
    from voice.dialogue.typed import TypedDialogue
    from voice.loop.settings import load_settings
    from voice.understand.grammar import desk
    from voice.understand.intents import Intent, Text, Understanding
    from voice.understand.roster import live_names

    said = sys.stdin.read().splitlines() if text == ("-",) else [" ".join(text)]
    if not any(line.strip() for line in said):
        raise BadRequest('There is nothing to ask; try: conduit ask "what is waiting".')
    engine, language = client(), load_settings(home()).language
    snapshot = engine.snapshot()
    understanding = Understanding.of(desk(language, home() / "config" / "sentences"), live_names(snapshot))
    hands = Hands(engine, by_voice=False)
    dialogue = TypedDialogue(snapshot, understanding, phrasing.load(language), hands)
    missed = False
    for line in said:
        understood, reply = dialogue.answer((Text(line),))
        missed = missed or not isinstance(understood, Intent)
        _print(line, understood, reply, as_json)
        dialogue.snapshot = engine.snapshot()
    if missed:
        sys.exit(FAILED)


def _print(line: str, understood: object, reply: str, as_json: bool) -> None:
    if not as_json:
        click.echo(reply)
        return
    name, slots = getattr(understood, "name", None), dict(getattr(understood, "slots", {}))
    as_json_text({"text": line, "intent": name, "slots": slots, "reply": reply})
