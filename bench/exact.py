"""Milliseconds of exact probabilities, of a generation of the search, of a climb, and of refutations; and their digits."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np

from kolahal.exact.balls import Interval
from kolahal.exact.hardest import Climb, Reach, climb_exact, find_hardest
from kolahal.exact.intervals import rigorous_probability
from kolahal.exact.probe import Integrator, ask, build_exact_probe
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import AllOf, Equals, Event, Example, Within, make_arguments
from kolahal.proof.refute.refute import best_lower_bound, refute, survey_losses
from kolahal.results import LowerBound
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY, load_one

F = Fraction
T = TypeVar("T")
EPS = parse_scale("eps")


def timed(function: Callable[..., T], *arguments: object, repetitions: int = 1) -> tuple[float, T]:
    """Milliseconds of processor time of one call, so that others on the machine do not count, and its result."""
    start = time.process_time()
    for _ in range(repetitions):
        result = function(*arguments)
    return 1000 * (time.process_time() - start) / repetitions, result


def relative_error(found: object, truth: object) -> str:
    if not isinstance(truth, Interval) or not isinstance(found, np.ndarray):
        return "-"
    middle = float(truth.ball.mid())
    return f"{abs(found[0] - middle) / middle:.0e}"


def probabilities() -> None:
    """One event on one database: compiling it, evaluating it, and the rigorous form."""
    print(f"{'event':30}{'compile':>9}{'evaluate':>10}{'rigorous':>10}{'rel. error':>12}   ms")
    half = Within(F(0), None)
    questions: list[tuple[str, int, tuple[int, ...], Event]] = [
        ("above_threshold_1", 5, (2, 4), Equals(F(5))),
        ("noisy_max_1", 5, (2,), Equals(F(3))),
        ("svt", 5, (2, 8), Equals((False, True, False, False, True))),
        ("histogram", 5, (1,), AllOf((half,) * 5)),
        ("sum", 5, (1,), half),
        ("smart_sum", 5, (2, 2), AllOf((half,) * 5)),
        ("above_threshold_1", 100, (2, 4), Equals(F(100))),
        ("svt", 100, (2, 8), Equals((False,) * 49 + (True,) + (False,) * 49 + (True,))),
        ("noisy_max_1", 100, (2,), Equals(F(50))),
    ]
    for name, size, scales, event in questions:
        sketch = load_one(name)
        arguments = make_arguments(sketch, F(1), size, {"N": F(2), "M": F(2), "T": F(0)})
        database = tuple(F((7 * i) % 11 - 5) for i in range(size))
        row = np.array([scales], dtype=float)
        integrator = Integrator(sketch)
        first, _ = timed(ask, integrator, arguments, row, [(event, database)])
        again, found = timed(ask, integrator, arguments, row, [(event, database)], repetitions=5)
        slow, sure = timed(rigorous_probability, sketch, database, arguments, tuple(map(F, scales)), event)
        error = relative_error(found, sure)
        print(f"{name + f', {size} queries':30}{first - again:9.1f}{again:10.2f}{slow:10.1f}{error:>12}")


def sizes() -> None:
    """From a sketch, a database and an event to the probability, with nothing prepared, for more and more queries."""
    counts = (25, 50, 100, 200)
    print(f"\n{'queries, nothing prepared':30}" + "".join(f"{count:>9}" for count in counts) + "   ms")
    questions: tuple[tuple[str, tuple[int, ...], Callable[[int], Event]], ...] = (
        ("svt", (2, 8), lambda n: Equals((False,) * (n // 2 - 1) + (True,) + (False,) * (n - n // 2 - 1) + (True,))),
        ("above_threshold_1", (2, 4), lambda n: Equals(F(n))),
        ("noisy_max_1", (2,), lambda n: Equals(F(n // 2))),
        ("exp_noisy_max", (2, 0), lambda n: Equals(F(n // 2))),
    )
    for name, scales, event in questions:
        sketch, row = load_one(name), np.array([scales], dtype=float)
        taken = []
        for count in counts:
            arguments = make_arguments(sketch, F(1), count, {"N": F(2), "T": F(0)})
            database = tuple(F((7 * i) % 11 - 5) for i in range(count))
            times = [timed(ask, Integrator(sketch), arguments, row, [(event(count), database)])[0] for _ in range(3)]
            taken.append(min(times))
        print(f"{name:30}" + "".join(f"{ms:9.1f}" for ms in taken))


def generations() -> None:
    """A generation of the search: 50 scale vectors on 8 examples."""
    print(f"\n{'50 candidates × 8 examples':30}{'exact':>9}{'sampled':>10}   ms a generation")
    rng = np.random.default_rng(0)
    for name in ("above_threshold_1", "noisy_max_1", "svt", "above_threshold_2", "histogram", "sum", "smart_sum"):
        sketch = load_one(name)
        arguments = make_arguments(sketch, F(1), 5, {"N": F(2), "M": F(2), "T": F(0)})
        probe = build_exact_probe(sketch, Settings(), "bench")
        events = events_of(probe.integrator, name, arguments)
        examples = []
        for place in range(8):
            d1 = tuple(F(int(v)) for v in rng.integers(-9, 10, 5))
            move = next(sketch.adjacency.vertices(5))
            d2 = tuple(a + b for a, b in zip(d1, move, strict=True))
            examples.append(Example(d1, d2, events[place % len(events)], arguments))
        rows = np.exp(rng.uniform(-1, 3, (50, len(sketch.holes))))
        chosen = tuple(examples)
        for measured in (probe.losses, probe.sampler.losses):
            measured(rows, chosen)
        exact, _ = timed(probe.losses, rows, chosen, repetitions=10)
        sampled, _ = timed(probe.sampler.losses, rows, chosen, repetitions=10)
        print(f"{name:30}{exact:9.2f}{sampled:10.2f}")


def events_of(integrator: Integrator, name: str, arguments: object) -> list[Event]:
    half = Within(F(0), None)
    match name:
        case "histogram" | "smart_sum":
            return [AllOf((half,) * 5), AllOf((half, half, Within(None, F(3)), half, half))]
        case "sum" | "above_threshold_2":
            return [Within(F(2), None), Within(None, F(0))]
        case _:
            return list(integrator.answers(arguments, (1.0, 1.0)[: len(integrator.sketch.holes)]))  # type: ignore[arg-type]


def climbs() -> None:
    """The hardest databases for given scales."""
    print(f"\n{'hardest databases':30}{'ms':>9}{'log-loss':>12}   within [-9, 9], then anywhere")
    for name, scales in (("above_threshold_1", (2.0, 4.0)), ("noisy_max_1", (2.0,)), ("svt", (2.0, 8.0))):
        sketch = load_one(name)
        arguments = make_arguments(sketch, F(1), 5, {"N": F(2), "T": F(0)})
        integrator = Integrator(sketch)
        for reach in (Reach(furthest=F(9)), Reach()):
            taken, found = timed(find_hardest, integrator, arguments, scales, reach)
            assert isinstance(found, Climb)
            print(f"{name:30}{taken:9.1f}{found.log_loss:12.6f}   {found.example}")
        assert isinstance(found, Climb)
        move = tuple(b - a for a, b in zip(found.example.d1, found.example.d2, strict=True))
        origin = Example((F(0),) * 5, move, found.example.event, arguments)
        taken, _ = timed(climb_exact, integrator, origin, scales)
        print(f"{'  one climb from 0':30}{taken:9.1f}")


def refutations() -> None:
    """From a program to a certain, small counterexample; and lower bounds for the textbook's answers."""
    print(f"\n{'refuted':44}{'ms':>7}")
    broken = (
        ("noisy_max_1", ("1/eps",)),
        ("above_threshold_1", ("3/eps", "2/eps")),
        ("above_threshold_1", ("2/eps", "3/eps")),
        ("above_threshold_1", ("1/eps", "4/eps")),
        ("smart_sum", ("1/eps", "2/eps")),
        ("svt", ("2/eps", "4/eps")),
        ("histogram", ("1/(2*eps)",)),
    )
    for name, scales in broken:
        sketch = load_one(name).complete(*scales).filled()
        taken, refuted = timed(refute, sketch, EPS, Settings())
        print(f"{name + ' (' + ', '.join(scales) + ')':44}{taken:7.0f}   {refuted.example if refuted else None}")
    print(f"\n{'lower bound of a textbook answer':44}{'ms':>7}   in units of ε")
    for name, entry in GALLERY.items():
        sketch = load_one(name).complete(*entry.textbook[0]).filled()
        taken, bound = timed(lower_bound, sketch)
        print(f"{name:44}{taken:7.0f}   {bound.loss if bound else 0:.5f}")


def lower_bound(sketch: Sketch) -> LowerBound | None:
    return best_lower_bound(sketch, EPS, survey_losses(sketch, EPS, Settings()))


def main() -> None:
    probabilities()
    sizes()
    generations()
    climbs()
    refutations()
