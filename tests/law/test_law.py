"""Laws are derived from costs at small sizes, and say which completions of a grammar are private and tight."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import programs
from costs import find_cost
from kolahal.lang.polynomial import Polynomial, is_at_most_one
from kolahal.lang.scale import NO_NOISE, Scale, parse_scale
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.law.cost import build_case
from kolahal.law.law import Laws, find_laws
from kolahal.law.pricing import least_completions, tight_completions
from kolahal.proof.trusted.passages import SizedProgram
from kolahal.results import Law
from kolahal.search.completions import scales_at
from kolahal.search.grammar import enumerate_scales
from kolahal.settings import ProofSettings, Settings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown

SETTINGS = ProofSettings()

LAWS = {
    # design.md, section 4
    "histogram": "1/eta1 <= eps",
    "sum": "1/eta1 <= eps",
    "noisy_max_1": "2/eta1 <= eps",
    "noisy_max_2": "2/eta1 <= eps",
    "exp_noisy_max": "2/eta1 <= eps",
    "smart_sum": "1/eta1 + 1/eta2 <= eps",
    "svt": "1/eta1 + 2*N/eta2 <= eps",
    "above_threshold_1": "1/eta1 + 2/eta2 <= eps",
    "above_threshold_2": "1/eta1 + 2/eta2 <= eps",
    # peers.md, part A, section 5
    "gap_svt": "1/eta1 + 2*N/eta2 <= eps",
    "numeric_svt": "1/eta1 + 2*N/eta2 + N/eta3 <= eps",
    "svt_monotone": "1/eta1 + N/eta2 <= eps",
    "noisy_max_one": "1/eta1 <= eps",
    "noisy_max_monotone": "1/eta1 <= eps",
    "noisy_max_value": "len(q)/eta1 <= eps",
    "partial_sum": "1/eta1 <= eps",
    "partial_sum_each": "len(q)/eta1 <= eps",
    "prefix_sum": "1/eta1 <= eps",
    "histogram_each": "len(q)/eta1 <= eps",
    # our own
    "svt_redraws": "1/eta1 + 2*N/eta2 + (N - 1)/eta3 <= eps",
    "svt_releases_value": "len(q)/eta2 <= eps",
    "svt_without_limit": "len(q)/eta2 <= eps",
    "noisy_min": "2/eta1 <= eps and 2/eta2 <= eps",
    "weighted_sum": "2/(3*eta1) <= eps",
    "histogram_sum": "2/eta1 <= eps",
    "largest_of_two": "1/eta1 + 1/eta2 <= eps",
    "two_noises": "1/eta1 <= eps",
    "uses_epsilon": "1/eta1 + 2/eta2 <= eps",
    "skips_query": "1/eta1 + 2/eta2 <= eps",
    "leaks_noisy_sign": "2/eta1 <= eps",
}


def load(name: str) -> Sketch:
    return load_one(name) if name in GALLERY else programs.load(name)


def find_law(sketch: Sketch, settings: ProofSettings) -> Law | Unknown:
    laws = find_laws(sketch, settings)
    return laws if isinstance(laws, Unknown) else laws.law(sketch)


def laws_of(sketch: Sketch) -> Laws:
    laws = find_laws(sketch, SETTINGS)
    assert isinstance(laws, Laws)
    return laws


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_found(name: str) -> None:
    law = find_law(load(name), SETTINGS)
    assert isinstance(law, Law)
    assert law.text == LAWS[name]
    assert len(law.sizes) >= 3


@pytest.mark.parametrize(
    ("name", "alternatives"),
    [
        ("above_threshold_2", {"len(q)/eta2 <= eps", "len(q)/eta3 <= eps"}),
        ("noisy_max_2", {"(len(q) - 1)/eta2 <= eps"}),
        ("exp_noisy_max", set()),  # one-sided noise on a number that can fall hides nothing
        ("two_noises", {"1/eta2 <= eps"}),
    ],
)
def test_other_ways_to_be_private_are_kept(name: str, alternatives: set[str]) -> None:
    law = find_law(load(name), SETTINGS)
    assert isinstance(law, Law)
    assert set(law.alternatives) == alternatives


@pytest.mark.parametrize("name", ["svt_without_query_noise", "exp_noisy_max_value", "leaks_sign", "leaks_all"])
def test_what_cannot_be_private_has_no_law(name: str) -> None:
    law = find_law(load(name), SETTINGS)
    assert isinstance(law, Unknown)
    assert law.reason


def test_a_law_does_not_know_names() -> None:
    text = (
        programs.TEXTS["svt_monotone"].replace("svt_monotone", "histogram").replace("N", "limit").replace("q", "data")
    )
    law = find_law(programs.read(text.replace("eps:", "epsilon:")), SETTINGS)
    assert isinstance(law, Law)
    assert law.text == "1/eta1 + limit/eta2 <= epsilon"


@pytest.mark.parametrize("name", ["above_threshold_2", "svt", "smart_sum", "noisy_max_2"])
def test_the_least_completions_are_all_that_matter(name: str) -> None:
    sketch = load_one(name)
    laws = find_laws(sketch, SETTINGS)
    assert isinstance(laws, Laws)
    scales = scales_at(range(len(sketch.holes)), sketch, Settings())
    whole = {p.completion for p in tight_completions(sketch, laws, itertools.product(*scales)) if p.minimal}
    least = tuple(least_completions(sketch, laws, scales))
    assert whole == {p.completion for p in tight_completions(sketch, laws, least) if p.minimal}
    assert 0 < len(least) < len(scales[0]) ** len(scales)


def test_a_law_may_grow_with_the_square_of_the_length() -> None:
    text = programs.TEXTS["partial_sum"].replace("one_within", "each_within")
    head, _, _ = text.partition("    s = 0")
    body = "    s = 0\n    out = []\n    for x in q:\n        s = s + x\n        out.append(s + Lap(hole))\n    return out\n"
    law = find_law(programs.read(head + body), SETTINGS)
    assert isinstance(law, Law)
    assert law.text == "len(q)*(len(q) + 1)/(2*eta1) <= eps"


def test_a_fixed_scale_takes_its_share() -> None:
    sketch = programs.read(programs.TEXTS["partial_sum"].replace("s + Lap(hole)", "[s + Lap(4/eps), s + Lap(hole)]"))
    law = find_law(sketch, SETTINGS)
    assert isinstance(law, Law)
    assert law.text == "eps/4 + 1/eta1 <= eps"


@pytest.mark.parametrize("name", ["above_threshold_2", "svt", "numeric_svt", "noisy_min", "smart_sum"])
def test_no_cost_is_above_the_law(name: str) -> None:
    sketch = load(name)
    laws = laws_of(sketch)
    for size, count in itertools.product((1, 3, 5), (1, 2)):
        case = build_case(sketch, size, {"N": Fraction(count), "M": Fraction(count)}, SETTINGS)
        assert isinstance(case, SizedProgram)
        cost = find_cost(case, SETTINGS)
        names = {"N": Fraction(count), "M": Fraction(count), sketch.length_name: Fraction(size)}
        for scales in itertools.product((Fraction(1), Fraction(7, 2)), repeat=len(sketch.draws)):
            for rule in laws.rules:
                by_law = max(sum(p.at(names) / scales[s] for s, p in i.coefficients) for i in rule.inequalities)
                assert cost.at(scales) <= by_law


# ---------------------------------------------------------------- completions


def grammar(sketch: Sketch) -> list[Scale]:
    """The paper's, with powers of whole arguments."""
    whole = [p.name for p in sketch.arguments if p.type is Type.INT]
    found = [NO_NOISE]
    for number, length, epsilon in itertools.product((1, 2, 3, 4), (0, 1, 2), (1, 2)):
        for powers in itertools.product((0, 1), repeat=len(whole)):
            named = ((sketch.length_name, length), (sketch.epsilon.name, -epsilon), *zip(whole, powers, strict=True))
            found.append(Scale(Fraction(number), named))
    return found


