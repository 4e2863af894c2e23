"""`Noise(hole)`: open families, and what they become."""

import pytest

from kolahal.errors import UsageError
from kolahal.lang.families import close_families
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch

HEAD = "from kolahal import *\n@sketch(adjacent=each_within(1))\n"


def opened(header: str = "q: Private, eps: Epsilon", body: str = "return q[0] + Noise(hole)") -> Sketch:
    return parse(f"{HEAD}def f({header}):\n    {body}\n")


def families(sketch: Sketch) -> list[str]:
    return [" ".join(draw.noise.value for draw in closed.draws) for closed in close_families(sketch)]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("q: Private, eps: Epsilon", ["Lap", "Exp"]),
        ("q: Private[int], eps: Epsilon", ["Lap", "Exp", "DiscreteLap", "DiscreteExp"]),
        ("q: Private, mu: Mu", ["Gauss"]),
        ("q: Private, rho: Rho", ["Gauss", "Lap", "Exp"]),
        ("q: Private, eps: Epsilon, delta: Delta", ["Gauss", "Lap", "Exp"]),
    ],
)
def test_a_budget_and_the_answers_say_which_families_there_are(header: str, expected: list[str]) -> None:
    assert families(opened(header)) == expected


def test_places_have_families_of_their_own_and_stated_ones_stay() -> None:
    two = opened(body="return q[0] + Noise(hole) + Lap(hole) > Noise(hole)")
    assert families(two) == ["Lap Lap Lap", "Exp Lap Exp", "Lap Lap Exp", "Exp Lap Lap"]
    many = opened(body=f"return q[0] + {' + '.join(['Noise(hole)'] * 9)}")
    assert families(many) == ["Lap " * 8 + "Lap", "Exp " * 8 + "Exp"]
    closed = opened(body="return q[0] + Lap(hole)")
    assert close_families(closed) == (closed,)


def test_a_sketch_prints_as_it_is_read_and_is_closed_before_anything_runs_it() -> None:
    sketch = opened()
    assert parse("from kolahal import *\n" + str(sketch)) == sketch and sketch.is_open and len(sketch.holes) == 1
    assert all(not closed.is_open and closed.holes == sketch.holes for closed in close_families(sketch))
    with pytest.raises(UsageError, match="leaves the family of its noise open"):
        sketch.draws  # noqa: B018


def test_completions_name_families_where_they_are_open() -> None:
    sketch = opened(body="return q[0] + Noise(hole) > Exp(hole)")
    mechanism = sketch.complete("DiscreteLap(2*len(q)/eps)", "4/eps")
    assert "DiscreteLap(2*len(q)/eps) > Exp(4/eps)" in str(mechanism)
    assert [str(scale) for scale in mechanism.completion] == ["DiscreteLap(2*len(q)/eps)", "4/eps"]
    assert mechanism.completion[0].pretty() == "DiscreteLap(2·|q|/ε)" and "mathrm{DiscreteLap}" in mechanism.completion[0].latex()
    assert sketch.complete("Lap(1/eps)", "Exp(4/eps)").filled() == sketch.complete("Lap(1/eps)", "4/eps").filled()
    assert "Noise" not in str(sketch.complete(None, "4/eps"))
    stated = opened(body="return q[0] + Lap(hole)")
    assert stated.complete("Lap(2/eps)").filled() == stated.complete("2/eps").filled()


@pytest.mark.parametrize(
    ("scales", "reason"),
    [
        (("2/eps", "4/eps"), "name it, as in Lap"),
        (("Lap(2/eps)", "Lap(4/eps)"), "another family"),
        (("Flip(2/eps)", "4/eps"), "names no family"),
        (("Noise(2/eps)", "4/eps"), "names no family"),
        (("Lap(Lap(2/eps))", "4/eps"), "not a scale"),
    ],
)
def test_completions_that_do_not_fit_are_refused(scales: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        opened(body="return q[0] + Noise(hole) > Exp(hole)").complete(*scales)


def test_gaussian_noise_does_not_come_in_by_a_name() -> None:
    with pytest.raises(UsageError, match="Gaussian"):
        opened().complete("Gauss(2/eps)").filled().draws  # noqa: B018
