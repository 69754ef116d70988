"""The judge of shell commands: parse, walk, collect, conclude; whatever goes wrong counts as harmful."""

import logging
import re

from engine.domain.gates import Effect
from engine.gates.sources.command import hidden, shell
from engine.gates.sources.command.call import Bench, Scope, TooMuch, unknown
from engine.gates.sources.command.judgement import Finding, Judgement, conclude, found, tier_of
from engine.gates.sources.command.programs import registry, sql
from engine.gates.sources.command.surroundings import Surroundings

_log = logging.getLogger(__name__)
MAX_LENGTH = 65_536  # characters; longer commands are not read
_WINDOWS_DELETES = re.compile(r"\s*(Remove-Item|Clear-Content|del|erase|rd)\s", re.I)
_FOR_SCREEN = frozenset(("home", "root", "system"))
_CHANGES = frozenset(("delete", "overwrite", "destroy", "configure"))


def judge(command: str, where: Surroundings) -> Judgement:
    """What ``command`` would do in ``where``; never raises."""
    reason = hidden.why(command)
    if len(command) > MAX_LENGTH:
        return conclude(command, [unknown("a very long command")], reason or "long")
    bench = Bench(where, shell.run, registry.judge_call)
    if not reason and sql.only_reads(command):
        return conclude(command, [])
    try:
        bench.run(bench, _slashed(command), Scope(where.cwd), None)
    except (TooMuch, RecursionError):
        bench.findings.append(unknown("a command too deep to follow"))
    except Exception:  # noqa: BLE001 - a fault of the judge must never let a command through, nor silence its gate
        _log.exception("the judge failed, so the command counts as harmful")
        bench.findings.append(unknown("a command that the judge could not follow"))
    findings = _bomb(command) + bench.findings
    if reason == "hidden" and not findings:
        findings = [found("unknown", ("hidden characters",), "unknown", "hidden", undo="unknown")]
    screen_only = reason or _places(tuple(f.effect for f in findings))
    return conclude(command, findings, screen_only, tuple(dict.fromkeys(bench.scripts)))


def _slashed(command: str) -> str:
    """PowerShell's and cmd's deletes with forward slashes: there a backslash parts folders and hides nothing."""
    return command.replace("\\", "/") if _WINDOWS_DELETES.match(command) else command


def _bomb(command: str) -> list[Finding]:
    squeezed = "".join(command.split())
    return [found("stop", ("the machine",), "system", "fork_bomb")] if ":(){:|:&};:" in squeezed else []


def _places(effects: tuple[Effect, ...]) -> str | None:
    """Deleting or changing home, root or system is decided on a screen."""
    for effect in effects:
        if effect.place in _FOR_SCREEN and effect.kind in _CHANGES and tier_of(effect) == "harmful":
            return effect.place
    return None
