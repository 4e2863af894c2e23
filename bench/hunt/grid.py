"""Brute force: the noise of a mechanism on a lattice, every combination run, the answers' probabilities added up.

It shares nothing with provers and refuters but the batch engine. Noise takes the values δ·(k + u) for whole k, with a
random offset u for each draw, so that comparisons have no ties, and masses in proportion to its density. Draws of one law
in two branches of which a run takes one share their offset: a release in either is the same release. A shift by
lattice steps changes a mass by a factor exp(|shift|/scale), as it does the density; so an alignment that is valid, and
moves by lattice steps, keeps every answer's loss at its cost or less, exactly, also here. The first database's noise is
cut off to a box and the second's to a box that is wider by all that shifts may need, which can only hide losses. Where
shifts are fractions of steps (an answer is hidden by three times the noise), a finer lattice has the last word.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from kolahal.engine import batch
from kolahal.engine.noise import FAMILIES, Array
from kolahal.engine.outputs import NUMBER, SCALAR, Outputs
from kolahal.engine.tape import Tape, Turns
from kolahal.exact.intervals import site_scales
from kolahal.lang.ir import Binary, Block, Break, Const, Continue, Draw, For, If, Return, While, walk
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments, Database

Address = tuple[Noise, int, Turns]
Answers = tuple[NDArray[np.float64], Outputs]  # a number for each answer, equal where answers are; and the answers
TOLERANCE = 1e-6  # of a loss in units of ε; sums of doubles are exact to 1e-12
HALF = Fraction(1, 2)
MOST_ITEMS = 200  # of an answer that are looked at
MARGIN = 6  # lattice steps, in units of the adjacency's distance, that a shift may need


class TooLarge(Exception):
    """The lattice has too many points."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The largest loss of an answer, in units of ε, and where it is."""

    value: float
    d1: Database
    d2: Database
    arguments: Arguments
    answer: object

    def __str__(self) -> str:
        shown = [[str(a) for a in d] for d in (self.d1, self.d2)]
        return f"loss {self.value:.4g} ε at {shown[0]} → {shown[1]}, {self.arguments}, answer {self.answer}"


class _Addresses(Tape):
    """A tape of a few runs that remembers where noise was asked for."""

    def seen(self) -> set[Address]:
        return set(self._drawn)


class _Lattice:
    """All combinations of lattice noise at some addresses, as a tape."""

    def __init__(self, sketch: Sketch, arguments: Arguments, addresses: Sequence[Address], step: Fraction, most: int):
        rng = random.Random(str((sketch.name, len(addresses), step)))
        scales = site_scales(sketch, arguments, ())
        margin = math.ceil(MARGIN * sketch.adjacency.distance / step)
        reach = 14.0  # noise scales
        while True:
            radii = [max(2, math.ceil(reach * float(scales[site] / step))) for _, site, _ in addresses]
            sides = [
                r + margin + 1 if not FAMILIES[noise].two_sided else 2 * (r + margin) + 1
                for r, (noise, _, _) in zip(radii, addresses, strict=True)
            ]
            if math.prod(sides) <= most:
                break
            if all(r == 2 for r in radii) or reach < 1.5:
                raise TooLarge
            reach *= 0.8
        self.runs = math.prod(sides)
        places = np.unravel_index(np.arange(self.runs), sides) if sides else ()
        self.inner, self.mass = np.ones(self.runs, dtype=bool), np.ones(self.runs)
        self.noise: dict[Address, Array] = {}
        offsets: dict[tuple[Noise, Fraction, int, Turns], float] = {}
        orders = _orders(sketch.body, scales)
        for address, place, radius in zip(addresses, places, radii, strict=True):
            noise, site, turns = address
            family = FAMILIES[noise]
            k = place - (radius + margin) * family.two_sided
            scale = float(scales[site])
            if family.whole:
                if step.denominator != 1:
                    raise TooLarge  # noise on the whole numbers has steps of 1
                value = k.astype(float) * float(step)
            else:
                offset = offsets.setdefault((noise, scales[site], orders[site], turns), rng.uniform(0.05, 0.95))
                value = float(step) * (k + offset)
            self.inner &= np.abs(k) <= radius
            self.mass *= np.exp(-np.abs(value) / scale)
            self.noise[address] = _units(noise, value, scale)

    def units(self, noise: Noise, site: int, turns: Turns) -> Array:
        return self.noise[noise, site, turns]

    def has(self, noise: Noise, site: int, turns: Turns) -> bool:
        return (noise, site, turns) in self.noise


