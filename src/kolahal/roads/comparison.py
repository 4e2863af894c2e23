"""What shares of a budget are compared on: the same inputs and the same noise, or integrals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from kolahal.engine.accuracy import gives_discrete_outputs
from kolahal.engine.meter import ErrorMeter, ScalesAt
from kolahal.engine.noise import Array
from kolahal.engine.typical import TypicalInputs, make_up
from kolahal.exact.affine_errors import AffineErrors, find_affine_errors
from kolahal.inputs.requests import LENGTH, TuneRequest
from kolahal.lang.families import name_families
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Completion, Sketch
from kolahal.law.shares import SharePlan
from kolahal.model import Arguments, Scales
from kolahal.nouns import dataclass
from kolahal.search.descent import find_least, short_fractions
from kolahal.settings import Settings

RUNS = 128  # on each input; all scales that are compared meet the same noise
INPUTS, FEWEST = 256, 64  # made-up ones at up to 100 answers, and with more: the optimum is to be that of all such inputs
TAPES = 32  # of noise, in turn, while shares are compared
FINAL, FINAL_TAPES = 4, 256  # times as many inputs, with noise that no step before has seen: 1 % of an error is told
EVALUATIONS = 60  # of a search, about, by which an engine is chosen
FAVOUR = 4.0  # how much more a hole may get at a first look
WITHIN = 0.001  # how much more short fractions may err than the best shares, where errors are simulated
NEAR = 0.005  # how far from the best share each may be, where errors are integrals
AROUND = 10  # made-up answers reach this many noise scales below and above the mark, where errors are distances
HALVES = 8  # steps in which the spread is found where outputs are right or wrong
CURVE = 17  # points of a curve


class Bench:
    """The errors of shares of the budget, for one sketch; `textbook` says how far apart made-up answers are."""

    def __init__(
        self,
        sketch: Sketch,
        request: TuneRequest,
        given: TypicalInputs | None,
        settings: Settings,
        textbook: SharePlan | float,
        opened: Sketch,
    ):
        self.opened = opened  # the sketch that leaves families open, or the same
        self.sketch, self.request, self.given, self.seed = sketch, request, given, settings.seed
        self.textbook = textbook
        self.discrete = gives_discrete_outputs(sketch, request.arguments, settings)
        self.integrals: dict[tuple[int, ...], tuple[AffineErrors, ...]] = {}

    # ---- inputs

    def made_up(self, spread: float, count: int, kind: int) -> TypicalInputs:
        request = self.request
        return make_up(self.sketch, request.arguments, spread, count, (self.seed, kind), request.free, request.rows)

    def inputs(self, times: int) -> TypicalInputs:
        count = max(FEWEST, min(INPUTS, INPUTS * LENGTH // max(arguments.size for arguments in self.kinds))) * times
        if self.given is None:
            return self.made_up(self.spread, count, times)
        return replace(self.given, cases=self.given.cases * -(-count // len(self.given.cases)))  # each with other noise

    @cached_property
    def spread(self) -> float:
        """How far answers are apart: so far that the textbook's noise gives as many right outputs as wrong ones.

        Answers that all scales tell apart, or that none does, would say nothing of them. Distances need no such care.
        """
        if not isinstance(self.textbook, SharePlan):
            return self.textbook
        scales = self.scales(self.textbook, tuple(map(float, self.textbook.even())))
        unit = max(scales(self.request.arguments))
        if not self.discrete:
            return unit * AROUND
        low, high = -4.0, 12.0
        for _ in range(HALVES):
            middle = (low + high) / 2
            wrong = self.meter_on(self.made_up(unit * 2.0**middle, FEWEST, 0), TAPES, 0).error(scales) > 0.5
            low, high = (middle, high) if wrong else (low, middle)
        return float(unit * 2.0**high)

    @property
    def kinds(self) -> tuple[Arguments, ...]:
        """The arguments of each input, where these are given; else those of all of them."""
        return (self.request.arguments,) if self.given is None else tuple(arguments for arguments, _ in self.given.cases)

    # ---- errors

    def meter_on(self, inputs: TypicalInputs, tapes: int, purpose: int) -> ErrorMeter:
        return ErrorMeter(self.sketch, inputs, self.discrete, RUNS, EVALUATIONS, (self.seed, 17, purpose), tapes)

    @cached_property
    def meter(self) -> ErrorMeter:
        return self.meter_on(self.inputs(1), TAPES, 1)

    @cached_property
    def final(self) -> ErrorMeter:
        return self.meter_on(self.inputs(FINAL), FINAL_TAPES, 2)

    def scales(self, plan: SharePlan, shares: Sequence[float]) -> ScalesAt:
        def at(arguments: Arguments) -> Scales:
            return plan.numbers(shares, arguments.quantities(self.sketch), len(self.sketch.holes))

        return at

    def exact(self, plan: SharePlan) -> tuple[AffineErrors, ...]:
        """The integrals behind the errors of a plan, one for each kind of arguments; none if it has no such."""
        if plan.holes not in self.integrals:
            silent = frozenset(d.site for d in self.sketch.draws if isinstance(d.scale, Hole) and d.scale.index not in plan.holes)
            found = [find_affine_errors(self.sketch, arguments, silent) for arguments in dict.fromkeys(self.kinds)]
            known = tuple(errors for errors in found if errors is not None)
            self.integrals[plan.holes] = known if len(known) == len(found) else ()
        return self.integrals[plan.holes]

    def error(self, plan: SharePlan, shares: Sequence[float]) -> float:
        scales, exact = self.scales(plan, shares), self.exact(plan)
        if not exact:
            return self.meter.error(scales)
        by_kind = {errors.arguments: errors.error(scales(errors.arguments)) for errors in exact}
        return float(np.mean([by_kind[arguments] for arguments in self.kinds]))

    # ---- the best shares

    def rival(self, plan: SharePlan, shares: tuple[Fraction, ...]) -> Contender:
        return Contender(self, plan, shares, self.error(plan, tuple(map(float, shares))))

    def glance(self, plan: SharePlan) -> float:
        """The least error of even shares, and of a few others."""
        count = len(plan.holes)
        others = [[FAVOUR if i == j else 1.0 for i in range(count)] for j in range(count if count > 1 else 0)]
        return min(self.error(plan, plan.fitted(parts)) for parts in ([1.0] * count, *others))

    def descend(self, plan: SharePlan) -> Contender:
        """The best shares, as the shortest fractions that are as good."""
        smooth = bool(self.exact(plan))
        shares = plan.fitted(find_least(lambda parts: self.error(plan, plan.fitted(parts)), len(plan.holes), smooth))
        best, found = self.error(plan, shares), None
        for short in short_fractions(shares, plan.allows):
            near = all(abs(float(s) - share) <= NEAR * share for s, share in zip(short, shares, strict=True))
            if found is None or near or not smooth:
                found = self.rival(plan, short)
            if near or (not smooth and found.error <= best * (1 + WITHIN)):
                break
        return found or self.rival(plan, plan.even())

    def curve(self, plan: SharePlan) -> tuple[tuple[float, float], ...]:
        """The error over the law's curve, where two holes share the budget."""
        if len(plan.holes) != 2:
            return ()
        found = []
        for part in np.linspace(0.04, 0.96, CURVE):
            shares = plan.fitted((float(part), 1 - float(part)))
            found.append((shares[0], self.error(plan, shares)))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Contender:
    """Shares of the budget by a plan of some sketch, and what they err by while shares are compared."""

    bench: Bench
    plan: SharePlan
    shares: tuple[Fraction, ...]
    error: float

    @property
    def completion(self) -> Completion:
        return self.plan.completion(self.shares, len(self.bench.sketch.holes))

    @property
    def named(self) -> Completion:
        """The completion in the words of a sketch that leaves families open."""
        return name_families(self.bench.sketch, self.bench.opened, self.completion)

    @property
    def by_hole(self) -> tuple[Fraction, ...]:
        """The share of every hole of the sketch."""
        shares = dict(zip(self.plan.holes, self.shares, strict=True))
        return tuple(shares.get(hole, Fraction(0)) for hole in range(len(self.bench.sketch.holes)))

    def final_errors(self) -> Array:
        """On inputs and noise that no search has seen."""
        return self.bench.final.by_tape(self.bench.scales(self.plan, tuple(map(float, self.shares))))
