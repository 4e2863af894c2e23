"""The tester: runs per CPU second against StatDP's, and the time of a default test of each gallery mechanism."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from kolahal.lang.sketch import Sketch
from kolahal.model import AllOf, Anything, Equals, Event, Example, Within, make_arguments
from kolahal.settings import TesterSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.tester.runs import Question, count
from kolahal.tester.trial import test, test_mechanism

HALF = Fraction(1, 2)
STATDP = 0.35e6  # StatDP's runs per CPU second on a quiet machine, as a whole command; 0.34 to 0.37 million were measured
GIVEN = {"N": Fraction(1), "M": Fraction(2), "T": Fraction(1)}
BULK = 4_000_000
REPEATS = 3
BYTECODE = TemporaryDirectory()

THROUGHPUT: tuple[tuple[str, tuple[float, ...], Event], ...] = (
    ("noisy_max_1", (4.0,), Equals(Fraction(1))),
    ("svt", (4.0, 8.0), Equals((False, False, True))),
    ("histogram", (2.0,), AllOf((Within(Fraction(1), None), *[Anything()] * 4))),
)


def main() -> None:
    """Both tables."""
    print(f"load of the machine {os.getloadavg()[0]:.1f}; CPU seconds count, wall-clock seconds do only on free cores")
    print("\nRuns per CPU second, with noise drawn, answers computed and events counted, without what starts and compiles.")
    print(f"{'':14}{'fresh test, n = 5':>20}{'× StatDP':>10}{'whole default test':>22}{'× StatDP':>10}")
    for name, scales, event in THROUGHPUT:
        sketch = load_one(name)
        fresh, whole = measure_fresh(sketch, scales, event), measure_whole(sketch, scales)
        print(f"{name:14}{fresh / 1e6:17.1f} M {fresh / STATDP:9.0f}{whole / 1e6:19.1f} M {whole / STATDP:9.0f}")
    print("\nWhole commands, start included: `kolahal test FILE --eps 0.5`, and StatDP's where KOLAHAL_STATDP names one that takes")
    print("noisy_max, svt or histogram and ends its line with its number of runs.")
    print(f"By turns, the least of {REPEATS} after one that does not count; Python's bytecode is there, as after an installation.")
    for name, statdp in (("noisy_max_1", "noisy_max"), ("histogram", "histogram"), ("svt", "svt")):
        turns = [(measure_command(name), measure_statdp(statdp)) for _ in range(1 + REPEATS)][1:]
        (runs, cpu), (theirs, their_cpu) = (min(found, key=lambda one: one[1]) for found in zip(*turns, strict=True))
        rate = theirs / their_cpu if their_cpu else STATDP
        print(f"{name:14}{runs / 1e6:6.1f} M in {cpu:5.2f} CPU s, {runs / cpu / 1e6:5.1f} M/s; StatDP {rate / 1e6:4.2f} M/s{'' if their_cpu else ' (noted)'}; × {runs / cpu / rate:.1f}")
    print("\nA default test of each gallery mechanism, all sizes and test ε, on 2 processes.")
    print(f"{'':20}{'CPU s':>8}{'wall s':>8}{'runs':>9}")
    for name, entry in GALLERY.items():
        sketch = load_one(name).complete(*entry.textbook[0]).filled()
        cpu, wall, runs = measure_default(sketch)
        print(f"{name:20}{cpu:8.2f}{wall:8.2f}{runs / 1e6:7.0f} M")


def measure_fresh(sketch: Sketch, scales: tuple[float, ...], event: Event) -> float:
    """Runs per CPU second of the final test: new noise, both databases on it, one event."""
    arguments = make_arguments(sketch, HALF, 5, GIVEN)
    d1 = (Fraction(1),) * 5
    example = Example(d1, (Fraction(2), *d1[1:]), event, arguments)
    question = Question(sketch, scales, arguments, TesterSettings(), 0, "numba")
    count(question, [example], "warm", 100_000)
    start = time.process_time()
    (tally,) = count(question, [example], "bench", BULK)
    return 2 * tally.runs / (time.process_time() - start)


def measure_whole(sketch: Sketch, scales: tuple[float, ...]) -> float:
    """Runs per CPU second of a default test, in which most runs share their noise and much time goes into events."""
    start = time.process_time()
    trial = test(sketch, scales, make_arguments(sketch, HALF, 5, GIVEN), TesterSettings(), 0)
    return trial.runs / (time.process_time() - start)


def measure_command(name: str) -> tuple[int, float]:
    """Runs and CPU seconds of `kolahal test` on a file, in processes of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(f"from kolahal import *\n\n{load_one(name).complete(*GALLERY[name].textbook[0]).filled()}")
        out, cpu = _run([sys.executable, "-m", "kolahal", "test", str(path), "--eps", "0.5", "--json"])
    return int(json.loads(out)["runs"]), cpu


def measure_statdp(name: str) -> tuple[int, float]:
    """The same of StatDP, which is no part of this repository; nothing where there is none."""
    command = os.environ.get("KOLAHAL_STATDP")
    if command is None:
        return 0, 0.0
    out, cpu = _run([*command.split(), name])
    return int(out.split()[-1]), cpu


def _run(command: list[str]) -> tuple[str, float]:
    around = {**os.environ, "PYTHONPYCACHEPREFIX": BYTECODE.name}
    around.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, capture_output=True, text=True, check=False, env=around).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_default(sketch: Sketch) -> tuple[float, float, int]:
    """CPU seconds, wall-clock seconds and runs of `kolahal test` once its two processes are up and have compiled."""
    test_mechanism(sketch, HALF, TesterSettings(), 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with ProcessPoolExecutor(2) as pool:
        test_mechanism(sketch, HALF, TesterSettings.quick(), 1, pool)
        own, start = time.process_time(), time.perf_counter()
        trial = test_mechanism(sketch, HALF, TesterSettings(), 0, pool)
        wall, own = time.perf_counter() - start, time.process_time() - own
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return own + children, wall, trial.runs
