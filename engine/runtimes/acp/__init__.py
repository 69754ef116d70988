"""Agents that speak the Agent Client Protocol over their pipes."""

from engine.runtimes.acp.quirks import too_early
from engine.runtimes.acp.runtime import AcpRuntime

__all__ = ["AcpRuntime", "too_early"]
