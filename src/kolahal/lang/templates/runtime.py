"""Exact noise and numbers for programs that are handed out. `emit` copies this file, from here on, into each of them.

It uses the standard library alone. Names begin with `_` unless the program itself uses them.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple, Protocol

# ---------------------------------------------------------------- randomness


class _Noise(Protocol):
    """Where noise comes from; a scale is in steps of the grid."""

    def laplace(self, scale: Fraction) -> int: ...
    def exponential(self, scale: Fraction) -> int: ...
    def below(self, bound: int) -> int: ...


class _Sampler:
    """Exact draws from the operating system's randomness; no floating-point number takes part in them.

    The method is that of Canonne, Kamath and Steinke (2020). A sampler serves one call and is thrown away, so that
    neither a thread nor a forked process can meet its unused bits again. How long a draw takes depends on the draw.
    """

    def __init__(self) -> None:
        self._pool = 0  # bits that nobody has used
        self._left = 0  # how many they are

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1, each exactly as likely as the others."""
        need = (bound - 1).bit_length()
        while True:
            if self._left < need:
                size = max(256, (need + 7) // 8)
                self._pool, self._left = int.from_bytes(os.urandom(size), "big"), 8 * size
            drawn = self._pool & ((1 << need) - 1)
            self._pool >>= need
            self._left -= need
            if drawn < bound:
                return drawn

    def happens(self, above: int, below: int) -> bool:
        """True with probability exp(-above/below), exactly; 0 <= above <= below."""
        # The chance that the loop makes exactly k turns is x^(k-1)/(k-1)! - x^k/k!, x = above/below; the odd k add up
        # to 1 - x + x^2/2! - x^3/3! + ...
        turn = 1
        while self.below(below * turn) < above:
            turn += 1
        return turn % 2 == 1

    def exponential(self, scale: Fraction) -> int:
        """A whole number k >= 0 with probability proportional to exp(-k/scale)."""
        top, bottom = scale.numerator, scale.denominator
        rest = self.below(top)
        while not self.happens(rest, top):
            rest = self.below(top)
        turns = 0
        while self.happens(1, 1):
            turns += 1
        # turns * top + rest is x >= 0 with probability proportional to exp(-x/top).
        return (turns * top + rest) // bottom

    def laplace(self, scale: Fraction) -> int:
        """A whole number k with probability proportional to exp(-|k|/scale)."""
        while True:
            size, negative = self.exponential(scale), self.below(2)
            if size or not negative:  # 0 must not come twice as often
                return -size if negative else size


# ---------------------------------------------------------------- numbers in

_LARGEST = int(sys.float_info.max)  # of inputs; answers are doubles again
_EPSILON = re.compile(r"\s*[0-9]{1,40}(\.[0-9]{1,40}|/[0-9]{1,40})?\s*")


def _exact(name: str, value: object) -> Fraction:
    """A number exactly as it is; a double is a whole number over a power of two. No message shows a value."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise TypeError(f"{name} must be a number, and it is of type {type(value).__name__}")
    if isinstance(value, Integral):
        number = Fraction(int(value))
    elif isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
        raise ValueError(f"{name} must be a finite number")
    elif isinstance(value, Decimal):
        if not -5000 < value.adjusted() < 5000 or len(value.as_tuple().digits) > 5000:
            raise ValueError(f"{name} is too large or has too many digits")
        number = Fraction(value)
    else:
        number = Fraction(float(value))
    if abs(number) > _LARGEST:
        raise ValueError(f"{name} is too large: no double is")
    return number


def _answers(name: str, value: object, bits: bool) -> list[Fraction] | list[bool]:
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of numbers or truth values, and it is of type {type(value).__name__}")
    items = [(f"{name}[{place}]", item) for place, item in enumerate(value)]
    return [bool(_argument(at, "bool", item)) for at, item in items] if bits else [_exact(at, item) for at, item in items]


def _budget(name: str, value: object) -> Fraction:
    """The privacy budget; a text such as "0.1" or "1/10" is exactly one tenth, the double 0.1 is a little more."""
    if isinstance(value, str):
        if not _EPSILON.fullmatch(value) or re.search(r"/0+\s*$", value):
            raise ValueError(f"{name} must be a number above 0, such as 0.5 or 1/10")
        number = Fraction(value)
    else:
        number = _exact(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be above 0")
    return number


def _argument(name: str, kind: str, value: object) -> Fraction | int | bool:
    if kind == "bool":
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False")
        return value
    number = _exact(name, value)
    if kind == "int":
        if number.denominator != 1:
            raise ValueError(f"{name} must be a whole number")
        return number.numerator
    return number


# ---------------------------------------------------------------- the grid
#
# Every private answer is rounded to a multiple of `grid`, all arithmetic is exact (fractions of Python's unlimited whole
# numbers), and noise is a whole multiple of `noise_grid`. Why this keeps a proof about real numbers and real noise:
#
# - Rounding is floor(x/grid + 1/2) * grid. It is monotone, and it commutes with moves by multiples of grid (rounding
#   halves to even would not: 1/2 and 3/2 would go to 0 and 2). The distance d of neighbours is a multiple of grid. So
#   |a - b| <= d gives |round(a) - round(b)| <= d: rounded neighbours are neighbours. Where only the sum of all moves is
#   bounded this is not enough, and there nothing is rounded: the grid is that of all doubles, and other numbers are
#   refused. Nor are answers rounded that are whole by declaration.
# - The proof is about every noise, ties included: it gives a shift of the noise of one run, for each way that the run may
#   go, with which the other run answers alike. So it holds for noise on a grid if its shifts are on the grid. They are
#   sums of fractions of d and of differences between the runs, of values that the program adds up from answers, public
#   numbers and noise. The grid of noise divides 1, d, every private answer and every public number that the program
#   puts in. It is refined by every factor that the program multiplies with or divides by; by the denominators of the
#   proof's own fractions of d; and by 2, because a move between two extreme ones, which are 2d apart, is hidden by the
#   same mixture of their shifts. So each shift is a multiple of it, and shifting discrete noise by s changes its
#   log-probability by at most |s|/scale, as for real noise. Noise in whole numbers has whole shifts in the proof itself.
# - What happens to an answer afterwards, rounding to a double included, cannot undo privacy.


class _Resolution(NamedTuple):
    """How fine the grids are."""

    steps: int = 2**40  # of the grid, at least, for each scale
    coarsest: Fraction = Fraction(1, 2**10)  # grid of private answers
    finest: Fraction = Fraction(1, 2**1074)  # double, where nothing may be rounded


_RESOLUTION = _Resolution()


class _Plan(NamedTuple):
    """What is fixed before anything runs, from public values alone."""

    distance: Fraction | int  # of neighbours
    scales: Mapping[str, Fraction | int]  # of all noise
    limits: Mapping[str, tuple[int, int, int | None]]  # whole arguments: the value, the least, the largest if any
    numbers: Sequence[Fraction | int]  # that the grid has to contain
    factors: Sequence[Fraction | int]  # that refine the grid of noise
    whole: bool  # whether private answers are whole numbers
    answers: int | None  # how many private ones there are, where that is declared
    most: int | None  # private answers that the proof covers, where there is a limit
    as_tuple: bool  # whether answers with several items are tuples
    requires: Mapping[str, bool] = {}  # what the program asserts of public values, and whether it holds


def _power_below(number: Fraction) -> Fraction:
    """The largest power of two that is at most `number`."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    candidate = Fraction(2) ** power
    return candidate if candidate <= number else candidate / 2


def _common(a: Fraction, b: Fraction) -> Fraction:
    """The largest number of which both are whole multiples."""
    top = math.gcd(a.numerator * b.denominator, b.numerator * a.denominator)
    return Fraction(top, a.denominator * b.denominator)


def _grids(plan: _Plan, rounds: bool) -> tuple[Fraction, Fraction]:
    """The grid of the private answers, and that of the noise: at least 2**40 steps for each scale."""
    scales = [Fraction(scale) for scale in plan.scales.values() if scale > 0]
    grid = _power_below(min(scales, default=Fraction(plan.distance)) / _RESOLUTION.steps)
    grid = min(grid, _RESOLUTION.coarsest if rounds or plan.whole else _RESOLUTION.finest)
    for number in (1, plan.distance, *plan.numbers):
        if number:
            grid = _common(grid, Fraction(number))
    noise_grid = grid / 2
    for factor in map(Fraction, plan.factors):
        if factor:
            noise_grid /= abs(factor.numerator) * factor.denominator
    return grid, noise_grid


def _on_grid(name: str, answers: list[Fraction], grid: Fraction, rounds: bool) -> list[Fraction]:
    """The private answers as multiples of the grid: the nearest ones, or nothing but themselves."""
    found = [math.floor(answer / grid + Fraction(1, 2)) * grid for answer in answers]
    if not rounds:
        for place, (before, after) in enumerate(zip(answers, found)):
            if before != after:
                raise ValueError(f"{name}[{place}] is not on the grid of this program: give floats or whole numbers")
    return found


def _check_inputs(name: str, answers: list[Fraction], plan: _Plan) -> None:
    """Refuse what the program does not accept; no message shows a private answer."""
    for argument, (value, least, most) in plan.limits.items():
        if value < least or (most is not None and value > most):
            span = f"at least {least}" if most is None else f"from {least} to {most}"
            raise ValueError(f"{argument} must be {span}: nothing is known of this program elsewhere; give such a number")
    for text, holds in plan.requires.items():
        if not holds:
            raise ValueError(f"this program asserts {text}, and these arguments break it: give others")
    if plan.answers is not None and len(answers) != plan.answers:
        raise ValueError(f"{name} must have {plan.answers} answers, as this program declares, and {len(answers)} were given")
    if plan.most is not None and len(answers) > plan.most:
        few = f"{name} may have at most {plan.most} answers, and {len(answers)} were given"
        raise ValueError(f"{few}: nothing is known of this program beyond; give fewer")
    for place, answer in enumerate(answers):
        if plan.whole and answer.denominator != 1:
            raise ValueError(f"{name}[{place}] must be a whole number, as this program declares: round it before, or count")


# ---------------------------------------------------------------- running a mechanism


class _Later(NamedTuple):
    """Answers that are computed once all public values are found right: an error of these must not depend on records."""

    many: int
    compute: Callable[[], Sequence[Fraction | int]]


class _Run(NamedTuple):
    """What a draw inside a running mechanism needs."""

    noise: _Noise
    grid: Fraction


_STOPS = {
    "IndexError": "it read a place outside a list, which may be too short",
    "ZeroDivisionError": "it divided by zero",
    "TypeError": "it computed with None",
    "UnboundLocalError": "it read a name that had no value yet",
    "ValueError": "it asked for the largest or smallest of no items",
}
_running: ContextVar[_Run] = ContextVar("_running")


def _draw(scale: Fraction | int, one_sided: bool, whole: bool) -> Fraction:
    run = _running.get()
    grid = Fraction(1) if whole else run.grid
    steps = scale / grid  # exact: neither is ever a float
    if not steps:  # only for a list without answers, which has no neighbour
        return Fraction(0)
    return grid * (run.noise.exponential(steps) if one_sided else run.noise.laplace(steps))


def Lap(scale: Fraction | int) -> Fraction:
    """Discrete Laplace noise on the grid of noise."""
    return _draw(scale, one_sided=False, whole=False)


def Exp(scale: Fraction | int) -> Fraction:
    """One-sided discrete Exponential noise on the grid of noise."""
    return _draw(scale, one_sided=True, whole=False)


def DiscreteLap(scale: Fraction | int) -> Fraction:
    """Discrete Laplace noise in whole numbers."""
    return _draw(scale, one_sided=False, whole=True)


def DiscreteExp(scale: Fraction | int) -> Fraction:
    """One-sided discrete Exponential noise in whole numbers."""
    return _draw(scale, one_sided=True, whole=True)


Private = list
Epsilon = float


def each_within(_: float) -> bool:
    """Every answer moves by at most so much. Whether rounding to a grid keeps neighbours neighbours: yes."""
    return True


def one_within(_: float) -> bool:
    """One answer moves by at most so much. The others are equal, and stay so when they are rounded."""
    return True


def monotone(_: float) -> bool:
    """All answers move the same way by at most so much. Rounding keeps the way."""
    return True


def sum_within(_: float) -> bool:
    """All moves add up to at most so much. Rounding could turn many tiny moves into many steps of the grid."""
    return False


def sketch(adjacent: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a program private: inputs are checked and put on the grid, noise is exact, answers are plain again."""

    def build(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def mechanism(*args: object, **kwargs: object) -> Any:
            return _run(function, adjacent, args, kwargs, _Sampler())

        mechanism._rounds = adjacent  # type: ignore[attr-defined]
        return mechanism

    return build


def _is_private(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is the private list; `Private[int, 7]` says more of it, and so does the plan."""
    return str(parameter.annotation).partition("[")[0] == "Private"


def _run(
    function: Callable[..., Any], rounds: bool, args: Sequence[object], kwargs: Mapping[str, object], noise: _Noise
) -> Any:
    """The answer of one run of `function`, whose noise comes from `noise`."""
    signature = inspect.signature(function)
    call = signature.bind(*args, **kwargs)
    call.apply_defaults()
    values: dict[str, Any] = {}
    private, bits, given = "", False, None
    for name, parameter in signature.parameters.items():
        if _is_private(parameter):
            private, bits, given = name, "[bool" in str(parameter.annotation), call.arguments[name]
            values[name] = [Fraction(0)] * given.many if isinstance(given, _Later) else _answers(name, given, bits)
        elif parameter.annotation == "Epsilon":
            values[name] = _budget(name, call.arguments[name])
        else:
            values[name] = _argument(name, parameter.annotation, call.arguments[name])
    length = len(values[private])
    try:
        plan = _Plan(**function.__globals__["_plan"](**{**values, private: range(length)}))
    except ZeroDivisionError:
        raise ValueError("with these public arguments the program divides by zero") from None
    _check_inputs(private, values[private], plan)
    for text, scale in plan.scales.items():
        if scale < 0 or (scale == 0 and length > 0):
            raise ValueError(f"the scale {text} is not above 0 here: there would be no noise")
    grid, noise_grid = _grids(plan, rounds)
    if isinstance(given, _Later):
        values[private] = list(map(Fraction, given.compute()))
    if not bits:
        values[private] = _on_grid(private, values[private], grid, rounds)
    stopped, answer = "", None
    token = _running.set(_Run(noise, noise_grid))
    try:
        answer = function(**values)
    except (ArithmeticError, LookupError, TypeError, NameError, ValueError) as error:
        stopped = type(error).__name__
    finally:
        _running.reset(token)
    if stopped:  # raised here, and not above, because the error itself could show private values
        raise RuntimeError(f"{function.__name__} stopped: {_STOPS.get(stopped, stopped)}")
    return _plain(answer, tuple if plan.as_tuple else list)


def _plain(answer: Any, container: type) -> Any:
    """An answer without fractions: whole numbers are int, others the nearest double.

    Its types depend on its value alone. If they depended on the way it was computed, they would tell that way.
    """
    if isinstance(answer, list | tuple):
        return container(_plain(item, container) for item in answer)
    if answer is None or isinstance(answer, bool | str):
        return answer
    if answer.denominator == 1:
        return int(answer)
    if abs(answer) > _LARGEST:
        return sys.float_info.max if answer > 0 else -sys.float_info.max
    return float(answer)


# ---------------------------------------------------------------- self-test

_FALSE_ALARM = 1e-6  # the chance that the self-test blames a correct sampler
_RUNS = 10_000  # draws for each law


def _tail(scale: Fraction, k: int, one_sided: bool) -> float:
    """P(draw >= k)."""
    if one_sided:
        return math.exp(-max(k, 0) / scale)
    if k <= 0:
        return 1 - _tail(scale, 1 - k, False)
    return math.exp(-k / scale) / (1 + math.exp(-1 / scale))


def _check_law(noise: _Noise, scale: Fraction, one_sided: bool, doubt: float) -> bool:
    """Whether counts of draws are where Bernstein's inequality wants them; a correct sampler fails with chance <= doubt."""
    edges = sorted({math.floor(scale * half / 2) for half in range(-8, 9)})
    edges = [edge for edge in edges if edge > 0 or not one_sided]
    draw = noise.exponential if one_sided else noise.laplace
    drawn = [draw(scale) for _ in range(_RUNS)]
    for low, high in zip([None, *edges], [*edges, None]):
        above = 1.0 if low is None else _tail(scale, low, one_sided)
        chance = above - (0.0 if high is None else _tail(scale, high, one_sided))
        hits = len([x for x in drawn if (low is None or x >= low) and (high is None or x < high)])
        room = math.log(2 * (len(edges) + 1) / doubt)
        variance = _RUNS * chance * (1 - chance)
        if abs(hits - _RUNS * chance) > room / 3 + math.sqrt(room * room / 9 + 2 * room * variance):
            return False
    return True


def _check_sampler(noise: _Noise) -> list[str]:
    """What is wrong with a source of noise, in words."""
    scales = [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(2**43, 7)]
    laws = [(scale, one_sided) for scale in scales for one_sided in (False, True)]
    return [
        f"{'exponential' if one_sided else 'Laplace'} noise of scale {scale} does not follow its law"
        for scale, one_sided in laws
        if not _check_law(noise, scale, one_sided, _FALSE_ALARM / len(laws))
    ]


def _answer_known(mechanism: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """The answer of a run with fixed noise."""

    class FixedNoise:
        """No noise at all in the sense of privacy: the same numbers in every run."""

        def __init__(self) -> None:
            self.turn = 0

        def __repr__(self) -> str:
            return "<NOT RANDOM, NOT PRIVATE: the fixed noise of a self-test>"

        def below(self, bound: int) -> int:
            return self.exponential(Fraction(bound)) % bound

        def exponential(self, scale: Fraction) -> int:
            self.turn += 1
            return math.floor(scale * Fraction(self.turn * 37 % 64, 24))

        def laplace(self, scale: Fraction) -> int:
            size = self.exponential(scale)
            return size if self.turn % 2 else -size

    return _run(mechanism.__wrapped__, mechanism._rounds, (), inputs, FixedNoise())  # type: ignore[attr-defined]


def _check_known(mechanism: Callable[..., Any], known: Sequence[tuple[Mapping[str, Any], Any]]) -> list[str]:
    """Runs with fixed noise against the answers that they gave when this file was written."""
    return [
        f"with fixed noise the answer for {dict(inputs)} is {found}, and it should be {answer}"
        for inputs, answer in known
        if repr(found := _answer_known(mechanism, inputs)) != repr(answer)
    ]


def _main(mechanism: Callable[..., Any], known: Sequence[tuple[Mapping[str, Any], Any]], words: str) -> int:
    """`--self-test`, or the words at the top of the file."""
    if sys.argv[1:] != ["--self-test"]:
        print(words)
        return 0 if not sys.argv[1:] or sys.argv[1] in ("-h", "--help") else 2
    failures = _check_sampler(_Sampler()) + _check_known(mechanism, known)
    for failure in failures:
        print(f"FAILED: {failure}")
    if not failures:
        print(
            f"{mechanism.__name__}: the noise follows its law (false alarms: at most 1 in {1 / _FALSE_ALARM:.0f}), "
            f"and {len(known)} runs with fixed noise gave the known answers."
        )
    return 1 if failures else 0
