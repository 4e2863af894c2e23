"""Small pictures as SVG text: lines, bars, maps over two scales. Colours are classes, so that a page can be light or dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from kolahal.nouns import dataclass
from kolahal.report.safe import escape

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 54, 12, 14, 46
LARGEST = 1e12  # number that is drawn
SERIES = 6  # colours and dashes, after which they repeat

# Okabe and Ito's colours, which stay apart for colour-blind readers; lines also differ in their dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#475569")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4")
STYLE = (
    "<style>.k-text{font:11px system-ui,sans-serif;fill:currentColor}.k-title{font-weight:600;font-size:12px}"
    ".k-axis{stroke:currentColor;stroke-opacity:.6;fill:none}.k-grid{stroke:currentColor;stroke-opacity:.13}"
    ".k-line{fill:none;stroke-width:2}.k-rule{stroke:currentColor;stroke-width:1;stroke-dasharray:2 2}"
    ".k-level{fill:none;stroke:#fff;stroke-opacity:.55;stroke-width:.8}"
    ".k-shade{fill:#009e73;fill-opacity:.13}.k-mark{fill:#fff;stroke:#111;stroke-width:1.5}.k-dot{fill:#fff;fill-opacity:.85;stroke:#c2185b}"
    ".k-halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round;fill:#111}"
    + "".join(f".k-s{i}{{stroke:{c}}}.k-f{i}{{fill:{c}}}" for i, c in enumerate(COLOURS))
    + "</style>"
)


@dataclass(frozen=True, slots=True)
class Series:
    """A named line through points; `style` picks its colour, and dashed lines are bounds rather than findings."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False
    style: int | None = None
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Shade:
    """A named range of the horizontal axis."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RuledLine:
    """A named straight line, across at a height or, if `up`, upwards at a place."""

    name: str
    at: float
    up: bool = False
    left: bool = False  # its name stands below it, at the left


@dataclass(frozen=True, slots=True)
class _Axis:
    """From numbers to pixels, evenly or by their logarithms."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        return log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high, most)


@dataclass(frozen=True, slots=True)
class Frame:
    x: _Axis
    y: _Axis
    height: int = HEIGHT
    parts: list[str] = field(default_factory=list)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between low and high."""
    span = high - low
    if span <= 0:
        return [low]
    step = 10 ** math.floor(math.log10(span / most))
    step *= next(f for f in (1, 2, 5, 10) if span / (step * f) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between low and high; powers of ten alone where those are many."""
    factors = (1, 2, 5) if high / low < 2000 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [f * 10.0**p for p in powers for f in factors if low * (1 - 1e-9) <= f * 10.0**p <= high * (1 + 1e-9)]


def document(title: str, description: str, parts: Sequence[str], heading: bool, height: int = HEIGHT) -> str:
    top = 20 if heading else 0
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-top} {WIDTH} {height + top}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
    )
    if description:
        head += f"<desc>{escape(description)}</desc>"
    if heading:
        head += STYLE + f'<text class="k-text k-title" x="{LEFT}" y="-6">{escape(title)}</text>'
    return head + "".join(parts) + "</svg>\n"


