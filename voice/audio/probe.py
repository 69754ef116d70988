"""Whether PortAudio can be used at all, tried in a process of its own: a broken sound setup aborts the one it is in."""

import signal
import subprocess
import sys

from engine.domain.errors import Unavailable

_TRY = "import sounddevice as s; s._terminate(); s._initialize(); s.query_devices()"
_PATIENCE_S = 20.0
_passed: list[bool] = []


def check_sound() -> None:
    """Unavailable when listing the sound devices kills or hangs a process; a setup that passed is not tried again."""
    if _passed:
        return
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _TRY],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            "The sound system does not answer, so there is no sound; restart the sound server, then start again."
        ) from error
    if tried.returncode < 0:
        died = signal.Signals(-tried.returncode).name
        raise Unavailable(
            f"The sound system breaks programs that ask for its devices ({died}); look at the ALSA settings "
            "(ALSA_CONFIG_PATH, ~/.asoundrc, /etc/asound.conf)."
        )
    _passed.append(True)
