"""Logs: what was appended is read back, whatever a crash or an editor did around it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import NotFound
from engine.storage.lines import append_jsonl, iter_jsonl, repair_tail, tail_jsonl


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def read(path: Path) -> tuple[list[int], list[str]]:
    warnings: list[str] = []
    return [record["id"] for record in iter_jsonl(path, warn=warnings.append)], warnings


@pytest.mark.parametrize(
    ("content", "ids", "bad"),
    [
        (b'{"id":1}\n{"id":2,"kind":"que\n{"id":3}\n{"id":4}\n', [1, 3, 4], 1),
        (b'{"id":1}\n' + b"\0" * 512 + b'{"id":2}\n{"id":3}\n', [1, 2, 3], 0),
        (b'{"id":1}\n{"id":2}', [1, 2], 0),
        (b'{"id":1}\n{"id":2,}\n', [1], 1),
        (b'{"id":1}\n{"id":2,"te\n\n', [1], 1),
        (b'{"id":1}\r\n{"id":2}\r\n', [1, 2], 0),
        (b'\xef\xbb\xbf{"id":1}\n', [1], 0),
        (b'{"id":1}\n[2]\n"3"\n{"id":4}\n', [1, 4], 2),
        (b"", [], 0),
        (b"\n\n\n", [], 0),
    ],
)
def test_every_good_line_is_read_and_each_bad_one_named(log: Path, content: bytes, ids: list[int], bad: int) -> None:
    log.write_bytes(content)
    found, warnings = read(log)
    assert found == ids
    assert len(warnings) == bad
    tail = tail_jsonl(log, 100)
    assert [record["id"] for record in tail.records] == ids  # the preview and the whole agree
    assert len(tail.warnings) == bad
    assert log.read_bytes() == content  # reading rewrites nothing


def test_a_bad_line_is_named_by_its_number(log: Path) -> None:
    log.write_bytes(b'{"id":1}\n{"id":\n{"id":3}\n')
    assert read(log)[1][0].startswith("audit.jsonl, line 2: ")


@pytest.mark.parametrize("torn", [b'{"id":2,"te', b"\0" * 512, b'{"id":2}x', b"\xff"])
def test_a_torn_tail_is_set_aside_at_the_next_append_and_that_is_said(log: Path, torn: bytes) -> None:
    log.write_bytes(b'{"id":1}\n' + torn)
    appended = append_jsonl(log, [{"id": 3}])
    assert appended.torn is not None and "audit.jsonl.torn" in appended.torn
    assert read(log) == ([1, 3], [])
    assert torn in log.with_name("audit.jsonl.torn").read_bytes()


def test_a_torn_tail_is_set_aside_at_start(log: Path) -> None:
    log.write_bytes(b'{"id":1}\n{"id":2,"te')
    assert "cut off" in (repair_tail(log) or "")
    assert log.read_bytes() == b'{"id":1}\n'
    assert repair_tail(log) is None


def test_a_complete_last_record_only_gets_its_newline(log: Path) -> None:
    log.write_bytes(b'{"id":1}\n{"id":2}')
    assert append_jsonl(log, [{"id": 3}]).torn is None
    assert log.read_bytes() == b'{"id":1}\n{"id":2}\n{"id":3}\n'
    assert not log.with_name("audit.jsonl.torn").exists()


def test_appending_to_a_deleted_project_fails_and_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        append_jsonl(tmp_path / "gone" / "audit.jsonl", [{"id": 1}])
    assert not (tmp_path / "gone").exists()


def test_the_offsets_of_an_append_select_its_lines(log: Path) -> None:
    append_jsonl(log, [{"id": 1}])
    second = append_jsonl(log, [{"id": 2}, {"id": 3}])
    assert [record["id"] for record in iter_jsonl(log, second.start)] == [2, 3]
    assert second.end == log.stat().st_size


def test_the_tail_reads_the_end_of_a_log_and_not_the_log(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with log.open("wb") as stream:
        for n in range(200_000):
            stream.write(b'{"id":%d,"text":"some words that make it a line"}\n' % n)
    read_bytes = 0
    real = Path.open

    def counting(self: Path, mode: str = "r") -> object:
        stream = real(self, mode)

        class Counted:
            def __enter__(self) -> "Counted":
                return self

            def __exit__(self, *_: object) -> None:
                stream.close()

            def seek(self, *a: int) -> int:
                return stream.seek(*a)

            def read(self, n: int) -> bytes:
                nonlocal read_bytes
                read_bytes += n
                return stream.read(n)  # type: ignore[return-value]

        return Counted()

    monkeypatch.setattr(Path, "open", counting)
    assert [r["id"] for r in tail_jsonl(log, 50).records] == list(range(199_950, 200_000))
    assert read_bytes <= 64 * 1024


def test_the_tail_copes_with_lines_longer_than_a_block(log: Path) -> None:
    append_jsonl(log, [{"id": n, "text": "x" * (n * 70_000)} for n in range(5)])
    assert [record["id"] for record in tail_jsonl(log, 3).records] == [2, 3, 4]
    assert [record["id"] for record in tail_jsonl(log, 9).records] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n", [0, -1])
def test_asking_for_nothing_reads_nothing(log: Path, n: int) -> None:
    append_jsonl(log, [{"id": 1}])
    assert tail_jsonl(log, n).records == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x, max_size=3), max_leaves=5
)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.dictionaries(st.text(max_size=8), JSON, max_size=4), max_size=8), st.integers(1, 10))
def test_what_was_appended_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict], n: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.jsonl"
    for record in records:
        append_jsonl(path, [record])
    assert list(iter_jsonl(path)) == records
    assert list(tail_jsonl(path, n).records) == records[-n:]
