"""The support code of emitted programs, as the module it is here: exact draws, exact numbers, and what is refused."""

from __future__ import annotations

import inspect
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kolahal.lang.templates import runtime

pytestmark = pytest.mark.mutants

# ---------------------------------------------------------------- the sampler


class Undecided(Exception):
    """A run that needs one more number, below so many."""


class Scripted(runtime._Sampler):
    """Draws from numbers that are given."""

    def __init__(self, choices: tuple[int, ...]):
        super().__init__()
        self.choices = list(choices)

    def below(self, bound: int) -> int:
        if not self.choices:
            raise Undecided(bound)
        return self.choices.pop(0)


def law(draw: Callable[[Scripted], Any], least: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """The exact chance of each outcome, as far as runs of at least a chance `least` tell; and of all others together."""
    found: Counter[Any] = Counter()
    rest = Fraction(0)
    todo: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while todo:
        choices, chance = todo.pop()
        sampler = Scripted(choices)
        try:
            found[draw(sampler)] += chance
            assert not sampler.choices
        except Undecided as more:
            bound = more.args[0]
            if chance / bound < least:
                rest += chance
            else:
                todo += [((*choices, choice), chance / bound) for choice in range(bound)]
    return found, rest


@pytest.mark.parametrize(("above", "below"), [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3)])
def test_a_coin_has_exactly_its_chance(above: int, below: int) -> None:
    found, rest = law(lambda sampler: sampler.happens(above, below), Fraction(1, 3000))
    assert rest < Fraction(1, 50) and found[True] <= math.exp(-above / below) + 1e-12
    assert found[True] + rest >= math.exp(-above / below) - 1e-12


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 2), Fraction(2), Fraction(2, 3)])
def test_noise_has_exactly_its_law(scale: Fraction) -> None:
    found, rest = law(lambda sampler: sampler.exponential(scale), Fraction(1, 2000))
    top = 1 - math.exp(-1 / scale)
    assert rest < Fraction(1, 4) and min(found) == 0 and set(map(type, found)) == {int}
    for k in range(3):
        assert found[k] - 1e-12 <= top * math.exp(-k / scale) <= found[k] + rest + 1e-12
    both, rest = law(lambda sampler: sampler.laplace(scale), Fraction(1, 4000))
    shared = math.tanh(1 / (2 * scale))
    assert rest < Fraction(1, 2)
    for k in range(-2, 3):
        assert both[k] - 1e-12 <= shared * math.exp(-abs(k) / scale) <= both[k] + rest + 1e-12
    assert both[1] == both[-1] and both[2] == both[-2] and both[0] > both[1]


def test_uniform_numbers_use_each_bit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(runtime.os, "urandom", lambda size: asked.append(size) or bytes(size))
    for pool in range(64):
        sampler = runtime._Sampler()
        sampler._pool, sampler._left = pool, 6
        low, high = pool & 7, pool >> 3
        expected = low if low < 5 else high if high < 5 else 0  # 0 where new bits are taken, which are 0
        assert sampler.below(5) == expected
        used = 3 if low < 5 else 6
        assert (sampler._pool, sampler._left) == ((pool >> used, 6 - used) if low < 5 or high < 5 else (0, 8 * 256 - 3))
    assert asked == [256] * 9
    sampler = runtime._Sampler()
    assert (sampler._pool, sampler._left) == (0, 0)
    assert sampler.below(1) == 0 and asked == [256] * 9, "one choice needs no bits"
    sampler.below(2**3001)
    assert asked[-1] == 376 and sampler._left == 8 * 376 - 3001
    sampler.below(2**3008)
    assert asked[-1] == 376 and sampler._left == 0
    sampler._left = 5
    sampler.below(32)
    assert sampler._left == 0 and len(asked) == 11
    sampler.below(33)
    assert sampler._left == 8 * 256 - 6 and asked[-1] == 256


def test_bytes_are_read_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime.os, "urandom", lambda size: bytes(size - 1) + b"\x05")
    assert [runtime._Sampler().below(8), runtime._Sampler().below(256)] == [5, 5]


