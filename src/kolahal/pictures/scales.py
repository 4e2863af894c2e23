"""Losses and errors as functions of the scales and of ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.accuracy import RUNS as SIMULATED
from kolahal.engine.accuracy import errors_on, gives_discrete_outputs, typical_inputs
from kolahal.engine.noise import Array
from kolahal.errors import KolahalError
from kolahal.exact.probe import build_exact_probe
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Completion
from kolahal.model import Arguments, Example, Split
from kolahal.pictures.subject import Subject, to_digits
from kolahal.report.json import example_document, given_values, scales_document
from kolahal.results import LawInequality

EPSILONS = tuple(Fraction(n, 100) for n in (10, 18, 32, 56, 100, 178, 316, 562, 1000))  # four steps to a factor of ten
FAR = 10**8  # an ε at which a cost that grows with ε, or with 1/ε, shows
GRID = 41  # points of a landscape, each way
MOST_CURVES = 4  # scales that are varied
SPREAD = 4.0  # how far loss curves reach: from a quarter of the chosen scale to four times it
STEPS = 49  # points of a loss curve


def law_at(subject: Subject, arguments: Arguments, scales: Array) -> Array | None:
    """The law's cost of each row of `scales`, in units of the claim, by the cheapest of its rules.

    Silence costs infinitely much where a law wants noise. None where there is no law.
    """
    draws, names = subject.sketch.draws, arguments.quantities(subject.sketch)

    def width(site: int) -> Array:
        scale = draws[site].scale
        return scales[:, scale.index] if isinstance(scale, Hole) else np.full(len(scales), float(scale.at(names)))

    def cost(inequality: LawInequality) -> Array:
        shares = [np.float64(weight.at(names)) / width(site) for site, weight in inequality.coefficients]
        return sum(shares, np.zeros(len(scales)))

    rules = [rule for rule in subject.rules if rule.inequalities]
    if not rules:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = [np.max([cost(i) for i in rule.inequalities], axis=0) for rule in rules]
    found: Array = np.min(costs, axis=0) / subject.allowed(arguments)
    return found


def law_cost(subject: Subject, completion: Completion, split: Split) -> float | None:
    """The largest cost of a completion by the law, in units of the claim: over all settings, and very large and small ε."""
    worst = 0.0
    first = split.training[0]
    far = tuple(replace(first, epsilon=epsilon) for epsilon in (Fraction(1, FAR), Fraction(FAR)))
    for arguments in split.training + split.testing + far:
        row = np.array([arguments.concretise(subject.sketch, completion)])
        found = law_at(subject, arguments, row)
        if found is None:
            return None
        worst = max(worst, float(found[0]))
    return math.inf if worst > math.sqrt(FAR) else float(to_digits(worst))


def loss_curves(subject: Subject, completion: Completion, examples: Sequence[Example]) -> dict[str, Any] | None:
    """The loss when one scale of a completion is made smaller or larger: the worst on some pairs, and by the law."""
    if not examples:
        return None
    arguments = examples[-1].arguments
    base = np.array(arguments.concretise(subject.sketch, completion))
    factors = np.geomspace(1 / SPREAD, SPREAD, STEPS)
    probe = build_exact_probe(subject.sketch, subject.settings, "report")
    curves, exact = [], True
    for hole in np.flatnonzero(base > 0)[:MOST_CURVES]:
        scales = np.tile(base, (STEPS, 1))
        scales[:, hole] *= factors
        losses = probe.losses(scales, tuple(examples))
        exact = exact and bool((losses.low == losses.high).all())
        found = _worst(losses.value) / subject.allowed(arguments)
        law = law_at(subject, arguments, scales)
        if np.isfinite(found).any():
            bounded = law is not None and np.isfinite(law).all()
            curve = {"found": to_digits(found), "law": to_digits(law) if bounded else None}
            curves.append({"hole": subject.sketch.holes[hole].label, "scale": str(completion[hole]), **curve})
    about = {**example_document(examples[-1]), "examples": len(examples), "exact": exact}
    return {**about, "factors": to_digits(factors), "curves": curves} if curves else None


def _worst(losses: Array) -> Array:
    """The worst loss of each row; not a number where all are 0, which says that probabilities were too small to compare."""
    worst: Array = losses.max(axis=1)
    return np.where(worst > 0, worst, np.nan)


def landscape(
    subject: Subject, completion: Completion, examples: Sequence[Example], marks: Sequence[Completion]
) -> dict[str, Any] | None:
    """The worst loss on some examples over the scales of two holes, the others as in the completion."""
    holes = [i for i, scale in enumerate(completion) if scale][:2]
    if len(holes) < 2 or not examples:
        return None
    arguments, sketch = examples[0].arguments, subject.sketch
    base = np.array(arguments.concretise(sketch, completion))
    points = [(c, arguments.concretise(sketch, c)) for c in marks]
    others = [i for i in range(len(base)) if i not in holes]
    shown = [(c, p) for c, p in points if all(p[i] == base[i] for i in others) and all(p[i] for i in holes)]
    cost = law_at(subject, arguments, base[None, :])
    room = 1.9 * (1.0 if cost is None else min(max(1.0, float(cost[0])), 3.0))  # what is private is to be seen too
    axes = [
        np.linspace(0.06, 1.0, GRID) * room * max([base[h], *(min(p[h], 2 * base[h]) for _, p in shown)]) for h in holes
    ]
    scales = np.tile(base, (GRID * GRID, 1))
    scales[:, holes[0]] = np.tile(axes[0], GRID)
    scales[:, holes[1]] = np.repeat(axes[1], GRID)
    probe = build_exact_probe(sketch, subject.settings, "report")
    losses = probe.losses(scales, tuple(examples))
    found = _worst(losses.value) / subject.allowed(arguments)
    law = law_at(subject, arguments, scales)
    return {
        "exact": bool((losses.low == losses.high).all()),
        "holes": [sketch.holes[h].label for h in holes],
        "fixed": [[sketch.holes[i].label, str(completion[i]) if completion[i] else None] for i in others],
        "epsilon": float(arguments.epsilon),
        "size": arguments.size,
        "arguments": given_values(arguments),
        "examples": len(examples),
        "xs": to_digits(axes[0]),
        "ys": to_digits(axes[1]),
        "found": to_digits(found.reshape(GRID, GRID), 3),
        "law": None if law is None else to_digits(law.reshape(GRID, GRID), 3),
        "marks": [
            {"rank": marks.index(c) + 1, "x": to_digits(p[holes[0]]), "y": to_digits(p[holes[1]])}
            for c, p in shown
            if p[holes[0]] <= axes[0][-1] and p[holes[1]] <= axes[1][-1]
        ],
    }


def error_curves(subject: Subject, completions: Sequence[Completion], arguments: Arguments) -> dict[str, Any] | None:
    """The expected error of some completions for several ε, on the same databases for all of them."""
    sketch, settings = subject.sketch, subject.settings
    inputs = typical_inputs(sketch, replace(arguments, epsilon=Fraction(1)), settings)
    try:
        discrete = gives_discrete_outputs(sketch, arguments, settings)
        several = [inputs.with_epsilon(epsilon) for epsilon in EPSILONS]
        rows = errors_on(several, discrete, sketch, completions, settings)
    except KolahalError:  # the program may ask more of its arguments than was known here
        return None
    return {
        "epsilons": [float(e) for e in EPSILONS],
        "size": arguments.size,
        "arguments": given_values(inputs.cases[0][0]),
        "kind": "probability" if discrete else "distance",
        "inputs": len(inputs.cases),
        "runs": SIMULATED,
        "most": math.ceil(max(answer for _, answers in inputs.cases for answer in answers)),
        "curves": [
            {"scales": scales_document(c), "errors": to_digits([row[i] for row in rows])}
            for i, c in enumerate(completions)
        ],
    }
