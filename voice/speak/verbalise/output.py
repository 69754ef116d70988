"""Output of programs: line by line, with a short version of long ones and of stack traces."""

import re

from voice.speak.verbalise.clean import without_escapes
from voice.speak.verbalise.hide import hidden_stretches
from voice.speak.verbalise.phrases import Phrases
from voice.speak.verbalise.prose import replace_stretches, spoken_lines

_LONG_LINES = 6
_SHORT_LINE = 200  # characters of a line that a short version says
_TRACE = re.compile(
    r"^Traceback \(most recent call last\):|^\s+at .+\(.+:\d+(?::\d+)?\)|^thread '.+' panicked at", re.MULTILINE
)
_ERROR = re.compile(
    r"^(?:[\w.]*(?:Error|Exception|Interrupt|Exit)\b.*|error(?:\[\w+\])?: .+|panic: .+|thread '.+' panicked at.*)$",
    re.MULTILINE,
)


def speak_output(text: str, phrases: Phrases) -> tuple[str, str, int]:
    """``(whole, short, secrets)``; the short version is empty when there is little to say."""
    plain = without_escapes(text)
    stretches = hidden_stretches(plain, phrases)
    named = replace_stretches(plain, stretches)
    lines = list(spoken_lines(named, phrases))
    whole = ". ".join(line.rstrip(".") for line in lines) + "." if lines else ""
    return whole, _short(named, lines, phrases), sum(stretch.secret for stretch in stretches)


def _short(text: str, lines: list[str], phrases: Phrases) -> str:
    if len(lines) <= _LONG_LINES and sum(map(len, lines)) < _LONG_LINES * _SHORT_LINE:
        return ""
    counted = phrases.counted("line", len(lines))
    if error := _error_of_trace(text):
        spoken = next(spoken_lines(error, phrases), "")
        return phrases.sentence("trace_short", lines=counted, error=_cut(spoken))
    return phrases.sentence("output_short", lines=counted, first=_cut(lines[0]), last=_cut(lines[-1]))


def _error_of_trace(text: str) -> str:
    if not _TRACE.search(text):
        return ""
    found: list[str] = _ERROR.findall(text)
    return found[-1] if found else ""


def _cut(line: str) -> str:
    """``line`` without its closing stop, ended at a word when it is too long for a short version."""
    line = line.rstrip(".")
    return line if len(line) <= _SHORT_LINE else line[:_SHORT_LINE].rsplit(" ", 1)[0]