def test_draws_from_known_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime.os, "urandom", random.Random(20260101).randbytes)
    sampler = runtime._Sampler()
    scales = (Fraction(1, 3), Fraction(7, 2), Fraction(100))
    assert [[sampler.laplace(scale) for _ in range(8)] for scale in scales] == LAPLACE
    assert [[sampler.exponential(scale) for _ in range(8)] for scale in scales] == EXPONENTIAL


LAPLACE = [[0, 0, -1, 0, 1, 0, 0, 0], [0, -5, 1, -4, -1, 0, -2, 10], [-248, 42, 161, -3, -223, -128, 144, 51]]
EXPONENTIAL = [[0, 0, 0, 0, 0, 0, 2, 0], [15, 0, 2, 2, 3, 6, 1, 4], [55, 90, 214, 5, 127, 94, 1, 75]]

# ---------------------------------------------------------------- numbers in


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (3, Fraction(3)),
        (-0.1, Fraction(-0.1)),
        (np.int8(5), Fraction(5)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1e-4999"), Fraction(1, 10**4999)),
        (Decimal("0." + "1" * 300), Fraction(int("1" * 300), 10**300)),
        (int(sys.float_info.max), Fraction(sys.float_info.max)),
        (-sys.float_info.max, Fraction(-sys.float_info.max)),
    ],
)
def test_a_number_is_taken_as_it_is(value: Any, exact: Fraction) -> None:
    found = runtime._exact("x", value)
    assert found == exact and type(found) is Fraction and type(found.numerator) is int


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (True, TypeError, "x must be a number, and it is of type bool"),
        ("1", TypeError, "x must be a number, and it is of type str"),
        (1j, TypeError, "x must be a number, and it is of type complex"),
        (math.nan, ValueError, "x must be a finite number"),
        (-math.inf, ValueError, "x must be a finite number"),
        (Decimal("NaN"), ValueError, "x must be a finite number"),
        (Decimal("Infinity"), ValueError, "x must be a finite number"),
        (Decimal("1e5000"), ValueError, "x is too large or has too many digits"),
        (Decimal("1e-5000"), ValueError, "x is too large or has too many digits"),
        (Decimal("0." + "1" * 5001), ValueError, "x is too large or has too many digits"),
        (Decimal("1e400"), ValueError, "x is too large: no double is"),
        (int(sys.float_info.max) + 1, ValueError, "x is too large: no double is"),
        (-(10**400), ValueError, "x is too large: no double is"),
    ],
)
def test_what_is_no_number_is_refused(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"^{words}$"):
        runtime._exact("x", value)


def test_the_longest_decimal() -> None:
    assert runtime._exact("x", Decimal("0." + "1" * 5000)) == Fraction(int("1" * 4000) * 10**1000 + int("1" * 1000), 10**5000)
    assert runtime._exact("x", Decimal("1e-4999").scaleb(0)) > 0


def test_answers_are_a_list_of_numbers() -> None:
    assert runtime._answers("q", (1, 2.5), False) == runtime._answers("q", iter([1, 2.5]), False) == [1, Fraction(5, 2)]
    for wrong in ("12", b"12", {1: 2}, {1}, 5, None):
        with pytest.raises(TypeError, match=f"^q must be a list of numbers or truth values, and it is of type {type(wrong).__name__}$"):
            runtime._answers("q", wrong, False)
    with pytest.raises(TypeError, match=r"^q\[1\] must be a number"):
        runtime._answers("q", [1, "2"], False)


def test_a_budget_is_above_nothing() -> None:
    for given, exact in (("0.1", Fraction(1, 10)), (" 1/10 ", Fraction(1, 10)), ("3", Fraction(3)), (0.1, Fraction(0.1)), (2, Fraction(2))):
        assert runtime._budget("eps", given) == exact
    for wrong in ("x", "1/0", "1/00", "1e3", "-1", "", "1." + "0" * 41, "1" * 41, "1/0 "):
        with pytest.raises(ValueError, match=r"^eps must be a number above 0, such as 0.5 or 1/10$"):
            runtime._budget("eps", wrong)
    for low in ("0", 0, -1, "0.0"):
        with pytest.raises(ValueError, match=r"^eps must be above 0$"):
            runtime._budget("eps", low)
    with pytest.raises(TypeError, match=r"^eps must be a number"):
        runtime._budget("eps", None)


