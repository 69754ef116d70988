"""What ``just`` would run: recipes, dependencies and variables of a justfile, after just's manual (pure)."""

import re
from collections.abc import Sequence

NAMES = ("justfile", ".justfile", "Justfile")
_MADE = "made-by-just"  # stands for a parameter, and for what is not computed
_ASSIGN = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$")
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:\s++[^:]*+)?+:(?!=)\s*(.*)$")
_USE = re.compile(r"\{\{([^{}]*+)\}\}")
_BACKTICKS = re.compile(r"`([^`]+)`")


def runs(text: str, targets: Sequence[str]) -> list[str]:
    """Shell texts that ``just TARGETS`` would run, dependencies first; a target that is no recipe is an argument."""
    recipes: dict[str, tuple[list[str], list[str]]] = {}
    variables: dict[str, str] = {}
    lines: list[str] | None = None
    found: list[str] = []
    for line in re.sub(r"\\\n[ \t]*", " ", text).split("\n"):
        if line[:1] in (" ", "\t"):
            if lines is not None:
                lines.append(line.strip())
        elif (assigned := _ASSIGN.match(line)) is not None:
            variables[assigned[1]] = assigned[2].strip().strip("\"'")
            found += _BACKTICKS.findall(assigned[2])
        elif (recipe := _RECIPE.match(line)) is not None:
            lines = []
            recipes[recipe[1]] = (re.findall(r"[A-Za-z_][\w-]*", recipe[2].split("#", 1)[0]), lines)
    done: set[str] = set()
    for target in [name for name in targets if name in recipes] or list(recipes)[:1]:
        found += _of(target, recipes, done)
    return [_USE.sub(lambda use: variables.get(use[1].strip(), _MADE), one) for one in found]


def _of(target: str, recipes: dict[str, tuple[list[str], list[str]]], done: set[str]) -> list[str]:
    if target in done or target not in recipes:
        return []
    done.add(target)
    needs, lines = recipes[target]
    found = [line for need in needs for line in _of(need, recipes, done)]
    if lines and lines[0].startswith("#!"):
        return [*found, "\n".join(lines)]
    return found + [line.lstrip("@-") for line in lines]
