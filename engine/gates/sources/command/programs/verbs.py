"""Programs judged by their subcommand, from data: clusters, clouds, package managers, services."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.targets import resolve

SHOWN = 4  # operands that name the effect
_FILE = Path(__file__).parent.parent / "data" / "verbs.yaml"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the data file."""

    words: tuple[tuple[str, ...], ...]
    flags: tuple[str, ...]
    without: tuple[str, ...]
    more: bool | None
    say: str


@dataclass(frozen=True, slots=True)
class Program:
    """The rules of one program."""

    values: tuple[str, ...]
    rules: tuple[Rule, ...]
    default: str


@lru_cache(maxsize=1)
def _data() -> tuple[dict[str, dict[str, str]], dict[str, Program]]:
    raw = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    programs: dict[str, Program] = {}
    for name, entry in raw["programs"].items():
        one = Program(tuple(entry.get("values", ())), tuple(_rule(r) for r in entry.get("rules", ())), entry["default"])
        programs.update(dict.fromkeys((name, *entry.get("also", ())), one))
    return raw["outcomes"], programs


def _rule(raw: dict[str, Any]) -> Rule:
    words = tuple(tuple(word.split("|")) for word in str(raw["when"]).split())
    return Rule(words, tuple(raw.get("flags", ())), tuple(raw.get("without", ())), raw.get("more"), raw["say"])


def known(name: str) -> bool:
    """Whether the data file has this program."""
    return _find(name) is not None


def _find(name: str) -> Program | None:
    programs = _data()[1]
    if name in programs:
        return programs[name]
    return programs["pip"] if fnmatchcase(name, "pip3.*") else None


def judge(call: Call, bench: Bench) -> list[Finding]:
    """The finding of the first rule that matches, or of the default."""
    program = _find(call.name)
    if program is None or _only_asks(call):
        return []
    got = options.parse(call.args, program.values)
    if (far := _far(call, got, bench)) is not None:
        return [far]
    say = next((rule.say for rule in program.rules if _matches(rule, got)), program.default)
    return outcome(say, call.name, got)


def _far(call: Call, got: options.Options, bench: Bench) -> Finding | None:
    """Build files of another place: nobody has looked at them as part of this project."""
    if call.name not in ("make", "gmake", "just", "task", "ninja", "cargo", "mvn", "gradle", "npm", "yarn", "pnpm"):
        return None
    for name in ("f", "file", "C", "directory", "manifest-path", "prefix", "cwd"):
        for word in got.values.get(name, []):
            if resolve(word, call.scope, bench.where).place != "project":
                return unknown(f"{call.name} {word.text}")
    return None


def _only_asks(call: Call) -> bool:
    return "--help" in call.texts or call.texts in (["--version"], ["-version"], ["-help"], ["-h"], ["-V"])


def outcome(say: str, name: str, got: options.Options) -> list[Finding]:
    """A named outcome of the data file as findings."""
    entry: dict[str, Any] = _data()[0][say]
    if not entry:
        return []
    shown = " ".join([name, *[word.text for word in got.operands[:SHOWN]]])
    return [found(entry["kind"], (shown,), entry["place"], entry["phrase"], undo=entry.get("undo", "no"))]


def _matches(rule: Rule, got: options.Options) -> bool:
    texts = [word.text for word in got.operands]
    if len(texts) < len(rule.words) and rule.words != (("*",),):
        return False
    if not all(_one(text, choices) for text, choices in zip(texts, rule.words, strict=False)):
        return False
    if rule.more is not None and (len(texts) > len(rule.words)) != rule.more:
        return False
    if rule.flags and not _given(rule.flags, got):
        return False
    return not (rule.without and _given(rule.without, got))


def _one(text: str, choices: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, choice) for choice in choices)


def _given(names: tuple[str, ...], got: options.Options) -> bool:
    joined = "".join(sorted(got.short))
    return any(
        name in got.long or name in got.short or (len(name) > 1 and set(name) <= got.short and name in joined)
        for name in names
    )
