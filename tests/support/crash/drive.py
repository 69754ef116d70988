"""Lets four processes and an engine work on one root, kills a random one at a random moment, restarts it, verifies."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.crash.acks import Records
from support.crash.verify import Found, verify
from support.desk import until

from engine.client import Client
from engine.domain.errors import ConduitError

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "tests" / "programs"
WORKERS = 4


_STARTS = 10  # tries on a disk that fails now and then


@dataclass
class Nursery:
    """Owns the process that forks the others, and kills all of them at the end."""

    keep: Path
    faults: float = 0.0
    pids: dict[str, int] = field(default_factory=dict)
    starts: list[float] = field(default_factory=list)  # seconds from fork to the engine's first answer

    def __enter__(self) -> Nursery:
        path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
        env = {**os.environ, "PYTHONPATH": path, "CONDUIT_PRACTICE_SPEED": "0"}
        command = [sys.executable, "-m", "support.crash.nursery", str(self.keep)]
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        return self

    def __exit__(self, *exc: object) -> None:
        for name in list(self.pids):
            self.kill(name)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def engine(self) -> None:
        """Start it and wait until it answers."""
        begin = time.monotonic()
        for tries in range(_STARTS):
            pid = self._fork(what="engine", seed=random.randrange(10**9))
            try:
                until(lambda pid=pid: self._announced(pid), "the engine to answer", 60)
                break
            except AssertionError:
                # A disk that fails at the start ends the engine with a sentence; a person starts it again.
                if not self.faults or tries == _STARTS - 1 or Path(f"/proc/{pid}").exists():
                    raise
        self.starts.append(time.monotonic() - begin)

    def worker(self, number: int, seed: int) -> None:
        self._fork(what=f"worker{number}", number=number, seed=seed)

    def kill(self, name: str) -> None:
        """kill -9, and wait until it is gone."""
        pid = self.pids.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not Path(f"/proc/{pid}").exists(), f"{name} to be gone")

    def alive(self, name: str) -> bool:
        return name in self.pids and Path(f"/proc/{self.pids[name]}").exists()

    def _fork(self, **order: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({**order, "faults": self.faults}) + "\n")
        pid = int(json.loads(self._process.stdout.readline())["pid"])
        self.pids[order["what"]] = pid
        return pid

    def _announced(self, pid: int) -> bool:
        if not Path(f"/proc/{pid}").exists():
            raise AssertionError(f"the engine ended: {(self.keep / 'engine.out').read_text()[-2000:]}")
        try:
            return bool(json.loads((self.keep / "root" / "engine.json").read_text())["pid"] == pid)
        except (FileNotFoundError, ValueError, KeyError):
            return False


def set_the_scene(keep: Path) -> None:
    """A common project with an agent that writes down each line it is told, and one that asks before it deletes."""
    client = Client.from_home(keep / "root")
    (keep / "work").mkdir(exist_ok=True)
    (keep / "gate").mkdir(exist_ok=True)
    project = client.create_project(name="common", cwd=str(keep / "work"))["id"]
    said = keep / "said.txt"
    command = [sys.executable, "-u", str(PROGRAMS / "line_agent.py"), str(said)]
    recorder = client.create_agent(project_id=project, name="recorder", cli="recorder", command=command)["id"]
    gate = client.create_agent(project_id=project, name="gate", cli="practice", cwd=str(keep / "gate"))["id"]
    for agent in (recorder, gate):
        client.start_agent(project_id=project, agent_id=agent)
    scene = {"project": project, "recorder": recorder, "gate": gate, "said": str(said)}
    (keep / "scene.json").write_text(json.dumps(scene))


@dataclass
class Result:
    """What a crash run came to."""

    kills: int = 0
    engine_kills: int = 0
    acknowledged: int = 0
    refused: int = 0
    found: Found = field(default_factory=Found)
    trouble: list[str] = field(default_factory=list)
    start_seconds: list[float] = field(default_factory=list)

    def line(self) -> dict[str, int]:
        return {"kills": self.kills, "acknowledged": self.acknowledged, **self.found.counts()}

    def good(self) -> bool:
        return self.kills > 0 and self.found.good() and not self.trouble


def crash(
    keep: Path,
    kills: int,
    seed: int,
    *,
    each: int = 20,
    faults: float = 0.0,
    every: int = 1,
    disk: Disturbance | None = None,
) -> Result:
    """``kills`` kills with at least ``each`` acknowledgements before each; a full check after ``every`` of them."""
    rng, result, records = random.Random(seed), Result(), Records(keep / "acks")
    (keep / "acks").mkdir(parents=True, exist_ok=True)
    (keep / "root").mkdir(exist_ok=True)
    with Nursery(keep) as nursery:
        nursery.engine()
        set_the_scene(keep)
        nursery.faults = faults
        try:
            for number in range(WORKERS):
                nursery.worker(number, rng.randrange(10**9))
            while result.kills < kills and result.found.good():
                _round(keep, nursery, rng, records, result, each, disk)
                if result.kills % every == 0:
                    result.found = verify(keep, records, final=False)
            nursery.faults = 0.0
            _finish(keep, nursery, records, result)
        finally:
            _end_agents(keep, nursery)
    result.start_seconds = nursery.starts
    return result


@dataclass
class Disturbance:
    """Makes the disk full or read-only for a while; the engine is not killed meanwhile, since it could not start."""

    begin: Any
    end: Any
    share: float = 0.3


def _round(
    keep: Path,
    nursery: Nursery,
    rng: random.Random,
    records: Records,
    result: Result,
    each: int,
    disk: Disturbance | None,
) -> None:
    before = records.acknowledged
    until(lambda: _enough(nursery, records, before + each), f"{each} acknowledgements", 120)
    disturbed = disk is not None and rng.random() < disk.share
    if disturbed and disk is not None:
        disk.begin()
        time.sleep(0.3)
    time.sleep(rng.uniform(0.0, 0.1))  # the moment of death is the input here
    names = [f"worker{number}" for number in range(WORKERS)]
    victim = rng.choice(names) if disturbed or rng.random() < 0.5 else "engine"
    nursery.kill(victim)
    result.kills += 1
    result.engine_kills += victim == "engine"
    with (keep / "kills.jsonl").open("a") as stream:
        stream.write(json.dumps({"n": result.kills, "victim": victim, "acknowledged": records.acknowledged}) + "\n")
    if disturbed and disk is not None:
        disk.end()
    if victim == "engine":
        nursery.engine()
    else:
        nursery.worker(int(victim[-1]), rng.randrange(10**9))
    records.refresh()
    result.acknowledged = records.acknowledged


def _enough(nursery: Nursery, records: Records, wanted: int) -> bool:
    for name in nursery.pids:
        if not nursery.alive(name):
            raise AssertionError(f"{name} ended by itself; see {nursery.keep / name}.out")
    records.refresh()
    return records.acknowledged >= wanted


def _finish(keep: Path, nursery: Nursery, records: Records, result: Result) -> None:
    """Stop the workers, let the queue run dry, restart the engine once more, and judge everything."""
    for number in range(WORKERS):
        nursery.kill(f"worker{number}")
    nursery.kill("engine")
    nursery.engine()
    client, scene = Client.from_home(keep / "root"), json.loads((keep / "scene.json").read_text())
    where = {"project_id": scene["project"], "agent_id": scene["recorder"]}
    until(lambda: client.get_agent(**where)["queuedMessages"] == 0, "the queue to run dry", 120)
    time.sleep(0.3)  # the last line's way from the terminal into the recorder's file
    if result.found.good():
        result.found = verify(keep, records, final=True)
    result.acknowledged = records.acknowledged


def _end_agents(keep: Path, nursery: Nursery) -> None:
    """No agent outlives the test."""
    nursery.faults = 0.0
    if not nursery.alive("engine"):
        nursery.engine()
    client = Client.from_home(keep / "root")
    for agent in client.snapshot()["agents"]:
        with contextlib.suppress(ConduitError):  # one that never ran
            client.stop_agent(project_id=agent["projectId"], agent_id=agent["id"])


@contextlib.contextmanager
def kept(keep: Path | None) -> Iterator[Path]:
    """A folder for log and root: the one given, which stays, or one that goes."""
    import tempfile

    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.absolute()
    else:
        with tempfile.TemporaryDirectory(prefix="conduit-crash-") as folder:
            yield Path(folder)
