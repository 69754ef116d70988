"""Agents that speak the Agent Client Protocol over their pipes."""

from engine.runtimes.acp.runtime import AcpRuntime

__all__ = ["AcpRuntime"]
