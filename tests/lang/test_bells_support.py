"""The support code of Gaussian noise and of chosen places, as the modules they are here: exact laws, roots, and what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from test_runtime import Scripted, Tape, law, program

from kolahal.lang.templates import bells, finite, normals, runtime
from kolahal.logic.normal import delta_bounds

pytestmark = pytest.mark.mutants


class Fixed:
    """Noise that is given as whole numbers, without chances."""

    def __init__(self, *steps: int):
        self.steps, self.asked = list(steps), list[Any]()

    def laplace(self, scale: Fraction) -> int:
        self.asked.append(scale)
        return self.steps.pop(0)

    def below(self, bound: int) -> int:
        self.asked.append(bound)
        return self.steps.pop(0)


def running(monkeypatch: pytest.MonkeyPatch, noise: Any, grid: Fraction) -> Any:
    for module in (bells, normals):
        monkeypatch.setattr(module, "_running", runtime._running, raising=False)
    return runtime._running.set(runtime._Run(noise, grid))


# ---------------------------------------------------------------- chances, and discrete Gaussian noise


@pytest.mark.parametrize("power", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 2)])
def test_a_chance_is_exact(power: Fraction) -> None:
    found, rest = law(lambda sampler: bells._happens(sampler, power), Fraction(1, 4000))
    assert found[True] - 1e-12 <= math.exp(-power) <= found[True] + rest + 1e-12 and rest < Fraction(1, 10)
    assert set(map(type, found)) == {bool}


class Chances(Scripted):
    """Draws Laplace noise and asks for coins from what is given, and notes the chances."""

    def __init__(self, drawn: Sequence[int], heads: Sequence[bool]):
        super().__init__(())
        self.drawn, self.heads, self.asked = list(drawn), list(heads), list[Any]()

    def laplace(self, scale: Fraction) -> int:
        self.asked.append(scale)
        return self.drawn.pop(0)

    def happens(self, above: int, below: int) -> bool:
        self.asked.append(Fraction(above, below))
        return self.heads.pop(0)


@pytest.mark.parametrize(("variance", "width"), [(Fraction(1, 9), 1), (Fraction(1), 2), (Fraction(7, 2), 2), (Fraction(4), 3), (Fraction(40), 7)])
def test_what_is_drawn_is_taken_with_the_chance_that_makes_it_gaussian(variance: Fraction, width: int) -> None:
    """Discrete Laplace noise of scale t is taken with probability exp(-(|k| - variance/t)²/(2·variance)): theirs, with t = ⌊σ⌋ + 1."""
    for drawn in (-3, -1, 0, 2, 5):
        power = (abs(drawn) - variance / width) ** 2 / (2 * variance)
        ones = max(0, math.ceil(power) - 1)
        sampler = Chances([9, drawn], [False, *[True] * (ones + 1)])
        refused = bells._gauss(sampler, variance)
        assert refused == drawn and type(refused) is int
        first = min(Fraction(1), (9 - variance / width) ** 2 / (2 * variance))
        assert sampler.asked == [width, first, width, *[Fraction(1)] * ones, power - ones]
    fixed = Fixed(4)
    assert bells._gauss(fixed, variance) == 4 and fixed.asked == [width], "without chances, what is drawn is taken"


def test_gaussian_noise_lies_on_its_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = Fixed(5, -7, 3)
    token = running(monkeypatch, noise, Fraction(1, 8))
    try:
        assert bells.Gauss(bells.sqrt(Fraction(3, 4))) == Fraction(5, 8)  # a variance of 48 steps
        assert bells.DiscreteGauss(Fraction(5, 2)) == -7 and bells.Gauss(2) == Fraction(3, 8)
        assert [bells.Gauss(0), bells.DiscreteGauss(bells.sqrt(0))] == [0, 0] and not noise.steps
        assert noise.asked == [7, 3, 17]
    finally:
        runtime._running.reset(token)


# ---------------------------------------------------------------- roots


def test_roots_are_computed_with_as_their_squares() -> None:
    root = bells.sqrt(Fraction(2, 3))
    for found, square in (
        (root * 3, 6), (3 * root, 6), (root * root, Fraction(4, 9)), (root / 2, Fraction(1, 6)), (2 / root, 6), (root / bells.sqrt(2), Fraction(1, 3)),
        (Fraction(1, 2) / root, Fraction(3, 8)), (root**3, Fraction(8, 27)), (root**-2, Fraction(9, 4)), (bells.sqrt(0), 0),
    ):  # fmt: skip
        assert isinstance(found, bells._Root) and found.square == square and type(found.square) is Fraction
    for wrong in (True, 0.5, "2", None):
        with pytest.raises(TypeError, match=r"^a scale is not exact$"):
            bells._square(wrong)
        with pytest.raises(ValueError, match=r"^this has no exact root$"):
            bells.sqrt(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^this has no exact root$"):
        bells.sqrt(-1)
    assert bells._square(root) == Fraction(2, 3) and bells._square(3) == 9 and bells._square(Fraction(-1, 2)) == Fraction(1, 4)


@pytest.mark.parametrize("square", [Fraction(2), Fraction(9, 4), Fraction(1, 7), Fraction(10**40 + 1), Fraction(1, 10**40 + 1), Fraction(3, 2**200)])
def test_roots_are_enclosed_closely(square: Fraction) -> None:
    root = bells._Root(square)
    low, high = bells._below(root), bells._above(root)
    bits = max(64, 64 + square.denominator.bit_length() - square.numerator.bit_length())
    assert low == Fraction(math.isqrt(square.numerator * 4**bits // square.denominator), 2**bits) and high == low + low / 2**60
    assert low**2 <= square < high**2 and (1 - Fraction(1, 2**62)) * bells._above(root) < bells._below(root) * (1 + Fraction(1, 2**60))
    assert square < (low * (1 + Fraction(1, 2**62))) ** 2
    assert bells._above(bells.sqrt(0)) == bells._below(bells.sqrt(0)) == bells._below(0) == 0 and bells._below(Fraction(1, 3)) <= Fraction(1, 3)
    exact = bells._above(3)
    assert exact == 3 and type(exact) is Fraction and bells._above(Fraction(1, 3)) == Fraction(1, 3) and bells._above(0) == 0


# ---------------------------------------------------------------- rounded normal noise


def test_digits_are_the_same_however_they_are_asked_for() -> None:
    noise = Fixed(3, 5)
    digits = normals._Digits(noise)
    assert (digits.known, digits.size) == (0, 0)
    digits.more()
    assert (digits.known, digits.size) == (3, 32)
    digits.more()
    assert (digits.known, digits.size) == (3 * 2**32 + 5, 64) and noise.asked == [2**32] * 2


@pytest.mark.parametrize(
    ("own", "other", "slope", "start", "below", "asked"),
    [
        ([3], [5], 1, 0, True, 2),
        ([5], [3], 1, 0, False, 2),
        ([4, 1], [4, 2], 1, 0, True, 4),  # the first digits leave it open
        ([4, 2], [4, 1], 1, 0, False, 4),
        ([2**31], [0, 5], 4, 2, None, 4),  # 4/2 − 2 = 0: what follows decides
        ([2**31 - 1], [0], 4, 2, True, 2),
        ([2**31 + 1], [3], 4, 2, False, 2),
        ([3 * 2**30 - 2], [2**32 - 2], 4, 2, True, 2),
        ([7], [0], 4, 0, False, 2),
        ([7], [27], 4, 0, False, 2),
        ([7], [28, 9], 4, 0, None, 4),
        ([7], [31, 9], 4, 0, None, 4),
        ([7], [32], 4, 0, True, 2),
    ],
)
def test_two_numbers_are_compared_by_as_few_digits_as_will_do(own: list[int], other: list[int], slope: int, start: int, below: bool | None, asked: int) -> None:
    for more in ([0], [2**32 - 1]) if below is None else ([],):
        mine, theirs = Fixed(*own, *more), Fixed(*other)
        one, two = normals._Digits(mine), normals._Digits(theirs)
        found = one.is_below(two, slope, start)
        scale = 2 ** (32 * len(mine.asked))
        low = slope * Fraction(one.known, scale) - start
        assert found == (low + Fraction(slope, scale) <= Fraction(two.known, scale)) and found != (low >= Fraction(two.known + 1, scale))
        assert below is None or found == below
        assert len(mine.asked) + len(theirs.asked) == asked and one.size == two.size
    ready = normals._Digits(Fixed(1, 2, 3))
    ready.more()
    ready.more()
    behind = normals._Digits(Fixed(1, 1))
    assert behind.is_below(ready) and behind.size == 64


class Bits(Fixed):
    """Digits that are given, and then only zeros."""

    def below(self, bound: int) -> int:
        self.asked.append(bound)
        return self.steps.pop(0) if self.steps else 0


HALF, QUARTER, ALMOST = 2**31, 2**30, 2**32 - 5


@pytest.mark.parametrize(
    ("steps", "whole", "taken"),
    [
        ([ALMOST, 9], 0, True),  # the first is not below x = 1/2
        ([HALF + 1, 9], 0, True),
        ([QUARTER, ALMOST], 0, True),  # it is, and the coin says no: 2·u is not below x
        ([QUARTER, 1, ALMOST, 9], 0, False),  # it is, and the coin says yes, and the next is not below it
        ([QUARTER, 1, QUARTER // 2, ALMOST], 0, False),
        ([QUARTER, 1, QUARTER // 2, 1, ALMOST, 9], 0, True),
        ([QUARTER, 1, QUARTER // 2, 1, QUARTER // 4, 1, ALMOST, 9], 0, False),
        ([QUARTER, HALF + 1, ALMOST, 9], 1, False),  # 4·u − 2 is just above 0, and below x
        ([QUARTER, HALF + QUARTER], 1, True),  # 4·u − 2 = 1
        ([QUARTER, QUARTER, ALMOST, 9], 1, False),  # 4·u − 2 is below 0
    ],
)
def test_falling_numbers_are_counted(steps: list[int], whole: int, taken: bool) -> None:
    part = normals._Digits(Fixed(HALF))
    part.more()
    assert normals._accepts(Bits(*steps), whole, part) is taken


def test_it_is_accepted_as_often_as_it_should_be() -> None:
    """Of all pairs of 5-bit digits: exp(-x·(2k + x)/(2k + 2)) within what the digits leave open."""

    class Coarse(Fixed):
        def below(self, bound: int) -> int:
            return self.steps.pop(0) << 27 if self.steps else 0

    def half() -> normals._Digits:
        part = normals._Digits(Coarse(x))
        part.more()
        return part

    for whole, x in itertools.product((0, 1, 2), (8, 24)):
        taken = sum(normals._accepts(Coarse(u, v, 31, 31), whole, half()) for u in range(32) for v in range(32))
        # The second round never goes on, so that it is refused where both of the first are below.
        below = sum(u < x and (2 * whole + 2) * v < x + 2 * whole * 32 for u in range(32) for v in range(32))
        assert abs(taken - (1024 - below)) <= 64


class Ready(Scripted):
    """Coins, digits and signs that are given, and how they were asked for."""

    def __init__(self, coins: Sequence[bool], choices: Sequence[int]):
        super().__init__(tuple(choices))
        self.coins, self.asked, self.below_asked = list(coins), list[Any](), list[int]()

    def happens(self, above: int, below: int) -> bool:
        self.asked.append(Fraction(above, below))
        return self.coins.pop(0)

    def below(self, bound: int) -> int:
        self.below_asked.append(bound)
        return super().below(bound)


def deviate(monkeypatch: pytest.MonkeyPatch, coins: Sequence[bool], accepted: Sequence[bool], choices: Sequence[int], scale: Fraction) -> tuple[int, Ready, list[int]]:
    verdicts, wholes, made = list(accepted), list[int](), list[Ready]()

    def accepts(noise: Any, whole: int, part: Any) -> bool:
        wholes.append(whole)
        assert (part.known, part.size) == (0, 0) and noise is part.noise is made[0]
        return verdicts.pop(0)

    monkeypatch.setattr(normals, "_accepts", accepts)
    noise = Ready(coins, choices)
    made.append(noise)
    found = normals._normal(noise, scale)
    assert not (noise.coins or verdicts or noise.choices)
    assert noise.below_asked == [*[2**32] * (len(choices) - 1), 2]
    return found, noise, wholes


def test_a_deviate_is_a_whole_part_and_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Karney's algorithm N: k with chance exp(-k/2), again with exp(-k(k - 1)/2), then k + 1 times its coin; at last a sign."""
    found, noise, wholes = deviate(monkeypatch, [False], [True], [HALF, 0], Fraction(4))
    assert (found, wholes, noise.asked) == (2, [0], [Fraction(1, 2)]), "4·(0 + 1/2)"
    found, _, wholes = deviate(monkeypatch, [True, False], [True, True], [HALF, 1], Fraction(4))
    assert (found, wholes) == (-6, [1, 1]), "−4·(1 + 1/2)"
    found, noise, wholes = deviate(monkeypatch, [True, True, False, True, True], [True] * 3, [QUARTER, 0], Fraction(8))
    assert (found, wholes, noise.asked) == (18, [2] * 3, [Fraction(1, 2)] * 5), "8·(2 + 1/4)"
    again = [True, True, False, True, False, False]  # 2 is refused by its second coin, then 0
    assert deviate(monkeypatch, again, [True], [HALF, 0], Fraction(4))[0] == 2
    found, _, wholes = deviate(monkeypatch, [True, False, False], [True, False, True], [HALF, 0], Fraction(4))
    assert (found, wholes) == (2, [1, 1, 0]), "all k + 1 must accept it"
    found, _, wholes = deviate(monkeypatch, [True, False, False], [False, True], [HALF, 0], Fraction(4))
    assert (found, wholes) == (2, [1, 0]), "and no more is asked after one that does not"


