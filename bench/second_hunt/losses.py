"""Which inputs are tried, and how large a loss their exact distributions show for certain."""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from types import CodeType
from typing import Any

from bench.second_hunt.machine import (
    BUILTINS,
    ONE_SIDED,
    WHOLE,
    Distribution,
    Draws,
    Limits,
    Machine,
    Support,
    names_for,
    run,
    whole_noise,
)

SURE = 1e-6  # relative room for the rounding of doubles, which is far smaller
ROUGH, FINE = Limits(2_000, 1e-6, 1e-4), Limits(30_000, 1e-9, 1e-7)


@dataclass(frozen=True, slots=True)
class Signature:
    """What the text says of a program's inputs."""

    relation: str
    distance: Fraction
    whole: bool  # private answers
    size: int  # how many, or 0
    arguments: tuple[tuple[str, str], ...]  # name, type
    required: frozenset[str]  # whole arguments that must be at least 1: scales use them, or `%` divides by them
    noises: frozenset[str]
    scales: tuple[CodeType, ...] = ()
    private: str = "q"
    epsilon: str = "eps"


def read_signature(text: str) -> Signature:
    """The signature of the last decorated function."""
    function = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.decorator_list][-1]
    decorator = function.decorator_list[-1]
    assert isinstance(decorator, ast.Call)
    relation = decorator.keywords[0].value
    assert isinstance(relation, ast.Call)
    distance = Fraction(ast.unparse(relation.args[0]).replace(" ", ""))
    private, epsilon, whole, size, arguments = "", "", False, 0, []
    for argument in function.args.args:
        assert argument.annotation is not None
        annotation = ast.unparse(argument.annotation)
        if annotation.startswith("Private"):
            private, whole = argument.arg, "int" in annotation
            size = int("".join(filter(str.isdigit, annotation)) or 0)
        elif annotation == "Epsilon":
            epsilon = argument.arg
        else:
            arguments.append((argument.arg, annotation))
    draws = [n for n in ast.walk(function) if isinstance(n, ast.Call) and ast.unparse(n.func) in ONE_SIDED]
    used = {n.id for draw in draws for n in ast.walk(draw.args[0]) if isinstance(n, ast.Name)}
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Mod):
            divisor = node.right if isinstance(node, ast.BinOp) else node.value
            used |= {n.id for n in ast.walk(divisor) if isinstance(n, ast.Name)}
    scales = tuple(compile(ast.unparse(draw.args[0]), "<scale>", "eval") for draw in draws)
    return Signature(
        ast.unparse(relation.func),
        distance,
        whole,
        size,
        tuple(arguments),
        frozenset(name for name, kind in arguments if kind == "int" and name in used),
        frozenset(ast.unparse(draw.func) for draw in draws),
        scales,
        private,
        epsilon,
    )


@dataclass(frozen=True, slots=True)
class Inputs:
    """Two neighbours, ε and the public arguments."""

    d1: tuple[Fraction, ...]
    d2: tuple[Fraction, ...]
    epsilon: Fraction
    arguments: tuple[tuple[str, Fraction | bool], ...] = ()


def are_neighbours(signature: Signature, d1: tuple[Fraction, ...], d2: tuple[Fraction, ...]) -> bool:
    """Whether the relation allows the two, as the language page has it."""
    moves = [b - a for a, b in zip(d1, d2, strict=False)]
    if len(d1) != len(d2) or (signature.size and len(d1) != signature.size):
        return False
    if signature.whole and any(x.denominator != 1 for x in (*d1, *d2)):
        return False
    most = max(map(abs, moves), default=Fraction(0))
    match signature.relation:
        case "each_within":
            return most <= signature.distance
        case "one_within":
            return most <= signature.distance and sum(m != 0 for m in moves) <= 1
        case "sum_within":
            return sum(map(abs, moves)) <= signature.distance
        case _:
            one_way = all(m >= 0 for m in moves) or all(m <= 0 for m in moves)
            return one_way and most <= signature.distance


