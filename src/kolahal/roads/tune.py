"""The road of `tune`: shares of the budget with the least expected error on typical inputs, as short fractions, proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kolahal.engine.accuracy import DISTANCE, SHARE
from kolahal.engine.meter import ratio_with_error, standard_error
from kolahal.engine.typical import TypicalInputs
from kolahal.errors import UsageError
from kolahal.inputs.requests import read_databases, read_request
from kolahal.lang.claims import plain_claim
from kolahal.lang.families import close_families
from kolahal.lang.sketch import Mechanism, Sketch, Variant
from kolahal.law.budget_offers import find_budget_plans
from kolahal.law.hole_choices import find_choices
from kolahal.law.shares import SharePlan, plans_of
from kolahal.proof.decide import decide
from kolahal.results import Measured, Tuning
from kolahal.roads.comparison import RUNS, Bench, Contender
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Unknown, Verdict

HOPE = 1.25  # a rule that errs this much more than another one at a first look is not looked at again
MOST_SEARCHED = 3  # rules that are


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
    given = None if typical is None else TypicalInputs(read_databases(sketch, request, typical, source), source)
    families: list[tuple[Bench, tuple[SharePlan, ...], SharePlan]] = []
    reason = Unknown("there is no law")
    for closed in close_families(sketch):
        plans = find_plans(closed, settings)
        if isinstance(plans, Unknown):
            reason = plans
            continue
        steady = min(plans, key=lambda plan: (plan.grows, len(plan.holes)))
        # All families meet the same inputs: those at which the textbook, the first of them, is right half of the time.
        bench = Bench(closed, request, given, settings, families[0][0].spread if families else steady, sketch)
        families.append((bench, plans, steady))
    if not families:
        return reason
    (bench, _, steady), *_ = families
    first = bench.rival(steady, steady.even())
    rivals = search([(bench, plan) for bench, plans, _ in families for plan in plans])
    # Where nothing is better than the textbook, the textbook is best.
    tuned, verdict = _best(sorted([first, *rivals], key=lambda rival: rival.error), settings)
    return compare(first, judge(first, settings), tuned, verdict)


def find_plans(sketch: Sketch, settings: Settings) -> tuple[SharePlan, ...] | Unknown:
    """The ways to share the budget that some law of the sketch allows."""
    if sketch.variant is not Variant.PURE:
        found = find_budget_plans(sketch, settings.proof)
        return found if isinstance(found, Unknown) else tuple(plan for plan, _ in found)
    choices = find_choices(sketch, settings.proof)
    if isinstance(choices, Unknown):
        return choices
    return tuple(plans_of(sketch, choices)) or Unknown("no law of the sketch leaves a choice")


def search(plans: Sequence[tuple[Bench, SharePlan]]) -> list[Contender]:
    """The best shares of each plan that is worth it, the least error first."""
    looks = sorted(((bench.glance(plan), place) for place, (bench, plan) in enumerate(plans)))
    kept = [place for error, place in looks if error <= HOPE * looks[0][0]][:MOST_SEARCHED]
    rivals = [bench.descend(plan) for bench, plan in (plans[place] for place in kept)]
    return sorted(rivals, key=lambda rival: rival.error)


def compare(first: Contender, judged: Verdict, tuned: Contender, verdict: Verdict) -> Tuning:
    """Both with noise that no search has seen, or both by integrals."""
    bench = tuned.bench
    exact = all(rival.bench.exact(rival.plan) for rival in (first, tuned))
    errors, offs = (first.error, tuned.error), (0.0, 0.0)
    ratio, off = (errors[1] / errors[0] if errors[0] else 1.0), 0.0
    if not exact:
        one, two = first.final_errors(), tuned.final_errors()
        ratio, off = ratio_with_error(one, two)
        if ratio > 1 and tuned is not first:  # on other inputs than the search has seen
            return compare(first, judged, first, judged)
        errors, offs = (float(one.mean()), float(two.mean())), (standard_error(one), standard_error(two))
    textbook, best = (
        Measured(rival.bench.opened, rival.named, rival.by_hole, error, uncertain, decided)
        for rival, error, uncertain, decided in zip((first, tuned), errors, offs, (judged, verdict), strict=True)
    )
    used = bench.kinds if exact else tuple(arguments for arguments, _ in bench.final.inputs.cases)
    cases = bench.kinds if bench.given else used
    return Tuning(
        textbook, best, ratio, off, tuned.plan.law, SHARE if bench.discrete else DISTANCE, cases,
        bench.given.source if bench.given else "", 0 if exact else RUNS * len(used) // len(cases), bench.request.rows, bench.curve(tuned.plan),
    )  # fmt: skip


def _best(rivals: Sequence[Contender], settings: Settings) -> tuple[Contender, Verdict]:
    """The first that is proved; if none is, the first that is proved up to a size, else the first."""
    judged = []
    for rival in rivals:
        verdict = judge(rival, settings)
        if isinstance(verdict, Proved):
            return rival, verdict
        judged.append((rival, verdict))
    return next(((r, v) for r, v in judged if isinstance(v, Bounded)), judged[0])


def judge(rival: Contender, settings: Settings) -> Verdict:
    """The verdict on scales, by the same ladder as any other."""
    sketch = rival.bench.sketch
    return decide(Mechanism(sketch, rival.completion).filled(), plain_claim(sketch), settings).verdict
