"""Programs judged by their subcommand, from data: clusters, clouds, package managers, services."""

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from engine.gates.sources.command import options, paths
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import runners
from engine.gates.sources.command.targets import Target, resolve
from engine.gates.sources.command.words import Word
from engine.gates.sources.command.writes import write

SHOWN = 4  # operands that name the effect
# Options whose value is what the command is about.
_NAMING = (
    "db-instance-identifier",
    "instance-ids",
    "stack-name",
    "function-name",
    "table-name",
    "bucket",
    "user-name",
    "role-name",
    "group-id",
    "cluster",
    "repository-name",
    "name",
    "names",
)
_STAGES = ("profile", "context", "n", "namespace", "project", "account", "cluster", "kube-context")
_PRODUCTION = re.compile(r"(^|[-_./])(prod|prd|production|live)([-_./\d]|$)", re.I)
_FOLDER = Path(__file__).parent.parent / "data" / "verbs"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the data file."""

    words: tuple[tuple[str, ...], ...]
    flags: tuple[str, ...]
    without: tuple[str, ...]
    more: bool | None
    say: str
    rest: tuple[str, ...] = ()  # all further operands have to match one of these
    holds: str = ""  # a pattern that one of the arguments matches
    lands: int | None = None  # the operand, by number, that is a local place written to


@dataclass(frozen=True, slots=True)
class Program:
    """The rules of one program."""

    values: tuple[str, ...]
    rules: tuple[Rule, ...]
    default: str
    destroy: str = "destroy_infra"  # the outcome of a destroying verb of the vocabulary
    one_dash: bool = False  # long options begin with one dash
    by_verb: bool = False  # nouns and verbs in any depth: the shared vocabulary decides where no rule does


@lru_cache(maxsize=1)
def _data() -> tuple[dict[str, dict[str, str]], dict[str, Program]]:
    outcomes: dict[str, dict[str, str]] = {}
    programs: dict[str, Program] = {}
    for file in sorted(_FOLDER.glob("*.yaml")):
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
        outcomes.update(raw.get("outcomes", {}))
        for name, entry in raw["programs"].items():
            rules = tuple(_rule(r) for r in entry.get("rules", ()))
            one = Program(
                tuple(entry.get("values", ())),
                rules,
                entry["default"],
                entry.get("destroy", "destroy_infra"),
                bool(entry.get("one_dash")),
                bool(entry.get("verbs")),
            )
            programs.update(dict.fromkeys((name, *entry.get("also", ())), one))
    return outcomes, programs


@lru_cache(maxsize=1)
def _vocabulary() -> dict[str, frozenset[str]]:
    """Verbs that programs with nouns and verbs share: what reads, what destroys, what changes."""
    raw = yaml.safe_load((_FOLDER.parent / "vocabulary.yaml").read_text(encoding="utf-8"))
    return {kind: frozenset(str(words).split()) for kind, words in raw.items()}


def _rule(raw: dict[str, Any]) -> Rule:
    words = tuple(tuple(word.split("|")) for word in str(raw["when"]).split())
    return Rule(
        words,
        tuple(raw.get("flags", ())),
        tuple(raw.get("without", ())),
        raw.get("more"),
        raw["say"],
        _split(raw, "rest"),
        str(raw.get("holds", "")),
        raw.get("lands"),
    )


def _split(raw: dict[str, Any], key: str) -> tuple[str, ...]:
    return tuple(str(raw[key]).split("|")) if key in raw else ()


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
    got = options.parse(_dashed(call.args) if program.one_dash else call.args, program.values)
    if (far := _far(call, got, bench)) is not None:
        return [far]
    return _by_rule(call, program, got, bench) + runners.behind(call, got, bench)


def _by_rule(call: Call, program: Program, got: options.Options, bench: Bench) -> list[Finding]:
    rule = next((rule for rule in program.rules if _matches(rule, got) and _holds(rule, call)), None)
    if rule is None:
        say = _by_verb(call, program) if program.by_verb else program.default
        return _in_production(outcome(say, call.name, got), call, got)
    return _in_production(outcome(rule.say, call.name, got), call, got) + _landed(rule, got, call, bench)


def _in_production(findings: list[Finding], call: Call, got: options.Options) -> list[Finding]:
    """A profile, context or namespace of production is told along: the same words elsewhere do no harm."""
    given = [value for _, value in call.env] + [w.text for name in _STAGES for w in got.values.get(name, [])]
    stage = next((value for value in given if _PRODUCTION.search(value)), None)
    if stage is None:
        return findings
    told = [replace(f.effect, targets=tuple(f"{t}, in {stage}" for t in f.effect.targets)) for f in findings]
    return [replace(f, effect=effect) for f, effect in zip(findings, told, strict=True)]


def _landed(rule: Rule, got: options.Options, call: Call, bench: Bench) -> list[Finding]:
    if rule.lands is None or len(got.operands) <= rule.lands:
        return []
    target = resolve(got.operands[rule.lands], call.scope, bench.where)
    if target.path is not None and (bench.where.is_dir(target.path) or target.shown.endswith(("/", "."))):
        return [] if target.place in ("project", "temp") or paths.is_temp_root(target.path) else [_outside(target)]
    one = write(target, bench.where)
    return [one] if one else []


def _outside(target: Target) -> Finding:
    return found("overwrite", (target.shown,), target.place, "write_outside", noun="folder")


def _by_verb(call: Call, program: Program) -> str:
    """The words before the first option, each split at its colon: the worst verb among them decides."""
    words = _leading(call, program)
    known = _vocabulary()
    if words & known["destroys"]:
        return program.destroy
    if words & known["changes"]:
        return program.default
    return "none" if words & known["reads"] else program.default


def _leading(call: Call, program: Program) -> set[str]:
    words: set[str] = set()
    rest = list(call.texts)
    while rest:
        text = rest.pop(0)
        if text.startswith("-"):
            if words:
                break
            name = text.lstrip("-")
            rest = rest[1:] if name in program.values else rest
            continue
        low = text.lower()
        words |= {low, *low.split(":"), low.split("-")[0]}
    return words


def _dashed(args: tuple[Word, ...]) -> list[Word]:
    """``-modcache`` of programs whose long options have one dash."""
    long = [len(w.text) > 2 and w.text[0] == "-" and w.text[1] != "-" for w in args]
    return [
        replace(w, text=f"-{w.text}", bare=f"-{w.bare}") if is_long else w
        for w, is_long in zip(args, long, strict=True)
    ]


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
    given = [word.text for option in _NAMING for word in got.values.get(option, [])]
    shown = " ".join([name, *[word.text for word in got.operands[:SHOWN]], *given[:1]])
    return [found(entry["kind"], (shown,), entry["place"], entry["phrase"], undo=entry.get("undo", "no"))]


def _matches(rule: Rule, got: options.Options) -> bool:
    texts = [word.text for word in got.operands]
    if len(texts) < len(rule.words) and rule.words != (("*",),):
        return False
    if not all(_one(text, choices) for text, choices in zip(texts, rule.words, strict=False)):
        return False
    if rule.more is not None and (len(texts) > len(rule.words)) != rule.more:
        return False
    further = texts[len(rule.words) :]
    if rule.rest and not (further and all(_one(text, rule.rest) for text in further)):
        return False
    if rule.flags and not _given(rule.flags, got):
        return False
    return not (rule.without and _given(rule.without, got))


def _holds(rule: Rule, call: Call) -> bool:
    return not rule.holds or any(fnmatchcase(text, rule.holds) for text in call.texts)


def _one(text: str, choices: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, choice) for choice in choices)


def _given(names: tuple[str, ...], got: options.Options) -> bool:
    joined = "".join(sorted(got.short))
    return any(
        name in got.long or name in got.short or (len(name) > 1 and set(name) <= got.short and name in joined)
        for name in names
    )
