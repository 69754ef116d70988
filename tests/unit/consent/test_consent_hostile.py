"""A taste of the bench: hostile utterances never approve, honest ones do."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[3] / "scripts" / "bench" / "consent"


def test_no_hostile_utterance_approves_and_honest_ones_do() -> None:
    run = subprocess.run(
        [sys.executable, str(BENCH), "--texts", "3000", "--honest", "400", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    result = json.loads(run.stdout.splitlines()[-1])
    assert result["hostile"]["texts"] == 3000
    assert len(result["hostile"]["kinds"]) == 14
    assert result["hostile"]["approvals"] == 0
    assert result["honest"]["rate"] > 0.95
