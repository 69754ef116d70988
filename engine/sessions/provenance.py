"""Which step of which session a token was minted for: ``agents/provenance/<token_id>.json``; never the token itself."""

import hashlib
from datetime import datetime, timedelta

from engine.domain.errors import ConduitError
from engine.domain.runs import Run
from engine.ports.clock import Clock, stamp
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_passing, remove_passing, write_json
from engine.storage.layout import Layout
from engine.storage.names import validate_id

ATTEMPT = timedelta(days=7)  # the wall clock of one attempt; a hook's token is taken away with its process before


def token_id(token: str) -> str:
    """What a token is filed under; the token can't be had from it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Provenance:
    """A token expires with its attempt; a resumed attempt mints a new one."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock

    def mint(self, token_id: str, run: Run, lasts: timedelta = ATTEMPT) -> None:
        """Note whom the token stands for, before it is handed out."""
        folder = self._layout.provenance
        with guarded(folder, "create"):
            disk.make_folder(folder)
        expires = self._clock.wall() + lasts
        write_json(
            folder / f"{validate_id(token_id)}.json",
            {
                "rootId": run.root_id or run.id,
                "runId": run.id,
                "number": run.number,
                "mintedAt": stamp(self._clock),
                "expiresAt": expires.isoformat(timespec="seconds"),
            },
            private=True,
        )

    def run_of(self, token_id: str) -> str | None:
        """The run that the token stands for; None when it is unknown, or expired."""
        try:
            raw = read_passing(self._layout.provenance / f"{validate_id(token_id)}.json")
            expires = datetime.fromisoformat(str(raw["expiresAt"]))
        except (FileNotFoundError, ConduitError, KeyError, ValueError):
            return None
        return str(raw.get("runId")) if self._clock.wall() < expires else None

    def expire(self, run_id: str) -> int:
        """Take away every token of a session or step, when its attempt ends; how many there were."""
        gone = 0
        for path in list(self._layout.provenance.glob("*.json")) if self._layout.provenance.is_dir() else []:
            try:
                raw = read_passing(path)
            except (FileNotFoundError, ConduitError):
                continue
            if run_id in (raw.get("rootId"), raw.get("runId")):
                remove_passing(path)
                gone += 1
        return gone