def test_arguments_are_of_their_kind() -> None:
    assert runtime._argument("on", "bool", True) is True and runtime._argument("on", "bool", False) is False
    whole = runtime._argument("N", "int", 3.0)
    assert whole == 3 and type(whole) is int
    real = runtime._argument("T", "float", 0.5)
    assert real == Fraction(1, 2) and type(real) is Fraction
    for name, kind, value, error, words in (
        ("on", "bool", 1, TypeError, "on must be True or False"),
        ("N", "int", 1.5, ValueError, "N must be a whole number"),
        ("N", "int", True, TypeError, "N must be a number, and it is of type bool"),
        ("T", "float", "0", TypeError, "T must be a number, and it is of type str"),
    ):
        with pytest.raises(error, match=f"^{words}$"):
            runtime._argument(name, kind, value)


# ---------------------------------------------------------------- the grid

PLAN = runtime._Plan(1, {}, {}, [], [], False, None, None, False)


def test_powers_of_two_and_common_divisors() -> None:
    for number, power in ((1, 1), (Fraction(3, 2), 1), (2, 2), (Fraction(7), 4), (Fraction(1, 3), Fraction(1, 4)), (Fraction(3, 4), Fraction(1, 2))):
        assert runtime._power_below(Fraction(number)) == power
    for a, b, common in (("1/2", "1/3", "1/6"), ("4", "6", "2"), ("3/4", "5/6", "1/12"), ("2/3", "4/9", "2/9")):
        assert runtime._common(Fraction(a), Fraction(b)) == Fraction(common)


@pytest.mark.parametrize(
    ("changes", "rounds", "grid", "noise"),
    [
        ({"scales": {"a": 4, "b": 8}}, True, Fraction(1, 2**38), Fraction(1, 2**39)),
        ({"scales": {"a": 0, "b": 8}}, True, Fraction(1, 2**37), Fraction(1, 2**38)),
        ({}, True, Fraction(1, 2**40), Fraction(1, 2**41)),
        ({"scales": {"a": Fraction(1, 2), "b": 8}}, True, Fraction(1, 2**41), Fraction(1, 2**42)),
        ({"distance": 3}, True, Fraction(1, 2**39), Fraction(1, 2**40)),
        ({"scales": {"a": 2**60}}, True, Fraction(1, 2**10), Fraction(1, 2**11)),
        ({"scales": {"a": 2**60}}, False, Fraction(1, 2**1074), Fraction(1, 2**1075)),
        ({"scales": {"a": 2**60}, "whole": True}, False, Fraction(1, 2**10), Fraction(1, 2**11)),
        ({"distance": Fraction(1, 3), "scales": {"a": 8}}, True, Fraction(1, 3 * 2**37), Fraction(1, 3 * 2**38)),
        ({"scales": {"a": 8}, "numbers": [Fraction(1, 5), 0]}, True, Fraction(1, 5 * 2**37), Fraction(1, 5 * 2**38)),
        ({"scales": {"a": 8}, "factors": [Fraction(-3, 5), 0, 7]}, True, Fraction(1, 2**37), Fraction(1, 105 * 2**38)),
    ],
)
def test_grids(changes: Mapping[str, Any], rounds: bool, grid: Fraction, noise: Fraction) -> None:
    assert runtime._grids(PLAN._replace(**changes), rounds) == (grid, noise)


def test_answers_go_to_the_nearest_place_of_the_grid() -> None:
    given = [Fraction(n, 8) for n in (-3, -2, -1, 0, 1, 2, 3, 5)]
    assert runtime._on_grid("q", given, Fraction(1, 2), True) == [Fraction(n, 2) for n in (-1, 0, 0, 0, 0, 1, 1, 1)]
    assert runtime._on_grid("q", given, Fraction(1, 8), False) == given
    with pytest.raises(ValueError, match=r"^q\[0\] is not on the grid of this program: give floats or whole numbers$"):
        runtime._on_grid("q", given, Fraction(1, 2), False)
    with pytest.raises(ValueError, match=r"^q\[1\] is not"):
        runtime._on_grid("q", [Fraction(1), Fraction(1, 3)], Fraction(1, 2), False)


