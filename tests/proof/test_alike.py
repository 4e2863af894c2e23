"""Thresholds that may rise together with all private answers: one value of them is searched, wherever it stands."""

from fractions import Fraction

import pytest

from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.paths.explore import explore
from kolahal.paths.state import Paths
from kolahal.proof.refute.alike import at_no_level, find_levels
from kolahal.proof.refute.refute import _searches, survey_losses
from kolahal.settings import Settings

EPS = parse_scale("eps")
HEAD = "from kolahal import *\n\n@sketch(adjacent={})\ndef f({}):\n"
QT, QAB = "q: Private, eps: Epsilon, T: float", "q: Private, eps: Epsilon, a: float, b: float"


def read(body: str, given: str = QT, adjacent: str = "each_within(1)") -> Sketch:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return parse(HEAD.format(adjacent, given) + lines)


def levels(sketch: Sketch, whole: dict[str, Fraction | bool] | None = None) -> frozenset[str]:
    paths = explore(sketch, 3, whole or {}, 300)
    assert isinstance(paths, Paths)
    return find_levels(paths, EPS)


FREE = {
    "a loop": "t = T + Lap(2/eps)\nfor x in q:\n    if x + Lap(4/eps) > t:\n        return True\nreturn False",
    "a difference": "for x in q:\n    if x - T > Lap(4/eps):\n        return True\nreturn False",
    "turned around": "for x in q:\n    if not T - Lap(4/eps) >= x:\n        return True\nreturn False",
    "a list": "t = T + Lap(2/eps)\na = [x + Lap(4/eps) for x in q]\nreturn [y > t for y in a]",
    "a mean of all": "return sum(q) + Lap(4/eps) > T * len(q)",
    "how far above": "for x in q:\n    if x + Lap(4/eps) > T:\n        return x - T + Lap(4/eps)\nreturn 0",
}
BOUND = {
    "a number as well": "for x in q:\n    if x + Lap(4/eps) > T or x > 0:\n        return True\nreturn False",
    "a sum": "return sum(q) + Lap(4/eps) > T",
    "an answer": "for x in q:\n    if x + Lap(4/eps) > T:\n        return x + Lap(4/eps)\nreturn 0",
    "clipped": "return max(min(q[0], T), 0) + Lap(4/eps)",
    "twice": "return q[0] + Lap(4/eps) > 2 * T",
    "asserted": "assert T >= 0\nreturn q[0] + Lap(4/eps) > T",
}


@pytest.mark.parametrize("name", FREE)
def test_a_threshold_may_rise(name: str) -> None:
    assert levels(read(FREE[name])) == {"T"}


@pytest.mark.parametrize("name", BOUND)
def test_a_threshold_may_not_rise(name: str) -> None:
    assert not levels(read(BOUND[name]))


def test_what_noise_depends_on_may_not_rise() -> None:
    assert not levels(read("return q[0] + Lap(T/eps) > T"))


def test_bounds_rise_together_and_not_alone() -> None:
    sketch = read("x = q[0] + Lap(4/eps)\nreturn x > a and x < b", QAB)
    assert levels(sketch) == {"a", "b"}
    settings = [((("a", Fraction(a)), ("b", Fraction(b)))) for a, b in [(0, 0), (5, 5), (0, 1)]]
    same = [at_no_level(Arguments(Fraction(1), 3, values), frozenset("ab"), False) for values in settings]
    assert same[0] == same[1] != same[2]


def test_whole_answers_rise_by_whole_numbers() -> None:
    values = [Arguments(Fraction(1), 3, (("T", Fraction(t)),)) for t in ("0", "7", "1/2")]
    same = [at_no_level(arguments, frozenset("T"), True) for arguments in values]
    assert same[0] == same[1] != same[2]


@pytest.mark.parametrize("given", [QT, "q: Private, eps: Epsilon, T: float = 1000"])
def test_each_size_is_searched_at_one_threshold(given: str) -> None:
    sketch = read(FREE["a loop"], given)
    several = list(enumerate_arguments(sketch, 3, EPS))
    assert len(several) >= 5
    found = [search.arguments.size for search in _searches(sketch, EPS, Settings())]
    assert found == sorted(set(found))
    several = [search.arguments.size for search in _searches(read(BOUND["a sum"], given), EPS, Settings())]
    assert len(several) > 3 * len(set(several))


def test_a_search_goes_as_far_from_a_threshold_that_is_far_out() -> None:
    """Databases around 0 would be out of reach there, and their own threshold is the only one that is searched."""
    near, far = (survey_losses(read(FREE["a loop"], f"{QT} = {t}"), EPS, Settings()) for t in ("0", "1000"))
    assert {size: found.loss for size, found in near.items()} == pytest.approx({size: found.loss for size, found in far.items()}, rel=1e-6)
    assert near[6].example.d1 == tuple(a - 1000 for a in far[6].example.d1)
