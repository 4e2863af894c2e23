"""Concrete inputs and noise to play two runs on: small numbers, where ties and near misses are common."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from kolahal.inputs.regions import public_points
from kolahal.lang import ir
from kolahal.lang.ir import Const, Negate, walk
from kolahal.lang.places import answers_needed
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Type
from kolahal.logic.compiled import compile_sum
from kolahal.logic.terms import BOOL, INT, REAL, Symbol
from kolahal.nouns import dataclass
from kolahal.proof.trusted.budget import powers_of
from kolahal.proof.trusted.neighbours import Neighbours, enclosing, least_length
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.symbols import LENGTH, MOVED_AT, Own, moved_by, moved_size, own
from kolahal.proof.trusted.values import Goto, Read

LONGEST = 40  # answers of one rehearsal


def _all_below(bits: Callable[[int], int], most: int, count: int) -> list[int]:
    """As `randrange(most)` gives them, in a third of the time."""
    size, drawn = most.bit_length(), list[int]()
    while len(drawn) < count:
        if (found := bits(size)) < most:
            drawn.append(found)
    return drawn


@dataclass(frozen=True, slots=True)
class Scenario:
    """Concrete inputs and noise; noise is found by site and number of the segment."""

    public: Mapping[Symbol, Any]
    quantities: Mapping[str, int]
    answers: tuple[Any, ...]
    moves: tuple[Any, ...]
    noise: Mapping[tuple[int, int], Any]
    ghost: int


def outer_loops(product: Product) -> list[int]:
    """The loops that hold others: a loop stands before those that it holds, and these lead back to it."""
    after = {here: {p.end.loop for p in paths if isinstance(p.end, Goto)} for here, paths in product.first.paths.items()}
    loops = [loop for loop in after if loop is not None]
    return [loop for loop in loops if any(loop in after[here] for here in loops if here > loop)]


class ScenarioSource:
    """Draws scenarios for a product and one set of moves."""

    def __init__(self, product: Product, neighbours: Neighbours, claim: Scale, seed: int):
        self.product, self.neighbours = product, neighbours
        scales = [draw.scale for draw in product.sketch.draws if isinstance(draw.scale, Scale)]
        # Long enough that a cost in every turn is more than the claim.
        steps = max((scale.coefficient for scale in scales), default=Fraction(1)) * claim.coefficient
        grows = any(power > 0 for scale in scales for _, power in powers_of(scale, product.sketch))  # with an argument up to 3
        self.long = min(max(8, math.ceil((6 if grows else 2) * steps)), LONGEST)
        self.most_segments = (2 * self.long + 8) * (4 if outer_loops(product) else 1)
        self.constants = self.near_constants()
        needed, least = answers_needed(product.sketch), least_length(product.sketch)
        more = [needed, needed + 1] if needed > 4 else []  # with fewer answers it may stop, which tells nothing
        counted = product.sketch.private.count
        self.sizes = [max(size, least) for size in (1, 2, 3, 4, self.long, *more)] if counted is None else [counted]
        self.adjacency = enclosing(product.sketch.adjacency)
        self.rng = random.Random(seed)

    def draw(self, count: int) -> list[Scenario]:
        return [self.draw_scenario(self.rng, index) for index in range(count)]

    def draw_scenario(self, rng: random.Random, index: int) -> Scenario:
        """Small numbers on the grid of the distance, so that ties and near misses are common."""
        step = self.neighbours.distance
        unit: Any = step.numerator if step.denominator == 1 else step
        size = self.sizes[index % len(self.sizes)]
        sketch = self.product.sketch
        public, quantities = self.draw_public(rng, size, unit)
        spread = rng.choice((1, 3))
        far = rng.choice((0, 0, 8))  # long rows of answers on one side of everything else
        levels = [rng.choice((-far, far)) for _ in range(3)]
        cuts = sorted(rng.randint(0, size) for _ in range(2))
        answers = tuple(
            (levels[sum(i >= cut for cut in cuts)] + rng.randint(-spread, spread)) * unit for i in range(size)
        )
        near = self.constants and rng.random() < 0.4  # answers next to the numbers that the program compares them with
        if near:
            answers = tuple(rng.choice(self.constants) for _ in range(size))
        moves = self.draw_moves(rng, size, unit)
        if near and rng.random() < 0.5:  # else across all of them
            aims = [rng.choice(self.constants) - answer for answer in answers]
            moves = tuple(aim if move * aim > 0 and abs(aim) < abs(move) else move for move, aim in zip(moves, aims))
        while not self.adjacency.allows(moves):  # a relation that these moves go beyond
            moves = self.draw_moves(rng, size, unit)
        if sketch.private.bits:
            answers, moves = self.draw_bits(rng, moves)
        if self.neighbours.single:
            at = next((i for i, move in enumerate(moves) if move), rng.randrange(size))
            by = moves[at]
            public[MOVED_AT] = at
            public[moved_by(self.neighbours.sort)] = by
            public[moved_size(self.neighbours.sort)] = abs(by)
        wide = rng.choice((1, 2, 4))
        below = partial(_all_below, rng.getrandbits)
        table: dict[tuple[int, int], Any] = {}
        for draw in sketch.draws:
            low = 0 if draw.noise.one_sided else -wide
            if draw.noise.selects:
                drawn = below(100, 2 * self.most_segments)
                units: Iterable[Any] = zip(drawn[::2], drawn[1::2])
            elif draw.noise.finite:
                units = below(2, self.most_segments)
            else:
                units = [(low + found) * unit for found in below(wide - low + 1, self.most_segments)]
            table |= {(draw.site, segment): found for segment, found in enumerate(units)}
            if draw.noise.finite or draw.noise.selects:
                continue
            if rng.random() < 0.5:  # what is drawn first, a threshold, is often far from the answers
                table[draw.site, 0] = rng.choice((low and -8, 8)) * unit + table[draw.site, 0]
        return Scenario(public, quantities, answers, moves, table, rng.randint(-1, size + 1))

    def draw_public(self, rng: random.Random, size: int, unit: Any) -> tuple[dict[Symbol, Any], dict[str, int]]:
        """Public inputs, also as the quantities that scales are made of."""
        sketch = self.product.sketch
        public: dict[Symbol, Any] = {LENGTH: size}
        quantities = {sketch.length_name: size}
        for parameter in sketch.parameters:
            if parameter.role is Role.PRIVATE:
                continue
            if parameter.role is Role.EPSILON:
                public[Symbol(parameter.name, "Real")] = 1
            elif parameter.type is Type.BOOL:
                public[Symbol(parameter.name, BOOL)] = rng.random() < 0.5
            elif parameter.type is Type.INT:
                quantities[parameter.name] = public[Symbol(parameter.name, INT)] = size if parameter.counts else rng.choice((1, 1, 2, 3))
            else:
                public[Symbol(parameter.name, "Real")] = rng.randint(-2, 2) * unit
        points = public_points(sketch, size)
        if points and rng.random() < 0.7:  # on every side of conditions on public inputs alone
            for name, value in rng.choice(points).items():
                self.set_public(name, value, public, quantities)
        for opaque in self.product.first.opaque:  # in the order in which they were met, so that inner ones come first
            left, right = compile_sum(opaque.left)(public), compile_sum(opaque.right)(public)
            public[opaque.symbol] = left * right if opaque.op == "*" else Fraction(left) / right if right else 0
        return public, quantities

    def set_public(self, name: str, value: Fraction, public: dict[Symbol, Any], quantities: dict[str, int]) -> None:
        plain: Any = value.numerator if value.denominator == 1 else value
        if name in quantities:
            quantities[name] = public[Symbol(name, INT)] = plain
        else:
            public[Symbol(name, "Real")] = plain

    def draw_bits(self, rng: random.Random, moves: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Bits, of which those are turned over that would move, the way that they would."""
        signs = [(move > 0) - (move < 0) for move in moves]
        return tuple((1 - sign) // 2 if sign else rng.randint(0, 1) for sign in signs), tuple(signs)

    def near_constants(self) -> list[Any]:
        """The numbers of the program, and what is next to them."""
        step = min(self.neighbours.distance, Fraction(1))
        nodes = list(walk(self.product.sketch.body))
        values = {node.value for node in nodes if isinstance(node, Const) and isinstance(node.value, Fraction)}
        values |= {-node.of.value for node in nodes if isinstance(node, Negate) and isinstance(node.of, Const) and isinstance(node.of.value, Fraction)}
        exact = sorted(values, key=lambda value: (abs(value), value))[:6]
        near = sorted({value + sign * step for value in exact for sign in (-1, 0, 1)})
        return [value.numerator if value.denominator == 1 else value for value in near if not self.neighbours.whole or value.denominator == 1]

    def draw_moves(self, rng: random.Random, size: int, unit: Any) -> tuple[Any, ...]:
        low, high = self.neighbours.ends
        if self.neighbours.single:
            at, by = rng.randrange(size), rng.choice((low, high, high, low, 0)) * unit
            return tuple(by if i == at else 0 for i in range(size))
        corners = [c for c in (low, high) if c] if rng.random() < 0.7 else [low, 0, high]
        return tuple(rng.choice(corners) * unit for _ in range(size))


def contents(name: str, run: int) -> Symbol:
    """What stands in a list of a run's own, where rehearsals keep it: in programs with lists of noise that are drawn at once."""
    return own(name, run, "List", ".items")


def item_of(read: Read, at: int, scenario: Scenario, state: Mapping[Symbol, Any]) -> Any:
    """What stands in a list of the program's own: where rehearsals know the length alone, the same in both runs."""
    if isinstance(read.symbol, Own) and isinstance(read.spot.of, str) and 0 <= at < len(kept := state.get(contents(read.spot.of, read.symbol.run), ())):
        return kept[at]
    if read.private or read.symbol.sort == REAL:
        return 0
    return (at + scenario.ghost) % 2 == 0 if read.symbol.sort == BOOL else at % len(scenario.answers)


def drawn_for(body: ir.Block, names: set[str], nodes: Sequence[ir.Stmt]) -> set[int]:
    """The draws for items of the lists that names stand for, or that they and some statements are computed from."""
    known = names.union(*map(ir.names_read, nodes))
    while more := {name for target, value in ir.assignments(body) if target in known for name in ir.names_read(value)} - known:
        known |= more
    lists = [value for target, value in ir.assignments(body) if target in known and isinstance(value, ir.Comprehension)]
    return {part.site for part in ir.walk(tuple(lists)) if isinstance(part, ir.Draw)}
