"""The engine's log: bounded in size, private, and never the reason for an end."""

import logging
import subprocess
import sys
from pathlib import Path

from engine.storage.layout import Layout
from engine.storage.log_file import LogFile

FULL = """
import logging, pathlib, resource, sys
from engine.assembly.run import _logging
from engine.storage.layout import Layout
layout = Layout(pathlib.Path(sys.argv[1]))
layout.engine_log.parent.mkdir(parents=True)
with _logging(layout):
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    for number in range(2000):
        logging.getLogger("engine").warning("line %d", number)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    logging.getLogger("engine").warning("there is room again")
print("alive")
"""


def test_log_that_takes_nothing_more_ends_nothing_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
    assert "there is room again" in Layout(tmp_path).engine_log.read_text()


def test_log_is_rotated_by_size_and_private(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "engine.log", most_bytes=2000)
    for number in range(500):
        handler.emit(logging.LogRecord("engine", logging.WARNING, "", 0, "line %d \udcff", (number,), None))
    handler.close()
    files = list(tmp_path.iterdir())
    assert sum(path.stat().st_size for path in files) <= 3 * 2000
    assert "line 499" in (tmp_path / "engine.log").read_text()
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
