"""Recognises questions on a settled screen."""

from engine.gates.sources.screen.reader import ScreenReader

__all__ = ["ScreenReader"]
