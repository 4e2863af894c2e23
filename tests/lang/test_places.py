"""Places of the private list that are written as numbers, and how many answers they need."""

from __future__ import annotations

import pytest

from kolahal.lang.places import answers_needed, fixed_places, reads_fixed_places_alone
from kolahal.lang.read.parse import parse

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    "


@pytest.mark.parametrize(
    ("body", "places", "needed", "alone"),
    [
        ("return q[6] + Lap(1/eps)", (6,), 7, True),
        ("return q[-3] + Lap(1/eps)", (-3,), 3, True),
        ("return q[0] + q[2 * 3 - 1] + Lap(1/eps)", (0, 5), 6, True),
        ("a = q\n    return a[4] + Lap(1/eps)", (4,), 5, True),
        ("q = [x + Lap(1/eps) for x in q]\n    return q[1]", (1,), 2, False),
        ("return q[N] + Lap(1/eps)", (), 0, False),
        ("return q[len(q) - 1] + Lap(1/eps)", (), 0, False),
        ("out = [1, 2]\n    return out[1]", (), 0, False),
        ("s = q[2]\n    for x in q:\n        s = s + x\n    return s + Lap(1/eps)", (2,), 3, False),
        ("if len(q) > 6:\n        return q[6] + Lap(1/eps)\n    return 0", (6,), 7, False),
    ],
)
def test_fixed_places(body: str, places: tuple[int, ...], needed: int, alone: bool) -> None:
    sketch = parse(HEAD + body + "\n")
    assert (fixed_places(sketch), answers_needed(sketch), reads_fixed_places_alone(sketch)) == (places, needed, alone)
