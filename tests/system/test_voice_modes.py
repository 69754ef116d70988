"""Wake and push modes on real sound: deaf to talk that is not meant for it, there when it is called."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.desk import Desk, until
from support.person import Person
from support.soundcard import SoundCard
from support.voice_process import Voice

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]


@contextmanager
def conversation(tmp_path: Path, mode: str) -> Iterator[tuple[Person, Voice, Desk]]:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text(f"voice:\n  mode: {mode}\n  model: base\n  stayOpen: 20\n")
    with SoundCard() as card, Desk(home) as desk:
        desk.practice(tmp_path / "work")
        voice = Voice(desk, card)
        voice.start()
        try:
            yield Person(card), voice, desk
        finally:
            voice.stop()


def unanswered(person: Person, text: str) -> None:
    """Say it; nothing comes back."""
    said = person.say(text)
    with pytest.raises(TimeoutError):
        person.card.speaker.wait_for_sound(said.ended_at, timeout=5)


def answered(person: Person, text: str, pattern: str, before: Callable[[], object] = lambda: None) -> None:
    """Say it, up to three times as people do, until the reply has ``pattern`` in it."""
    heard = []
    for _ in range(3):
        before()
        said = person.say(text)
        try:
            heard.append(person.hear_until(said.ended_at, pattern, timeout=15))
        except AssertionError as missing:
            heard.append(str(missing))
            continue
        return
    raise AssertionError(f"{text!r} was answered with {heard}")


def asleep(voice: Voice) -> bool:
    return voice.state()["listening"] == "asleep"


def test_wake_mode_hears_only_after_its_phrase_and_falls_asleep_again(tmp_path: Path) -> None:
    with conversation(tmp_path, "wake") as (person, voice, _):
        until(lambda: asleep(voice), "sleep")
        unanswered(person, "what is waiting")
        answered(person, "hey conduit, what is waiting", r"nothing")
        answered(person, "how is backend", r"running")  # the conversation is still open
        until(lambda: asleep(voice), "the conversation to close", limit=60)
        unanswered(person, "what is waiting")


def test_push_mode_hears_one_turn_for_each_push(tmp_path: Path) -> None:
    with conversation(tmp_path, "push") as (person, voice, desk):
        until(lambda: asleep(voice), "the key to be waited for")
        unanswered(person, "what is waiting")

        def push() -> None:
            desk.client().voice_command(action="listen")
            until(lambda: voice.state()["listening"] == "listening", "the push to be taken")

        answered(person, "what is waiting", r"nothing", before=push)
        until(lambda: asleep(voice), "the turn to be over")
        unanswered(person, "what is waiting")
