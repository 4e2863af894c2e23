"""Python = reference = batch = compiled: every link for equality, on generated programs and on chosen ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kolahal.engine import batch, jit, kernel, reference
from kolahal.engine.engines import BATCH, NUMBA, REFERENCE, Engine
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape, Units
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.model import Arguments, Scales, type_of
from kolahal.sketches.gallery import GALLERY, load_one
from strategies import Case, cases, completions

RUNS = 6

# The text that is compiled, run by Python: hundreds of programs in the time that compiling a few takes.
INTERPRETED = Engine(
    "interpreted kernel",
    lambda sketch, *inputs: jit.drive(jit.interpret(sketch), sketch, *inputs)[0],
    lambda sketch, *inputs: jit.drive(jit.interpret(sketch), sketch, *inputs, counted=True),
)
needs_numba = pytest.mark.skipif(not jit.available(), reason="Numba is not installed")


@pytest.fixture(autouse=True, scope="module")
def _own_cache(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiled kernels of the tests stay out of the user's cache, and are there the next time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(request.config.cache.mkdir("kernels")))
        yield


def same(a: Any, b: Any) -> bool:
    """Equal answers of equal kinds; what is not a number is equal to itself."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    both_nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return type_of(a) == type_of(b) and (a == b or both_nan)


def place(error: RunError) -> tuple[str, object]:
    """A fault as its code and where it is."""
    (diagnostic,) = error.diagnostics
    return diagnostic.code, diagnostic.span


def outcomes(case: Case, tape: Tape) -> tuple[list[Any], set[tuple[str, object]]]:
    """The reference's answers, and the faults of runs that have none."""
    found: list[Any] = []
    faults: set[tuple[str, object]] = set()
    for run in range(tape.runs):
        try:
            found.append(reference.run(case.sketch, case.database, case.arguments, case.scales, tape.row(run)))
        except RunError as error:
            faults.add(place(error))
    return found, faults


def assert_conform(engines: Sequence[Engine], case: Case, runs: int = RUNS) -> None:
    """The engines give what the reference gives; where runs stop with faults, they stop with one of these."""
    tape = Tape((case.seed,), runs)
    expected, faults = outcomes(case, tape)
    inputs = case.sketch, case.database, case.arguments, case.scales, tape
    if faults:
        for engine in engines:
            with pytest.raises(RunError) as caught:
                engine.run(*inputs)
            assert place(caught.value) in faults, engine
        return
    _, logged = REFERENCE.run_with_draws(*inputs)
    for engine in engines:
        rows = engine.run(*inputs).rows()
        assert len(rows) == len(expected) and all(map(same, rows, expected)), (engine, rows, expected)
        again, used = engine.run_with_draws(*inputs)
        assert all(map(same, again.rows(), expected)), engine
        assert (used.sums == logged.sums).all() and (used.counts == logged.counts).all(), engine


def with_places(case: Case) -> Case:
    """The same case with a sketch that was read from text, so that its faults have places."""
    return Case(parse(str(case.sketch)), case.database, case.arguments, case.scales, case.seed)


# ---------------------------------------------------------------- reference = batch = compiled


@examples(80, quick=40)
@given(case=cases())
def test_the_engines_mean_what_the_reference_means(case: Case) -> None:
    assert_conform((BATCH, INTERPRETED), with_places(case))


SMALL = 5_000  # characters of a kernel that Numba compiles in seconds; one of 20,000 takes it most of a minute


@needs_numba
@examples(5, quick=2)
@given(case=cases().filter(lambda case: len(kernel.write_kernel(case.sketch).text) < SMALL))
def test_the_compiled_kernel_means_what_the_reference_means(case: Case) -> None:
    assert_conform((NUMBA,), with_places(case), runs=64)


