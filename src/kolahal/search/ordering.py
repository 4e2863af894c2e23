"""The order of completions by their expected errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kolahal.engine.accuracy import SHARE, errors_by_length
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Arguments, Ranked, Score
from kolahal.search.grading import noise_size
from kolahal.settings import Settings

SURE = 1.01  # how near errors are taken for equal: what the simulation is sure of
ALIKE = 1.2  # and how near shares of wrong outputs over several lengths, which depend on the inputs, and those are made up


def in_order(ranked: Iterable[Ranked], unit: str) -> tuple[Ranked, ...]:
    """The least error first; of those that are as good as the least, the one with the least noise."""
    waiting = sorted(ranked, key=lambda r: r.score.error)
    found: list[Ranked] = []
    while waiting:
        most = waiting[0].score.error * (ALIKE if unit == SHARE and len(waiting[0].errors) > 1 else SURE)
        alike = [r for r in waiting if r.score.error <= most]
        found += sorted(alike, key=lambda r: round(r.score.noise, 6))  # and then the least error, as they stand
        waiting = waiting[len(alike) :]
    return tuple(found)


def rank_least_noisy(
    sketch: Sketch, completions: tuple[Completion, ...], arguments: tuple[Arguments, ...], settings: Settings, costs: Sequence[float] = ()
) -> tuple[Ranked, ...]:
    """The completions with the least noise at some arguments, by their expected errors at the first of these. `costs` are their
    losses in units of ε, where these are known."""
    if not completions:
        return ()
    noise = noise_size(sketch, completions, arguments)
    order = sorted(range(len(completions)), key=lambda i: float(noise[i]))
    short = order[: settings.ranking.measured_per_hole * len(sketch.holes)]
    measured = errors_by_length(sketch, [completions[i] for i in short], arguments[0], settings)
    ranked = []
    for place, (i, error) in enumerate(zip(short, measured.means, strict=True)):
        slack, loss = (abs(1 - costs[i]), costs[i] * float(arguments[0].epsilon)) if costs else (0.0, None)
        ranked.append(Ranked(completions[i], Score(0, slack, float(noise[i]), error), loss, measured.of(place)))
    return in_order(ranked, measured.unit)
