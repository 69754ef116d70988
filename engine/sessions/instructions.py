"""Instructions handed to agents in the file that their CLI reads (CLAUDE.md, AGENTS.md, GEMINI.md), while they run.

``agents/instructions.json`` says which runs need which file. It is written before the file and cleared after it, so
that an engine that died in between puts things right at its next start.
"""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from engine.domain.projects import Project
from engine.sessions import section
from engine.sessions.seeding import PACK
from engine.storage.files import locked, read_json, write_json
from engine.storage.layout import Layout


def text_for(layout: Layout, project: Project) -> str:
    """What every agent of a project is told: the project, and the rules of the shipped pack."""
    about = f"# Project {project.name}\n\n{project.description or ''}".strip()
    rules = [path.read_text("utf-8").strip() for path in sorted((layout.packs / PACK / "rules").glob("*.md"))]
    return "\n\n".join([about, *rules])


class Instructions:
    """Puts sections in and takes them out; blocking, safe to call from several threads."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lock = threading.Lock()

    def give(self, project: Project, run_id: str, cwd: Path, name: str) -> str | None:
        """The run needs this file from now on; a sentence for a person when it could not be written."""
        folder = cwd.resolve()
        with self._lock, locked(self._layout.instructions):
            before = self._load()
            path = str(folder / name)
            known = before.get(path, {"runs": [], "made": not section.exists(folder, name)})
            write_json(self._layout.instructions, {**before, path: {**known, "runs": sorted({*known["runs"], run_id})}})
            untold = section.put(folder, name, text_for(self._layout, project))
            if untold:  # nothing was written, so nothing has to go
                write_json(self._layout.instructions, before)
        return untold

    def take(self, run_id: str) -> list[str]:
        """The run has ended: sections that no other run needs go."""
        return self._release(lambda run: run == run_id)

    def keep_only(self, live: Iterable[str]) -> list[str]:
        """At the engine's start: what belongs to no living run goes."""
        kept = frozenset(live)
        return self._release(lambda run: run not in kept)

    def _release(self, over: Callable[[str], bool]) -> list[str]:
        with self._lock, locked(self._layout.instructions):
            book = self._load()
            left = {path: [run for run in known["runs"] if not over(run)] for path, known in book.items()}
            if all(runs and runs == book[path]["runs"] for path, runs in left.items()):
                return []
            failed = {path: self._remove(Path(path), book[path]) for path, runs in left.items() if not runs}
            # A file that could not be put right stays in the book, and is tried again whenever a run ends or the engine
            # starts; it is told once.
            kept = {path: {**book[path], "runs": runs} for path, runs in left.items() if runs or failed[path]}
            if kept != book:
                write_json(self._layout.instructions, kept)
            return [sentence for path, sentence in failed.items() if sentence and book[path]["runs"]]

    def _remove(self, path: Path, known: dict[str, Any]) -> str | None:
        if not path.parent.is_dir():
            return None  # gone with its folder
        return section.remove(path.parent, path.name, made=bool(known.get("made")))

    def _load(self) -> dict[str, Any]:
        try:
            return dict(read_json(self._layout.instructions).value)
        except FileNotFoundError:
            return {}
