"""An agent of the Agent Client Protocol behind a real holder: what it asks is answered, refused, and found again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from holder_scenes import alive, launch, program, runtimes

from engine.domain.errors import BadRequest, Conflict, ConversationMissing, Unavailable
from engine.domain.gates import Keys, Structured
from engine.ports.runtime import Activity, Asked, Conversation, Launch, Notice, Runtime, Said, Signal
from engine.runtimes import processes, tree

pytestmark = pytest.mark.system
S = TypeVar("S", bound=Signal)


class Heard:
    """Consumes a runtime's signals."""

    def __init__(self, runtime: Runtime) -> None:
        self.signals: list[Signal] = []
        self._more = asyncio.Condition()
        self._task = asyncio.create_task(self._listen(runtime))

    async def _listen(self, runtime: Runtime) -> None:
        async for signal in runtime.signals():
            async with self._more:
                self.signals.append(signal)
                self._more.notify_all()

    async def wait(self, kind: type[S], test: Callable[[S], bool] = lambda _: True) -> S:
        """The first signal of a kind that fits, once it is there."""

        def found() -> S | None:
            return next((one for one in self.signals if isinstance(one, kind) and test(one)), None)

        async with asyncio.timeout(30), self._more:
            await self._more.wait_for(lambda: found() is not None)
        signal = found()
        assert signal is not None
        return signal

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def order(tmp_path: Path, *arguments: str, resume: str | None = None) -> Launch:
    return replace(launch(tmp_path, *program("acp_agent.py", *arguments)), runtime="acp", resume=resume)


@asynccontextmanager
async def agent(told: Launch) -> AsyncIterator[tuple[Runtime, Heard]]:
    runtime = await runtimes().start(told)
    heard = Heard(runtime)
    try:
        yield runtime, heard
    finally:
        await runtime.stop()
        await heard.close()
        await runtime.detach()
        tree.kill_these(processes.marked(told.run_id))


def says(text: str) -> Callable[[Said], bool]:
    return lambda said: text in said.text


async def test_turn_is_told_from_working_to_ready(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await heard.wait(Conversation, lambda one: one.id == "s-1")
        assert await runtime.tell("hello") == "delivered"
        await heard.wait(Said, says("heard hello"))
        assert await runtime.tell("again") == "delivered"
        await heard.wait(Said, says("heard again"))
        states = [signal.state for signal in heard.signals if isinstance(signal, Activity)]
        assert states[:3] == ["ready", "working", "ready"]
        assert "heard again" in "\n".join(runtime.screen().lines)


async def test_second_message_waits_while_a_turn_runs(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, _):
        assert await runtime.tell("long") == "delivered"
        assert await runtime.tell("me too") == "not_ready"


async def test_answer_reaches_a_frozen_agent_after_the_thaw(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await runtime.tell("ask")
        asked = await heard.wait(Asked)
        await runtime.freeze()
        assert await runtime.frozen()
        done = await runtime.answer(Structured("no", "do not do that"), asked.question)
        assert (done.action, done.gone, done.extra) == ("answered no", True, {"untold": "do not do that"})
        said = await heard.wait(Said, says("answered"))
        assert '"optionId": "no"' in said.text
        with pytest.raises(Conflict):
            await runtime.answer(Structured("yes"), asked.question)


async def test_keys_are_no_answer(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await runtime.tell("ask")
        asked = await heard.wait(Asked)
        with pytest.raises(BadRequest, match="no terminal"):
            await runtime.answer(Keys(("y", "\r")), asked.question)
        with pytest.raises(BadRequest, match="no terminal"):
            await runtime.write(b"y\r")


async def test_unknown_request_is_refused_and_said(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await runtime.tell("file")
        assert "fs/read_text_file" in (await heard.wait(Notice)).text
        assert "-32601" in (await heard.wait(Said, says("answered"))).text


async def test_refusal_that_met_a_frozen_agent_is_sent_after_the_thaw(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await runtime.freeze()
        await runtime.thaw()
        await runtime.tell("ask-and-file")
        asked = await heard.wait(Asked)
        await runtime.freeze()
        await heard.wait(Notice)
        await runtime.answer(Structured("yes"), asked.question)
        said = await heard.wait(Said, says("done"))
        assert "-32601" in said.text
        assert '"optionId": "yes"' in said.text


async def test_fault_of_the_model_is_a_notice_and_the_agent_is_ready(tmp_path: Path) -> None:
    async with agent(order(tmp_path)) as (runtime, heard):
        await runtime.tell("fail")
        assert "the model said no" in (await heard.wait(Notice)).text
        await runtime.tell("hello")
        await heard.wait(Said, says("heard hello"))


async def test_noise_before_the_protocol_does_no_harm(tmp_path: Path) -> None:
    async with agent(order(tmp_path, "noisy")) as (runtime, heard):
        await runtime.tell("hello")
        await heard.wait(Said, says("heard hello"))


async def test_agent_that_dies_at_once_tells_why_in_its_own_words(tmp_path: Path) -> None:
    told = order(tmp_path, "dying")
    with pytest.raises(Unavailable, match="cannot read my settings"):
        await runtimes().start(told)
    assert alive(told) == []


async def test_missing_session_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    told = order(tmp_path, resume="s-0")
    with pytest.raises(ConversationMissing, match="conversation_missing"):
        await runtimes().start(told)
    assert alive(told) == []


async def test_open_question_is_found_again_by_the_next_engine(tmp_path: Path) -> None:
    told = order(tmp_path)
    async with agent(told) as (runtime, heard):
        await runtime.tell("ask")
        asked = await heard.wait(Asked)
        await runtime.freeze()
        next_engine = await runtimes().adopt(replace(told, resume="s-1"), 0)
        assert next_engine is not None
        again = Heard(next_engine)
        try:
            assert (await again.wait(Asked)).question == asked.question
            assert await next_engine.tell("me too") == "not_ready"
            await next_engine.answer(Structured("yes"), asked.question)
            await again.wait(Said, says("answered"))
            await again.wait(Activity, lambda one: one.state == "ready")
            assert await next_engine.tell("hello") == "delivered"
            await again.wait(Said, says("heard hello"))
        finally:
            await again.close()
            await next_engine.detach()


async def test_turn_that_runs_is_known_to_the_next_engine(tmp_path: Path) -> None:
    told = order(tmp_path)
    async with agent(told) as (runtime, _):
        await runtime.tell("long")
        next_engine = await runtimes().adopt(replace(told, resume="s-1"), 0)
        assert next_engine is not None
        again = Heard(next_engine)
        try:
            await again.wait(Activity, lambda one: one.state == "working")
            assert await next_engine.tell("me too") == "not_ready"
        finally:
            await again.close()
            await next_engine.detach()
