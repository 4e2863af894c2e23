"""Small pictures as SVG text: lines, a heat map with contours. Colours come from the page, so that dark pages work."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 34, 48
COLOURS = ("#2563eb", "#d97706", "#059669", "#be185d", "#7c3aed", "#475569")
STYLE = (
    "<style>.k-text{font:12px system-ui,sans-serif;fill:currentColor}.k-title{font-weight:600;font-size:13px}"
    ".k-axis{stroke:currentColor;stroke-opacity:.55;fill:none}.k-grid{stroke:currentColor;stroke-opacity:.12}</style>"
)


@dataclass(frozen=True, slots=True)
class Series:
    """A named line through points."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Shade:
    """A named range of the horizontal axis."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _Frame:
    x0: float
    x1: float
    y0: float
    y1: float

    def x(self, value: float) -> float:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        clipped = min(max(value, self.y0), self.y1)
        return HEIGHT - BOTTOM - (clipped - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between low and high."""
    span = high - low
    if span <= 0:
        return [low]
    step = 10 ** math.floor(math.log10(span / most))
    step *= next(f for f in (1, 2, 5, 10) if span / (step * f) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _document(title: str, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{STYLE}"
    )
    return head + f'<text class="k-text k-title" x="{LEFT}" y="18">{escape(title)}</text>' + "".join(parts) + "</svg>\n"


def _axes(frame: _Frame, across: str, up: str) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for value in ticks(frame.x0, frame.x1):
        x = frame.x(value)
        parts.append(
            f'<line class="k-grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>'
            f'<text class="k-text" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
        )
    for value in ticks(frame.y0, frame.y1):
        y = frame.y(value)
        parts.append(
            f'<line class="k-grid" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>'
            f'<text class="k-text" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    middle = (TOP + bottom) / 2
    parts.append(
        f'<path class="k-axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
        f'<text class="k-text" x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(across)}</text>'
        f'<text class="k-text" transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(up)}</text>'
    )
    return parts


def line_chart(
    title: str, across: str, up: str, series: Sequence[Series], shades: Sequence[Shade] = (), top: float | None = None
) -> str:
    """Lines over a common axis; `top` cuts the vertical axis off."""
    xs = [x for s in series for x, _ in s.points] or [0.0, 1.0]
    ys = [y for s in series for _, y in s.points if math.isfinite(y)] or [0.0, 1.0]
    high = top if top is not None else max(ys)
    low = min(0.0, *ys)
    frame = _Frame(min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1, low, high if high > low else low + 1)
    parts = []
    for shade in shades:
        x0, x1 = frame.x(max(shade.low, frame.x0)), frame.x(min(shade.high, frame.x1))
        parts.append(
            f'<rect x="{x0:.1f}" y="{TOP}" width="{max(0, x1 - x0):.1f}" height="{HEIGHT - TOP - BOTTOM}" '
            f'fill="#16a34a" fill-opacity=".14"><title>{escape(shade.name)}</title></rect>'
        )
    parts += _axes(frame, across, up)
    for place, line in enumerate(series):
        colour = COLOURS[place % len(COLOURS)]
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in line.points if math.isfinite(y))
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = TOP + 14 + 16 * place
        parts.append(
            f'<line x1="{WIDTH - 190}" x2="{WIDTH - 168}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dash}/>'
            f'<text class="k-text" x="{WIDTH - 162}" y="{y}">{escape(line.name)}</text>'
        )
    return _document(title, parts)


def scatter(title: str, across: str, up: str, points: Sequence[tuple[float, float]]) -> str:
    """Points in a plane that begins at 0."""
    frame = _Frame(0.0, max(x for x, _ in points) * 1.05 or 1.0, 0.0, max(y for _, y in points) * 1.05 or 1.0)
    dots = [
        f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4" fill="{COLOURS[0]}" fill-opacity=".6"/>'
        for x, y in points
    ]
    return _document(title, [*_axes(frame, across, up), *dots])


def heat_map(
    title: str,
    across: str,
    up: str,
    xs: Sequence[float],
    ys: Sequence[float],
    values: Sequence[Sequence[float]],
    marks: Sequence[tuple[float, float, str]] = (),
) -> str:
    """`values[j][i]` at (xs[i], ys[j]); dark is low. `marks` are named points."""
    frame = _Frame(xs[0], xs[-1], ys[0], ys[-1])
    finite = [v for row in values for v in row if math.isfinite(v)]
    low, high = min(finite), max(finite)
    parts = []
    dx, dy = (xs[1] - xs[0]) / 2, (ys[1] - ys[0]) / 2
    for j, y in enumerate(ys):
        for i, x in enumerate(xs):
            value = values[j][i]
            level = 1.0 if not math.isfinite(value) else (value - low) / (high - low or 1.0)
            x0, x1 = frame.x(max(x - dx, frame.x0)), frame.x(min(x + dx, frame.x1))
            y0, y1 = frame.y(min(y + dy, frame.y1)), frame.y(max(y - dy, frame.y0))
            parts.append(
                f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0 + 0.4:.1f}" height="{y1 - y0 + 0.4:.1f}" fill="{_shade(level)}"/>'
            )
    parts += _axes(frame, across, up)
    for x, y, name in marks:
        parts.append(
            f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4" fill="#fff" stroke="#111" stroke-width="1.5"/>'
            f'<text class="k-text" x="{frame.x(x) + 7:.1f}" y="{frame.y(y) - 6:.1f}" style="fill:#fff;paint-order:stroke;stroke:#111;stroke-width:2px">{escape(name)}</text>'
        )
    return _document(title, parts)


def _shade(level: float) -> str:
    """From deep blue (0) over green to yellow (1)."""
    stops = ((0.0, (30, 41, 120)), (0.35, (33, 120, 150)), (0.7, (90, 190, 110)), (1.0, (250, 225, 90)))
    for (a, first), (b, second) in itertools.pairwise(stops):
        if level <= b:
            part = (level - a) / (b - a)
            return "#" + "".join(f"{round(c + (d - c) * part):02x}" for c, d in zip(first, second, strict=True))
    return "#fae15a"
