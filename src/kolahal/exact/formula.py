"""An event's probability as a formula of the database and the scales: compiled once, evaluated many times at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from kolahal.engine.noise import FAMILIES, Array, IntArray
from kolahal.exact.finite import CoinCount, PickPlan
from kolahal.exact.laplace_sums import draws_of_sum, sum_probability
from kolahal.exact.polyhedra import AffineBound, Bounds, Density, Polyhedron, Potential
from kolahal.exact.star_integrals import MOST_LEAVES, Stars, integrate
from kolahal.exact.tree_quadrature import TreePlan, WeightedDraw, find_obstacle, integrate_tree
from kolahal.lang.noise import Noise
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.unknowns import Affine, AnswerAt

SMALLEST = 1e-280  # below this doubles lose digits, so nothing is said about such a probability
ROUNDINGS = 1e-9  # of what was added up: a difference that is smaller may have lost its digits
EXACT, UP, ABOVE, DOWN, BELOW = range(5)  # how a limit is rounded where the noise is whole


@dataclass(frozen=True, slots=True)
class Spoke:
    """What a leaf of a star is compared with; each entry lists rows of the table of limits."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    moving_low: tuple[int, ...]
    moving_high: tuple[int, ...]
    slope: int


@dataclass(frozen=True, slots=True)
class StarPlan:
    """A star whose limits are rows of a table."""

    noise: Noise
    site: int
    weight: float  # the centre's scale is its site's divided by this
    low: tuple[int, ...]
    high: tuple[int, ...]
    leaf_noise: Noise
    leaf_site: int
    leaf_weight: float
    spokes: tuple[Spoke, ...]


@dataclass(frozen=True, slots=True)
class SumPlan:
    """Bounds on the sum of `count` Laplace draws of one site."""

    site: int
    weight: float
    count: int
    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TreeProduct:
    """Where all facts hold, the product of the trees; each fact is a row of the table that is below or at 0."""

    facts: tuple[tuple[int, bool], ...]  # row, strict
    stars: tuple[StarPlan, ...]
    sums: tuple[SumPlan, ...]
    trees: tuple[TreePlan, ...]  # those that are neither
    coins: tuple[CoinCount, ...]
    picks: tuple[PickPlan, ...]
    sign: int


@dataclass(frozen=True, slots=True)
class EventFormula:
    """The probability of an event: a sum of products, each with its sign. Limits are `constants` + `answers` · point.

    A point is a database, followed by bounds of the event.
    """

    products: tuple[TreeProduct, ...]
    constants: Array  # (limits,)
    answers: Array  # (limits, answers)
    signs: Array  # (limits,)
    rounding: IntArray  # (limits,)

    def limits(self, points: Array) -> Array:
        """The values of all limits at each point, (points, limits), then −∞ and ∞."""
        values = self.constants + points[:, : self.answers.shape[1]] @ self.answers.T
        modes = self.rounding
        if (modes != EXACT).any():
            whole = np.round(values * 2**20) / 2**20  # products of decimals come back to the numbers they mean
            values = np.select(
                [modes == UP, modes == ABOVE, modes == DOWN, modes == BELOW],
                [np.ceil(whole), np.floor(whole) + 1, np.floor(whole), np.ceil(whole) - 1],
                values,
            )
        ends = np.broadcast_to([-math.inf, math.inf], (len(points), 2))
        return np.concatenate([values * self.signs, ends], axis=1)


@dataclass(slots=True)
class _NodeTable:
    rows: dict[tuple[Affine, int, int], int] = field(default_factory=dict)
    listed: list[tuple[Affine, int, int]] = field(default_factory=list)

    def add(self, form: Affine, rounding: int, sign: int) -> int:
        key = (form, rounding, sign)
        if key not in self.rows:
            self.rows[key] = len(self.listed)
            self.listed.append(key)
        return self.rows[key]

    def lows(self, limits: Sequence[AffineBound], whole: bool) -> tuple[int, ...]:
        return tuple(self.add(m.form, (ABOVE if m.strict else UP) if whole else EXACT, 1) for m in limits)

    def highs(self, limits: Sequence[AffineBound], whole: bool) -> tuple[int, ...]:
        return tuple(self.add(m.form, (BELOW if m.strict else DOWN) if whole else EXACT, 1) for m in limits)

    def negated(self, rows: Sequence[int]) -> tuple[int, ...]:
        found = (self.listed[row] for row in rows)
        return tuple(self.add(form, rounding, -sign) for form, rounding, sign in found)

    def formula(self, products: Sequence[TreeProduct]) -> EventFormula:
        entries: list[tuple[int, int, float]] = []
        for row, (form, _, _) in enumerate(self.rows):
            for symbol, coefficient in form.terms.items():
                assert isinstance(symbol, AnswerAt), "arguments have values here"
                entries.append((row, symbol.place, float(coefficient)))
        answers = np.zeros((len(self.rows), 1 + max((place for _, place, _ in entries), default=-1)))
        for row, place, value in entries:
            answers[row, place] = value
        return EventFormula(
            tuple(products),
            np.array([float(form.constant) for form, _, _ in self.rows]),
            answers,
            np.array([float(sign) for _, _, sign in self.rows]),
            np.array([rounding for _, rounding, _ in self.rows], dtype=np.int64),
        )


