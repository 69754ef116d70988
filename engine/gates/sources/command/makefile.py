"""What ``make`` would run: rules, variables and includes of a Makefile, as far as a line can be told from it (pure).

After GNU make's manual: undefined variables are empty, ``$(shell ...)`` runs at once. What a function would give is not
computed; it stands as a name inside the project.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

NAMES = ("GNUmakefile", "makefile", "Makefile")
_MOST_INCLUDES = 20
_DEEP = 20
_LONG = 65_536  # characters; a variable that holds itself twice grows without end
_MADE = "made-by-make"  # stands for what is not computed
_ASSIGN = re.compile(r"^(?:override\s+|export\s+)*([A-Za-z0-9_.-]+)\s*(\?|\+|:{1,3}|!)?=\s*(.*)$")
_USE = re.compile(r"\$(?:\(([^()$]*)\)|\{([^{}$]*)\}|(.))")
_SHELL = re.compile(r"\$[({]shell\s++((?:[^(){}]|\([^()]*+\)|\{[^{}]*+\})*+)[)}]")
_GIVEN = {"CC": "cc", "CXX": "c++", "RM": "rm -f", "MAKE": "make", "AR": "ar", "SHELL": "/bin/sh", "CURDIR": "."}


@dataclass(slots=True)
class _Rule:
    needs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _File:
    rules: dict[str, _Rule] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    at_once: list[str] = field(default_factory=list)  # what the shell runs while the file is read


def runs(text: str, targets: Sequence[str], given: Mapping[str, str], read: Callable[[str], str | None]) -> list[str]:
    """Shell texts that ``make TARGETS NAME=VALUE...`` would run, dependencies first; ``read`` gives included files."""
    file = _File(variables=dict(_GIVEN))
    _read(text, file, read, [])
    file.variables.update(given)
    found = [_expand(line, file.variables) for line in file.at_once]
    first = next((name for name in file.rules if not name.startswith(".") and "%" not in name), None)
    done: set[str] = set()
    for target in targets or ([first] if first else []):
        found += _of(target, file, done)
    return found


def _of(target: str, file: _File, done: set[str]) -> list[str]:
    if target in done:
        return []
    done.add(target)
    found: list[str] = []
    for rule in _rules(target, file):
        for need in rule.needs:
            found += _of(need, file, done)
        automatic = {"@": target, "<": next(iter(rule.needs), _MADE), "^": " ".join(rule.needs) or _MADE}
        found += [_expand(line, {**file.variables, **automatic}) for line in rule.lines]
    return found


def _rules(target: str, file: _File) -> list[_Rule]:
    if target in file.rules:
        return [file.rules[target]]
    return [rule for name, rule in file.rules.items() if "%" in name and fnmatchcase(target, name.replace("%", "*"))]


def _read(text: str, file: _File, read: Callable[[str], str | None], included: list[str]) -> None:
    open_rules: list[_Rule] = []
    for line in re.sub(r"\\\n[ \t]*", " ", text).split("\n"):
        if line.startswith("\t"):
            for rule in open_rules:
                rule.lines.append(line.strip().lstrip("@+- "))
            continue
        plain = line.split("#", 1)[0].strip()
        if not plain:
            continue
        file.at_once += _SHELL.findall(plain)
        if (assigned := _ASSIGN.match(plain)) is not None:
            _assign(assigned, file)
        elif plain.startswith(("include ", "-include ", "sinclude ")):
            _include(_expand(plain.split(None, 1)[1], file.variables).split(), file, read, included)
        elif ":" in plain:
            open_rules = _open(plain, file)


def _assign(found: re.Match[str], file: _File) -> None:
    name, how, value = found[1], found[2] or "", found[3]
    if how == "!":
        file.at_once.append(value)
        value = _MADE
    if how == "?" and name in file.variables:
        return
    file.variables[name] = f"{file.variables.get(name, '')} {value}".strip() if how == "+" else value


def _open(line: str, file: _File) -> list[_Rule]:
    names, _, rest = line.partition(":")
    needs, _, inline = rest.lstrip(":").partition(";")
    rules = []
    for name in _expand(names, file.variables).split():
        rule = file.rules.setdefault(name, _Rule())
        rule.needs += [need for need in _expand(needs, file.variables).split() if need != "|"]
        if inline:
            rule.lines.append(inline.strip().lstrip("@+- "))
        rules.append(rule)
    return rules


def _include(names: Sequence[str], file: _File, read: Callable[[str], str | None], included: list[str]) -> None:
    for name in names:
        if name in included or len(included) >= _MOST_INCLUDES:
            continue
        included.append(name)
        text = read(name)
        if text is not None:
            _read(text, file, read, included)


def _expand(text: str, variables: Mapping[str, str]) -> str:
    text = text.replace("$$", "\0")
    for _ in range(_DEEP):
        text, count = _USE.subn(lambda use: _value(use, variables), text)
        if not count or len(text) > _LONG:
            break
        text = text.replace("$$", "\0")
    return text.replace("\0", "$")


def _value(use: re.Match[str], variables: Mapping[str, str]) -> str:
    name = next(part for part in use.groups() if part is not None).strip()
    if re.search(r"[\s,]", name):
        return _MADE  # a function
    plain = re.sub(r":.*|(?<=[@<^*%?+])[DF]$", "", name)
    if plain in variables:
        return variables[plain]
    return _MADE if plain in ("*", "?", "+", "%") else ""
