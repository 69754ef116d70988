"""Installs the pinned agent CLIs into a folder of their own, so that tests run the real programs.

``python tests/agents/install.py [name ...]`` (all by default) prints one line a CLI and exits 1 when one is missing.
The folder is ``$CONDUIT_AGENTS_CACHE``, or ``~/.cache/conduit-test-agents``; what is there already is left alone.
"""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NPM_TIMEOUT = 900.0  # seconds
PIP_TIMEOUT = 1500.0


@dataclass(frozen=True, slots=True)
class Package:
    """One CLI at the version that the tests know. ``binary`` is relative to the CLI's folder."""

    name: str
    kind: str  # "npm" or "pip"
    specs: tuple[str, ...]
    binary: str


def _opencode_platform() -> str:
    """The package that carries opencode's program itself; its wrapper needs install scripts to find it."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine().lower()]
    return f"opencode-{'darwin' if sys.platform == 'darwin' else 'linux'}-{machine}"


OPENCODE = _opencode_platform()
PACKAGES: dict[str, Package] = {
    "claude": Package("claude", "npm", ("@anthropic-ai/claude-code@2.1.197",), "node_modules/.bin/claude"),
    "codex": Package("codex", "npm", ("@openai/codex@0.171.0",), "node_modules/.bin/codex"),
    "gemini": Package("gemini", "npm", ("@google/gemini-cli@0.61.0",), "node_modules/.bin/gemini"),
    "opencode": Package("opencode", "npm", (f"{OPENCODE}@1.18.33",), f"node_modules/{OPENCODE}/bin/opencode"),
    "aider": Package("aider", "pip", ("aider-chat==0.86.2",), "venv/bin/aider"),
}


def cache() -> Path:
    """The folder that keeps the CLIs between runs."""
    return Path(os.environ.get("CONDUIT_AGENTS_CACHE") or Path.home() / ".cache" / "conduit-test-agents")


def binary(name: str) -> Path | None:
    """The installed program of ``name``, or None when it is not there (or is of another version)."""
    package, folder = PACKAGES[name], cache() / name
    program = folder / package.binary
    stamp = folder / "installed"
    if not program.exists() or not stamp.exists() or stamp.read_text().split() != list(package.specs):
        return None
    return program


def install(name: str) -> Path:
    """Installs ``name`` unless it is present. RuntimeError with the tail of the installer's output when it fails."""
    if (present := binary(name)) is not None:
        return present
    package, folder = PACKAGES[name], cache() / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (_npm if package.kind == "npm" else _pip)(package, folder)
    (folder / "installed").write_text("\n".join(package.specs))
    program = binary(name)
    if program is None:
        raise RuntimeError(f"{name} was installed, but {folder / package.binary} is not there.")
    return program


def _npm(package: Package, folder: Path) -> None:
    (folder / "package.json").write_text('{"private": true}')
    _run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *package.specs], folder, NPM_TIMEOUT)
    if package.name == "claude":  # its program is put in place by an install script, which npm may have skipped
        script = folder / "node_modules" / "@anthropic-ai" / "claude-code" / "install.cjs"
        if script.exists():
            _run(["node", str(script)], script.parent, NPM_TIMEOUT)


def _pip(package: Package, folder: Path) -> None:
    _run([sys.executable, "-m", "venv", "venv"], folder, 120.0)
    _run(["venv/bin/python", "-m", "pip", "install", "-q", "setuptools", *package.specs], folder, PIP_TIMEOUT)


def _run(argv: list[str], folder: Path, timeout: float) -> None:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)} failed in {folder}:\n{(done.stdout + done.stderr)[-2000:]}")


def main(names: list[str]) -> int:
    """Installs each and says so; 0 when all are there."""
    failed = 0
    for name in names or list(PACKAGES):
        try:
            print(f"{name}: {install(name)}", flush=True)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{name}: not installed. {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
