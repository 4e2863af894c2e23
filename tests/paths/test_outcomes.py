"""Joined paths: as likely as all the paths they stand for, and found with work proportional to the number of queries."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from kolahal.exact.intervals import probability_of
from kolahal.exact.polyhedra import build_polyhedra
from kolahal.exact.probe import Integrator, ask
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Equals, Event, Within, make_arguments
from kolahal.paths.explore import explore
from kolahal.paths.joined import Outcomes, find_outcomes
from kolahal.paths.state import Paths
from kolahal.sketches.gallery import load_one

F = Fraction
DATABASE = (F(0), F(2), F(-1), F(1))


def running(turn: str, end: str = "return m", noise: str = "Lap") -> Sketch:
    """A loop that keeps the best of noisy answers in some way."""
    lines = [f"        {line}" for line in turn.splitlines()]
    text = [
        "from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, sketch\n",
        "@sketch(adjacent=each_within(1))",
        "def f(q: Private, eps: Epsilon):",
        "    m, v, k, i = 0, None, 0, 0",
        "    out = []",
        "    for x in q:",
        f"        b = x + {noise}(2/eps)",
        *lines,
        "        i = i + 1",
        *(f"    {line}" for line in end.splitlines()),
    ]
    return parse("\n".join(text) + "\n")


MAXIMUM = "if v is None or b > v:\n    m, v = i, b"
PROGRAMS = {
    "maximum": running(MAXIMUM),
    "maximum, ties to the last": running("if v is None or b >= v:\n    m, v = i, b", noise="DiscreteLap"),
    "maximum, ties to the first": running(MAXIMUM, noise="DiscreteLap"),
    "minimum": running("if v is None or b < v:\n    m, v = i, b"),
    "one-sided noise": running(MAXIMUM, noise="Exp"),
    "the value too": running(MAXIMUM, "return v"),
    "compared at the end": running(MAXIMUM, "if v > 1:\n    return m\nreturn -1"),
    "a lead that must be large": running("if v is None or b > v + 1:\n    m, v = i, b"),
    "another variable grows": running("k = k + x\n" + MAXIMUM, "if k > v:\n    return m\nreturn -1"),
    "the leader is looked at": running("if v is None or b > v + m:\n    m, v = i, b"),
    "the leader is noted": running(MAXIMUM + "\nout.append(m)", "if len(out) > 2:\n    return m\nreturn 7"),
    "counts what it keeps": running("if v is None or b > v:\n    m, v, k = i, b, k + 1", "return k"),
    "a test before the contest": running(f"if b > -1:\n    {MAXIMUM.replace(chr(10), chr(10) + '    ')}"),
    "the first half": running("if i < 2:\n    " + MAXIMUM.replace("\n", "\n    ")),
}


def events(sketch: Sketch) -> list[Event]:
    answers = [Equals(F(i)) for i in range(-1, 5)]
    return [Within(F(1), None), Within(None, F(0))] if str(sketch).rstrip().endswith("return v") else list(answers)


@pytest.mark.parametrize("name", PROGRAMS)
def test_joined_paths_are_as_likely_as_all_paths(name):
    """Both ways in ball arithmetic; the paths one by one are those that proofs read."""
    sketch = PROGRAMS[name]
    arguments = make_arguments(sketch, F(1), len(DATABASE), {})
    environment = arguments.environment(sketch)
    every = explore(sketch, len(DATABASE), environment, 10_000)
    assert isinstance(every, Paths)
    total = 0.0
    for event in events(sketch):
        joined = find_outcomes(sketch, len(DATABASE), environment, frozenset(), event=event)
        assert isinstance(joined, Outcomes)
        found = [
            probability_of(build_polyhedra(paths, event, every.noises), DATABASE, (F(2),), every.noises)
            for paths in (every.paths, joined.paths)
        ]
        assert found[0].low <= found[1].high and found[1].low <= found[0].high
        assert found[0].high - found[0].low <= 1e-12
        total += found[1].high
    if not isinstance(event, Within):
        assert total == pytest.approx(1.0, abs=1e-9)


def test_a_contest_has_one_path_for_each_leader():
    for name in ("maximum", "minimum", "one-sided noise", "maximum, ties to the last", "compared at the end"):
        joined = find_outcomes(PROGRAMS[name], 9, {"eps": F(1)}, frozenset())
        assert isinstance(joined, Outcomes)
        assert len(joined.paths) <= 18


# ---------------------------------------------------------------- the work for one event


def question(name: str, size: int) -> tuple[tuple[float, ...], Event]:
    half = size // 2
    svt = (False,) * (half - 1) + (True,) + (False,) * (size - half - 1) + (True,)
    return {
        "svt": ((2.0, 8.0), Equals(svt)),
        "above_threshold_1": ((2.0, 4.0), Equals(F(size))),
        "noisy_max_1": ((2.0,), Equals(F(half))),
        "exp_noisy_max": ((2.0, 0.0), Equals(F(half))),
    }[name]


def work(name: str, size: int) -> int:
    """How many functions are called, from a sketch, a database and an event to the probability."""
    scales, event = question(name, size)
    sketch = load_one(name)
    arguments = make_arguments(sketch, F(1), size, {"N": F(2), "T": F(0)})
    database = tuple(F((7 * i) % 11 - 5) for i in range(size))
    calls = 0

    def count(frame: object, happened: str, what: object) -> None:
        nonlocal calls
        calls += happened in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = ask(Integrator(sketch), arguments, np.array([scales]), [(event, database)])
    finally:
        sys.setprofile(before)
    assert 0 < found[0] < 1
    return calls


@pytest.mark.parametrize("name", ["svt", "above_threshold_1", "noisy_max_1", "exp_noisy_max"])
def test_work_grows_with_the_number_of_queries_and_no_faster(name):
    few, more, many = (work(name, size) for size in (25, 50, 100))
    assert more <= 2.05 * few and many <= 2.05 * more
    assert many < 300_000  # calls; a hundred queries take some tens of milliseconds
