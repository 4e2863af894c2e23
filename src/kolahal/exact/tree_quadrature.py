"""Trees by quadrature: any tree of comparisons and sums, one at a time, for many scales, in doubles.

All inner nodes share one axis, shifted so that a comparison between two of them is "further left" or "further
right". Between kinks every function is analytic, so Gauss–Legendre panels are accurate to the last digits; what a
subtree gives its parent is an integral from one side, or a convolution with an exponential, both found panel by
panel. Leaves need no grid: their probabilities are closed forms. Noise on the whole numbers uses sums instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np

from kolahal.engine.noise import FAMILIES, Array
from kolahal.lang.noise import Noise
from kolahal.logic.counting import take_steps
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate

LimitRows = tuple[int, ...]  # of the table of limits

NODES = 12  # of a panel
STEEPEST = 3.0  # powers of e by which anything changes within a panel
TAIL = 42.0  # slowest scales from the last kink to where everything is below the last digit
MOST_PANELS = 4_000
UNEQUAL = 3.0  # rows whose steepness differs by more than this get grids of their own
INTEGRAL = 40  # steps for one at least
CHUNK = 1 << 21  # numbers in one array


@dataclass(frozen=True, slots=True)
class WeightedDraw:
    """A draw: `weight` times a difference of two nodes."""

    noise: Noise
    site: int
    weight: float

    def scale(self, scales: Array) -> Array:
        """The scale of the difference, from scales by site (rows, sites)."""
        return np.asarray(scales[:, self.site] / abs(self.weight))


@dataclass(frozen=True, slots=True)
class TreePlan:
    """A node of `polyhedra.Node` whose limits are rows of a table."""

    source: WeightedDraw | None
    low: LimitRows
    high: LimitRows
    link_source: WeightedDraw | None
    link_low: LimitRows
    link_high: LimitRows
    children: tuple[TreePlan, ...]

    def sources(self) -> Iterator[WeightedDraw]:
        for source in (self.source, self.link_source):
            if source is not None:
                yield source
        for child in self.children:
            yield from child.sources()


def find_obstacle(tree: TreePlan) -> str | None:
    """Why a tree cannot be integrated here, if so."""
    wholes = {FAMILIES[s.noise].whole for s in tree.sources()}
    if len(wholes) > 1:
        return "noise on the whole numbers is compared with real noise"
    if True in wholes and any(abs(s.weight) != 1 for s in tree.sources()):
        return "noise on the whole numbers is multiplied"
    return _find_obstacle(tree)


def _find_obstacle(node: TreePlan) -> str | None:
    for child in node.children:
        if not _is_leaf(child):
            links = [bool(child.link_source), bool(child.link_low), bool(child.link_high)]
            if sum(links) > 1:
                return "a difference of two shared draws has bounds on both sides"
            problem = _find_obstacle(child)
            if problem:
                return problem
    return None


def _is_leaf(node: TreePlan) -> bool:
    return not node.children and (node.source is None) != (node.link_source is None)


def integrate_tree(tree: TreePlan, limits: Array, scales: Array) -> Array | CannotIntegrate:
    """The probability of a tree for each row of `limits` (rows, limits) and of `scales` (rows, sites)."""
    job = _Job(limits)
    root = job.place(tree, np.zeros(len(limits)))
    kinks = job.sorted_kinks()
    sizes = [scales[:, s.site] / abs(s.weight) for s in tree.sources()]
    slowest = np.max(sizes, axis=0)
    steepest = np.sum([1.0 / size for size in sizes], axis=0)
    if len(limits) > 8 and steepest.max() > UNEQUAL * steepest.min():
        return _apart(tree, limits, scales, steepest)
    if any(FAMILIES[s.noise].whole for s in tree.sources()):
        grid = _whole_grid(kinks, slowest)
    else:
        grid = _panel_grid(kinks, slowest, steepest, flat=all(isinstance(child, _Leaf) for child in root.children))
    if isinstance(grid, CannotIntegrate):
        return _apart(tree, limits, scales, steepest) if len(limits) > 1 else grid
    if len(limits) > 1 and grid.size * len(limits) > CHUNK:
        return _apart(tree, limits, scales, steepest)
    take_steps(INTEGRAL + grid.size * len(limits) // 512)
    return grid.total(root.values(grid, scales))


def _apart(tree: TreePlan, limits: Array, scales: Array, steepest: Array) -> Array | CannotIntegrate:
    """The same in two parts, flat rows and steep ones."""
    order = np.argsort(steepest, kind="stable")
    result = np.zeros(len(limits))
    for part in (order[: len(order) // 2], order[len(order) // 2 :]):
        found = integrate_tree(tree, limits[part], scales[part])
        if isinstance(found, CannotIntegrate):
            return found
        result[part] = found
    return result


# ---------------------------------------------------------------- nodes on one axis; numbers are (rows,)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """X in [max(low, slope·p + moving_low), min(high, slope·p + moving_high)], where p is its parent."""

    source: WeightedDraw
    low: Array
    high: Array
    moving_low: Array
    moving_high: Array
    slope: float

    def message(self, p: Array, scales: Array) -> Array:
        scale = _wide(self.source.scale(scales), p)
        bounds = [np.isfinite(b).any() for b in (self.low, self.high, self.moving_low, self.moving_high)]
        if bounds in ([False, False, True, False], [False, False, False, True]) and (
            FAMILIES[self.source.noise].two_sided and not FAMILIES[self.source.noise].whole
        ):
            # The common case, with a single exponential.
            edge = self.moving_low if bounds[2] else -self.moving_high
            beyond = _wide(edge, p) + (self.slope if bounds[2] else -self.slope) * p
            tail = 0.5 * np.exp(-np.abs(beyond) / scale)
            return np.where(beyond >= 0, tail, 1.0 - tail)
        low = np.maximum(_wide(self.low, p), _wide(self.moving_low, p) + self.slope * p)
        high = np.minimum(_wide(self.high, p), _wide(self.moving_high, p) + self.slope * p)
        if self.source.weight < 0 and not FAMILIES[self.source.noise].two_sided:
            low, high = -high, -low
        return interval_probability(self.source.noise, low, high, scale)


@dataclass(frozen=True, slots=True)
class _Inner:
    """A node with a place on the axis; `side` is 1 if it lies right of its parent, −1 if left, 0 if it is a sum."""

    source: WeightedDraw | None
    offset: Array
    low: Array  # on the axis
    high: Array
    link: WeightedDraw | None
    side: int
    children: tuple[_Leaf | _Inner, ...]

    def values(self, grid: _Grid, scales: Array) -> Array:
        """The node's own density times what its children give, on the grid."""
        p = grid.x + _wide(self.offset, grid.x)
        inside = (grid.middle >= _wide(self.low, grid.x)) & (grid.middle <= _wide(self.high, grid.x))
        result: Array = np.broadcast_to(inside, p.shape).astype(float)
        if self.source is not None:
            result = result * _density(self.source, p, scales, grid.middle + _wide(self.offset, grid.x))
        for child in self.children:
            result = result * (child.message(p, scales) if isinstance(child, _Leaf) else child.message(grid, scales))
        return result

    def message(self, grid: _Grid, scales: Array) -> Array:
        values = self.values(grid, scales)
        if self.link is None:
            return grid.from_left(values, None) if self.side < 0 else grid.from_right(values, None)
        scale = self.link.scale(scales)
        family = FAMILIES[self.link.noise]
        norm = _wide(np.exp(-family.log_norm(scale)), grid.x)
        # This node is its parent plus draw/weight: seen from the parent, large draws lie on the weight's side.
        if family.two_sided:
            total = grid.from_left(values, scale) + grid.from_right(values, scale)
            if grid.whole:
                total = total - values  # the place itself was counted from both sides
            return norm * total
        return norm * (grid.from_right(values, scale) if self.link.weight > 0 else grid.from_left(values, scale))


