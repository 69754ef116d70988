"""What the API asks of the service: one method a route, wire shapes out, :class:`ConduitError` raised.

Arguments are keywords, named as the body fields in snake_case; ``via`` comes from the kind of token.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from engine.domain.events import Event
from engine.domain.gates import Decision, Via
from engine.domain.plans import PlanDecision
from engine.domain.wire import (
    AgentView,
    ChatView,
    DocumentView,
    InjectResult,
    OrgSnapshot,
    OutputView,
    PlanResult,
    PlanView,
    PolicyView,
    ProjectDetail,
    ProjectView,
    ReadingView,
    ResolveResult,
    RevealView,
    RunView,
    SessionView,
    UploadView,
)


class ProjectCalls(Protocol):
    """Projects and all that is open."""

    async def snapshot(self) -> OrgSnapshot: ...
    async def list_projects(self) -> list[ProjectView]: ...
    async def create_project(self, *, name: str, cwd: str, description: str | None = None) -> ProjectView: ...
    async def get_project(self, *, project_id: str) -> ProjectDetail: ...
    async def update_project(
        self, *, project_id: str, name: str | None = None, description: str | None = None, cwd: str | None = None
    ) -> ProjectView: ...
    async def delete_project(self, *, project_id: str, remove_data: bool = False) -> dict[str, str]: ...
    async def chat(self, *, project_id: str, limit: int = 50) -> list[ChatView]: ...
    async def post_chat(self, *, project_id: str, text: str) -> ChatView: ...
    async def audit(self, *, project_id: str, limit: int = 50) -> list[dict[str, Any]]: ...


class AgentCalls(Protocol):
    """Agents, their terminals and their gates."""

    async def list_agents(self, *, project_id: str) -> list[AgentView]: ...
    async def create_agent(
        self,
        *,
        project_id: str,
        name: str,
        cli: str,
        role: str | None = None,
        cwd: str | None = None,
        command: list[str] | None = None,
        flags: list[str] | None = None,
    ) -> AgentView: ...
    async def get_agent(self, *, project_id: str, agent_id: str) -> AgentView: ...
    async def update_agent(
        self,
        *,
        project_id: str,
        agent_id: str,
        name: str | None = None,
        cli: str | None = None,
        role: str | None = None,
        cwd: str | None = None,
        command: list[str] | None = None,
        flags: list[str] | None = None,
    ) -> AgentView: ...
    async def delete_agent(self, *, project_id: str, agent_id: str) -> dict[str, str]: ...
    async def start_agent(self, *, project_id: str, agent_id: str, resume: bool = False) -> AgentView: ...
    async def stop_agent(self, *, project_id: str, agent_id: str, via: Via) -> AgentView: ...
    async def restart_agent(self, *, project_id: str, agent_id: str, via: Via) -> AgentView: ...
    async def interrupt_agent(self, *, project_id: str, agent_id: str) -> AgentView: ...
    async def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> OutputView: ...
    async def terminal(self, *, project_id: str, agent_id: str, after: int | None = None) -> AsyncIterator[bytes]: ...
    async def terminal_keys(self, *, project_id: str, agent_id: str, data: bytes) -> None: ...
    async def terminal_size(self, *, project_id: str, agent_id: str, rows: int, cols: int) -> None: ...
    async def reveal(self, *, project_id: str, agent_id: str, gate_id: str, via: Via) -> RevealView: ...
    async def resolve(
        self,
        *,
        project_id: str,
        agent_id: str,
        gate_id: str,
        decision: Decision,
        custom_input: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
        via: Via,
    ) -> ResolveResult: ...


class WorkCalls(Protocol):
    """Plans and messages."""

    async def list_plans(self, *, project_id: str) -> list[PlanView]: ...
    async def create_plan(self, *, project: str, agent: str, description: str, message: str) -> PlanView: ...
    async def resolve_plan(
        self,
        *,
        project_id: str,
        plan_id: str,
        decision: PlanDecision,
        reason: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
        via: Via,
    ) -> PlanResult: ...
    async def inject(
        self, *, project: str, agent: str, message: str, message_id: str | None = None, via: Via
    ) -> InjectResult: ...
    async def cancel_message(self, *, message_id: str) -> dict[str, bool]: ...
    async def broadcast(self, *, project: str, message: str, via: Via) -> dict[str, Any]: ...


class PolicyCalls(Protocol):
    """What is approved without asking."""

    async def policy(self) -> PolicyView: ...
    async def confirm_policy(self, *, digests: list[str], via: Via) -> PolicyView: ...


class SessionCalls(Protocol):
    """Sessions, and what stands beside them."""

    async def sessions(self, *, limit: int = 50, archived: bool = False) -> list[RunView]: ...
    async def session(self, *, session: str) -> SessionView: ...
    async def resume_session(self, *, session: str, at: str | None = None, via: Via) -> SessionView: ...
    async def halt_session(self, *, session: str, via: Via) -> SessionView: ...
    async def cancel_session(self, *, session: str, via: Via) -> SessionView: ...
    async def archive_session(self, *, session: str, archived: bool = True, via: Via) -> SessionView: ...
    async def delete_session(self, *, session: str) -> dict[str, str]: ...
    async def attach_file(self, *, session: str, name: str, data: bytes) -> UploadView: ...
    async def verify_session(self, *, session: str) -> dict[str, list[str]]: ...


class DocumentCalls(Protocol):
    """Published documents."""

    async def documents(self, *, project_id: str) -> list[DocumentView]: ...
    async def document(self, *, project_id: str, document_id: str) -> DocumentView: ...
    async def publish_document(
        self, *, project_id: str, title: str, file: str, data: bytes, document_id: str | None = None, via: Via
    ) -> DocumentView: ...
    async def document_content(
        self, *, project_id: str, document_id: str, version: int | None = None
    ) -> tuple[str, bytes]: ...


class VoiceCalls(Protocol):
    """Consent by voice, and what voice tells of itself."""

    async def voice_session(self) -> dict[str, str]: ...
    async def voice_reading(
        self, *, session: str, gate_id: str | None = None, plan_id: str | None = None
    ) -> ReadingView: ...
    async def voice_played(self, *, session: str, reading_id: str) -> dict[str, str]: ...
    async def voice_heard(
        self,
        *,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None,
        word_scores: dict[str, float] | None = None,
        others: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]: ...
    async def voice_state(self, **fields: Any) -> None: ...
    async def voice_command(self, *, action: Literal["listen", "silence"]) -> None: ...


class ServicePort(ProjectCalls, AgentCalls, WorkCalls, SessionCalls, DocumentCalls, PolicyCalls, VoiceCalls, Protocol):
    """Everything that people can ask for."""


class EventReader(Protocol):
    """One reader of the stream, let go by ``aclose``."""

    def __aiter__(self) -> AsyncIterator[Event]: ...
    async def __anext__(self) -> Event: ...

    async def aclose(self) -> None: ...


class Events(Protocol):
    """The stream of what changes (see :class:`engine.api.events.EventHub`)."""

    @property
    def last_id(self) -> int: ...

    def subscribe(self, after: int | None = None) -> EventReader: ...


class AgentTrees(Protocol):
    """Every process of every agent's tree right now, each with the id of its run."""

    def __call__(self) -> Mapping[int, str]: ...
