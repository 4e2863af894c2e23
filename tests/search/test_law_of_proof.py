"""The law that a proof takes is the law that is fitted to exact costs, and it is there where nothing can be fitted."""

from __future__ import annotations

import pytest
from tests.programs import read
from tests.search.test_loosening import MIN_MAX

from kolahal.law.law import find_laws, print_rule
from kolahal.roads.law_of_proof import find_law_of_proof
from kolahal.roads.methods import synthesize
from kolahal.settings import Settings
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Everywhere, Proved, Unknown

APART = """
@sketch(adjacent=each_within({distance}))
def f(q: Private, eps: Epsilon, c: int):
    t = Lap(hole)
    out, left = [], c
    for x in q:
        if x + Lap(hole) > t:
            out.append(x + Lap(hole))
            left = left - 1
            if left == 0:
                break
        else:
            out.append(0)
    return out
"""


@pytest.mark.parametrize("name", ["above_threshold_1", "svt", "smart_sum", "noisy_max_1", "exponential_mechanism", "randomized_response"])
def test_it_is_the_fitted_law(name: str) -> None:
    sketch = load_one(name)
    (choice,) = find_law_of_proof(sketch, Settings())
    fitted = find_laws(sketch, Settings().proof)
    assert not isinstance(fitted, Unknown)
    assert print_rule(sketch, choice.laws.rules[0]) == print_rule(sketch, fitted.rules[0])


@pytest.mark.parametrize(
    ("distance", "law"),
    [
        (1, "1/eta1 + 2*c/eta2 + c/eta3 <= eps"),
        (3, "3/eta1 + 6*c/eta2 + 3*c/eta3 <= eps"),
    ],
)
def test_weights_are_multiples_of_the_distance(distance: int, law: str) -> None:
    sketch = read(APART.format(distance=distance))
    (choice,) = find_law_of_proof(sketch, Settings())
    assert print_rule(sketch, choice.laws.rules[0]) == law


@pytest.mark.thorough
def test_the_least_and_the_largest_so_far_have_a_law() -> None:
    """DiPAut's k-Min-Max: what is published is (8, 8, 4). The first answer begins both, so that it costs half as much."""
    sketch = read(MIN_MAX)
    found = synthesize(sketch)
    assert found.law is not None and found.law.text == "4/eta2 + 2/eta3 <= eps and 2/eta1 + 2/eta2 + 2/eta3 <= eps"
    best = found.judged[0]
    assert isinstance(best.verdict, Proved) and isinstance(best.verdict.scope, Everywhere)
    assert str(best.ranked.completion) == "(<6/eps>, <6/eps>, <6/eps>)"
