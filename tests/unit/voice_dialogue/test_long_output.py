"""Long output: a short version first; "more" reads on; once read there is no more."""

from typing import Any

import pytest
from talk import Talk

from voice.dialogue.inputs import Done
from voice.dialogue.requests import FetchOutput

LONG = "\n".join(f"step {number} of forty is finished without a fault" for number in range(1, 41))


def output(talk: Talk, text: str) -> None:
    talk.hear("what did backend say")
    request: Any = talk.of(FetchOutput)[0]
    talk.put(Done(request, {"text": text}))


@pytest.mark.parametrize("words", ["more", "go on", "read the rest", "keep reading", "read all of it", "continue"])
def test_more_reads_all_of_a_long_output_of_which_a_short_version_came_first(words: str) -> None:
    talk = Talk()
    output(talk, LONG)
    assert talk.said.endswith("Say more for all of it.") and len(talk.said.split()) < 60
    assert "step 20" not in talk.said
    talk.hear(words)
    assert "step 20 of forty" in talk.said and "step 40 of forty" in talk.said
    talk.hear("more")
    assert talk.said == "There is no more."


def test_short_output_is_read_whole_at_once() -> None:
    talk = Talk()
    output(talk, "3 passed")
    assert talk.said == "backend says: 3 passed."
