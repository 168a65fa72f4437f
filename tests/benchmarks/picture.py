"""Draws the picture of docs/how-to/translation-memory.md from the figures beside it.

``python tests/benchmarks/picture.py``: both axes grow by factors, so that a straight
line at forty-five degrees is ten times as long for ten times as much.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import log10
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs/how-to"
FIGURES = DOCS / "translation-memory.json"
PICTURE = DOCS / "translation-memory.svg"

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 30, 50
COLOURS = ("#1b7f4d", "#5a9bd4", "#b8860b", "#b03030")  # ours first
LEAST_MS, MOST_MS = 1, 1_000_000
Figures = Mapping[str, Mapping[str, float]]


def drawn(figures: Figures) -> str:
    """The picture: milliseconds for 100 texts, by name and size."""
    sizes = [int(size) for size in next(iter(figures.values()))]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        '  font-family="sans-serif" font-size="12" role="img">',
        "<title>Milliseconds for 100 texts, by the size of the memory</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_scale(sizes),
    ]
    for (name, times), colour in zip(figures.items(), COLOURS, strict=True):
        places = [(_x(int(s), sizes), _y(ms)) for s, ms in times.items()]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        x, y = places[-1]
        stroke = f'stroke="{colour}" stroke-width="2"'
        lines.append(f'<polyline points="{path}" fill="none" {stroke}/>')
        lines += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            for x, y in places
        ]
        last = f"{name}: {list(times.values())[-1]:,.0f} ms"
        lines.append(
            f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{last}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _scale(sizes: list[int]) -> Iterator[str]:
    ms = LEAST_MS
    while ms <= MOST_MS:
        y, right = _y(ms), WIDTH - RIGHT
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{ms:,}</text>'
        ms *= 10
    for size in sizes:
        x, y = _x(size, sizes), HEIGHT - BOTTOM + 18
        yield f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{size:,}</text>'
    yield f'<text x="{LEFT}" y="18">ms for 100 texts</text>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 12}">segments</text>'


def _x(size: int, sizes: list[int]) -> float:
    share = (log10(size) - log10(sizes[0])) / (log10(sizes[-1]) - log10(sizes[0]))
    return LEFT + 20 + share * (WIDTH - LEFT - RIGHT - 40)


def _y(ms: float) -> float:
    share = (log10(ms) - log10(LEAST_MS)) / (log10(MOST_MS) - log10(LEAST_MS))
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


if __name__ == "__main__":
    PICTURE.write_text(drawn(json.loads(FIGURES.read_text("utf-8"))), "utf-8")