def test_it_is_rounded_to_the_nearest_whole_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for digits, expected in (([QUARTER - 3], 1), ([QUARTER + 3], 1), ([2**29 - 2], 0), ([2**29], 1), ([3 * 2**29 - 2], 1), ([3 * 2**29], 2), ([5 * 2**29], 3), ([7 * 2**29], 4)):
        assert deviate(monkeypatch, [False], [True], [*digits, 0], Fraction(4))[0] == expected, "4·x, with ties up"
    assert deviate(monkeypatch, [False], [True], [HALF, 7 << 30, 0], Fraction(2**33))[0] == 2**32 + 4, "a large scale needs more digits"
    assert deviate(monkeypatch, [False], [True], [HALF - 1, 5, 0], Fraction(1))[0] == 0
    assert deviate(monkeypatch, [False], [True], [HALF - 1, 5, 1], Fraction(3))[0] == -1
    third = deviate(monkeypatch, [False], [True], [715827882, 2863311531, 0], Fraction(3))
    assert third[0] == 1, "3·x just above one half needs a second look"


def test_normal_noise_lies_on_its_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = Fixed(5, -7)
    token = running(monkeypatch, noise, Fraction(1, 8))
    try:
        assert normals.Gauss(Fraction(3, 2)) == Fraction(5, 8) and normals.Gauss(bells.sqrt(2)) == Fraction(-7, 8)
        assert normals.Gauss(0) == 0 and type(normals.Gauss(bells.sqrt(0))) is Fraction and not noise.steps
        assert noise.asked == [12, bells._above(bells.sqrt(2)) * 8]
    finally:
        runtime._running.reset(token)