def texts(completion: Completion) -> tuple[str | None, ...]:
    return tuple(str(scale) if scale else None for scale in completion)


@pytest.mark.parametrize(
    ("name", "tight"),
    [
        ("histogram", {("1/eps",)}),
        ("sum", {("1/eps",)}),
        ("noisy_max_1", {("2/eps",)}),
        ("noisy_max_2", {("2/eps", None), (None, "len(q)/eps")}),
        ("exp_noisy_max", {("2/eps", None)}),
        ("smart_sum", {("2/eps", "2/eps")}),
        ("svt", {("2/eps", "4*N/eps"), ("3/eps", "3*N/eps"), (None, "len(q)/eps")}),
        ("above_threshold_1", {("2/eps", "4/eps"), ("3/eps", "3/eps"), (None, "len(q)/eps")}),
        (
            "above_threshold_2",
            {
                ("2/eps", "4/eps", None),
                ("3/eps", "3/eps", None),
                (None, None, "len(q)/eps"),
                (None, "len(q)/eps", None),
            },
        ),
    ],
)
def test_the_tight_completions_of_the_whole_grammar(name: str, tight: set[tuple[str | None, ...]]) -> None:
    sketch = load(name)
    scales = grammar(sketch)
    found = tight_completions(sketch, laws_of(sketch), itertools.product(scales, repeat=len(sketch.holes)))
    assert {texts(priced.completion) for priced in found if priced.minimal} == tight
    assert all(priced.worst <= 1 for priced in found)
    assert set(GALLERY[name].textbook) <= tight


