"""Small pictures as SVG text: lines, bars, maps over two scales. Colours are classes, so that a page can be light or dark."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    ".k-shade{fill:#009e73;fill-opacity:.13}.k-mark{fill:#fff;stroke:#111;stroke-width:1.5}"
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
class Rule:
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
class _Frame:
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


def _document(title: str, description: str, parts: Sequence[str], heading: bool, height: int = HEIGHT) -> str:
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


def _text(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    return f'<text class="k-text{extra}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _axes(frame: _Frame, across: str, up: str, across_ticks: bool = True) -> list[str]:
    bottom, right = frame.height - BOTTOM, WIDTH - RIGHT
    parts = []
    for value in frame.x.ticks(6) if across_ticks else ():
        x = frame.x(value)
        parts.append(
            f'<path class="k-grid" d="M{x:.1f} {TOP}V{bottom}"/>' + _text(x, bottom + 15, f"{value:g}", "middle")
        )
    for value in frame.y.ticks(5):
        y = frame.y(value)
        parts.append(
            f'<path class="k-grid" d="M{LEFT} {y:.1f}H{right}"/>' + _text(LEFT - 6, y + 4, f"{value:g}", "end")
        )
    middle = (TOP + bottom) / 2
    parts.append(
        f'<path class="k-axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
        + _text((LEFT + right) / 2, frame.height - 12, across, "middle")
        + f'<text class="k-text" transform="translate(13 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(up)}</text>'
    )
    return parts


def _frame(xs: Sequence[float], ys: Sequence[float], log_x: bool, log_y: bool, height: int = HEIGHT) -> _Frame:
    def ends(values: Sequence[float], log: bool) -> tuple[float, float]:
        low, high = min(values), max(values)
        if high > low:
            return low, high
        return (low / 2, high * 2) if log else (low, low + 1)

    return _Frame(
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
    rules: Sequence[Rule] = (),
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
    frame = _frame(xs, [low, high], log_x, log_y, HEIGHT)
    parts = []
    for shade in shades:
        x0, x1 = frame.x(shade.low), frame.x(shade.high)
        parts.append(
            f'<rect class="k-shade" x="{x0:.1f}" y="{TOP}" width="{max(0, x1 - x0):.1f}" '
            f'height="{HEIGHT - TOP - BOTTOM}"><title>{escape(shade.name)}</title></rect>'
        )
    parts += _axes(frame, across, up)
    for rule in rules:
        if rule.up:
            x = frame.x(rule.at)
            parts.append(
                f'<path class="k-rule" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>' + _text(x + 4, TOP + 10, rule.name)
            )
        else:
            y = frame.y(rule.at)
            parts.append(
                f'<path class="k-rule" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
                + (
                    _text(LEFT + 5, y + 13, rule.name)
                    if rule.left
                    else _text(WIDTH - RIGHT - 2, y - 4, rule.name, "end")
                )
            )
    for place, line in enumerate(series):
        parts.append(_line(frame, line, place, log_y, frame.y.high))
    parts += _legend(series, rows, HEIGHT + 4)
    return _document(title, description, parts, heading, height)


def _line(frame: _Frame, line: Series, place: int, log_y: bool, top: float) -> str:
    """One line, cut where it leaves the picture at the top."""
    style = (place if line.style is None else line.style) % SERIES
    dash = "6 4" if line.dashed else DASHES[style] if line.style is None else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
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
            style = (place if line.style is None else line.style) % SERIES
            dash = "6 4" if line.dashed else DASHES[style] if line.style is None else ""
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(
                f'<path class="k-line k-s{style}" d="M{x:.1f} {y:.1f}h22"{dashes}/>' + _text(x + 27, y + 4, line.name)
            )
            x += 34 + 6.2 * len(line.name)
    return parts


def scatter(title: str, across: str, up: str, points: Sequence[tuple[float, float]]) -> str:
    """Points in a plane that begins at 0."""
    frame = _frame([0.0, *(x * 1.05 for x, _ in points)], [0.0, *(y * 1.05 for _, y in points)], False, False)
    dots = [
        f'<circle class="k-f0" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4" fill-opacity=".6"/>' for x, y in points
    ]
    return _document(title, "", [*_axes(frame, across, up), *dots], True)


# ---------------------------------------------------------------- maps over two scales


def heat_map(
    title: str,
    across: str,
    up: str,
    xs: Sequence[float],
    ys: Sequence[float],
    values: Sequence[Sequence[float]],
    marks: Sequence[tuple[float, float, str]] = (),
) -> str:
    """`values[j][i]` at (xs[i], ys[j]); dark is low, lines are levels. `marks` are named points."""
    frame = _frame(xs, ys, False, False)
    finite = [v for row in values for v in row if math.isfinite(v)]
    low, high = min(finite), max(finite)
    bands = 24

    def band(value: float) -> int:
        return min(bands - 1, int((min(max(value, low), high) - low) / (high - low or 1) * bands))

    colours = {i: _shade(i / (bands - 1)) for i in range(bands)}
    levels = [low + (high - low) * i / 12 for i in range(1, 12)]
    lines = [f'<path class="k-level" d="{_contour(frame, xs, ys, values, level)}"/>' for level in levels]
    parts = [_fill(frame, xs, ys, values, band, colours), *lines, *_axes(frame, across, up), *_marks(frame, marks)]
    return _document(title, "", parts, True)


UNKNOWN = -1  # the band of what is not a number; it is left blank
# Below the claim blue, above it orange, pale where the loss is the claim.
BANDS: tuple[tuple[float, str], ...] = (
    (0.5, "#2a6f9e"),
    (0.7, "#5b98bf"),
    (0.85, "#93bedb"),
    (0.97, "#cbe0ee"),
    (1.03, "#fbf7e9"),
    (1.2, "#f6ddb8"),
    (1.5, "#eeb878"),
    (2.0, "#dd8a45"),
    (math.inf, "#b9602b"),
)


def loss_map(
    title: str,
    across: str,
    up: str,
    xs: Sequence[float],
    ys: Sequence[float],
    found: Sequence[Sequence[float]],
    law: Sequence[Sequence[float]] | None = None,
    marks: Sequence[tuple[float, float, str]] = (),
    description: str = "",
) -> str:
    """A loss in units of the claim over two scales; the line is where the law's cost is the claim."""
    frame = _frame(xs, ys, False, False)
    colours = {i: colour for i, (_, colour) in enumerate(BANDS)}
    parts = [_fill(frame, xs, ys, found, _band, colours), *_axes(frame, across, up)]
    if law is not None:
        parts.append(f'<path class="k-contour" d="{_contour(frame, xs, ys, law, 1.0)}"/>')
    parts += [*_marks(frame, marks), *_key(HEIGHT + 8)]
    return _document(title, description, parts, False, HEIGHT + 34)


