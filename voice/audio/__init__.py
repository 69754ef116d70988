"""Sound in and out: devices, microphone, speaker, files."""
