"""Which agent CLIs there are: how each is started, what it needs, and how it is installed."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from engine.domain.errors import NotFound, NotReady

_ALWAYS = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ"})
_TERM = "xterm-256color"
ANY_ACP = "acp"  # the cli of an agent whose command speaks the Agent Client Protocol


class _Row(BaseModel):
    """One entry of catalog.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    binary: str
    install: str
    runtime: Literal["pty", "claude", "codex", "acp"] = "pty"
    liveness_only: bool = True
    prose: bool = True
    trouble: str | None = None
    folders: tuple[str, ...] = ()
    instructions: str | None = None
    read: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    interrupt: tuple[str, ...] = ("\x03",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One CLI. ``command`` is its argv without an agent's own flags; ``install`` a line for a person, or empty."""

    id: str
    title: str
    command: tuple[str, ...]
    install: str
    runtime: Literal["pty", "claude", "codex", "acp"] = "pty"
    liveness_only: bool = True
    prose: bool = False  # whether it reads sentences; a registered command could be a shell
    trouble: str | None = None  # a pattern of screen rows that say that it can't reach its model
    folders: tuple[str, ...] = ()  # arguments that give it one more folder; {folder} is its path
    instructions: str | None = None  # the file in its folder from which it takes instructions
    read: tuple[str, ...] = ()  # arguments that make it read that file, where it does not by itself; {file} is its path
    resume: tuple[str, ...] = ()  # arguments that go on with a conversation; {id} is its name
    known: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    interrupt: tuple[str, ...] = ("\x03",)

    def argv(self, flags: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The whole command line."""
        return (*self.command, *flags)

    def handing(self, cwd: Path, folder: Path) -> tuple[str, ...]:
        """Arguments that hand over the project's folder to an agent that works in another one.

        Not where the path has a character that some CLI could take for the end of it: it would get another folder.
        """
        if folder == cwd or set(str(folder)) & set(',"\\\n'):
            return ()
        return tuple(part.replace("{folder}", str(folder)) for part in self.folders)

    def reading(self, cwd: Path) -> tuple[str, ...]:
        """Arguments that make it read its instructions, where it does not by itself."""
        return tuple(part.replace("{file}", str(cwd / (self.instructions or ""))) for part in self.read)


class Catalog:
    """All entries, by id."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self._entries = {entry.id: entry for entry in entries}

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def find(self, cli: str) -> Entry | None:
        """The entry of a CLI, or None for a command that the user registered."""
        return self._entries.get(cli)

    def kept(self, cli: str, command: tuple[str, ...] | None, *, codex: bool) -> Entry:
        """The entry of an agent that runs already, also when its CLI has left the catalog since it was started.

        ``codex`` says what a forgotten one speaks where it has no terminal. It can't be started by this.
        """
        if command or self.find(cli) is not None:
            return self.entry(cli, command)
        return Entry(id=cli, title=cli, command=(cli,), install="", runtime="codex" if codex else "acp")

    def entry(self, cli: str, command: tuple[str, ...] | None = None) -> Entry:
        """The entry of a CLI, or one made of a registered command; NotFound when there is neither."""
        if command:
            if cli == ANY_ACP:
                return Entry(id=cli, title=cli, command=command, install="", runtime="acp", liveness_only=False)
            own = self.find(cli)  # a known CLI in its terminal, by request: it needs its keys there, too
            given = (*own.variables, *own.required) if own is not None else ()
            return Entry(id=cli, title=cli, command=command, install="", variables=given)
        found = self.find(cli)
        if found is None:
            known = ", ".join(self.ids)
            raise NotFound(f"There is no agent CLI named {cli}. Known are {known}; or give the agent a command.")
        return found


@cache
def load() -> Catalog:
    """The catalog that is delivered with Conduit."""
    raw = yaml.safe_load(Path(__file__).with_name("catalog.yaml").read_text(encoding="utf-8"))
    rows = TypeAdapter(tuple[_Row, ...]).validate_python(raw)
    return Catalog(tuple(_entry(row) for row in rows))


def environment(entry: Entry, source: Mapping[str, str]) -> dict[str, str]:
    """What an agent gets of the engine's environment: an allow-list, and what its entry declares. Never our tokens."""
    wanted = _ALWAYS | set(entry.variables) | set(entry.required)
    kept = {name: value for name, value in source.items() if name in wanted or name.startswith("LC_")}
    return {**kept, "TERM": _TERM}


def preflight(entry: Entry, env: Mapping[str, str]) -> NotReady | None:
    """None when the entry can be started with this environment, else the fault that says what to do."""
    program = entry.command[0]
    missing = [name for name in entry.required if not env.get(name)]
    details = {"variables": " ".join(missing)} if missing else {}
    keys = f"{' and '.join(missing)} in the environment" if missing else ""
    if shutil.which(program, path=env.get("PATH")) is None:
        details |= {"command": program} | ({"install": entry.install} if entry.install else {})
        hint = f" Install it with: {entry.install}" if entry.install else " Install it, or correct the agent's command."
        also = f" It also needs {keys}." if keys else ""
        return NotReady(f"{entry.title} needs the command {program}, which is not on the PATH.{also}{hint}", details)
    if missing:
        return NotReady(f"{entry.title} needs {keys}. Set it, then start the engine again.", details)
    return None


def _entry(row: _Row) -> Entry:
    fields = row.model_dump(exclude={"binary", "arguments"})
    # Conduit's own programs run with the interpreter that runs the engine, wherever the PATH leads.
    binary = sys.executable if row.binary == "python" else row.binary
    return Entry(command=(binary, *row.arguments), **fields)
