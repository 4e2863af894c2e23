"""Which pictures a result gets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.exact.probe import build_exact_probe
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Equals, Example
from kolahal.pictures.outputs import picture_pairs
from kolahal.pictures.planner import plan_budget
from kolahal.pictures.scales import error_curves, landscape, law_cost, loss_curves
from kolahal.pictures.subject import Shown, Subject
from kolahal.proof.refute.refute import best_lower_bound, survey_losses
from kolahal.report.json import example_document
from kolahal.results import Check, LowerBound, Synthesis
from kolahal.settings import Settings
from kolahal.verdicts import Refuted, Unknown

COMPARED = 4  # completions whose errors are compared
MOST_PAIRS = 4  # refuted completions whose counterexamples are drawn
ALMOST = 0.9  # of the largest loss, for a pair that is pictured


# ---------------------------------------------------------------- what a result document gets


def picture_synthesis(synthesis: Synthesis) -> dict[str, Any]:
    """Pictures of a synthesis: of its best completion, and of what speaks against the refuted ones."""
    if not synthesis.judged:
        return {"figures": {}, "pairs": []}
    if synthesis.sketch.is_open:
        return _of_one_family(synthesis)
    sketch, settings = synthesis.sketch, synthesis.settings
    subject = Subject(sketch, plain_claim(sketch), synthesis.law.rules if synthesis.law else (), settings)
    chosen = synthesis.best or synthesis.judged[0]
    completion = chosen.ranked.completion
    program = subject.program(completion)
    bound = best_lower_bound(program, subject.claim, survey_losses(program, subject.claim, settings))
    hard = hard_pairs(subject, completion, bound)
    first = synthesis.split.training[0]
    alive = [j.ranked.completion for j in synthesis.judged if not j.is_rejected(settings.ranking.alpha)]
    marks = [j.ranked.completion for j in synthesis.judged]
    shown: list[Shown] = [(completion, hard[0], "hard", None)] if synthesis.best is not None and hard else []
    refuted = [(j.ranked.completion, j.verdict) for j in synthesis.judged if isinstance(j.verdict, Refuted)]
    shown += [(other, verdict.example, "refuted", verdict) for other, verdict in refuted[:MOST_PAIRS]]
    kept = [e for e in synthesis.selection.examples if e.arguments == first]
    figures = {
        "loss": loss_curves(subject, completion, hard),
        "landscape": landscape(subject, completion, kept or hard, marks),
        "error": error_curves(subject, alive[:COMPARED] or [completion], first),
        "planner": plan_budget(subject, completion, first),
    }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure is not None},
        "pairs": picture_pairs(subject, shown),
        "hardest": _hardest(bound),
        "costs": [law_cost(subject, j.ranked.completion, synthesis.split) for j in synthesis.judged],
    }


def _of_one_family(synthesis: Synthesis) -> dict[str, Any]:
    """Pictures of the completions that have the families of the best one: a law and its curves are about these."""
    sketch, judged = synthesis.sketch, synthesis.judged
    mechanisms = [Mechanism(sketch, j.ranked.completion).closed() for j in judged]
    first = mechanisms[judged.index(synthesis.best or judged[0])].sketch
    places = [place for place, mechanism in enumerate(mechanisms) if mechanism.sketch == first]
    kept = tuple(
        replace(judged[place], ranked=replace(judged[place].ranked, completion=mechanisms[place].completion))
        for place in places
    )
    found = picture_synthesis(replace(synthesis, sketch=first, judged=kept))
    costs = dict(zip(places, found["costs"], strict=True))
    return {**found, "costs": [costs.get(place) for place in range(len(judged))]}


def picture_check(sketch: Sketch, claim: Scale, check: Check, settings: Settings) -> dict[str, Any]:
    """Pictures of a program without holes: all of its scales may vary."""
    opened, law = sketch.opened(), check.law
    completion = opened.completion
    subject = Subject(opened.sketch, claim, law.rules if law else (), settings)
    hard = hard_pairs(subject, completion, check.bound)
    shown: list[Shown] = []
    if isinstance(check.verdict, Refuted):
        shown.append((completion, check.verdict.example, "refuted", check.verdict))
    elif check.trial is not None and isinstance(check.verdict, Unknown):
        shown.append((completion, check.trial.example, "tested", None))
    elif hard:
        shown.append((completion, hard[0], "hard", None))
    hard = hard or tuple(example for _, example, _, _ in shown)
    figures: dict[str, Any] = {}
    if hard and completion:
        figures = {
            "loss": loss_curves(subject, completion, hard),
            "landscape": landscape(subject, completion, hard, [completion]),
            "error": error_curves(subject, [completion], hard[0].arguments),
        }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure is not None},
        "pairs": picture_pairs(subject, shown),
        "hardest": _hardest(check.bound),
        "law": law.text if law else None,
        "alternatives": list(law.alternatives) if law else [],
    }


def _hardest(bound: LowerBound | None) -> dict[str, Any] | None:
    """The largest loss that was found for certain, in units of the claim, and where."""
    return None if bound is None else {**example_document(bound.example), "loss": bound.loss}


def hard_pairs(subject: Subject, completion: Completion, bound: LowerBound | None) -> tuple[Example, ...]:
    """The example with the largest loss that was found, after one that is almost as hard and not so rare."""
    if bound is None:
        return ()
    return tuple(dict.fromkeys([tame(subject, completion, bound.example), bound.example]))


def tame(subject: Subject, completion: Completion, example: Example) -> Example:
    """A pair almost as hard with answers closer together, so that its event is not too rare to picture.

    The largest losses lie where answers are far apart, and there the event may have a chance of 1e-80.
    """
    if not isinstance(example.event, Equals):
        return example
    moves = [b - a for a, b in zip(example.d1, example.d2, strict=True)]
    found = []
    for factor in (Fraction(1, 2**k) for k in range(8, 0, -1)):
        d1 = tuple(Fraction(round(a * factor)) for a in example.d1)
        found.append(replace(example, d1=d1, d2=tuple(a + m for a, m in zip(d1, moves, strict=True))))
    examples = (*dict.fromkeys(found), example)
    row = np.array([example.arguments.concretise(subject.sketch, completion)])
    losses = build_exact_probe(subject.sketch, subject.settings, "report").losses(row, examples).value[0]
    return next(e for e, loss in zip(examples, losses, strict=True) if loss >= ALMOST * losses[-1])