def compile_formula(polyhedra: Sequence[Polyhedron], noises: Sequence[Noise]) -> EventFormula | CannotIntegrate:
    """The formula of the polyhedra of an event."""
    table = _NodeTable()
    products: list[TreeProduct] = []
    for polyhedron in polyhedra:
        facts = tuple((table.add(fact.form, EXACT, 1), fact.strict) for fact in polyhedron.facts)
        picks = tuple(PickPlan(p.draw.site, tuple(table.add(g, EXACT, 1) for g in p.gaps)) for p in polyhedron.picks)
        stars: list[StarPlan] = []
        sums: list[SumPlan] = []
        trees: list[TreePlan] = []
        for node in polyhedron.trees:
            star = _plan_star(node, noises, table)
            if star is not None:
                stars.append(star)
                continue
            total = _plan_sum(node, noises, table)
            if total is not None:
                sums.append(total)
                continue
            whole = any(FAMILIES[noises[draw.site]].whole for draw in node.draws)
            tree = _plan_tree(node, noises, table, whole)
            obstacle = find_obstacle(tree)
            if obstacle is not None:
                return CannotIntegrate(obstacle)
            trees.append(tree)
        products.append(TreeProduct(facts, tuple(stars), tuple(sums), tuple(trees), polyhedron.coins, picks, polyhedron.sign))
    return table.formula(products)


def _plan_sum(node: Potential, noises: Sequence[Noise], table: _NodeTable) -> SumPlan | None:
    draws = draws_of_sum(node, noises[node.draws[0].site])
    if draws is None:
        return None
    bounds = next(part.bounds for part in node.walk() if part.bounds)
    first = draws[0]
    rows = table.lows(bounds.low, False), table.highs(bounds.high, False)
    return SumPlan(first.draw.site, float(abs(first.weight)), len(draws), *rows)


def _plan_tree(node: Potential, noises: Sequence[Noise], table: _NodeTable, whole: bool) -> TreePlan:
    own, link = (
        WeightedDraw(noises[d.draw.site], d.draw.site, float(d.weight)) if d is not None else None
        for d in (node.density, node.link_density)
    )
    return TreePlan(
        own,
        table.lows(node.bounds.low, whole),
        table.highs(node.bounds.high, whole),
        link,
        table.lows(node.link_bounds.low, whole),
        table.highs(node.link_bounds.high, whole),
        tuple(_plan_tree(child, noises, table, whole) for child in node.children),
    )


def _plan_star(tree: Potential, noises: Sequence[Noise], table: _NodeTable) -> StarPlan | None:
    """The tree as a star of one kind of leaves, if it is one."""
    root = tree.density
    if tree.height > 1 or root is None or len(tree.children) > MOST_LEAVES:
        return None
    noise = noises[root.draw.site]
    family = FAMILIES[noise]
    leaves = [_leaf(child) for child in tree.children]
    kinds = {(d.draw.site, abs(d.weight)) for d, *_ in leaves if d is not None}
    if len(kinds) > 1 or any(d is None for d, *_ in leaves):
        return None
    leaf_site, leaf_weight = kinds.pop() if kinds else (root.draw.site, abs(root.weight))
    leaf_noise = noises[leaf_site]
    whole = family.whole
    if FAMILIES[leaf_noise].whole != whole or (whole and (leaf_weight != 1 or abs(root.weight) != 1)):
        return None
    flip = not family.two_sided and root.weight < 0  # turn the whole star over, so that the centre is positive
    low, high = _turned(table, tree.bounds, whole, flip)
    spokes: list[Spoke] = []
    for density, still, moving, slope in leaves:
        assert density is not None
        negative = not FAMILIES[leaf_noise].two_sided and (density.weight < 0) != flip
        constant, moved = (_turned(table, part, whole, flip != negative) for part in (still, moving))
        spokes.append(Spoke(*constant, *moved, -slope if negative else slope))
    return StarPlan(
        noise,
        root.draw.site,
        float(abs(root.weight)),
        low,
        high,
        leaf_noise,
        leaf_site,
        float(leaf_weight),
        tuple(spokes),
    )


