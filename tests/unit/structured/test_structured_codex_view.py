"""Lines of a Codex app-server, as they were recorded, and what they come to mean."""

from typing import Any

import pytest

from engine.domain.gates import Structured
from engine.ports.runtime import Activity, Conversation, Notice, Said, Withdrawn
from engine.runtimes.codex.options import DEFAULTS, split
from engine.runtimes.codex.questions import plain_command
from engine.runtimes.codex.view import Seen, View

HOME = "/work"


def notes(method: str, **params: Any) -> dict[str, Any]:
    return {"method": method, "params": {"threadId": "th", **params}}


def asks_command(id: int = 0, **more: Any) -> dict[str, Any]:
    params = {"kind": "command", "threadId": "th", "turnId": "tu", "itemId": "i1", "startedAtMs": 1, "cwd": HOME}
    params |= {"command": "/bin/bash -lc 'rm -rf build'", "availableDecisions": ["accept", "cancel"], **more}
    return {"method": "item/commandExecution/requestApproval", "id": id, "params": params}


FILE_ITEM = {
    "type": "fileChange",
    "id": "i2",
    "status": "inProgress",
    "changes": [{"path": "/work/notes.txt", "kind": {"type": "add"}, "diff": "hello\n"}],
}
ASKS_FILE = {
    "method": "item/fileChange/requestApproval",
    "id": 3,
    "params": {"threadId": "th", "turnId": "tu", "itemId": "i2", "startedAtMs": 1, "reason": None, "grantRoot": None},
}


def test_command_is_asked_for_as_it_would_run() -> None:
    view = View(HOME)
    asked = view.see(asks_command()).asked
    assert asked is not None
    assert asked.id == 0
    assert asked.question.command == "rm -rf build"
    assert {choice.kind: choice.reply for choice in asked.question.choices} == {
        "approve": Structured("accept"),
        "always": Structured("acceptForSession"),
        "reject": Structured("decline"),
    }


def test_command_in_another_folder_says_so() -> None:
    asked = View(HOME).see(asks_command(cwd="/work/a b")).asked
    assert asked is not None
    assert asked.question.command == "cd '/work/a b' && rm -rf build"


def test_request_for_the_network_is_shown_whole_and_not_as_a_harmless_command() -> None:
    asked = View(HOME).see(asks_command(networkApprovalContext={"host": "example.org"}, command=None)).asked
    assert asked is not None
    assert "example.org" in asked.question.prompt
    assert asked.question.tier == "harmful"


def test_edit_shows_the_diff_of_the_item_before_it() -> None:
    view = View(HOME)
    view.see(notes("item/started", item=FILE_ITEM))
    asked = view.see(ASKS_FILE).asked
    assert asked is not None
    assert [(edit.path, edit.kind) for edit in asked.question.edits] == [("/work/notes.txt", "add")]
    assert "hello" in asked.question.prompt


def test_resolved_request_is_known_by_an_id_of_zero() -> None:
    view = View(HOME)
    asked = view.see(asks_command(id=0)).asked
    assert asked is not None
    assert view.see(notes("serverRequest/resolved", requestId=0)).resolved == asked.question.handle
    assert view.pending == {}
    assert view.see(notes("serverRequest/resolved", requestId=0)) == Seen()


def test_two_requests_of_one_item_are_two_questions() -> None:
    view = View(HOME)
    first = view.see(asks_command(id=0, approvalId="a")).asked
    second = view.see(asks_command(id=1, approvalId="b")).asked
    assert first is not None
    assert second is not None
    assert first.question.handle != second.question.handle


def test_turn_that_ends_withdraws_what_it_asked() -> None:
    view = View(HOME)
    view.see(notes("turn/started", turn={"id": "tu"}))
    asked = view.see(asks_command()).asked
    assert asked is not None
    seen = view.see(notes("turn/completed", turn={"id": "tu", "status": "interrupted"}))
    assert Withdrawn(asked.question.handle or "", "withdrawn") in seen.signals
    assert seen.signals[-1] == Activity("ready")
    assert view.turn is None
    assert not view.working


def test_failed_turn_says_why() -> None:
    turn = {"id": "tu", "status": "failed", "error": {"message": "scripted error"}}
    (notice, _) = View(HOME).see(notes("turn/completed", turn=turn)).signals
    assert isinstance(notice, Notice)
    assert "scripted error" in notice.text


def test_trouble_that_is_tried_again_is_told_and_final_trouble_is_left_to_the_turn() -> None:
    view = View(HOME)
    again = view.see(notes("error", error={"message": "connection refused"}, willRetry=True)).signals
    assert isinstance(again[0], Notice)
    assert "connection refused" in again[0].text
    assert view.see(notes("error", error={"message": "connection refused"}, willRetry=False)).signals == ()


@pytest.mark.parametrize(
    ("flags", "active"), [([], (Activity("working"),)), (["waitingOnApproval"], ())], ids=["works", "waits"]
)
def test_status_of_a_waiting_thread_is_not_work(flags: list[str], active: tuple[Activity, ...]) -> None:
    seen = View(HOME).see(notes("thread/status/changed", status={"type": "active", "activeFlags": flags}))
    assert seen.signals == active


def test_items_become_the_transcript() -> None:
    view = View(HOME)
    message = {"type": "agentMessage", "id": "m", "text": "done"}
    command = {"type": "commandExecution", "id": "c", "command": "/bin/bash -lc ls", "aggregatedOutput": "a\nb\n"}
    command |= {"exitCode": 0, "status": "completed"}
    assert view.see(notes("item/completed", item=message)).signals == (Said("agent", "done"),)
    assert view.see(notes("item/completed", item=command)).signals == (Said("tool", "$ ls\na\nb\n(exit 0)"),)


def test_model_is_not_waited_for_while_a_tool_runs() -> None:
    view = View(HOME)
    command = {"type": "commandExecution", "id": "c", "command": "make", "status": "inProgress"}
    assert view.see(notes("item/started", item=command)).wait == "other"
    assert view.see(notes("item/completed", item=command)).wait == "model"


def test_request_that_nobody_understands_is_handed_back() -> None:
    request = {"method": "item/tool/requestUserInput", "id": 4, "params": {}}
    assert View(HOME).see(request).unknown == request


def test_thread_is_the_conversation() -> None:
    view = View(HOME)
    assert view.see(notes("thread/started", thread={"id": "th"})).signals == (Conversation("th"),)
    assert view.thread == "th"


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("/bin/bash -lc 'rm -rf build'", "rm -rf build"),
        ("/usr/bin/zsh -c \"echo 'a b'\"", "echo 'a b'"),
        ("bash -lc 'a' extra", "bash -lc 'a' extra"),
        ("python -c 'print(1)'", "python -c 'print(1)'"),
        ("echo 'unbalanced", "echo 'unbalanced"),
    ],
)
def test_shell_around_a_command_is_taken_off_only_where_it_adds_nothing(command: str, plain: str) -> None:
    assert plain_command(command) == plain


def test_flags_of_the_terminal_program_become_options_of_the_thread() -> None:
    argv = ("codex", "app-server", "--sandbox", "read-only", "--model=o5", "-c", "x=1")
    assert split(argv) == (("codex", "app-server", "-c", "x=1"), {"sandbox": "read-only", "model": "o5"})
    assert DEFAULTS["approvalPolicy"] == "on-request"
