"""Voice sessions: readings, receipts and utterances, and whether a gate or plan may be approved. In memory only."""

import math
import secrets
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random, SystemRandom

from engine.domain.errors import ConsentCondition, ConsentRefused, NotFound, Unavailable
from engine.domain.gates import Gate
from engine.domain.plans import Plan
from engine.gates.answers import picks_choice
from engine.gates.consent import nbest
from engine.gates.consent import words as one_time
from engine.gates.consent.choosing import Chosen, choose_reading
from engine.gates.consent.echo import is_echo
from engine.gates.consent.lexicon import lexicon
from engine.gates.consent.names import keys
from engine.gates.consent.readings import (
    WRONG_WORDS,
    Approval,
    Heard,
    Live,
    Reading,
    Session,
    Subject,
    plan_fingerprint,
    sentence,
)
from engine.gates.consent.sentence import Verdict, classify
from engine.ports.clock import Clock

# exp(mean log-probability) below which an approval is asked for again; see docs/decisions/consent-thresholds.md.
APPROVAL_CONFIDENCE = 0.45
GRACE = 1.5  # seconds in which "no, wait" stops a harmful approval
MOST_SESSIONS = 64
MOST_READINGS = 64


class VoiceSessions:
    """Every spoken approval goes through here; a restart of the engine forgets them all. One event loop."""

    def __init__(self, clock: Clock, language: str = "en", rng: Random | None = None) -> None:
        self._clock = clock
        self._lexicon = lexicon(language)
        self._rng = rng or SystemRandom()
        self._sessions: dict[str, Session] = {}
        self._tickets: dict[tuple[str, str], Approval] = {}
        self._recent: deque[str] = deque(maxlen=4 * len(self._lexicon.words))

    def open(self) -> str:
        """Start a session; the oldest is forgotten when there are too many."""
        session = Session(id=f"v-{secrets.token_hex(16)}")
        self._sessions[session.id] = session
        while len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session.id

    def reading(self, session: str, subject: Subject, avoid: Iterable[str] = ()) -> Reading:
        """What has to be read, before it is spoken. ``avoid``: names and open texts in which no word may be."""
        found = self._session(session)
        if subject.thing == "plan" and not subject.text.strip():
            raise ConsentRefused("screen_only", self._sentence("empty_plan"))
        reading = Reading(
            id=f"r-{secrets.token_hex(8)}",
            subject=subject,
            word=self._word(subject, avoid) if subject.harmful else None,
            words=self._lexicon.words,
            refusals=self._lexicon.sound_refusals,
        )
        older = found.of(subject.id)
        if older is not None:
            older.take_back()
            del found.readings[older.reading.id]
        self._tickets.pop((session, subject.id), None)
        names = keys(subject.names, self._lexicon.numbers)
        found.readings[reading.id] = Live(reading, found.step(), self._clock.boot(), names)
        while len(found.readings) > MOST_READINGS:
            del found.readings[next(iter(found.readings))]
        return reading

    def played(self, session: str, reading_id: str) -> str:
        """The reading was played to its end: a receipt. Saying so twice changes nothing."""
        found = self._session(session)
        live = found.readings.get(reading_id)
        if live is None:
            raise NotFound(f"Reading {reading_id} is not known in this voice session; ask for a new one.")
        receipt = f"{reading_id}.played"
        if live.ended is None:
            live.ended = found.step()
            live.played_at = self._clock.boot()
            found.receipts[receipt] = live.ended
        return receipt

    def heard(
        self,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None = None,
        word_scores: Mapping[str, float] | None = None,
        others: Sequence[tuple[str, float]] = (),
    ) -> Heard:
        """Judge an utterance; ``receipt`` is the latest one that was held when the speech began.

        ``others``: less likely readings of the same sound, with their confidence, most likely first.
        """
        found = self._session(session)
        readings = list(found.readings.values())
        names = [name for live in readings for name in live.subject.names]
        verdict = classify(text, self._lexicon, names)
        if verdict.kind == "approves" and nbest.denied(others, self._lexicon, names):
            return self._not_approved("unsure", readings)
        if verdict.voids:
            for live in readings:
                live.take_back()
        if verdict.kind == "refuses":
            return Heard(verdict="refuses", condition="negated", sentence=self._sentence("negated"))
        if verdict.kind == "neither":
            return self._not_approved(verdict.condition or "not_said", readings, verdict.reason)
        if is_echo(text, self._said(readings)):
            return self._not_approved("not_said", readings, "echo")
        chosen = choose_reading(readings, verdict, found.receipts.get(receipt or "", 0), self._clock.boot())
        return self._approved(chosen, verdict, text, confidence, word_scores)

    def approve(self, session: str | None, gate: Gate) -> str:
        """Spend the approval of this gate and return its words, or raise ConsentRefused with the condition."""
        if gate.screen_only or not gate.speakable:
            raise self._refusal("screen_only")
        return self._spend(session, gate.id, gate.fingerprint, harmful=gate.tier == "harmful")

    def approve_plan(self, session: str | None, plan: Plan) -> str:
        """The same for a plan."""
        if not plan.proposed_message.strip():
            raise ConsentRefused("screen_only", self._sentence("empty_plan"))
        return self._spend(session, plan.id, plan_fingerprint(plan), harmful=False)

    async def grace(self, session: str | None, gate: Gate) -> None:
        """Wait while "no, wait" still counts; raises ConsentRefused("negated") if it was said."""
        await self._clock.sleep(GRACE)
        self.confirm(session, gate)

    def confirm(self, session: str | None, gate: Gate) -> None:
        """Raise ConsentRefused("negated") if the approval was taken back since it was spent."""
        ticket = self._tickets.get((session or "", gate.id))
        if ticket is None or ticket.voided:
            self._tickets.pop((session or "", gate.id), None)
            raise self._refusal("negated")

    def refuse(self, subject_id: str) -> None:
        """It was rejected, by whatever way: approvals of it that are not delivered yet are void."""
        for (_, ticketed), ticket in self._tickets.items():
            if ticketed == subject_id:
                ticket.voided = True
        for live in self._readings_of(subject_id):
            live.take_back()

    def forget(self, subject_id: str) -> None:
        """It was decided, changed or closed: readings and approvals of it are gone."""
        for session in self._sessions.values():
            session.readings = {key: live for key, live in session.readings.items() if live.subject.id != subject_id}
        self._tickets = {key: ticket for key, ticket in self._tickets.items() if key[1] != subject_id}

    def needs_approval(self, gate: Gate, text: str) -> bool:
        """Whether spoken own text needs consent like an approval; raises ConsentRefused where it picks a choice."""
        lex = self._lexicon
        picks = picks_choice(gate, text, words=lex.choice_words, leads=lex.choice_leads, numbers=lex.numbers)
        if picks and gate.choices:
            raise ConsentRefused("not_said", self._sentence("picks_choice"))
        # A prompt without known choices may still take a yes.
        return bool(gate.choices) or picks or gate.tier == "harmful"

    def _session(self, session: str) -> Session:
        found = self._sessions.get(session)
        if found is None:
            raise NotFound("This voice session is not known to the engine (any more); open a new one and read again.")
        return found

    def _word(self, subject: Subject, avoid: Iterable[str]) -> str:
        """A free word. Where none is, the oldest reading that nothing can approve now is forgotten for its word."""
        avoided = list(avoid)
        while (word := self._free_word(subject, avoided)) is None:
            if not self._forgot_one():
                raise Unavailable(self._sentence("no_word"))
        self._recent.append(word)
        return word

    def _free_word(self, subject: Subject, avoid: Sequence[str]) -> str | None:
        readings = [live for session in self._sessions.values() for live in session.readings.values()]
        texts = [subject.text, *subject.names, *avoid]
        for live in readings:
            texts += [live.subject.text, *live.subject.names]
        return one_time.choose(
            self._lexicon.words,
            live=[live.reading.word for live in readings if live.reading.word and not live.spent],
            avoid=texts,
            recent=tuple(self._recent),
            rng=self._rng,
        )

    def _forgot_one(self) -> bool:
        """A voice that was killed never ends its readings, and there are few words: who still wants one reads anew."""
        now = self._clock.boot()
        held = [
            (live.opened_at, live.reading.id, session)
            for session in self._sessions.values()
            for live in session.readings.values()
            if live.reading.word and not live.spent and not live.live(now)
        ]
        if not held:
            return False
        _, reading_id, session = min(held, key=lambda one: one[0])
        del session.readings[reading_id]
        return True

    def _said(self, readings: Iterable[Live]) -> list[str]:
        return [live.subject.text for live in readings]

    def _approved(
        self, chosen: Chosen, verdict: Verdict, phrase: str, confidence: float, scores: Mapping[str, float] | None
    ) -> Heard:
        if chosen.reading is None:
            return self._not_approved(chosen.condition or "not_said", chosen.concerned)
        live = chosen.reading
        condition = self._doubt(live, verdict, confidence, scores)
        if condition is not None:
            ended = live.wrong_words >= WRONG_WORDS
            return self._not_approved(condition, (live,), "wrong_word_ended" if ended else None)
        live.approval = Approval(phrase=phrase)
        live.failed = None
        return Heard(verdict="approves", subject_id=live.subject.id)

    def _doubt(
        self, live: Live, verdict: Verdict, confidence: float, scores: Mapping[str, float] | None
    ) -> ConsentCondition | None:
        """Why the words and their sound are not enough, counting wrong words."""
        if not (math.isfinite(confidence) and APPROVAL_CONFIDENCE <= confidence <= 1.0):
            return "unsure"
        expected = live.reading.word
        if expected is None:
            return None if verdict.word is None else "wrong_word"
        if verdict.word is None:
            return "wrong_word"
        check = "wrong" if verdict.word != expected else self._sounds(live, scores)
        if check == "wrong":
            live.wrong_words += 1
            live.approval = None
        return {"ok": None, "unsure": "unsure", "wrong": "wrong_word"}[check]

    def _sounds(self, live: Live, scores: Mapping[str, float] | None) -> one_time.Check:
        rivals = (*live.reading.words, *live.reading.refusals)
        return one_time.verify(live.reading.word or "", scores, rivals)

    def _not_approved(self, condition: ConsentCondition, about: Iterable[Live], why: str | None = None) -> Heard:
        for live in about:
            if live.approval is None:
                live.failed = condition
        known = why if why is not None and why in self._lexicon.sentences else condition
        return Heard(verdict="neither", condition=condition, sentence=self._sentence(known))

    def _spend(self, session: str | None, subject_id: str, fingerprint: str, *, harmful: bool) -> str:
        found = self._sessions.get(session or "")
        live = found.of(subject_id) if found is not None else None
        condition = _unmet(live, fingerprint, harmful, self._clock.boot())
        if condition is not None or live is None or live.approval is None:
            ended = live is not None and live.wrong_words >= WRONG_WORDS
            raise self._refusal(condition or "not_read", "wrong_word_ended" if ended else None)
        live.spent = True
        self._tickets[(session or "", subject_id)] = live.approval
        return live.approval.phrase

    def _readings_of(self, subject_id: str) -> list[Live]:
        found = (session.of(subject_id) for session in self._sessions.values())
        return [live for live in found if live is not None]

    def _refusal(self, condition: ConsentCondition, why: str | None = None) -> ConsentRefused:
        return ConsentRefused(condition, self._sentence(why or condition))

    def _sentence(self, key: str) -> str:
        return sentence(self._lexicon.sentences, key)


def _unmet(live: Live | None, fingerprint: str, harmful: bool, now: float) -> ConsentCondition | None:
    """The first condition of a spoken approval that does not hold."""
    if live is None:
        return "not_read"
    if live.subject.fingerprint != fingerprint or (harmful and live.reading.word is None):
        return "changed"
    if live.played_at is None:
        return "not_read"
    if live.spent:
        return "spent"
    if live.wrong_words >= WRONG_WORDS:
        return "wrong_word"
    if not live.fresh(now):
        return "stale"
    return None if live.approval is not None else live.failed or "not_said"