def test_gdp_of_epsilon_and_delta_is_close_and_below() -> None:
    for epsilon, delta in ((Fraction(1), Fraction(1, 10**6)), (Fraction(1, 10), Fraction(1, 10**9)), (Fraction(50), Fraction(1, 10**30)), (Fraction(700), Fraction(1, 10**6)), (Fraction(1, 1000), Fraction(9, 10))):
        mu = normals.gdp.__wrapped__(epsilon, delta)
        assert type(mu) is Fraction and delta_bounds(mu, epsilon)[1] <= delta
        if epsilon <= 50:
            assert delta_bounds(mu * (1 + Fraction(1, 2**25)), epsilon)[0] > delta, "by one part in some millions"
    for epsilon, delta, words in (
        (Fraction(701), Fraction(1, 10), "epsilon is too large for Gaussian noise of a known scale: give at most 700"),
        (Fraction(1), Fraction(0), "delta is too small for Gaussian noise of a known scale: give at least 1e-60"),
    ):
        with pytest.raises(ValueError) as caught:
            normals.gdp.__wrapped__(epsilon, delta)
        assert str(caught.value) == words


# ---------------------------------------------------------------- coins and chosen places


def with_noise(noise: Any) -> Any:
    return runtime._running.set(runtime._Run(noise, Fraction(1)))