def _orders(body: Block, scales: Sequence[Fraction]) -> dict[int, int]:
    """For each draw, how many of its law may come before it in a turn of the loop that it stands in, at most."""
    orders: dict[int, int] = {}

    def draws(part: object, seen: Counter[tuple[Noise, Fraction]]) -> None:
        for node in walk(part):
            if isinstance(node, Draw):
                law = node.noise, scales[node.site]
                orders[node.site] = seen[law]
                seen[law] += 1

    def block(statements: Block, seen: Counter[tuple[Noise, Fraction]]) -> Counter[tuple[Noise, Fraction]] | None:
        """What was seen at the end, or None where no run gets there."""
        for statement in statements:
            match statement:
                case If(test, then, orelse):
                    draws(test, seen)
                    ends = [end for part in (then, orelse) if (end := block(part, seen.copy())) is not None]
                    if not ends:
                        return None
                    seen = reduce(or_, ends)
                case While(test, inner):
                    draws(test, seen)
                    block(inner, seen)
                case For(_, _, inner):
                    block(inner, seen)
                case Return(value):
                    draws(value, seen)
                    return None
                case Break() | Continue():
                    return None
                case _:
                    draws(statement, seen)
        return seen

    block(body, Counter())
    return orders


def _units(noise: Noise, value: Array, scale: float) -> Array:
    """The unit variates of which a family makes `value`."""
    match noise:
        case Noise.DISCRETE_LAPLACE:
            return np.stack([(np.maximum(value, 0) + 0.5) / scale, (np.maximum(-value, 0) + 0.5) / scale])
        case Noise.GEOMETRIC:
            return ((value + 0.5) / scale)[None]
        case _:
            return (value / scale)[None]


def largest_loss(
    sketch: Sketch,
    seed: int = 0,
    sizes: Sequence[int] = (1, 2),
    epsilon: Fraction = Fraction(4),
    most: int = 20_000,
    bases: int = 2,
    moves: int = 3,
    stop: float = math.inf,
    finer: int = 1,
) -> Loss | None:
    """The largest loss of any answer on random databases and neighbours; None if no lattice was small enough."""
    worst: Loss | None = None
    for d1, d2, arguments, found in losses(sketch, seed, sizes, epsilon, most, bases, moves, finer):
        if worst is None or found[0] > worst.value:
            worst = Loss(found[0], d1, d2, arguments, found[1])
        if worst.value > stop:
            break
    return worst


def losses(
    sketch: Sketch, seed: int, sizes: Sequence[int], epsilon: Fraction, most: int, bases: int, moves: int, finer: int
) -> Iterator[tuple[Database, Database, Arguments, tuple[float, object]]]:
    """Neighbours with the largest loss of an answer, both ways, as far as lattices are small enough."""
    rng = random.Random(seed)
    whole = any(FAMILIES[draw.noise].whole for draw in sketch.draws)
    unit = Fraction(1) if whole else sketch.adjacency.distance
    halves = any(
        (isinstance(node, Const) and node.value == HALF) or (isinstance(node, Binary) and node.op == "/")
        for node in walk(sketch.body)
    )
    step = unit / finer / (2 if halves else 1) if not whole else unit
    for size in sizes:
        for _ in range(bases):
            arguments = Arguments(epsilon, size, tuple(_values(sketch, rng, unit)))
            database = tuple(rng.choice((-4, -2, -1, 0, 0, 1, 2, 4)) * unit for _ in range(size))
            chosen = _moves(sketch, size, unit, rng, moves)
            try:
                space = _Space(sketch, arguments, step, most)
                others = [_plus(database, move) for move in chosen]
                first, *rest = space.answers(database, *others)
                for other, second in zip(others, rest, strict=True):
                    yield database, other, arguments, _compare(space.lattice, first, second, epsilon)
                    yield other, database, arguments, _compare(space.lattice, second, first, epsilon)
            except TooLarge:
                break


def _values(sketch: Sketch, rng: random.Random, step: Fraction) -> Iterator[tuple[str, Fraction | bool]]:
    for parameter in sketch.arguments:
        match parameter.type:
            case Type.INT:
                yield parameter.name, Fraction(rng.choice((1, 1, 2)))
            case Type.BOOL:
                yield parameter.name, rng.random() < 0.5
            case _:
                yield parameter.name, rng.choice((-1, 0, 0, 1)) * step


