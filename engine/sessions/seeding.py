"""Configuration at the engine's start: the shipped pack by digest; the rest only where it is missing."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import write_text
from engine.storage.layout import Layout

SHIPPED = Path(__file__).with_name("pack") / "conduit"
PACK = "conduit"
_STANDARD = """\
# How agents of a project work unless it chooses another profile. Yours: Conduit writes it only when it is missing.
id: standard
title: Standard
packs: [conduit]
"""
_BUILT_IN = """\
  - id: local
    title: This machine
    kind: local
"""
_CONNECTIONS = f"""\
# Where agents run and what they may reach. Yours; the connection "local" is added whenever it is missing.
connections:
{_BUILT_IN}"""


def seed(layout: Layout) -> list[str]:
    """Write what is missing and the shipped pack when it differs; one sentence for what a person should know."""
    for folder in (layout.config, layout.profiles, layout.packs, layout.skill_overrides):
        with guarded(folder, "create"):
            disk.make_folder(folder)
    _pack(layout.packs)
    standard = layout.profiles / "standard.yaml"
    if not standard.exists():
        write_text(standard, _STANDARD)
    return [*_connection(layout.connections), *stale_overrides(layout)]


def digest(folder: Path) -> str:
    """SHA-256 over the names and contents of all files below a folder; empty when there is no such folder."""
    if not folder.is_dir():
        return ""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder)).encode()
        total.update(len(name).to_bytes(4, "big") + name + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class Override:
    """A shipped skill as the user edited it: ``base`` is what it was made from, ``effective`` what agents get."""

    skill: str
    base: Path
    effective: Path

    @property
    def stale(self) -> bool:
        """Whether the shipped skill has changed since."""
        return digest(self.base) != digest(SHIPPED / "skills" / self.skill)


def overrides(layout: Layout) -> list[Override]:
    """The user's edits of shipped skills, by name."""
    folder = layout.skill_overrides
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    found = [Override(name, folder / name / "base", folder / name / "effective") for name in names]
    return [each for each in found if each.effective.is_dir()]


def override(layout: Layout, skill: str) -> Override:
    """Begin to edit a shipped skill: its base and an effective copy side by side. Harmless when it was begun."""
    shipped = SHIPPED / "skills" / skill
    made = Override(skill, layout.skill_overrides / skill / "base", layout.skill_overrides / skill / "effective")
    for folder in (made.base, made.effective):
        with guarded(folder, "write"):
            if not folder.exists():
                disk.make_folder(folder.parent)
                _copy(shipped, folder)
    return made


def effective_skills(layout: Layout) -> dict[str, Path]:
    """The folder of each skill that new sessions get."""
    skills = {path.name: path for path in (layout.packs / PACK / "skills").glob("*") if path.is_dir()}
    return skills | {each.skill: each.effective for each in overrides(layout)}


def stale_overrides(layout: Layout) -> list[str]:
    """One sentence for each edited skill whose shipped base has changed since."""
    return [
        f"The shipped skill {each.skill} has changed since you edited it; yours, {each.effective}, stays in force."
        for each in overrides(layout)
        if each.stale
    ]


def _pack(packs: Path) -> None:
    """Replace the shipped pack when its digest differs. A crash in between leaves none: then it is written again."""
    present = packs / PACK
    if digest(present) == digest(SHIPPED):
        return
    with guarded(present, "write"):
        for left in packs.glob(".*-conduit"):
            disk.remove_tree(left)
        _copy(SHIPPED, packs / ".new-conduit")
        if present.exists():
            disk.move(present, packs / ".old-conduit")
        disk.move(packs / ".new-conduit", present)
        disk.remove_tree(packs / ".old-conduit")


def _connection(path: Path) -> list[str]:
    if not path.exists():
        write_text(path, _CONNECTIONS)
        return []
    with guarded(path, "read"):
        text = path.read_text("utf-8", errors="replace")
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        return [f"{path} is not YAML, so the built-in connection could not be added: {' '.join(str(fault).split())}."]
    if raw is not None and not (isinstance(raw, dict) and isinstance(raw.get("connections") or [], list)):
        return [f"{path} holds no list of connections; mend it, or move it away, and start the engine again."]
    entries: list[Any] = (raw or {}).get("connections") or []
    if any(isinstance(entry, dict) and entry.get("id") == "local" for entry in entries):
        return []
    write_text(path, _with_local(text, raw or {}, entries))
    return []


def _with_local(text: str, raw: dict[str, Any], entries: list[Any]) -> str:
    """The user's text with one entry more; written anew only where a line put in would not mean that."""
    wanted = {**raw, "connections": [*yaml.safe_load(f"x:\n{_BUILT_IN}")["x"], *entries]}
    head, found, tail = f"\n{text}".partition("\nconnections:\n")
    put_in = f"{head}{found}{_BUILT_IN}{tail}".removeprefix("\n")
    try:
        if found and yaml.safe_load(put_in) == wanted:
            return put_in
    except yaml.YAMLError:  # entries that are indented otherwise
        return yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True)
    return yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True)


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        for path in folder.iterdir():
            if path.is_file():
                _sync(path)
        disk.sync_folder(folder)
    disk.sync_folder(target.parent)


def _sync(path: Path) -> None:
    with path.open("rb") as stream:
        disk.sync(stream.fileno())
