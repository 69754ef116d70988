"""The engine judges consent in the language of the settings, and in English where that can't be had."""

from pathlib import Path

import pytest

from engine.assembly.language import spoken_language


@pytest.mark.parametrize(
    ("written", "language"),
    [
        ("voice: {language: de}", "de"),
        ("voice: {language: en}", "en"),
        ("voice: {mode: push}", "en"),
        ("voice: {language: xx}", "en"),
        ("voice: {language: [de]}", "en"),
        ("voice: 3", "en"),
        ("- a list", "en"),
        ("voice: {", "en"),
        ("", "en"),
    ],
)
def test_language_of_consent_is_that_of_the_settings(tmp_path: Path, written: str, language: str) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(written, "utf-8")
    assert spoken_language(path) == language


def test_language_of_consent_is_english_without_settings(tmp_path: Path) -> None:
    assert spoken_language(tmp_path / "settings.yaml") == "en"
