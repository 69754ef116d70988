"""``python -m engine [--home DIR] [--port N]``: the engine in the foreground."""

import argparse
import sys
from pathlib import Path

from engine.assembly import run
from engine.storage.layout import data_root


def main() -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m engine", description=__doc__)
    parser.add_argument("--home", type=Path, default=None, help="data root (default: CONDUIT_HOME or ~/.conduit)")
    parser.add_argument("--port", type=int, default=3200)
    given = parser.parse_args()
    return run((given.home or data_root()).absolute(), given.port)


if __name__ == "__main__":
    sys.exit(main())