def text_at(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    return f'<text class="k-text{extra}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def axes(frame: Frame, across: str, up: str, across_ticks: bool = True) -> list[str]:
    bottom, right = frame.height - BOTTOM, WIDTH - RIGHT
    parts = []
    for value in frame.x.ticks(6) if across_ticks else ():
        x = frame.x(value)
        parts.append(
            f'<path class="k-grid" d="M{x:.1f} {TOP}V{bottom}"/>' + text_at(x, bottom + 15, f"{value:g}", "middle")
        )
    for value in frame.y.ticks(5):
        y = frame.y(value)
        parts.append(
            f'<path class="k-grid" d="M{LEFT} {y:.1f}H{right}"/>' + text_at(LEFT - 6, y + 4, f"{value:g}", "end")
        )
    middle = (TOP + bottom) / 2
    parts.append(
        f'<path class="k-axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
        + text_at((LEFT + right) / 2, frame.height - 12, across, "middle")
        + f'<text class="k-text" transform="translate(10 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(up)}</text>'
    )
    return parts


def lay_out(xs: Sequence[float], ys: Sequence[float], log_x: bool, log_y: bool, height: int = HEIGHT) -> Frame:
    def ends(values: Sequence[float], log: bool) -> tuple[float, float]:
        low, high = min(values), max(values)
        if high > low:
            return low, high
        return (low / 2, high * 2) if log else (low, low + 1)

    return Frame(
        _Axis(*ends(xs, log_x), LEFT, WIDTH - RIGHT, log_x),
        _Axis(*ends(ys, log_y), height - BOTTOM, TOP, log_y),
        height,
    )


def line_chart(
    title: str,
    across: str,
    up: str,
    series: Sequence[Series],
    shades: Sequence[Shade] = (),
    top: float | None = None,
    rules: Sequence[RuledLine] = (),
    log_x: bool = False,
    log_y: bool = False,
    description: str = "",
    heading: bool = True,
) -> str:
    """Lines over a common axis; `top` cuts the vertical axis off. The names of the lines stand below."""
    xs = [x for s in series for x, _ in s.points] or [0.0, 1.0]
    ys = [y for s in series for _, y in s.points if _is_drawn(y, log_y)] or [0.5, 1.0]
    high = top if top is not None else max(ys)
    low = min(ys) if log_y else min(0.0, *ys)
    rows = legend_rows([s.name for s in series])
    height = HEIGHT + 16 * len(rows)
    frame = lay_out(xs, [low, high], log_x, log_y, HEIGHT)
    parts = []
    for shade in shades:
        x0, x1 = frame.x(shade.low), frame.x(shade.high)
        parts.append(
            f'<rect class="k-shade" x="{x0:.1f}" y="{TOP}" width="{max(0, x1 - x0):.1f}" '
            f'height="{HEIGHT - TOP - BOTTOM}"><title>{escape(shade.name)}</title></rect>'
        )
    parts += axes(frame, across, up)
    for rule in rules:
        if rule.up:
            x = frame.x(rule.at)
            parts.append(
                f'<path class="k-rule" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>' + text_at(x + 4, TOP + 10, rule.name)
            )
        else:
            y = frame.y(rule.at)
            parts.append(
                f'<path class="k-rule" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
                + (
                    text_at(LEFT + 5, y + 13, rule.name)
                    if rule.left
                    else text_at(WIDTH - RIGHT - 2, y - 4, rule.name, "end")
                )
            )
    for place, line in enumerate(series):
        parts.append(_line(frame, line, place, log_y, frame.y.high))
    parts += _legend(series, rows, HEIGHT + 4)
    return document(title, description, parts, heading, height)


def _stroke(line: Series, place: int) -> tuple[int, str]:
    """The style of a line by its place, and how it is dashed."""
    style = (place if line.style is None else line.style) % SERIES
    dash = "6 4" if line.dashed else DASHES[style] if line.style is None else ""
    return style, f' stroke-dasharray="{dash}"' if dash else ""


def _line(frame: Frame, line: Series, place: int, log_y: bool, top: float) -> str:
    """One line, cut where it leaves the picture at the top."""
    style, dashes = _stroke(line, place)
    pieces: list[list[tuple[float, float]]] = [[]]
    before: tuple[float, float] | None = None
    for x, y in line.points:
        here = (frame.x(x), y) if _is_drawn(y, log_y) else None
        if before is not None and here is not None and (before[1] > top) != (y > top):
            part = (top - before[1]) / (y - before[1])
            pieces[-1].append((before[0] + (here[0] - before[0]) * part, top))
        if here is not None and y <= top:
            pieces[-1].append(here)
        else:
            pieces.append([])
        before = here
    shown = [" ".join(f"{x:.1f},{frame.y(y):.1f}" for x, y in piece) for piece in pieces if len(piece) > 1]
    lines = [f'<polyline class="k-line k-s{style}" points="{points}"{dashes}/>' for points in shown]
    if line.dots:
        inside = [(x, y) for x, y in line.points if _is_drawn(y, log_y) and y <= top]
        lines += [
            f'<circle class="k-f{style}" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="2.5"/>' for x, y in inside
        ]
    return "".join(lines)


def _is_drawn(value: float, log: bool) -> bool:
    """Whether a number has a place on an axis; beyond LARGEST it would leave no room for others."""
    return abs(value) <= LARGEST and (not log or value >= 1 / LARGEST)


def legend_rows(names: Sequence[str]) -> list[list[int]]:
    """Names in rows that fit the width, by their places."""
    rows: list[list[int]] = []
    room = 0.0
    for place, name in enumerate(names):
        wide = 34 + 6.2 * len(name)
        if not rows or wide > room:
            rows.append([])
            room = WIDTH - 20
        rows[-1].append(place)
        room -= wide
    return rows


def _legend(series: Sequence[Series], rows: Sequence[Sequence[int]], top: float) -> list[str]:
    parts = []
    for row, places in enumerate(rows):
        x, y = 16.0, top + 16 * row
        for place in places:
            line = series[place]
            style, dashes = _stroke(line, place)
            parts.append(
                f'<path class="k-line k-s{style}" d="M{x:.1f} {y:.1f}h22"{dashes}/>' + text_at(x + 27, y + 4, line.name)
            )
            x += 34 + 6.2 * len(line.name)
    return parts
