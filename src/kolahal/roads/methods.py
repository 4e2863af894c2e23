"""The ways to synthesize: straight from the law, the paper's with integrals and without, and its baselines."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.plain.convert import Program, read_plain
from kolahal.lang.sketch import Sketch, Variant
from kolahal.results import Synthesis
from kolahal.roads.baselines import lim, naive, noopt, unlim
from kolahal.roads.budgets import straight_from_budget_law
from kolahal.roads.costs import with_cost
from kolahal.roads.exact import exact
from kolahal.roads.families import straight_from_families
from kolahal.roads.law import Road, straight_from_law
from kolahal.roads.paper import paper
from kolahal.roads.watch import Watch
from kolahal.settings import Settings

METHODS: dict[str, Road] = {
    "auto": partial(straight_from_law, otherwise=exact),
    "exact": exact,
    "paper": paper,
    "naive": naive,
    "unlim": unlim,
    "lim": lim,
    "noopt": noopt,
    "law": straight_from_law,
}


def travel(sketch: Sketch, settings: Settings, method: str, watch: Watch) -> Synthesis:
    """Take the road of that name; `watch` hears each step, and may be asked when it is interrupted."""
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}: choose {', '.join(METHODS)}")
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find. Use `kolahal check` to judge it.")
    if sketch.is_open:
        if method not in ("auto", "law"):
            raise UsageError(f"{sketch.name} leaves the family of its noise open, and --method {method} needs one: use auto or law, or write Lap or Exp for Noise")
        return with_cost(straight_from_families(sketch, settings, watch))
    if method not in ("auto", "exact", "law") and any(draw.noise.selects for draw in sketch.draws):
        raise UsageError(f"{sketch.name} chooses a place, and --method {method} weighs runs again, which is not known for that: use auto, law or exact")
    if sketch.variant is not Variant.PURE:
        if method not in ("auto", "law"):
            raise UsageError(f"{sketch.name} claims {sketch.variant.words}, and --method {method} is for {Variant.PURE.words} only")
        return with_cost(straight_from_budget_law(sketch, settings, watch))
    return with_cost(METHODS[method](sketch, settings, watch))


def synthesize(
    sketch: Sketch, settings: Settings | None = None, method: str = "auto", executor: Executor | None = None
) -> Synthesis:
    """Find noise scales that make `sketch` ε-private and no noisier than they must be, by the method of that name."""
    return travel(sketch, settings or Settings(), method, Watch(executor))


def synthesize_plain(
    program: Program,
    adjacent: Adjacency | str = "each_within(1)",
    private: str | None = None,
    function_name: str | None = None,
    noise: str = "Lap",
    settings: Settings | None = None,
    method: str = "auto",
    executor: Executor | None = None,
) -> Synthesis:
    """Make a program without noise ε-private: find the places for noise, and how much of it.

    `program` is a function, which is read and never called, or a text with one. `private` names its private parameter (the
    first, if nothing is said), `adjacent` says who the neighbours are, and `noise` is Lap, Exp, or Noise of a family that is to be found.
    """
    sketch = read_plain(program, function_name, adjacent, private, noise=noise)
    return synthesize(sketch, settings, method, executor)
