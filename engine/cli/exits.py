"""Exit codes of ``conduit``, and the one place where a fault becomes a sentence and a code."""

import functools
import sys
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

from engine.domain.errors import ConduitError, Conflict, Forbidden, Unauthorized, Unavailable

OK, FAILED, USAGE, NO_ENGINE, REFUSED, CHANGED = range(6)

P = ParamSpec("P")
R = TypeVar("R")


class NoEngine(Unavailable):
    """No engine answers for this data root."""


def code_of(error: ConduitError) -> int:
    """The exit code that tells a script what kind of fault it was."""
    if isinstance(error, NoEngine):
        return NO_ENGINE
    if isinstance(error, Forbidden | Unauthorized):
        return REFUSED
    return CHANGED if isinstance(error, Conflict) else FAILED


def stop(sentence: str, code: int = FAILED) -> NoReturn:
    """End with one sentence on standard error."""
    sys.stderr.write(f"{sentence}\n")
    sys.exit(code)


def sentences(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with one sentence and the right code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ConduitError as error:
            stop(str(error), code_of(error))
        except BrokenPipeError:
            # The reader has gone (head, less); nothing more can be told to it.
            sys.stderr.close()
            sys.exit(FAILED)
        except OSError as error:
            stop(f"{error.strerror or error}: {error.filename or 'the system'}. Check the path and its rights.")

    return wrapped