def test_inputs_beyond_what_is_known_are_refused() -> None:
    one, two = Fraction(1), Fraction(5, 2)

    def check(given: list[Fraction], **changes: Any) -> None:
        runtime._check_inputs("q", given, PLAN._replace(**changes))

    check([one, two], limits={"N": (1, 1, None), "M": (3, 1, 3)}, answers=2, most=2)
    check([one, one], whole=True)
    check([])
    for answers, changes, words in (
        ([], {"limits": {"N": (0, 1, None)}}, "N must be at least 1: nothing is known of this program elsewhere; give such a number"),
        ([], {"limits": {"N": (4, 1, 3)}}, "N must be from 1 to 3: nothing is known of this program elsewhere; give such a number"),
        ([], {"limits": {"N": (0, 1, 3)}}, "N must be from 1 to 3"),
        ([one], {"answers": 2}, "q must have 2 answers, as this program declares, and 1 were given"),
        ([], {"answers": 1}, "q must have 1 answers"),
        ([one, one], {"most": 1}, "q may have at most 1 answers, and 2 were given: nothing is known of this program beyond; give fewer"),
        ([one, two], {"whole": True}, r"q\[1\] must be a whole number, as this program declares: round it before, or count"),
    ):
        with pytest.raises(ValueError, match=f"^{words}"):
            check(answers, **changes)


# ---------------------------------------------------------------- running

TEXT = """
from __future__ import annotations
from kolahal.lang.templates.runtime import DiscreteExp, DiscreteLap, Exp, Lap, Private, each_within, sketch, sum_within

def _plan(q, N, T, on, eps):
    return dict(distance=1, scales={{"1/eps": 1 / eps, "N": N}}, limits={{"N": (N, 0, None)}}, numbers=[1 / T], factors=[],
                whole=False, answers=None, most=3, as_tuple={as_tuple})

@sketch(adjacent={relation}(1))
def f(q: Private{more}, N: int, T: float = 2, on: bool = False, eps: Epsilon = "1/2"):
    \"\"\"Words.\"\"\"
{body}
"""


def program(body: str, relation: str = "each_within", as_tuple: bool = False, more: str = "") -> Any:
    lines = "\n".join("    " + line for line in body.split("\n"))
    space: dict[str, Any] = {}
    exec(TEXT.format(body=lines, relation=relation, as_tuple=as_tuple, more=more), space)
    return space["f"]


class Tape:
    """Whole numbers in place of noise, and the scales that were asked for."""

    def __init__(self, *steps: int):
        self.steps, self.asked = list(steps), []

    def laplace(self, scale: Fraction) -> int:
        self.asked.append(("laplace", scale))
        return self.steps.pop(0)

    def exponential(self, scale: Fraction) -> int:
        self.asked.append(("exponential", scale))
        return self.steps.pop(0)


def run(function: Any, tape: Tape, *args: Any, **kwargs: Any) -> Any:
    return runtime._run(function.__wrapped__, function._rounds, args, kwargs, tape)


NOISE = Fraction(1, 2**40)  # its grid where the smallest scale is 2 or 3, and numbers are halves


def test_a_run_has_exact_numbers_and_noise_on_the_grid() -> None:
    f = program("return [q[0], Lap(1/eps), Exp(N), DiscreteLap(1/eps), DiscreteExp(N), T, on, eps, N, None, len(q)]", as_tuple=True)
    tape = Tape(3, 5, 7, 9)
    found = run(f, tape, [1.25, 4], 3)
    assert found == (1.25, float(3 * NOISE), float(5 * NOISE), 7, 9, 2, False, 0.5, 3, None, 2)
    assert list(map(type, found)) == [float, float, float, int, int, int, bool, float, int, type(None), int]
    assert tape.asked == [("laplace", 2 / NOISE), ("exponential", 3 / NOISE), ("laplace", 2), ("exponential", 3)]
    assert type(run(program("return [1]"), Tape(), [1], 3)) is list
    assert run(f, Tape(0, 0, 0, 0), q=[1], N=1, T=4, on=True, eps=1)[5:9] == (4, True, 1, 1)
    assert f.__name__ == "f" and f.__doc__ == "Words." and f._rounds is True
    assert program("return 1", "sum_within")._rounds is False
    assert list(inspect.signature(f).parameters) == ["q", "N", "T", "on", "eps"]


