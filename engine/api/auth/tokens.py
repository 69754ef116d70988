"""Tokens: owner and voice kept in one 0600 file, one for each attempt of an agent kept in memory only."""

import hashlib
import hmac
import json
import logging
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.domain.errors import Unavailable
from engine.storage.files import write_json
from engine.storage.layout import Layout

TokenKind = Literal["owner", "voice", "agent"]
_PERSISTED: tuple[Literal["owner", "voice"], ...] = ("owner", "voice")
_MIN_LENGTH = 32
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose token came with a request; ``run_id`` only for an agent's."""

    kind: TokenKind
    run_id: str | None = None


class Tokens:
    """Knows every valid token as a digest and compares in constant time."""

    def __init__(self, owner: str, voice: str) -> None:
        self.owner = owner  # what a page gets for its one-time link; it stays good when the engine restarts
        self._known: dict[Identity, bytes] = {Identity("owner"): _digest(owner), Identity("voice"): _digest(voice)}

    @classmethod
    def load(cls, root: Path) -> "Tokens":
        """Read ``<root>/tokens.json``, made on the first start; one that others could read is replaced.

        Raises :class:`Unavailable` when the file can't be read, understood or written.
        """
        path = Layout(root).tokens
        kept = _read(path)
        if kept is None:
            kept = {kind: secrets.token_urlsafe(32) for kind in _PERSISTED}
            write_json(path, kept, private=True)
        return cls(kept["owner"], kept["voice"])

    def identify(self, token: str) -> Identity | None:
        """Whose token this is. Looks at every known token, whichever fits, so that time tells nothing."""
        given = _digest(token)
        found: Identity | None = None
        for identity, known in self._known.items():
            if hmac.compare_digest(given, known):
                found = identity
        return found

    def mint_agent(self, run_id: str) -> str:
        """A token for one attempt of an agent; an earlier one of the same run stops working."""
        token = secrets.token_urlsafe(32)
        self._known[Identity("agent", run_id)] = _digest(token)
        return token

    def adopt_agent(self, run_id: str, token: str) -> None:
        """The token of an attempt that outlived an earlier engine is good again."""
        self._known[Identity("agent", run_id)] = _digest(token)

    def revoke_agent(self, run_id: str) -> None:
        """The attempt is over: its token is unknown from now on."""
        self._known.pop(Identity("agent", run_id), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _read(path: Path) -> dict[str, str] | None:
    try:
        status = path.stat()
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(
            f"The tokens in {path} cannot be read ({error.strerror}). Check the owner of the file."
        ) from error
    if status.st_mode & 0o077:
        _log.warning("%s could be read by others: its tokens are replaced by new ones.", path)
        return None
    return _parse(path, text)


def _parse(path: Path, text: str) -> dict[str, str]:
    try:
        kept = json.loads(text)
        tokens: dict[str, str] = {kind: str(kept[kind]) for kind in _PERSISTED}
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable(f"{path} is damaged. Delete it: the next start makes new tokens.") from error
    if any(len(token) < _MIN_LENGTH for token in tokens.values()) or tokens["owner"] == tokens["voice"]:
        raise Unavailable(f"{path} holds weak tokens. Delete it: the next start makes new ones.")
    return tokens
