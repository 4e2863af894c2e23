"""The ways to synthesize: straight from the law, the paper's with integrals and without, and its baselines."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.sketch import Sketch, Variant
from kolahal.proof.find import own_recheck
from kolahal.results import Synthesis
from kolahal.roads.costs import with_cost
from kolahal.roads.law import straight_from_law
from kolahal.roads.watch import Watch
from kolahal.settings import Settings

METHODS = ("auto", "exact", "paper", "naive", "unlim", "lim", "noopt", "law")


def travel(sketch: Sketch, settings: Settings, method: str, watch: Watch) -> Synthesis:
    """Take the road of that name; `watch` hears each step, and may be asked when it is interrupted."""
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}: choose {', '.join(METHODS)}")
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find. Use `kolahal check` to judge it.")
    with own_recheck.noted() as failed:
        found = _take(method, sketch, settings, watch)
    theirs = [told for judged in found.judged for told in judged.failed_rechecks]  # also those of other processes
    return with_cost(replace(found, failed_rechecks=tuple(dict.fromkeys([*failed, *theirs]))))


def _take(method: str, sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    if sketch.is_open:
        if method not in ("auto", "law"):
            raise UsageError(f"{sketch.name} leaves the family of its noise open, and --method {method} needs one: use auto or law, or write Lap or Exp for Noise")
        from kolahal.roads.families import straight_from_families

        return straight_from_families(sketch, settings, watch)
    if method not in ("auto", "exact", "law") and any(draw.noise.selects for draw in sketch.draws):
        raise UsageError(f"{sketch.name} chooses a place, and --method {method} weighs runs again, which is not known for that: use auto, law or exact")
    if sketch.variant is not Variant.PURE:
        if method not in ("auto", "law"):
            raise UsageError(f"{sketch.name} claims {sketch.variant.words}, and --method {method} is for {Variant.PURE.words} only")
        from kolahal.roads.budgets import straight_from_budget_law

        return straight_from_budget_law(sketch, settings, watch)
    if method in ("auto", "law"):
        return straight_from_law(sketch, settings, watch, _exact if method == "auto" else None)
    if method == "exact":
        return _exact(sketch, settings, watch)
    if method == "paper":
        from kolahal.roads.paper import paper

        return paper(sketch, settings, watch)
    from kolahal.roads.baselines import BASELINES

    return BASELINES[method](sketch, settings, watch)


def _exact(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    from kolahal.roads.exact import exact

    return exact(sketch, settings, watch)


def synthesize(
    sketch: Sketch, settings: Settings | None = None, method: str = "auto", executor: Executor | None = None
) -> Synthesis:
    """Find noise scales that make `sketch` ε-private and no noisier than they must be, by the method of that name."""
    return travel(sketch, settings or Settings(), method, Watch(executor))


def synthesize_plain(
    program: Callable[..., object] | str,
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
    from kolahal.lang.plain.convert import read_plain

    sketch = read_plain(program, function_name, adjacent, private, noise=noise)
    return synthesize(sketch, settings, method, executor)