def moves_of(signature: Signature, size: int, step: Fraction) -> list[tuple[Fraction, ...]]:
    """All moves of neighbours in multiples of `step`, except none at all."""
    most = math.floor(signature.distance / step)
    single = [step * k for k in range(-most, most + 1)]
    found = itertools.product(single, repeat=size)
    start = (Fraction(0),) * size
    wholesome = Signature(signature.relation, signature.distance, False, 0, (), frozenset(), frozenset())
    return [move for move in found if any(move) and are_neighbours(wholesome, start, move)]


def inputs_for(signature: Signature, rng: random.Random, step: Fraction, most: int = 3) -> Iterator[Inputs]:
    """Endless random inputs whose answers, moves and real arguments are multiples of `step`."""
    step = Fraction(1) if signature.whole else step
    levels = [step * k for k in range(-int(3 / step), int(3 / step) + 1)]
    while True:
        size = signature.size or rng.choices(range(1, most + 1), (3, 5, 2)[:most])[0]
        moves = moves_of(signature, size, step)
        if not moves:
            return
        largest = [m for m in moves if max(map(abs, m)) == signature.distance]
        d1 = tuple(rng.choice((Fraction(0), Fraction(1), rng.choice(levels))) for _ in range(size))
        likely = largest if largest and rng.random() < 0.7 else moves
        first = [m for m in likely if m[0]]  # most programs read the first answer
        move = rng.choice(first if first and rng.random() < 0.6 else likely)
        d2 = tuple(a + b for a, b in zip(d1, move, strict=True))
        given = tuple(_argument(signature, name, kind, rng, levels) for name, kind in signature.arguments)
        yield Inputs(d1, d2, _epsilon(signature, size, dict(given), rng), given)


EPSILONS = tuple(map(Fraction, ("1/4", "1", "2", "3", "5", "8")))


def _epsilon(signature: Signature, size: int, given: dict[str, Any], rng: random.Random) -> Fraction:
    """An ε at which noise is a few steps wide: a claim is about every ε, and narrow noise has few values."""
    names = {signature.private: range(size), signature.epsilon: Fraction(1)} | given
    widest = max([1.0, *(float(eval(scale, {"__builtins__": BUILTINS}, names)) for scale in signature.scales)])
    wanted = widest / rng.choice((0.4, 0.8, 1.5))
    if len(signature.scales) < 2 and rng.random() < 0.3:
        wanted = rng.choice((0.25, 1, 3))
    return min(EPSILONS, key=lambda epsilon: abs(math.log(epsilon / Fraction(wanted))))


def _argument(
    signature: Signature, name: str, kind: str, rng: random.Random, levels: list[Fraction]
) -> tuple[str, Fraction | bool]:
    match kind:
        case "bool":
            return name, rng.random() < 0.5
        case "int" if name in signature.required:
            return name, Fraction(rng.choice((1, 1, 2, 3)))
        case "int":
            return name, Fraction(rng.choice((1, 2, 3, 0, -1, -3)))
        case _:
            whole_only = signature.noises & set(WHOLE)
            level = rng.choice(levels)
            return name, Fraction(math.floor(level)) if whole_only else level


def values_for(signature: Signature, inputs: Inputs, second: bool) -> dict[str, Any]:
    """The parameters of a run, in numbers that Python computes with exactly: whole ones, and halves as doubles."""
    database = inputs.d2 if second else inputs.d1
    values: dict[str, Any] = {
        signature.private: [simple(x) for x in database],
        signature.epsilon: simple(inputs.epsilon),
    }
    return values | {name: v if isinstance(v, bool) else simple(v) for name, v in inputs.arguments}


def simple(number: Fraction) -> int | float | Fraction:
    """The same number without Fraction, if it is a double."""
    if number.denominator == 1:
        return number.numerator
    return float(number) if Fraction(float(number)) == number else number


# ---------------------------------------------------------------- noise and distributions


def grid_draws(step: Fraction, tail: float) -> Draws:
    """Whole noise as it is; real noise as its discrete kin on multiples of `step`, as emitted programs draw it."""
    cache: dict[tuple[str, float], Support] = {}

    def draws(name: str, scale: Any) -> Support:
        found = cache.get((name, scale))
        if found is None:
            unit = 1 if name in WHOLE else simple(step)
            steps = whole_noise(ONE_SIDED[name], float(scale) / unit, tail)
            found = Support(tuple((k * unit, p) for k, p in steps.values), steps.rest)
            cache[name, scale] = found
        return found

    return draws


