"""selectExamples: pairs of databases and events on which privacy is hard (Sec. IV-B)."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import Executor
from zlib import crc32

import numpy as np

from kolahal.engine.probe import DOUBT, Probe, build_probe
from kolahal.engine.tape import stream
from kolahal.exact.hardest import Climb, Reach, climb_exact, find_hardest
from kolahal.exact.probe import Integrator
from kolahal.inputs.pairs import Pair, noise_unit, steps_from
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Arguments, Equals, Example, OneOf, Scales, Selected, Selection, Split, StartsWith, Trial
from kolahal.search.grammar import widest_scale
from kolahal.settings import Settings, TesterSettings, with_changes
from kolahal.tester.trial import test

Direction = tuple[int, ...]


def directions(holes: int) -> tuple[Direction, ...]:
    """A set that contains a basis: all holes together, each alone, and each pair; (1,1), (1,0), (0,1) for two."""
    found = [tuple([1] * holes)]
    found += [tuple(int(i == h) for i in range(holes)) for h in range(holes)]
    if holes > 2:
        found += [tuple(int(i in pair) for i in range(holes)) for pair in itertools.combinations(range(holes), 2)]
    return tuple(dict.fromkeys(found))


def select_examples(
    sketch: Sketch,
    arguments: tuple[Arguments, ...],
    probe: Probe,
    settings: Settings,
    name: str,
    executor: Executor | None = None,
) -> Selection:
    """Examples from line searches along each direction, at each setting of the arguments, hardest first.

    At a point of a line the tester is asked for its best counterexample. It is kept if its p-value is in the zone of
    confusion. Where the largest noise on a line still fails, the line has no private point at all, and the
    counterexample there is kept too: it tells that the holes without noise are needed.
    """
    lines = [(a, d) for a in arguments for d in directions(len(sketch.holes))]
    seeds = [int(stream(settings.seed, name, place).integers(2**31)) for place in range(len(lines))]
    jobs = [(sketch, a, d, settings, seed) for (a, d), seed in zip(lines, seeds, strict=True)]
    found: list[Selected] = []
    for batch in executor.map(_search_line, jobs) if executor else map(_search_line, jobs):
        found += batch
    return _without_weak_ones(found, probe, settings, name)


def _search_line(job: tuple[Sketch, Arguments, Direction, Settings, int]) -> list[Selected]:
    """What the tester finds on one line: halving steps towards the smallest noise that it does not object to."""
    sketch, arguments, direction, settings, seed = job
    low, high = settings.examples.confusion
    profile = TesterSettings.quick()
    found: list[Selected] = []

    def ask(size: float, turn: int) -> Trial:
        scales = tuple(size * d for d in direction)
        trial = test(sketch, scales, arguments, profile, seed + turn)
        if low <= trial.p_value <= high:
            found.append(Selected(trial.example, scales, trial.p_value, "zone of confusion"))
        return trial

    widest = widest_scale(arguments)
    below, above = math.log(0.25), math.log(widest)
    last = ask(widest, 0)
    if last.p_value < low:
        scales = tuple(widest * d for d in direction)
        return [*found, Selected(last.example, scales, last.p_value, "fails however large the noise in this direction")]
    for turn in range(1, settings.examples.steps + 1):
        middle = (below + above) / 2
        last = ask(math.exp(middle), turn)
        if last.p_value < low:
            below = middle
        else:
            above = middle
    scales = tuple(math.exp(above) * d for d in direction)
    for start in dict.fromkeys([last.example, *(s.example for s in found)][: settings.examples.starts]):
        harder = harden(sketch, start, scales, settings, f"climb {seed}")
        found.append(Selected(harder, scales, last.p_value, "found by moving answers towards a higher loss"))
    return found


def harden(sketch: Sketch, example: Example, scales: Scales, settings: Settings, name: str) -> Example:
    """The hardest example that is reached from `example` at `scales`: exactly where integration works, else by sampling."""
    if not isinstance(example.event, Equals | OneOf | StartsWith):
        # Answers that are numbers with noise move with the database: the tester's event is what makes them hard.
        return example
    integrator = Integrator(sketch)
    events = integrator.answers(example.arguments, scales)
    found = climb_exact(integrator, example, scales, Reach(turns=settings.examples.climbs), events)
    if isinstance(found, Climb):
        return found.example
    probe = build_probe(sketch, with_changes(settings, "region", runs=settings.examples.climb_runs), name)
    return strengthen(sketch, example, scales, probe, settings)


def select_tests(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    selection: Selection,
    split: Split,
    probe: Probe,
    settings: Settings,
    name: str,
    executor: Executor | None = None,
) -> Selection:
    """Ex_test: the hardest examples for the completions that look best so far, at a γ and at a γ′ (Sec. IV-D).

    An example is hard for some scales and easy for others, so those that chose the completions do not also grade them.
    """
    promising = _promising(sketch, completions, selection, split.training[0], probe, settings)
    places = (split.training[0], *split.testing)
    jobs = [
        (sketch, arguments, arguments.concretise(sketch, completion), settings, f"{name} {place}")
        for place, (completion, arguments) in enumerate(itertools.product(promising, places))
    ]
    found = list(executor.map(_find_test, jobs) if executor else map(_find_test, jobs))
    return _without_weak_ones(found, probe, settings, name)


def _promising(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    selection: Selection,
    arguments: Arguments,
    probe: Probe,
    settings: Settings,
) -> tuple[Completion, ...]:
    """The completions whose worst loss on Ex is closest to ε, those that are surely above it last."""
    examples = tuple(e for e in selection.examples if e.arguments == arguments)
    if not completions or not examples:
        return completions[: settings.ranking.finalists_per_hole * len(sketch.holes)]
    scales = np.array([arguments.concretise(sketch, c) for c in completions])
    losses, epsilon = probe.losses(scales, examples), float(arguments.epsilon)
    violations = (losses.low > epsilon * (1 + 1e-6)).any(axis=1)
    gaps = np.round(np.abs(losses.sure.max(axis=1) - epsilon) / epsilon, 2)
    order = np.lexsort((scales.sum(axis=1), gaps, violations))
    _, first = np.unique(scales[order], axis=0, return_index=True)  # equal numbers need one example
    kept = order[np.sort(first)][: settings.ranking.finalists_per_hole * len(sketch.holes)]
    return tuple(completions[i] for i in kept)


def _find_test(job: tuple[Sketch, Arguments, Scales, Settings, str]) -> Selected:
    sketch, arguments, scales, settings, name = job
    why = "the hardest that was found for a promising completion"
    hardest = find_hardest(Integrator(sketch), arguments, scales, Reach(turns=settings.examples.climbs), starts=1)
    if isinstance(hardest, Climb):
        return Selected(hardest.example, scales, 1.0, why)
    trial = test(sketch, scales, arguments, TesterSettings.quick(), crc32(name.encode()) + settings.seed)
    return Selected(harden(sketch, trial.example, scales, settings, name), scales, trial.p_value, why)


def strengthen(sketch: Sketch, example: Example, scales: Scales, probe: Probe, settings: Settings) -> Example:
    """The example after steps that move answers, one or some at a time, while the loss at `scales` rises.

    The tester's runs cannot see events that are rare under these scales; the probe's proposals, which reach far
    beyond them, can. The worst losses are there: answers some noise scales apart (design, section 4.5).
    """
    rows = np.array([scales])
    best, left = _sure_loss(probe, rows, example), settings.examples.climbs
    step = noise_unit(sketch, example.arguments, scales)
    smallest = step / 4
    while left > 0 and step >= smallest:
        for other in steps_from(Pair.between(example.d1, example.d2), sketch, step):
            moved = Example(other.d1, other.d2, example.event, example.arguments)
            found = _sure_loss(probe, rows, moved)
            left -= 1
            if found > best + 1e-3:
                example, best = moved, found
                break
            if left <= 0:
                break
        else:
            step = step / 2
    return example


def _sure_loss(probe: Probe, rows: np.ndarray, example: Example) -> float:
    """The log-loss less two standard errors, so that luck in the probe's noise is not climbed."""
    losses = probe.losses(rows, (example,))
    value, high = float(losses.value[0, 0]), float(losses.high[0, 0])
    return value - 2 * (high - value) / DOUBT if math.isfinite(high) else 0.0


