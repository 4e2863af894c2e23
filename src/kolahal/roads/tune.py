"""The road of `tune`: shares of the budget with the least expected error on typical inputs, as short fractions, proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kolahal.engine.accuracy import DISTANCE, SHARE, gives_discrete_outputs
from kolahal.engine.meter import ErrorMeter, ScalesAt, ratio_with_error, standard_error
from kolahal.engine.typical import TypicalInputs, make_up
from kolahal.errors import UsageError
from kolahal.exact.affine_errors import AffineErrors, find_affine_errors
from kolahal.inputs.requests import LENGTH, TuneRequest, read_databases, read_request
from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Mechanism, Sketch, Variant
from kolahal.law.budget_offers import find_budget_plans
from kolahal.law.hole_choices import find_choices
from kolahal.law.shares import SharePlan, plans_of
from kolahal.model import Arguments, Scales
from kolahal.proof.budgets import decide_budget
from kolahal.proof.decide import decide
from kolahal.results import Measured, Tuning
from kolahal.search.descent import find_least, short_fractions
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Unknown, Verdict

RUNS = 128  # on each input; all scales that are compared meet the same noise
INPUTS, FEWEST = 256, 64  # made-up ones at up to 100 answers, and with more: the optimum is to be that of all such inputs
TAPES = 32  # of noise, in turn, while shares are compared
FINAL, FINAL_TAPES = 4, 256  # times as many inputs, with noise that no step before has seen: 1 % of an error is told
EVALUATIONS = 60  # of a search, about, by which an engine is chosen
HOPE = 1.5  # a rule whose even shares err this much more than the best ones' is not looked at
WITHIN = 0.001  # how much more short fractions may err than the best shares, where errors are simulated
NEAR = 0.005  # how far from the best share each may be, where errors are integrals
AROUND = 10  # made-up answers reach this many noise scales below and above the mark, where errors are distances
HALVES = 8  # steps in which the spread is found where outputs are right or wrong
CURVE = 17  # points of a curve


def tune(
    sketch: Sketch, at: Mapping[str, object] | None = None, typical: object = None, settings: Settings | None = None, source: str = "typical"
) -> Tuning:
    """The scales with the least expected error at stated arguments, among all that keep to a law of the sketch.

    `at` gives `len` (the number of private answers), the budget and public arguments; what it leaves out is usual.
    `typical` are private answers, or records, to compare errors on: one list, or a list of them. They must be public or
    synthetic, because what is found depends on them. Without them answers are made up.
    """
    found = find_tuning(sketch, at or {}, typical, settings or Settings(), source)
    if isinstance(found, Unknown):
        raise UsageError(f"{sketch.name} cannot be tuned: {found.reason}")
    return found


def find_tuning(sketch: Sketch, at: Mapping[str, object], typical: object, settings: Settings, source: str) -> Tuning | Unknown:
    """The same, or why there is nothing to choose from."""
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to tune. Use `kolahal check` to judge it.")
    request = read_request(sketch, at)
    data = None if typical is None else read_databases(sketch, request, typical, source)
    plans = find_plans(sketch, settings)
    if isinstance(plans, Unknown):
        return plans
    textbook = min(plans, key=lambda plan: (plan.grows, len(plan.holes)))
    given = None if data is None else TypicalInputs(data, source)
    bench = Bench(sketch, request, given, settings, textbook)
    first = bench.rival(textbook, textbook.even())
    rivals = sorted(bench.search(plans), key=lambda rival: rival.error)
    tuned, verdict = _best(sketch, [*rivals, first], settings)
    return bench.compare(first, judge_shares(sketch, first, settings), tuned, verdict)


def find_plans(sketch: Sketch, settings: Settings) -> tuple[SharePlan, ...] | Unknown:
    """The ways to share the budget that some law of the sketch allows."""
    if sketch.variant is not Variant.PURE:
        found = find_budget_plans(sketch, settings.proof)
        return found if isinstance(found, Unknown) else tuple(plan for plan, _ in found)
    choices = find_choices(sketch, settings.proof)
    if isinstance(choices, Unknown):
        return choices
    return tuple(plans_of(sketch, choices)) or Unknown("no law of the sketch leaves a choice")


@dataclass(frozen=True, slots=True)
class Rival:
    """Shares of the budget by a plan, and what they err by while shares are compared."""

    plan: SharePlan
    shares: tuple[Fraction, ...]
    error: float


class Bench:
    """What all shares are compared on: the same inputs, the same noise, or the same integrals."""

    def __init__(self, sketch: Sketch, request: TuneRequest, given: TypicalInputs | None, settings: Settings, textbook: SharePlan):
        self.sketch, self.request, self.given, self.seed = sketch, request, given, settings.seed
        self.discrete = gives_discrete_outputs(sketch, request.arguments, settings)
        self.integrals: dict[tuple[int, ...], tuple[AffineErrors, ...]] = {}
        self.inputs = given or make_up(sketch, request.arguments, 1.0, 1, (self.seed, 0), request.free, request.rows)
        self.spread = 1.0
        if not self.exact(textbook):
            self.spread = self._spread(textbook)
            self.inputs = self._inputs(1)
            self.meter = self._meter(self.inputs, EVALUATIONS, TAPES, 1)

    def _inputs(self, times: int) -> TypicalInputs:
        count = max(FEWEST, min(INPUTS, INPUTS * LENGTH // self.request.arguments.size)) * times
        made_up = make_up(self.sketch, self.request.arguments, self.spread, count, (self.seed, times), self.request.free, self.request.rows)
        return self.given or made_up

    def _meter(self, inputs: TypicalInputs, uses: int, tapes: int, purpose: int) -> ErrorMeter:
        return ErrorMeter(self.sketch, inputs, self.discrete, RUNS, uses, (self.seed, 17, purpose), tapes)

    def _spread(self, textbook: SharePlan) -> float:
        """How far answers are apart: so far that the textbook's noise gives as many right outputs as wrong ones.

        Answers that all scales tell apart, or that none does, would say nothing of them. Distances need no such care.
        """
        scales = self.scales(textbook, tuple(map(float, textbook.even())))
        unit = max(scales(self.request.arguments))
        if not self.discrete or self.given:
            return unit * AROUND
        low, high = -4.0, 12.0
        for _ in range(HALVES):
            spread = unit * 2.0 ** ((low + high) / 2)
            inputs = make_up(self.sketch, self.request.arguments, spread, FEWEST, (self.seed, 0), self.request.free, self.request.rows)
            wrong = self._meter(inputs, EVALUATIONS, TAPES, 0).error(scales) > 0.5
            low, high = ((low + high) / 2, high) if wrong else (low, (low + high) / 2)
        return float(unit * 2.0**high)

    def scales(self, plan: SharePlan, shares: Sequence[float]) -> ScalesAt:
        def at(arguments: Arguments) -> Scales:
            return plan.numbers(shares, arguments.quantities(self.sketch), len(self.sketch.holes))

        return at

    def exact(self, plan: SharePlan) -> tuple[AffineErrors, ...]:
        """The integrals behind the errors of a plan, of which there is one for each kind of arguments; none if it has no such."""
        if plan.holes not in self.integrals:
            silent = frozenset(d.site for d in self.sketch.draws if isinstance(d.scale, Hole) and d.scale.index not in plan.holes)
            kinds = dict.fromkeys(arguments for arguments, _ in self.inputs.cases)
            found = [find_affine_errors(self.sketch, arguments, silent) for arguments in kinds]
            known = tuple(errors for errors in found if errors is not None)
            self.integrals[plan.holes] = known if len(known) == len(found) else ()
        return self.integrals[plan.holes]

    def error(self, plan: SharePlan, shares: Sequence[float]) -> float:
        scales, exact = self.scales(plan, shares), self.exact(plan)
        if not exact:
            return self.meter.error(scales)
        by_kind = {errors.arguments: errors.error(scales(errors.arguments)) for errors in exact}
        return float(np.mean([by_kind[arguments] for arguments, _ in self.inputs.cases]))

    def rival(self, plan: SharePlan, shares: tuple[Fraction, ...]) -> Rival:
        return Rival(plan, shares, self.error(plan, tuple(map(float, shares))))

    def search(self, plans: Sequence[SharePlan]) -> list[Rival]:
        """The best shares of each plan that is worth a look, as short fractions."""
        even = [self.rival(plan, plan.even()) for plan in plans]
        least = min(rival.error for rival in even)
        return [self.shorten(rival.plan, self.descend(rival.plan)) for rival in even if rival.error <= HOPE * least]

    def descend(self, plan: SharePlan) -> tuple[float, ...]:
        smooth = bool(self.exact(plan))
        return plan.fitted(find_least(lambda parts: self.error(plan, plan.fitted(parts)), len(plan.holes), smooth))

    def shorten(self, plan: SharePlan, shares: tuple[float, ...]) -> Rival:
        """The shortest fractions that are as good as these shares."""
        best, found = self.error(plan, shares), None
        for short in short_fractions(shares, plan.allows):
            near = all(abs(float(s) - share) <= NEAR * share for s, share in zip(short, shares, strict=True))
            if found is None or near or not self.exact(plan):
                found = self.rival(plan, short)
            if near or (not self.exact(plan) and found.error <= best * (1 + WITHIN)):
                break
        return found or self.rival(plan, plan.even())

    def compare(self, first: Rival, judged: Verdict, tuned: Rival, verdict: Verdict) -> Tuning:
        """Both with noise that no search has seen, or both by integrals."""
        exact = bool(self.exact(first.plan)) and bool(self.exact(tuned.plan))
        inputs = self.inputs if exact else self._inputs(FINAL)
        cases = tuple(arguments for arguments, _ in inputs.cases)
        count, law = len(self.sketch.holes), tuned.plan.law
        unit = SHARE if self.discrete else DISTANCE
        if exact:
            ratio, off, errors, offs = tuned.error / first.error, 0.0, (first.error, tuned.error), (0.0, 0.0)
        else:
            meter = self._meter(inputs, EVALUATIONS, FINAL_TAPES, 2)
            each = [meter.by_tape(self.scales(rival.plan, tuple(map(float, rival.shares)))) for rival in (first, tuned)]
            ratio, off = ratio_with_error(*each)
            if ratio > 1 and tuned is not first:  # on other inputs than the search has seen
                return self.compare(first, judged, first, judged)
            errors, offs = (float(each[0].mean()), float(each[1].mean())), (standard_error(each[0]), standard_error(each[1]))
        textbook, best = (
            Measured(self.sketch, rival.plan.completion(rival.shares, count), _by_hole(rival, count), error, uncertain, decided)
            for rival, error, uncertain, decided in zip((first, tuned), errors, offs, (judged, verdict), strict=True)
        )
        return Tuning(textbook, best, ratio, off, law, unit, cases, self.inputs.source, 0 if exact else RUNS, self.request.rows, self.curve(tuned.plan))

    def curve(self, plan: SharePlan) -> tuple[tuple[float, float], ...]:
        """The error over the law's curve, where two holes share the budget."""
        if len(plan.holes) != 2:
            return ()
        found = []
        for part in np.linspace(0.04, 0.96, CURVE):
            shares = plan.fitted((float(part), 1 - float(part)))
            found.append((shares[0], self.error(plan, shares)))
        return tuple(found)


def _by_hole(rival: Rival, count: int) -> tuple[Fraction, ...]:
    shares = dict(zip(rival.plan.holes, rival.shares, strict=True))
    return tuple(shares.get(hole, Fraction(0)) for hole in range(count))


def _best(sketch: Sketch, rivals: Sequence[Rival], settings: Settings) -> tuple[Rival, Verdict]:
    """The first that is proved; if none is, the first that is proved up to a size, else the first."""
    judged = []
    for rival in rivals:
        verdict = judge_shares(sketch, rival, settings)
        if isinstance(verdict, Proved):
            return rival, verdict
        judged.append((rival, verdict))
    return next(((r, v) for r, v in judged if isinstance(v, Bounded)), judged[0])


def judge_shares(sketch: Sketch, rival: Rival, settings: Settings) -> Verdict:
    """The verdict on scales, by the same ladder as any other."""
    program = Mechanism(sketch, rival.plan.completion(rival.shares, len(sketch.holes))).filled()
    return (decide if sketch.variant is Variant.PURE else decide_budget)(program, plain_claim(sketch), settings).verdict
