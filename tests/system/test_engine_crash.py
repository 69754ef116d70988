"""A few kills of a random workload; `scripts/bench/crash` does thousands, and other faults of the disk."""

import json
from pathlib import Path

import pytest
from support.crash.acks import Records
from support.crash.drive import crash
from support.crash.verify import verify

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]


def test_nothing_acknowledged_is_lost_doubled_or_resurrected_by_kills(tmp_path: Path) -> None:
    result = crash(tmp_path, 15, seed=7, every=3)
    assert result.good(), result
    assert result.acknowledged >= 15 * 20
    assert result.engine_kills > 0


def test_a_disk_with_faults_loses_nothing_acknowledged(tmp_path: Path) -> None:
    result = crash(tmp_path, 6, seed=8, faults=0.01, every=2)
    assert result.good(), result


def test_the_verifier_sees_what_is_taken_away(tmp_path: Path) -> None:
    """A judge that finds nothing has to be shown able to find something."""
    crash(tmp_path, 2, seed=9)
    records = Records(tmp_path / "acks")
    assert verify(tmp_path, records, final=True).good()
    chat = max(tmp_path.glob("root/projects/*/groupchat.jsonl"), key=lambda path: path.stat().st_size)
    lines = chat.read_bytes().splitlines(keepends=True)
    chat.write_bytes(b"".join([*lines[1:], lines[-1]]))
    run = next(tmp_path.glob("root/agents/runs/*/run.json"))
    run.write_bytes(run.read_bytes()[:40])
    document = next(tmp_path.glob("root/workspaces/*/documents/*/document.json"))
    said = json.loads(document.read_text())
    said["versions"] = []
    document.write_text(json.dumps(said))
    found = verify(tmp_path, records, final=True)
    assert found.lost
    assert found.doubled
    assert found.unreadable
