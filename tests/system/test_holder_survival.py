"""What lives and what dies when a process of the chain is killed, and how floods stay bounded."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest
from holder_scenes import alive, launch, program, running, runtimes, shown, until

from engine.domain.errors import Unavailable
from engine.ports.runtime import Exited, Output
from engine.runtimes import processes, recording, tree
from engine.runtimes.link import Channel, Link

pytestmark = pytest.mark.system


@pytest.mark.parametrize("victim", ["pid", "guard"])
async def test_killed_holder_or_guard_ends_the_tree_and_continues_nothing(tmp_path: Path, victim: str) -> None:
    kept = tmp_path / "kept"
    kept.write_text("precious")
    order = launch(tmp_path, *program("families.py", "keeper", str(kept)))
    async with running(order) as agent:
        await shown(agent, "ready")
        await agent.freeze()
        os.kill(agent._link.hello[victim], signal.SIGKILL)
        exited = await agent._follower.exited()
        await until(lambda: not alive(order))
        await until(lambda: processes.read(agent._link.hello["guard"]) is None)
        assert kept.read_text() == "precious"
        assert exited.code is None or exited.code == -signal.SIGKILL


async def test_frozen_agent_that_is_stopped_is_never_continued(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("precious")
    order = launch(tmp_path, *program("families.py", "keeper", str(kept)))
    async with running(order) as agent:
        await shown(agent, "ready")
        await agent.freeze()
        await agent.stop()
        assert alive(order) == []
        assert kept.read_text() == "precious"


async def test_keeper_deletes_when_it_is_continued(tmp_path: Path) -> None:
    """The two tests above could not fail if the program did nothing when continued."""
    kept = tmp_path / "kept"
    kept.write_text("precious")
    async with running(launch(tmp_path, *program("families.py", "keeper", str(kept)))) as agent:
        await shown(agent, "ready")
        await agent.freeze()
        await agent.thaw()
        await until(lambda: not kept.exists())


async def test_agent_survives_the_engine_and_is_adopted_with_what_it_printed(tmp_path: Path) -> None:
    script = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; read x"
    order = launch(tmp_path, "bash", "-c", script)
    engine = await asyncio.create_subprocess_exec(
        *program("start_and_wait.py", str(tmp_path), order.run_id, script),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert engine.stdout is not None
    offset = int(await engine.stdout.readline())
    os.killpg(engine.pid, signal.SIGKILL)
    await engine.wait()
    (tmp_path / "go").touch()
    await until(lambda: recording.span(order.control / "output")[1] > offset)
    agent = await runtimes().adopt(order, offset)
    assert agent is not None
    try:
        await shown(agent, "two")
        assert agent.screen().lines[:2] == ("one", "two")
        async for got in agent.signals():
            if isinstance(got, Output):
                assert (got.offset, got.data) == (offset, b"two\r\n")
                break
    finally:
        await agent.stop()
        await agent.detach()
    assert alive(order) == []


async def test_frozen_agent_stays_frozen_without_the_engine(tmp_path: Path) -> None:
    order = launch(tmp_path, "cat")
    agent = await runtimes().start(order)
    await agent.freeze()
    await agent.detach()
    again = await runtimes().adopt(order, 0)
    assert again is not None
    assert await again.frozen()
    await again.stop()
    await again.detach()
    assert alive(order) == []


async def test_adopting_a_dead_holder_answers_none_and_last_words(tmp_path: Path) -> None:
    order = launch(tmp_path, "bash", "-c", "exit 4")
    agent = await runtimes().start(order)
    await agent._follower.exited()
    await agent.detach()
    await until(lambda: not (order.control / "holder.sock").exists())
    assert await runtimes().adopt(order, 0) is None
    assert runtimes().last_words(order.control) == Exited(4, "exited with 4")


async def test_flood_of_100_mb_stays_bounded_and_the_screen_ends_right(tmp_path: Path) -> None:
    order = launch(tmp_path, "bash", "-c", "yes | head -c 100000000; echo; echo finished; read x")
    async with running(order) as agent:
        reading = asyncio.create_task(_consume(agent))
        await shown(agent, "finished")
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        oldest, end = recording.span(order.control / "output")
        assert end > 100_000_000
        assert end - oldest <= recording.KEEP + recording.SEGMENT
        holder = agent._link.hello["pid"]
        peak = next(line for line in Path(f"/proc/{holder}/status").read_text().splitlines() if "VmHWM" in line)
        assert int(peak.split()[1]) < 64 * 1024  # KiB


async def _consume(agent) -> None:
    async for _ in agent.signals():
        pass


async def test_slow_client_delays_neither_agent_nor_others(tmp_path: Path) -> None:
    order = launch(tmp_path, "bash", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; touch printed; read x")
    async with running(order):
        lazy = await Channel.open(order.control)
        await lazy.ask("hello", version=1)
        await lazy.ask("subscribe", offset=0)  # and never reads
        await until((tmp_path / "printed").exists)
        await lazy.close()


async def test_other_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    order = launch(tmp_path, "cat")
    async with running(order):
        channel = await Channel.open(order.control)
        with pytest.raises(Unavailable, match="speaks version 1 and the engine version 99"):
            await channel.ask("hello", version=99)
        with pytest.raises(Unavailable, match="Say hello first"):
            await channel.ask("write", data="eQ==")
        await channel.close()


async def test_garbage_on_the_socket_leaves_the_agent_alone(tmp_path: Path) -> None:
    order = launch(tmp_path, "cat")
    async with running(order) as agent:
        for garbage in (b"\x00\xff\n", b"[]\n", b"{", b'{"op":"resize","rows":-1}\n'):
            channel = await Channel.open(order.control)
            channel._writer.write(garbage)
            await channel.close()
        assert not await agent.frozen()


async def test_agent_gets_only_the_environment_it_was_given(tmp_path: Path) -> None:
    os.environ["CONDUIT_SECRET_TOKEN"] = "secret"
    try:
        order = launch(tmp_path, "bash", "-c", "env | sort; read x", GIVEN="this")
        async with running(order) as agent:
            await shown(agent, "GIVEN=this")
            text = "\n".join(agent.screen().lines)
            assert f"CONDUIT_RUN={order.run_id}" in text
            assert "secret" not in text
    finally:
        del os.environ["CONDUIT_SECRET_TOKEN"]


async def test_agent_inherits_no_file_of_engine_or_holder(tmp_path: Path) -> None:
    async with running(launch(tmp_path, "bash", "-c", "ls -l /proc/self/fd; echo end; read x")) as agent:
        await shown(agent, "end")
        targets = [line.split(" -> ")[1] for line in agent.screen().lines if " -> " in line]
        assert len(targets) >= 3
        assert all(target.startswith(("/dev/pts/", "/proc/")) for target in targets)


async def test_processes_that_outlive_their_agent_are_ended(tmp_path: Path) -> None:
    order = launch(tmp_path, "bash", "-c", "setsid sleep 600 & echo started; exit 0")
    agent = await runtimes().start(order)
    exited = await agent._follower.exited()
    await agent.detach()
    assert exited.code == 0
    assert alive(order) == []


async def test_pipes_carry_a_structured_agent(tmp_path: Path) -> None:
    from engine.runtimes.spawning import spawn

    order = launch(tmp_path, "bash", "-c", "read a; echo got $a; echo oops >&2; cat >/dev/null; echo end of input")
    await spawn(order, sys.executable, "pipes")
    link = await Link.connect(order.control)
    await link.write(b"hello\n")
    await link.ask("close_input")
    data = b""
    async for frame in link.frames(0):
        data += frame.data if isinstance(frame, Output) else b""
    await link.close()
    assert data == b"got hello\nend of input\n"
    assert recording.read(order.control / "errors", 0, 100)[1] == b"oops\n"
    tree.kill_these(alive(order))