@pytest.mark.parametrize(
    ("name", "scales"),
    [
        ("above_threshold_1", ("3/eps", "2/eps")),
        ("above_threshold_1", ("1/eps", "4/eps")),
        ("above_threshold_1", ("2/eps", "3/eps")),
        ("above_threshold_1", ("2/eps", "4/eps**2")),  # too much for large ε
        ("above_threshold_1", ("2/eps", "4")),  # too much for small ε
        ("noisy_max_1", ("1/eps",)),
        ("smart_sum", ("1/eps", "2/eps")),
        ("svt", ("2/eps", "4/eps")),  # too much for N above 1
        ("svt", ("2/eps", None)),
    ],
)
def test_too_little_noise_is_not_within_the_budget(name: str, scales: tuple[str | None, ...]) -> None:
    sketch = load(name)
    completion = tuple(parse_scale(scale) for scale in scales)
    assert not tight_completions(sketch, laws_of(sketch), [completion])


def test_noise_that_made_runs_improbable_may_not_be_switched_off() -> None:
    text = """
@sketch(adjacent=each_within(1))
def p(q: Private, eps: Epsilon):
    x = q[0] + Lap(hole)
    if q[0] + Lap(hole) == 0:
        return 7
    return x
"""
    sketch = programs.read(text)
    laws = laws_of(sketch)
    assert laws.law(sketch).text == "1/eta1 <= eps"
    on, off = (tuple(parse_scale(s) for s in scales) for scales in (("1/eps", "1/eps"), ("1/eps", None)))
    assert [priced.completion for priced in tight_completions(sketch, laws, [on, off])] == [on]


# ---------------------------------------------------------------- polynomials

n, N = Polynomial.name("n"), Polynomial.name("N")
one = Polynomial.constant(Fraction(1))


@pytest.mark.parametrize(
    ("total", "answer"),
    [
        (one, True),
        (one.times(Fraction(5, 4)), False),
        ((n + one.times(Fraction(-1))).divided(parse_scale("n")), True),
        ((n + one).divided(parse_scale("n")), False),
        (n.divided(parse_scale("2*n")) + N.divided(parse_scale("2*N")), True),
        (n, False),
        (N.divided(parse_scale("n")), False),
    ],
)
def test_at_most_one_for_all_whole_numbers(total: Polynomial, answer: bool) -> None:
    assert is_at_most_one(total) == answer


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-2, 2), st.integers(-2, 2)), max_size=4))
def test_at_most_one_is_never_said_wrongly(parts: list[tuple[int, int, int]]) -> None:
    total = Polynomial.constant(Fraction(0))
    for coefficient, a, b in parts:
        total += one.divided(Scale(Fraction(1), (("n", a), ("N", b)))).times(Fraction(coefficient, 3))
    if is_at_most_one(total):
        values = [Fraction(v) for v in (1, 2, 3, 7, 100)]
        assert all(total.at({"n": x, "N": y}) <= 1 for x in values for y in values)


