"""The verdict on a complete mechanism: proved, bounded, refuted or unknown, with bounds on its ε from both sides."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kolahal.errors import KolahalError, UsageError
from kolahal.lang.claims import parse_claim as parse_claim
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Mechanism, Sketch, Variant
from kolahal.law.law import Laws, find_laws
from kolahal.law.pricing import cost_of
from kolahal.logic.counting import OutOfSteps, limited
from kolahal.losses import epsilon_lower
from kolahal.model import Example, show, with_labels
from kolahal.proof.decide import decide
from kolahal.proof.evidence import reconcile
from kolahal.proof.refute.refute import best_lower_bound, survey_losses
from kolahal.proof.refute.shrink import confirm
from kolahal.results import Check, LowerBound
from kolahal.settings import Settings, TesterSettings
from kolahal.verdicts import Bounded, Decision, Proved, Refuted, Unknown

CONFIRMATION = 150_000  # steps in which the exact probabilities of what a test found are computed
CONCRETE = Fraction(1, 2)  # the ε at which a mechanism is tested where it must be a number


def check(
    sketch: Sketch | Mechanism, claim: str = "", settings: Settings | None = None, executor: Executor | None = None
) -> Check:
    """Whether a program without holes is `claim`-private (its ε, if nothing is claimed): a proof, a counterexample, or why neither.

    The statistical test speaks only where nothing else decides.
    """
    program = sketch.filled() if isinstance(sketch, Mechanism) else sketch
    settings = settings or Settings()
    if program.holes:
        raise UsageError(f"{program.name} has holes; fill them before it is checked")
    claimed = parse_claim(program, claim)
    if program.variant is not Variant.PURE:
        return check_budget(program, claimed, settings)
    laws = _find_laws(program, settings)
    survey = survey_losses(program, claimed, settings)
    cost = _law_cost(program, claimed, laws)
    decided = decide(program, claimed, settings, cost, survey=survey, priced=cost is not None and cost <= 1)
    bound = best_lower_bound(program, claimed, survey)
    law = None if isinstance(laws, Unknown) else laws.law(program.opened().sketch)
    # Where all ways through a program are too many to follow, runs of it take long as well.
    tester = TesterSettings.final() if isinstance(laws, Unknown) and laws.cut_short else TesterSettings()
    found = _check(program, claimed, decided, bound, tester, settings.seed, executor)
    failed = decided.failed_rechecks
    tried = decided.tried if isinstance(found.verdict, Bounded | Unknown) else ()
    if found.example is not None:
        found = replace(found, example=with_labels(program, found.example))
    return replace(found, sketch=program, claim=claimed, law=law, bound=bound, failed_rechecks=failed, tried=tried)


def _find_laws(program: Sketch, settings: Settings) -> Laws | Unknown:
    """The law, unless it takes too long: then there is a verdict without one."""
    try:
        with limited(settings.proof.steps):
            return find_laws(program, settings.proof)
    except OutOfSteps:
        return Unknown(f"the costs at small sizes take more than {settings.proof.steps} steps", cut_short=True)


def check_budget(program: Sketch, claimed: Scale, settings: Settings) -> Check:
    """The verdict on a program with a budget other than ε; both bounds are in units of the claim."""
    from kolahal.proof.budgets import shown_loss

    decided = decide(program, claimed, settings)
    verdict, failed = decided.verdict, decided.failed_rechecks
    upper = 1.0 if isinstance(verdict, Proved) else None
    found = Check(verdict, 0.0, upper, sketch=program, claim=claimed, failed_rechecks=failed)
    if not isinstance(verdict, Refuted):
        return found
    return replace(found, epsilon_lower=shown_loss(verdict, program, claimed), example=verdict.example)


def refutation_of(found: Check) -> dict[str, Any] | None:
    """The counterexample as data that `kolahal verify` checks again, if there is one."""
    if not isinstance(found.verdict, Refuted) or found.sketch is None:
        return None
    from kolahal.proof.refute.counterexample_data import document

    return document(found.verdict, found.sketch, found.claim or plain_claim(found.sketch))


def _check(
    program: Sketch,
    claimed: Scale,
    decided: Decision,
    bound: LowerBound | None,
    tester: TesterSettings,
    seed: int,
    executor: Executor | None,
) -> Check:
    verdict = decided.verdict
    upper = float(decided.upper) if decided.upper is not None else 1.0 if isinstance(verdict, Proved) else None
    verdict = reconcile(verdict, bound, upper)
    if isinstance(verdict, Unknown) and verdict.defect:
        return Check(verdict, 0.0, None)
    if bound is not None and bound.loss > 1 and isinstance(verdict, Unknown | Bounded):
        verdict = confirm(program, bound.example, claimed) or verdict  # beyond what a bounded proof speaks of
    lower, example = (0.0, None) if bound is None else (bound.loss, bound.example)
    if isinstance(verdict, Refuted) and (shown := _shown(verdict, program, claimed)) > lower:
        lower, example = shown, verdict.example
    found = Check(verdict, lower if upper is None else min(lower, upper), upper, example=example)
    if not isinstance(verdict, Unknown):
        return found
    from kolahal.tester.trial import test_mechanism

    try:
        trial = test_mechanism(program, CONCRETE, tester, seed, executor)
    except KolahalError as error:  # such as a loop without an end: no test, but no mistake in the question either
        (told, *_) = str(error).splitlines()
        return replace(found, verdict=Unknown(f"{verdict.reason}; no test: {told}"))
    sampled = trial.epsilon_lower / float(claimed.at(trial.example.arguments.quantities(program)))
    said = f"the test finds {'a' if sampled > 1 else 'no'} violation (p = {trial.p_value:.2g} at ε = {show(CONCRETE)})"
    found = replace(found, verdict=Unknown(f"{verdict.reason}; {said}"), trial=trial)
    if sampled > 1 and (refuted := _confirm(program, trial.example, claimed)) is not None:
        shown = _shown(refuted, program, claimed)  # what the test saw is certain
        return replace(found, verdict=refuted, epsilon_lower=max(shown, found.epsilon_lower), example=refuted.example)
    likely = sampled if upper is None else min(sampled, upper)  # a bound from runs may be wrong, a certificate is not
    return replace(found, epsilon_lower=likely, example=trial.example) if likely > found.epsilon_lower else found


def _confirm(program: Sketch, example: Example, claimed: Scale) -> Refuted | None:
    try:
        with limited(CONFIRMATION):
            return confirm(program, example, claimed)
    except OutOfSteps:
        return None


def _shown(refuted: Refuted, sketch: Sketch, claim: Scale) -> float:
    """The loss of a counterexample in units of the claim."""
    return epsilon_lower(refuted.odds) / float(claim.at(refuted.example.arguments.quantities(sketch)))


def _law_cost(sketch: Sketch, claim: Scale, laws: Laws | Unknown) -> Fraction | None:
    """What the mechanism costs by its law, in units of the claim, where that is one number for all inputs."""
    cost = None if isinstance(laws, Unknown) else cost_of(sketch, laws)
    only_epsilon = all(name == sketch.epsilon.name for name, _ in claim.powers)
    return cost / claim.coefficient if cost is not None and only_epsilon else None
