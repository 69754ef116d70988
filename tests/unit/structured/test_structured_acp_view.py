"""Lines of agents of the Agent Client Protocol, as they were recorded, and what they come to mean."""

from typing import Any

from engine.domain.gates import Structured
from engine.ports.runtime import Said
from engine.runtimes.acp.questions import CANCELLED, question
from engine.runtimes.acp.view import View

HOME = "/work"


def update(**fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": fields}}


def said(text: str) -> dict[str, Any]:
    return update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


GEMINI_OPTIONS = [
    {"optionId": "proceed_always", "name": "Allow for this session", "kind": "allow_always"},
    {"optionId": "proceed_once", "name": "Allow", "kind": "allow_once"},
    {"optionId": "cancel", "name": "Reject", "kind": "reject_once"},
]


def asks(id: int = 0, options: list[dict[str, str]] | None = None, **call: Any) -> dict[str, Any]:
    tool = {"toolCallId": "t1", "status": "pending", "title": "rm -rf build", "kind": "execute", "content": [], **call}
    params = {"sessionId": "s", "options": GEMINI_OPTIONS if options is None else options, "toolCall": tool}
    return {"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params}


def test_choices_follow_the_kinds_and_the_first_id_is_zero() -> None:
    view = View("Gemini CLI", HOME)
    seen = view.see(asks(id=0))
    assert seen.asked is not None
    assert seen.asked.id == 0
    asked = seen.asked.question
    assert [(choice.kind, choice.reply) for choice in asked.choices] == [
        ("always", Structured("proceed_always")),
        ("approve", Structured("proceed_once")),
        ("reject", Structured("cancel")),
    ]
    assert asked.handle in view.pending


def test_command_is_the_raw_input_or_the_title() -> None:
    assert question(asks(), "G", {}, HOME).command == "rm -rf build"
    assert question(asks(title="Shell", rawInput={"command": "make all"}), "G", {}, HOME).command == "make all"


def test_command_that_runs_elsewhere_says_where() -> None:
    gemini = [{"type": "content", "content": {"type": "text", "text": "[in ../other] (tidies up)"}}]
    assert question(asks(content=gemini), "G", {}, HOME).command == "cd ../other && rm -rf build"
    raw = {"command": "rm -rf build", "cwd": "/tmp/my place"}
    assert question(asks(rawInput=raw), "G", {}, HOME).command == "cd '/tmp/my place' && rm -rf build"
    here = {"command": "rm -rf build", "cwd": "/work/"}
    assert question(asks(rawInput=here), "G", {}, HOME).command == "rm -rf build"


def test_folder_that_cannot_be_told_from_its_description_is_for_a_screen() -> None:
    tricky = [{"type": "content", "content": {"type": "text", "text": "[in a] (b [in c]"}}]
    assert question(asks(content=tricky), "G", {}, HOME).screen_only
    plain = [{"type": "content", "content": {"type": "text", "text": "[in a] (b) [background]"}}]
    assert question(asks(content=plain), "G", {}, HOME).screen_only is None


def test_edit_carries_its_diff() -> None:
    diff = {"type": "diff", "path": "/work/notes.txt", "oldText": "one\n", "newText": "one\ntwo\n"}
    asked = question(asks(kind="edit", title="notes.txt", content=[diff]), "OpenCode", {}, HOME)
    (edit,) = asked.edits
    assert (edit.path, edit.kind) == ("/work/notes.txt", "update")
    assert "+two" in asked.prompt
    assert asked.command is None


def test_deletion_without_a_diff_is_an_edit_too() -> None:
    asked = question(asks(kind="delete", locations=[{"path": "/work/a"}]), "G", {}, HOME)
    assert [(edit.path, edit.kind) for edit in asked.edits] == [("/work/a", "delete")]


def test_reading_is_routine_and_the_unknown_is_not() -> None:
    tiers = {kind: question(asks(kind=kind), "G", {}, HOME).tier for kind in ("read", "search", "fetch", "other")}
    assert tiers == {"read": "routine", "search": "routine", "fetch": "harmful", "other": "harmful"}


def test_request_without_a_no_can_be_cancelled() -> None:
    only_yes = [GEMINI_OPTIONS[1]]
    choices = question(asks(options=only_yes), "G", {}, HOME).choices
    assert [choice.kind for choice in choices] == ["approve", "reject"]
    assert choices[1].reply == Structured(CANCELLED)


def test_standing_refusal_is_never_taken_for_a_no() -> None:
    options = [{"optionId": "never", "name": "Never", "kind": "reject_always"}]
    kinds = {choice.label: choice.kind for choice in question(asks(options=options), "G", {}, HOME).choices}
    assert kinds == {"Never": "always", "Cancel": "reject"}


def test_progress_told_of_a_call_that_waits_withdraws_nothing() -> None:
    view = View("OpenCode", HOME)
    view.see(update(sessionUpdate="tool_call", toolCallId="t1", status="pending", title="bash", kind="execute"))
    asked = view.see(asks()).asked
    assert asked is not None
    seen = view.see(update(sessionUpdate="tool_call_update", toolCallId="t1", status="in_progress"))
    assert seen.resolved == ()
    assert asked.question.handle in view.pending


def test_end_of_the_call_withdraws_what_was_asked() -> None:
    view = View("OpenCode", HOME)
    asked = view.see(asks()).asked
    assert asked is not None
    seen = view.see(update(sessionUpdate="tool_call_update", toolCallId="t1", status="failed"))
    assert seen.resolved == (asked.question.handle,)


def test_pieces_become_one_line_of_the_transcript() -> None:
    view = View("Gemini CLI", HOME)
    view.see(said("hel"))
    assert view.see(said("lo")).growing == "lo"
    done = view.see(update(sessionUpdate="tool_call_update", toolCallId="t9", status="completed", title="ls"))
    assert done.signals == (Said("agent", "hello"), Said("tool", "ls (completed)"))
    assert view.turn_over().signals == ()


def test_end_of_the_turn_closes_every_question() -> None:
    view = View("Gemini CLI", HOME)
    asked = view.see(asks()).asked
    assert asked is not None
    assert view.turn_over().resolved == (asked.question.handle,)
    assert view.pending == {}


def test_answered_question_waits_for_its_tool_and_not_for_the_model() -> None:
    view = View("Gemini CLI", HOME)
    asked = view.see(asks()).asked
    assert asked is not None
    view.answer(asked.question.handle or "")
    assert view.see(update(sessionUpdate="tool_call", toolCallId="t2", status="completed")).wait == "other"
    assert view.see(update(sessionUpdate="tool_call_update", toolCallId="t1", status="completed")).wait == "model"