Pair = Callable[[Inputs, Limits], tuple[Distribution, Distribution] | None]  # None where the inputs are refused


def pair_of(machine: Machine, signature: Signature, step: Fraction) -> Pair:
    """The distributions of a text on the two neighbours; real noise is on the grid of `step`."""

    def pair(inputs: Inputs, limits: Limits) -> tuple[Distribution, Distribution]:
        names = names_for(grid_draws(step, limits.tail))
        first, second = (run(machine, values_for(signature, inputs, way), limits, names) for way in (False, True))
        return first, second

    return pair


# ---------------------------------------------------------------- losses


@dataclass(frozen=True, slots=True)
class Loss:
    """An event, and how much its probability differs between two neighbours, at least."""

    value: float  # log-ratio over ε
    event: tuple[Any, ...]  # its likeliest answers first
    low: float  # of its probability where it is likelier
    high: float  # of that on the other database
    flipped: bool  # whether it is likelier on d2
    inputs: Inputs | None = None


NO_LOSS = Loss(0.0, (), 0.0, 1.0, False)


def certain_loss(first: Distribution, second: Distribution, epsilon: Fraction) -> Loss:
    """The largest loss that some set of answers shows for certain, whatever the unknown runs answer."""
    ways = [_one_way(first, second, False), _one_way(second, first, True)]
    best = max(ways, key=lambda loss: loss.value)
    return Loss(best.value / float(epsilon), best.event, best.low, best.high, best.flipped)


def _one_way(first: Distribution, second: Distribution, flipped: bool) -> Loss:
    """Answers by their ratio, largest first: the best set is a beginning of that order."""
    other = second.answers
    order = sorted(first.answers, key=lambda a: -first.answers[a] / (other.get(a, 0.0) + 1e-300))
    low, high, best = 0.0, second.unknown, (-math.inf, 0, 0.0, 1.0)
    for place, answer in enumerate(order):
        low, high = low + first.answers[answer], high + other.get(answer, 0.0)
        value = math.log(low / high) if high > 0 and low > 0 else math.inf if low > 0 else -math.inf
        if value > best[0]:
            best = value, place + 1, low, high
    event = sorted(order[: best[1]], key=lambda a: -first.answers[a])
    return Loss(best[0], tuple(event), best[2], best[3], flipped)


def exceeds(loss: Loss, claim: float = 1.0) -> bool:
    """Whether a loss is above the claim for certain, rounding of doubles included."""
    return loss.value > claim * (1 + SURE) + SURE


def probability(found: Distribution, event: Callable[[Any], bool]) -> tuple[float, float]:
    """Between which bounds the probability of an event is."""
    low = found.at_least(event)
    return low, min(1.0, low + found.unknown)


@dataclass(frozen=True, slots=True)
class Search:
    """The largest certain loss among the inputs that were tried."""

    worst: Loss
    tried: int
    known: float  # the largest share of the runs that was followed to its end
    answered: float  # the largest probability of an answer
    stray: frozenset[str]


def search_loss(pair: Pair, inputs: Iterable[Inputs], claim: float = 1.0, quick: int = 300) -> Search:
    """Try the inputs one by one, roughly and then, where there is hope, finely; the first loss above the claim ends it."""
    worst, tried, known, answered = NO_LOSS, 0, 0.0, 0.0
    stray: set[str] = set()
    for one in inputs:
        found = pair(one, ROUGH)
        if found is None:
            continue
        tried += 1
        loss = certain_loss(*found, one.epsilon)
        unknown = found[0].unknown + found[1].unknown
        hope = found[0].executions < quick or loss.value > 0.7 * claim
        if not exceeds(loss, claim) and 0 < unknown < 0.4 and hope:
            found = pair(one, FINE) or found
            loss = certain_loss(*found, one.epsilon)
        known, answered = max(known, 1 - found[0].unknown), max(answered, sum(found[0].answers.values()))
        stray |= found[0].stray | found[1].stray
        if loss.value > worst.value:
            worst = replace(loss, inputs=one)
        if exceeds(worst, claim):
            break
    return Search(worst, tried, known, answered, frozenset(stray))
