"""Bodies of requests: extra fields refused, every text with its limit."""

import base64
import binascii
from typing import Annotated, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from engine.domain.gates import Decision
from engine.domain.plans import PlanDecision

MESSAGE_LIMIT = 200_000  # characters


def _clean_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise ValueError("a name cannot be empty.")
    if any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in name):
        raise ValueError("a name cannot hold control characters.")
    if "/" in name or "\\" in name or name in (".", ".."):
        raise ValueError("a name cannot hold slashes or be dots only.")
    return name


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it cannot hold a zero byte.")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it cannot be empty.")
    return text


def _from_base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("it has to be base64.") from error
    return text


Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$")]
Name = Annotated[str, Field(max_length=100), AfterValidator(_clean_name)]
Short = Annotated[str, Field(max_length=2_000), AfterValidator(_no_nul)]
Folder = Annotated[str, Field(min_length=1, max_length=4_000), AfterValidator(_no_nul)]
Reference = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_no_nul)]
Text = Annotated[str, Field(max_length=MESSAGE_LIMIT), AfterValidator(_no_nul), AfterValidator(_not_blank)]
Argument = Annotated[str, Field(max_length=8_000), AfterValidator(_no_nul)]


class Body(BaseModel):
    """Base: camelCase on the wire, nothing unknown."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, allow_inf_nan=False)


class NewProject(Body):
    """POST /api/projects"""

    name: Name
    cwd: Folder
    description: Short | None = None


class ProjectChange(Body):
    """PUT /api/projects/{id}"""

    name: Name | None = None
    cwd: Folder | None = None
    description: Short | None = None


class NewAgent(Body):
    """POST .../agents"""

    name: Name
    cli: Reference
    role: Short | None = None
    cwd: Folder | None = None
    command: Annotated[list[Argument], Field(min_length=1, max_length=200)] | None = None
    flags: Annotated[list[Argument], Field(max_length=200)] | None = None


class AgentChange(Body):
    """PUT .../agents/{aid}"""

    name: Name | None = None
    cli: Reference | None = None
    role: Short | None = None
    cwd: Folder | None = None
    command: Annotated[list[Argument], Field(min_length=1, max_length=200)] | None = None
    flags: Annotated[list[Argument], Field(max_length=200)] | None = None


class Start(Body):
    """Body of a start; ``resume`` goes on with the conversation of the last session."""

    resume: bool = False


class GateDecision(Body):
    """POST .../gate/resolve: always names its gate."""

    gate_id: Reference
    decision: Decision
    custom_input: Text | None = None
    request_id: Reference | None = None
    voice_session: Reference | None = None

    @model_validator(mode="after")
    def _custom_has_text(self) -> "GateDecision":
        if (self.decision == "custom") != (self.custom_input is not None):
            raise ValueError("customInput belongs to the decision custom, and only to it.")
        return self


class PlanChoice(Body):
    """POST .../plans/{planId}/resolve"""

    decision: PlanDecision
    reason: Short | None = None
    request_id: Reference | None = None
    voice_session: Reference | None = None


class PolicyConfirmation(Body):
    """The rules that the owner has seen and switches on."""

    digests: list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = Field(min_length=1, max_length=200)


class NewPlan(Body):
    """POST /org/plan and .../plans (there without ``project``)."""

    project: Reference
    agent: Reference
    description: Short
    message: Text


class ProjectPlan(Body):
    """POST /api/projects/{id}/plans"""

    agent: Reference
    description: Short
    message: Text


class Resume(Body):
    """POST .../resume; ``at`` arms it for a wall time instead."""

    at: Reference | None = None


class Archive(Body):
    """POST .../archive; false takes it back."""

    archived: bool = True


class Attachment(Body):
    """POST .../uploads: a file's bytes as base64."""

    name: Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_no_nul)]
    data: Annotated[str, Field(max_length=2_000_000), AfterValidator(_from_base64)]


class NewDocument(Body):
    """POST .../documents: a file's bytes as base64; ``documentId`` adds a version to that document."""

    title: Short = ""
    file: Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_no_nul)]
    data: Annotated[str, Field(max_length=2_000_000), AfterValidator(_from_base64)]
    document_id: Reference | None = None


class ChatText(Body):
    """POST .../groupchat"""

    text: Text


class Inject(Body):
    """POST /org/inject"""

    project: Reference
    agent: Reference
    message: Text
    message_id: Reference | None = None


class Broadcast(Body):
    """POST /org/broadcast"""

    project: Reference
    message: Text


class Keys(Body):
    """POST .../terminal/keys: raw bytes as base64."""

    data: Annotated[str, Field(max_length=200_000), AfterValidator(_from_base64)]


class Size(Body):
    """POST .../terminal/size"""

    rows: Annotated[int, Field(ge=2, le=1_000)]
    cols: Annotated[int, Field(ge=2, le=1_000)]


class Code(Body):
    """POST /api/auth/exchange"""

    code: Reference


class ReadingOf(Body):
    """POST .../reading: of one gate or one plan."""

    gate_id: Reference | None = None
    plan_id: Reference | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "ReadingOf":
        if (self.gate_id is None) == (self.plan_id is None):
            raise ValueError("name either gateId or planId.")
        return self


class Played(Body):
    """POST .../played"""

    reading_id: Reference


class OtherReading(Body):
    """A less likely reading of the same sound."""

    text: Annotated[str, Field(max_length=2_000)]
    confidence: Annotated[float, Field(ge=0, le=1)]


class Heard(Body):
    """POST .../heard"""

    text: Annotated[str, Field(max_length=20_000)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    receipt: Reference | None = None
    word_scores: Annotated[dict[Reference, float], Field(max_length=200)] | None = None
    others: list[OtherReading] = Field(default_factory=list, max_length=10)


class VoiceState(Body):
    """PUT /api/voice/state: the fields of ``VoiceView`` that changed."""

    connected: bool = True
    listening: Literal["off", "asleep", "listening", "hearing", "thinking", "speaking", "trouble"] | None = None
    mode: Short | None = None
    note: Short | None = None
    heard: Annotated[str, Field(max_length=20_000)] | None = None
    said: Annotated[str, Field(max_length=MESSAGE_LIMIT)] | None = None
    pending: Annotated[str, Field(max_length=MESSAGE_LIMIT)] | None = None
    timings_ms: Annotated[dict[Reference, float], Field(max_length=50)] | None = None
    updated_at: Short | None = None


class VoiceCommand(Body):
    """POST /api/voice/command"""

    action: Literal["listen", "silence"]
