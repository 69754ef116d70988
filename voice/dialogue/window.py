"""The undo window as it is shown: what will be done, and how many seconds are left to cancel it (pure)."""

import math

from voice.dialogue.phrasing import Words
from voice.dialogue.requests import Say
from voice.dialogue.state import State


def shown(state: State, now: float, language: Words) -> str | None:
    """The command that a "cancel that" would stop, for the page and the terminal; None when there is none."""
    if not state.pending:
        return None
    last = state.pending[-1]
    text = language.render(last.shown, aloud=False)
    if last.due is None:
        return language.render(Say("undo.waits", {"shown": text}), aloud=False)
    seconds = max(0, math.ceil(last.due - now))
    return language.render(Say("undo.window", {"shown": text, "seconds": seconds}), aloud=False)
