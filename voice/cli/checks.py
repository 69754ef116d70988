"""What ``conduit doctor`` looks at: each check answers with a finding, and each failure with its remedy."""

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from engine.cli.connect import client, home
from engine.cli.engine import DEFAULT_PORT
from engine.cli.exits import NoEngine
from engine.domain.errors import ConduitError

State = Literal["ok", "note", "failed"]

# The sections of config/settings.yaml.
_SECTIONS = frozenset({"voice", "policies", "confirmedPolicies"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor: ``note`` is worth knowing and no fault; ``remedy`` says what to do."""

    check: str
    state: State
    says: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


def sound() -> Iterator[Finding]:
    """A microphone and a loudspeaker."""
    from voice.audio.devices import choose, list_devices

    try:
        devices = list_devices()
    except ConduitError as error:
        yield Finding("sound", "failed", str(error), "sudo apt-get install libportaudio2")
        return
    for kind in ("microphone", "speaker"):
        try:
            yield Finding(kind, "ok", choose(None, devices, kind).name)
        except ConduitError as error:
            yield Finding(
                kind,
                "failed",
                str(error),
                "Connect one and run conduit doctor again; the page and conduit ask work without.",
            )


def models() -> Iterator[Finding]:
    """Every speech model, with its hash."""
    from voice.models.lookup import list_models

    for state in list_models():
        fine = state.state in ("ready", "to_assemble")
        remedy = "" if fine else "Run ./scripts/setup while online, or: python -m voice.models.install"
        yield Finding(f"model {state.model.name}", "ok" if fine else "failed", state.sentence, remedy)


def clis() -> Iterator[Finding]:
    """Agent CLIs: one that is missing is no fault, but worth knowing."""
    from engine.cli.readiness import readiness

    for cli in readiness():
        says = " ".join(part for part in (cli.version, cli.note) if part)
        yield Finding(f"cli {cli.name}", "ok" if cli.ready else "note", says)


def folder() -> Iterator[Finding]:
    """The data folder can be written, and only by its owner."""
    root = home()
    if not root.exists():
        above = next(parent for parent in root.parents if parent.exists())
        if os.access(above, os.W_OK | os.X_OK):
            yield Finding("folder", "ok", f"{root} will be made at the first start")
        else:
            yield Finding(
                "folder", "failed", f"{root} cannot be made in {above}.", f"Make {above} writable, or set CONDUIT_HOME."
            )
        return
    yield _rights(root)


def _rights(root: Path) -> Finding:
    if not root.is_dir() or not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return Finding("folder", "failed", f"{root} cannot be written.", f"chown -R $USER {root} && chmod u+rwX {root}")
    if root.stat().st_uid == os.getuid() and root.stat().st_mode & 0o077:
        return Finding("folder", "failed", f"{root} can be read by other users.", f"chmod 700 {root}")
    return Finding("folder", "ok", str(root))


def engine() -> Iterator[Finding]:
    """The engine answers; or its port is free for it."""
    try:
        health = client(timeout=3.0).health()
    except NoEngine as error:
        yield Finding("engine", "note", str(error))
        yield _port()
        return
    yield Finding(
        "engine", "ok", f"version {health['version']}, process {health['pid']}, up since {health['startedAt']}"
    )


def settings() -> Iterator[Finding]:
    """What the user wrote into config/settings.yaml is valid, and is all of it heeded."""
    import yaml

    from engine.gates.policy import parse_rules
    from engine.storage.layout import Layout
    from voice.loop.settings import VoiceSettings, load_settings

    path = Layout(home()).settings
    if not path.is_file():
        yield Finding("settings", "ok", f"{path} is not there, so everything has its default")
        return
    try:
        load_settings(home())
        written = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        parse_rules(written)
    except ConduitError as error:
        yield Finding("settings", "failed", str(error), f"Correct {path}; until then it allows nothing by itself.")
        return
    known = set(VoiceSettings.model_fields) | {str(field.alias) for field in VoiceSettings.model_fields.values()}
    unheeded = [f"voice.{name}" for name in written.get("voice") or {} if name not in known]
    unheeded += [str(name) for name in written if name not in _SECTIONS]
    if unheeded:
        yield Finding(
            "settings", "note", f"{path} has what nothing heeds: {', '.join(unheeded)}. Look at its spelling."
        )
        return
    yield Finding("settings", "ok", str(path))


def _port() -> Finding:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            remedy = f"End the program that holds it (ss -ltnp), or: conduit up --port {DEFAULT_PORT + 1}"
            return Finding("port", "failed", f"Port {DEFAULT_PORT} is taken by another program.", remedy)
    return Finding("port", "ok", f"{DEFAULT_PORT} is free")


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (folder, settings, engine, sound, models, clis)


def all_findings() -> Iterator[Finding]:
    """Every finding; a check that can't run is itself a finding, so that the others are still told."""
    for check in CHECKS:
        try:
            yield from check()
        except (ConduitError, OSError, ImportError) as error:
            yield Finding(check.__name__, "failed", f"This could not be checked: {error}", "Run ./scripts/setup again.")
