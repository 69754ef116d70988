"""Commands against a laid-out engine: what is asked of it, what a person reads, and the exit code."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from fake_engine import AGENT, GATE, PLAN, PROJECT, FakeEngine, snapshot

from voice.__main__ import COMMANDS, conduit

RESOLVE = f"POST /api/projects/{PROJECT['id']}/agents/{AGENT['id']}/gate/resolve"
RESOLVE_PLAN = f"POST /api/projects/{PROJECT['id']}/plans/{PLAN['id']}/resolve"
Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDUIT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def engine(home: Path) -> Iterator[FakeEngine]:
    with FakeEngine(home).serving() as serving:
        yield serving


@pytest.fixture
def run(home: Path) -> Run:
    return lambda *arguments, **more: CliRunner().invoke(conduit, list(arguments), **more)


def resolved(decision: str) -> dict[str, str]:
    return {"action": "types y, Enter", "agentName": "backend", "decision": decision, "via": "cli"}


# Reading


def test_status_shows_who_waits_without_letting_escapes_through(engine: FakeEngine, run: Run) -> None:
    result = run("status")
    assert result.exit_code == 0
    assert "backend" in result.output
    assert "g-0000000001: Run rm -rf build? [y/N]\\u001b[8m" in result.output
    assert "\x1b" not in result.output
    assert "1 gate(s)" in result.output


@pytest.mark.parametrize(
    ("command", "key"), [("status", None), ("gates", "gates"), ("plans", "plans"), ("agents", "agents")]
)
def test_json_is_the_wire_shape_on_one_line(engine: FakeEngine, run: Run, command: str, key: str | None) -> None:
    result = run(command, "--json")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) == 1
    assert json.loads(result.output) == (snapshot()[key] if key else snapshot())


def test_gates_show_the_exact_prompt_and_choices(engine: FakeEngine, run: Run) -> None:
    output = run("gates").output
    for part in ("g-0000000001", "Apollo/backend", "harmful", "rm -rf build", "types y, Enter"):
        assert part in output


def test_gates_say_when_nothing_waits(engine: FakeEngine, run: Run) -> None:
    engine.answers["GET /org/snapshot"] = (200, snapshot(gates=[], agents=[]))
    assert run("gates").output == "Nothing waits for you.\n"


# Deciding


@pytest.mark.parametrize(
    ("arguments", "decision", "custom"),
    [
        (("approve", GATE["id"]), "approve", None),
        (("reject", GATE["id"]), "reject", None),
        (("reject", "backend", "--reason", "keep it"), "reject", "keep it"),
        (("reject", "apollo/Backend"), "reject", None),
        (("answer", GATE["id"], "only the cache"), "custom", "only the cache"),
    ],
)
def test_a_decision_names_its_gate_and_a_request(
    engine: FakeEngine, run: Run, arguments: tuple[str, ...], decision: str, custom: str | None
) -> None:
    engine.answers[RESOLVE] = (200, resolved(decision))
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    body = engine.body_of(RESOLVE)
    assert (body["gateId"], body["decision"], body["customInput"]) == (GATE["id"], decision, custom)
    assert body["requestId"]


def test_approving_by_an_agents_name_is_refused_with_the_gate_to_name(engine: FakeEngine, run: Run) -> None:
    result = run("approve", "backend")
    assert result.exit_code == 1
    assert GATE["id"] in result.stderr
    assert not [call for call, _ in engine.asked if call.startswith("POST")]


def test_an_empty_answer_is_refused_before_anything_is_sent(engine: FakeEngine, run: Run) -> None:
    result = run("answer", GATE["id"], "  ")
    assert result.exit_code == 1
    assert "empty" in result.stderr
    assert not engine.asked


@pytest.mark.parametrize(("status", "code"), [(400, 1), (401, 4), (403, 4), (404, 1), (409, 5), (500, 1), (503, 1)])
def test_a_fault_is_the_engines_sentence_and_its_code(engine: FakeEngine, run: Run, status: int, code: int) -> None:
    engine.answers[RESOLVE] = (status, {"error": "This was decided already, by voice."})
    result = run("approve", GATE["id"])
    assert (result.exit_code, result.stderr) == (code, "This was decided already, by voice.\n")


def test_plans_are_shown_word_for_word_and_decided_by_id(engine: FakeEngine, run: Run) -> None:
    assert "run the tests" in run("plans").output
    engine.answers[RESOLVE_PLAN] = (200, {"decision": "reject", "state": "rejected"})
    assert run("plans", "reject", PLAN["id"], "--reason", "not now").exit_code == 0
    body = engine.body_of(RESOLVE_PLAN)
    assert (body["decision"], body["reason"]) == ("reject", "not now")


# Telling


def test_tell_sends_the_words_to_the_agent_by_id(engine: FakeEngine, run: Run) -> None:
    engine.answers["POST /org/inject"] = (200, {"messageId": "m-1", "state": "queued"})
    result = run("tell", "backend", "run", "the", "tests")
    assert "waits" in result.output
    body = engine.body_of("POST /org/inject")
    assert (body["agent"], body["message"]) == (AGENT["id"], "run the tests")


def test_tell_reads_a_long_message_from_standard_input(engine: FakeEngine, run: Run) -> None:
    engine.answers["POST /org/inject"] = (200, {"messageId": "m-1", "state": "delivered"})
    assert run("tell", "backend", "-", input="two\nlines\n").exit_code == 0
    assert engine.body_of("POST /org/inject")["message"] == "two\nlines\n"


@pytest.mark.parametrize("words", [("nobody", "hi"), ("backend", "  "), ("backend", "x" * 3_000_000)])
def test_tell_refuses_unknown_empty_and_oversized_in_one_sentence(
    engine: FakeEngine, run: Run, words: tuple[str, str]
) -> None:
    result = run("tell", words[0], "-", input=words[1])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1


def test_a_name_that_fits_two_agents_lists_both(engine: FakeEngine, run: Run) -> None:
    other = {**AGENT, "id": "a-0000000002", "projectName": "Zeus"}
    engine.answers["GET /org/snapshot"] = (200, snapshot(agents=[AGENT, other]))
    result = run("tell", "backend", "hi")
    assert result.exit_code == 1
    assert "Apollo/backend (a-0000000001), Zeus/backend (a-0000000002)" in result.stderr


# Without an engine


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("gates",),
        ("approve", "g-1"),
        ("plans",),
        ("tell", "a", "b"),
        ("agents",),
        ("projects",),
        ("sessions",),
        ("down",),
    ],
)
def test_without_an_engine_it_says_how_to_start_one_with_code_3(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 3
    assert "conduit up" in result.stderr
    assert result.stderr.count("\n") == 1


def test_home_option_wins_over_the_environment(run: Run, tmp_path: Path) -> None:
    result = run("--home", str(tmp_path / "other"), "status")
    assert str(tmp_path / "other") in result.stderr


def test_attach_without_a_terminal_says_what_to_use_instead(run: Run) -> None:
    result = run("attach", "backend")
    assert result.exit_code == 1
    assert "conduit tell" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("approve",), ("engine", "--port", "99999999"), ("chat", "x", "--limit", "0")]
)
def test_wrong_usage_is_code_2(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


# The command itself


def test_help_lists_every_command_and_version_is_told(run: Run) -> None:
    output = run("--help").output
    assert all(f"  {name} " in output for name, (_, text) in COMMANDS.items() if text)
    assert run("--version").output.startswith("conduit ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_has_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0, result.output
    assert "Usage: conduit" in result.output


def test_cheap_commands_import_nothing_heavy() -> None:
    code = (
        "import sys, voice.__main__, engine.cli.status, engine.cli.gates, engine.cli.plans, engine.cli.tell\n"
        "heavy = {'pydantic', 'asyncio', 'numpy', 'fastapi', 'yaml', 'sounddevice', 'psutil'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")
