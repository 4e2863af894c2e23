"""Programs of other budgets as programs of the two that proofs are about: pure, and zero-concentrated.

The rewritings keep the body and change what a draw is and which parameter is the budget. docs/theory-budgets.md says
why a proof about the one is a proof about the other; this module is part of what has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.noise import Noise
from kolahal.lang.parameters import BUDGETS, Parameter, Role, Type, Variant
from kolahal.lang.scale import Scale, gdp_name
from kolahal.lang.sketch import Sketch

TWO = Scale(Fraction(2))
IN_UNITS = "records that move aggregates by public bounds are known to pure budgets alone"
NoiseAndScale = tuple[Noise, Scale | ir.Hole]


def with_budget(sketch: Sketch, role: Role, name: str | None = None) -> Sketch:
    """The same program with another budget: that of `name`, or a new one; what was the budget is a public number.

    A number of which nothing is known covers a budget of which it is known that it is above 0.
    """
    parameters = [replace(p, role=Role.ARGUMENT) if p.role in (*BUDGETS, Role.DELTA) else p for p in sketch.parameters]
    if name is None:
        fresh = fresh_budget(sketch, role)
        last = max(i for i, p in enumerate(sketch.parameters) if p.role in BUDGETS)
        parameters.insert(last + 1, Parameter(fresh, role, Type.FLOAT))  # before all that have defaults
    else:
        parameters = [replace(p, role=role) if p.name == name else p for p in parameters]
    return replace(sketch, parameters=tuple(parameters))


def fresh_budget(sketch: Sketch, role: Role) -> str:
    """A name for a new budget that the program does not use."""
    taken = {p.name for p in sketch.parameters} | ir.names_in(sketch.body)
    return ir.lengthened({Role.EPSILON: "eps"}.get(role, role.value.lower()), taken)


def with_draws(sketch: Sketch, change: Callable[[ir.Draw], NoiseAndScale]) -> Sketch:
    """The same program with other noise."""

    def redraw(node: ir.Node) -> ir.Node | None:
        if not isinstance(node, ir.Draw):
            return None
        noise, scale = change(node)
        return replace(node, noise=noise, scale=scale)

    return replace(sketch, body=ir.rebuild(sketch.body, redraw))


def concentrated(sketch: Sketch, claim: Scale) -> tuple[Sketch, Scale] | str:
    """The program with a zCDP budget whose quadratic costs are those of the claim, or why there is none.

    μ stands for √(2ρ), and so does gdp(ε, δ).
    """
    if sketch.units:
        return IN_UNITS
    if sketch.variant is Variant.ZCDP:
        return sketch, claim
    if sketch.variant is Variant.PURE:
        return "the claim is pure"
    known = sketch.budget.name
    if sketch.delta is not None:
        known = gdp_name(sketch.budget.name, sketch.delta.name)
    rho = Scale(Fraction(1), ((fresh_budget(sketch, Role.RHO), 1),))
    root = (TWO * rho).rooted()
    changed = with_budget(sketch, Role.RHO)
    for draw in sketch.draws:
        if isinstance(draw.scale, Scale) and draw.scale.root and dict(draw.scale.powers).get(known, 0) % 2:
            return f"the scale {draw.scale} has the root of {known}"
    level = claim if sketch.delta is None else Scale(Fraction(1), ((known, 1),))
    return (
        with_draws(changed, lambda d: (d.noise, d.scale.put(known, root) if isinstance(d.scale, Scale) else d.scale)),
        level.put(known, root).squared / TWO,
    )


def pure(sketch: Sketch, claim: Scale) -> tuple[Sketch, Scale] | str:
    """The program with a pure budget whose proof proves the claim, or why there is none.

    ε-DP is (ε, δ)-DP. With ε = √(2ρ), ε-DP is ρ-zCDP, because ε·tanh(ε/2) ≤ ε²/2.
    """
    if sketch.units:
        return IN_UNITS
    if any(draw.noise.bell for draw in sketch.draws):
        return "Gaussian noise is never ε-private"
    scales = [draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale)]
    if sketch.variant is Variant.APPROXIMATE:
        if any(scale.root for scale in scales) or any("gdp(" in name for scale in scales for name, _ in scale.powers):
            return "a scale is not one of a pure budget"
        return with_budget(sketch, Role.EPSILON, sketch.budget.name), claim
    if sketch.variant is not Variant.ZCDP:
        return f"a pure proof says nothing of {sketch.variant.words}"
    known, name = sketch.budget.name, fresh_budget(sketch, Role.EPSILON)
    rho = Scale(Fraction(1, 2), ((name, 2),))
    level = (TWO * claim.put(known, rho)).rooted()
    put = [scale.put(known, rho) for scale in scales]
    if level.root or any(scale.root for scale in put):
        return "a scale is not one of a pure budget"
    changed = with_draws(
        with_budget(sketch, Role.EPSILON),
        lambda d: (d.noise, d.scale.put(known, rho) if isinstance(d.scale, Scale) else d.scale),
    )
    return changed, level


def is_quadratic(draw: ir.Draw, rho: str) -> bool:
    """Whether moving a draw by s is charged with its square: Gaussian noise, and Laplace noise and chosen places of a scale
    like 1/√ρ."""
    if draw.noise.bell:
        return True
    two_sided = draw.noise.selects or not draw.noise.one_sided
    return two_sided and isinstance(draw.scale, Scale) and dict(draw.scale.squared.powers).get(rho) == -1


def deviation(draw: ir.Draw, scale: Scale) -> Scale:
    """The σ with which a quadratic draw that moves by s is charged s²/(2σ²): for a chosen place, twice its scale."""
    return TWO * scale if draw.noise.selects else scale


def surrogate(sketch: Sketch, reach: Mapping[int, Scale], distance: Fraction) -> Sketch:
    """A pure program in which a step of each draw costs at least what it costs in a zCDP program, for short shifts.

    A quadratic draw of deviation σ whose shift s is at most `reach` times the distance d costs s²/(2σ²) ≤ |s|·reach·d/(2σ²):
    what Laplace noise of scale 2σ²/(reach·d) charges for s under a budget ε = ρ. `distance` is that of the moves.
    """
    rho = sketch.budget.name

    def change(draw: ir.Draw) -> NoiseAndScale:
        if not is_quadratic(draw, rho) or not isinstance(draw.scale, Scale):
            return draw.noise, draw.scale
        like = Noise.DISCRETE_LAPLACE if draw.noise.whole else draw.noise if draw.noise.selects else Noise.LAPLACE
        return like, TWO * deviation(draw, draw.scale).squared / (reach[draw.site] * Scale(distance))

    return with_draws(with_budget(sketch, Role.EPSILON, rho), change)


def twin(sketch: Sketch) -> Sketch:
    """The program with a pure budget, Laplace noise for Gaussian, and a hole at every draw: its runs, whatever its noise is."""

    def change(draw: ir.Draw) -> NoiseAndScale:
        like = Noise.DISCRETE_LAPLACE if draw.noise.whole else Noise.LAPLACE
        return like if draw.noise.bell else draw.noise, ir.Hole(draw.site)

    return with_draws(with_budget(sketch, Role.EPSILON, sketch.budget.name), change)
