"""The paper's road: a sketch goes in, ranked and judged completions come out."""

from __future__ import annotations

from collections.abc import Callable

from kolahal.engine.accuracy import describe_errors
from kolahal.exact.probe import build_exact_probe
from kolahal.lang.sketch import Sketch
from kolahal.law.hole_choices import find_all_laws, law_for
from kolahal.model import Ranked, Split
from kolahal.proof.judge import finalists_of, judge
from kolahal.results import Judged, Law, Synthesis
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.search.completions import enumerate_completions
from kolahal.search.examples import select_examples, select_tests
from kolahal.search.ranking import rank_completions
from kolahal.search.region import find_regions
from kolahal.settings import Settings

Judge = Callable[..., tuple[Judged, ...]]


def paper(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The paper's `synth`, one line a step: each is a pure function of what stands on its line."""
    pool = watch.executor
    split = watch("arguments", fix_arguments, sketch, settings)  # γ, γ′
    probe = watch("probe", build_exact_probe, sketch, settings, "probe")
    selection = watch("examples", select_examples, sketch, split.training, probe, settings, "examples", pool)  # Ex
    regions = watch("regions", find_regions, sketch, selection, probe, settings)  # R
    completions = watch("completions", enumerate_completions, sketch, regions, settings)  # γ(η) ∈ Nbhd(R)
    fresh = watch("probe", build_exact_probe, sketch, settings, "fresh")  # noise no step above has seen
    tests = watch("tests", select_tests, sketch, completions, selection, split, fresh, settings, "tests", pool)
    examples = selection.examples + tests.examples  # Ex ∪ Ex_test
    ranked = watch("ranking", rank_completions, sketch, completions, examples, split, fresh, settings)  # η₁ … ηₙ
    judged, law = find_verdicts(sketch, ranked, split, settings, watch)
    accuracy = describe_errors(sketch, split.training[0], settings) if ranked else None
    return Synthesis(
        sketch, "paper", settings, split, selection, regions, len(completions), tests, ranked, judged, law, accuracy
    )


def find_verdicts(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, watch: Watch, judge: Judge = judge
) -> tuple[tuple[Judged, ...], Law | None]:
    """The best completions with their final tests and verdicts, best first, and the law that the first one keeps."""
    finalists = finalists_of(sketch, ranked, settings)
    laws = watch("laws", find_all_laws, sketch, [r.completion for r in finalists], settings.proof, watch.executor)
    judged = watch("verdicts", judge, sketch, finalists, laws, split, settings, watch.executor)
    return judged, law_for(sketch, judged[0].ranked.completion if judged else None, laws)
