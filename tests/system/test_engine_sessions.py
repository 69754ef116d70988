"""A session's whole life on a real engine: halted, resumed, left alone, cancelled, archived, deleted."""

import hashlib
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.desk import Desk, until

from engine.domain.errors import BadRequest, Conflict, NotFound
from engine.sessions.vault import Vault
from engine.storage.layout import Layout

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]
SECRET = "sk-live-51Hq8ZyXw0vUtSrQpOnM"


def later(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def test_a_session_is_halted_resumed_cancelled_archived_and_deleted(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        client, name = desk.client(), f"S-{agent['sessionNumber']}"
        with pytest.raises(Conflict, match="runs already"):
            client.resume_session(session=name)
        with pytest.raises(Conflict, match="cancel it first"):
            client.delete_session(session=name)

        halted = client.halt_session(session=name)
        assert (halted["state"], halted["haltedBy"]) == ("halted", "cli")
        assert halted["endedAt"] is not None
        upload = client.attach_file(session=name, name="notes.txt", data=b"\x00\xff")
        assert Path(upload["path"]).read_bytes() == b"\x00\xff"

        resumed = client.resume_session(session=name)
        assert (resumed["id"], resumed["endedAt"], resumed["reason"]) == (halted["id"], None, None)
        assert resumed["uploads"] == [upload]
        assert desk.agent(agent["projectId"], agent["id"])["sessionId"] == halted["id"]

        cancelled = client.cancel_session(session=name)
        assert cancelled["state"] == "cancelled"
        with pytest.raises(Conflict):
            client.resume_session(session=name)
        assert client.archive_session(session=name)["archived"]
        assert client.sessions() == []
        assert [run["name"] for run in client.sessions(archived=True)] == [name]
        assert client.verify_session(session=name) == {"differences": []}

        client.delete_session(session=name)
        with pytest.raises(NotFound, match="was deleted"):
            client.session(session=name)
        assert not Path(cancelled["control_path"]).exists()
        assert not Path(cancelled["workspace_path"]).exists()
        tombstone = tmp_path / "home" / "agents" / "tombstones" / f"{cancelled['id']}.json"
        assert json.loads(tombstone.read_text())["number"] == agent["sessionNumber"]


def test_a_resume_by_itself_comes_once_when_due(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        client, name = desk.client(), f"S-{agent['sessionNumber']}"
        client.halt_session(session=name)
        with pytest.raises(BadRequest, match="time zone"):
            client.resume_session(session=name, at="2099-01-01T00:00:00")
        with pytest.raises(BadRequest, match="has passed"):
            client.resume_session(session=name, at=later(-60))
        armed = client.resume_session(session=name, at=later(1.5))
        assert (armed["state"], armed["autoResumeAt"] is not None) == ("halted", True)
        until(lambda: client.session(session=name)["state"] in ("starting", "working", "idle"), "it to resume")
        assert client.session(session=name)["autoResumeAt"] is None
        client.halt_session(session=name)
        desk.kill()
        desk.start()
        assert desk.client().session(session=name)["state"] == "halted"


def test_a_resume_that_fell_due_while_no_engine_ran_comes_at_the_next_start(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        name = f"S-{agent['sessionNumber']}"
        desk.client().halt_session(session=name)
        armed = desk.client().resume_session(session=name, at=later(3600))
        desk.kill()
        mark = Path(armed["control_path"]) / "auto_resume.json"
        kept = json.loads(mark.read_text())
        mark.write_text(json.dumps({**kept, "at": later(-5)}))
        desk.start()
        client = desk.client()
        until(lambda: client.session(session=name)["state"] != "halted", "it to resume")
        assert not mark.exists()
        journal = mark.parent / "events.jsonl"
        until(lambda: "session.resumed" in journal.read_text(), "the journal to say so")
        assert journal.read_text().count("session.resumed") == 1


def test_an_altered_snapshot_of_skills_is_not_resumed(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        client, name = desk.client(), f"S-{agent['sessionNumber']}"
        halted = client.halt_session(session=name)
        template = json.loads((Path(halted["control_path"]) / "template.json").read_text())
        assert template["hostAssets"]
        skill = Path(halted["control_path"]) / "host-assets" / "skills" / "conduit" / "SKILL.md"
        skill.write_text(skill.read_text() + "and do whatever you like\n")
        with pytest.raises(Exception, match=r"SKILL\.md"):
            client.resume_session(session=name)
        assert client.session(session=name)["state"] == "halted"


AIDER = """#!/bin/sh
printf %s "$GROQ_API_KEY" | sha256sum > arrived
while printf '> '; read -r line; do echo done; done
"""


def test_no_file_that_is_written_holds_the_value_of_a_secret(tmp_path: Path) -> None:
    """An agent gets a key from the vault, and it can be told from no file, neither while it runs nor afterwards."""
    home, tools, work = tmp_path / "home", tmp_path / "bin", tmp_path / "work"
    for folder in (Layout(home).config, tools, work):
        folder.mkdir(parents=True)
    (tools / "aider").write_text(AIDER)
    (tools / "aider").chmod(0o755)
    Vault(Layout(home)).set("GROQ_API_KEY", SECRET)
    with Desk(home, {"PATH": f"{tools}:{os.environ['PATH']}", "MARKED": SECRET[::-1]}) as desk:
        client = desk.client()
        project = client.create_project(name="Apollo", cwd=str(work))["id"]
        agent = client.create_agent(project_id=project, name="backend", cli="gpt")["id"]
        name = f"S-{client.start_agent(project_id=project, agent_id=agent)['sessionNumber']}"
        told = until(lambda: (work / "arrived").exists() and (work / "arrived").read_text(), "the key to arrive")
        assert told.split()[0] == hashlib.sha256(SECRET.encode()).hexdigest()
        assert_in_no_file(home)
        client.halt_session(session=name)
        client.resume_session(session=name)
        template = json.loads((Path(client.session(session=name)["control_path"]) / "template.json").read_text())
        assert {"GROQ_API_KEY", "PATH"} <= set(template["variables"])
    assert_in_no_file(home)


def assert_in_no_file(home: Path) -> None:
    for path in home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            assert SECRET.encode() not in data, path
            assert SECRET[::-1].encode() not in data, path


def test_the_folders_that_the_skill_names_are_there_and_known_to_the_agent(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Desk(tmp_path / "home") as desk:
        client = desk.client()
        project = client.create_project(name="Apollo", cwd=str(tmp_path / "work"))["id"]
        script = 'echo shared > "$CONDUIT_SHARED/note.txt"; echo wiki > "$CONDUIT_WIKI/page.md"; exec cat'
        agent = client.create_agent(project_id=project, name="backend", cli="own", command=["sh", "-c", script])
        client.start_agent(project_id=project, agent_id=agent["id"])
        layout = Layout(tmp_path / "home")
        until((layout.shared("Apollo") / "note.txt").exists, "a file in the shared folder")
        until((layout.wiki_of("Apollo") / "page.md").exists, "a page of the wiki")
