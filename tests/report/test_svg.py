"""Pictures: well-formed, named, and true to their numbers."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from kolahal.report.svg import RuledLine, Series, Shade, legend_rows, line_chart, log_ticks, ticks
from kolahal.report.svg_maps import heat_map, histogram, loss_map, paired_bars

HOSTILE = '</svg><script>alert("x")</script> & \' <b>'
NAME = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{NAME}svg" and root.get("role") == "img" and root.get("aria-label")
    assert root[0].tag == f"{NAME}title" and root[0].text
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")
    return root


finite = st.floats(-1e6, 1e6)


@given(finite, st.floats(1e-6, 1e6), st.integers(2, 9))
def test_ticks_are_round_and_inside(low: float, span: float, most: int) -> None:
    high = low + span
    found = ticks(low, high, most)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert len(found) <= most + 1 and found == sorted(found)
    assert all(low - slack <= value <= high + slack for value in found)


@given(st.floats(1e-9, 1e6), st.floats(1.5, 1e9))
def test_ticks_of_a_logarithmic_axis_are_inside(low: float, factor: float) -> None:
    found = log_ticks(low, low * factor)
    assert all(low * 0.999 <= value <= low * factor * 1.001 for value in found)
    assert factor < 10 or found


@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.floats(allow_nan=True, allow_infinity=True)), min_size=1, max_size=20)
)
def test_lines_are_drawn_from_any_numbers(points: list[tuple[float, float]]) -> None:
    for log in (False, True):
        root = parsed(
            line_chart("t", "x", "y", [Series(HOSTILE, tuple(points), dots=True)], log_x=log, log_y=log, heading=False)
        )
        for line in root.iter(f"{NAME}polyline"):
            numbers = [float(n) for n in re.split("[ ,]", line.get("points", ""))]
            assert all(math.isfinite(n) and 0 <= n <= 440 for n in numbers)


def test_a_line_goes_up_where_its_numbers_do() -> None:
    root = parsed(line_chart("t", "x", "y", [Series("s", ((0.0, 1.0), (1.0, 2.0), (2.0, 4.0)))]))
    (line,) = root.iter(f"{NAME}polyline")
    ys = [float(point.split(",")[1]) for point in line.get("points", "").split()]
    assert ys[0] > ys[1] > ys[2] and abs((ys[1] - ys[2]) / (ys[0] - ys[1]) - 2) < 0.02


def test_texts_of_a_stranger_are_escaped() -> None:
    bins = [{"label": HOSTILE, "p1": 0.5, "p2": 0.25, "low": None, "high": 0.0}, {"label": "b", "p1": 0.5, "p2": 0.75, "low": 0.0, "high": None}]  # fmt: skip
    values = [[2.0, 1.5], [0.8, 0.5]]
    for svg in (
        line_chart(
            HOSTILE, HOSTILE, HOSTILE, [], [Shade(HOSTILE, 0, 1)], rules=[RuledLine(HOSTILE, 0.5)], description=HOSTILE
        ),
        heat_map(HOSTILE, HOSTILE, HOSTILE, [0, 1], [0, 1], values, [(0.5, 0.5, HOSTILE)], [(0.5, 0.5)], HOSTILE, HOSTILE),
        loss_map(HOSTILE, HOSTILE, HOSTILE, [0, 1], [0, 1], values, values, [(0.5, 0.5, HOSTILE)], HOSTILE),
        paired_bars(HOSTILE, HOSTILE, bins, [0], HOSTILE),
        histogram(HOSTILE, HOSTILE, HOSTILE, bins, [1], HOSTILE),
    ):
        root = parsed(svg)
        assert root.get("aria-label") == HOSTILE


def test_bars_are_as_high_as_they_are_likely_and_the_event_stands_out() -> None:
    bins = [{"label": str(i), "p1": i / 10, "p2": (4 - i) / 10} for i in range(5)]
    root = parsed(paired_bars("t", "p", bins, [3]))
    pairs = [g for g in root.iter(f"{NAME}g") if g.get("data-bin")]
    heights = [[float(r.get("height", "")) for r in g.iter(f"{NAME}rect")] for g in pairs]
    unit = heights[4][0] / 0.4
    for (first, second), item in zip(heights, bins, strict=True):
        assert abs(first / unit - item["p1"]) < 0.01 and abs(second / unit - item["p2"]) < 0.01
    assert [("k-in" in g.get("class", "")) for g in pairs] == [False, False, False, True, False]


def test_a_rare_event_is_seen_on_a_logarithmic_scale() -> None:
    """Where its bars would be a line on the axis: equal factors are equal heights then, and what never happens has none."""
    bins = [{"label": str(i), "p1": p, "p2": p / 2} for i, p in enumerate((0.5, 0.01, 0.001, 0.0))]
    root = parsed(paired_bars("t", "probability", bins, [2]))
    first, second, third, none = [
        [float(r.get("height", "")) for r in g.iter(f"{NAME}rect")] for g in root.iter(f"{NAME}g") if g.get("data-bin")
    ]
    steps = [a - b for a, b in (first, second, third)]
    assert third[1] > 5 and max(steps) - min(steps) < 0.2 and none == [0, 0]
    assert "probability, on a logarithmic scale" in "".join(root.itertext())
    assert "logarithmic" not in paired_bars("t", "probability", bins, [0])


def test_open_ends_of_a_histogram_are_named() -> None:
    edges = [None, 0.0, 1.0, None]
    labels = ["below 0", "0 to 1", "1 and more"]
    bins = [{"label": n, "p1": 0.3, "p2": 0.3, "low": a, "high": b} for n, a, b in zip(labels, edges, edges[1:], strict=False)]
    assert "first bar: below 0; last bar: 1 and more" in "".join(parsed(histogram("t", "x", "p", bins, [])).itertext())


def test_the_contour_is_where_the_law_is_met() -> None:
    """1/x + 2/y = 1, whose points are known."""
    axis = [0.5 + 0.25 * i for i in range(31)]
    law = [[1 / x + 2 / y for x in axis] for y in axis]
    root = parsed(loss_map("t", "x", "y", axis, axis, law, law))
    (contour,) = [p for p in root.iter(f"{NAME}path") if p.get("class") == "k-contour"]
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", contour.get("d", ""))]
    for px, py in zip(numbers[0::2], numbers[1::2]):
        x = axis[0] + (px - 54) / (440 - 12 - 54) * (axis[-1] - axis[0])
        y = axis[0] + (254 - py) / (254 - 14) * (axis[-1] - axis[0])
        assert abs(1 / x + 2 / y - 1) < 0.03
    assert len(numbers) > 40


def test_legends_keep_every_name_and_fit() -> None:
    names = ["a" * n for n in (5, 40, 10, 3, 30, 66)]
    rows = legend_rows(names)
    assert [place for row in rows for place in row] == list(range(6))
    assert all(sum(34 + 6.2 * len(names[i]) for i in row) <= 440 or len(row) == 1 for row in rows)


def test_a_heat_map_stands_alone_and_says_what_its_colours_are() -> None:
    root = parsed(heat_map("t", "x", "y", [0, 1], [0, 1], [[2.0, 1.5], [0.8, 0.5]], (), [(0.5, 0.5)], "members", "gap"))
    assert root.findall(f"{NAME}style")
    texts = [text.text for text in root.iter(f"{NAME}text")]
    assert {"0.5", "2", "gap", "members"} <= set(texts)
