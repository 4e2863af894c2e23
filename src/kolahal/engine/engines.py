"""All engines, and which of them to use. They give the same answers to the last bit, so the choice is one of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine import batch, reference
from kolahal.engine.batch import Used
from kolahal.engine.outputs import Outputs, pack
from kolahal.engine.tape import Tape
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

# Compiling takes half a second to 2 s, and loading what was compiled before 0.05 s; the batch engine
# makes about this many runs of a small sketch in that time.
RUNS_WORTH_COMPILING = 3_000_000
RUNS_WORTH_LOADING = 100_000


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to run a sketch over a tape."""

    name: str
    run: Callable[[Sketch, Sequence[Fraction], Arguments, Sequence[float], Tape], Outputs]
    run_with_draws: Callable[[Sketch, Sequence[Fraction], Arguments, Sequence[float], Tape], tuple[Outputs, Used]]

    def __str__(self) -> str:
        return self.name


def run_reference(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> Outputs:
    """The answers of the reference engine, run by run."""
    return run_reference_with_draws(sketch, database, arguments, scales, tape)[0]


def run_reference_with_draws(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> tuple[Outputs, Used]:
    """The answers of the reference engine, and what its log says of the draws at holes that have noise."""
    used = Used(*(np.zeros((len(scales), tape.runs)) for _ in range(2)))
    holes = {draw.site: draw.scale.index for draw in sketch.draws if isinstance(draw.scale, Hole)}
    rows: list[Any] = []
    for run in range(tape.runs):
        log: list[reference.DrawnValue] = []
        rows.append(reference.run(sketch, database, arguments, scales, tape.row(run), log=log))
        for site, _, drawn in log:
            if site in holes and scales[holes[site]] != 0:
                used.sums[holes[site], run] += abs(drawn)
                used.counts[holes[site], run] += 1
    return pack(rows), used


def run_compiled(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> Outputs:
    """The answers of the compiled engine."""
    from kolahal.engine import jit

    return jit.run(sketch, database, arguments, scales, tape)


def run_compiled_with_draws(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> tuple[Outputs, Used]:
    """The answers of the compiled engine, and what it drew."""
    from kolahal.engine import jit

    return jit.run_with_draws(sketch, database, arguments, scales, tape)


REFERENCE = Engine("reference", run_reference, run_reference_with_draws)
BATCH = Engine("batch", batch.run, batch.run_with_draws)
NUMBA = Engine("numba", run_compiled, run_compiled_with_draws)
ENGINES: dict[str, Engine] = {engine.name: engine for engine in (REFERENCE, BATCH, NUMBA)}


def choose_engine(sketch: Sketch, total_runs: int) -> Engine:
    """The fastest engine for `total_runs` runs of a sketch, compiling included."""
    from kolahal.engine import jit

    worth_it = (
        jit.is_loaded(sketch)
        or total_runs >= RUNS_WORTH_COMPILING
        or (total_runs >= RUNS_WORTH_LOADING and jit.is_on_disk(sketch))
    )
    return NUMBA if worth_it and (jit.is_on_disk(sketch) or jit.available()) else BATCH