def test_answers_are_rounded_or_refused() -> None:
    third = Fraction(1, 3)
    assert run(program("return q[0] * 2**39 * 3"), Tape(), [third], 3) == 3 * round(third * 2**39)
    with pytest.raises(ValueError, match=r"q\[0\] is not on the grid"):
        run(program("return q[0]", "sum_within"), Tape(), [third], 3)
    assert run(program("return q[0]", more="[float]"), Tape(), [0.5], 3) == 0.5


def test_bits_are_truth_values_and_stay_so() -> None:
    f = program("return [not b for b in q]", more="[bool, 2]")
    assert repr(run(f, Tape(), (True, False), 3)) == "[False, True]"
    assert repr(run(program("return [q[0] is True]", "sum_within", more="[bool]"), Tape(), [True], 3)) == "[True]"
    for wrong in ([1], [True, 0], [0.5], [None]):
        with pytest.raises(TypeError, match=rf"^q\[{len(wrong) - 1}\] must be True or False$"):
            run(f, Tape(), wrong, 3)
    for wrong in ("10", b"1", {"a": True}, {True}, 3, None):
        words = f"q must be a list of numbers or truth values, and it is of type {type(wrong).__name__}"
        with pytest.raises(TypeError, match=f"^{words}$"):
            run(f, Tape(), wrong, 3)
    with pytest.raises(TypeError, match=r"^q\[0\] must be a number, and it is of type bool$"):
        run(program("return 1"), Tape(), [True], 3)


def test_answers_that_come_later_are_computed_where_public_values_are_right() -> None:
    asked: list[int] = []

    def compute() -> list[Fraction]:
        asked.append(1)
        return [Fraction(1, 3), 2]  # type: ignore[list-item]

    later = runtime._Later(2, compute)
    f = program("return [len(q), q[0] * 2**39 * 3, q[1]]")
    for wrong in ({"N": -1}, {"N": 0}, {"N": 3, "T": 0}, {"N": 3, "eps": 0}):
        with pytest.raises(ValueError):
            run(f, Tape(), later, **wrong)
    with pytest.raises(ValueError, match=r"^q may have at most 3 answers, and 4 were given"):
        run(f, Tape(), runtime._Later(4, compute), 3)
    assert not asked, "an error of public values says nothing of records"
    assert run(f, Tape(), later, 3) == [2, 3 * round(Fraction(1, 3) * 2**39), 2] and asked == [1]


def test_what_a_program_asserts_of_public_values_must_hold() -> None:
    f = program("return 1")
    wants = {"N > 2": True, "T < 5": True}
    f.__wrapped__.__globals__["_plan"] = lambda **_: {**PLAN._asdict(), "requires": wants}
    assert run(f, Tape(), [1], 3) == 1
    wants["T < 5"] = False
    with pytest.raises(ValueError) as caught:
        run(f, Tape(), [1], 3)
    assert str(caught.value) == "this program asserts T < 5, and these arguments break it: give others"


def test_a_mechanism_draws_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Known(runtime._Sampler):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        def laplace(self, scale: Fraction) -> int:
            return 2**40

    monkeypatch.setattr(runtime, "_Sampler", Known)
    f = program("return q[0] + Lap(1/eps)")
    assert f([1], 3) == f(q=[1], N=3) == 2 and len(made) == 2


