"""How a session's journal tells the life of a run: ``run.created`` holds the record, ``run.changed`` what changed."""

from collections.abc import Set
from dataclasses import fields
from pathlib import Path
from typing import Any, TypedDict

from pydantic.alias_generators import to_camel

from engine.domain.runs import Run, RunState
from engine.storage.files import iter_jsonl
from engine.storage.records import from_dict, to_dict

CREATED = "run.created"
CHANGED = "run.changed"
OFFSET = "journalOffset"  # in run.json: the byte of the journal up to which it has been applied

Raw = dict[str, Any]
# Kept by the place of the folder, or written too often to be journalled: no difference is made of them.
_UNCHECKED = frozenset(("controlPath", "workspacePath", "outputOffset", "updatedAt"))


class RunChanges(TypedDict, total=False):
    """What may change in a run's life."""

    state: RunState
    agent_name: str
    ended_at: str | None
    exit_code: int | None
    reason: str | None
    conversation_id: str | None
    output_offset: int


def changes_on_disk(before: Run, after: Run, quiet: Set[str]) -> Raw:
    """The fields that differ, camelCase, None for one that was removed; ``quiet`` ones alone make no difference."""
    changed = [f.name for f in fields(Run) if getattr(before, f.name) != getattr(after, f.name)]
    if not set(changed) - quiet:
        return {}
    return {to_camel(name): getattr(after, name) for name in changed}


def replay(journal: Path, run_id: str) -> tuple[Raw | None, int]:
    """A run's record as the whole journal tells it, and how far that was; None when it does not say how it began."""
    size = journal.stat().st_size if journal.exists() else 0
    record: Raw | None = None
    for line in iter_jsonl(journal):
        if line.get("runId") != run_id or not isinstance(line.get("data"), dict):
            continue
        if line.get("type") == CREATED:
            record = dict(line["data"])
        elif line.get("type") == CHANGED and record is not None:
            record = _changed(record, line["data"])
    return record, size


def apply(run: Run, journal: Path, start: int) -> tuple[Run, int] | None:
    """``run`` with the changes that the journal holds after byte ``start``; None when there are none."""
    record, found = to_dict(run), False
    for line in iter_jsonl(journal, start):
        if line.get("runId") == run.id and line.get("type") == CHANGED and isinstance(line.get("data"), dict):
            record, found = _changed(record, line["data"]), True
    return (from_dict(Run, record), journal.stat().st_size) if found else None


def differences(stored: Raw, told: Raw, run: Run) -> list[str]:
    """One sentence for each field in which run.json and journal differ."""
    keys = sorted((stored.keys() | told.keys()) - _UNCHECKED - {OFFSET})
    return [
        f"S-{run.number} ({run.id}): {key} is {stored.get(key)!r} in run.json, {told.get(key)!r} in the journal."
        for key in keys
        if stored.get(key) != told.get(key)
    ]


def _changed(record: Raw, data: Raw) -> Raw:
    return {key: value for key, value in {**record, **data}.items() if value is not None}
