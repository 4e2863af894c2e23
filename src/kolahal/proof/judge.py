"""The verdicts on finalists of a synthesis: the order in which provers and refuters are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TypeAlias

from kolahal.lang.claims import plain_claim
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.hole_choices import Holes, noisy_holes
from kolahal.law.law import Laws
from kolahal.law.pricing import tight_completions
from kolahal.model import Arguments, Ranked, Split, Trial
from kolahal.proof.decide import decide
from kolahal.proof.evidence import reconcile
from kolahal.proof.find.alike import guess_from
from kolahal.proof.trusted.certificate import LengthProof
from kolahal.results import Judged
from kolahal.settings import Settings
from kolahal.tester.final import by_standing, final_test
from kolahal.verdicts import Decision, Proved, Refuted, Unknown, Verdict


def judge(
    sketch: Sketch,
    finalists: tuple[Ranked, ...],
    laws: Mapping[Holes, Laws | Unknown],
    split: Split,
    settings: Settings,
    executor: Executor | None = None,
) -> tuple[Judged, ...]:
    """Each finalist with its final test and its verdict; those that fail come last. `laws` are those of its own holes."""
    jobs = [
        (sketch, r, laws[noisy_holes(r.completion)], split.training[0], settings, place)
        for place, r in enumerate(finalists)
    ]
    return by_standing(executor.map(judge_one, jobs) if executor else map(judge_one, jobs), settings)


def judge_one(job: tuple[Sketch, Ranked, Laws | Unknown, Arguments, Settings, int]) -> Judged:
    """The verdict of one completion, and its final test unless it is refuted for certain, or proved and nobody asks."""
    sketch, ranked, laws, arguments, settings, place = job
    decided = judge_completion(sketch, ranked.completion, laws, settings)
    verdict, failed = decided.verdict, decided.failed_rechecks
    settled = isinstance(verdict, Refuted) or (isinstance(verdict, Proved) and not settings.ranking.second_opinion)
    if settled:
        return Judged(ranked, None, verdict, failed)
    trial = final_test(sketch, ranked.completion, arguments, settings, place)
    if isinstance(verdict, Unknown):
        found = "a" if trial.p_value < settings.ranking.alpha else "no"
        told = f"the test finds {found} violation (p = {trial.p_value:.2g})"
        verdict = replace(verdict, reason=f"{verdict.reason}; {told}")
    return tested(Judged(ranked, None, verdict, failed), trial)


Finalist: TypeAlias = tuple[Sketch, Ranked, Settings, LengthProof | None]  # of which the last is a guess, if there is one


class Proofs:
    """The first proof that was found with noise at some holes, read when it is asked for."""

    def __init__(self) -> None:
        self.verdicts: dict[Holes, Verdict] = {}
        self.read: dict[Holes, LengthProof | None] = {}

    def at(self, holes: Holes) -> LengthProof | None:
        if holes in self.verdicts and holes not in self.read:
            self.read[holes] = guess_from(self.verdicts[holes])
        return self.read.get(holes)


def judge_in_turn(jobs: Sequence[Finalist], known: Proofs, executor: Executor | None) -> list[Judged]:
    """A verdict for each finalist. What proves the first with noise at some holes may well prove the others with noise there,
    so it goes before them, and its proof is known from then on."""
    holes = [noisy_holes(ranked.completion) for _, ranked, _, _ in jobs]
    first = [place for place, own in enumerate(holes) if own not in known.verdicts and own not in holes[:place]]
    found: dict[int, Judged] = {}
    for places in (first, [place for place in range(len(jobs)) if place not in first]):
        some = [(*jobs[place][:3], known.at(holes[place]) or jobs[place][3]) for place in places]
        found |= zip(places, executor.map(decide_one, some) if executor and len(some) > 1 else map(decide_one, some), strict=True)
        known.verdicts |= {holes[place]: found[place].verdict for place in places if holes[place] not in known.verdicts}
    return [found[place] for place in range(len(jobs))]


def decide_one(job: Finalist) -> Judged:
    """A law has priced this completion within the budget, so it is put to the prover, with a guess if there is one."""
    sketch, ranked, settings, guess = job
    program = Mechanism(sketch, ranked.completion).filled()
    decided = decide(program, plain_claim(sketch), settings, priced=True, guess=guess)
    return Judged(ranked, None, decided.verdict, decided.failed_rechecks)


def tested(judged: Judged, trial: Trial) -> Judged:
    """The same with its final test, unless the test speaks against a proof for certain."""
    return replace(judged, trial=trial, verdict=reconcile(judged.verdict, None, None, trial.p_value))


def judge_completion(sketch: Sketch, completion: Completion, laws: Laws | Unknown, settings: Settings) -> Decision:
    """What is certain about one completion. What the law of its holes prices above ε is not put to the prover at ε."""
    mechanism = Mechanism(sketch, completion)
    used, dear = mechanism.reduced(), ""
    if isinstance(laws, Laws) and not tight_completions(used.sketch, laws, (used.completion,)):
        dear = f"by the law {laws.law(used.sketch).text} it costs more than {sketch.epsilon.name}"
    return decide(mechanism.filled(), plain_claim(sketch), settings, dear=dear)
