"""The doctor: each fault it can be shown here is named with its remedy and makes the exit code 1."""

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from voice.__main__ import conduit
from voice.cli import checks


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDUIT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_folder_that_others_can_read_is_a_fault_with_its_remedy(home: Path) -> None:
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (found,) = checks.folder()
    assert (found.state, found.remedy) == ("failed", f"chmod 700 {home}")


def test_a_private_folder_and_one_still_to_be_made_are_fine(home: Path) -> None:
    assert [found.state for found in checks.folder()] == ["ok"]
    home.mkdir(mode=0o700)
    assert [found.state for found in checks.folder()] == ["ok"]


def test_a_file_in_the_place_of_the_folder_is_a_fault(home: Path) -> None:
    home.write_text("not a folder")
    (found,) = checks.folder()
    assert found.state == "failed"
    assert found.remedy


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"x":', "settings.yaml"),
        ("just words", "settings.yaml"),
        ("[1, 2]", "settings.yaml"),
        ("voice: loud", "voice"),
        ("voice: {mode: sometimes}", "voice.mode"),
        ("voice: {speed: 9}", "voice.speed"),
        ("policies: {all: yes}", "policies"),
        ("policies: [{project: apollo}]", "Rule 1"),
        ("voice: \x00", "settings.yaml"),
    ],
)
def test_settings_that_cannot_be_heeded_are_a_fault_that_names_the_place(home: Path, text: str, named: str) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text(text)
    (found,) = checks.settings()
    assert found.state == "failed"
    assert named in found.says
    assert "settings.yaml" in found.remedy


@pytest.mark.parametrize("text", ["voice: {mod: push}", "voise: {mode: push}"])
def test_a_misspelt_setting_is_told(home: Path, text: str) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text(text)
    (found,) = checks.settings()
    assert found.state == "note"
    assert text.partition(":")[0] in found.says or "voice.mod" in found.says


@pytest.mark.parametrize("text", ["", "voice: {mode: push, wakePhrases: [hey conduit]}", "policies: []"])
def test_settings_that_are_right_are_fine(home: Path, text: str) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text(text)
    assert [found.state for found in checks.settings()] == ["ok"]


def test_a_taken_port_is_a_fault_that_names_another(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr(checks, "DEFAULT_PORT", other.getsockname()[1])
        findings = list(checks.engine())
    assert [found.state for found in findings] == ["note", "failed"]
    assert "conduit up --port" in findings[1].remedy


def test_a_check_that_breaks_is_told_and_the_others_go_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[checks.Finding]:
        raise OSError("no such device")

    monkeypatch.setattr(checks, "CHECKS", (broken, checks.folder))
    result = CliRunner().invoke(conduit, ["doctor", "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert [(line["check"], line["state"]) for line in told] == [("broken", "failed"), ("folder", "ok")]
    assert "no such device" in told[0]["says"]


def test_all_well_is_exit_code_0(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKS", (checks.folder,))
    assert CliRunner().invoke(conduit, ["doctor"]).exit_code == 0
