"""Less noise than a law asks for is looked for where one hole has noise, and where there is some to lower."""

from __future__ import annotations

import pytest
from tests.programs import read

from kolahal.lang.scale import NO_NOISE, parse_scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Ranked, Score
from kolahal.proof.find.lengths import prove_every_length
from kolahal.results import Judged
from kolahal.roads.narrowing import narrow
from kolahal.settings import Settings
from kolahal.verdicts import Proved

ONE_ANSWER = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return q[0] + Lap(hole)
"""


def judged(sketch: Sketch, completion: Completion) -> Judged:
    proof = prove_every_length(Mechanism(sketch, completion).filled())
    assert isinstance(proof, Proved)
    return Judged(Ranked(completion, Score(0, 0.0, 1.0, 1.0), None), None, proof)


def test_where_nothing_has_noise_there_is_none_to_lower() -> None:
    """Noise that is not needed was left out, and what stands in the text has a scale of its own."""
    sketch = read("""
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    t = Lap(hole)
    return t, q[0] + Lap(4/eps)
""")
    assert narrow(sketch, [judged(sketch, (NO_NOISE,))], (), Settings()) is None


@pytest.mark.parametrize("scale", ["4/eps", "16/eps"])
def test_noise_at_one_hole_is_lowered_as_far_as_the_proof_goes(scale: str) -> None:
    sketch = read(ONE_ANSWER)
    found = narrow(sketch, [judged(sketch, (parse_scale(scale),))], (), Settings())
    assert found is not None and found.completion == (parse_scale("1/eps"),)


def test_noise_at_several_holes_stays() -> None:
    sketch = read("""
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return q[0] + Lap(hole), q[1] + Lap(hole)
""")
    assert narrow(sketch, [judged(sketch, (parse_scale("8/eps"),) * 2)], (), Settings()) is None
