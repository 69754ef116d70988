"""What single agents of the protocol do amiss, and how it is kept from doing harm."""

from datetime import UTC, datetime
from pathlib import Path

from engine.ports.runtime import Launch


def too_early(launch: Launch, now: datetime) -> str | None:
    """Why a conversation can't be gone on with just now, as a sentence; None when nothing is in the way.

    Gemini keeps a session in a file named by the minute in which it was opened. Opened again within the same minute it
    writes a fresh head into the same file, and what was said before is lost (version 0.61.0).
    """
    if launch.cli != "gemini" or launch.resume is None:
        return None
    minute = now.astimezone(UTC).strftime("%Y-%m-%dT%H-%M")
    chats = Path(launch.env.get("HOME", "~")).expanduser() / ".gemini" / "tmp"
    if not any(chats.glob(f"*/chats/session-{minute}-{launch.resume[:8]}.*")):
        return None
    return (
        "Gemini would lose this conversation, because it was opened within this same minute."
        f" Resume it in {60 - now.second} seconds."
    )
