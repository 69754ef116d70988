"""Starting, telling, answering and stopping a real program behind a real holder."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from holder_scenes import NO, YES, LineReader, alive, launch, program, running, runtimes, shown

from engine.domain.errors import Conflict, Unavailable
from engine.domain.gates import KillHeld, Proceed, Question
from engine.ports.runtime import Exited, Output, Settled
from engine.runtimes.spawning import spawn

pytestmark = pytest.mark.system


def asked(runtime) -> Question:
    return LineReader().questions(runtime.screen(), "test", "")[0]


async def test_message_arrives_whole_and_once(tmp_path: Path) -> None:
    said = tmp_path / "said"
    async with running(launch(tmp_path, *program("line_agent.py", str(said)))) as agent:
        await shown(agent, ">")
        assert await agent.tell("run the tests") == "delivered"
        await shown(agent, "done")
        assert said.read_text() == "run the tests\n"


async def test_long_message_that_wraps_arrives_whole_and_once(tmp_path: Path) -> None:
    said = tmp_path / "said"
    message = "please look at every file " * 15
    async with running(launch(tmp_path, *program("line_agent.py", str(said)))) as agent:
        await shown(agent, ">")
        assert await agent.tell(message) == "delivered"
        await shown(agent, "done")
        assert said.read_text().split() == message.split()
        assert said.read_text().count("\n") == 1


async def test_several_lines_are_joined_where_no_paste_is_offered(tmp_path: Path) -> None:
    said = tmp_path / "said"
    async with running(launch(tmp_path, *program("line_agent.py", str(said)))) as agent:
        await shown(agent, ">")
        assert await agent.tell("Do this:\n1. rename a\n2. run tests") == "delivered"
        await shown(agent, "done")
        assert said.read_text() == "Do this: 1. rename a 2. run tests\n"


async def test_end_of_paste_in_a_message_presses_no_key(tmp_path: Path) -> None:
    said = tmp_path / "said"
    async with running(launch(tmp_path, *program("line_agent.py", str(said)))) as agent:
        await shown(agent, ">")
        assert await agent.tell("note\x1b[201~\r1\r a\x9b201~b") == "delivered"
        await shown(agent, "done")
        assert said.read_text() == "note[201~ 1 a201~b\n"


async def test_message_is_not_typed_while_a_question_is_live(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    async with running(launch(tmp_path, *program("line_agent.py", str(tmp_path / "said")))) as agent:
        await shown(agent, ">")
        await agent.tell(f"ask {answers}")
        await shown(agent, "(y/n)")
        assert await agent.tell("yes please") == "not_ready"
        assert not answers.exists()
        assert agent.screen().lines[agent.screen().cursor_row].endswith("(y/n)")


async def test_answer_reaches_the_frozen_question(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    async with running(launch(tmp_path, *program("line_agent.py", str(tmp_path / "said")))) as agent:
        await shown(agent, ">")
        await agent.tell(f"ask {answers}")
        await shown(agent, "(y/n)")
        assert await agent.freeze() == 1
        assert await agent.frozen()
        done = await agent.answer(NO.reply, asked(agent))
        assert (done.action, done.gone) == ("typed n, Enter", True)
        await shown(agent, "done")
        assert answers.read_text() == "n\n"


async def test_keys_typed_before_the_freeze_do_not_answer(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    script = f"echo before; read -r go; sleep 1; printf 'Run the command x? (y/n) '; read -r a; echo $a > {answers}"
    async with running(launch(tmp_path, "bash", "-c", script)) as agent:
        await shown(agent, "before")
        await agent.write(b"go\r")
        await agent.write(b"y\ry\r")  # typed ahead, while the program sleeps
        await agent.freeze()
        await agent.thaw()
        await shown(agent, "(y/n)")
        await agent._follower.settled(5.0)
        assert not answers.exists()


async def test_typing_into_a_frozen_agent_is_refused(tmp_path: Path) -> None:
    async with running(launch(tmp_path, "cat")) as agent:
        await agent.freeze()
        with pytest.raises(Conflict):
            await agent.write(b"y\r")
        assert await agent.tell("hello") == "not_ready"


async def test_answer_to_another_question_is_refused_and_refrozen(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    async with running(launch(tmp_path, *program("line_agent.py", str(tmp_path / "said")))) as agent:
        await shown(agent, ">")
        await agent.tell(f"ask {answers}")
        await shown(agent, "(y/n)")
        await agent.freeze()
        other = Question(prompt="Delete all? (y/n)", command="x", choices=(YES, NO), source="regex", tier="harmful")
        with pytest.raises(Conflict):
            await agent.answer(YES.reply, other)
        assert await agent.frozen()
        assert not answers.exists()


async def test_proceed_lets_a_held_command_go_on_and_kill_held_does_not(tmp_path: Path) -> None:
    for reply, expected in ((Proceed(), True), (KillHeld(), False)):
        folder = tmp_path / type(reply).__name__
        folder.mkdir()
        flag = folder / "flag"
        script = f"setsid bash -c 'echo held; sleep 1; touch {flag}'; echo after; read x"
        question = Question(prompt="held", command=f"sleep 1; touch {flag}", choices=(), source="regex", tier="harmful")
        async with running(launch(folder, "bash", "-c", script)) as agent:
            await shown(agent, "held")
            await agent.freeze()
            done = await agent.answer(reply, question)
            assert done.gone
            await shown(agent, "after")
            assert flag.exists() is expected


async def test_command_that_does_not_exist_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no-such-agent was not found"):
        await runtimes().start(launch(tmp_path, "no-such-agent"))


async def test_holder_killed_before_it_took_its_order_leaves_no_secret_on_the_disk(tmp_path: Path) -> None:
    dying = tmp_path / "dying-python"
    dying.write_text("#!/bin/sh\nkill -9 $$\n")
    dying.chmod(0o755)
    order = replace(launch(tmp_path, "cat"), env={"KEY": "sk-very-secret"})
    with pytest.raises(Unavailable, match="could not be started"):
        await spawn(order, str(dying))
    written = [path for path in (tmp_path / "control").rglob("*") if path.is_file()]
    assert not [path for path in written if b"sk-very-secret" in path.read_bytes()]


async def test_second_agent_in_a_living_control_folder_is_refused(tmp_path: Path) -> None:
    order = launch(tmp_path, "cat")
    async with running(order):
        with pytest.raises(Unavailable, match="running already"):
            await runtimes().start(order)


async def test_signals_end_with_the_exit_status(tmp_path: Path) -> None:
    runtime = await runtimes().start(launch(tmp_path, "bash", "-c", "echo hello; exit 7"))
    got = [signal async for signal in runtime.signals()]
    await runtime.detach()
    assert got[-1] == Exited(7, "exited with 7")
    assert b"".join(s.data for s in got if isinstance(s, Output)) == b"hello\r\n"
    assert any(isinstance(s, Settled) and s.screen.lines[0] == "hello" for s in got)
    assert alive(runtime.launch) == []


async def test_spinner_that_never_pauses_still_settles(tmp_path: Path) -> None:
    async with running(launch(tmp_path, *program("line_agent.py", str(tmp_path / "said")))) as agent:
        await shown(agent, ">")
        await agent.write(b"spin\r")
        async for signal in agent.signals():
            if isinstance(signal, Settled) and any("Working" in line for line in signal.screen.lines):
                break


async def test_queries_of_a_program_are_answered(tmp_path: Path) -> None:
    script = "stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | tr '\\033' E; stty sane; read x"
    async with running(launch(tmp_path, "bash", "-c", script)) as agent:
        await shown(agent, "E[1;1R")


async def test_control_path_of_any_length_works(tmp_path: Path) -> None:
    control = tmp_path / ("d" * 100) / ("e" * 100) / "control"
    async with running(launch(tmp_path, "bash", "-c", "echo hi; read x", control=control)) as agent:
        await shown(agent, "hi")


async def test_stop_leaves_no_process_even_of_one_that_ignores_signals(tmp_path: Path) -> None:
    for kind in ("stubborn", "session", "double"):
        folder = tmp_path / kind
        folder.mkdir()
        order = launch(folder, *program("families.py", kind))
        async with running(order) as agent:
            await shown(agent, "ready")
            assert len(alive(order)) == 2
            exited = await agent.stop()
            assert exited.reason == "stopped"
            assert alive(order) == []


async def test_agent_cannot_reach_its_own_holder(tmp_path: Path) -> None:
    code = (
        "import os,socket,sys,time\n"
        "if os.fork(): os.wait()\n"
        "else:\n"
        " os.setsid()\n"
        " if os.fork(): os._exit(0)\n"
        " while not os.path.exists('control/holder.json'): time.sleep(0.01)\n"
        " s=socket.socket(socket.AF_UNIX); s.connect('control/holder.sock')\n"
        " print(s.recv(4000).decode()[:70]); sys.stdout.flush(); os._exit(0)\n"
        "input()"
    )
    async with running(launch(tmp_path, "python3", "-c", code)) as agent:
        await shown(agent, "Agents may not reach a holder")


async def test_resize_reaches_the_program(tmp_path: Path) -> None:
    async with running(
        launch(tmp_path, "bash", "-c", "trap 'stty size' WINCH; echo go; while :; do sleep 0.05; done")
    ) as agent:
        await shown(agent, "go")
        await agent.resize(20, 90)
        await shown(agent, "20 90")
        assert agent.screen().columns == 90


async def test_gate_that_freezes_in_the_middle_of_a_message_cancels_the_rest(tmp_path: Path) -> None:
    said = tmp_path / "said"
    async with running(launch(tmp_path, *program("line_agent.py", str(said)))) as agent:
        await shown(agent, ">")
        telling = asyncio.create_task(agent.tell("half a message"))
        await shown(agent, "half a message")
        await agent.freeze()
        assert await telling == "not_ready"
        assert not said.exists()


async def test_several_lines_arrive_as_one_message_where_a_paste_is_offered(tmp_path: Path) -> None:
    said = tmp_path / "said"
    code = (
        "import json,os,sys,termios,tty\n"
        "tty.setraw(0)\n"
        "def show(box): os.write(1, b'\\r\\x1b[J> ' + box.split(b'\\n')[-1])\n"
        "os.write(1, b'\\x1b[?2004h'); box=b''; show(box)\n"
        "pasting=False\n"
        "while True:\n"
        " data=os.read(0,4096)\n"
        " if data.startswith(b'\\x1b[200~'): data=data[6:]; pasting=True\n"
        " if pasting: box+=data.replace(b'\\x1b[201~',b''); pasting=not data.endswith(b'\\x1b[201~')\n"
        " elif data==b'\\r': open(sys.argv[1],'ab').write(box+b'|'); box=b''\n"
        " elif data==b'\\x15': box=b''\n"
        " else: box+=data\n"
        " show(box)\n"
    )
    async with running(launch(tmp_path, "python3", "-c", code, str(said))) as agent:
        await shown(agent, ">")
        assert await agent.tell("Do this:\n1. rename\ta\n2. run tests") == "delivered"
        assert said.read_text() == "Do this:\n1. rename\ta\n2. run tests|"


async def test_message_into_readline_arrives_whole_and_once(tmp_path: Path) -> None:
    said = tmp_path / "said"
    script = f"PS1='> '; bind 'set enable-bracketed-paste on'; say() {{ echo \"$*\" >> {said}; }}; clear"
    rc = tmp_path / "rc"
    rc.write_text(script.replace("; ", "\n", 2))
    async with running(launch(tmp_path, "bash", "--rcfile", str(rc), "-i")) as agent:
        await shown(agent, ">")
        assert await agent.tell("say run the tests and tell me what fails") == "delivered"
        assert await agent.tell("say second") == "delivered"
        await shown(agent, ">")
        assert said.read_text() == "run the tests and tell me what fails\nsecond\n"


async def test_enter_that_is_not_taken_is_retried_twice_and_reported(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    code = (
        "import os,sys,tty\n"
        "tty.setraw(0); box=b''; os.write(1,b'> ')\n"
        "while True:\n"
        " data=os.read(0,4096); open(sys.argv[1],'ab').write(data)\n"
        " box = b'' if data==b'\\x15' else box+data.replace(b'\\r',b'')\n"
        " os.write(1, b'\\r\\x1b[J> '+box)\n"
    )
    async with running(launch(tmp_path, "python3", "-c", code, str(keys))) as agent:
        await shown(agent, ">")
        assert await agent.tell("hello") == "not_ready"
        assert keys.read_bytes() == b"hello\r\r\r\x15"
        assert agent.screen().lines[0] == ">"


async def test_text_and_enter_are_separate_writes(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    code = (
        "import os,sys,time,tty\n"
        "tty.setraw(0); os.write(1,b'> '); last=0\n"
        "while True:\n"
        " data=os.read(0,4096); now=time.monotonic()\n"
        " open(sys.argv[1],'a').write(f'{data!r} {now-last>=0.1}\\n'); last=now\n"
        " os.write(1, b'\\r\\x1b[J> '+data.replace(b'\\r',b''))\n"
    )
    async with running(launch(tmp_path, "python3", "-c", code, str(keys))) as agent:
        await shown(agent, ">")
        assert await agent.tell("hello") == "delivered"
        assert keys.read_text() == "b'hello' True\nb'\\\\r' True\n".replace("\\\\", "\\")
