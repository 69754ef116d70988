"""Whatever happens in whatever order, an approval needs its own whole reading, in time, with its own words."""

from random import Random

from gate_fakes import make_gate, scores
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from engine.domain.errors import ConsentRefused, NotFound, Unavailable
from engine.gates.consent import Reading, VoiceSessions, gate_subject
from engine.ports.clock import FakeClock

GATES = tuple(
    make_gate(f"g-{at}", tier=tier, prompt=f"question {at}")
    for at, tier in enumerate(("harmful", "routine", "harmful"))
)
NAMES = ("apollo", "backend", "lantern")


class Conversation(RuleBasedStateMachine):
    """Two sessions and three gates; a plain model keeps only what makes an approval legitimate."""

    readings = Bundle("readings")

    @initialize()
    def begin(self) -> None:
        self.clock = FakeClock()
        self.sessions = VoiceSessions(self.clock, rng=Random(1))
        self.rooms = [self.sessions.open(), self.sessions.open()]
        self.played: dict[str, tuple[int, str, float, int]] = {}  # reading id -> room, gate id, when, tick
        self.latest: dict[tuple[int, str], str] = {}  # room, gate id -> reading id
        self.said: dict[tuple[int, str], str] = {}  # the approvals that may be spent, by reading id
        self.tick = 0

    @rule(target=readings, room=st.integers(0, 1), at=st.integers(0, 2))
    def read(self, room: int, at: int) -> tuple[int, Reading | None]:
        try:
            reading = self.sessions.reading(self.rooms[room], gate_subject(GATES[at], (NAMES[at],)))
        except Unavailable:
            return room, None
        self.latest[(room, GATES[at].id)] = reading.id
        self.said.pop((room, GATES[at].id), None)
        return room, reading

    @rule(given=readings)
    def play(self, given: tuple[int, Reading | None]) -> None:
        room, reading = given
        if reading is None:
            return
        try:
            self.sessions.played(self.rooms[room], reading.id)
        except NotFound:
            assert self.latest.get((room, reading.subject.id)) != reading.id
            return
        self.tick += 1
        self.played.setdefault(reading.id, (room, reading.subject.id, self.clock.boot(), self.tick))

    @rule(seconds=st.sampled_from([0.0, 1.0, 29.0, 61.0]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(given=readings, room=st.integers(0, 1), named=st.booleans(), held=st.booleans(), right=st.booleans())
    def approve(self, given: tuple[int, Reading | None], room: int, named: bool, held: bool, right: bool) -> None:
        _, reading = given
        if reading is None:
            return
        name = f" {reading.subject.names[0]}" if named else " it"
        word = reading.word if right else "nothing of it"
        text = f"I approve{name}, {word}" if reading.word else f"I approve{name}"
        receipt = f"{reading.id}.played" if held else None
        heard = self.sessions.heard(self.rooms[room], text, 0.9, receipt, scores(reading))
        if heard.verdict != "approves":
            return
        subject = heard.subject_id or ""
        current = self.latest[(room, subject)]
        assert held, "the speech began before the reading ended"
        assert current in self.played, "it was not played to its end"
        assert self.played[current][0] == room, "it was read in another session"
        assert self.clock.boot() - self.played[current][2] <= 60.0, "it was read too long ago"
        assert self.played[reading.id][3] >= self.played[current][3], "the receipt is older than the reading"
        if reading.word or next(gate for gate in GATES if gate.id == subject).tier == "harmful":
            assert right
            assert current == reading.id, "the word belongs to another reading"
        self.said[(room, subject)] = current

    @rule(room=st.integers(0, 1), text=st.sampled_from(["no", "wait", "stop", "never approve it"]))
    def refuse(self, room: int, text: str) -> None:
        assert self.sessions.heard(self.rooms[room], text, 0.1).verdict == "refuses"
        self.said = {key: reading for key, reading in self.said.items() if key[0] != room}

    @rule(room=st.integers(0, 1), text=st.sampled_from(["yes", "approve", "what is it", "he said I approve"]))
    def chat(self, room: int, text: str) -> None:
        assert self.sessions.heard(self.rooms[room], text, 0.99).verdict == "neither"

    @rule(at=st.integers(0, 2))
    def reject(self, at: int) -> None:
        self.sessions.refuse(GATES[at].id)
        self.said = {key: reading for key, reading in self.said.items() if key[1] != GATES[at].id}

    @rule(room=st.integers(0, 1), at=st.integers(0, 2))
    def spend(self, room: int, at: int) -> None:
        key = (room, GATES[at].id)
        try:
            phrase = self.sessions.approve(self.rooms[room], GATES[at])
        except ConsentRefused:
            return
        assert key in self.said, "nothing was said, or it was taken back or spent"
        assert self.clock.boot() - self.played[self.said[key]][2] <= 60.0
        assert phrase.startswith("I approve")
        del self.said[key]


Conversation.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_no_order_of_events_approves_without_consent = Conversation.TestCase
