"""The data of the report's pictures: losses that were found never exceed the law, and probabilities add up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.lang.polynomial import Polynomial
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.law.law import Laws, find_laws
from kolahal.law.pricing import tight_completions
from kolahal.model import Arguments, Equals, Example, Split, Within
from kolahal.pictures.outputs import picture_pair
from kolahal.pictures.result import hard_pairs
from kolahal.pictures.scales import error_curves, landscape, law_at, law_cost, loss_curves
from kolahal.pictures.subject import Subject
from kolahal.proof.refute.refute import best_lower_bound, survey_losses
from kolahal.results import LawInequality, LowerBound, Rule
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown

EPS = parse_scale("eps")
MIXED = """@sketch(adjacent=one_within(1))
def mixed(q: Private, eps: Epsilon):
    s = q[0] + Lap(1/eps)
    if s > 2:
        return None
    return s
"""
TOTAL = """@sketch(adjacent=one_within(1))
def total(q: Private, eps: Epsilon):
    s = Lap(hole)
    for x in q:
        s = s + x
    return s
"""
NUMERIC = """@sketch(adjacent=each_within(1))
def numeric(q: Private, eps: Epsilon):
    r = []
    for x in q:
        y = x + Lap(2/eps)
        if y > 1:
            r.append(y)
        else:
            r.append(None)
    if q[0] + Lap(2/eps) > 0:
        r.append(True)
    return r
"""


def bound_of(about: Subject, completion: Completion) -> LowerBound | None:
    program = about.program(completion)
    return best_lower_bound(program, EPS, survey_losses(program, EPS, about.settings))


def subject(name: str) -> Subject:
    sketch, settings = load_one(name), Settings()
    return Subject(sketch, EPS, find_laws(sketch, settings.proof).rules[:1], settings)


def rule(*inequalities: dict[int, Polynomial]) -> Rule:
    return Rule(tuple(LawInequality(tuple(weights.items())) for weights in inequalities))


@given(st.floats(0.1, 50), st.floats(0.1, 50), st.integers(1, 9), st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(5, 2)]))
def test_a_law_is_arithmetic(a: float, b: float, n: int, eps: Fraction) -> None:
    """1/η1 + 2N/η2 ≤ ε; two inequalities that both must hold; two rules of which one is enough."""
    one, many = Polynomial.constant(Fraction(1)), Polynomial.name("N").times(Fraction(2))
    less = Polynomial.name("len(q)") + Polynomial.constant(Fraction(-1))
    arguments = Arguments(eps, 7, (("T", Fraction(0)), ("N", Fraction(n))))

    def cost(*rules: Rule) -> float:
        found = law_at(Subject(load_one("svt"), EPS, rules, Settings()), arguments, np.array([[a, b]]))
        assert found is not None and found.shape == (1,)
        return float(found[0])

    assert math.isclose(cost(rule({0: one, 1: many})), (1 / a + 2 * n / b) / eps)
    assert math.isclose(cost(rule({0: one}, {1: less})), max(1 / a, 6 / b) / eps)
    assert math.isclose(cost(rule({0: one}), rule({1: one})), min(1 / a, 1 / b) / eps)


def test_without_a_law_there_is_no_cost() -> None:
    about = Subject(load_one("sum"), EPS, (), Settings())
    assert law_at(about, Arguments(Fraction(1), 3), np.ones((1, 1))) is None


def test_a_scale_that_is_fixed_takes_its_share_of_the_law() -> None:
    sketch = parse(TOTAL.replace("return s", "return [s, s + Lap(4/eps)]"))
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown)
    found = law_at(Subject(sketch, EPS, laws.rules, Settings()), Arguments(Fraction(1, 2), 3), np.array([[4.0], [0.0]]))
    assert found is not None and found.tolist() == [laws_cost(laws, sketch, "2/eps"), math.inf]


def laws_cost(laws: Laws, sketch: Sketch, scale: str) -> float:
    """What the grammar's own arithmetic says."""
    (priced,) = tight_completions(sketch, laws, [(parse_scale(scale),)])
    return float(priced.worst)


def test_silence_and_other_powers_of_epsilon_cost_infinitely_much() -> None:
    about = subject("above_threshold_1")
    split = Split((Arguments(Fraction(1, 2), 5, (("T", Fraction(1)),)),), ())
    costs = [law_cost(about, tuple(map(parse_scale, c)), split) for c in (("2/eps", "4/eps"), ("2/eps", "2/eps"), (None, "4/eps"), ("2/eps**2", "4/eps"))]  # fmt: skip
    assert costs == [1.0, 1.5, math.inf, math.inf]


@pytest.mark.parametrize("name", GALLERY)
def test_opening_the_scales_of_a_program_loses_nothing(name: str) -> None:
    sketch = load_one(name)
    filled = sketch.complete(*["3/eps"] * len(sketch.holes)).filled()
    opened = filled.opened()
    assert len(opened.sketch.holes) == len(filled.draws) and opened.filled() == filled


