"""What an agent is started with: its command line, folders and variables."""

from pathlib import Path

from engine.domain.errors import BadRequest
from engine.domain.projects import Agent, Project
from engine.domain.runs import Run
from engine.ports.runtime import Launch
from engine.runtimes import catalog
from engine.storage.disk import make_folder
from engine.storage.layout import Layout


def launch_of(
    agent: Agent, run: Run, entry: catalog.Entry, environment: dict[str, str], project: Project | None = None
) -> Launch:
    """The launch of one attempt; without ``project`` of one that runs already."""
    handed = entry.handing(Path(agent.cwd), Path(project.cwd)) if project is not None else ()
    return Launch(
        run_id=run.id,
        agent_id=agent.id,
        cli=agent.cli,
        argv=(*entry.argv(flags=agent.flags), *handed),
        cwd=Path(agent.cwd),
        env=environment,
        control=Path(run.control_path),
        runtime=entry.runtime,
        resume=run.conversation_id,
    )


def shared_folders(layout: Layout, project: Project) -> dict[str, str]:
    """The folders that the shipped skill tells agents of, made, by the variables that it names."""
    folders = {"CONDUIT_SHARED": layout.shared(project.name), "CONDUIT_WIKI": layout.wiki_of(project.name)}
    for folder in folders.values():
        make_folder(folder)
    return {name: str(folder) for name, folder in folders.items()}


def forgotten(agent: Agent) -> str | None:
    """What to say of an agent that goes on although its CLI is not in the catalog any more."""
    if agent.command or catalog.load().find(agent.cli) is not None:
        return None
    return (
        f"{agent.name} goes on, but {agent.cli} is not a CLI that Conduit knows any more: once it has ended it can't"
        " be started again. Give the agent another CLI, or a command."
    )


def check_cwd(agent: Agent) -> None:
    """BadRequest when the agent has no folder to work in."""
    if not Path(agent.cwd).is_dir():
        raise BadRequest(f"The folder of {agent.name}, {agent.cwd}, does not exist; make it or change the agent's cwd.")
