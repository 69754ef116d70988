"""Lines, text screens, patience and ids: what structured runtimes stand on."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from engine.ports.runtime import Launch
from engine.runtimes.acp import too_early
from engine.runtimes.acp.transport import Lines
from engine.runtimes.jsonlines import Splitter, encode
from engine.runtimes.patience import Patience
from engine.runtimes.scroll import Scroll


def test_lines_are_whole_however_they_were_cut() -> None:
    data = encode({"text": "fünf 🦊\nline"}) + encode({"id": 0})
    for size in (1, 2, 3, 7, len(data)):
        splitter, found = Splitter(), []
        for start in range(0, len(data), size):
            found += splitter.feed(start, data[start : start + size])
        assert [line.message for line in found] == [{"text": "fünf 🦊\nline"}, {"id": 0}]
        assert found[-1].end == len(data)


def test_line_that_lost_its_beginning_is_left_out() -> None:
    splitter = Splitter()
    splitter.feed(0, b'{"a": ')
    splitter.lost()
    (line,) = splitter.feed(100, b'1}\n{"b": 2}\n')
    assert line.message == {"b": 2}
    assert line.end == 112


def test_noise_is_no_message() -> None:
    lines = Splitter().feed(0, b"warning: no colours\n[1, 2]\n\n")
    assert [(line.message, line.text) for line in lines] == [(None, "warning: no colours"), (None, "[1, 2]")]


def test_screen_shows_the_latest_lines_and_what_is_being_said() -> None:
    scroll = Scroll(rows=4, columns=10)
    scroll.add("one\ntwo")
    scroll.add("a line that is too long")
    scroll.growing("now sp")
    scroll.growing("eaking")
    assert scroll.screen().lines == ("that is", "too long", "now", "speaking")
    scroll.add("now speaking")
    assert scroll.screen().lines[-2:] == ("now", "speaking")


async def test_silent_model_is_told_once_a_turn() -> None:
    told = asyncio.Event()
    count = []

    def tell() -> None:
        count.append(1)
        told.set()

    patience = Patience(tell, limit=0.01)
    patience.begin()
    await asyncio.wait_for(told.wait(), 5)
    patience.heard()
    await asyncio.sleep(0.05)  # five limits: that nothing is told again takes time to see
    assert len(count) == 1


async def test_tool_that_runs_is_no_silence() -> None:
    count: list[int] = []
    patience = Patience(lambda: count.append(1), limit=0.01)
    patience.begin()
    patience.pause()
    await asyncio.sleep(0.05)
    assert count == []


async def test_answers_to_an_earlier_engine_are_not_taken_for_ours() -> None:
    sent: list[dict[str, object]] = []

    async def write(message: dict[str, object]) -> None:
        sent.append(message)

    lines = Lines(write)
    await lines.send({"jsonrpc": "2.0", "id": 0, "method": "session/prompt", "params": {}})
    assert lines.answer({"id": "feedbeef.0.session/prompt", "result": {}}) == "session/prompt"
    assert lines.answer({"id": sent[0]["id"], "result": {"stopReason": "end_turn"}}) is None
    assert await lines.receive() == {"id": 0, "result": {"stopReason": "end_turn"}}


def test_gemini_is_not_resumed_within_its_first_minute(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-01-02T03-04-0ec9f46f.jsonl").write_text(json.dumps({}))
    launch = Launch(
        run_id="r",
        agent_id="a",
        cli="gemini",
        argv=(),
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        control=tmp_path,
        resume="0ec9f46f-0492-4367-8483-9610cca97949",
    )
    assert "Resume it in 50 seconds" in (too_early(launch, datetime(2026, 1, 2, 3, 4, 10, tzinfo=UTC)) or "")
    assert too_early(launch, datetime(2026, 1, 2, 3, 5, 0, tzinfo=UTC)) is None
