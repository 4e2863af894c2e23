"""The paper's steps with integrals for samples, and with the prover as the last judge."""

from __future__ import annotations

from collections.abc import Callable

from kolahal.exact.probe import build_exact_probe
from kolahal.lang.sketch import Sketch
from kolahal.law.hole_choices import find_all_laws, law_for
from kolahal.model import Ranked, Split
from kolahal.proof.judge import judge
from kolahal.results import Judged, Synthesis
from kolahal.roads.paper import JudgedByLaw, Parts, follow
from kolahal.roads.watch import Watch
from kolahal.search.integrals import hardest
from kolahal.settings import Settings, with_changes
from kolahal.tester.final import finalists_of

Judge = Callable[..., tuple[Judged, ...]]


def find_verdicts(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, watch: Watch, judge: Judge = judge
) -> JudgedByLaw:
    """The best completions with their final tests and verdicts, best first, and the law that the first one keeps."""
    finalists = finalists_of(sketch, ranked, settings)
    laws = watch("laws", find_all_laws, sketch, [r.completion for r in finalists], settings.proof, watch.executor)
    judged = watch("verdicts", judge, sketch, finalists, laws, split, settings, watch.executor)
    return judged, law_for(sketch, judged[0].ranked.completion if judged else None, laws)


EXACT = Parts("exact", build_exact_probe, hardest, find_verdicts)


def exact(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The paper's road where nothing is left to luck but the tester's starts.

    What sampling needs many examples and long inputs for, the prover decides: one γ′ and a few rounds are enough.
    """
    settings = with_changes(settings, "arguments", testing=1)
    return follow(sketch, with_changes(settings, "examples", rounds=3), watch, EXACT)
