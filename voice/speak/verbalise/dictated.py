"""What the user dictated, as it will be sent: every sign, line and capital that a recogniser could have got wrong."""

import re
from dataclasses import replace

from voice.speak.verbalise.command import speak_exact
from voice.speak.verbalise.hide import hidden_stretches
from voice.speak.verbalise.phrases import Phrases
from voice.speak.verbalise.prose import replace_stretches

_PLAIN = re.compile(r"[^\W\d_]?[^\W\d_A-Z]*(?:['’][^\W\d_]+)?|\d+|[A-Z]{1,3}")  # an acronym is said as such
_WORD = re.compile(r"^(.*?)([,;:.!?]*)$", re.DOTALL)


def speak_dictated(text: str, phrases: Phrases) -> tuple[str, int]:
    """The spoken form, and how many secrets were named instead."""
    stretches = hidden_stretches(text, phrases)
    kept = replace_stretches(text, stretches) if stretches else text
    lines = [" ".join(_word(word, phrases) for word in line.split()) for line in kept.split("\n")]
    newline = f", {phrases.marks['newline']}, "
    spoken = re.sub(r"([.!?;:,]), ", r"\1 ", newline.join(lines))
    return spoken.strip(" ,"), sum(stretch.secret for stretch in stretches)


def _word(word: str, phrases: Phrases) -> str:
    match = _WORD.match(word)
    core, stop = match.groups() if match else (word, "")
    if not core:
        return speak_exact(word, (), phrases, exact=False)
    if _PLAIN.fullmatch(core):
        return word
    return _signs(core, phrases) + stop[:1]


def _signs(core: str, phrases: Phrases) -> str:
    """Signs and capitals by their names; words that sound like others stay words, for no command depends on them."""
    if core.endswith('"') and core.count('"') == 1:
        return (
            f"{_signs(core[:-1], phrases)} {phrases.marks['unquote']}".strip()
            if core != '"'
            else phrases.marks["quote"]
        )
    lenient = replace(phrases, spelled=frozenset(), announced=frozenset())
    parts = [part for part in re.split(r"(\d+)", core) if part]
    spoken = [part if part.isdecimal() else speak_exact(part, (), lenient) for part in parts]
    return " ".join(spoken).replace(f" {phrases.marks['joined']} ", " ")
