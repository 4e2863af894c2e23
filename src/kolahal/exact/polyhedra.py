"""Events as polyhedra of the noise: what has to be integrated, for any database and any scales.

A program of fixed size falls apart into paths (`paths/explore.py`), an event cuts some of them out, and each one
left is a polyhedron of independent draws. Its comparisons tie the draws together; where they do so as a tree, the
probability is a chain of one-dimensional integrals, and rings are opened first (`rings.py`). A tree is written with *potentials*: every draw and every
compared sum of draws is a difference of two nodes, or of a node and the ground, which is 0. A threshold with one draw
a query is a star, running sums are a chain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.exact.finite import CoinCount, coins_ball, count_coins, picks_ball
from kolahal.exact.rings import MOST_PARTS, PlacedRow, untie
from kolahal.lang.noise import Noise
from kolahal.logic.linear import Number, number, plain
from kolahal.model import Event
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate, cut
from kolahal.paths.state import ChosenPlace, Path
from kolahal.paths.unknowns import Affine, Atom, Atoms, Indeterminate, NoiseAt

MOST_TRIES = 2_000  # ways of placing draws that are looked at for one polyhedron

GROUND = 0


@dataclass(frozen=True, slots=True)
class AffineBound:
    """A bound on a difference: an affine form of the private answers and arguments."""

    form: Affine
    strict: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """A difference is at least every one of `low` and at most every one of `high`."""

    low: tuple[AffineBound, ...] = ()
    high: tuple[AffineBound, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.low or self.high)


FREE = Bounds()


@dataclass(frozen=True, slots=True)
class Density:
    """A draw is `weight` times the difference of a node and the ground, or its parent."""

    draw: NoiseAt
    weight: Fraction


@dataclass(frozen=True, slots=True)
class Potential:
    """A potential: how it stands to the ground, how to its parent, and what hangs on it."""

    density: Density | None  # against the ground
    bounds: Bounds
    link_density: Density | None  # against the parent
    link_bounds: Bounds
    children: tuple[Potential, ...]

    @property
    def height(self) -> int:
        return 1 + max((child.height for child in self.children), default=-1)

    def walk(self) -> Iterator[Potential]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def draws(self) -> tuple[NoiseAt, ...]:
        return tuple(d.draw for node in self.walk() for d in (node.density, node.link_density) if d is not None)


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """Where the `facts` about the database hold, the product of the trees' probabilities; otherwise 0."""

    facts: Atoms
    trees: tuple[Potential, ...]
    coins: tuple[CoinCount, ...] = ()
    picks: tuple[ChosenPlace, ...] = ()
    sign: int = 1  # −1 if it is to be taken away from others, which hold it


# ---------------------------------------------------------------- comparisons → trees


def build_polyhedra(
    paths: Iterable[Path], event: Event, noises: Sequence[Noise]
) -> tuple[Polyhedron, ...] | CannotIntegrate:
    """The polyhedra of an event, whose probabilities add up to its own, each with its sign."""
    found: list[Polyhedron] = []
    for path in paths:
        parts = cut(event, path.output, noises)
        if isinstance(parts, CannotIntegrate):
            return parts
        for part in parts:
            built = _polyhedra_of((*path.atoms, *part), noises)
            if isinstance(built, CannotIntegrate):
                return built
            if any(isinstance(symbol, NoiseAt) for pick in path.picks for gap in pick.gaps for symbol in gap.terms):
                return CannotIntegrate("a place is chosen by scores that have noise of their own")
            found += [replace(one, picks=path.picks) for one in built]
    return tuple(found)


def _polyhedra_of(atoms: Atoms, noises: Sequence[Noise]) -> list[Polyhedron] | CannotIntegrate:
    """The trees of comparisons that hold together; draws that no comparison names are certain and left out."""
    facts: list[Atom] = []
    rows: list[PlacedRow] = []
    coins: dict[NoiseAt, list[Atom]] = {}
    for atom in dict.fromkeys(atoms):
        noise = {s: Fraction(c) for s, c in atom.form.terms.items() if isinstance(s, NoiseAt)}
        coin = next((s for s in noise if noises[s.site].finite), None)
        if coin is not None:
            coins.setdefault(coin, []).append(atom)  # a coin stands in no other comparison than how it fell
        elif noise:
            rows.append(PlacedRow(noise, atom.form.part(_is_public) + number(atom.form.constant), atom.strict))
        else:
            facts.append(atom)
    parts: list[tuple[int, tuple[Potential, ...]]] = [(1, ())]
    for group in _components(rows):
        placed = [(1, whole)] if (whole := place_draws(group)) is not None else untie(group, place_draws)
        if placed is None or len(parts) * len(placed) > MOST_PARTS:
            return CannotIntegrate("the comparisons tie the noise together in rings, so no order of integration is simple")
        parts = [(s * sign, (*trees, *placement.trees())) for s, trees in parts for sign, placement in placed]
    return [Polyhedron(tuple(facts), trees, count_coins(coins), sign=sign) for sign, trees in parts]