def _moves(sketch: Sketch, size: int, step: Fraction, rng: random.Random, most: int) -> list[tuple[Fraction, ...]]:
    """Some moves by lattice steps, corners of the relation among them."""
    steps = int(sketch.adjacency.distance / step)
    everything = itertools.product([k * step for k in range(-steps, steps + 1)], repeat=size)
    allowed = [move for move in everything if any(move) and sketch.adjacency.allows(move)]
    corners = [move for move in sketch.adjacency.vertices(size) if move in allowed]
    chosen = rng.sample(corners, min(len(corners), most))
    return chosen + rng.sample(allowed, min(len(allowed), max(1, most - len(chosen))))[: max(0, most - len(chosen)) + 1]


def _plus(database: Database, move: Sequence[Fraction]) -> Database:
    return tuple(a + b for a, b in zip(database, move, strict=True))


class _Space:
    """The lattice for one setting of the arguments, over all noise that some databases ask for."""

    def __init__(self, sketch: Sketch, arguments: Arguments, step: Fraction, most: int):
        self.sketch, self.arguments, self.step, self.most = sketch, arguments, step, most
        self.lattice = _Lattice(sketch, arguments, (), step, most)
        self.weights = np.random.default_rng(5).uniform(1, 2, 2 * MOST_ITEMS)

    def answers(self, *databases: Database) -> list[Answers]:
        """The answers of all combinations on each database."""
        probe = _Addresses((17,), 200)
        for database in databases:
            batch.run(self.sketch, database, self.arguments, (), probe)
        addresses = probe.seen()
        while True:
            lattice = _Lattice(self.sketch, self.arguments, sorted(addresses, key=str), self.step, self.most)
            try:
                found = [batch.run(self.sketch, d, self.arguments, (), lattice) for d in databases]  # type: ignore[arg-type]
            except KeyError as error:  # noise that is needed so rarely that the probe has missed it
                addresses.add(error.args[0])
            else:
                self.lattice = lattice
                return [(self.names(outputs), outputs) for outputs in found]

    def names(self, outputs: Outputs) -> NDArray[np.float64]:
        w = self.weights
        total = 97.0 * outputs.lengths.astype(float)
        width = outputs.values.shape[0]
        for place in range(min(width, MOST_ITEMS)):
            there = outputs.lengths > place if place else (outputs.lengths == SCALAR) | (outputs.lengths > 0)
            kinds = np.where(there, outputs.kinds[place], 0)
            total = total + 31 * w[2 * place] * kinds
            total = total + w[2 * place + 1] * np.where(there & (kinds >= NUMBER - 1), outputs.values[place], 0.0)
        return np.round(total, 7)


def _compare(
    lattice: _Lattice,
    first: Answers,
    second: Answers,
    epsilon: Fraction,
) -> tuple[float, object]:
    """The largest loss of an answer in units of ε, and the answer."""
    names, inverse = np.unique(np.concatenate([first[0], second[0]]), return_inverse=True)
    here, there = inverse[: lattice.runs], inverse[lattice.runs :]
    p1 = np.bincount(here, np.where(lattice.inner, lattice.mass, 0.0), len(names))
    p2 = np.bincount(there, lattice.mass, len(names))
    # What only the smallest masses say may be rounding of what the boxes cut off.
    seen = p1 > 1e-12 * p1.sum()
    with np.errstate(divide="ignore"):
        loss = np.where(seen, np.log(np.where(seen, p1, 1.0)) - np.log(p2), -np.inf)
    worst = int(np.argmax(loss))
    return float(loss[worst]) / float(epsilon), first[1].row(int(np.argmax(here == worst)))


def loss_above(
    sketch: Sketch,
    bound: float,
    seed: int = 0,
    most: int = 20_000,
    bases: int = 2,
    sizes: Sequence[int] = (1, 2),
) -> Loss | None:
    """The largest loss; one above the bound must show on a finer lattice too. None if no lattice was small enough."""
    found = largest_loss(sketch, seed, sizes, most=most, bases=bases)
    if found is None or found.value <= bound + TOLERANCE:
        return found
    return largest_loss(sketch, seed, sizes, most=50 * most, bases=bases, finer=6)
