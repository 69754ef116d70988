"""ALSA's own complaints go to the log: its library prints them to the terminal, over what the user reads there."""

import ctypes
import logging
import sys
from functools import cache

_log = logging.getLogger(__name__)
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)


def _complaint(file: bytes | None, line: int, function: bytes | None, error: int, template: bytes | None) -> None:
    # The arguments of the template come as C's variable ones, which can't be read here.
    where = (function or b"?").decode(errors="replace")
    _log.debug("ALSA, %s (error %d): %s", where, error, (template or b"").decode(errors="replace"))


_handler = _HANDLER(_complaint)  # kept for as long as the library may call it


@cache
def log_complaints() -> bool:
    """Have libasound hand its errors to the log; False where there is no such library.

    ``snd_lib_error_set_handler`` of alsa-lib's public interface.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        library = ctypes.CDLL("libasound.so.2")
        library.snd_lib_error_set_handler(_handler)
    except (OSError, AttributeError) as error:
        _log.debug("ALSA's complaints stay in the terminal: %s", error)
        return False
    return True
