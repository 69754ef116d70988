"""Labels of choices: what each means, and which keys pick it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.domain.gates import Choice, ChoiceKind, Keys

ESCAPE = Choice("Escape", "reject", Keys(("\x1b",)))
_ALWAYS = re.compile(
    r"\balways\b|don['’]?t ask|do not ask|never ask|\ball (edits|commands|future|similar|sessions?)\b"
    r"|(this|the|entire|whole) session"
    r"|every time|\bremember\b|permanent|trust all|auto-?(accept|approve)|\byolo\b|\bforever\b"
    r"|\bfrom now on\b|\bautomatically\b|\ballow all\b|^all\b",
    re.I,
)
_REJECT = re.compile(
    r"^(no\b|n$|reject|deny|den(y|ied)|decline|cancel|don['’]?t|do not|abort|exit|quit|stop|go back"
    r"|back\b|never|skip|disallow|keep|not now|discard|refuse)",
    re.I,
)
_APPROVE = re.compile(
    r"^(yes\b|y$|ok\b|okay|allow|approve|accept|proceed|continue|trust|run\b|confirm|apply|once|sure"
    r"|install|overwrite|delete|submit|execute|enable|use this|i trust)",
    re.I,
)


def kind_of(label: str) -> ChoiceKind:
    """What picking this label means; a standing permission is neither approval nor refusal."""
    if _REJECT.match(label):
        return (
            "other"
            if _ALWAYS.search(label)
            and re.match(r"no\b", label, re.I)
            and "don" not in label[:3].lower()
            and _standing(label)
            else "reject"
        )
    if _ALWAYS.search(label):
        return "always"
    return "approve" if _APPROVE.match(label) else "other"


def _standing(label: str) -> bool:
    """``No, and don't ask again`` refuses more than this one question."""
    return re.search(r"ask again|always|session|remember", label, re.I) is not None


def settled(choices: Sequence[Choice], *, escape: bool = True) -> tuple[Choice, ...]:
    """At most one approval and one refusal by label; Escape only where no label refuses."""
    seen: set[ChoiceKind] = set()
    results: list[Choice] = []
    for choice in choices:
        once = choice.kind in ("approve", "reject")
        results.append(replace(choice, kind="other") if once and choice.kind in seen else choice)
        seen.add(choice.kind)
    if escape and "reject" not in seen:
        results.append(ESCAPE)
    return tuple(results)


def typed(label: str, kind: ChoiceKind, text: str) -> Choice:
    """A choice that is typed and entered: two writes."""
    return Choice(label, kind, Keys((*((text,) if text else ()), "\r")))
