"""Models are found in order, assembled once, and never loaded when their bytes differ."""

import hashlib
from pathlib import Path

import pytest

from engine.domain.errors import NotFound, Unavailable
from voice import models
from voice.models import lookup, places, verify
from voice.models.install import install
from voice.models.manifest import Model, ModelFile, manifest


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDUIT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "models"


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model of one file in two parts, in a package of this test's own."""
    package = tmp_path / "site" / "toy_parts"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "one").write_bytes(b"hello ")
    (package / "two").write_bytes(b"world")
    monkeypatch.syspath_prepend(str(package.parent))
    whole = hashlib.sha256(b"hello world").hexdigest()
    file = ModelFile(name="model.bin", size=11, sha256=whole, parts=("toy_parts/one", "toy_parts/two"))
    model = Model(
        name="toy", job="test", licence="MIT", source="here", needed=True, hub="me/toy", distributions=(), files=(file,)
    )
    monkeypatch.setattr(lookup, "named", lambda name: model)
    return model


def test_parts_are_joined_once_and_found_afterwards(toy: Model, own_cache: Path, tmp_path: Path) -> None:
    calls: list[int] = []
    folder = models.find("toy", progress=lambda name, done, size: calls.append(done))
    assert (folder / "model.bin").read_bytes() == b"hello world"
    assert calls == [6, 11]
    (tmp_path / "site" / "toy_parts" / "two").unlink()
    assert models.find("toy", progress=lambda name, done, size: calls.append(done)) == folder
    assert calls == [6, 11]
    assert [path.name for path in own_cache.iterdir() if path.name.startswith(".")] == []


def test_bytes_that_differ_are_refused_and_say_where(toy: Model, tmp_path: Path) -> None:
    (tmp_path / "site" / "toy_parts" / "two").write_bytes(b"WORLD")
    with pytest.raises(models.WrongModel, match="SHA-256"):
        models.find("toy")


def test_a_folder_in_the_settings_comes_first_and_is_verified_too(toy: Model, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "model.bin").write_bytes(b"hello world")
    assert models.find("toy", {"toy": str(own)}) == own
    (own / "model.bin").write_bytes(b"hello")
    with pytest.raises(models.WrongModel, match="5 bytes where the manifest says 11"):
        models.find("toy", {"toy": str(own)})
    with pytest.raises(Unavailable, match="correct the path"):
        models.find("toy", {"toy": str(tmp_path / "none")})


def test_the_hub_cache_is_used_when_no_package_is_there(toy: Model, tmp_path: Path) -> None:
    (tmp_path / "site" / "toy_parts" / "one").unlink()
    snapshot = tmp_path / "hub" / "models--me--toy" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.bin").write_bytes(b"hello world")
    assert models.find("toy") == snapshot


def test_a_model_that_is_nowhere_says_what_to_do(toy: Model, tmp_path: Path) -> None:
    (tmp_path / "site" / "toy_parts" / "one").unlink()
    with pytest.raises(Unavailable, match="scripts/setup"):
        models.find("toy")


def test_a_change_after_verification_is_noticed(toy: Model) -> None:
    folder = models.find("toy")
    (folder / "model.bin").write_bytes(b"hello_world")
    with pytest.raises(models.WrongModel):
        places.check_folder(folder, toy)


def test_hashes_are_remembered_and_a_broken_memory_only_costs_time(toy: Model, own_cache: Path) -> None:
    folder = models.find("toy")
    memory = own_cache / "verified.json"
    assert "hello" not in memory.read_text() and toy.files[0].sha256 in memory.read_text()
    memory.write_text("{broken")
    verify.check(folder / "model.bin", toy.files[0])


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"tiny\.en, base"):
        models.find("huge")


def test_every_model_names_its_licence_and_source() -> None:
    for model in manifest().models:
        assert model.licence and model.source and model.files


def test_installing_a_second_time_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert install(["tiny.en", "silero-vad"]) == 0
    assert capsys.readouterr().out.count("ready") == 2
