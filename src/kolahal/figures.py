"""The paper's plots, each from a run of its own method: the examples are those that selectExamples found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.engine.tilted_probe import build_tilted_probe
from kolahal.lang.scale import parse_scale
from kolahal.model import Arguments, Example, Region, Scales
from kolahal.report.svg import RuledLine, Series, Shade, line_chart
from kolahal.report.svg_maps import heat_map
from kolahal.results import Synthesis, describe_completion
from kolahal.roads.methods import travel
from kolahal.roads.watch import Watch
from kolahal.search.region import objectives, worst_losses
from kolahal.settings import Settings, TesterSettings, with_changes
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.tester.trial import test, test_example

TWO_HOLES, ONE_HOLE = "above_threshold_1", "noisy_max_1"
CURVES = 4  # examples that are drawn; colours are few
TESTERS = {"paired": "paired runs, McNemar's exact test", "statdp": "StatDP's way, Fisher's exact test"}


def draw_figures(settings: Settings, executor: Executor | None = None) -> Iterator[tuple[str, str]]:
    """The plots as (file name, SVG text)."""
    found = travel(load_one(TWO_HOLES), settings, "paper", Watch(executor))
    yield "landscape-above-threshold.svg", landscape(found)
    found = travel(load_one(ONE_HOLE), settings, "paper", Watch(executor))
    yield "loss-noisy-max.svg", losses_by_scale(found)
    yield "objective-noisy-max.svg", objectives_by_scale(found)
    yield "p-values-noisy-max.svg", p_values(found)


def _examples(found: Synthesis, all_found: bool = False) -> tuple[Arguments, tuple[Example, ...]]:
    """Those at the first γ, and that γ; those too that are nowhere harder than others, if `all_found`."""
    arguments, selection = found.split.training[0], found.selection
    several = (*selection.kept, *(selection.dropped if all_found else ()))
    return arguments, tuple(dict.fromkeys(s.example for s in several if s.example.arguments == arguments))


def _probe(found: Synthesis) -> Probe:
    settings = with_changes(found.settings, "region", runs=3 * found.settings.region.runs)
    return build_tilted_probe(found.sketch, settings, "figure").knowing((*found.selection.kept, *found.selection.dropped))


def _answers(found: Synthesis, arguments: Arguments) -> list[tuple[tuple[float, ...], str]]:
    """The answers of the literature as numbers, and as they are written."""
    several = [tuple(parse_scale(text) for text in scales) for scales in GALLERY[found.sketch.name].textbook]
    return [(arguments.concretise(found.sketch, answer), describe_completion(answer)) for answer in several]


def landscape(found: Synthesis) -> str:
    """|max over Ex of L − e^ε| over both scales of a sketch with two, its region, and the answers of the literature."""
    arguments, examples = _examples(found)
    (region,) = (region for region in found.regions if region.arguments == arguments)
    answers, epsilon = _answers(found, arguments), float(arguments.epsilon)
    widest = 2.2 * max(scale for answer, _ in answers for scale in answer)
    axis = np.linspace(widest / 40, widest, 40)
    plain = with_changes(found.settings, "region", sparsity=0.0)
    shown = [(x, y) for x, y in region.members if 0 < x < widest and 0 < y < widest]
    grid = np.array([(x, y) for y in axis for x in axis])
    values = objectives(grid, worst_losses(found.sketch, examples, _probe(found)), epsilon, plain).reshape(len(axis), len(axis))
    return heat_map(
        f"|L − e^ε| of {found.sketch.name} at {arguments}, {arguments.size} answers",
        "η1",
        "η2",
        axis.tolist(),
        axis.tolist(),
        np.minimum(values, math.exp(epsilon)).tolist(),
        [(x, y, f"{name}, {_distance(region, (x, y)):.1f} from the region") for (x, y), name in answers],
        dots=shown,
        dot_name=f"region: {len(region.members)} members, {len(shown)} of them here",  # others have more noise, or none at one place
        key=f"gap on {len(examples)} examples that selectExamples found",
    )


def _distance(region: Region, scales: Sequence[float]) -> float:
    """The least L1 distance to a member; completions within `neighbourhood` of it are tried."""
    return float(np.abs(np.array(region.members) - np.array(scales)).sum(axis=1).min())


def _curves(found: Synthesis) -> tuple[Arguments, tuple[Example, ...], Array, Array]:
    """Log-losses of the hardest examples over the one scale; what weighted runs cannot say is left out."""
    arguments, examples = _examples(found, all_found=True)
    (least,), _ = _answers(found, arguments)[0]
    scales = np.linspace(least / 4, 3 * least, 100)
    losses = _probe(found).losses(scales[:, None], examples)
    known = np.where(np.isfinite(losses.high), losses.value, np.nan)
    order = np.argsort(-losses.sure.mean(axis=0), kind="stable")[:CURVES]
    return arguments, tuple(examples[place] for place in order), scales, known[:, order]


def _lines(examples: Sequence[Example], scales: Array, values: Array) -> list[Series]:
    return [
        Series(str(e), tuple((x, y) for x, y in zip(scales.tolist(), values[:, i].tolist(), strict=True) if math.isfinite(y)))
        for i, e in enumerate(examples)
    ]


def _private(found: Synthesis, arguments: Arguments, scales: Array) -> list[Shade]:
    (least,), name = _answers(found, arguments)[0]
    return [Shade(f"as much noise as {name} or more", least, float(scales[-1]))]


def losses_by_scale(found: Synthesis) -> str:
    """Privacy loss against the one scale, on the examples that are hardest."""
    arguments, examples, scales, losses = _curves(found)
    budget = math.exp(float(arguments.epsilon))
    return line_chart(
        f"privacy loss of {found.sketch.name} at {arguments}",
        f"scale η; examples that selectExamples found, {arguments.size} answers",
        "loss L",
        _lines(examples, scales, np.exp(losses)),
        _private(found, arguments, scales),
        top=3 * budget,
        rules=[RuledLine("e^ε", budget)],
    )


def objectives_by_scale(found: Synthesis) -> str:
    """|L − e^ε| of each of these examples: it is least where the example is tight."""
    arguments, examples, scales, losses = _curves(found)
    budget = math.exp(float(arguments.epsilon))
    return line_chart(
        f"objective of {found.sketch.name} at {arguments}",
        f"scale η; examples that selectExamples found, {arguments.size} answers",
        "|L − e^ε|",
        _lines(examples, scales, np.abs(np.exp(losses) - budget)),
        _private(found, arguments, scales),
        top=budget,
    )


def p_values(found: Synthesis) -> str:
    """The examples at the first answer's scale, tested at several ε, and what the tester finds there by itself."""
    arguments, examples, _, _ = _curves(found)
    best = found.best
    scales = _answers(found, arguments)[0][0] if best is None else arguments.concretise(found.sketch, best.ranked.completion)
    factors = tuple(round(0.7 + 0.02 * i, 2) for i in range(31))
    profile = replace(TesterSettings.final(), method=found.settings.tester.method, glance_runs=0, test_factors=factors)
    seed, probe = found.settings.seed, _probe(found)
    lines = []
    if profile.method == "paired":  # StatDP tests no example but its own
        lines = [
            Series(str(e), test_example(found.sketch, scales, _likelier_first(e, scales, probe), profile, seed).curve)
            for e in examples
        ]
    own = test(found.sketch, scales, arguments, profile, seed)
    return line_chart(
        f"p-values of {found.sketch.name} with η = {scales[0]:g}, private at {arguments}",
        f"test ε; {TESTERS[profile.method]}, {profile.test_runs:,} runs each",
        "p-value",
        [*lines, Series("what the tester finds there", own.curve)],
        top=1.0,
        rules=[RuledLine("claimed ε", float(arguments.epsilon), up=True)],
    )


def _likelier_first(example: Example, scales: Scales, probe: Probe) -> Example:
    odds = probe(scales, example)
    return example if odds.p1.value >= odds.p2.value else example.flipped()