def _band(value: float) -> int:
    return next(i for i, (end, _) in enumerate(BANDS) if value < end or end == math.inf)


def _key(top: float) -> list[str]:
    """What the colours of a loss map stand for."""
    wide = (WIDTH - LEFT - RIGHT) / len(BANDS)
    parts = []
    for i, (end, colour) in enumerate(BANDS):
        x = LEFT + i * wide
        parts.append(f'<rect x="{x:.1f}" y="{top}" width="{wide:.1f}" height="9" fill="{colour}"/>')
        if end != math.inf:
            parts.append(_text(x + wide, top + 21, f"{end:g}", "middle"))
    return [*parts, _text(LEFT - 6, top + 9, "loss", "end")]


def _fill(
    frame: _Frame,
    xs: Sequence[float],
    ys: Sequence[float],
    values: Sequence[Sequence[float]],
    band: Callable[[float], int],
    colours: Mapping[int, str],
    fine: int = 4,
) -> str:
    """Areas of equal colour, from values between the grid's points too; neighbours of a row with one colour are one area."""
    across, upwards = _refined(list(xs), fine), _refined(list(ys), fine)
    paths: dict[int, list[str]] = {}
    for j, (y0, y1) in enumerate(itertools.pairwise(upwards)):
        cells = [_between(values, i, j, fine) for i in range(len(across) - 1)]
        row = [UNKNOWN if math.isnan(cell) else band(cell) for cell in cells]
        low, high = frame.y(y1), frame.y(y0)
        start = 0
        for level, group in itertools.groupby(row):
            count = len(list(group))
            x0, x1 = frame.x(across[start]), frame.x(across[start + count])
            if level != UNKNOWN:
                paths.setdefault(level, []).append(f"M{x0:.1f} {low:.1f}H{x1:.1f}V{high:.1f}H{x0:.1f}z")
            start += count
    areas = [f'<path fill="{colours[level]}" d="{"".join(d)}"/>' for level, d in sorted(paths.items())]
    return f'<g shape-rendering="crispEdges">{"".join(areas)}</g>'


def _refined(values: list[float], fine: int) -> list[float]:
    steps = [a + (b - a) * k / fine for a, b in itertools.pairwise(values) for k in range(fine)]
    return [*steps, values[-1]]


def _between(values: Sequence[Sequence[float]], i: int, j: int, fine: int) -> float:
    """The value in the middle of a small cell, from the four corners of the grid's cell around it."""
    column, right = divmod(i + 0.5, fine)
    row, above = divmod(j + 0.5, fine)
    c, r, s, t = int(column), int(row), right / fine, above / fine
    corners = tuple(float(v) for v in (values[r][c], values[r][c + 1], values[r + 1][c], values[r + 1][c + 1]))
    if any(math.isnan(v) for v in corners):
        return math.nan
    corners = tuple(min(v, LARGEST) for v in corners)
    low, high = corners[0] + (corners[1] - corners[0]) * s, corners[2] + (corners[3] - corners[2]) * s
    return low + (high - low) * t