def finite_ball(
    polyhedron: Polyhedron, values: Mapping[Indeterminate, Number], rate: Callable[[int, Fraction], Any]
) -> Any:
    """The probability of the finite draws of a polyhedron, for certain; `rate` is exp(gap/scale) at a site as a ball."""
    coins = coins_ball(polyhedron.coins, lambda site: rate(site, Fraction(-1)))
    return coins * picks_ball(polyhedron.picks, values, rate)


def _is_public(symbol: Indeterminate) -> bool:
    return not isinstance(symbol, NoiseAt)


def _components(rows: Sequence[PlacedRow]) -> list[list[PlacedRow]]:
    """Rows that share draws, directly or through others, together."""
    home: dict[NoiseAt, list[PlacedRow]] = {}
    for row in rows:
        merged, *others = {id(home[d]): home[d] for d in row.noise if d in home}.values() or ([],)
        for member in [row, *(member for group in others for member in group)]:
            merged.append(member)
            home.update(dict.fromkeys(member.noise, merged))
    return list({id(group): group for group in home.values()}.values())


NodePair: TypeAlias = tuple[int, int]  # of nodes


@dataclass(slots=True)
class Placement:
    """Draws as differences of nodes: draw = weight × (first − second); and bounds on differences, by pair."""

    draws: dict[NoiseAt, tuple[int, int, Fraction]] = field(default_factory=dict)
    bounds: dict[NodePair, tuple[tuple[AffineBound, ...], tuple[AffineBound, ...]]] = field(default_factory=dict)
    leader: list[int] = field(default_factory=lambda: [GROUND])  # of each node: nodes with one leader hang together
    edges: set[NodePair] = field(default_factory=set)

    def copy(self) -> Placement:
        return Placement(dict(self.draws), dict(self.bounds), list(self.leader), set(self.edges))

    def add_node(self) -> int:
        self.leader.append(len(self.leader))
        return len(self.leader) - 1

    def find(self, node: int) -> int:
        while self.leader[node] != node:
            self.leader[node] = node = self.leader[self.leader[node]]
        return node

    def connect(self, a: int, b: int) -> bool:
        """Note an edge; False if it closes a ring."""
        if GROUND in (a, b):
            return True
        pair = (min(a, b), max(a, b))
        if pair in self.edges:
            return True
        first, second = self.find(a), self.find(b)
        if first == second:
            return False
        self.leader[first] = second
        self.edges.add(pair)
        return True

    def put(self, draw: NoiseAt, node: int, base: int, weight: Fraction) -> bool:
        self.draws[draw] = (node, base, weight)
        return self.connect(node, base)

    def ends(self, noise: Mapping[NoiseAt, Fraction]) -> tuple[int, int, Fraction] | None:
        """The placed part of a row as factor × (a − b), or None if it is no such difference."""
        total: dict[int, Fraction] = {}
        for draw, coefficient in noise.items():
            if draw in self.draws:
                node, base, weight = self.draws[draw]
                total[node] = total.get(node, Fraction(0)) + coefficient * weight
                total[base] = total.get(base, Fraction(0)) - coefficient * weight
        left = [(node, c) for node, c in total.items() if c and node != GROUND]
        if not left:
            return GROUND, GROUND, Fraction(1)
        if len(left) == 1:
            return left[0][0], GROUND, left[0][1]
        if len(left) == 2 and left[0][1] == -left[1][1]:
            return left[0][0], left[1][0], left[0][1]
        return None

    def bound(self, row: PlacedRow, a: int, b: int, factor: Fraction) -> bool:
        """factor × (a − b) + public ≤ 0."""
        if a < b:
            a, b, factor = b, a, -factor
        limit = AffineBound(row.public.times(plain(-1 / factor)), row.strict)
        low, high = self.bounds.get((a, b), ((), ()))
        self.bounds[a, b] = (low, (*high, limit)) if factor > 0 else ((*low, limit), high)
        return self.connect(a, b)

    def trees(self) -> list[Potential]:
        """The forest, each tree hung from its middle, so that it is as low as can be."""
        beside: dict[int, list[int]] = {node: [] for node in range(1, len(self.leader))}
        for a, b in sorted(self.edges):
            beside[a].append(b)
            beside[b].append(a)
        places = {(node, base): (draw, weight) for draw, (node, base, weight) in self.draws.items()}
        grounded = {node for node, base in places if base == GROUND}
        seen: set[int] = set()
        found = []
        for node in beside:
            if node not in seen:
                middle = _middle(node, beside, grounded)
                found.append(self._hang(middle, GROUND, beside, places))
                seen |= _reach(node, beside)
        return found

    def _hang(
        self, node: int, parent: int, beside: dict[int, list[int]], places: dict[NodePair, tuple[NoiseAt, Fraction]]
    ) -> Potential:
        children = tuple(self._hang(other, node, beside, places) for other in beside[node] if other != parent)
        against_parent = (None, FREE) if parent == GROUND else self._edge(node, parent, places)
        return Potential(*self._edge(node, GROUND, places), *against_parent, children)

    def _edge(
        self, node: int, base: int, places: dict[NodePair, tuple[NoiseAt, Fraction]]
    ) -> tuple[Density | None, Bounds]:
        """What is known of node − base."""
        density = None
        if (node, base) in places:
            density = Density(*places[node, base])
        elif (base, node) in places:
            draw, weight = places[base, node]
            density = Density(draw, -weight)
        if node > base:
            return density, Bounds(*self.bounds.get((node, base), ((), ())))
        low, high = self.bounds.get((base, node), ((), ()))
        return density, Bounds(_negate(high), _negate(low))


