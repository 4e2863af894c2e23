"""Factors of a scale that are made of two public bounds: what they are worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.scale import REACH, WIDTH, Scale


def unit_value(unit: str, values: Mapping[str, Fraction]) -> Fraction:
    """What a unit is at some public arguments."""
    if found := WIDTH.fullmatch(unit):
        return values[found[1]] - values[found[2]]
    if found := REACH.fullmatch(unit):
        return max(abs(values[found[1]]), abs(values[found[2]]))
    return values[unit]


def check_positive(program: str, units: Collection[str], values: Mapping[str, Fraction | bool]) -> None:
    """Refuse public arguments at which a unit is not above 0."""
    for unit in units:
        if unit_value(unit, {name: Fraction(value) for name, value in values.items()}) <= 0:
            raise UsageError(f"{unit} of {program} must be above 0: records are clipped to it or divided by it, or noise is measured by it")


def in_unit(scale: Scale, units: Collection[str], factors: Collection[str]) -> tuple[str, Scale] | None:
    """A unit, and a scale that the given one is never below in multiples of it; None if there is no such unit.

    >>> unit, scale = in_unit(Scale(Fraction(3), (("max(abs(lo), abs(hi))", 1),)), ["(hi - lo)"], ["max(abs(lo), abs(hi))"])
    >>> unit, str(scale)
    ('(hi - lo)', '3/2')
    """
    named = [(name, power) for name, power in scale.powers if name in units or name in factors]
    if not named:
        return "", scale
    rest = tuple(item for item in scale.powers if item not in named)
    for unit in sorted(filter(None, units), key=lambda unit: unit != named[0][0]):
        times = _at_least(unit, named[0][0])
        if times is not None and len(named) == 1 and named[0][1] == 1:
            return unit, Scale(scale.coefficient * times, rest)
    return None


def _at_least(unit: str, scale: str) -> Fraction | None:
    """How often `unit` fits into another factor of a scale, whatever the public arguments are; None if that is not known."""
    width, reach = WIDTH.fullmatch(unit), REACH.fullmatch(scale)
    if unit == scale:
        return Fraction(1)
    if width and reach and set(width.groups()) == set(reach.groups()):
        return Fraction(1, 2)
    return None