def tossed(draw: Any, least: Fraction) -> Any:
    """The law of something that draws while a program runs."""

    def run(sampler: Scripted) -> Any:
        token = with_noise(sampler)
        try:
            return draw()
        finally:
            runtime._running.reset(token)

    return law(run, least)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(2), Fraction(2, 3), 3])
def test_a_coin_falls_as_often_as_it_should(scale: Fraction) -> None:
    found, rest = tossed(lambda: finite.Flip(scale), Fraction(1, 3000))
    chance = 1 / (1 + math.exp(1 / scale))
    assert found[True] - 1e-12 <= chance <= found[True] + rest + 1e-12 and rest < Fraction(1, 3) and set(found) == {True, False}
    assert finite.Flip(0) is False


@pytest.mark.parametrize(
    ("scores", "scale"),
    [([0, 0], Fraction(1)), ([1, 0, 0], Fraction(2)), ([Fraction(1, 2), Fraction(1, 3), 0], Fraction(1)), ([-1, -2, -1], Fraction(1)), ([0, 3], Fraction(2))],
)
def test_places_are_chosen_as_often_as_they_should(scores: Sequence[Fraction], scale: Fraction) -> None:
    found, rest = tossed(lambda: finite.choose(scores, scale), Fraction(1, 4000))
    weights = [math.exp(score / scale) for score in scores]
    for place, weight in enumerate(weights):
        assert found[place] - 1e-12 <= weight / sum(weights) <= found[place] + rest + 1e-12
    assert rest < Fraction(1, 2)


