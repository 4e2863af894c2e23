"""How many visits each shop had, where one visit may have been another: 2/ε, because one count falls and another rises.

Were visits added or removed, 1/ε would do.
"""

from typing import Literal, NamedTuple

from kolahal import Epsilon, Lap, Records, hole, replace, sketch


class Visit(NamedTuple):
    shop: Literal["north", "south", "east", "west"]


@sketch(adjacent=replace(1))
def shop_histogram(visits: Records[Visit], eps: Epsilon):
    """A noisy count for every shop."""
    return [sum(1 for v in visits if v.shop == shop) + Lap(hole) for shop in ("north", "south", "east", "west")]
