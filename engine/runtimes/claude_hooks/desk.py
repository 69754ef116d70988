"""Where hooks arrive: finds the agent that called, and keeps what its attempt needs to call."""

import logging
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from engine.domain.errors import ConversationMissing, NotFound
from engine.ports.runtime import Launch
from engine.runtimes.claude_hooks import keeping
from engine.runtimes.claude_hooks.keeping import Kept
from engine.runtimes.claude_hooks.pending import HookReply
from engine.runtimes.claude_hooks.runtime import AskWhy, ClaudeRuntime
from engine.runtimes.claude_hooks.settings import TOKEN_VARIABLE, settings
from engine.runtimes.holder.protocol import write_atomically

NET_MODULE = "engine.gates.net"
_NOWHERE = "http://127.0.0.1:9"  # the discard port: an engine that does not listen yet
_log = logging.getLogger(__name__)


class HookTokens(Protocol):
    """The keeper of tokens, as hooks need it."""

    def mint_agent(self, run_id: str) -> str: ...
    def adopt_agent(self, run_id: str, token: str) -> None: ...
    def revoke_agent(self, run_id: str) -> None: ...


class HookDesk:
    """One for an engine. Attempts are prepared before they start and found again after a restart."""

    def __init__(self, tokens: HookTokens, ask_why: AskWhy, python: str = sys.executable) -> None:
        self._tokens = tokens
        self.ask_why = ask_why
        self._python = python
        self._address = _NOWHERE
        self._runtimes: dict[str, ClaudeRuntime] = {}

    def listen(self, address: str) -> None:
        """The engine listens at ``address``: attempts that lived on are told."""
        self._address = address
        for runtime in self._runtimes.values():
            kept = keeping.load(runtime.launch.control)
            if kept is not None and kept.address != address:
                self._write(runtime.launch.control, replace(kept, address=address))

    def prepare(self, launch: Launch) -> tuple[Launch, Kept]:
        """The launch of one attempt with its own settings file and token; ConversationMissing when that is gone."""
        config = launch.env.get("CLAUDE_CONFIG_DIR") or str(Path(launch.env.get("HOME", "~")).expanduser() / ".claude")
        if launch.resume is not None and not _is_saved(Path(config), launch.resume):
            raise ConversationMissing(launch.cli, launch.resume)
        kept = Kept(self._address, launch.run_id, self._tokens.mint_agent(launch.run_id), config)
        file = self._write(launch.control, kept)
        argv = (*launch.argv, "--settings", str(file))
        if launch.resume is not None:
            argv = (*argv, "--resume", launch.resume)
        return replace(launch, argv=argv, env={**launch.env, TOKEN_VARIABLE: kept.token}), kept

    def readopt(self, launch: Launch) -> Kept | None:
        """What an attempt that lived on was given: its token is good again. None when it has no hooks."""
        kept = keeping.load(launch.control)
        if kept is None or kept.run_id != launch.run_id:
            return None
        self._tokens.adopt_agent(launch.run_id, kept.token)
        return kept

    def add(self, runtime: ClaudeRuntime) -> None:
        """From now on its hooks are answered."""
        self._runtimes[runtime.launch.run_id] = runtime

    def end(self, launch: Launch) -> None:
        """The attempt is over: its token is worth nothing any more."""
        self._runtimes.pop(launch.run_id, None)
        self._tokens.revoke_agent(launch.run_id)
        keeping.forget(launch.control)

    async def hook(self, run_id: str, event: str, body: Mapping[str, Any]) -> HookReply:
        """Answer one hook; NotFound when its attempt is not (yet) known here."""
        runtime = self._runtimes.get(run_id)
        if runtime is None:
            raise NotFound("No running agent of this engine has this hook.")
        return await runtime.hook(event, body)

    def close(self) -> None:
        """The engine ends: open hooks are let go without a decision, and their dialogs stay on the screens."""
        for runtime in self._runtimes.values():
            runtime.release()

    def _write(self, control: Path, kept: Kept) -> Path:
        keeping.keep(control, kept)
        net = (self._python, "-I", "-m", NET_MODULE, str(control / keeping.HOOKS))
        file = control / keeping.SETTINGS
        write_atomically(file, settings(kept.address, kept.run_id, net))
        return file


def _is_saved(config: Path, conversation: str) -> bool:
    """Whether the CLI keeps a conversation of this name for any folder."""
    return any((config / "projects").glob(f"*/{conversation}.jsonl"))