@settings(max_examples=40)
@given(case=cases(), limit=st.integers(1, 12))
def test_all_engines_count_the_turns_of_a_run_alike(case: Case, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (reference, batch, kernel):
            patch.setattr(module, "MOST_TURNS", limit)
        assert_conform((BATCH, INTERPRETED), with_places(case))


PROGRAMS = {
    "short circuit": """
    i = 0
    while i < len(q) and q[i] + Lap(hole) > T:
        i = i + 1
    j = len(q) - 1
    while not (j < 0 or q[j] > Exp(hole)):
        j -= 1
    if Lap(hole) > 0:
        j = j + 9
    return i, j, j < len(q) and q[j] > 0, j >= len(q) or Lap(hole) > q[j], 0 <= j and (N > j or q[j // 9 - 1] < T)
    """,
    "nested loops with an early return": """
    total = 0
    for i in range(len(q)):
        for j in range(i, -1, -1):
            x = q[j] + Lap(hole)
            if x > T + 4:
                return i, j, x
            if x < -3:
                continue
            k = 0
            while k < 2 * N:
                k += 1
                if DiscreteLap(hole) == 0:
                    break
                total = total + DiscreteExp(2/eps)
    return total
    """,
    "lists that grow at both ends and are replaced on the way": """
    a, b = [], [1, None, True]
    for x in q:
        if x + Lap(hole) > T:
            a.append(x)
            b.insert(0, x > 0)
        else:
            a.insert(0, -x)
            a.insert(0, Exp(hole))
        if len(a) > 3:
            a, b = [y / 2 for y in a], [len(a), a[-1], None]
            continue
        b.append(None)
    q2 = [z + Lap(hole) for z in q]
    if len(a) > 0 and max(a[0], a[-1], T) == T:
        return b
    return [min(w, T) for w in q2]
    """,
    "lists that are read while they change": """
    a = [1, 2, 3]
    out = [0]
    for y in a:
        a = [y + 1, a[0], a[-1]]
        for z in a:
            out.insert(0, out[0] + z)
            out.append(out[-2 % len(out)])
            if Lap(hole) > 1:
                a = [z]
    a = [x * a[0] for x in a]
    out = [x + a[-1] for x in out]
    return out
    """,
    "names that hold None, or nothing": """
    best, at = None, None
    for i in range(len(q)):
        noisy = q[i] + Lap(hole)
        if best is None or noisy > best:
            best, at = noisy, i
        if noisy > 2:
            late = abs(noisy) // 0.5
    if flag and at is not None and at == N:
        return late
    if best is None or not flag:
        return at
    return best % 3, at == 1, at != None, -best
    """,
    "more turns and items than answers": """
    out = []
    n = 0
    while True:
        n += 1
        if n > 10:
            break
        for m in range(N):
            for k in range(9):
                out.append(Lap(hole) + n // (m + 1))
    return out
    """,
    "numbers that are too large": """
    big = 1.5
    for i in range(12):
        big = big * big + Exp(1/eps)
    odd = big - big
    return big, odd, max(odd, 1), max(1, odd), min(big, odd), odd == odd, 5 // big, -5 % big, big // 2, abs(odd)
    """,
}
SIGNATURE = "@sketch(adjacent=each_within(1))\ndef program(q: Private, N: int, T: float, flag: bool, eps: Epsilon):"
FAST = [BATCH, INTERPRETED, NUMBA] if jit.available() else [BATCH, INTERPRETED]


def read(body: str) -> Sketch:
    return parse(SIGNATURE + body)


@pytest.mark.parametrize("name", PROGRAMS)
def test_chosen_programs(name: str) -> None:
    sketch = read(PROGRAMS[name])
    database = tuple(map(Fraction, ("1", "-2.5", "0.1", "3")))
    for flag in (True, False):
        arguments = Arguments(Fraction(1, 2), 4, (("N", Fraction(2)), ("T", Fraction("0.3")), ("flag", flag)))
        for size in (4, 1, 0):
            case = Case(sketch, database[:size], arguments, (2.0,) * len(sketch.holes), size)
            assert_conform(FAST, case, runs=12)


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery(name: str) -> None:
    sketch = load_one(name)
    values = tuple((p.name, Fraction(2)) for p in sketch.arguments)
    for scales in ((1.5,) * len(sketch.holes), (0.0,) * len(sketch.holes), (0.5, 2.0, 0.0)[: len(sketch.holes)]):
        case = Case(sketch, tuple(map(Fraction, (3, 1, 2, 2))), Arguments(Fraction(1), 4, values), scales, 7)
        assert_conform(FAST, case, runs=40)


@pytest.mark.parametrize("engine", [REFERENCE, BATCH, INTERPRETED], ids=str)
@pytest.mark.parametrize(
    "body, code",
    [
        ("\n    return q[2]", "K401"),
        ("\n    return q[-3]", "K401"),
        ("\n    return 1 / (N - 2)", "K402"),
        ("\n    return [x for x in range(0, 3, N - 2)]", "K402"),
        ("\n    x = None\n    if flag:\n        x = 1.5\n    return x + 1", "K403"),
        ("\n    x = 0\n    while x >= 0:\n        x = x + 1\n    return x", "K404"),
        ("\n    return [x for x in range(1000000000000)]", "K404"),
        ("\n    x = 10\n    for i in range(10):\n        x = x * x\n    for i in range(x):\n        N = N\n    return 0", "K404"),
        ("\n    if flag:\n        x = 1\n    return x", "K405"),
    ],
)  # fmt: skip
def test_faults(engine: Engine, body: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reference, batch, kernel):
        monkeypatch.setattr(module, "MOST_TURNS", 1000)
    arguments = Arguments(Fraction(1), 2, (("N", Fraction(2)), ("T", Fraction(0)), ("flag", False)))
    with pytest.raises(RunError) as caught:
        engine.run(read(body), (Fraction(0), Fraction(1)), arguments, (), Tape((1,), 3))
    assert caught.value.diagnostics[0].code == code


def test_scales_may_differ_between_runs() -> None:
    sketch, tape = load_one("svt"), Tape((3,), 50)
    arguments = Arguments(Fraction(1), 4, (("N", Fraction(2)), ("T", Fraction(1))))
    database = tuple(map(Fraction, (3, 1, 2, 2)))
    lanes = tuple(column[:50] for column in tape.units(Noise.EXPONENTIAL, 9, ()).repeat(2, axis=0))
    for engine in (BATCH, INTERPRETED):
        rows = engine.run(sketch, database, arguments, lanes, tape).rows()  # type: ignore[arg-type]
        for run in range(50):
            scales = tuple(float(lane[run]) for lane in lanes)
            assert rows[run] == reference.run(sketch, database, arguments, scales, tape.row(run))


# ---------------------------------------------------------------- Python = reference

PYTHON_FAULTS = (IndexError, ZeroDivisionError, TypeError, NameError, ValueError)  # the last: a range of step 0


class Replay:
    """A sampler that hands out what the reference drew, in order, and checks what it is asked for."""

    def __init__(self, filled: Sketch, arguments: Arguments, log: list[reference.Drawn]):
        self.draws = filled.draws
        self.quantities = arguments.quantities(filled)
        self.log = iter(log)

    def __call__(self, noise: Noise, scale: float) -> float:
        drawn = next(self.log, None)
        if drawn is None:  # behind a fault of the reference; Python finds some of them a little later
            return 0.0
        site, _, value = drawn
        draw = self.draws[site]
        assert draw.noise is noise
        # The text computes 2/eps in doubles; the reference rounds the exact scale once.
        assert math.isclose(scale, draw.scale.at(self.quantities), rel_tol=1e-12)  # type: ignore[union-attr]
        return float(value)


@examples(60, quick=25)
@given(case=cases(), data=st.data())
def test_python_runs_the_completed_text_as_the_reference_does(case: Case, data: st.DataObject) -> None:
    filled = case.sketch.complete(*data.draw(completions(len(case.sketch.holes)))).filled()
    inputs = {p.name: value for p in filled.parameters for name, value in named(case) if name == p.name}
    tape = Tape((case.seed,), RUNS)
    for run in range(RUNS):
        log: list[reference.Drawn] = []
        try:
            expected = reference.run(filled, case.database, case.arguments, (), tape.row(run), log=log)
        except RunError:
            with pytest.raises(PYTHON_FAULTS):
                call_mechanism(filled, (), inputs, Replay(filled, case.arguments, log))
        else:
            answer = call_mechanism(filled, (), inputs, Replay(filled, case.arguments, log))
            assert same(tuple(answer) if isinstance(answer, list) else answer, expected), (answer, expected)


def named(case: Case) -> list[tuple[str, object]]:
    return [*case.arguments.values, ("q", case.database), ("eps", case.arguments.epsilon)]


@examples(60, quick=25)
@given(case=cases(), data=st.data())
def test_filling_holes_changes_nothing_else(case: Case, data: st.DataObject) -> None:
    mechanism = case.sketch.complete(*data.draw(completions(len(case.sketch.holes))))
    filled = mechanism.filled()
    assert parse(str(filled)) == filled
    kept = [d.site for d in case.sketch.draws if not hasattr(d.scale, "index") or mechanism.completion[d.scale.index]]
    scales = case.arguments.concretise(case.sketch, mechanism.completion)
    tape = Tape((case.seed,), RUNS)
    for run in range(RUNS):
        units = tape.row(run)
        expected = outcome(case.sketch, case, scales, units)
        found = outcome(filled, case, (), lambda noise, site, turns, units=units: units(noise, kept[site], turns))
        assert same(found, expected) or expected == "K403"  # None + 0 is a fault, and None alone is not


def outcome(sketch: Sketch, case: Case, scales: Scales, units: Units) -> Any:
    """The answer of the reference, or the code of its fault."""
    try:
        return reference.run(sketch, case.database, case.arguments, scales, units)
    except RunError as error:
        return place(error)[0]
