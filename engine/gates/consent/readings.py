"""Values of a voice session: what was read aloud, and what was said about it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from engine.domain.errors import ConsentCondition
from engine.domain.gates import Gate
from engine.domain.plans import Plan

Thing = Literal["gate", "plan"]

WINDOW = 60.0  # seconds after the end of a reading in which it can be approved, suspend included
_WORDS = re.compile(r"[^\W_]+")
# What a prompt may say around its command without adding anything to it.
_WRAPPING = frozenset(
    """a allow approve command do execute following it like n no okay ok please proceed run shell that the this to want
    would y yes you""".split()  # noqa: SIM905 - words are easier to read than a list of quotes
)
WRONG_WORDS = 2  # so many end a reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What can be read and approved. ``names`` are all names by which a speaker may mean it."""

    id: str
    thing: Thing
    fingerprint: str
    text: str  # exact, as it has to be read
    harmful: bool
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Handed out before it is spoken. ``word`` is None for what needs none."""

    id: str
    subject: Subject
    word: str | None
    words: tuple[str, ...]
    refusals: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What an utterance did; ``subject_id`` is what it approved."""

    verdict: Literal["approves", "refuses", "neither"]
    condition: ConsentCondition | None = None
    sentence: str | None = None
    subject_id: str | None = None


@dataclass(slots=True)
class Approval:
    """One utterance that approved one subject; taken back by ``voided``."""

    phrase: str
    voided: bool = False


@dataclass(slots=True)
class Live:
    """The state of one reading within its session."""

    reading: Reading
    opened: int  # place in the order of openings and ends of this session
    opened_at: float  # boot seconds
    keys: frozenset[str]  # its subject's names, folded
    ended: int | None = None  # the same order; None until it was played to its end
    played_at: float | None = None
    wrong_words: int = 0
    approval: Approval | None = None
    spent: bool = False
    failed: ConsentCondition | None = None

    @property
    def subject(self) -> Subject:
        return self.reading.subject

    def fresh(self, now: float) -> bool:
        """Whether it was played to its end, at most the window ago."""
        return self.played_at is not None and 0.0 <= now - self.played_at <= WINDOW

    def live(self, now: float) -> bool:
        """Whether an utterance can be about it."""
        return self.fresh(now) and not self.spent and self.wrong_words < WRONG_WORDS

    def take_back(self) -> None:
        """Void what was approved; the reading itself can be approved again."""
        if self.approval is not None:
            self.approval.voided = True
            self.approval = None
            self.spent = False
        self.failed = "negated"


@dataclass(slots=True)
class Session:
    """One conversation: one ear, one mouth."""

    id: str
    steps: int = 0
    readings: dict[str, Live] = field(default_factory=dict)  # by reading id, oldest first
    receipts: dict[str, int] = field(default_factory=dict)  # receipt -> the end that it stands for

    def step(self) -> int:
        self.steps += 1
        return self.steps

    def of(self, subject_id: str) -> Live | None:
        """The reading of a subject; a newer one has replaced older ones."""
        return next((live for live in self.readings.values() if live.subject.id == subject_id), None)


def gate_subject(gate: Gate, names: tuple[str, ...]) -> Subject:
    """A gate as it has to be read: the exact command and prompt."""
    return Subject(
        id=gate.id,
        thing="gate",
        fingerprint=gate.fingerprint,
        text=_gate_text(gate),
        harmful=gate.tier == "harmful",
        names=names,
    )


def _gate_text(gate: Gate) -> str:
    """The command alone where the prompt only wraps it ("Run ...? [y/N]"); every other word has to be heard too."""
    if gate.command is None:
        return gate.prompt
    around = gate.prompt.replace(gate.command, " ")
    if gate.command in gate.prompt and set(_WORDS.findall(around.lower())) <= _WRAPPING:
        return gate.command
    return gate.prompt if gate.command in gate.prompt else f"{gate.command}\n{gate.prompt}"


def plan_subject(plan: Plan, names: tuple[str, ...]) -> Subject:
    """A plan as it has to be read: the exact message; its fingerprint covers message and target."""
    return Subject(
        id=plan.id,
        thing="plan",
        fingerprint=plan_fingerprint(plan),
        text=plan.proposed_message,
        harmful=False,
        names=names,
    )


def plan_fingerprint(plan: Plan) -> str:
    """SHA-256 hex over what would be sent, and to whom."""
    parts = (plan.id, plan.target_project, plan.target_agent, plan.proposed_message)
    return sha256("\0".join(parts).encode()).hexdigest()


def sentence(sentences: Mapping[str, str], key: str) -> str:
    """The sentence of a condition, or the general one."""
    return sentences.get(key, sentences["not_said"])
