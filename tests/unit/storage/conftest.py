"""A fresh data root for each test."""

from pathlib import Path

import pytest

from engine.ports.clock import FakeClock
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "root")


@pytest.fixture
def store(layout: Layout) -> Store:
    store = Store(layout, FakeClock())
    assert store.recover() == []
    return store


@pytest.fixture
def runs(layout: Layout) -> Runs:
    runs = Runs(layout, FakeClock())
    assert runs.recover() == []
    return runs