def _wide(values: Array, like: Array) -> Array:
    """(rows,) as an array that goes with (rows, …)."""
    return values.reshape(-1, *[1] * (like.ndim - 1))


@dataclass(slots=True)
class _Job:
    limits: Array  # (rows, limits)
    kinks: list[Array] = field(default_factory=list)

    def low(self, rows: LimitRows) -> Array:
        chosen = self.limits[:, list(rows)]
        return np.asarray(chosen.max(axis=1, initial=-math.inf))

    def high(self, rows: LimitRows) -> Array:
        chosen = self.limits[:, list(rows)]
        return np.asarray(chosen.min(axis=1, initial=math.inf))

    def sorted_kinks(self) -> Array:
        """(rows, kinks), ascending; where a bound is infinite, another kink stands in for it."""
        kinks = np.stack(self.kinks or [np.zeros(len(self.limits))], axis=1)
        known = np.isfinite(kinks)
        spare = np.where(known.any(axis=1), np.max(np.where(known, kinks, -math.inf), axis=1), 0.0)
        kinks = np.sort(np.where(known, kinks, spare[:, None]), axis=1)
        kept = np.append(True, (np.diff(kinks, axis=1) > 0).any(axis=0))
        return np.asarray(kinks[:, kept])

    def place(self, node: TreePlan, offset: Array, side: int = 0) -> _Inner:
        low, high = self.low(node.low) - offset, self.high(node.high) - offset
        self.kinks += [bound for rows, bound in ((node.low, low), (node.high, high)) if rows]
        if node.source is not None:
            self.kinks.append(-offset)
        children: list[_Leaf | _Inner] = []
        for child in node.children:
            if _is_leaf(child):
                children.append(self.leaf(child, offset))
            elif child.link_source is not None:
                children.append(self.place(child, offset))
            elif child.link_low:
                children.append(self.place(child, offset + self.low(child.link_low), 1))
            else:
                children.append(self.place(child, offset + self.high(child.link_high), -1))
        return _Inner(node.source, offset, low, high, node.link_source, side, tuple(children))

    def leaf(self, node: TreePlan, offset: Array) -> _Leaf:
        own = self.low(node.low), self.high(node.high)
        link = self.low(node.link_low), self.high(node.link_high)
        if node.source is not None:
            source, still, moving, slope = node.source, own, link, 1.0
        else:
            assert node.link_source is not None
            source, still, moving, slope = node.link_source, link, own, -1.0
        bounds = [m for m in moving if np.isfinite(m).any()]
        self.kinks += [-slope * m - offset for m in bounds]
        with np.errstate(invalid="ignore"):
            self.kinks += [slope * (s - m) - offset for s in still if np.isfinite(s).any() for m in bounds]
        return _Leaf(source, *still, *moving, slope)


