"""The paper's road: a sketch goes in, ranked and tested completions come out. All of it is sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kolahal.engine.accuracy import describe_errors
from kolahal.engine.probe import Probe
from kolahal.engine.tilted_probe import build_tilted_probe
from kolahal.lang.sketch import Sketch
from kolahal.model import Ranked, Split
from kolahal.nouns import dataclass
from kolahal.results import Judged, Law, Synthesis
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.search.climbs import hardest
from kolahal.search.completions import enumerate_completions
from kolahal.search.examples import Hardest, select_examples, select_tests
from kolahal.search.grading import objections_of
from kolahal.search.ranking import rank_completions
from kolahal.search.region import find_regions
from kolahal.settings import Settings
from kolahal.tester.final import finalists_of, judge_by_tests

JudgedByLaw = tuple[tuple[Judged, ...], Law | None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a road along the paper's steps may choose: where losses come from, how examples get harder, who judges."""

    method: str
    build_probe: Callable[[Sketch, Settings, str], Probe]
    hardest: Hardest
    judge: Callable[[Sketch, tuple[Ranked, ...], Split, Settings, Watch], JudgedByLaw]


def follow(sketch: Sketch, settings: Settings, watch: Watch, parts: Parts) -> Synthesis:
    """The paper's `synth`, one line a step: each is a pure function of what stands on its line."""
    pool = watch.executor
    split = watch("arguments", fix_arguments, sketch, settings)  # γ, γ′
    probe = watch("probe", parts.build_probe, sketch, settings, "probe").helped_by(pool)
    selection = watch(
        "examples", select_examples, sketch, split.training, probe, settings, "examples", parts.hardest, pool
    )  # Ex
    probe = probe.knowing(selection.kept)
    regions = watch("regions", find_regions, sketch, selection, probe, settings)  # R
    completions = watch("completions", enumerate_completions, sketch, regions, settings)  # γ(η) ∈ Nbhd(R)
    fresh = watch("probe", parts.build_probe, sketch, settings, "fresh")  # noise no step above has seen
    fresh = fresh.helped_by(pool).planned_like(probe)
    tests = watch(
        "tests", select_tests, sketch, completions, selection, split, fresh, settings, "tests", parts.hardest, pool
    )
    examples, objections = selection.examples + tests.examples, objections_of(tests.kept)  # Ex ∪ Ex_test
    fresh = fresh.knowing((*selection.kept, *tests.kept))
    ranked = watch("ranking", rank_completions, sketch, completions, examples, split, fresh, settings, objections)  # η₁ … ηₙ
    judged, law = parts.judge(sketch, ranked, split, settings, watch)
    accuracy = describe_errors(sketch, split.training[0], settings) if ranked else None
    losses = Counter(probe.asked) + Counter(fresh.asked)
    method, count = parts.method, len(completions)
    return Synthesis(
        sketch, method, settings, split, selection, regions, count, tests, ranked, judged, law, accuracy,
        losses=tuple((source, losses[source]) for source in ("sampled", "integrated")),
    )  # fmt: skip


def test_finalists(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, watch: Watch
) -> JudgedByLaw:
    """The final test is the only judge."""
    finalists = finalists_of(sketch, ranked, settings)
    return watch("verdicts", judge_by_tests, sketch, finalists, split, settings, watch.executor), None


PAPER = Parts("paper", build_tilted_probe, hardest, test_finalists)


def paper(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The paper's own method: no integral, no law and no proof is asked."""
    return follow(sketch, settings, watch, PAPER)
