"""Scales go with how far answers move: no grammar of small whole coefficients stands between a law and its scales."""

import math
from fractions import Fraction

import pytest

from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.results import Synthesis
from kolahal.roads.methods import synthesize
from kolahal.search.grammar import degree_of, enumerate_scales, scale_range
from kolahal.settings import Grammar
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Proved

ABOVE = "t = T + Lap(hole)\n    for i in range(len(q)):\n        if q[i] + Lap(hole) > t:\n            return i\n    return -1"
PREFIX = "s = 0\n    out = []\n    for x in q:\n        s = s + x\n        out.append(s + Lap(hole))\n    return out"


def read(body: str, header: str = "q: Private", relation: str = "each_within(1)") -> Sketch:
    return parse(f"from kolahal import *\n@sketch(adjacent={relation})\ndef f({header}, eps: Epsilon):\n    {body}\n")


def scales(found: Synthesis) -> tuple[str, ...]:
    assert found.best is not None
    return tuple(str(scale) for scale in found.best.ranked.completion)


def times(factor: Fraction, completion: Completion) -> Completion:
    return tuple(Scale(factor * scale.coefficient, scale.powers) for scale in completion)


@pytest.mark.parametrize(
    ("distance", "header", "body"),
    [
        ("0.01", "q: Private[1]", "return q[0] + Lap(hole)"),
        ("7", "q: Private[1]", "return q[0] + Lap(hole)"),
        ("1/3", "q: Private", "return [x + Lap(hole) for x in q]"),
        ("0.01", "q: Private, T: float", ABOVE),
    ],
)
def test_neighbours_twice_as_far_apart_need_twice_the_noise(distance: str, header: str, body: str) -> None:
    one, far = (synthesize(read(body, header, f"each_within({d})")) for d in ("1", distance))
    assert one.best and far.best and isinstance(far.best.verdict, Proved)
    expected = {times(Fraction(distance), judged.ranked.completion) for judged in one.judged}
    assert {judged.ranked.completion for judged in far.judged} == expected


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_the_other_methods_see_the_distance_too(method: str) -> None:
    assert scales(synthesize(read("return q[0] + Lap(hole)", "q: Private[1]", "one_within(0.01)"), method=method)) == ("1/(100*eps)",)


@pytest.mark.parametrize("weights", [("0.5", "0.3", "7"), ("13",), ("1/3", "1/7"), ("0.001", "-0.02")])
def test_a_single_hole_gets_its_exact_scale(weights: tuple[str, ...]) -> None:
    total = " + ".join(f"{weight} * q[{place}]" for place, weight in enumerate(weights))
    found = synthesize(read(f"return {total} + Lap(hole)", f"q: Private[{len(weights)}]", "each_within(0.7)"))
    exact = Fraction("0.7") * sum(abs(Fraction(weight)) for weight in weights)
    assert found.best and found.best.ranked.completion == (Scale(exact, (("eps", -1),)),)
    assert isinstance(found.best.verdict, Proved)


@pytest.mark.parametrize("count", [3, 5])
def test_equal_releases_share_alike(count: int) -> None:
    found = synthesize(read("return " + ", ".join(f"q[{i}] + Lap(hole)" for i in range(count)), f"q: Private[{count}]"))
    assert scales(found) == (f"{count}/eps",) * count and found.best and isinstance(found.best.verdict, Proved)


@pytest.mark.parametrize("weights", [(10, 1), (5, 3, 1), (1, 2, 5, 10, 17)])
def test_unequal_releases_share_as_the_roots_of_their_weights_within_a_hundredth(weights: tuple[int, ...]) -> None:
    """Σ η is least under Σ w/η ≤ ε where η goes as √w, and is (Σ √w)²/ε there."""
    body = "return " + ", ".join(f"{w} * q[{i}] + Lap(hole)" for i, w in enumerate(weights))
    found = synthesize(read(body, f"q: Private[{len(weights)}]"))
    assert found.best and isinstance(found.best.verdict, Proved)
    total = sum(scale.coefficient for scale in found.best.ranked.completion)
    assert 1 <= float(total) / sum(map(math.sqrt, weights)) ** 2 <= 1.01