def test_inputs_of_a_run_are_checked() -> None:
    f = program("return 1")
    for args, kwargs, error, words in (
        (([1], 3), {"eps": 0}, ValueError, "eps must be above 0"),
        (([1], 1.5), {}, ValueError, "N must be a whole number"),
        (([1], 3), {"on": 1}, TypeError, "on must be True or False"),
        (([1], 3), {"T": "x"}, TypeError, "T must be a number"),
        (("1", 3), {}, TypeError, "q must be a list"),
        (([1], -1), {}, ValueError, "N must be at least 0"),
        (([1] * 4, 3), {}, ValueError, "q may have at most 3 answers"),
        (([1], 3), {"T": 0}, ValueError, "with these public arguments the program divides by zero"),
        (([1], 0), {}, ValueError, "the scale N is not above 0 here: there would be no noise"),
        (([1],), {}, TypeError, "missing a required argument: 'N'"),
    ):
        with pytest.raises(error, match=f"^{words}") as caught:
            run(f, Tape(), *args, **kwargs)
        assert caught.value.__cause__ is None
    assert run(f, Tape(), [], 0) == 1, "without answers there is nothing to hide"
    assert run(program("return Lap(N)"), Tape(), [], 0) == 0
    below = program("return 1")
    below.__wrapped__.__globals__["_plan"] = lambda **_: {**PLAN._asdict(), "scales": {"s": -1}}
    with pytest.raises(ValueError, match=r"^the scale s is not above 0 here"):
        run(below, Tape(), [], 3)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return q[5]", "it read a place outside a list, which may be too short"),
        ("return 1 / (q[0] - q[0])", "it divided by zero"),
        ("return None + q[0]", "it computed with None"),
        ("if on:\n    x = 1\nreturn x", "it read a name that had no value yet"),
        ("return max(x for x in q if x > 10**9)", "it asked for the largest or smallest of no items"),
        ("raise OverflowError", "OverflowError"),
    ],
)
def test_a_run_that_stops_says_why_and_no_more(body: str, words: str) -> None:
    with pytest.raises(RuntimeError, match=f"^f stopped: {words}$") as caught:
        run(program(body), Tape(), [123456], 3)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    with pytest.raises(LookupError):
        runtime._running.get()
    with pytest.raises(AttributeError):
        run(program("return q.nothing"), Tape(), [1], 3)
    with pytest.raises(LookupError):
        runtime._running.get()


def test_plain_answers() -> None:
    huge = Fraction(10) ** 400 + Fraction(1, 2)
    largest = sys.float_info.max
    given = [Fraction(3), Fraction(1, 2), True, None, huge, -huge, [Fraction(2), (Fraction(1, 4),)], Fraction(10) ** 400, int(largest)]
    expected = (3, 0.5, True, None, largest, -largest, (2, (0.25,)), 10**400, int(largest))
    assert repr(runtime._plain(given, tuple)) == repr(expected)
    assert runtime._plain((Fraction(1), [Fraction(2)]), list) == [1, [2]]
    assert runtime._plain(Fraction(int(largest) * 2 - 1, 2), list) == largest


def test_only_a_private_list_is_private() -> None:
    def kinds(a: Private, b: Private[int, 7], c: PrivateList, d: float) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert [runtime._is_private(p) for p in inspect.signature(kinds).parameters.values()] == [True, True, False, False]


def test_relations_know_whether_rounding_keeps_them() -> None:
    relations = (runtime.each_within, runtime.one_within, runtime.monotone, runtime.sum_within)
    assert [relation(1) for relation in relations] == [True, True, True, False]


# ---------------------------------------------------------------- the self-test


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2)])
def test_tails_add_up(scale: Fraction) -> None:
    weights = {k: math.exp(-abs(k) / scale) for k in range(-200, 201)}
    total, up = sum(weights.values()), sum(w for k, w in weights.items() if k >= 0)
    for k in range(-4, 5):
        assert math.isclose(runtime._tail(scale, k, False), sum(w for n, w in weights.items() if n >= k) / total, rel_tol=1e-12)
        one_sided = sum(w for n, w in weights.items() if n >= max(k, 0)) / up
        assert math.isclose(runtime._tail(scale, k, True), one_sided, rel_tol=1e-12)


class Even:
    """Draws in the proportions of the law, but for some that are moved to one place."""

    def __init__(self, scale: Fraction, one_sided: bool, moved: int, to: int):
        chances = {k: runtime._tail(scale, k, one_sided) for k in range(-60, 61)}
        self.stock = [to] * moved
        for k in range(-60, 60):
            self.stock += [k] * round((runtime._RUNS) * (chances[k] - chances[k + 1]))
        self.scale, self.one_sided, self.at = scale, one_sided, 0

    def _next(self, scale: Fraction) -> int:
        assert scale == self.scale
        self.at += 1
        return self.stock[(self.at - 1) % len(self.stock)]

    def laplace(self, scale: Fraction) -> int:
        assert not self.one_sided
        return self._next(scale)

    def exponential(self, scale: Fraction) -> int:
        assert self.one_sided
        return self._next(scale)


