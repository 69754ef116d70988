"""What becomes of a gate that was open when the engine ended. Pure: it never presses twice."""

from dataclasses import dataclass
from typing import Literal, assert_never

from engine.gates.ports import GateRecord

Step = Literal["keep", "ask_again", "confirm", "withdraw", "finish", "close", "nothing"]


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done about one gate."""

    gate_id: str
    step: Step


def recovery(record: GateRecord, *, alive: bool, arrived: bool = False) -> Step:
    """The step for one gate; ``alive`` says whether its process (or pending reply) is still there.

    ``arrived``: the agent itself has confirmed that the question is over.
    """
    if arrived and record.state in ("open", "answered"):
        return "confirm" if record.state == "answered" else "withdraw"
    match record.state:
        case "open":
            return "keep" if alive else "close"
        case "answered":
            return "ask_again" if alive else "close"
        case "delivered":
            return "finish"
        case "closed":
            return "nothing"
        case _:
            assert_never(record.state)
