"""What people mistype, on a real engine: one sentence that says what to do, an exit code, and nothing is lost."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.desk import Desk

from engine.domain.errors import BadRequest, ConduitError, NotFound

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("bad-input")
    with Desk(folder / "home") as desk:
        yield desk, desk.practice(folder / "work")


def conduit(home: Path, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "voice", "--home", str(home), *arguments],
        env={**os.environ, "CONDUIT_HOME": str(home)},
        cwd=home.parent,
        input=given,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def one_sentence(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """Its only line on standard error, for a person: no traceback, nothing on standard output."""
    assert done.returncode == code, (done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].endswith((".", ")", "NAME", "gates", "plans", "ID", "up")), lines[0]
    assert "Traceback" not in done.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("tell", "nobody", "hello"), "Apollo/backend"),
        (("attach", "nobody"), "conduit tell"),
        (("chat", "nowhere", "hello"), "Apollo"),
        (("agents", "start", "nobody"), "Apollo/backend"),
        (("agents", "add", "nowhere", "x", "--cli", "claude"), "Apollo"),
        (("agents", "add", "Apollo", "x", "--cli", "nonsense"), "claude"),
        (("projects", "remove", "nowhere"), "Apollo"),
        (("projects", "add", "elsewhere", "--cwd", "/nonexistent/folder"), "/nonexistent/folder"),
        (("projects", "add", "../elsewhere"), "name"),
        (("projects", "add", ""), "name"),
        (("approve", "g-0000000000"), "conduit gates"),
        (("reject", "nobody"), "Apollo/backend"),
        (("answer", "g-0000000000", "yes"), "conduit gates"),
        (("plans", "approve", "pl-0000000000"), "conduit plans"),
        (("sessions", "S-999"), "S-999"),
        (("tell", "backend", ""), "empty"),
        (("tell", "backend", " \t "), "empty"),
    ],
)
def test_what_does_not_exist_is_said_with_what_does(
    scene: tuple[Desk, dict[str, Any]], arguments: tuple[str, ...], names: str
) -> None:
    desk, _ = scene
    before = desk.client().snapshot()
    assert names in one_sentence(conduit(desk.home, *arguments))
    after = desk.client().snapshot()
    assert (after["agents"], after["projects"]) == (before["agents"], before["projects"])


def test_a_dialogue_about_nobody_says_who_there_is(scene: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = scene
    asked = conduit(desk.home, "ask", "tell zebedee to run the tests")
    assert (asked.stdout, asked.stderr) == ("I know no agent called zebedee. There is backend.\n", "")
    assert asked.returncode == 1


@pytest.mark.parametrize("way", ["tell", "chat"])
def test_a_message_of_a_megabyte_is_refused_and_nothing_of_it_arrives(
    scene: tuple[Desk, dict[str, Any]], way: str
) -> None:
    desk, agent = scene
    client = desk.client()
    project = agent["projectId"]
    huge = "x" * 1_000_000
    chat, screen = client.chat(project_id=project), client.output(project_id=project, agent_id=agent["id"])
    if way == "tell":
        told = one_sentence(conduit(desk.home, "tell", "backend", "-", given=huge))
        assert "shorten" in told.lower() or "characters" in told or "long" in told
    else:
        with pytest.raises(ConduitError, match=r"long|characters|shorten|large"):
            client.post_chat(project_id=project, text=huge)
    assert client.chat(project_id=project) == chat
    assert client.output(project_id=project, agent_id=agent["id"])["text"] == screen["text"]
    assert desk.agent(project, agent["id"])["status"] == agent["status"]


def test_requests_about_nobody_or_nothing_are_refused_by_the_engine_itself(
    scene: tuple[Desk, dict[str, Any]],
) -> None:
    desk, agent = scene
    client = desk.client()
    with pytest.raises(NotFound, match="backend"):
        client.inject(project=agent["projectId"], agent="nobody", message="hello")
    with pytest.raises(NotFound, match="Apollo"):
        client.inject(project="nowhere", agent="backend", message="hello")
    with pytest.raises(BadRequest):
        client.inject(project=agent["projectId"], agent=agent["id"], message="")
    assert desk.agent(agent["projectId"], agent["id"])["status"] == agent["status"]


def test_an_agent_that_can_not_be_started_is_kept_and_said(scene: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = scene
    told = one_sentence(
        conduit(desk.home, "agents", "add", "Apollo", "ghost", "--command", "/nonexistent/program", "--start")
    )
    assert "ghost was added" in told
    assert "/nonexistent/program" in told
    assert conduit(desk.home, "agents", "--json").stdout.count('"ghost"') == 1


def test_a_second_engine_on_one_root_is_refused_and_the_first_goes_on(scene: tuple[Desk, dict[str, Any]]) -> None:
    desk, _ = scene
    before = desk.client().health()
    assert "conduit down" in one_sentence(conduit(desk.home, "engine", "--port", "0"))
    assert desk.client().health() == before
