"""``python -m voice.models.install``: make every model ready; quick when done, offline the second time."""

import sys
from collections.abc import Sequence

import click

from engine.domain.errors import ConduitError
from voice.models.download import download
from voice.models.lookup import ModelState, find, list_models
from voice.models.verify import cache_folder

_MEGABYTE = 1_000_000


class _Bar:
    """Shows a progress bar for one model, from calls that name a file and bytes."""

    def __init__(self, label: str, size: int) -> None:
        self._bar = click.progressbar(length=size, label=label, file=sys.stderr)
        self._done: dict[str, int] = {}

    def __call__(self, name: str, done: int, size: int) -> None:
        self._bar.update(done - self._done.get(name, 0))
        self._done[name] = done


def install(names: Sequence[str] = ()) -> int:
    """Make the named models (all when none is named) ready; returns how many could not be."""
    failed = 0
    for state in list_models():
        if names and state.model.name not in names:
            continue
        try:
            click.echo(_make_ready(state))
        except ConduitError as error:
            failed += 1
            click.echo(str(error), err=True)
    return failed


def _make_ready(state: ModelState) -> str:
    model = state.model
    if state.state == "ready":
        return f"{model.name}: ready ({model.size / _MEGABYTE:.0f} MB, {model.licence})"
    bar = _Bar(model.name, model.size)
    folder = find(model.name, progress=bar) if state.state == "to_assemble" else download(model, bar)
    return f"{model.name}: put into {folder}"


def main() -> None:
    """Entry of ``python -m voice.models.install``; names may follow."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    sys.exit(1 if install(sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