@pytest.mark.parametrize(
    ("method", "header", "body", "law", "scale"),
    [
        ("auto", "q: Private[1], k: int", "s = 0\n    for i in range(k):\n        s = s + (i + 1) * q[0]\n    return s + Lap(hole)", "k*(k + 1)/(2*eta1) <= eps", "k*(k + 1)/(2*eps)"),
        ("exact", "q: Private[1], k: int", "return k * k * q[0] + Lap(hole)", "k**2/eta1 <= eps", "k**2/eps"),
        ("auto", "q: Private", PREFIX, "len(q)*(len(q) + 1)/(2*eta1) <= eps", "len(q)*(len(q) + 1)/(2*eps)"),
    ],
)  # fmt: skip
def test_squares_are_reached(method: str, header: str, body: str, law: str, scale: str) -> None:
    found = synthesize(read(body, header), method=method)
    assert found.law is not None and found.law.text == law and scales(found) == (scale,)


def test_degrees_are_read_from_the_text() -> None:
    nested = "s = 0\n    for i in range(k):\n        for j in range(i):\n            s = s + q[0]\n    return s + Lap(hole)"
    assert degree_of(read(nested, "q: Private, k: int"), "k") == 2
    assert degree_of(read("return k * q[0] + Lap(hole)", "q: Private, k: int"), "k") == 1
    assert degree_of(read(PREFIX), "len(q)") == 2
    assert degree_of(read(ABOVE, "q: Private, T: float"), "len(q)") == 1
    assert [degree_of(load_one(name), "N" if name == "svt" else "M") for name in ("svt", "smart_sum")] == [0, 0]


def test_records_move_by_widths_and_counts() -> None:
    header = "rows: Records[Between(0, 60)]"
    body = "return sum(r for r in rows) + Lap(hole), sum(1 for r in rows if r > 5) + Lap(hole)"
    sketch = read(body, header, "add_remove(1)")
    assert move_sizes(sketch) == (1, 60)
    coefficients = {scale.coefficient for scale in enumerate_scales(Grammar(), sketch)} - {0}
    assert coefficients == {1, 2, 3, 4, 60, 120, 180, 240}
    found = synthesize(sketch)
    assert found.law is not None and found.law.text == "60/eta1 + 1/eta2 <= eps"
    assert scales(found)[0].endswith("/eps") and found.best is not None and isinstance(found.best.verdict, Proved)


CLIPPED = (
    "return sum(min(max(x, 0), 1) for x in q) + Lap(hole)",
    "return sum(max(-3, min(-2, x)) for x in q) + Lap(hole)",
    "s = Lap(hole)\n    for x in q:\n        y = x\n        if y > 1:\n            y = 1\n        if y < 0:\n            y = 0\n        s += y\n    return s",
    "s = 0\n    for x in q:\n        s += 1 if x > 1 else (0 if x < 0 else x)\n    return s + Lap(hole)",
    "s = 0\n    for x in q:\n        if x > 1:\n            y = 1\n        else:\n            y = max(x, 0)\n        s += y\n    return s + Lap(hole)",
    "s = 0\n    for x in q:\n        if x > 100:\n            s += 1\n    return s + Lap(hole)",
)


@pytest.mark.parametrize("body", CLIPPED)
def test_what_the_program_leaves_of_a_move_is_in_the_grammar(body: str) -> None:
    assert move_sizes(read(body, relation="one_within(5)")) == (1, 5)
    assert move_sizes(read(body, relation="one_within(1)")) == (1,)


def test_less_is_left_of_a_move_only_where_the_program_says_so() -> None:
    for body in (ABOVE, "return sum(min(x, 1) for x in q) + Lap(hole)", "return sum(min(max(x, 0), 7) for x in q) + Lap(hole)"):
        assert move_sizes(read(body, "q: Private, T: float", "one_within(5)")) == (5,)


def test_the_sampled_and_the_integrated_road_find_the_width_of_a_clip() -> None:
    sketch = read(CLIPPED[0], relation="one_within(5)")
    assert scales(synthesize(sketch, method="exact")) == ("1/eps",)
    assert {str(scale) for scale in enumerate_scales(Grammar(), sketch)} >= {"1/eps", "5/eps"}


def test_what_is_searched_goes_with_the_distance() -> None:
    near, far = (read("return q[0] + Lap(hole)", "q: Private[1]", f"each_within({d})") for d in (1, 50))
    arguments = synthesize(near).split.training[0]
    ranges = [scale_range(sketch, arguments) for sketch in (near, far)]
    assert ranges[1] == tuple(50 * end for end in ranges[0])
