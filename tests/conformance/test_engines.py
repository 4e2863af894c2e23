"""Python = reference = batch = compiled: every link for equality, on generated programs and on chosen ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kolahal.engine import jit
from kolahal.engine.engines import BATCH, ENGINES, NUMBA, REFERENCE, Engine
from kolahal.engine.faults import RunError
from kolahal.engine.outputs import Outputs
from kolahal.engine import reference
from kolahal.engine.tape import Tape
from kolahal.lang.noise import Noise
from kolahal.lang.parse import parse
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.model import Arguments, Database, type_of
from kolahal.sketches.gallery import GALLERY, load_one
from strategies import Case, answers, argument_sets, cases, completions, databases, seeds, sketches

RUNS = 6

# The text that is compiled, run by Python: hundreds of programs in the time that compiling one takes.
INTERPRETED = Engine(
    "interpreted kernel",
    lambda sketch, *rest: jit.drive(jit.interpret(sketch), sketch, *rest)[0],
    lambda sketch, *rest: jit.drive(jit.interpret(sketch), sketch, *rest, counted=True),
)


def same(a: Any, b: Any) -> bool:
    """Equal answers of equal kinds; what is not a number is equal to itself."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    both_nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return type_of(a) == type_of(b) and (a == b or both_nan)


def outcomes(case: Case, tape: Tape) -> list[Any]:
    """What the reference says of each run: its answer, or the fault as (code, place)."""
    found: list[Any] = []
    for run in range(tape.runs):
        try:
            found.append(reference.run(case.sketch, case.database, case.arguments, case.scales, tape.row(run)))
        except RunError as error:
            found.append(error)
    return found


def place(error: RunError) -> tuple[str, object]:
    (diagnostic,) = error.diagnostics
    return diagnostic.code, diagnostic.span


def assert_conforms(engine: Engine, case: Case, runs: int = RUNS) -> None:
    """The engine gives what the reference gives; where a run stops with a fault, the engine has one of these."""
    tape = Tape((case.seed,), runs)
    expected = outcomes(case, tape)
    faults = {place(outcome) for outcome in expected if isinstance(outcome, RunError)}
    inputs = case.sketch, case.database, case.arguments, case.scales, tape
    if faults:
        with pytest.raises(RunError) as caught:
            engine.run(*inputs)
        assert place(caught.value) in faults
        return
    rows = engine.run(*inputs).rows()
    assert len(rows) == len(expected) and all(map(same, rows, expected)), (rows, expected)
    answers_again, used = engine.run_with_draws(*inputs)
    _, logged = REFERENCE.run_with_draws(*inputs)
    assert all(map(same, answers_again.rows(), expected))
    assert (used.sums == logged.sums).all() and (used.counts == logged.counts).all()


@pytest.mark.parametrize("engine", [BATCH, INTERPRETED], ids=str)
@settings(max_examples=250)
@given(case=cases())
def test_an_engine_means_what_the_reference_means(engine: Engine, case: Case) -> None:
    case = Case(parse(str(case.sketch)), case.database, case.arguments, case.scales, case.seed)
    assert_conforms(engine, case)
