"""Golden files: tests/data/verbalise/<name>.<kind>.txt is spoken as <name>.<kind>.spoken."""

import os
from pathlib import Path
from typing import cast

import pytest

from voice.speak.verbalise import Kind, verbalise

DATA = Path(__file__).parents[2] / "data" / "verbalise"
CASES = sorted(DATA.glob("*.txt"))


def as_golden(path: Path) -> str:
    kind = cast(Kind, path.name.split(".")[-2])
    spoken = verbalise(path.read_bytes().decode().removesuffix("\n"), kind=kind)
    flags = f"long={spoken.long} hidden={spoken.hidden} secrets={spoken.secrets}"
    return f"{flags}\n{spoken.text}\n" + (f"-- short\n{spoken.short}\n" if spoken.long else "")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_golden_text_is_spoken_as_reviewed(path: Path) -> None:
    golden = path.with_suffix(".spoken")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(as_golden(path), encoding="utf-8")
    assert as_golden(path) == golden.read_text(encoding="utf-8")


def test_golden_files_exist_for_every_kind() -> None:
    kinds = {path.name.split(".")[-2] for path in CASES}
    assert kinds == {"command", "path", "prose", "markdown", "diff", "output", "json"}