def _negate(limits: Iterable[AffineBound]) -> tuple[AffineBound, ...]:
    return tuple(AffineBound(-limit.form, limit.strict) for limit in limits)


def _reach(start: int, beside: Mapping[int, Sequence[int]]) -> set[int]:
    return set(_distances(start, beside))


def _distances(start: int, beside: Mapping[int, Sequence[int]]) -> dict[int, int]:
    found, waiting = {start: 0}, [start]
    for node in waiting:
        for other in beside[node]:
            if other not in found:
                found[other] = found[node] + 1
                waiting.append(other)
    return found


def _middle(start: int, beside: Mapping[int, Sequence[int]], grounded: Collection[int]) -> int:
    """The middle of the longest way through a tree; of two middles, one that is a draw itself."""
    first = max(_distances(start, beside).items(), key=lambda item: item[1])[0]
    away = _distances(first, beside)
    node, steps = max(away.items(), key=lambda item: item[1])
    for _ in range(steps // 2):
        node = next(other for other in beside[node] if away[other] == away[node] - 1)
    if steps % 2 == 0 or node in grounded:
        return node
    return next(other for other in beside[node] if away[other] == away[node] - 1)


def place_draws(rows: Sequence[PlacedRow]) -> Placement | None:
    """A placement without rings, found by trying: pairs first, then sums; a bound on one draw fits any placement."""
    ordered = sorted(rows, key=lambda row: len(row.noise) if len(row.noise) > 1 else math.inf)
    return _place_directly(ordered) or _search_placement(ordered)


def _place_directly(rows: Sequence[PlacedRow]) -> Placement | None:
    """Every row in the first way there is, without copies, so that n rows take n steps; None if one does not fit."""
    placement = Placement()
    for row in rows:
        if next(_ways(row, placement, lambda: placement), None) is None:
            return None
    return placement


def _search_placement(rows: Sequence[PlacedRow]) -> Placement | None:
    tries = 0
    pending: list[tuple[int, Placement]] = [(0, Placement())]
    while pending:
        at, placement = pending.pop()
        while at < len(rows):
            ways = [way for way in _ways(rows[at], placement, placement.copy) if way is not None]
            tries += 1
            if tries > MOST_TRIES or not ways:
                break
            pending.extend((at + 1, way) for way in reversed(ways[1:]))
            placement, at = ways[0], at + 1
        if at == len(rows):
            return placement
        if tries > MOST_TRIES:
            break
    return None


def _ways(row: PlacedRow, placement: Placement, target: Callable[[], Placement]) -> Iterator[Placement | None]:
    """Placements with this row, side by side first, then one after the other; None for a way that makes a ring.

    Each is made by changing a `target`, which is `placement` or a copy of it.
    """
    free = [draw for draw in row.noise if draw not in placement.draws]
    ends = placement.ends(row.noise)
    if ends is None:
        return
    a, b, factor = ends
    started = len(free) < len(row.noise)
    if not free:
        if a != b:
            new = target()
            yield new if new.bound(row, a, b, factor) else None
        return
    if not started and len(free) <= 2:
        new = target()
        nodes = [new.add_node() for _ in free]
        first = row.noise[free[0]]
        new.put(free[0], nodes[0], GROUND, Fraction(1))
        if len(free) == 2:
            new.put(free[1], nodes[1], GROUND, -first / row.noise[free[1]])
        yield new if new.bound(row, nodes[0], nodes[1] if len(free) == 2 else GROUND, first) else None
    if started and len(free) == 1 and b == GROUND and a != GROUND:
        new = target()
        node = new.add_node()
        new.put(free[0], node, GROUND, -factor / row.noise[free[0]])
        yield new if new.bound(row, a, node, factor) else None
    if len(free) > 1 or started:
        for base, other, sign in ((a, b, 1), (b, a, -1)) if a != b else ((a, b, 1),):
            new = target()
            node, fine = base, True
            for draw in free:
                following = new.add_node()
                # factor × sign × (following − node) is this draw's term.
                fine = fine and new.put(draw, following, node, factor * sign / row.noise[draw])
                node = following
            yield new if fine and new.bound(row, node, other, factor * sign) else None
