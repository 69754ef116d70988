"""Keys are kept encrypted; a vault without its key, a key without its vault and a wrong key each say what to do."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.sessions.vault import Vault
from engine.storage.layout import Layout

VALUE = "sk-very-secret-0123456789"
ALL = frozenset({"A_KEY", "B_KEY"})


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "root")


@pytest.fixture
def vault(layout: Layout) -> Vault:
    vault = Vault(layout)
    vault.set("A_KEY", VALUE)
    return vault


def test_a_secret_comes_back_and_stands_in_no_file(vault: Vault, layout: Layout) -> None:
    vault.set("B_KEY", "other")
    assert vault.names() == ["A_KEY", "B_KEY"]
    assert vault.values(ALL) == {"A_KEY": VALUE, "B_KEY": "other"}
    assert vault.values(frozenset({"C_KEY"})) == {}
    assert all(VALUE.encode() not in path.read_bytes() for path in layout.root.rglob("*") if path.is_file())
    assert {path.stat().st_mode & 0o777 for path in (layout.vault, layout.secret_key)} == {0o600}


def test_a_removed_secret_is_in_no_copy(vault: Vault, layout: Layout) -> None:
    token = layout.vault.read_text()
    vault.remove("A_KEY")
    assert vault.names() == []
    kept = b"".join(path.read_bytes() for path in layout.config.iterdir())
    assert token.split('"A_KEY": "')[1].split('"')[0].encode() not in kept
    with pytest.raises(NotFound, match="no secret A_KEY"):
        vault.remove("A_KEY")


def test_a_vault_without_its_key_says_so_and_is_left_alone(vault: Vault, layout: Layout) -> None:
    layout.secret_key.unlink()
    before = layout.vault.read_bytes()
    for call in (lambda: vault.values(ALL), lambda: vault.set("B_KEY", "x")):
        with pytest.raises(Unavailable, match=r"its key .*\.secret_key is not"):
            call()
    assert vault.names() == ["A_KEY"]
    assert layout.vault.read_bytes() == before
    assert not layout.secret_key.exists()


def test_a_key_without_its_vault_says_so(vault: Vault, layout: Layout) -> None:
    assert vault.alone() is None
    layout.vault.unlink()
    assert "no vault" in str(vault.alone())
    assert vault.values(ALL) == {}


def test_a_wrong_key_says_so_and_nothing_is_mixed(vault: Vault, layout: Layout) -> None:
    layout.secret_key.write_bytes(Fernet.generate_key())
    for call in (lambda: vault.values(ALL), lambda: vault.set("B_KEY", "x")):
        with pytest.raises(Unavailable, match="not the key that the vault's A_KEY was locked with"):
            call()
    layout.secret_key.write_text("not a key")
    with pytest.raises(Unavailable, match="is not a key of ours"):
        vault.values(ALL)


@pytest.mark.parametrize("name", ["lower", "", "A-B", "1A", "A B", "PATH\n"])
def test_a_name_that_no_variable_has_is_refused(vault: Vault, name: str) -> None:
    with pytest.raises(BadRequest):
        vault.set(name, "x")
