"""Several inputs in one go give what they give one by one, to the last bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kolahal.engine import batch, cases
from kolahal.engine.cases import run_cases
from kolahal.engine.tape import Tape, stream
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.sketches.gallery import GALLERY, load_one

RUNS = 16
OWN_SCALES = """
@sketch(adjacent=one_within(1))
def f(q: Private, T: float, flag: bool, eps: Epsilon):
    kept = []
    for i in range(len(q)):
        at = -1 - i
        if flag and q[at] + Lap(hole) > T or q[i] + Lap(2 / eps) > T:
            kept.append(i)
            break
    return kept
"""


def _inputs(sketch: Sketch) -> list[cases.Case]:
    """Inputs that differ in everything a run can ask for, and two lengths."""
    rng = stream(5, "cases")
    found: list[cases.Case] = []
    for place in range(7):
        size = next(iter(sketch.sizes((3 if place < 4 else 6,))))
        answers = [Fraction(int(rng.integers(0, 16)), 1 if sketch.private.whole else 3) for _ in range(size)]
        answers = [a % 2 for a in answers] if sketch.private.bits else answers
        values = {p.name: bool(place % 2) if p.type.value == "bool" else Fraction(1 + place % 3) for p in sketch.arguments}
        found.append((Arguments(Fraction(1 + place, 2), size, tuple(values.items())), tuple(answers)))
    return found


@pytest.mark.parametrize("most", [1, 2 * RUNS, cases.MOST_LANES])
@pytest.mark.parametrize("name", [*GALLERY, "own scales"])
def test_together_is_one_by_one(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MOST_LANES", most)
    sketch = parse(OWN_SCALES) if name == "own scales" else load_one(name)
    inputs, tape = _inputs(sketch), Tape((3,), RUNS)
    each = [tuple(2.0 + place + hole for hole in range(len(sketch.holes))) for place in range(len(inputs))]
    lanes = [np.repeat([own[hole] for own in each], RUNS) for hole in range(len(sketch.holes))]
    together = run_cases(sketch, inputs, lanes, tape)
    assert len(together) == len(inputs)
    for (arguments, answers), own, outputs in zip(inputs, each, together, strict=True):
        assert outputs.rows() == batch.run(sketch, answers, arguments, own, tape).rows()
