"""Runs per second of every engine, the cost of noise, and how both grow."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from fractions import Fraction

from kolahal.engine import jit
from kolahal.engine.engines import ENGINES, NUMBA, REFERENCE, Engine
from kolahal.engine.noise import FAMILIES
from kolahal.engine.tape import Tape, tapes
from kolahal.lang.noise import Noise
from kolahal.model import Arguments, Database
from kolahal.sketches.gallery import load_one

SVT = load_one("svt")
SCALES = (4.0, 8.0)
CHUNK = 1 << 15
REPETITIONS = 7


def arguments(size: int) -> Arguments:
    return Arguments(Fraction(1), size, (("N", Fraction(3)), ("T", Fraction(0))))


def database(size: int) -> Database:
    """Answers around the threshold, so that a run is neither over at once nor sure to go to the end."""
    return tuple(Fraction((7 * i) % 6 - 2) for i in range(size))


def drawn_tape(number: int, runs: int, size: int) -> Tape:
    """A tape whose noise is there already."""
    tape = Tape((number,), runs)
    tape.units(Noise.LAPLACE, 0, ())
    for turn in range(size):
        tape.units(Noise.LAPLACE, 1, (turn,))
    return tape


def seconds(action: Callable[[], object]) -> float:
    """Processor time, so that others on the machine do not count; everything here runs on one core."""
    start = time.process_time()
    action()
    return time.process_time() - start


def speed(engine: Engine, runs: int, size: int) -> float:
    """Runs per second with noise already drawn: the median over tapes that the engine has not seen before.

    Unseen, because a processor learns the branches of runs that are repeated.
    """
    warm = drawn_tape(0, min(runs, 16), size)
    engine.run(SVT, database(size), arguments(size), SCALES, warm)
    rates = []
    for number in range(1, REPETITIONS + 1):
        tape = drawn_tape(number, runs, size)
        taken = seconds(lambda tape=tape: engine.run(SVT, database(size), arguments(size), SCALES, tape))
        rates.append(runs / taken)
    return statistics.median(rates)


def engines() -> list[Engine]:
    return [engine for engine in ENGINES.values() if engine is not NUMBA or jit.available()]


def compare_engines() -> None:
    print("All times are processor time of one core.")
    print(f"SVT, 10 queries, N = 3, scales {SCALES}, noise already drawn, median of {REPETITIONS}:")
    if NUMBA in engines():
        known = jit.is_on_disk(SVT)
        taken = seconds(lambda: NUMBA.run(SVT, database(10), arguments(10), SCALES, Tape((0,), 1)))
        print(f"  numba: import and {'load' if known else 'compile'} once: {taken:.2f} s")
    base = 0.0
    for engine in engines():
        rate = speed(engine, 400 if engine is REFERENCE else CHUNK, 10)
        base = base or rate
        print(f"  {engine.name:10} {rate:14,.0f} runs/s {rate / base:10,.0f} x the reference")


def measure_noise() -> None:
    print("drawing unit noise, 11 addresses a run:")
    for noise in FAMILIES:
        rates = []
        for number in range(REPETITIONS):
            tape = Tape((number,), CHUNK)
            taken = seconds(lambda tape=tape, noise=noise: [tape.units(noise, 1, (turn,)) for turn in range(11)])
            rates.append(taken / (11 * CHUNK))
        each = statistics.median(rates)
        print(f"  {noise.value:12} {each * 1e9:6.1f} ns a draw, {1 / (11 * each):14,.0f} runs/s")


def run_fresh(engine: Engine, runs: int, size: int) -> float:
    """Seconds for `runs` runs, noise included, in chunks of bounded memory."""

    def action() -> None:
        for tape in tapes(1, "bench", runs, size + 1):
            engine.run(SVT, database(size), arguments(size), SCALES, tape)

    return seconds(action)


def measure_growth() -> None:
    print(f"noise and runs together, in chunks; {peak()} before:")
    for engine in engines()[1:]:
        for runs in (10**5, 10**6, 10**7)[: 3 if engine is NUMBA else 2]:
            print_growth(engine, runs, 10)
    for size in (10, 100, 1000):
        print_growth(engines()[-1], 2 * 10**5, size)


def print_growth(engine: Engine, runs: int, size: int) -> None:
    taken = run_fresh(engine, runs, size)
    print(f"  {engine.name:6} {runs:10,} runs {size:5} queries {taken:7.2f} s {runs / taken:12,.0f} runs/s  {peak()}")


def peak() -> str:
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def main() -> None:
    compare_engines()
    measure_noise()
    measure_growth()
