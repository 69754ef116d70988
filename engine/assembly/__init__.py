"""Puts the engine's parts together and runs it until it is told to end."""

from engine.assembly.run import run

__all__ = ["run"]
