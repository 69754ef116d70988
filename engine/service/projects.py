"""Projects: list, make, change, delete; their chat and audit."""

import asyncio
from pathlib import Path
from typing import Any

from engine.domain import views
from engine.domain.chat import ChatEntry
from engine.domain.errors import BadRequest
from engine.domain.ids import new_id
from engine.domain.projects import Project
from engine.domain.wire import AgentView, ChatView, GateView, OrgSnapshot, ProjectDetail, ProjectView
from engine.ports.clock import stamp
from engine.service.office import Office
from engine.sessions import profiles
from engine.storage.project_file import ProjectFile

LATEST_SESSIONS = 20
LONGEST_CHAT = 100_000  # characters of one line


class ProjectService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def snapshot(self) -> OrgSnapshot:
        """All that is open, in one read; resume the event stream from its ``eventId``."""
        office = self._office
        event_id = office.hub.last_id  # before reading, so that nothing falls between
        files = await office.files()
        agents: list[AgentView] = []
        for file in files:
            agents += [await office.agent_view(file.project, agent) for agent in file.agents]
        runs = await asyncio.to_thread(office.runs.latest, LATEST_SESSIONS)
        return {
            "eventId": event_id,
            "projects": [views.project_view(file.project) for file in files],
            "agents": agents,
            "gates": self._gates(files),
            "plans": await office.plan_views(),
            "sessions": [views.run_view(run) for run in runs],
            "voice": office.voice,
        }

    async def list_projects(self) -> list[ProjectView]:
        projects = await asyncio.to_thread(self._office.store.list_projects)
        return [views.project_view(project) for project in projects]

    async def create_project(self, *, name: str, cwd: str, description: str | None = None) -> ProjectView:
        folder = _folder(cwd)
        project = await asyncio.to_thread(self._office.store.create_project, name, folder, description)
        return self._changed(project)

    async def get_project(self, *, project_id: str) -> ProjectDetail:
        file = await self._office.file(project_id)
        return {
            "project": views.project_view(file.project),
            "agents": [await self._office.agent_view(file.project, agent) for agent in file.agents],
            "plans": await self._office.plan_views(project_id),
        }

    async def update_project(
        self, *, project_id: str, name: str | None = None, description: str | None = None, cwd: str | None = None
    ) -> ProjectView:
        folder = None if cwd is None else _folder(cwd)
        project = await asyncio.to_thread(
            self._office.store.update_project, project_id, name=name, cwd=folder, description=description
        )
        return self._changed(project)

    async def delete_project(self, *, project_id: str, remove_data: bool = False) -> dict[str, str]:
        """Refused while an agent of it runs; its sessions go with it, wiki and shared files only when asked."""
        office = self._office
        file = await office.file(project_id)
        running = [agent.name for agent in file.agents if office.registry.get(agent.id) is not None]
        if running:
            raise BadRequest(f"{file.project.name} still has agents running ({', '.join(running)}); stop them first.")
        for run in await asyncio.to_thread(office.runs.of_project, project_id):
            await asyncio.to_thread(office.runs.delete, run)
        await asyncio.to_thread(office.store.delete_project, project_id, remove_data)
        await asyncio.to_thread(profiles.forget, office.store.layout, project_id)
        for agent in file.agents:
            office.book.forget(agent.id)
        office.hub.publish("org:changed", {"deleted": project_id})
        return {"deleted": project_id}

    async def chat(self, *, project_id: str, limit: int = 50) -> list[ChatView]:
        await self._office.file(project_id)
        return views.chat_views(await asyncio.to_thread(self._office.store.tail_chat, project_id, limit))

    async def post_chat(self, *, project_id: str, text: str) -> ChatView:
        """A line of the user's own."""
        if not text.strip():
            raise BadRequest("The chat line is empty; say something in text.")
        if len(text) > LONGEST_CHAT:
            raise BadRequest(f"The chat line is over {LONGEST_CHAT} characters; put it in a file instead.")
        entry = ChatEntry(id=new_id("c"), ts=stamp(self._office.clock), role="user", sender="you", text=text)
        await asyncio.to_thread(self._office.store.append_chat, project_id, entry)
        view = views.chat_views([entry])[0]
        self._office.hub.publish("groupchat:message", {"projectId": project_id, "entry": view})
        return view

    async def audit(self, *, project_id: str, limit: int = 50) -> list[dict[str, Any]]:
        await self._office.file(project_id)
        return await asyncio.to_thread(self._office.store.tail_audit, project_id, limit)

    def _gates(self, files: list[ProjectFile]) -> list[GateView]:
        shown = [
            self._office.gate_view(gate, agent.name, file.project.name, head=place == 0)
            for file in files
            for agent in file.agents
            for place, gate in enumerate(self._office.book.queue(agent.id))
        ]
        return sorted(shown, key=lambda gate: (not gate["head"], gate["raisedAt"]))

    def _changed(self, project: Project) -> ProjectView:
        view = views.project_view(project)
        self._office.hub.publish("org:changed", {"project": view})
        return view


def _folder(cwd: str) -> str:
    """An existing absolute folder, or BadRequest."""
    path = Path(cwd).expanduser()
    if "\0" in cwd or not path.is_absolute():
        raise BadRequest(f"The folder {cwd!r} must be an absolute path, such as /home/you/project.")
    if not path.is_dir():
        raise BadRequest(f"The folder {cwd} does not exist, or is not a folder; make it first.")
    return str(path)
