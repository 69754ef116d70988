"""``conduit scan`` replays recordings in the size that they had, and says what is odd about a file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.scan import scan
from scripts.bench import gates_lib as lib

FOLDER = lib.DATA / "scan"


@pytest.mark.parametrize("name", ["resized.cast", "relative.cast", "frames.raw"])
def test_recording_gives_the_reviewed_gates(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    result = CliRunner().invoke(scan, ["--json", "--cwd", "/", name])
    golden = (FOLDER / f"{Path(name).stem}.golden.jsonl").read_text(encoding="utf-8")
    assert result.stdout == golden
    assert result.stderr == ""


def _prompts(*args: str) -> list[str]:
    result = CliRunner().invoke(scan, ["--json", "--cwd", "/", *args])
    return [json.loads(line)["prompt"] for line in result.stdout.splitlines()]


def _cast(path: Path, header: dict[str, object], *events: list[object]) -> str:
    path.write_text("\n".join(json.dumps(row) for row in [header, *events]), encoding="utf-8")
    return str(path)


# A question in row 20 and a word in row 12: on a screen of ten rows both land in the last one, and the word stays.
FAR = "\x1b[20;1HRemove the old data? [y/N] \x1b7\x1b[12;1Hwell\x1b[K\x1b8"


def test_size_of_the_header_holds_until_the_recording_tells_another(tmp_path: Path) -> None:
    narrow = {"version": 2, "width": 70, "height": 10}
    wide = {"version": 3, "term": {"cols": 100, "rows": 30}}
    assert _prompts(_cast(tmp_path / "a.cast", wide, [0.1, "o", FAR])) == ["Remove the old data? [y/N]"]
    assert _prompts(_cast(tmp_path / "b.cast", narrow, [0.1, "o", FAR])) == []
    resized = _cast(tmp_path / "c.cast", narrow, [0.1, "r", "100x30"], [0.2, "o", FAR])
    assert _prompts(resized) == ["Remove the old data? [y/N]"]


def test_given_size_stands_above_what_the_recording_says(tmp_path: Path) -> None:
    narrow = _cast(tmp_path / "a.cast", {"version": 2, "width": 70, "height": 10}, [0.1, "o", FAR])
    assert _prompts("--size", "100x30", narrow) == ["Remove the old data? [y/N]"]
    resized = _cast(tmp_path / "b.cast", {"version": 2}, [0.0, "r", "20x5"], [0.1, "o", FAR])
    assert _prompts("--size", "100x30", resized) == ["Remove the old data? [y/N]"]


@pytest.mark.parametrize("size", [None, "x", "0x0", "99999x5", "-1x5", 7])
def test_size_that_no_terminal_has_is_passed_over(size: object, tmp_path: Path) -> None:
    header = {"version": 2, "width": size, "height": size}
    cast = _cast(tmp_path / "a.cast", header, [0.1, "r", size], [0.2, "o", "Continue? [y/N] "])
    assert _prompts(cast) == ["Continue? [y/N]"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.raw", b"", "is empty"),
        ("a.cast", b"", "is empty"),
        ("b.cast", b'{"version": 2, "width": 80, "height": 24}\n', "no output"),
        ("c.cast", b'{"version": 2, "width": 80, "height": 24}\n[1, "i", "y"]\n', "no output"),
        ("b.raw", b"\x7fELF" + bytes(range(256)) * 40, "does not look like the output of a terminal"),
    ],
)
def test_file_that_can_raise_nothing_is_told_on_standard_error(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    result = CliRunner().invoke(scan, ["--json", str(tmp_path / name)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert said in result.stderr
    assert name in result.stderr


@pytest.mark.parametrize("content", [bytes(range(256)) * 10, b'{"version": 2}\n{"version": 2}\n', b"[" * 100_000])
def test_cast_of_garbage_ends_with_a_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.cast").write_bytes(content)
    result = CliRunner().invoke(scan, ["--json", str(tmp_path / "a.cast")])
    assert result.exit_code == 1
    assert "is no event of a recording" in result.stderr
    assert "Traceback" not in result.output


def test_every_recorded_screen_looks_like_a_terminal() -> None:
    from engine.cli.recording import oddity

    odd = {path.name: said for path in sorted((lib.DATA / "screens").rglob("*.raw")) if (said := oddity(path))}
    assert odd == {}
