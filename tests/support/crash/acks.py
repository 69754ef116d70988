"""What each process began and what was acknowledged to it: one line each, on disk before the next thing happens."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class AckLog:
    """The log of one life of one process; a line is one write, so a kill leaves whole lines."""

    def __init__(self, folder: Path, worker: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        lives = len(list(folder.glob(f"{worker}-*.jsonl")))
        self.path = folder / f"{worker}-{lives:05}.jsonl"
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def begin(self, kind: str, **fields: Any) -> str:
        """Before anything is asked for; the operation's id."""
        op = secrets.token_hex(6)
        self._note({"op": op, "phase": "begin", "kind": kind, **fields})
        return op

    def ack(self, op: str, **fields: Any) -> None:
        """After it was acknowledged."""
        self._note({"op": op, "phase": "ack", **fields})

    def refused(self, op: str, why: str) -> None:
        """It failed with a sentence; whether it happened is not known."""
        self._note({"op": op, "phase": "refused", "why": why})

    def _note(self, record: Record) -> None:
        os.write(self._fd, json.dumps(record).encode() + b"\n")


@dataclass
class Op:
    """One operation: what was asked for, and the acknowledgement if there was one."""

    op: str
    kind: str
    begin: Record
    worker: str
    ack: Record | None = None


@dataclass
class Records:
    """Reads the logs of a folder as they grow; ``ops`` in the order of each worker's own log."""

    folder: Path
    ops: dict[str, Op] = field(default_factory=dict)
    acknowledged: int = 0
    _read: dict[Path, int] = field(default_factory=dict)

    def refresh(self) -> None:
        """Take in what was written since the last time; half a line stays for the next time."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open("rb") as stream:
                stream.seek(self._read.get(path, 0))
                data = stream.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._read[path] = self._read.get(path, 0) + len(whole)
            for line in whole.splitlines():
                self._take(json.loads(line), path.name.rpartition("-")[0])

    def _take(self, record: Record, worker: str) -> None:
        if record["phase"] == "begin":
            self.ops[record["op"]] = Op(record["op"], record["kind"], record, worker)
        elif record["phase"] == "ack":
            self.ops[record["op"]].ack = record
            self.acknowledged += 1

    def of(self, *kinds: str) -> Iterator[Op]:
        return (op for op in self.ops.values() if op.kind in kinds)