STAIRS = """
@sketch(adjacent=one_within(1))
def f(q: Private, k: int, eps: Epsilon):
    noisy = []
    for i in range(k):
        for j in range(i + 1):
            noisy.append(q[0] + Lap(hole))
    return noisy
"""
PREFIX_SUMS = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    noisy = []
    total = 0
    for x in q:
        total += x
        noisy.append(total + Lap(hole))
    return noisy
"""


@pytest.mark.parametrize(
    ("text", "law", "scale"),
    [
        (STAIRS, "k*(k + 1)/(2*eta1) <= eps", "k*(k + 1)/(2*eps)"),
        (PREFIX_SUMS, "len(q)*(len(q) + 1)/(2*eta1) <= eps", "len(q)*(len(q) + 1)/(2*eps)"),
    ],
)
def test_sums_of_counts_have_their_exact_scale(text: str, law: str, scale: str) -> None:
    sketch = programs.read(text)
    laws = find_laws(sketch, SETTINGS)
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == law
    choices = scales_at({0}, sketch, Settings())
    tight = [priced.completion[0] for priced in tight_completions(sketch, laws, least_completions(sketch, laws, choices))]
    assert parse_scale(scale) in tight and parse_scale(scale) in enumerate_scales(Settings().grammar, sketch)
    costs = dict(tight_completions(sketch, laws, [(parse_scale(scale),)])[0].costs)
    assert set(costs.values()) == {1}


@pytest.mark.parametrize("count", [3, 5, 8])
def test_places_beyond_the_usual_sizes_have_a_law(count: int) -> None:
    items = ", ".join(f"q[{i}] + Lap(hole)" for i in range(count))
    sketch = programs.read(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return [{items}]\n")
    laws = find_laws(sketch, SETTINGS)
    assert not isinstance(laws, Unknown)
    assert laws.law(sketch).text == " + ".join(f"1/eta{i + 1}" for i in range(count)) + " <= eps"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-3, 3)), max_size=4))
def test_what_is_divided_by_the_next_number_is_a_multiple_of_it(terms: list[tuple[int, int, int]]) -> None:
    k, n = Polynomial.name("k"), Polynomial.name("n")
    one = Polynomial.constant(Fraction(1))
    total = Polynomial(())
    for i, j, c in terms:
        term = Polynomial.constant(Fraction(c))
        for factor, times in ((k, i), (n, j)):
            for _ in range(times):
                term = term * factor
        total = total + term
    assert (total * (k + one)).without_next("k") == (total if total else None)
    quotient = total.without_next("k")
    assert quotient is None or quotient * (k + one) == total
    product = total.as_product()
    at = {"k": Fraction(3), "n": Fraction(5)}
    assert product is None or product.at(at) == total.at(at)


def test_next_numbers_are_known_to_be_larger() -> None:
    def total(*shares: str) -> Polynomial:
        one = Polynomial.constant(Fraction(1))
        return sum((one.divided(parse_scale(share)) for share in shares), Polynomial(()))

    assert is_at_most_one(total("2", "k*(k + 1)")) and is_at_most_one(total("k + 1", "2"))
    assert not is_at_most_one(total("3/2", "k*(k + 1)")) and not is_at_most_one(total("k", "k + 1"))
    assert parse_scale("2/eps").compare(parse_scale("k*(k + 1)/eps")) == -1
    assert parse_scale("k*(k + 1)/(2*eps)").compare(parse_scale("k**2/eps")) == -1
    assert parse_scale("k*(k + 1)/(2*eps)").compare(parse_scale("k/eps")) == 1
    assert parse_scale("3/eps").compare(parse_scale("(k + 1)/eps")) is None
