"""The final test, and the order in which provers and refuters are asked."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction

from kolahal.engine.tape import stream
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.law import Laws, known_laws
from kolahal.law.pricing import tight_completions
from kolahal.model import Arguments, Ranked, Split, Trial
from kolahal.proof.decide import decide
from kolahal.proof.evidence import reconcile
from kolahal.results import Judged
from kolahal.settings import Settings
from kolahal.tester.trial import test
from kolahal.verdicts import Refuted, Unknown, Verdict


def judge(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """The best 5 × #holes, each with its final test and its verdict; those that fail come last."""
    finalists = ranked[: settings.ranking.finalists_per_hole * len(sketch.holes)]
    jobs = [(sketch, r, split.training[0], settings, place) for place, r in enumerate(finalists)]
    judged = list(executor.map(judge_one, jobs) if executor else map(judge_one, jobs))
    return tuple(sorted(judged, key=lambda j: standing(j, settings)))


def judge_one(job: tuple[Sketch, Ranked, Arguments, Settings, int]) -> Judged:
    """The verdict of one completion, and its final test unless it is refuted for certain."""
    sketch, ranked, arguments, settings, place = job
    verdict = judge_completion(sketch, ranked.completion, settings)
    if isinstance(verdict, Refuted):
        return Judged(ranked, None, verdict)
    trial = final_test(sketch, ranked.completion, arguments, settings, place)
    if isinstance(verdict, Unknown):
        found = "a" if trial.p_value < settings.ranking.alpha else "no"
        told = f"the test finds {found} violation (p = {trial.p_value:.2g})"
        verdict = replace(verdict, reason=f"{verdict.reason}; {told}")
    return tested(Judged(ranked, None, verdict), trial)


def tested(judged: Judged, trial: Trial) -> Judged:
    """The same with its final test, unless the test speaks against a proof for certain."""
    return replace(judged, trial=trial, verdict=reconcile(judged.verdict, None, None, trial.p_value))


def final_test(sketch: Sketch, completion: Completion, arguments: Arguments, settings: Settings, place: int) -> Trial:
    scales = arguments.concretise(sketch, completion)
    seed = int(stream(settings.seed, "judge", place).integers(2**31))
    return test(sketch, scales, arguments, settings.tester, seed)


def judge_completion(sketch: Sketch, completion: Completion, settings: Settings) -> Verdict:
    """What is certain about one completion. What the law prices above ε is not put to the prover at ε."""
    mechanism = Mechanism(sketch, completion).filled()
    used = Mechanism(sketch, completion).reduced()
    laws = known_laws(used.sketch, settings.proof)
    claim = Scale(Fraction(1), ((sketch.epsilon.name, 1),))
    if isinstance(laws, Laws) and not tight_completions(used.sketch, laws, (used.completion,)):
        dear = f"by the law {laws.law(used.sketch).text} it costs more than {sketch.epsilon.name}"
        return decide(mechanism, claim, settings, dear=dear).verdict
    return decide(mechanism, claim, settings).verdict


def standing(judged: Judged, settings: Settings) -> int:
    """Proved, then bounded, before undecided before rejected; within each the ranking stands."""
    return judged.standing(settings.ranking.alpha)
