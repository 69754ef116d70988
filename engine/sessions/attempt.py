"""What a session keeps of its start: how it was launched, and the skills and rules that it was given, with digests."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

from engine.domain.errors import Unavailable
from engine.domain.projects import Agent
from engine.domain.runs import Run
from engine.domain.secrets import mask
from engine.sessions.seeding import PACK, digest, effective_skills
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_json, write_json
from engine.storage.layout import Layout


def record(layout: Layout, run: Run, agent: Agent, *, variables: tuple[str, ...], profile: str) -> None:
    """At the first start: snapshot the host assets, then say in template.json what was taken; no variable's value."""
    assets = layout.host_assets(run.id)
    with guarded(assets, "write"):
        disk.make_folder(assets)
        for name, folder in effective_skills(layout).items():
            shutil.copytree(folder, assets / "skills" / name, dirs_exist_ok=True)
        rules = layout.packs / PACK / "rules"
        if rules.is_dir():
            shutil.copytree(rules, assets / "rules", dirs_exist_ok=True)
    template: dict[str, Any] = {
        "cli": agent.cli,
        "command": [mask(part)[0] for part in agent.command or ()],
        "flags": [mask(part)[0] for part in agent.flags],
        "cwd": agent.cwd,
        "variables": sorted(variables),
        "profile": profile,
        "pack": {"id": PACK, "digest": digest(layout.packs / PACK)},
        "hostAssets": _digests(assets),
    }
    write_json(layout.template(run.id), template)


def check(layout: Layout, run: Run) -> None:
    """Before a resume: Unavailable when the snapshot that the session began with is missing or was altered."""
    try:
        template = read_json(layout.template(run.root_id or run.id)).value
    except FileNotFoundError:
        return  # begun by a version that took none: there is nothing to compare with
    wanted = template.get("hostAssets")
    found = _digests(layout.host_assets(run.root_id or run.id))
    if found == wanted or not isinstance(wanted, dict):
        return
    different = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    raise Unavailable(
        f"S-{run.number} can't be resumed: its snapshot of skills and rules was altered ({', '.join(different[:5])}). "
        "Restore the folder host-assets from a backup, or start a fresh session."
    )


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
