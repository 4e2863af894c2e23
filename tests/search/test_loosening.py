"""Where a law was too small, noise is raised until a proof for every length goes through, and no further."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.programs import read

from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Mechanism
from kolahal.model import Ranked, Score
from kolahal.proof.find.lengths import prove_every_length
from kolahal.results import Judged
from kolahal.roads.loosening import loosen, lowered, scaled
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Unknown, Verdict

ABOVE = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) >= t:
            return i
    return -1
"""


def judged(scales: tuple[str, ...], verdict: Verdict) -> Judged:
    completion = tuple(map(parse_scale, scales))
    return Judged(Ranked(completion, Score(0, 0.0, 1.0, 1.0), None), None, verdict)


@pytest.mark.parametrize("tight", [("1/eps", "2/eps"), ("2/eps", "2/eps"), ("1/eps", "4/eps")])
def test_noise_is_raised_until_it_is_proved_and_no_further(tight: tuple[str, ...]) -> None:
    sketch = read(ABOVE)
    found = loosen(sketch, [judged(tight, Unknown("nothing is known"))], Settings())
    assert found is not None
    assert isinstance(prove_every_length(Mechanism(sketch, found).filled(), plain_claim(sketch)), Proved)
    threshold, answer = (scale.coefficient for scale in found)
    assert Fraction(1, 2) < 1 / threshold + 2 / answer <= 1


def test_what_is_proved_is_left_alone() -> None:
    proof = prove_every_length(Mechanism(read(ABOVE), (parse_scale("2/eps"), parse_scale("4/eps"))).filled())
    assert isinstance(proof, Proved)
    assert loosen(read(ABOVE), [judged(("2/eps", "4/eps"), proof)], Settings()) is None
    assert loosen(read(ABOVE), [], Settings()) is None


def test_each_scale_is_lowered_as_far_as_it_goes() -> None:
    tight = (parse_scale("1/eps"), parse_scale("1/eps"))
    wanted = scaled(tight, [Fraction(3, 2), Fraction(1)])

    def enough(completion: tuple[object, ...]) -> bool:
        return all(a.coefficient >= b.coefficient for a, b in zip(completion, wanted, strict=True))  # type: ignore[attr-defined]

    assert lowered(tight, Fraction(3), enough) == wanted

MIN_MAX = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(hole)
            most = least
        elif i < k:
            r = q[i] + Lap(hole)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(hole)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
"""


@pytest.mark.thorough
def test_the_least_and_the_largest_so_far_take_half_as_much_noise_again() -> None:
    """A few answers show no more than the claim; at seven the loss is 1.34 times as large."""
    sketch = read(MIN_MAX)
    found = loosen(sketch, [judged(("4/eps",) * 3, Unknown("nothing is known"))], Settings())
    assert found == tuple(map(parse_scale, ("6/eps",) * 3))  # 2/6 + 2/6 + 2/6
