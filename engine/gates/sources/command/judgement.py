"""What a judge says: findings while it reads, one Judgement at the end, the worst part first."""

from dataclasses import dataclass, field
from typing import Literal

from engine.domain.gates import Effect, EffectKind, Place, Undo

JudgedTier = Literal["harmful", "routine", "none"]

_PLACE_RANK: dict[Place, int] = {
    "root": 9,
    "system": 8,
    "home": 7,
    "infrastructure": 6,
    "database": 6,
    "unknown": 5,
    "remote": 5,
    "outside": 4,
    "project": 2,
    "temp": 1,
}
_KIND_RANK: dict[EffectKind, int] = {
    "destroy": 9,
    "delete": 8,
    "drop": 8,
    "rewrite_history": 7,
    "overwrite": 6,
    "send": 6,
    "escape": 6,
    "configure": 5,
    "execute": 5,
    "publish": 5,
    "privilege": 4,
    "stop": 4,
    "unknown": 3,
    "install": 2,
}
_OWN_PLACES: frozenset[Place] = frozenset(("project", "temp"))


@dataclass(frozen=True, slots=True)
class Finding:
    """An effect, with the key of the phrase that tells it and what that phrase counts."""

    effect: Effect
    phrase: str
    noun: str = "thing"
    count: int = 0  # a number known from git or the file system, 0 when it is just the targets


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome for one command, edit or tool call; ``findings`` are sorted, the worst first."""

    command: str
    tier: JudgedTier
    findings: tuple[Finding, ...] = ()
    screen_only: str | None = None
    scripts: tuple[str, ...] = field(default=())  # absolute paths of local scripts that it runs

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects as data, worst first."""
        return tuple(finding.effect for finding in self.findings)

    @property
    def worst(self) -> Effect | None:
        """The worst effect, or None when nothing needs an approval."""
        return self.findings[0].effect if self.findings else None


def found(
    kind: EffectKind,
    targets: tuple[str, ...],
    place: Place,
    phrase: str,
    *,
    undo: Undo = "no",
    noun: str = "thing",
    count: int = 0,
) -> Finding:
    """A finding in one call."""
    return Finding(Effect(kind, targets, place, undo), phrase, noun, count)


def tier_of(effect: Effect) -> JudgedTier:
    """How bad one effect is: what can be taken back inside the project is routine, all else harmful."""
    if effect.kind == "execute" and effect.place == "project":
        return "routine"
    if effect.place == "infrastructure" and effect.kind == "execute" and effect.undo == "yes":
        return "routine"
    if effect.place == "database" and effect.undo == "unknown" and effect.kind in ("delete", "overwrite"):
        return "routine"  # narrowed by a condition
    if effect.kind == "privilege" and effect.undo == "yes":
        return "routine"
    if effect.kind == "send" and effect.undo == "yes":
        return "routine"
    if effect.undo in ("yes", "git") and effect.place in _OWN_PLACES:
        return "routine"
    return "harmful"


def badness(finding: Finding) -> tuple[int, int, int, int]:
    """Sort key, larger is worse: tier, place, kind, number of targets."""
    effect = finding.effect
    manner = effect.kind == "privilege" or (effect.kind == "escape" and effect.place == "system")
    return (
        1 if tier_of(effect) == "harmful" else 0,
        0 if manner else _PLACE_RANK[effect.place],  # what is done leads; as whom and where it runs follows
        _KIND_RANK[effect.kind],
        len(effect.targets),
    )


def place_rank(place: Place) -> int:
    """How bad a place is, larger is worse."""
    return _PLACE_RANK[place]


def conclude(
    command: str, findings: list[Finding], screen_only: str | None = None, scripts: tuple[str, ...] = ()
) -> Judgement:
    """Sort, drop repeats, and name the tier."""
    ordered = tuple(sorted(dict.fromkeys(findings), key=badness, reverse=True))
    tiers = {tier_of(finding.effect) for finding in ordered}
    tier: JudgedTier = "harmful" if "harmful" in tiers or screen_only else "routine" if tiers else "none"
    return Judgement(command, tier, ordered, screen_only, scripts)
