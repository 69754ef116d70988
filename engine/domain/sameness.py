"""Whether a question seen on the screen is the dialog of a question that a structured source raised. Pure."""

from pathlib import PurePosixPath

from engine.domain.gates import Gate, Question

_ENOUGH = 60  # characters, without blanks, that tell two long commands apart (a screen may cut the rest)


def one_question(structured: Gate | Question, shown: Question) -> bool:
    """True when both ask about the same command or file; a held command that may have begun is never the same."""
    if structured.handle is None or shown.handle is not None or shown.may_have_begun:
        return False
    if structured.command is not None:
        return shown.command is not None and _same_text(structured.command, shown.command)
    if structured.edits:
        return any(PurePosixPath(edit.path).name in shown.prompt for edit in structured.edits)
    return shown.command is None


def _same_text(exact: str, shown: str) -> bool:
    """Equal but for blanks, which a terminal adds and takes where it wraps, and for a description in rows below."""
    wanted = _squeeze(exact)
    rows = shown.split("\n")
    if any(_squeeze("".join(rows[:count])) == wanted for count in range(1, len(rows) + 1)):
        return True
    seen = _squeeze(shown)
    return min(len(wanted), len(seen)) >= _ENOUGH and wanted[:_ENOUGH] == seen[:_ENOUGH]


def _squeeze(text: str) -> str:
    return "".join(text.split())