def _density(source: WeightedDraw, x: Array, scales: Array, middle: Array) -> Array:
    family = FAMILIES[source.noise]
    scale = _wide(source.scale(scales), x)
    found: Array = np.exp(-np.abs(x) / scale - family.log_norm(scale))
    if not family.two_sided:
        found = np.where(middle * source.weight >= 0, found, 0.0)
    return found


def interval_probability(noise: Noise, low: Array, high: Array, scale: Any) -> Array:
    """P(low ≤ X ≤ high), to the last digits wherever the interval lies; for whole noise the bounds are whole."""
    family = FAMILIES[noise]
    factor: Any = 1.0
    if family.whole:
        low, high = low - 0.5, high + 0.5
        factor = 1.0 / np.cosh(0.5 / scale) if family.two_sided else np.exp(-0.5 / scale)
    with np.errstate(invalid="ignore", over="ignore"):
        width = np.where(high > low, high - low, 0.0)
        near = np.where(low >= 0, low, np.where(high <= 0, -high, 0.0))
        outside = np.exp(-near / scale) * -np.expm1(-width / scale)  # both ends on one side of 0
        if family.two_sided:
            across = 1.0 - 0.5 * factor * (
                np.exp(np.minimum(low, 0.0) / scale) + np.exp(-np.maximum(high, 0.0) / scale)
            )
            # 1 − ½(e^low + e^−high) loses digits for a narrow interval; the same in one-sided parts does not.
            if not family.whole:
                across = -0.5 * (np.expm1(np.minimum(low, 0.0) / scale) + np.expm1(-np.maximum(high, 0.0) / scale))
            found = np.where((low >= 0) | (high <= 0), 0.5 * factor * outside, across)
        else:
            across = 1.0 - factor * np.exp(-np.maximum(high, 0.0) / scale)
            if not family.whole:
                across = -np.expm1(-np.maximum(high, 0.0) / scale)
            found = np.where(low >= 0, factor * outside, np.where(high <= 0, 0.0, across))
    return np.where(high > low, found, 0.0)


