"""Messages wait in order, are typed at most once, and are not forgotten."""

import json

import pytest

from engine.domain.errors import NotFound
from engine.storage.layout import Layout
from engine.storage.messages import KEPT
from engine.storage.runs import Messages, Runs


@pytest.fixture
def queue(runs: Runs) -> Messages:
    return runs.messages(runs.create(project_id="p", agent_id="a", agent_name="backend", cli="codex"))


def put(queue: Messages, *ids: str) -> None:
    for each in ids:
        queue.enqueue(each, f"text {each}", sender="user", via="voice")


def test_messages_are_taken_in_order_one_at_a_time(queue: Messages) -> None:
    put(queue, "m1", "m2")
    first = queue.take()
    assert first is not None and (first.id, first.text, first.state) == ("m1", "text m1", "delivering")
    assert queue.take() is None  # the first is still being typed
    queue.mark_delivered("m1")
    second = queue.take()
    assert second is not None and second.id == "m2"


def test_the_same_id_is_never_sent_twice(queue: Messages) -> None:
    put(queue, "m1", "m1")
    assert len(queue.queued()) == 1
    queue.take()
    queue.mark_delivered("m1")
    assert queue.enqueue("m1", "other", sender="user", via="web").state == "delivered"
    assert queue.queued() == [] and queue.take() is None


def test_what_was_not_typed_keeps_its_place(queue: Messages) -> None:
    put(queue, "m1", "m2")
    queue.take()
    queue.put_back("m1")
    assert [m.id for m in queue.queued()] == ["m1", "m2"]
    again = queue.take()
    assert again is not None and again.id == "m1"


def test_cancelling_works_only_while_it_waits(queue: Messages) -> None:
    put(queue, "m1", "m2")
    queue.take()
    assert queue.cancel("m1") is False
    assert queue.cancel("m2") is True
    assert queue.cancel("m2") is False
    assert queue.cancel("unknown") is False
    assert [m.id for m in queue.queued()] == ["m1"]
    put(queue, "m2")
    assert [m.id for m in queue.queued()] == ["m1"]  # cancelled stays cancelled


def test_a_message_that_was_being_typed_when_the_engine_died_is_not_typed_again(
    queue: Messages, layout: Layout
) -> None:
    put(queue, "m1", "m2")
    queue.take()
    assert any("m1" in notice and "may have been sent" in notice for notice in Runs(layout).recover())
    doubtful = queue.get("m1")
    assert doubtful is not None and doubtful.state == "in_doubt"
    following = queue.take()
    assert following is not None and following.id == "m2"


def test_a_message_whose_typing_failed_does_not_hold_up_the_next(queue: Messages) -> None:
    put(queue, "m1", "m2")
    queue.take()
    assert queue.mark_in_doubt("m1").state == "in_doubt"
    put(queue, "m1")  # asking for it again does not send it again
    following = queue.take()
    assert following is not None and following.id == "m2"


def test_the_latest_delivered_stay_and_older_ones_go(runs: Runs, layout: Layout) -> None:
    run = runs.create(project_id="p", agent_id="a", agent_name="backend", cli="codex")
    old = [{"id": f"m{n}", "text": "t", "state": "delivered", "extra": n} for n in range(KEPT)]
    layout.messages(run.id).write_text(json.dumps({"queued": [], "delivered": old, "colour": "teal"}))
    queue = runs.messages(run)
    for n in range(KEPT, KEPT + 3):
        put(queue, f"m{n}")
        queue.take()
        queue.mark_delivered(f"m{n}")
    kept = queue.delivered()
    assert [m.id for m in kept] == [f"m{n}" for n in range(3, KEPT + 3)]
    stored = json.loads(layout.messages(run.id).read_text())
    assert stored["colour"] == "teal" and stored["delivered"][0]["extra"] == 3


def test_marking_what_does_not_wait_is_not_found(queue: Messages) -> None:
    for call in (queue.mark_delivered, queue.put_back):
        with pytest.raises(NotFound):
            call("nothing")
