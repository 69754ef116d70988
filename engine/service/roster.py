"""Names and ids that people use, resolved once to the one thing they mean (pure)."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from engine.domain.errors import BadRequest, NotFound
from engine.storage.layout import same_name


class Named(Protocol):
    """Anything that has an id and a name."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def pick(things: Iterable[T], reference: str, *, what: str) -> T:
    """The one thing whose id or name is ``reference``. An exact id wins over names, an exact name over a folded one.

    Raises :class:`NotFound` with the names that exist, or :class:`BadRequest` listing several that fit: the nearest
    guess is never used.
    """
    everything = list(things)
    for fits in (_by_id, _by_exact_name, _by_folded_name):
        found = [thing for thing in everything if fits(thing, reference)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(f"{thing.name} ({thing.id})" for thing in found)
            raise BadRequest(f"Several {what}s are called {reference!r}: {listed}. Name the id.")
    raise NotFound(f"There is no {what} called {reference!r}. {_known(everything, what)}")


def _known(things: Sequence[Named], what: str) -> str:
    if not things:
        return f"There is no {what} yet."
    return f"There is: {', '.join(thing.name for thing in things[:20])}."


def _by_id(thing: Named, reference: str) -> bool:
    return thing.id == reference


def _by_exact_name(thing: Named, reference: str) -> bool:
    return thing.name == reference


def _by_folded_name(thing: Named, reference: str) -> bool:
    return same_name(thing.name, reference)