# ---------------------------------------------------------------- grids


_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(NODES)


def _running() -> Array:
    """Weights of the integral from −1 to each point of a panel."""
    legendre = np.polynomial.legendre
    table = np.zeros((NODES, NODES))
    vander = legendre.legvander(_POINTS, NODES - 1)
    for degree in range(NODES):
        unit = np.zeros(degree + 1)
        unit[degree] = 1.0
        whole = legendre.legint(unit)
        integral = legendre.legval(_POINTS, whole) - legendre.legval(-1.0, whole)
        table += np.outer(integral, (2 * degree + 1) / 2 * _WEIGHTS * vander[:, degree])
    return table


_RUNNING = _running()


@dataclass(frozen=True, slots=True)
class _Grid:
    """Points for each row: (rows, panels, NODES), or whole numbers (1, points)."""

    x: Array
    middle: Array  # of the panel of each point, broadcastable
    widths: Array  # (rows, panels)
    whole: bool

    @property
    def size(self) -> int:
        """Points a row."""
        return int(self.x[0].size)

    def total(self, values: Array) -> Array:
        if self.whole:
            return np.asarray(values.sum(axis=1))
        return np.asarray(0.5 * np.einsum("cpn,n,cp->c", values, _WEIGHTS, self.widths))

    def from_left(self, values: Array, scale: Array | None) -> Array:
        """∫ values over everything left of each point, faded by exp(−distance/scale) if there is a scale."""
        if self.whole:
            return _faded_sum(values, scale)
        half = 0.5 * self.widths
        if scale is None:
            before = _accumulate(half * (values @ _WEIGHTS), None)
            return np.asarray(before[:, :, None] + half[:, :, None] * (values @ _RUNNING.T))
        decay = half / scale[:, None]  # of half a panel
        local, whole = np.zeros(values.shape), np.zeros(decay.shape)
        wide = decay > STEEPEST / 2 + 1e-9
        for panels, integrate in ((~wide, _faded_narrow), (wide, _faded_wide)):
            if panels.any():
                inside, all_of_it = integrate(values[panels], decay[panels][:, None])
                local[panels] = half[panels][:, None] * inside
                whole[panels] = half[panels] * all_of_it
        before = _accumulate(whole, np.exp(-2.0 * decay))
        return np.asarray(before[:, :, None] * np.exp(-decay[:, :, None] * (1.0 + _POINTS)) + local)

    def from_right(self, values: Array, scale: Array | None) -> Array:
        if self.whole:
            return _faded_sum(values[:, ::-1], scale)[:, ::-1]
        mirror = _Grid(-self.x[:, ::-1, ::-1], -self.middle[:, ::-1], self.widths[:, ::-1], False)
        return mirror.from_left(values[:, ::-1, ::-1], scale)[:, ::-1, ::-1]


def _faded_narrow(values: Array, decay: Array) -> tuple[Array, Array]:
    """∫ exp(−decay·(x − t))·values(t) dt from −1 to each point x of a panel, and to its end; (panels, NODES)."""
    ramp = np.exp(-decay * (1.0 - _POINTS))
    inner = values * ramp
    return (inner @ _RUNNING.T) / ramp, inner @ _WEIGHTS


_ENDS = np.append(_POINTS, 1.0)
_LEGENDRE = np.polynomial.legendre.legvander(_ENDS, NODES)  # (points and end, degrees)
_EXPAND = (_LEGENDRE[:NODES, :NODES] * (np.arange(NODES) + 0.5)).T * _WEIGHTS  # values → Legendre coefficients