def _contour(
    frame: _Frame, xs: Sequence[float], ys: Sequence[float], values: Sequence[Sequence[float]], level: float
) -> str:
    """Where values pass a level, cell by cell, as short straight lines."""
    found = []
    for j, i in itertools.product(range(len(ys) - 1), range(len(xs) - 1)):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        crossings = []
        for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
            first, second = float(values[b][a]), float(values[d][c])
            if (first < level) != (second < level) and math.isfinite(first) and math.isfinite(second):
                part = (level - first) / (second - first)
                x, y = xs[a] + (xs[c] - xs[a]) * part, ys[b] + (ys[d] - ys[b]) * part
                crossings.append(f"{frame.x(x):.1f} {frame.y(y):.1f}")
        found += [f"M{a}L{b}" for a, b in zip(crossings[0::2], crossings[1::2])]
    return "".join(found)


def _marks(frame: _Frame, marks: Sequence[tuple[float, float, str]]) -> list[str]:
    parts = []
    for x, y, name in marks:
        left = frame.x(x) > WIDTH * 0.66
        parts.append(
            f'<circle class="k-mark" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4"/>'
            + _text(frame.x(x) + (-8 if left else 8), frame.y(y) - 6, name, "end" if left else "start", " k-halo")
        )
    return parts


def _shade(level: float) -> str:
    """From deep blue (0) over green to yellow (1)."""
    stops = ((0.0, (30, 41, 120)), (0.35, (33, 120, 150)), (0.7, (90, 190, 110)), (1.0, (250, 225, 90)))
    for (a, first), (b, second) in itertools.pairwise(stops):
        if level <= b:
            part = (level - a) / (b - a)
            return "#" + "".join(f"{round(c + (d - c) * part):02x}" for c, d in zip(first, second, strict=True))
    return "#fae15a"


# ---------------------------------------------------------------- answers on two databases


def paired_bars(
    title: str, up: str, bins: Sequence[Mapping[str, Any]], chosen: Sequence[int], description: str = ""
) -> str:
    """Two bars an answer, one for each database; those of the chosen event stand out."""
    longest = max((len(str(b["label"])) for b in bins), default=1)
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(bins))
    tilted = longest * 6.4 > slot
    height = HEIGHT + (min(longest, 26) * 4 if tilted else 0)
    top = max([b["p1"] for b in bins] + [b["p2"] for b in bins] + [1e-9]) * 1.06
    frame = _frame([0.0, float(len(bins))], [0.0, top], False, False)
    parts = _axes(frame, "", up, across_ticks=False)
    base = HEIGHT - BOTTOM
    for place, item in enumerate(bins):
        x = LEFT + slot * place
        parts.append(_pair(place, not chosen or place in chosen, x + slot * 0.14, slot * 0.36, frame, item))
        middle, label = x + slot / 2, _shorten(str(item["label"]), 26)
        if tilted:
            parts.append(
                f'<text class="k-text" transform="translate({middle + 3:.1f} {base + 12}) rotate(-38)" '
                f'text-anchor="end">{escape(label)}</text>'
            )
        else:
            parts.append(_text(middle, base + 16, label, "middle"))
    return _document(title, description, [*parts, *_sides(height - 10)], False, height)


def histogram(
    title: str, across: str, up: str, bins: Sequence[Mapping[str, Any]], chosen: Sequence[int], description: str = ""
) -> str:
    """Two histograms over the same ranges; those of the chosen event stand out. The first and last range are open."""
    inner = [b["low"] for b in bins if b.get("low") is not None]
    step = inner[1] - inner[0] if len(inner) > 1 else 1.0
    ends = [
        (
            b["low"] if b["low"] is not None else b["high"] - step,
            b["high"] if b["high"] is not None else b["low"] + step,
        )
        for b in bins
    ]
    top = max([b["p1"] for b in bins] + [b["p2"] for b in bins] + [1e-9]) * 1.06
    frame = _frame([ends[0][0], ends[-1][1]], [0.0, top], False, False)
    parts = _axes(frame, across, up)
    for place, (item, (low, high)) in enumerate(zip(bins, ends, strict=True)):
        x0, x1 = frame.x(low), frame.x(high)
        parts.append(_pair(place, not chosen or place in chosen, x0 + (x1 - x0) * 0.06, (x1 - x0) * 0.44, frame, item))
    return _document(title, description, [*parts, *_sides(HEIGHT + 6)], False, HEIGHT + 16)


def _pair(place: int, inside: bool, x: float, wide: float, frame: _Frame, item: Mapping[str, Any]) -> str:
    base, bars = HEIGHT - BOTTOM, []
    for side, key in enumerate(("p1", "p2")):
        y = frame.y(item[key])
        bars.append(
            f'<rect class="k-bar k-f{side}" x="{x + side * wide:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{base - y:.1f}"/>'
        )
    hover = f"{item['label']}: {item['p1']:.4g} on d1, {item['p2']:.4g} on d2"
    chosen = " k-in" if inside else ""
    return f'<g class="k-pair{chosen}" data-bin="{place}"><title>{escape(hover)}</title>{"".join(bars)}</g>'


def _sides(y: float) -> list[str]:
    return [
        f'<rect class="k-f0" x="{LEFT}" y="{y - 9}" width="12" height="10"/>' + _text(LEFT + 17, y, "on d1"),
        f'<rect class="k-f1" x="{LEFT + 80}" y="{y - 9}" width="12" height="10"/>' + _text(LEFT + 97, y, "on d2"),
    ]


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
