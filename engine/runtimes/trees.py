"""Every process of every agent's tree: who may not speak with a person's token."""

from collections.abc import Mapping

from engine.runtimes import processes


class Trees:
    """Remembers the guard of each run; a call walks the process table once."""

    def __init__(self) -> None:
        self._guards: dict[str, processes.Process] = {}

    def note(self, run_id: str, guard: int) -> None:
        """A run's guard, as its holder named it."""
        row = processes.read(guard)
        if row is not None:
            self._guards[run_id] = row

    def __call__(self) -> Mapping[int, str]:
        """Process id -> run id, guards and holders included: they do nothing for a person either."""
        rows = processes.table()
        found: dict[int, str] = {}
        for run_id, guard in list(self._guards.items()):
            now = rows.get(guard.pid)
            if now is None or now.start != guard.start:
                del self._guards[run_id]
                continue
            found[guard.pid] = run_id
            found.update((row.pid, run_id) for row in processes.descendants(guard.pid, rows))
        return found