def _without_weak_ones(found: list[Selected], probe: Probe, settings: Settings, name: str) -> Selection:
    """Drop duplicates, and examples that others dominate on a sample of scales; keep the hardest of each γ."""
    unique: dict[object, Selected] = {}
    dropped: list[Selected] = []
    for selected in found:
        example = selected.example
        if example in unique or example.flipped() in unique:
            dropped.append(_because(selected, "found before"))
        else:
            unique[example] = selected
    kept: list[Selected] = []
    for arguments in dict.fromkeys(s.example.arguments for s in unique.values()):
        group = [s for s in unique.values() if s.example.arguments == arguments]
        keep, drop = _undominated(group, probe, settings, stream(settings.seed, name, "sample"), arguments)
        kept += keep
        dropped += drop
    return Selection(tuple(kept), tuple(dropped))


def _because(selected: Selected, why: str) -> Selected:
    return Selected(selected.example, selected.scales, selected.p_value, why)


def _undominated(
    group: list[Selected], probe: Probe, settings: Settings, rng: np.random.Generator, arguments: Arguments
) -> tuple[list[Selected], list[Selected]]:
    holes = len(group[0].scales)
    sample = np.exp(rng.uniform(math.log(0.5), math.log(widest_scale(arguments) / 2), (48, holes)))
    sample[rng.random(sample.shape) < 0.25] = 0.0
    losses = np.minimum(probe.losses(sample, tuple(s.example for s in group)).sure, 50.0)
    order = np.argsort(-losses.mean(axis=0), kind="stable")
    keep: list[int] = []
    dropped: list[Selected] = []
    for place in order:
        if any((losses[:, place] <= losses[:, other] + 1e-3).all() for other in keep):
            dropped.append(_because(group[place], "another example is at least as hard everywhere"))
        elif len(keep) == settings.examples.keep:
            dropped.append(_because(group[place], f"more than {settings.examples.keep} harder ones"))
        else:
            keep.append(int(place))
    return [group[place] for place in keep], dropped
