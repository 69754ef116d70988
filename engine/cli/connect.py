"""The engine of this data root, as a client; or a sentence that says how to start it."""

from typing import TYPE_CHECKING, Literal

from engine.cli.exits import NoEngine
from engine.client import Client
from engine.domain.errors import Unavailable
from engine.storage.layout import data_root

if TYPE_CHECKING:
    from pathlib import Path


def home() -> "Path":
    """The data root: ``conduit --home``, CONDUIT_HOME or ``~/.conduit``."""
    return data_root()


def client(via: Literal["cli", "terminal"] = "cli", *, timeout: float = 10.0) -> Client:
    """A client with the owner's token; raises :class:`NoEngine` with what to do."""
    try:
        return Client.from_home(home(), "owner", via, timeout=timeout)
    except Unavailable as error:
        raise NoEngine(str(error)) from error