@pytest.mark.parametrize(
    ("scale", "one_sided", "to", "most"),
    [
        (Fraction(1), False, 0, 73),
        (Fraction(1), False, 3, 73),
        (Fraction(1), False, -50, 46),
        (Fraction(7, 2), False, 1, 68),
        (Fraction(7, 2), False, 7, 68),
        (Fraction(7, 2), True, 0, 81),
        (Fraction(7, 2), True, 2, 81),
        (Fraction(7, 2), True, 50, 255),
    ],
)
def test_the_self_test_bears_so_many_wrong_draws(scale: Fraction, one_sided: bool, to: int, most: int) -> None:
    assert runtime._check_law(Even(scale, one_sided, most, to), scale, one_sided, 1e-6)
    assert not runtime._check_law(Even(scale, one_sided, most + 1, to), scale, one_sided, 1e-6)


def test_the_self_test_bears_more_where_a_false_alarm_must_be_rarer() -> None:
    scale = Fraction(1)
    borne = [runtime._check_law(Even(scale, False, 50, -50), scale, False, doubt) for doubt in (1e-6, 1.2589e-7, 1e-8)]
    assert borne == [False, True, True]


def test_the_self_test_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(runtime, "_check_law", lambda *given: asked.append(given) or given[1] != 1)
    noise = Tape()
    assert runtime._check_sampler(noise) == [
        "Laplace noise of scale 1 does not follow its law",
        "exponential noise of scale 1 does not follow its law",
    ]
    scales = (Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(2**43, 7))
    assert asked == [(noise, scale, side, 1e-6 / 8) for scale in scales for side in (False, True)]


def test_fixed_noise_gives_known_answers() -> None:
    f = program("return [Lap(2) * 3 for _ in range(4)] + [Exp(3) for _ in range(2)] + [DiscreteLap(50) for _ in range(3)] + [DiscreteExp(70), eps]")
    inputs = {"q": [1], "N": 3}
    found = runtime._answer_known(f, inputs)
    assert found == KNOWN
    assert runtime._check_known(f, [(inputs, found), (inputs, found)]) == []
    wrong = [*found[:-1], 0.25]
    assert runtime._check_known(f, [(inputs, found), (inputs, wrong)]) == [
        f"with fixed noise the answer for {inputs} is {found}, and it should be {wrong}"
    ]
    shown = program("seen.append(repr(running.get().noise))\nreturn 1")
    seen: list[str] = []
    shown.__wrapped__.__globals__.update(seen=seen, running=runtime._running)
    assert runtime._answer_known(shown, inputs) == 1
    assert seen == ["<NOT RANDOM, NOT PRIVATE: the fixed noise of a self-test>"]


KNOWN = [9.24999999999909, -2.4999999999990905, 11.749999999998181, -4.999999999998181, 7.125, 3.75, 6, -83, 27, 145, 0.5]


@pytest.mark.parametrize(
    ("arguments", "known", "wrong", "code", "said"),
    [
        ([], [], [], 0, "Words.\n"),
        (["-h"], [], [], 0, "Words.\n"),
        (["--help"], [], [], 0, "Words.\n"),
        (["--other"], [], [], 2, "Words.\n"),
        (["--self-test", "more"], [], [], 2, "Words.\n"),
        (["--self-test"], ["bad noise"], ["bad answer"], 1, "FAILED: bad noise\nFAILED: bad answer\n"),
        (
            ["--self-test"],
            [],
            [],
            0,
            "f: the noise follows its law (false alarms: at most 1 in 1000000), and 2 runs with fixed noise gave the known answers.\n",
        ),
    ],
)
def test_the_command_line(
    arguments: list[str], known: list[str], wrong: list[str], code: int, said: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    f = program("return 1")
    monkeypatch.setattr(sys, "argv", ["f.py", *arguments])
    monkeypatch.setattr(runtime, "_check_sampler", lambda noise: known if type(noise) is runtime._Sampler else ["?"])
    monkeypatch.setattr(runtime, "_check_known", lambda *given: wrong if given == (f, [1, 2]) else ["?"])
    assert runtime._main(f, [1, 2], "Words.") == code  # type: ignore[list-item]
    assert capsys.readouterr().out == said
