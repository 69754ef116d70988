"""A stacked bar for each model as SVG: the stages between the end of speech and the reply (pure)."""

from collections.abc import Mapping
from xml.sax.saxutils import escape

COLOURS = ("#5b7fa6", "#c98a3c", "#7a9e6b", "#a06a8c", "#888888")
_LEFT, _WIDTH, _HEIGHT, _GAP, _TOP = 90, 640, 34, 20, 24


def chart(bars: Mapping[str, Mapping[str, float]]) -> str:
    """``bars``: model to milliseconds by stage, in order."""
    longest = max((sum(stages.values()) for stages in bars.values()), default=1.0) or 1.0
    scale = _WIDTH / longest
    parts = [part for row, (model, stages) in enumerate(bars.items()) for part in _bar(row, model, stages, scale)]
    names = list(dict.fromkeys(name for stages in bars.values() for name in stages))
    bottom = _TOP + len(bars) * (_HEIGHT + _GAP)
    parts += [_key(place, name, bottom) for place, name in enumerate(names)]
    size = f'width="{_LEFT + _WIDTH + 110}" height="{bottom + 34}"'
    style = "<style>text{font:13px sans-serif;fill:#333}.in{fill:#fff}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{"".join(parts)}</svg>\n'


def _bar(row: int, model: str, stages: Mapping[str, float], scale: float) -> list[str]:
    top = _TOP + row * (_HEIGHT + _GAP)
    parts = [f'<text x="{_LEFT - 8}" y="{top + 22}" text-anchor="end">{escape(model)}</text>']
    left = float(_LEFT)
    for place, ms in enumerate(stages.values()):
        wide = max(0.0, ms) * scale
        colour = COLOURS[place % len(COLOURS)]
        parts.append(f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{_HEIGHT}" fill="{colour}"/>')
        if wide > 34:
            parts.append(
                f'<text class="in" x="{left + wide / 2:.1f}" y="{top + 22}" text-anchor="middle">{ms:.0f}</text>'
            )
        left += wide
    parts.append(f'<text x="{left + 8:.1f}" y="{top + 22}">{sum(stages.values()):.0f} ms</text>')
    return parts


def _key(place: int, name: str, bottom: int) -> str:
    left = _LEFT + place * 130
    colour = COLOURS[place % len(COLOURS)]
    box = f'<rect x="{left}" y="{bottom + 6}" width="12" height="12" fill="{colour}"/>'
    return f'{box}<text x="{left + 18}" y="{bottom + 17}">{escape(name)}</text>'
