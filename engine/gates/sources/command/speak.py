"""The sentence for the ear: what a judgement means, with names and numbers, from a file a language."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from engine.gates.sources.command.hidden import visible
from engine.gates.sources.command.judgement import Finding, Judgement, place_rank

_HOME = re.compile(r"(~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+|/root|)/?\*?/?")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_OUTPUT = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_TELL_PLACE = frozenset(("remove_system", "delete_local", "code_deletes"))  # phrases that tell where by themselves
_FOLDERS = frozenset(("find_delete", "git_clean"))
_AFAR = frozenset(("outside", "system", "home", "unknown"))
MAX_NAMED = 2
MAX_NAME = 60  # characters of a name that is read out


@lru_cache(maxsize=8)
def phrases(language: str = "en") -> dict[str, Any]:
    """The phrases of a language."""
    path = Path(__file__).parent / "phrases" / f"{language}.yaml"
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def spoken(judgement: Judgement, language: str = "en") -> str:
    """One sentence, the worst part first; empty when nothing needs an approval."""
    words = phrases(language)
    groups = _grouped(judgement.findings)
    parts = [_part(group, words) for group in groups[: int(words["most_parts"])]]
    left = len(groups) - len(parts)
    if left > 0:
        parts.append(str(words["more_parts"]).format(count=number(left, words)))
    if judgement.screen_only in words["notices"]:
        parts.append(str(words["notices"][judgement.screen_only]))
    return _capital(str(words["and_then"]).join(parts)) + "." if parts else ""


def reason(judgement: Judgement, language: str = "en") -> str | None:
    """Why this may be approved only on a screen, as a clause."""
    if judgement.screen_only is None:
        return None
    return str(phrases(language)["screen_only"].get(judgement.screen_only, judgement.screen_only))


def _grouped(findings: tuple[Finding, ...]) -> list[list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.phrase, []).append(finding)
    return list(groups.values())


def _part(group: list[Finding], words: dict[str, Any]) -> str:
    forms = words["phrases"].get(group[0].phrase) or words["phrases"]["unknown"]
    targets = [(t, f) for f in group for t in f.effect.targets]
    count = max(f.count for f in group)
    if count:
        form = forms.get("counted") or forms.get("one") or forms["many"]
    else:
        form = forms.get("one") if len(targets) == 1 else forms.get("many", forms.get("one"))
    noun = group[0].noun
    if len(targets) == 1 and noun in words["nouns"]:
        form = forms.get("named", form)
    elif len({_name(t, f, words) for t, f in targets}) > MAX_NAMED:  # the count brings the noun along
        form = str(forms.get("several", form)).replace(f"the {words['nouns'].get(noun, noun)} {{what}}", "{what}")
    where = _where(group, targets, words)
    said = str(form).format(
        what=_what(targets, words),
        count=number(count or len(targets), words),
        name=_name(*targets[0], words) if targets else "",
        noun=noun,
        place=words["places"].get(group[0].effect.place, ""),
    )
    return f"{said}, {where}" if where else said


def _where(group: list[Finding], targets: list[tuple[str, Finding]], words: dict[str, Any]) -> str:
    """The place, where a path does not tell it: deletes outside the project."""
    place = max((f.effect.place for f in group), key=place_rank)
    named = any(_name(t, f, words) in words["known"].values() for t, f in targets)
    told = named or group[0].phrase in _TELL_PLACE
    return str(words["places"][place]) if group[0].effect.kind == "delete" and place in _AFAR and not told else ""


def _what(targets: list[tuple[str, Finding]], words: dict[str, Any]) -> str:
    names = list(dict.fromkeys(_name(target, finding, words) for target, finding in targets))
    if len(names) <= MAX_NAMED:
        return str(words["and"]).join(names)
    nouns = {finding.noun for _, finding in targets}
    noun = words["nouns"].get(nouns.pop() if len(nouns) == 1 else "thing", words["nouns"]["thing"])
    worst = max(targets, key=lambda pair: place_rank(pair[1].effect.place))
    alike = len({finding.effect.place for _, finding in targets}) == 1
    return str(words["several_alike" if alike else "several"]).format(
        count=number(len(names), words), noun=noun, worst=_name(*worst, words)
    )


def _name(target: str, finding: Finding, words: dict[str, Any]) -> str:
    text = visible(target.replace("\n", " "))
    place = finding.effect.place
    kind = finding.effect.kind
    if kind in ("delete", "overwrite", "configure", "send"):
        if place == "root":
            return str(words["known"]["root"])
        if place == "home" and _HOME.fullmatch(text):
            return str(words["known"]["home"])
    if text in (".", "./", "*", "./*"):
        return str(words["known"]["folder" if finding.phrase in _FOLDERS else "here"])
    if (variable := _VARIABLE.fullmatch(text)) is not None:
        return str(words["variable"]).format(name=variable[1])
    if (output := _OUTPUT.fullmatch(text)) is not None:
        text = str(words["output"]).format(command=output[1] or output[2])
    return text if len(text) <= MAX_NAME else text[:MAX_NAME] + str(words["cut"])


def number(count: int, words: dict[str, Any]) -> str:
    """Small numbers as words."""
    names = words["numbers"]
    return str(names[count]) if count < len(names) else str(count)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
