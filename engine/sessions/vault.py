"""The vault: keys that agents and tool servers need, encrypted with ``.secret_key``; one without the other says so."""

import re
from collections.abc import Callable, Set

from cryptography.fernet import Fernet, InvalidToken

from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import locked, read_json, write_json
from engine.storage.layout import Layout

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
LONGEST = 100_000  # characters of one secret


class Vault:
    """``config/vault.json``: names in the clear, each value encrypted by itself. Synchronous; 0600."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def set(self, name: str, value: str) -> None:
        """Keep a secret under the name of a variable, such as ``OPENAI_API_KEY``."""
        if not _NAME.fullmatch(name):
            raise BadRequest(f"{name!r} can't name a secret; use capitals, digits and _, as variables do.")
        if not value or len(value) > LONGEST or "\0" in value:
            raise BadRequest(f"A secret has 1 to {LONGEST:,} characters, and no zero byte.")
        self._change(lambda key, kept: kept | {name: key.encrypt(value.encode()).decode()})

    def remove(self, name: str) -> None:
        """Forget a secret. NotFound when there is none of that name."""

        def without(_: Fernet, kept: dict[str, str]) -> dict[str, str]:
            if name not in kept:
                raise NotFound(f"There is no secret {name}. List them with: conduit secret list")
            return {key: value for key, value in kept.items() if key != name}

        self._change(without)

    def names(self) -> list[str]:
        """The names alone; needs no key."""
        return sorted(self._kept())

    def values(self, wanted: Set[str]) -> dict[str, str]:
        """The secrets of these names, where there are some. Unavailable when the key is missing or is another one."""
        kept = {name: value for name, value in self._kept().items() if name in wanted}
        if not kept:
            return {}
        key = self._key()
        return {name: self._open(key, name, value) for name, value in kept.items()}

    def _change(self, fn: Callable[[Fernet, dict[str, str]], dict[str, str]]) -> None:
        path = self._layout.vault
        with guarded(path.parent, "create"):
            disk.make_folder(path.parent)
        with locked(path):
            kept = self._kept()
            key = self._key() if kept or self._layout.secret_key.exists() else self._new_key()
            for name, value in kept.items():  # never mix the values of two keys in one vault
                self._open(key, name, value)
            write_json(path, {"version": 1, "secrets": fn(key, kept)}, private=True)
            path.with_name(f"{path.name}.bak").unlink(missing_ok=True)  # what was removed is gone

    def _kept(self) -> dict[str, str]:
        path = self._layout.vault
        try:
            raw = read_json(path).value
        except FileNotFoundError:
            return {}
        secrets = raw.get("secrets")
        if not isinstance(secrets, dict) or not all(isinstance(value, str) for value in secrets.values()):
            raise Unavailable(
                f"{path} is not a vault; restore it from a backup, or move it away and set the keys again."
            )
        return secrets

    def _key(self) -> Fernet:
        path = self._layout.secret_key
        try:
            with guarded(path, "read"):
                text = path.read_text("ascii", errors="replace").strip()
        except NotFound as fault:
            raise Unavailable(
                f"The vault {self._layout.vault} is there, but its key {path} is not, so it can't be opened; "
                "restore the key, or move the vault away and set the keys again."
            ) from fault
        try:
            return Fernet(text)
        except ValueError as fault:
            raise Unavailable(
                f"{path} is not a key of ours; restore it, or move it and the vault away and set the keys again."
            ) from fault

    def _new_key(self) -> Fernet:
        key = Fernet.generate_key()
        with guarded(self._layout.secret_key, "write"):
            disk.replace(self._layout.secret_key, key + b"\n", 0o600, keep_copy=False)
        return Fernet(key)

    def _open(self, key: Fernet, name: str, value: str) -> str:
        try:
            return key.decrypt(value.encode()).decode()
        except InvalidToken as fault:
            raise Unavailable(
                f"{self._layout.secret_key} is not the key that the vault's {name} was locked with; "
                "restore the right key, or move both away and set the keys again."
            ) from fault

    def alone(self) -> str | None:
        """A sentence when a key is there without a vault; nothing is wrong otherwise."""
        if self._layout.secret_key.exists() and not self._layout.vault.exists():
            return (
                f"The key {self._layout.secret_key} is there, but no vault {self._layout.vault}: the keys kept in it "
                "are gone. Restore it from a backup, or set them again with: conduit secret set NAME"
            )
        return None
