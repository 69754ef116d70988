"""Makes tests/support importable, and keeps tests away from the user's own data root and keys."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

os.environ.pop("CONDUIT_HOME", None)


@pytest.fixture(autouse=True)
def _own_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes ~/.conduit."""
    monkeypatch.setenv("CONDUIT_HOME", str(tmp_path / "conduit-home"))