def _leaf(node: Potential) -> tuple[Density | None, Bounds, Bounds, int]:
    """The one draw of a leaf, the limits that stay, those that move with the centre, and which way."""
    if node.density is not None and node.link_density is None:
        return node.density, node.bounds, node.link_bounds, 1
    if node.density is None and node.link_density is not None:
        return node.link_density, node.link_bounds, node.bounds, -1
    return None, node.bounds, node.link_bounds, 1


def _turned(table: _NodeTable, bounds: Bounds, whole: bool, turn: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = table.lows(bounds.low, whole), table.highs(bounds.high, whole)
    return (table.negated(high), table.negated(low)) if turn else (low, high)


# ---------------------------------------------------------------- many formulas at once


@dataclass(frozen=True, slots=True)
class Group:
    """Stars of one kind, and whose they are."""

    stars: Stars
    sites: IntArray  # (stars,)
    weights: Array
    leaf_sites: IntArray
    leaf_weights: Array
    owner: IntArray  # the product that each star is a factor of


@dataclass(frozen=True, slots=True)
class Batch:
    """Formulas on concrete databases, ready for any scales."""

    groups: tuple[Group, ...]
    sums: tuple[tuple[SumPlan, IntArray, Array], ...]
    trees: tuple[tuple[TreePlan, IntArray, Array], ...]  # a tree, the products that it is a factor of, its limits there
    coins: tuple[tuple[CoinCount, IntArray], ...]  # how coins fell, and in which products
    picks: tuple[tuple[PickPlan, IntArray, Array], ...]
    owner: IntArray  # (products,): the question that each product is a part of
    signs: Array  # (products,)
    questions: int

    def probabilities(self, scales: Array) -> Array:
        """(questions, candidates), for scales by site of shape (candidates, sites); NaN where a tree is too large."""
        products = np.ones((len(self.owner), len(scales)))
        for group in self.groups:
            scale = scales.T[group.sites] / group.weights[:, None]
            leaf_scale = scales.T[group.leaf_sites] / group.leaf_weights[:, None]
            np.multiply.at(products, group.owner, integrate(group.stars, scale, leaf_scale))
        for plan, owner, limits in self.sums:
            rate = plan.weight / scales[:, plan.site]
            low = limits[:, list(plan.low)].max(axis=1, initial=-math.inf)[:, None] * rate
            high = limits[:, list(plan.high)].min(axis=1, initial=math.inf)[:, None] * rate
            products[owner] *= sum_probability(plan.count, low, high)
        for tree, owner, limits in self.trees:
            found = integrate_tree(tree, np.repeat(limits, len(scales), axis=0), np.tile(scales, (len(owner), 1)))
            products[owner] *= np.nan if isinstance(found, CannotIntegrate) else found.reshape(len(owner), -1)
        for coin, owner in self.coins:
            products[owner] *= coin.probability(scales)
        for pick, owner, limits in self.picks:
            products[owner] *= pick.probability(limits, scales)
        result = np.zeros((self.questions, len(scales)))
        np.add.at(result, self.owner, products * self.signs[:, None])
        if (self.signs < 0).any():
            size = np.zeros_like(result)
            np.add.at(size, self.owner, products)
            # What is left of a difference of doubles may be nothing but their roundings.
            result = np.where(result < ROUNDINGS * size, SMALLEST / 2, result)
        return result


FormulaQuestion: TypeAlias = tuple[EventFormula, tuple[Fraction, ...]]  # what is its value at this point?


def build_batch(questions: Sequence[FormulaQuestion]) -> Batch:
    """Many questions at once; those that share a formula are cheap together."""
    together: dict[int, list[int]] = {}
    for place, (formula, _) in enumerate(questions):
        together.setdefault(id(formula), []).append(place)
    count = 0
    owners: list[IntArray] = []
    signs: list[Array] = []
    blocks: dict[tuple[Noise, Noise, int], list[FormulaBlock]] = {}
    sums: list[tuple[SumPlan, IntArray, Array]] = []
    trees: list[tuple[TreePlan, IntArray, Array]] = []
    coins: dict[CoinCount, list[IntArray]] = {}
    picks: list[tuple[PickPlan, IntArray, Array]] = []
    for places in together.values():
        formula = questions[places[0]][0]
        points = np.array([[float(a) for a in questions[place][1]] for place in places]).reshape(len(places), -1)
        limits = formula.limits(points)
        for product in formula.products:
            holds = np.ones(len(places), dtype=bool)
            for row, strict in product.facts:
                holds &= limits[:, row] < 0 if strict else limits[:, row] <= 0
            rows = np.flatnonzero(holds)
            if len(rows):
                numbers = np.arange(count, count + len(rows))
                for star in product.stars:
                    blocks.setdefault(_kind(star), []).append(FormulaBlock(star, numbers, limits[rows]))
                sums += [(plan, numbers, limits[rows]) for plan in product.sums]
                trees += [(tree, numbers, limits[rows]) for tree in product.trees]
                picks += [(pick, numbers, limits[rows]) for pick in product.picks]
                for coin in product.coins:
                    coins.setdefault(coin, []).append(numbers)
                owners.append(np.array(places, dtype=np.int64)[rows])
                signs.append(np.full(len(rows), float(product.sign)))
                count += len(rows)
    groups = tuple(_build_group(members) for members in blocks.values())
    owner = np.concatenate(owners) if owners else np.zeros(0, dtype=np.int64)
    fallen = tuple((coin, np.concatenate(numbers)) for coin, numbers in coins.items())
    signed = np.concatenate(signs) if signs else np.zeros(0)
    return Batch(groups, tuple(sums), tuple(trees), fallen, tuple(picks), owner, signed, len(questions))


def _kind(star: StarPlan) -> tuple[Noise, Noise, int]:
    """Stars of one kind are integrated together; a few more leaves than needed cost less than another call."""
    return star.noise, star.leaf_noise, (len(star.spokes) + 2) // 3


@dataclass(frozen=True, slots=True)
class FormulaBlock:
    """One star on several databases."""

    star: StarPlan
    owner: IntArray  # (databases,)
    limits: Array  # (databases, limits)

    def fill(self, values: Array, rows: tuple[int, ...], highest: bool) -> None:
        """Put the strictest of the limits in `rows` into `values`; without any, leave what is there."""
        if len(rows) == 1:
            values[:] = self.limits[:, rows[0]]
        elif rows:
            chosen = self.limits[:, list(rows)]
            values[:] = chosen.max(axis=1) if highest else chosen.min(axis=1)

    def spread(self, value: float) -> Array:
        return np.full(len(self.owner), value)


def _build_group(blocks: Sequence[FormulaBlock]) -> Group:
    shape = (sum(len(block.owner) for block in blocks), max(len(block.star.spokes) for block in blocks))
    ends = (np.full(shape[0], -math.inf), np.full(shape[0], math.inf))
    bounds = [np.full(shape, fill) for fill in (-math.inf, math.inf, -math.inf, math.inf)]
    slope = np.ones(shape)
    first, first_star = 0, blocks[0].star
    for block in blocks:
        star, rows = block.star, slice(first, first + len(block.owner))
        block.fill(ends[0][rows], star.low, True)
        block.fill(ends[1][rows], star.high, False)
        for column, spoke in enumerate(star.spokes):
            slope[rows, column] = spoke.slope
            block.fill(bounds[0][rows, column], spoke.low, True)
            block.fill(bounds[1][rows, column], spoke.high, False)
            block.fill(bounds[2][rows, column], spoke.moving_low, True)
            block.fill(bounds[3][rows, column], spoke.moving_high, False)
        first += len(block.owner)
    return Group(
        Stars(first_star.noise, first_star.leaf_noise, *ends, bounds[0], bounds[1], bounds[2], bounds[3], slope),
        np.concatenate([block.spread(block.star.site) for block in blocks]).astype(np.int64),
        np.concatenate([block.spread(block.star.weight) for block in blocks]),
        np.concatenate([block.spread(block.star.leaf_site) for block in blocks]).astype(np.int64),
        np.concatenate([block.spread(block.star.leaf_weight) for block in blocks]),
        np.concatenate([block.owner for block in blocks]),
    )
