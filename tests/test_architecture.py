"""The shape of the code: imports point downward, every module says what it is, and none lies about unused."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice.__main__ import COMMANDS

ROOT = Path(__file__).parents[1]
# Run by name (python -m, a child process), never imported.
ENTRIES = {
    "engine.__main__",
    "voice.__main__",
    "engine.runtimes.holder.__main__",
    "voice.models.install",
    "engine.gates.net",  # started by the hook of an agent
}


def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    found = {}
    for package in ("engine", "voice"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported_by(name: str, path: Path) -> Iterator[str]:
    """Dotted names that a module imports, and the packages above them."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def test_imports_keep_every_contract() -> None:
    told = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("name", MODULES)
def test_module_says_what_it_is_in_a_sentence(name: str) -> None:
    docstring = ast.get_docstring(ast.parse(MODULES[name].read_text(encoding="utf-8")))
    assert docstring, f"{name} has no docstring"
    assert docstring.splitlines()[0].rstrip().endswith((".", ":", "?", "!")) or len(docstring.splitlines()) > 1


def test_every_module_is_used_or_is_an_entry() -> None:
    commands = {target.partition(":")[0] for target, _ in COMMANDS.values()}
    used = {imported for name, path in MODULES.items() for imported in imported_by(name, path)}
    packages = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    unused = set(MODULES) - used - packages - commands - ENTRIES
    assert not unused, f"nothing imports {', '.join(sorted(unused))}: wire it or remove it"


def test_every_command_leads_to_a_module() -> None:
    missing = {target for target, _ in COMMANDS.values() if target.partition(":")[0] not in MODULES}
    assert not missing
