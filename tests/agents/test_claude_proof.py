"""Claude Code, the real program, through the engine: everything that is asked of an agent with a protocol."""

import pytest
from agents.ground import Ground
from agents.proof import LONG, StructuredProof

pytestmark = [pytest.mark.agents, pytest.mark.system]


class TestClaude(StructuredProof):
    cli = "claude"
    store = (".claude/projects",)

    def test_long_message_arrives_whole_and_once(self, ground: Ground) -> None:
        """A terminal: its input box makes four blanks of a tab, and that is all it may change."""
        ground.start()
        ground.tell(LONG)
        ground.turns(1)
        ground.ready()
        arrived = [turn for turn in ground.model.turns() if LONG.replace("\t", "    ") in turn.request.history]
        assert len(arrived) == 1
