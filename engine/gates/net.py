"""A command hook: asks the engine about a tool call, and judges by itself when the engine does not answer.

``python -I -m engine.gates.net <hooks.json>``; the hook's body on standard input. Whatever is wrong with the engine
(gone, hung, another token, an error) a harmful call is asked about, so that its dialog stays until someone decides.
Exit status 0 with an answer, or anything else when not even that could be told: then the hook's command line blocks.
"""

import http.client
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_ANSWER_LIMIT = 4.0  # seconds
_ANSWER_BYTES = 1_000_000


def main(argv: list[str]) -> int:
    """Print the answer to the tool call on standard input."""
    body = sys.stdin.buffer.read()
    answer = _of_engine(Path(argv[0]), body)
    sys.stdout.write(answer if answer is not None else json.dumps(_own(body)))
    return 0


def _of_engine(kept: Path, body: bytes) -> str | None:
    """The engine's answer as it came, or None when it gives none that can be understood."""
    try:
        told = json.loads(kept.read_text("utf-8"))
        where = urlsplit(str(told["address"]))
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=_ANSWER_LIMIT)
        headers = {"Authorization": f"Bearer {told['token']}", "Content-Type": "application/json"}
        connection.request("POST", f"/org/hooks/{told['run_id']}/PreToolUse", body, headers)
        response = connection.getresponse()
        text = response.read(_ANSWER_BYTES).decode("utf-8")
        connection.close()
        understood = response.status == 200 and _is_answer(json.loads(text))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, http.client.HTTPException):
        return None
    return text if understood else None


def _is_answer(told: object) -> bool:
    """Empty (no objection), or a decision about this call."""
    if not isinstance(told, dict):
        return False
    decision = told.get("hookSpecificOutput", {})
    return isinstance(decision, dict) and (not told or decision.get("permissionDecision") in ("ask", "deny"))


def _own(body: bytes) -> dict[str, Any]:
    """The same judge, here. Imported only now: it takes longer than the engine's answer."""
    from engine.gates.sources.command import RealSurroundings
    from engine.gates.sources.tools import why_ask
    from engine.runtimes.claude_hooks.payload import ask, read

    payload = read(json.loads(body))
    why = why_ask(payload.tool_name, payload.tool_input, RealSurroundings(cwd=payload.cwd or "/", project=payload.cwd))
    return ask(f"Conduit's engine does not answer. {why}") if why else {}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
