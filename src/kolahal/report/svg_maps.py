"""Maps over two scales, and bars side by side, as SVG text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kolahal.report.safe import escape
from kolahal.report.svg import BOTTOM, HEIGHT, LARGEST, LEFT, RIGHT, WIDTH, Frame, axes, document, lay_out, text_at


def heat_map(
    title: str,
    across: str,
    up: str,
    xs: Sequence[float],
    ys: Sequence[float],
    values: Sequence[Sequence[float]],
    marks: Sequence[tuple[float, float, str]] = (),
    dots: Sequence[tuple[float, float]] = (),
    dot_name: str = "",
    key: str = "",
) -> str:
    """`values[j][i]` at (xs[i], ys[j]); dark is low, lines are levels. `marks` are named points, `dots` those of one name.

    Below stand the colours, with what they stand for.
    """
    frame = lay_out(xs, ys, False, False)
    finite = [v for row in values for v in row if math.isfinite(v)]
    low, high = min(finite), max(finite)
    bands = 24

    def band(value: float) -> int:
        return min(bands - 1, int((min(max(value, low), high) - low) / (high - low or 1) * bands))

    colours = {i: _shade(i / (bands - 1)) for i in range(bands)}
    levels = [low + (high - low) * i / 12 for i in range(1, 12)]
    lines = [f'<path class="k-level" d="{_contour(frame, xs, ys, values, level)}"/>' for level in levels]
    parts = [_fill(frame, xs, ys, values, band, colours), *lines, *axes(frame, across, up)]
    parts += [f'<circle class="k-dot" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="2"/>' for x, y in dots]
    parts += [*_marks(frame, marks), *_bar(low, high, colours, key)]
    if dots:
        parts.append(f'<circle class="k-dot" cx="{LEFT + 3}" cy="{HEIGHT + 46}" r="2"/>' + text_at(LEFT + 10, HEIGHT + 50, dot_name))
    return document(title, "", parts, True, HEIGHT + (56 if dots else 40))


def _bar(low: float, high: float, colours: Mapping[int, str], name: str) -> list[str]:
    """The colours of a heat map from its least value to its largest."""
    wide, top = (WIDTH - LEFT - RIGHT) / len(colours), HEIGHT + 4
    parts = [
        f'<rect x="{LEFT + i * wide:.1f}" y="{top}" width="{wide + 0.3:.1f}" height="9" fill="{colour}"/>'
        for i, colour in sorted(colours.items())
    ]
    ends = ((LEFT, f"{low:.3g}", "start"), ((LEFT + WIDTH - RIGHT) / 2, name, "middle"), (WIDTH - RIGHT, f"{high:.3g}", "end"))
    return parts + [text_at(x, top + 22, text, anchor) for x, text, anchor in ends]


RARE = 0.05  # of the highest bar, below which nothing is seen of one
LOG_WORDS = ", on a logarithmic scale"
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
    frame = lay_out(xs, ys, False, False)
    colours = {i: colour for i, (_, colour) in enumerate(BANDS)}
    parts = [_fill(frame, xs, ys, found, _band, colours), *axes(frame, across, up)]
    if law is not None:
        parts.append(f'<path class="k-contour" d="{_contour(frame, xs, ys, law, 1.0)}"/>')
    parts += [*_marks(frame, marks), *_key(HEIGHT + 8)]
    return document(title, description, parts, False, HEIGHT + 34)


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
            parts.append(text_at(x + wide, top + 21, f"{end:g}", "middle"))
    return [*parts, text_at(LEFT - 6, top + 9, "loss", "end")]


def _fill(
    frame: Frame,
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
    frame: Frame, xs: Sequence[float], ys: Sequence[float], values: Sequence[Sequence[float]], level: float
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


def _marks(frame: Frame, marks: Sequence[tuple[float, float, str]]) -> list[str]:
    parts = []
    for x, y, name in marks:
        left = frame.x(x) > WIDTH * 0.66
        parts.append(
            f'<circle class="k-mark" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="4"/>'
            + text_at(frame.x(x) + (-8 if left else 8), frame.y(y) - 6, name, "end" if left else "start", " k-halo")
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


def paired_bars(
    title: str, up: str, bins: Sequence[Mapping[str, Any]], chosen: Sequence[int], description: str = ""
) -> str:
    """Two bars an answer, one for each database; those of the chosen event stand out."""
    longest = max((len(str(b["label"])) for b in bins), default=1)
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(bins))
    tilted = longest * 6.4 > slot
    height = HEIGHT + (min(longest, 26) * 4 if tilted else 0)
    frame = _room(bins, chosen, 0.0, float(len(bins)))
    parts = axes(frame, "", up + LOG_WORDS if frame.y.log else up, across_ticks=False)
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
            parts.append(text_at(middle, base + 16, label, "middle"))
    return document(title, description, [*parts, *_sides(height - 10)], False, height)


def histogram(
    title: str, across: str, up: str, bins: Sequence[Mapping[str, Any]], chosen: Sequence[int], description: str = ""
) -> str:
    """Two histograms over the same ranges; those of the chosen event stand out. Ranges at the ends that are open are named."""
    inner = [b["low"] for b in bins if b.get("low") is not None]
    step = inner[1] - inner[0] if len(inner) > 1 else 1.0
    ends = [
        (
            b["low"] if b["low"] is not None else b["high"] - step,
            b["high"] if b["high"] is not None else b["low"] + step,
        )
        for b in bins
    ]
    frame = _room(bins, chosen, ends[0][0], ends[-1][1])
    parts = axes(frame, across, up + LOG_WORDS if frame.y.log else up)
    for place, (item, (low, high)) in enumerate(zip(bins, ends, strict=True)):
        x0, x1 = frame.x(low), frame.x(high)
        parts.append(_pair(place, not chosen or place in chosen, x0 + (x1 - x0) * 0.06, (x1 - x0) * 0.44, frame, item))
    ends_of = {"first": bins[0], "last": bins[-1]}
    open_ends = [f"{which} bar: {b['label']}" for which, b in ends_of.items() if b["low"] is None or b["high"] is None]
    parts.append(text_at(LEFT, HEIGHT + 22, "; ".join(open_ends)))
    return document(title, description, [*parts, *_sides(HEIGHT + 6)], False, HEIGHT + 32)


def _room(bins: Sequence[Mapping[str, Any]], chosen: Sequence[int], left: float, right: float) -> Frame:
    """Room for bars; by logarithms where nothing would be seen of the chosen event otherwise."""
    sizes = [max(b["p1"], b["p2"]) for b in bins]
    top = max([*sizes, 1e-9]) * 1.06
    event = max([sizes[place] for place in chosen], default=top)
    if not 0 < event < RARE * top:
        return lay_out([left, right], [0.0, top], False, False)
    least = min(b[side] for b in bins for side in ("p1", "p2") if b[side] > 0)
    return lay_out([left, right], [10.0 ** math.floor(math.log10(least) - 0.01), top], False, True)


def _pair(place: int, inside: bool, x: float, wide: float, frame: Frame, item: Mapping[str, Any]) -> str:
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
        f'<rect class="k-f0" x="{LEFT}" y="{y - 9}" width="12" height="10"/>' + text_at(LEFT + 17, y, "on d1"),
        f'<rect class="k-f1" x="{LEFT + 80}" y="{y - 9}" width="12" height="10"/>' + text_at(LEFT + 97, y, "on d2"),
    ]


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