@pytest.mark.parametrize(("name", "scales"), [("above_threshold_1", ("2/eps", "4/eps")), ("noisy_max_1", ("2/eps",)), ("smart_sum", ("2/eps", "2/eps"))])  # fmt: skip
def test_losses_that_were_found_are_below_the_law(name: str, scales: tuple[str, ...]) -> None:
    """Pictures of a lower and an upper bound, computed by integration and by linear programs: they must not cross."""
    about = subject(name)
    completion = tuple(map(parse_scale, scales))
    bound = bound_of(about, completion)
    hard = hard_pairs(about, completion, bound)
    assert bound is not None and hard[-1] == bound.example
    for example in hard:
        assert about.sketch.adjacency.related(example.d1, example.d2)
    drawn = loss_curves(about, completion, hard)
    assert drawn is not None and drawn["exact"] and len(drawn["curves"]) == len(scales)
    middle = len(drawn["factors"]) // 2
    for curve in drawn["curves"]:
        assert all(f <= u * 1.001 for f, u in zip(curve["found"], curve["law"], strict=True))
        assert 0.99 <= curve["found"][middle] <= curve["law"][middle] == 1.0
        assert curve["law"] == sorted(curve["law"], reverse=True)
    plane = landscape(about, completion, hard, [completion])
    assert (plane is None) == (len(scales) == 1)
    if plane is not None:
        found, law = np.array(plane["found"]), np.array(plane["law"])
        assert found.shape == law.shape == (41, 41) and (found <= law * 1.001).all() and plane["marks"][0]["rank"] == 1


def test_a_tame_pair_is_almost_as_hard_and_far_less_rare() -> None:
    about, completion = subject("above_threshold_1"), (parse_scale("2/eps"), parse_scale("4/eps"))
    bound = bound_of(about, completion)
    tame, hardest = hard_pairs(about, completion, bound)
    losses = []
    for example in (tame, hardest):
        own = picture_pair(about, completion, example, "hard")["events"][0]
        losses.append((abs(math.log(own["p1"] / own["p2"])), own["p1"]))
    assert losses[0][0] >= 0.89 * losses[1][0] and losses[0][1] > 1e-3 > losses[1][1]


def pair_of(text: str, d1: tuple[int, ...], d2: tuple[int, ...], event) -> dict:
    opened = parse(text).opened()
    example = Example(tuple(map(Fraction, d1)), tuple(map(Fraction, d2)), event, Arguments(Fraction(1), len(d1)))
    return picture_pair(Subject(opened.sketch, EPS, (), Settings()), opened.completion, example, "hard")


def test_the_bars_of_all_answers_add_up() -> None:
    about, completion = subject("noisy_max_1"), (parse_scale("2/eps"),)
    example = Example((Fraction(0),) * 3, (Fraction(1),) * 3, Equals(Fraction(2)), Arguments(Fraction(1), 3))
    drawn = picture_pair(about, completion, example, "hard")
    assert drawn["kind"] == "answers" and drawn["runs"] is None and drawn["allowed"] == 1.0
    assert [b["label"] for b in drawn["bins"]] == ["1", "2", "3"]
    for key in ("p1", "p2"):
        assert math.isclose(sum(b[key] for b in drawn["bins"]), 1, abs_tol=1e-3)
    assert drawn["events"][0]["bins"] == [1] and all(math.isclose(b["p1"], 1 / 3, rel_tol=1e-3) for b in drawn["bins"])


def test_a_histogram_counts_all_runs_and_its_events_are_integrated() -> None:
    drawn = pair_of(MIXED, (0,), (1,), Within(Fraction(1), None))
    assert drawn["kind"] == "histogram" and drawn["runs"] == 100_000
    for key, other in zip(("p1", "p2"), drawn["other"], strict=True):
        total = sum(b[key] for b in drawn["bins"])
        # The share of None is 1 − F(2) on d1 = 0, and on d2 = 1 that of 1; five standard errors: one false alarm in 10^6.
        assert math.isclose(total + other, 1, abs_tol=1e-3)
    assert abs(drawn["other"][0] - math.exp(-2) / 2) < 5 * math.sqrt(0.07 / 100_000)
    own = drawn["events"][0]
    assert own["exact"] and math.isclose(own["p1"], (math.exp(-1) - math.exp(-2)) / 2, rel_tol=1e-3)
    assert all(drawn["bins"][i]["low"] is None or drawn["bins"][i]["low"] >= 1 for i in own["bins"])


def test_lists_of_several_forms_are_told_apart_by_their_form() -> None:
    drawn = pair_of(NUMERIC, (1, 0), (0, 1), Equals((None, None)))
    assert drawn == pair_of(NUMERIC, (1, 0), (0, 1), Equals((None, None))), "the same pictures every time"
    labels = {b["label"] for b in drawn["bins"]}
    assert "[a number, None, True]" in labels and len(labels) == 8
    assert math.isclose(sum(b["p1"] for b in drawn["bins"]), 1, abs_tol=1e-3)


def test_errors_fall_with_epsilon() -> None:
    about = Subject(parse(TOTAL), EPS, (), Settings())
    drawn = error_curves(about, [(parse_scale("1/eps"),), (parse_scale("2/eps"),)], Arguments(Fraction(1), 5))
    assert drawn is not None and drawn["kind"] == "distance"
    small, large = (curve["errors"] for curve in drawn["curves"])
    assert small == sorted(small, reverse=True)
    # Noise is shared, so twice the scale is twice the error, exactly up to printing.
    assert all(math.isclose(2 * a, b, rel_tol=2e-3) for a, b in zip(small, large, strict=True))
    # The mean of |Laplace| of scale 1/ε is 1/ε; 4096 runs have a standard error of 1.6 %, and five of them are 1 in 10^6.
    assert all(math.isclose(e, 1 / eps, rel_tol=0.08) for e, eps in zip(small, drawn["epsilons"], strict=True))
