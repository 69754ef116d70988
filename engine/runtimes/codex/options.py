"""An agent's flags as the terminal program takes them, sorted into parameters of the app-server's threads (pure)."""

from dataclasses import replace

from engine.ports.runtime import Launch
from engine.runtimes.jsonlines import Json

_OF_THREADS = {
    "-m": "model",
    "--model": "model",
    "-s": "sandbox",
    "--sandbox": "sandbox",
    "-a": "approvalPolicy",
    "--ask-for-approval": "approvalPolicy",
}
# Unless its user says otherwise: it works in its folder, and asks for what goes further.
DEFAULTS: Json = {"approvalPolicy": "on-request", "sandbox": "workspace-write"}


def prepared(launch: Launch) -> tuple[Launch, Json]:
    """The launch without the flags that the app-server does not know, and the parameters of a thread."""
    argv, options = split(launch.argv)
    return replace(launch, argv=argv), {**DEFAULTS, "cwd": str(launch.cwd), **options}


def split(argv: tuple[str, ...]) -> tuple[tuple[str, ...], Json]:
    """``--sandbox read-only``, ``--sandbox=read-only`` and their like out of a command line."""
    kept: list[str] = []
    found: Json = {}
    parts = list(argv)
    while parts:
        name, equals, value = parts.pop(0).partition("=")
        if name not in _OF_THREADS:
            kept.append(f"{name}{equals}{value}")
        elif equals or parts:
            found[_OF_THREADS[name]] = value if equals else parts.pop(0)
    return tuple(kept), found
