"""In which language consent is given: the one that the voice speaks, by ``voice.language`` of the settings."""

import logging
from pathlib import Path

import yaml

from engine.gates.consent.lexicon import languages

_log = logging.getLogger(__name__)
DEFAULT = "en"


def spoken_language(settings: Path) -> str:
    """The language of ``settings`` (``config/settings.yaml``); English, with a warning, where that can't be had.

    Falling back is safe: what is said in another language is then no approval, and never a wrong one.
    """
    try:
        found = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        _log.warning("%s can't be read (%s); consent is given in English.", settings, error)
        return DEFAULT
    section = found.get("voice") if isinstance(found, dict) else None
    named = section.get("language", DEFAULT) if isinstance(section, dict) else DEFAULT
    if named in languages():
        return str(named)
    known = ", ".join(languages())
    _log.warning("voice.language in %s is %r; consent is given in English (there are %s).", settings, named, known)
    return DEFAULT
