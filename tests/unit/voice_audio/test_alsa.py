"""What the sound library complains of does not land in the user's terminal."""

import subprocess
import sys

import pytest

_COMPLAIN = """
import ctypes, logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from voice.audio.alsa import log_complaints
assert log_complaints()
handle = ctypes.c_void_p()
ctypes.CDLL("libasound.so.2").snd_pcm_open(ctypes.byref(handle), b"no-such-device", 0, 0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ALSA is Linux's")
def test_complaints_of_alsa_go_to_the_log_and_not_to_the_terminal() -> None:
    done = subprocess.run([sys.executable, "-c", _COMPLAIN], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "ALSA" in done.stdout
