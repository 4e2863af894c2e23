"""The mean age of the visitors who are new: a clipped sum and a count, divided.

One visit more moves the sum by at most 100 and the count by 1, together: 100/η1 + 1/η2 ≤ ε. What comes after the noise is free.
"""

from typing import Literal, NamedTuple

from kolahal import Epsilon, Lap, Records, add_remove, clip, hole, sketch


class Visit(NamedTuple):
    age: float
    kind: Literal["new", "returning"]


@sketch(adjacent=add_remove(1))
def clipped_mean(visits: Records[Visit], eps: Epsilon):
    """The mean of the ages, each moved to between 0 and 100."""
    total = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap(hole)
    count = sum(1 for v in visits if v.kind == "new") + Lap(hole)
    return total / max(count, 1)
