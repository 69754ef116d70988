"""Messages reach an agent in order and at most once, and one that failed half way blocks no other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import Unavailable
from engine.domain.runs import Run
from engine.ports.clock import FakeClock
from engine.ports.runtime import Told
from engine.sessions.mailbox import Mailbox
from engine.storage.layout import Layout
from engine.storage.runs import Runs


class Typist:
    """Stands for an agent's input line: notes what was typed; ``breaks_at`` fails half way."""

    def __init__(self) -> None:
        self.typed: list[str] = []
        self.ready = True
        self.breaks_at: str | None = None

    async def tell(self, text: str) -> Told:
        if not self.ready:
            return "not_ready"
        self.typed.append(text)
        if text == self.breaks_at:
            raise Unavailable("the holder is gone")
        return "delivered"


class Listener:
    """Keeps what was published."""

    def __init__(self) -> None:
        self.states: list[tuple[str, str]] = []

    def publish(self, _: str, data: Mapping[str, Any]) -> None:
        self.states.append((data["messageId"], data["state"]))


class Room:
    def __init__(self, root: Path) -> None:
        self.runs = Runs(Layout(root), FakeClock())
        self.runs.recover()
        self.run: Run = self.runs.create(project_id="p", agent_id="a", agent_name="backend", cli="c")
        self.typist = Typist()
        self.told = Listener()

    def mailbox(self) -> Mailbox:
        return Mailbox(self.run, self.runs, self.typist, self.told)  # type: ignore[arg-type]  # the parts it uses


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path / "root")


async def test_a_message_that_fails_half_way_is_in_doubt_and_blocks_no_other(room: Room) -> None:
    mailbox, room.typist.breaks_at = room.mailbox(), "one"
    first = await mailbox.post("m-1", "one", sender="you", via="cli")
    second = await mailbox.post("m-2", "two", sender="you", via="cli")
    assert (first.state, second.state) == ("in_doubt", "delivered")
    assert room.typist.typed == ["one", "two"]
    assert ("m-1", "in_doubt") in room.told.states
    assert mailbox.waiting == 0


async def test_a_message_in_doubt_is_never_typed_again_by_the_same_id(room: Room) -> None:
    mailbox, room.typist.breaks_at = room.mailbox(), "one"
    await mailbox.post("m-1", "one", sender="you", via="cli")
    again = await mailbox.post("m-1", "one", sender="you", via="cli")
    assert again.state == "in_doubt"
    assert room.typist.typed == ["one"]


async def test_a_new_life_settles_what_was_cut_off_and_goes_on_in_order(room: Room) -> None:
    room.typist.ready = False
    before = room.mailbox()
    for number in (1, 2, 3):
        await before.post(f"m-{number}", f"text {number}", sender="you", via="cli")
    room.runs.messages(room.run).take()  # the engine died while typing it
    room.typist.ready = True
    after = room.mailbox()
    await after.load()
    assert after.waiting == 2
    assert room.told.states == [("m-1", "in_doubt")]
    await after.deliver()
    assert room.typist.typed == ["text 2", "text 3"]


async def test_taking_a_message_back_leaves_the_one_that_is_being_typed_alone(room: Room) -> None:
    room.typist.ready = False
    mailbox = room.mailbox()
    for number in (1, 2):
        await mailbox.post(f"m-{number}", "text", sender="you", via="cli")
    room.runs.messages(room.run).take()
    assert await mailbox.cancel("m-2")
    first = room.runs.messages(room.run).get("m-1")
    assert first is not None
    assert first.state == "delivering"
