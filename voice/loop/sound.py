"""Ears and mouth around the desk: microphone to utterances, sentences to the loudspeaker, half duplex between them."""

import asyncio
import logging
import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from engine.domain.errors import ConduitError
from engine.ports.clock import Clock, SystemClock
from voice.audio.microphone import Microphone, MicrophoneState
from voice.audio.speaker import Speaker
from voice.dialogue import phrasing
from voice.dialogue.inputs import Dropped, Drowsy, Played, SpeechBegan, SpeechEnded, Spoken, Woken
from voice.dialogue.requests import ChangeManner, Say
from voice.frames import Completeness, Frame, Hypothesis, Samples, Transcript
from voice.listen import listener as turns
from voice.listen.hearing import Heard, Hearing
from voice.listen.listener import Listener
from voice.listen.transcribe import Recogniser
from voice.listen.vad import Vad
from voice.listen.wake import WakePhrases
from voice.listen.words import score_words
from voice.loop import manner as manners
from voice.loop.desk import Desk
from voice.loop.echo import Echo
from voice.loop.keys import keys
from voice.loop.manner import Manner
from voice.loop.settings import VoiceSettings
from voice.loop.stages import Stages
from voice.loop.status import TROUBLE, doing
from voice.loop.turns import completeness, woken
from voice.speak import queue as speech
from voice.speak.synthesise import Synthesiser
from voice.understand.intents import Intent, Understood
from voice.understand.prompt import fitting

_log = logging.getLogger(__name__)
_KEPT_SOUNDS = 4
_NEVER_ECHO = frozenset(("gate.reject", "plan.reject", "dialogue.stop", "dialogue.cancel"))
_URGENCY = {
    "reply": speech.Urgency.REPLY,
    "gate": speech.Urgency.GATE,
    "plan": speech.Urgency.PLAN,
    "news": speech.Urgency.NEWS,
}


