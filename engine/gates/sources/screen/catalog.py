"""The patterns of the prompts, from the data files, compiled once."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from engine.domain.gates import Tier

_FOLDER = Path(__file__).parent / "prompts"
_AIDER = frozenset(("aider", "gpt", "nemotron"))

Mode = Literal["words", "keys", "secret", "any", "pager", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePrompt:
    """A question of one line at the cursor."""

    id: str
    mode: Mode
    match: re.Pattern[str]
    tier: Tier | None = None
    above: int = 0  # rows above that belong to the question
    needs: re.Pattern[str] | None = None  # has to stand above
    full: bool = False  # only on a full alternate screen: a pager that shows the name of its file
    accept: str = ""
    refuse: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPrompts:
    """What is particular to one CLI's screens."""

    keys: str
    composer: re.Pattern[str]
    placeholder: re.Pattern[str]
    at_cursor: bool = False
    framed: bool = False  # the input line stands between two rules
    buttons: tuple[str, ...] = ()
    needs: re.Pattern[str] | None = None
    title: re.Pattern[str] | None = None
    edit: re.Pattern[str] | None = None
    edit_path: re.Pattern[str] | None = None
    busy: re.Pattern[str] | None = None
    trust: re.Pattern[str] | None = None
    routine: re.Pattern[str] | None = None


def _read(name: str) -> Any:
    return yaml.safe_load((_FOLDER / name).read_text(encoding="utf-8"))


_KEYS = frozenset(("id", "mode", "match", "tier", "above", "needs", "accept", "refuse", "full"))


def _strict(raw: dict[str, Any]) -> None:
    """A misspelt key (YAML reads ``yes:`` as a truth value) must never turn an answer into a bare Enter."""
    if set(raw) - _KEYS:
        raise ValueError(f"common.yaml: {raw.get('id')} has unknown keys {set(raw) - _KEYS}")
    if raw["mode"] == "words" and not (raw.get("accept") and raw.get("refuse")):
        raise ValueError(f"common.yaml: {raw['id']} is answered by words and needs accept and refuse")


@lru_cache(maxsize=1)
def line_prompts() -> tuple[LinePrompt, ...]:
    """All line prompts, in the order in which they are tried."""
    results = []
    for raw in _read("common.yaml"):
        needs = re.compile(raw["needs"]) if "needs" in raw else None
        _strict(raw)
        fields = {key: raw[key] for key in ("id", "mode", "tier", "above", "accept", "refuse", "full") if key in raw}
        results.append(LinePrompt(match=re.compile(raw["match"]), needs=needs, **fields))
    return tuple(results)


@lru_cache(maxsize=32)
def agent_prompts(cli: str) -> AgentPrompts:
    """The patterns of a CLI; a registered command gets the general ones."""
    every = _read("agents.yaml")
    raw = every.get("aider" if cli in _AIDER else cli, every["other"])
    patterns = ("composer", "placeholder", "needs", "title", "edit", "edit_path", "busy", "trust", "routine")
    compiled: dict[str, Any] = {key: re.compile(raw[key]) for key in patterns if key in raw}
    plain: dict[str, Any] = {key: raw[key] for key in ("keys", "at_cursor", "framed") if key in raw}
    return AgentPrompts(buttons=tuple(raw.get("buttons", ())), **plain, **compiled)