def _faded_wide(values: Array, decay: Array) -> tuple[Array, Array]:
    """The same where the exponential falls too fast to be a polynomial on the panel: in the far tails.

    Integrals of Legendre polynomials come from their recurrence, which is stable there: by parts, (2k + 1)·Iₖ = Pₖ₊₁(x) − Pₖ₋₁(x) − decay·(Iₖ₊₁ − Iₖ₋₁), because P′ₖ₊₁ − P′ₖ₋₁ = (2k + 1)·Pₖ.
    """
    coefficients = values @ _EXPAND.T
    gone = np.exp(-decay * (_ENDS + 1.0))
    before = (1.0 - gone) / decay
    now = (_ENDS + gone - before) / decay
    found = coefficients[:, :1] * before + coefficients[:, 1:2] * now
    for k in range(1, NODES - 1):
        after = before - ((2 * k + 1) * now - (_LEGENDRE[:, k + 1] - _LEGENDRE[:, k - 1])) / decay
        found = found + coefficients[:, k + 1 : k + 2] * after
        before, now = now, after
    return found[:, :-1], found[:, -1]


def _accumulate(amounts: Array, fade: Array | None) -> Array:
    """What has come together before each panel, where everything fades by a factor from panel to panel."""
    together = np.cumsum(amounts, axis=1) if fade is None else _faded(amounts, fade)
    return np.concatenate([np.zeros((len(amounts), 1)), together[:, :-1]], axis=1)


def _faded(amounts: Array, fade: Array) -> Array:
    """The sum up to each place, of which `fade` is left from the place before; over 1, 2, 4, … places at a time."""
    total, left = amounts.copy(), fade.copy()
    reach = 1
    while reach < amounts.shape[1]:
        total[:, reach:] = total[:, reach:] + left[:, reach:] * total[:, :-reach]
        left[:, reach:] = left[:, reach:] * left[:, :-reach]
        reach *= 2
    return total


def _faded_sum(values: Array, scale: Array | None) -> Array:
    if scale is None:
        return np.cumsum(values, axis=1)
    return _faded(values, np.broadcast_to(np.exp(-1.0 / scale)[:, None], values.shape))


def _whole_grid(kinks: Array, slowest: Array) -> _Grid | CannotIntegrate:
    margin = math.ceil(TAIL * float(slowest.max()))
    low, high = math.floor(kinks.min()) - margin, math.ceil(kinks.max()) + margin
    if high - low > MOST_PANELS * NODES:
        return CannotIntegrate("the noise reaches too far for sums over whole numbers")
    x = np.arange(low, high + 1, dtype=float)[None, :]
    return _Grid(x, x, np.ones((1, 1)), True)


def _panel_grid(kinks: Array, slowest: Array, steepest: Array, flat: bool) -> _Grid | CannotIntegrate:
    """Panels between the kinks, and tails that grow; fine ones where a subtree is integrated from one side.

    For a single integral, panels may double from each kink on, because whatever is steep there fades as fast.
    """
    tail = (TAIL * slowest)[:, None]
    grown = _growing(_doublings((TAIL * slowest * steepest).max()))
    edges = [kinks[:, :1] - tail * grown[::-1]]
    for left, right in itertools.pairwise(kinks.T):
        length = right - left
        most = float((length * steepest).max())
        if flat:
            rise = 0.5 * _growing(_doublings(0.5 * most))
            shares = np.concatenate([rise[1:], 1.0 - rise[-2::-1]])
        else:
            count = max(1, math.ceil(most / STEEPEST))
            shares = np.arange(1, min(count, MOST_PANELS) + 1) / count
        edges.append(left[:, None] + length[:, None] * shares)
        if sum(part.shape[1] for part in edges) > MOST_PANELS:
            return CannotIntegrate("answers are too far apart for the noise")
    edges.append(kinks[:, -1:] + tail * grown[1:])
    ends = np.concatenate(edges, axis=1)
    widths = np.diff(ends, axis=1)
    middle = (0.5 * (ends[:, 1:] + ends[:, :-1]))[:, :, None]
    return _Grid(middle + 0.5 * widths[:, :, None] * _POINTS, middle, widths, False)


def _growing(steps: int) -> Array:
    """0, …, 1 in steps that double."""
    return np.asarray((2.0 ** np.arange(steps + 1) - 1) / (2.0**steps - 1))


def _doublings(steepness: float) -> int:
    """How many panels, each twice as wide as the one before, reach this far if the first is as steep as any may be."""
    return max(1, math.ceil(math.log2(1.0 + max(steepness, 0.0) / STEEPEST)))
