"""The ``conduit`` command: imports a subcommand only when it is called, so that each starts as fast as it can."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import click

# name -> (module:attribute, help); the help stands here so that listing commands imports none of them.
COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("engine.cli.up:up", "Start everything: engine in the background, page, voice in front."),
    "down": ("engine.cli.down:down", "Stop the agents and the engine."),
    "engine": ("engine.cli.engine:engine", "Run the engine in the foreground."),
    "voice": ("voice.cli.voice:voice", "Run voice in the foreground."),
    "status": ("engine.cli.status:status", "Show projects, agents and what waits for you."),
    "gates": ("engine.cli.gates:gates", "List the questions that wait for you."),
    "approve": ("engine.cli.gates:approve", "Let the gate with this ID go on, once."),
    "reject": ("engine.cli.gates:reject", "Refuse a gate."),
    "answer": ("engine.cli.gates:answer", "Answer a gate by your own text."),
    "plans": ("engine.cli.plans:plans", "List the plans that wait, or decide on one."),
    "tell": ("engine.cli.tell:tell", "Send text to an agent."),
    "chat": ("engine.cli.tell:chat", "Read a project's group chat, or post to it."),
    "attach": ("engine.cli.attach:attach", "Show an agent's terminal and type into it."),
    "projects": ("engine.cli.projects:projects", "List projects, or add and remove one."),
    "agents": ("engine.cli.agents:agents", "List agents, or add, start, stop and check them."),
    "sessions": ("engine.cli.sessions:sessions", "List, resume, halt, cancel, archive, delete and check sessions."),
    "secret": ("engine.cli.secret:secret", "Keep the keys that agents need, encrypted."),
    "documents": ("engine.cli.documents:documents", "List, publish and get a project's documents."),
    "backup": ("engine.cli.backup:backup", "Copy the data folder, also while it is in use."),
    "restore": ("engine.cli.backup:restore", "Make a data folder from a backup."),
    "ask": ("voice.cli.ask:ask", "The spoken dialogue, by keyboard."),
    "hear": ("voice.cli.hear:hear", "Understand sound files or lines of text."),
    "speak": ("voice.cli.speak:speak", "Say text aloud."),
    "judge": ("engine.cli.judge:judge", "Judge commands from standard input."),
    "scan": ("engine.cli.scan:scan", "Find questions in recorded terminal output."),
    "practice": ("engine.cli.practice:practice", "Talk to the practice agent by keyboard."),
    "practice-agent": ("engine.cli.practice:practice_agent", ""),
    "doctor": ("voice.cli.doctor:doctor", "Check sound, models, CLIs, port and folder."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names that help shows."""
        return [name for name, (_, text) in COMMANDS.items() if text]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command called ``cmd_name``."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        try:
            found = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] in ("engine", "voice"):
                raise
            raise click.ClickException(f"This needs the package {error.name}. Run ./scripts/setup again.") from error
        if not isinstance(found, click.Command):
            raise TypeError(f"{module}:{attribute} is not a command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"conduit {version('conduit-voice')}")
        context.exit()


def _use_home(_: click.Context, __: click.Parameter, chosen: Path | None) -> None:
    """Everything below finds the data root by CONDUIT_HOME, also the processes that are started."""
    if chosen is not None:
        os.environ["CONDUIT_HOME"] = str(chosen.expanduser().absolute())


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    expose_value=False,
    callback=_use_home,
    help="Data folder (default: CONDUIT_HOME or ~/.conduit).",
)
def conduit() -> None:
    """Run several coding agents, hear when one needs you, and decide by voice."""


def main(*arguments: Any) -> None:
    """Entry of the ``conduit`` script."""
    conduit(prog_name="conduit", args=list(arguments) or None)


if __name__ == "__main__":
    main()