def test_what_is_asked_of_the_noise_of_a_choice() -> None:
    class Asked(Tape):
        def below(self, bound: int) -> int:
            self.asked.append(("below", bound))
            return self.steps.pop(0)

    def choose(steps: Sequence[int], *given: Any) -> tuple[int, list[Any]]:
        noise = Asked(*steps)
        token = with_noise(noise)
        try:
            found = given[0](*given[1:])
            assert not noise.steps
            return found, noise.asked
        finally:
            runtime._running.reset(token)

    halves = [Fraction(1, 2), Fraction(1, 3), Fraction(0)]
    assert choose([0], finite.choose, halves, Fraction(2)) == (0, [("below", 3)]), "the best is taken"
    assert choose([1, 1], finite.choose, halves, Fraction(2)) == (1, [("below", 3), ("exponential", 12)]), "behind by one of six parts"
    assert choose([2, 2, 1, 0, 2, 3], finite.choose, halves, Fraction(2))[0] == 2, "behind by three parts: 2 and 0 are not enough, 3 is"
    assert choose([2, 0], finite.choose, halves, 0) == (0, [("below", 3), ("below", 3)]), "without noise only the best is taken"
    assert choose([0], finite.Pick, Fraction(5), 3) == (0, [("below", 3)])
    assert choose([2, 1], finite.Pick, Fraction(5), 3) == (2, [("below", 3), ("exponential", 5)])
    assert choose([1, 0, 0], finite.Pick, Fraction(5), 2) == (0, [("below", 2), ("exponential", 5), ("below", 2)])
    assert choose([3], finite.Flip, Fraction(5, 2)) == (True, [("exponential", Fraction(5, 2))]) and choose([2], finite.Flip, 2)[0] is False


def test_the_fixed_noise_of_a_self_test_chooses_too() -> None:
    function = program("return [finite.choose([0, 1, 0], 3), finite.Flip(4), finite.choose([0, 0, 0, 0], 0)]")
    function.__wrapped__.__globals__["finite"] = finite
    known = {"q": [1], "N": 3}
    assert runtime._answer_known(function, known) == [1, True, 3]
