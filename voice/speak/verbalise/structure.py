"""JSON: keys and values in order; what does not parse is read as output."""

import json
from collections.abc import Iterator
from typing import Any

from voice.speak.verbalise.command import speak_exact
from voice.speak.verbalise.hide import hidden_stretches
from voice.speak.verbalise.output import speak_output
from voice.speak.verbalise.phrases import Phrases
from voice.speak.verbalise.prose import replace_stretches

_SHORT_KEYS = 4


def speak_json(text: str, phrases: Phrases) -> tuple[str, str, int]:
    """``(whole, short, secrets)`` of a JSON text; secrets are found in the whole text, where keys give them away."""
    stretches = hidden_stretches(text, phrases)
    try:
        value = json.loads(replace_stretches(text, stretches))
        spoken = list(_spoken(value, phrases))
    except (ValueError, RecursionError):
        return speak_output(text, phrases)
    whole = ". ".join(spoken) + "." if spoken else phrases.sentences["json_empty"]
    return whole, _short(value, phrases), sum(stretch.secret for stretch in stretches)


def _spoken(value: Any, phrases: Phrases, key: str = "") -> Iterator[str]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _spoken(inner, phrases, f"{key}, {_text(name, phrases)}" if key else _text(name, phrases))
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _spoken(inner, phrases, key)
    else:
        words = _scalar(value, phrases)
        yield phrases.sentence("json_pair", key=key, value=words) if key else words


def _scalar(value: Any, phrases: Phrases) -> str:
    if value is None:
        return phrases.sentences["json_null"]
    if isinstance(value, bool):
        return phrases.sentences["json_true" if value else "json_false"]
    if isinstance(value, dict | list):
        return phrases.sentences["json_empty"]
    return _text(str(value), phrases)


def _text(words: str, phrases: Phrases) -> str:
    return speak_exact(words.strip(), (), phrases, exact=False)


def _short(value: Any, phrases: Phrases) -> str:
    if not isinstance(value, dict | list) or not value:
        return ""
    items = phrases.counted("json_item", len(value))
    keys = list(value)[:_SHORT_KEYS] if isinstance(value, dict) else []
    if not keys:
        return items + "."
    return phrases.sentence("json_short", items=items, keys=", ".join(_text(key, phrases) for key in keys))
