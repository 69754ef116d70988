"""Messages into a drawn box: rules around it, a hidden cursor parked elsewhere, a footer below."""

from pathlib import Path

import pytest
from holder_scenes import launch, shown

from engine.domain.gates import Question
from engine.ports.clock import SystemClock
from engine.ports.runtime import InputLine, Screen
from engine.runtimes.manager import LocalRuntimes

pytestmark = pytest.mark.system

BOX = r"""
import os, sys, tty
tty.setraw(0)
box, pasting = '', False
def draw():
    rows = [box[at:at + 60] for at in range(0, len(box), 60)] or ['']
    typed = ['❯ ' + rows[0], *('  ' + row for row in rows[1:])]
    lines = ['-- welcome --', '─' * 80, *typed, '─' * 80, '  ? for shortcuts']
    os.write(1, ('\x1b[?25l\x1b[2J\x1b[H' + '\r\n'.join(lines)).encode())
os.write(1, b'\x1b[?2004h')
draw()
while True:
    data = os.read(0, 65536).decode()
    if data == '\r':
        with open(sys.argv[1], 'a') as file: file.write(box + '|')
        box = ''
    elif data == '\x15': box = ''
    else: box += data.replace('\x1b[200~', '').replace('\x1b[201~', '')
    draw()
"""


class BoxReader:
    """Sees the first row of the box, as readers of drawn boxes do, and never the cursor."""

    def questions(self, screen: Screen, cli: str, cwd: str) -> tuple[Question, ...]:
        return ()

    def input_line(self, screen: Screen, cli: str) -> InputLine | None:
        rows = [(row, line[1:].strip()) for row, line in enumerate(screen.lines) if line.startswith("❯")]
        return InputLine(*rows[-1]) if rows else None


@pytest.mark.parametrize("message", ["run the tests", "please look at every file of the project and " * 6])
async def test_message_into_a_drawn_box_arrives_whole_and_once(tmp_path: Path, message: str) -> None:
    said = tmp_path / "said"
    order = launch(tmp_path, "python3", "-c", BOX, str(said))
    agent = await LocalRuntimes(BoxReader(), SystemClock()).start(order)
    try:
        await shown(agent, "? for shortcuts")
        assert await agent.tell(message) == "delivered"
        assert said.read_text() == message.strip("\n") + "|"
    finally:
        await agent.stop()
        await agent.detach()
