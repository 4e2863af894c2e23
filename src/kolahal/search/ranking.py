"""The second half of findExpr: order the completions by violations, loss and noise (Sec. IV-D), then accuracy."""

from __future__ import annotations

from kolahal.engine.accuracy import expected_errors
from kolahal.engine.probe import Probe
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Example, Ranked, Score, Split
from kolahal.search.grading import Objections, grade
from kolahal.settings import Settings


def rank_completions(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
    objections: Objections = (),
) -> tuple[Ranked, ...]:
    """The completions, best first."""
    if not completions:
        return ()
    grades = grade(sketch, completions, examples, split, probe, settings, objections)
    order = grades.order
    short = order[: settings.ranking.measured_per_hole * len(sketch.holes)]
    measured = expected_errors(sketch, [completions[i] for i in short], split.training[0], settings)
    errors = dict(zip(short.tolist(), measured, strict=True))
    ranked = [
        Ranked(
            completions[i],
            Score(
                int(grades.violations[i]),
                round(float(grades.slack[i]), 6),
                float(grades.noise[i]),
                errors.get(int(i), float("inf")),
            ),
            None if grades.first is None else float(grades.first[i]),
        )
        for i in order
    ]
    return tuple(sorted(ranked, key=lambda r: r.score))
