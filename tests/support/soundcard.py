"""A virtual sound card: a private PulseAudio whose ``mic`` and ``speaker`` sinks stand for the desk's.

What is played into ``mic`` is what programs under ``env`` record; what they play is taped from ``speaker``. Both ends
are taped all the time with boot times, so a test can ask when a sound really began and ended: within 20 ms, and both
tapes run early by the same 10-20 ms, for a null sink renders ahead. Put ``tests/support`` on ``sys.path`` to use it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

TAPE_RATE = 16_000
_KEPT_SECONDS = 900
_QUIET = 1e-3
_ROOM = 6e-5  # a real microphone is never perfectly still
Sound = NDArray[np.float32]


def boot() -> float:
    """Seconds on the clock that the product uses for consent (CLOCK_BOOTTIME)."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(frozen=True)
class Spoken:
    """When the first and the last audible sample went into the microphone (boot seconds)."""

    began_at: float
    ended_at: float


class Tape:
    """Records one monitor source without end; keeps the last quarter of an hour."""

    def __init__(self, source: str, env: dict[str, str]) -> None:
        self._blocks: deque[tuple[float, Sound]] = deque()
        self._lock = threading.Lock()
        self._count = 0
        self._zero = float("inf")
        command = ["parec", f"--device={source}", "--format=float32le", f"--rate={TAPE_RATE}", "--channels=1"]
        self._process = subprocess.Popen(
            [*command, "--latency-msec=10", "--raw"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        _prefer(self._process)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        rest = b""
        while data := os.read(pipe, 65536):
            now, data = boot(), rest + data
            whole = len(data) // 4 * 4
            rest = data[whole:]
            self._keep(np.frombuffer(data[:whole], dtype=np.float32), now)

    def settle(self) -> None:
        """Forget the start: the first blocks of a monitor come in a burst, ahead of time."""
        with self._lock:
            self._zero = float("inf")
        time.sleep(0.3)  # a few dozen blocks to find the smallest delay in

    def _keep(self, block: Sound, now: float) -> None:
        with self._lock:
            # Blocks come late, never early: the smallest difference is nearest to the true start of the tape.
            self._zero = min(self._zero, now - (self._count + len(block)) / TAPE_RATE)
            self._blocks.append((self._count, block))
            self._count += len(block)
            while self._blocks and self._count - self._blocks[0][0] > _KEPT_SECONDS * TAPE_RATE:
                self._blocks.popleft()

    @property
    def running(self) -> bool:
        """Whether anything has been taped yet."""
        return self._count > 0

    @property
    def taped_until(self) -> float:
        """Boot time of the last sample that has come so far."""
        with self._lock:
            return self._zero + self._count / TAPE_RATE

    def samples_since(self, at: float) -> tuple[float, Sound]:
        """All that was taped from boot time ``at`` on: (boot time of the first sample, samples at 16 kHz)."""
        with self._lock:
            kept = [
                (start, block) for start, block in self._blocks if self._zero + (start + len(block)) / TAPE_RATE > at
            ]
            zero = self._zero
        if not kept:
            return at, np.zeros(0, dtype=np.float32)
        first = kept[0][0]
        sound = np.concatenate([block for _, block in kept])
        skip = max(0, round((at - zero) * TAPE_RATE) - first)
        return zero + (first + skip) / TAPE_RATE, sound[skip:]

    def first_sound_after(self, at: float, level: float = 0.002) -> float | None:
        """Boot time of the first sample louder than ``level`` after ``at``, or None so far."""
        start, sound = self.samples_since(at)
        loud = np.flatnonzero(np.abs(sound) > level)
        return start + int(loud[0]) / TAPE_RATE if len(loud) else None

    def last_sound_after(self, at: float, level: float = 0.002) -> float | None:
        """Boot time of the last sample louder than ``level`` since ``at``, or None so far."""
        start, sound = self.samples_since(at)
        loud = np.flatnonzero(np.abs(sound) > level)
        return start + int(loud[-1]) / TAPE_RATE if len(loud) else None

    def wait_for_sound(self, after: float, timeout: float = 20.0, level: float = 0.002) -> float:
        """Boot time of the first sound after ``after``; TimeoutError when none comes."""
        end = boot() + timeout
        while boot() < end:
            if (found := self.first_sound_after(after, level)) is not None:
                return found
            time.sleep(0.01)
        raise TimeoutError(f"nothing was heard within {timeout:g} s")

    def wait_for_quiet(self, seconds: float = 0.5, timeout: float = 60.0, level: float = 0.002) -> float:
        """Wait until it has been silent for ``seconds``; the boot time of the last sound (or of the call)."""
        begun = boot()
        while boot() < begun + timeout:
            last = self.last_sound_after(begun - 0.2, level) or begun
            # By the tape's own end, not by the clock: on a busy machine the tape comes late.
            if self.taped_until - max(last, begun) > seconds + 0.05:
                return last
            time.sleep(0.02)
        raise TimeoutError(f"it was not silent within {timeout:g} s")

    def close(self) -> None:
        """Stop recording."""
        self._process.kill()
        self._process.wait()
        self._thread.join(timeout=5)


class SoundCard:
    """Context manager: the server, its two sinks, and tapes of both."""

    def __init__(self, *, room: bool = True) -> None:
        """``room``: faint noise on the microphone, as every real one has; without it programs hear perfect silence."""
        self._room = room
        self._noises: list[subprocess.Popen[bytes]] = []
        self._folder = Path(tempfile.mkdtemp(prefix="conduit-sound-"))
        self._socket = self._folder / "native"
        self.env = self._environment()
        self._server: subprocess.Popen[bytes] | None = None
        self._modules: dict[str, str] = {}

    def _environment(self) -> dict[str, str]:
        """What a child process needs in order to see this card and no other."""
        own = str(self._folder)
        return {
            **{name: value for name, value in os.environ.items() if name != "PULSE_LATENCY_MSEC"},
            "PULSE_SERVER": f"unix:{self._socket}",
            "PULSE_RUNTIME_PATH": own,
            "PULSE_STATE_PATH": own,
            "PULSE_COOKIE": str(self._folder / "cookie"),
            "PULSE_SINK": "speaker",
            "PULSE_SOURCE": "mic.monitor",
        }

    def __enter__(self) -> SoundCard:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the server and both tapes; returns when sound flows."""
        protocol = f"module-native-protocol-unix socket={self._socket} auth-anonymous=1"
        command = [
            "pulseaudio",
            "-n",
            "--daemonize=no",
            "--exit-idle-time=-1",
            "--use-pid-file=no",
            "--log-level=error",
        ]
        loads = ["-L", protocol, "-L", _sink("mic"), "-L", _sink("speaker")]
        self._server = subprocess.Popen(
            [*command, *loads],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _prefer(self._server)
        try:
            self._until(lambda: "speaker" in self._pactl("list", "short", "sinks"), "PulseAudio did not start")
            self.mic = Tape("mic.monitor", self.env)
            self.speaker = Tape("speaker.monitor", self.env)
            self._until(lambda: self.mic.running and self.speaker.running, "the monitors gave no sound")
            for tape in (self.mic, self.speaker):
                tape.settle()
            if self._room:
                self._start_room()
        except BaseException:
            self.close()
            raise

    def _until(self, met: object, sentence: str) -> None:
        assert callable(met)
        for _ in range(500):
            if met():
                return
            time.sleep(0.02)
        raise TimeoutError(sentence)

    def _pactl(self, *words: str) -> str:
        done = subprocess.run(["pactl", *words], env=self.env, capture_output=True, text=True, timeout=10, check=False)
        return done.stdout

    def say(self, samples: Sound, rate: int = TAPE_RATE, timeout: float = 120.0) -> Spoken:
        """Play into the microphone; returns when the last sample has gone in, with its true times."""
        before = boot()
        command = ["pacat", "--playback", "--device=mic", "--format=float32le", f"--rate={rate}", "--channels=1"]
        sound = np.ascontiguousarray(samples, dtype=np.float32)
        subprocess.run(
            [*command, "--latency-msec=20", "--raw"], env=self.env, input=sound.tobytes(), timeout=timeout, check=True
        )
        loud = np.abs(sound) > _QUIET
        if not loud.any():
            return Spoken(before, boot())
        length = (int(np.flatnonzero(loud)[-1]) - int(np.flatnonzero(loud)[0])) / rate
        began = self.mic.wait_for_sound(before - 0.05, timeout=5.0, level=_QUIET)  # the tape runs early
        self._until(lambda: self.mic.samples_since(began + length)[1].size > 0, "the tape of the microphone stopped")
        return Spoken(began, began + length)

    def play_noise(self, samples: Sound, rate: int = TAPE_RATE) -> subprocess.Popen[bytes]:
        """Start playing into the microphone beside what is said; ends with the card, or when its process is killed."""
        path = self._folder / f"noise-{len(list(self._folder.glob('noise-*')))}.raw"
        path.write_bytes(np.ascontiguousarray(samples, dtype=np.float32).tobytes())
        command = [
            "pacat",
            "--playback",
            "--device=mic",
            "--format=float32le",
            f"--rate={rate}",
            "--channels=1",
            "--raw",
        ]
        player = subprocess.Popen([*command, str(path)], env=self.env, stderr=subprocess.DEVNULL)
        self._noises.append(player)
        return player

    def _start_room(self) -> None:
        rng = np.random.default_rng(7)
        self.play_noise(rng.normal(0.0, _ROOM, TAPE_RATE * 900).astype(np.float32))

    def kill_server(self) -> None:
        """The sound server dies, as when a device is pulled out."""
        assert self._server is not None
        self._server.kill()
        self._server.wait()

    def restart(self) -> None:
        """Start again after :meth:`kill_server`, at the same address."""
        self._stop_tapes()
        self._socket.unlink(missing_ok=True)
        self.start()

    def _stop_tapes(self) -> None:
        for player in self._noises:
            player.kill()
            player.wait()
        self._noises.clear()
        for tape in (getattr(self, "mic", None), getattr(self, "speaker", None)):
            if tape is not None:
                tape.close()

    def close(self) -> None:
        """End the server and forget its folder."""
        self._stop_tapes()
        if self._server is not None and self._server.poll() is None:
            self._server.terminate()
            try:
                self._server.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _prefer(process: subprocess.Popen[bytes]) -> None:
    """Run ahead of others, as sound servers do on a desk; a machine that does not allow it is only noisier."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, process.pid, -11)


def _sink(name: str) -> str:
    return f"module-null-sink sink_name={name} rate=48000 channels=2 sink_properties=device.description={name}"
