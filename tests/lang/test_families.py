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
