"""The median of ages by noisy binary search: ask eight times whether half of the ages are below the middle.

Every comparison moves by exactly ½, up or down, so 8/(2η) ≤ ε: half of what people use who count the middle's side alone.
"""

from kolahal import Between, Epsilon, Lap, Records, add_remove, hole, sketch


@sketch(adjacent=add_remove(1))
def noisy_median(ages: Records[Between(0, 128)], eps: Epsilon):
    """The middle of the last interval."""
    low, high = 0, 128
    for step in range(8):
        middle = (low + high) / 2
        if sum(1 for age in ages if age <= middle) - len(ages) / 2 + Lap(hole) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2
