"""A sound setup that kills whoever asks for its devices: said in a sentence, by a process that lives on."""

import os
import subprocess
import sys

ASK = """
from engine.domain.errors import ConduitError
from voice.audio.devices import list_devices
for _ in range(2):
    try:
        print(len(list_devices(afresh=True)))
    except ConduitError as error:
        print(error)
"""


def test_broken_alsa_settings_are_named_and_end_nothing() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**os.environ, "ALSA_CONFIG_PATH": os.devnull},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    first, second = asked.stdout.splitlines()
    assert first == second
    # Where this version of the library survives it, there are simply no devices.
    assert "ALSA settings" in first or first == "0"
