"""Shapes on the wire: camelCase, as JSON carries them. Typed dictionaries, so that a client needs no model code."""

from typing import Any, Literal, NotRequired, TypedDict

from engine.domain.chat import ChatRole, Classification
from engine.domain.gates import ChoiceKind, Decision, GateSource, Tier, Via
from engine.domain.plans import PlanDecision
from engine.domain.projects import AgentStatus
from engine.domain.runs import RunState


class ChoiceView(TypedDict):
    label: str
    kind: ChoiceKind
    sends: str  # what it would send, for a person ("types y, Enter"; "allow_once"; "lets it go on")


class EffectView(TypedDict):
    kind: str
    targets: list[str]
    place: str
    undo: str


class GateView(TypedDict):
    id: str
    agentId: str
    agentName: str
    projectId: str
    projectName: str
    prompt: str  # exact, secrets masked
    command: str | None  # exact, secrets masked
    choices: list[ChoiceView]
    source: GateSource
    tier: Tier
    screenOnly: str | None
    speakable: bool
    mayHaveBegun: bool
    effects: list[EffectView]
    cwd: str
    branch: str | None
    fingerprint: str
    raisedAt: str
    head: bool  # only the head of an agent's queue can be read and answered
    secretsMasked: bool


class RevealView(TypedDict):
    prompt: str  # exact, nothing masked
    command: str | None


class AgentView(TypedDict):
    id: str
    projectId: str
    projectName: str
    name: str
    role: str | None
    cli: str
    cwd: str
    status: AgentStatus
    livenessOnly: bool  # its status knows running and stopped, nothing between
    frozen: bool
    pid: int | None
    sessionId: str | None
    sessionNumber: int | None
    pendingGate: GateView | None
    queuedGates: int
    queuedMessages: int
    exit: str | None  # why it is stopped, when known


class ProjectView(TypedDict):
    id: str
    name: str
    description: str | None
    cwd: str
    createdAt: str


class PlanView(TypedDict):
    id: str
    number: int  # 1-based place in the list as people see it, oldest first
    projectId: str
    projectName: str
    description: str
    targetAgent: str
    targetAgentName: str
    targetProject: str
    proposedMessage: str
    createdAt: str
    maybeSent: bool


class ChatView(TypedDict):
    id: str
    ts: str
    role: ChatRole
    sender: str
    text: str
    classification: Classification | None


class RunView(TypedDict):
    id: str
    number: int
    name: str  # "S-12"
    projectId: str
    agentId: str
    agentName: str
    cli: str
    state: RunState
    startedAt: str
    endedAt: str | None
    exitCode: int | None
    reason: str | None
    control_path: str
    workspace_path: str


class StepView(TypedDict):
    id: str
    agentName: str
    cli: str
    state: RunState
    startedAt: str
    endedAt: str | None


class UploadView(TypedDict):
    id: str
    name: str
    size: int  # bytes
    path: str


class SessionView(RunView):
    """One session with what stands beside it."""

    archived: bool
    autoResumeAt: str | None
    haltedBy: str | None  # the way by which it was last halted or cancelled
    queuedMessages: int
    steps: list[StepView]
    uploads: list[UploadView]


class VersionView(TypedDict):
    version: int
    file: str
    size: int  # bytes
    sha256: str
    publishedAt: str
    publishedBy: str


class DocumentView(TypedDict):
    """A published document; its versions oldest first, each of which never changes."""

    id: str
    projectId: str
    title: str
    createdAt: str
    versions: list[VersionView]


class VoiceView(TypedDict):
    """What voice last told of itself, for the page."""

    connected: bool
    listening: Literal["off", "asleep", "listening", "hearing", "thinking", "speaking", "trouble"]
    mode: str | None
    note: str | None  # why it does not listen
    heard: str | None
    said: str | None
    pending: str | None  # a command that was read back and can still be cancelled, with the seconds left
    timingsMs: dict[str, float]
    updatedAt: str | None


class OrgSnapshot(TypedDict):
    """GET /org/snapshot: all that voice and page need, in one read; resume the stream from ``eventId``."""

    eventId: int
    projects: list[ProjectView]
    agents: list[AgentView]
    gates: list[GateView]  # every open gate, heads first, oldest first
    plans: list[PlanView]
    sessions: list[RunView]  # live ones and the 20 latest
    voice: VoiceView


class ResolveResult(TypedDict):
    action: str
    agentName: str
    decision: Decision
    via: Via


class ReadingView(TypedDict):
    readingId: str
    fingerprint: str
    text: str  # the exact prompt or command that has to be read aloud (the mouth verbalises it)
    word: str | None  # one-time word; None for routine gates
    words: list[str]  # the whole list, against which the sound is scored
    refusals: list[str]  # refusing utterances to score beside them


class ProjectDetail(TypedDict):
    """One project with what belongs to it."""

    project: ProjectView
    agents: list[AgentView]
    plans: list[PlanView]


class OutputView(TypedDict):
    """The settled screen of an agent as text, secrets masked."""

    text: str
    status: AgentStatus
    frozen: bool


class PlanResult(TypedDict):
    """What deciding on a plan did."""

    decision: PlanDecision
    state: Literal["sent", "queued", "rejected"]


class PolicyRuleView(TypedDict):
    """One rule by which routine gates are answered; ``inForce`` when confirmed and not over."""

    digest: str
    text: str
    project: str
    agent: str | None
    effects: list[str]
    places: list[str]
    expires: str
    confirmed: bool
    inForce: bool


class PolicyView(TypedDict):
    """All rules, and the sentence that tells them; ``fault`` when the settings cannot be read."""

    rules: list[PolicyRuleView]
    spoken: str
    fault: str | None


class ErrorBody(TypedDict):
    error: str
    condition: NotRequired[str]
    details: NotRequired[dict[str, str]]


class InjectResult(TypedDict):
    messageId: str
    state: Literal["delivered", "queued"]


class EventBody(TypedDict):
    id: int
    type: str
    ts: str
    data: dict[str, Any]
