"""Codex by its app-server: JSON-RPC in lines, without the ``jsonrpc`` member."""

from engine.runtimes.codex.options import prepared
from engine.runtimes.codex.runtime import CodexRuntime

__all__ = ["CodexRuntime", "prepared"]
