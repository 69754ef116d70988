"""Names of agents, projects and plans as they are spoken: folded to one key, compared whole. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from engine.gates.consent.tokens import fold

_RUN = re.compile(r"[^\W\d_]+|\d+")
LONGEST_NAME = 8  # tokens of a spoken name


def key(text: str, numbers: Mapping[str, str]) -> str:
    """One key for every spelling: case, marks, spacing and punctuation fold; "b oh four" is "B-04"."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    words = [numbers.get(run, run) for run in _RUN.findall(fold(bare))]
    return re.sub(r"\d+", lambda digits: digits[0].lstrip("0") or "0", "".join(words))


def keys(names: Iterable[str], numbers: Mapping[str, str]) -> frozenset[str]:
    """The keys of a roster; names without a letter or digit have none."""
    return frozenset(found for name in names if (found := key(name, numbers)))


def spoken(words: Sequence[str], roster: frozenset[str], numbers: Mapping[str, str]) -> list[tuple[int, str]]:
    """Names that ``words`` can begin with: how many tokens each takes, and its key."""
    return [
        (taken, found)
        for taken in range(1, min(len(words), LONGEST_NAME) + 1)
        if (found := key(" ".join(words[:taken]), numbers)) in roster
    ]
