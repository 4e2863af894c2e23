"""selectExamples: pairs of databases and events on which privacy is hard (Sec. IV-B)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from zlib import crc32

import numpy as np

from kolahal.engine.probe import Probe
from kolahal.engine.tape import stream
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Arguments, Example, Scales, Selected, Selection, Split, Trial
from kolahal.search.grading import BEYOND_DOUBT, grade, objections_of
from kolahal.search.grammar import scale_range
from kolahal.settings import Settings
from kolahal.tester.trial import test, test_example

Direction = tuple[int, ...]
# The hardest example that can be found at some scales, by someone who knows some, and its log-loss; one may be enough.
Hardest = Callable[[Sketch, Arguments, tuple[Example, ...], Scales, Settings, str, float], tuple[Example, float | None]]
REFUTED = 1.25  # times ε: a log-loss with which a completion is out, however much more there is


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
    hardest: Hardest,
    executor: Executor | None = None,
) -> Selection:
    """Examples from line searches along each direction, at each setting of the arguments, hardest first.

    At a point of a line the tester is asked for its best counterexample. It is kept if its p-value is in the zone of
    confusion. Where the largest noise on a line still fails, the line has no private point at all, and the
    counterexample there is kept too: it tells that the holes without noise are needed.
    """
    lines = [(a, d) for a in arguments for d in directions(len(sketch.holes))]
    seeds = [int(stream(settings.seed, name, place).integers(2**31)) for place in range(len(lines))]
    jobs = [(sketch, a, d, settings, seed, hardest) for (a, d), seed in zip(lines, seeds, strict=True)]
    found: list[Selected] = []
    for batch in executor.map(_search_line, jobs) if executor else map(_search_line, jobs):
        found += batch
    return _without_weak_ones(sketch, found, probe, settings, name)


LineJob = tuple[Sketch, Arguments, Direction, Settings, int, Hardest]


def _search_line(job: LineJob) -> list[Selected]:
    """What the tester finds on one line: halving steps towards the smallest noise that it does not object to."""
    sketch, arguments, direction, settings, seed, _ = job
    low, high = settings.examples.confusion
    profile = settings.quick_tester
    found: list[Selected] = []

    def ask(size: float, turn: int) -> Trial:
        scales = tuple(size * d for d in direction)
        trial = test(sketch, scales, arguments, profile, seed + turn)
        if low <= trial.p_value <= high:
            found.append(Selected(trial.example, scales, trial.p_value, "zone of confusion"))
        return trial

    smallest, widest = scale_range(sketch, arguments)
    below, above = math.log(smallest), math.log(widest)
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
    known = tuple(dict.fromkeys([last.example, *(s.example for s in found)]))[: settings.examples.starts]
    return [*found, *_lengthen(job, scales, known)]


def _lengthen(job: LineJob, scales: Scales, known: tuple[Example, ...]) -> Iterator[Selected]:
    """Hard examples further along a line: at the noise that the tester does not object to, and then where each is tight."""
    sketch, arguments, _, settings, seed, hardest = job
    for turn in range(settings.examples.lengthenings):
        name = f"climb {seed} {turn}"
        example, loss = hardest(sketch, arguments, known, scales, settings, name, math.inf)
        yield _with_own_p_value(sketch, example, scales, settings, name, "found by moving answers towards a higher loss")
        if loss is None:
            return
        further = min(2.0, loss / float(arguments.epsilon))  # the loss goes with the inverse of the noise, nearly
        if further < 1.1:
            return
        scales, known = tuple(further * scale for scale in scales), (example,)


def _with_own_p_value(
    sketch: Sketch, example: Example, scales: Scales, settings: Settings, name: str, why: str
) -> Selected:
    seed = crc32(name.encode()) + settings.seed
    return Selected(example, scales, test_example(sketch, scales, example, settings.quick_tester, seed).p_value, why)


def select_tests(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    selection: Selection,
    split: Split,
    probe: Probe,
    settings: Settings,
    name: str,
    hardest: Hardest,
    executor: Executor | None = None,
) -> Selection:
    """Ex_test: hard examples for the completions that look best so far, at every γ and γ′ (Sec. IV-D).

    An example is hard for some scales and easy for others, so those that chose the completions do not also grade them.
    Each round looks at the best ones, at a γ where they have no example of their own yet: what separates the completions is
    found for those between which it has to decide. Whoever may come first is looked at everywhere, the others once. It ends
    when all of these have stood their ground.
    """
    found: list[Selected] = []
    asked: set[tuple[Arguments, Scales]] = set()
    for turn in range(settings.examples.rounds):
        known = (*selection.kept, *found)
        probe = probe.knowing(known)
        best = _promising(sketch, completions, known, split, probe, settings)
        places = _unseen(sketch, best, split, asked)
        if not places:
            break
        asked.update(places)
        most = settings.examples.starts - 1  # and what the tester finds
        jobs = [
            (sketch, a, _hardest_known(known, a, scales, probe, most), scales, settings, f"{name} {turn} {i}", hardest)
            for i, (a, scales) in enumerate(places)
        ]
        found += executor.map(_find_test, jobs) if executor else map(_find_test, jobs)
    return _once(found)


def _promising(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    known: tuple[Selected, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
) -> dict[Completion, bool]:
    """The completions that come first on what is known, and whether one more example may make each of them the first."""
    most, examples = settings.examples.examined, tuple(s.example for s in known)
    if not completions or not examples:
        return dict.fromkeys(completions[:most], True)
    grades = grade(sketch, completions, examples, split, probe, settings, objections_of(known))
    return {completions[place]: grades.may_lead(place) for place in grades.order[:most]}


def _unseen(
    sketch: Sketch, completions: dict[Completion, bool], split: Split, asked: set[tuple[Arguments, Scales]]
) -> list[tuple[Arguments, Scales]]:
    """For each completion the γ, of those that nobody has asked about, at which it has the least noise for its ε."""
    found: dict[tuple[Arguments, Scales], None] = {}
    for completion, may_lead in completions.items():
        places = [(a, a.concretise(sketch, completion)) for a in (*reversed(split.testing), *split.training)]
        left = [place for place in places if place not in asked and place not in found and any(place[1])]
        if left and (may_lead or len(left) == len(places)):
            found[min(left, key=lambda place: sum(place[1]) * float(place[0].epsilon))] = None
    return list(found)


def _hardest_known(
    known: tuple[Selected, ...], arguments: Arguments, scales: Scales, probe: Probe, most: int
) -> tuple[Example, ...]:
    """The examples at these arguments that are hardest so far at some scales."""
    group = tuple(s.example for s in known if s.example.arguments == arguments)
    if not group:
        return ()
    order = np.argsort(-probe.losses(np.array([scales]), group).sure[0], kind="stable")
    return tuple(group[place] for place in order[:most])


TestJob = tuple[Sketch, Arguments, tuple[Example, ...], Scales, Settings, str, Hardest]


def _find_test(job: TestJob) -> Selected:
    """What the tester finds, if that is beyond doubt, and otherwise the hardest example."""
    sketch, arguments, known, scales, settings, name, hardest = job
    trial = test(sketch, scales, arguments, settings.quick_tester, crc32(name.encode()) + settings.seed)
    if trial.p_value < BEYOND_DOUBT:
        return Selected(trial.example, scales, trial.p_value, "the tester objects to a promising completion")
    enough = REFUTED * float(arguments.epsilon)
    example, _ = hardest(sketch, arguments, (*known, trial.example), scales, settings, name, enough)
    why = "the hardest that was found for a promising completion"
    return _with_own_p_value(sketch, example, scales, settings, name, why)


def _once(found: list[Selected]) -> Selection:
    """Each example once."""
    unique: dict[Example, Selected] = {}
    dropped: list[Selected] = []
    for selected in found:
        example = selected.example
        if example in unique or example.flipped() in unique:
            dropped.append(_because(selected, "found before"))
        else:
            unique[example] = selected
    return Selection(tuple(unique.values()), tuple(dropped))


def _without_weak_ones(
    sketch: Sketch, found: list[Selected], probe: Probe, settings: Settings, name: str
) -> Selection:
    """Drop duplicates, and examples that others dominate on a sample of scales; keep the hardest of each γ."""
    unique = _once(found)
    kept: list[Selected] = []
    dropped = list(unique.dropped)
    probe = probe.knowing(unique.kept)
    for arguments in dict.fromkeys(s.example.arguments for s in unique.kept):
        group = [s for s in unique.kept if s.example.arguments == arguments]
        reach = scale_range(sketch, arguments)
        keep, drop = _undominated(group, probe, settings, stream(settings.seed, name, "sample"), reach)
        kept += keep
        dropped += drop
    return Selection(tuple(kept), tuple(dropped))


def _because(selected: Selected, why: str) -> Selected:
    return Selected(selected.example, selected.scales, selected.p_value, why)


def _undominated(
    group: list[Selected], probe: Probe, settings: Settings, rng: np.random.Generator, reach: tuple[float, float]
) -> tuple[list[Selected], list[Selected]]:
    holes = len(group[0].scales)
    smallest, widest = reach
    sample = np.exp(rng.uniform(math.log(2 * smallest), math.log(widest / 2), (48, holes)))
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