class Loop:
    """One microphone, one loudspeaker, one desk."""

    def __init__(
        self,
        home: Path,
        settings: VoiceSettings,
        recogniser: Recogniser,
        voice: Synthesiser,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._recogniser = recogniser
        self._voice = voice
        self._home = home
        self._take_manner(manners.load(home))
        self._wake = WakePhrases(settings.wake_phrases)
        self._echo = Echo()
        self._stages = Stages()
        self._sounds: OrderedDict[str, Samples] = OrderedDict()
        self._sayings: dict[str, str] = {}
        self._speaker = Speaker(settings.output)
        self._language = phrasing.load(settings.language)
        self._queue = speech.SpeechQueue(
            voice,
            self._speaker,
            on_played=self._played,
            on_started=self._started,
            on_dropped=self._dropped,
            clock=self._clock,
        )
        self.desk = Desk(
            home,
            settings,
            self._language,
            mouth=self._say,
            silence=self._silence,
            manner=self._change_manner,
            listen=self._listen_now,
            score=self._score,
            clock=self._clock,
        )
        self._microphone = Microphone(settings.input, on_state=self._microphone_is)
        self._hearing = Hearing(Listener(Vad()), recogniser, self._completeness, self._examples)
        self._pushed = False
        self._speaking = False  # the user
        self._reply_due = asyncio.Event()
        self._active_at = self._clock.boot()
        self._ears = "off"  # what the microphone's state says
        self._aloud: str | None = None  # the id of what is being said

    async def run(self) -> None:
        """Until cancelled. Trouble with a device is shown and waited out; it ends nothing."""
        async with keys(self._key), self._speaker, self._queue, self._hearing, asyncio.TaskGroup() as tasks:
            tasks.create_task(self.desk.run(), name="voice-desk")
            tasks.create_task(self._listen(), name="voice-ears")
            tasks.create_task(self._prepare(), name="voice-prepare")
            tasks.create_task(self._open_mouth(), name="voice-mouth")

    # Ears

    async def _listen(self) -> None:
        async with self._microphone:
            async for heard in self._hearing.hear(self._frames()):
                if isinstance(heard, turns.SpeechBegan):
                    self._user_speaks(True)
                else:
                    self._heard(heard)

    async def _frames(self) -> AsyncIterator[Frame]:
        """Frames of the microphone, deaf while the assistant speaks, and in push mode unless it is pushed."""
        async for frame in self._microphone.frames():
            deaf = self._queue.speaking_until
            if self._settings.mode == "push" and not self._pushed:
                deaf = math.inf
            self._hearing.deaf_until = deaf
            if frame.at < deaf and self._speaking:
                self._user_speaks(False)
                self.desk.tell(SpeechEnded())
            self._grow_drowsy(frame.at)
            self.desk.status.set(listening=self._doing())  # whatever changed it: speech, sleep, a push
            yield frame

    def _user_speaks(self, speaks: bool) -> None:
        self._speaking = speaks
        self._queue.hold(speaks)
        if speaks:
            self._reply_due.set()
            self.desk.tell(SpeechBegan())

    def _heard(self, heard: Heard) -> None:
        self._user_speaks(False)
        transcript = heard.transcript
        if transcript.rejected or not transcript.text.strip():
            _log.info("Not taken as words: %s.", transcript.rejected)
            self.desk.tell(SpeechEnded())
            return
        readings = self._addressed(transcript)
        understood = self.desk.understanding.understand(readings)
        if not readings or self._comes_back(readings[0].text, heard, understood):
            _log.info("Dropped what was not said to the assistant, or by it.")
            self.desk.tell(SpeechEnded())
            return
        text, others = readings[0].text, tuple((one.text, one.confidence) for one in readings[1:])
        self._active_at = self._clock.boot()
        self._keep_sound(text, heard.utterance.speech)
        self._stages.heard(heard.utterance.ended_at, self._clock.boot(), heard.timings_ms)
        self.desk.tell(Spoken(text, understood, readings[0].confidence, heard.utterance.began_at, others))
        self._pushed = False

    def _addressed(self, transcript: Transcript) -> tuple[Hypothesis, ...]:
        """The readings of what was said to the assistant, without the wake phrase; none when it was not meant."""
        readings = self._woken(transcript)
        if readings is None:
            return () if self.desk.state.phase == "asleep" else transcript.hypotheses
        self.desk.tell(Woken(alone=not readings))
        return readings

    def _woken(self, transcript: Transcript) -> tuple[Hypothesis, ...] | None:
        if self._settings.mode != "wake":
            return None
        return woken(self._wake, self.desk.understanding, transcript.hypotheses)

    def _examples(self) -> list[str]:
        """For the recogniser: the wake phrase first, while it is waited for."""
        waits = self._settings.mode == "wake" and self.desk.state.phase == "asleep"
        woken = self._wake.examples(*self.desk.understanding.grammar.prompt[:1]) if waits else ()
        return fitting([*woken, *self.desk.examples()])

    def _comes_back(self, text: str, heard: Heard, understood: Understood) -> bool:
        grammar = self.desk.understanding.grammar
        if isinstance(understood, Intent) and understood.name in _NEVER_ECHO:
            return False
        only_asks = isinstance(understood, Intent) and understood.name not in grammar.exact
        return self._echo.is_echo(text, heard.utterance.began_at, only_asks=only_asks)

    def _completeness(self, transcript: Transcript) -> Completeness:
        return completeness(self.desk.understanding, self._woken(transcript) or transcript.hypotheses)

    def _keep_sound(self, text: str, samples: Samples) -> None:
        self._sounds[text] = samples
        while len(self._sounds) > _KEPT_SOUNDS:
            self._sounds.popitem(last=False)

    def _score(self, text: str, candidates: tuple[str, ...]) -> Mapping[str, float]:
        samples = self._sounds.get(text)
        return {} if samples is None else score_words(self._recogniser, samples, text, candidates)

    def _grow_drowsy(self, now: float) -> None:
        quiet_for = now - max(self._active_at, min(now, self._queue.speaking_until))
        if self._settings.mode == "wake" and quiet_for > self._settings.stay_open and self.desk.state.phase == "awake":
            self._active_at = now
            self.desk.tell(Drowsy())

    def _listen_now(self) -> None:
        """The key or the page's button."""
        self._pushed = True
        self._active_at = self._clock.boot()
        self._queue.stop()
        self.desk.tell(Woken())

    def _key(self) -> None:
        """A key in the terminal silences; in push mode it opens the ear when there is nothing to silence."""
        if self._queue.busy or self._settings.mode != "push":
            self._silence()
        else:
            self._listen_now()

    def _microphone_is(self, state: MicrophoneState) -> None:
        trouble = state.kind in TROUBLE
        self._ears = state.kind
        note = state.sentence if trouble else None
        self.desk.status.set(listening=self._doing(), note=note)

    def _doing(self) -> str:
        asleep = self.desk.state.phase == "asleep" or (self._settings.mode == "push" and not self._pushed)
        return doing(self._ears, aloud=self._aloud is not None, hearing=self._speaking, asleep=asleep)

    # Mouth

    async def _prepare(self) -> None:
        """The device open and frequent replies made before they are needed; trouble shows when something is said."""
        self._reply_due.set()
        try:
            await self._queue.prepare(self._language.frequent())
        except ConduitError as error:
            _log.info("Nothing could be prepared to be said: %s", error)

    async def _open_mouth(self) -> None:
        """The speaker, which closes while it has nothing to say, is open before the reply to what is being said."""
        while True:
            await self._reply_due.wait()
            self._reply_due.clear()
            try:
                await asyncio.to_thread(self._speaker.open, self._voice.rate)
            except ConduitError as error:
                _log.info("The speaker can't be opened yet: %s", error)

    def _say(self, say: Say, text: str) -> None:
        if not text:
            return
        said = self._queue.say(speech.Say(text, _URGENCY[say.urgency], id=say.id))
        self.desk.status.set(said=text)
        self._sayings[said] = text
        self._stages.said(said, self._clock.boot())

    def _started(self, say_id: str, at: float) -> None:
        self._echo.said(self._sayings.get(say_id, ""), at)
        self._aloud = say_id
        self.desk.status.set(listening=self._doing())
        if (timings := self._stages.started(say_id, at)) is not None:
            self.desk.status.set(timings_ms=timings)

    def _played(self, say_id: str, at: float) -> None:
        self._over(say_id, at)
        self.desk.tell(Played(say_id))

    def _dropped(self, say_id: str) -> None:
        self._over(say_id, self._clock.boot())
        self.desk.tell(Dropped(say_id))

    def _over(self, say_id: str, at: float) -> None:
        self._sayings.pop(say_id, None)
        self._echo.ended(at)
        self._active_at = max(self._active_at, at)
        if self._aloud == say_id:
            self._aloud = None
        self.desk.status.set(listening=self._doing())

    def _silence(self) -> None:
        self._queue.stop()

    def _change_manner(self, change: ChangeManner) -> None:
        self._take_manner(self._manner.after(change, self._settings.speed, self._settings.volume))
        manners.keep(self._home, self._manner)

    def _take_manner(self, manner: Manner) -> None:
        self._manner = manner
        self._voice.speed = self._settings.speed * manner.speed
        self._voice.volume = self._settings.volume * manner.volume
